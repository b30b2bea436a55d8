"""The first message of a session: `initialize` is answered before anything else is loaded.

That answer depends on the client alone (see `capabilities`), and an editor sends nothing before it has it. What the
server needs to work takes ten times as long to load, which then happens while the client prepares its first file.
This module therefore imports next to nothing.
"""

from __future__ import annotations

import json
from time import perf_counter
from typing import Any, BinaryIO, NamedTuple

from uir_lsp.capabilities import welcome
from uir_lsp.options import Options
from uir_lsp.transport import Unreadable, decode, frame, read_message, record


class Opening(NamedTuple):
    """How a session began.

    options: what the client said in `initialize`, if that came first and is answered; number, size, answered, seconds:
    the number of the request, the bytes that came and went, the time it took. Else `body` is the message that came
    first, which the server has to handle; None at the end of input.
    """

    body: bytes | None
    options: Options | None = None
    message: Any = None
    answered: int = 0
    seconds: float = 0.0


def open_session(stdin: BinaryIO, stdout: BinaryIO, copy: BinaryIO | None = None) -> Opening:
    """Read the first message and answer it if it is `initialize`. `copy` gets what was read."""
    body = read_message(stdin)
    if body is None:
        return Opening(None)
    began = perf_counter()
    if copy is not None:
        record(copy, body)
    try:
        message = decode(body)
    except Unreadable:
        return Opening(body)
    if not _is_initialize(message):
        return Opening(body)
    options = Options.read(message["params"])
    answer = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": welcome(options)}).encode()
    try:
        stdout.write(frame(answer))
        stdout.flush()
    except OSError:  # the client is gone, which the end of input will say
        pass
    return Opening(body, options, message, len(answer), perf_counter() - began)


def _is_initialize(message: Any) -> bool:
    """Whether this is a request for `initialize` without a fault; everything else is the server's to judge."""
    return (
        isinstance(message, dict)
        and message.get("method") == "initialize"
        and message.get("jsonrpc") == "2.0"
        and type(message.get("id")) in (int, str)
        and isinstance(message.get("params"), dict)
    )
