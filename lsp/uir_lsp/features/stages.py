"""`uir/stages` and `uir/stageText`: a program after each stage of its compilation; its texts when they are wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uir_lsp.feature import ServerFeature
from uir_lsp.features.show_c import ask, shown, why_not
from uir_lsp.refusal import InvalidParams
from uir_lsp.target import Target

if TYPE_CHECKING:
    from uir_lsp.server import UirServer


async def stages(server: UirServer, params: Any) -> dict[str, Any]:
    """What each stage made of a file or a value, and what the rewrite rules did."""
    return await shown(server, Target.read(params), "stages", {"program": None, "total_ms": 0, "stages": []})


async def stage_text(server: UirServer, params: Any) -> dict[str, Any]:
    """The program after one stage: while the file is broken, of the text that `uir/stages` answered about last."""
    target = Target.read(params)
    stage, form = target.options.get("stage"), target.options.get("form")
    if not isinstance(stage, str) or not (form is None or isinstance(form, str)):
        raise InvalidParams("options.stage is the name of a stage, options.form that of a form")
    snapshot = await server.snapshot_for(target.uri)
    text, stale = snapshot.text, False
    if (target.value is not None and target.value not in snapshot.analysis.values) or why_not(snapshot, target.value):
        good, _ = snapshot.memory.good.get(("stages", target.value, target.flag("plain")), (None, None))
        text, stale = good or text, good is not None
    if not stale:
        target.check(snapshot)
    nothing: dict[str, Any] = {"language": "uir", "text": "", "map": [], "difference": None, "before": None}
    return {**nothing, **await ask(server, target, "stageText", text, stage=stage, form=form), "stale": stale}


FEATURES = (ServerFeature("uir/stages", stages), ServerFeature("uir/stageText", stage_text))
