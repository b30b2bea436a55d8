"""The list of everything the server answers. A feature is a file here and a row in `FEATURES`."""

from __future__ import annotations

from uir_lsp.feature import Feature, ServerFeature
from uir_lsp.features import (
    call_hierarchy,
    code_actions,
    code_lenses,
    completion,
    definition,
    diagnostics,
    document_links,
    explain,
    folding,
    formatting,
    hover,
    inlay_hints,
    references,
    rename,
    run_program,
    selection_ranges,
    semantic_tokens,
    show_c,
    signature_help,
    symbols,
    warm_up,
)

FEATURES: tuple[Feature | ServerFeature, ...] = (
    diagnostics.FEATURE,
    hover.FEATURE,
    inlay_hints.FEATURE,
    code_lenses.FEATURE,
    *symbols.FEATURES,
    definition.FEATURE,
    *references.FEATURES,
    *rename.FEATURES,
    *call_hierarchy.FEATURES,
    completion.FEATURE,
    signature_help.FEATURE,
    code_actions.FEATURE,
    *formatting.FEATURES,
    *semantic_tokens.FEATURES,
    folding.FEATURE,
    selection_ranges.FEATURE,
    document_links.FEATURE,
    *show_c.FEATURES,
    *run_program.FEATURES,
    explain.FEATURE,
    warm_up.FEATURE,
)
