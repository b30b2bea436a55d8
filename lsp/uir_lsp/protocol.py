"""The protocol's rules, where pygls leaves them out: life cycle, answers to bad messages, late replies, cancelling.

Every message comes in through `receive` and goes out through `_send_data` or `_send_response`; see the tests of the
same names in tests/lsp/test_protocol.py for what each rule protects from.
"""

from __future__ import annotations

import asyncio
import contextvars
import json
import logging
from typing import TYPE_CHECKING, Any

import attrs
from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams, JsonRpcInvalidRequest
from pygls.exceptions import JsonRpcServerNotInitialized as NotInitialized
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.protocol.json_rpc import JsonRPCNotification, JsonRPCRequestMessage, JsonRPCResponseMessage
from pygls.workspace import Workspace

from uir_lsp.journal import Journal
from uir_lsp.transport import frame

if TYPE_CHECKING:
    from uir_lsp.server import UirServer

log = logging.getLogger(__name__)

MAX_UINTEGER = 2**31 - 1  # the protocol's largest line or column
PARSE_ERROR = -32700


@attrs.frozen
class Encoded:
    """A result that is JSON text already: it was encoded off the loop."""

    text: str


@attrs.define
class UirRequest:
    """A request of our own; its handler checks `params`."""

    id: int | str
    method: str
    jsonrpc: str
    params: Any = None


@attrs.define
class UirNotification:
    """A notification of our own; its handler checks `params`."""

    method: str
    jsonrpc: str
    params: Any = None


class UirProtocol(LanguageServerProtocol):
    """JSON-RPC and the base protocol, on top of pygls."""

    _server: UirServer

    def __init__(self, server: UirServer, converter: Any) -> None:
        super().__init__(server, converter)
        self._initialized = False
        self.journal = Journal()

    # -- in --------------------------------------------------------------------------------------------------------
    def receive(self, data: Any) -> None:
        """Handle one message as JSON gave it. Never raises: what is wrong with it is answered or logged."""
        if not isinstance(data, dict):
            self._refuse(None, JsonRpcInvalidRequest("a message is one JSON object"))
        elif "method" not in data:
            self._receive_reply(data)
        elif (refusal := self._not_now(data)) is not None:
            self._refuse(data.get("id"), refusal)
        else:
            self._receive_call(data)

    def unreadable(self, reason: str) -> None:
        """Answer a message whose body was not JSON."""
        self._refuse(None, JsonRpcException(f"not JSON: {reason}", PARSE_ERROR), always=True)

    def _not_now(self, data: dict[str, Any]) -> JsonRpcException | None:
        """Why this call cannot be taken at this point of the session, if so."""
        method = data["method"]
        if method == types.EXIT:
            return None
        if self._shutdown:
            return JsonRpcInvalidRequest("the server is shut down")
        if method == types.INITIALIZE:
            return JsonRpcInvalidRequest("initialize was sent before") if self._initialized else None
        return None if self._initialized else NotInitialized("the first request must be initialize")

    def _receive_call(self, data: dict[str, Any]) -> None:
        try:
            message = self.structure_message(data)
        except JsonRpcException as error:
            self._refuse(data.get("id"), error)
        else:
            self.handle_message(message)

    def _receive_reply(self, data: dict[str, Any]) -> None:
        """A reply to a request of ours; one that does not fit its type counts as an error of the client."""
        if not isinstance(data.get("id"), (int, str)):
            log.warning("ignored a message that is neither a call nor a reply")
            return
        try:
            self.handle_message(self.structure_message(data))
        except JsonRpcException as error:
            refusal = types.ResponseError(code=error.code, message=error.message)
            self._handle_response(data["id"], error=refusal)

    def structure_message(self, data: dict[str, Any]) -> Any:
        """The typed form of a message. Raises JsonRpcInvalidParams (-32602), never anything else."""
        if data.get("method") == types.TEXT_DOCUMENT_DID_CHANGE:
            data = clamp_positions(data)
        if data.get("jsonrpc") != self.VERSION or not isinstance(data.get("method", ""), str):
            raise JsonRpcInvalidRequest("not a JSON-RPC 2.0 message")
        try:
            return self._converter.structure(data, self._type_of(data))
        except Exception as error:  # cattrs raises groups, and plain errors from validators
            raise JsonRpcInvalidParams(_what_is_wrong(error)) from error

    def handle_message(self, message: Any) -> None:
        """Hand a message on. The base class asks what it is by a look at its every attribute, which takes long."""
        context = contextvars.copy_context()
        method = getattr(message, "method", None)
        if method is None:
            result, error = getattr(message, "result", None), getattr(message, "error", None)
            context.run(self._handle_response, message.id, result, error)
        elif hasattr(message, "id"):
            context.run(self._handle_request, message.id, method, getattr(message, "params", None))
        else:
            context.run(self._handle_notification, method, getattr(message, "params", None))

    def _type_of(self, data: dict[str, Any]) -> type[Any]:
        if "method" in data:
            fallback = JsonRPCRequestMessage if "id" in data else JsonRPCNotification
            return self.get_message_type(data["method"]) or fallback
        if "error" in data:
            return types.ResponseErrorMessage
        found: type[Any] | None = self._result_types.pop(data["id"], None)
        return found or JsonRPCResponseMessage

    def get_message_type(  # type: ignore[override]  # the base caches it, which a second dictionary need not
        self, method: str
    ) -> type[Any] | None:
        """The protocol's type, or ours for `uir/...`."""
        if method.startswith("uir/"):
            return UirNotification if method in ("uir/trust", "uir/forget") else UirRequest
        found: type[Any] | None = super().get_message_type(method)
        return found

    # -- out -------------------------------------------------------------------------------------------------------
    def _refuse(self, msg_id: Any, error: JsonRpcException, always: bool = False) -> None:
        """Answer with an error; a notification (no id) is only logged."""
        self.journal.answered(msg_id, 0, error.code)
        self.journal.said(error.message)
        if always or msg_id is not None or isinstance(error, JsonRpcInvalidRequest):
            answer = {"jsonrpc": "2.0", "id": msg_id, "error": {"code": error.code, "message": error.message}}
            self._write(json.dumps(answer))

    def _send_response(self, msg_id: Any, result: Any = None, error: types.ResponseError | None = None) -> None:
        if error is not None:  # the traceback goes to the log, not over the wire: it names files of this machine
            self._refuse(msg_id, JsonRpcException(error.message, error.code), always=True)
        elif isinstance(result, Encoded):
            self.journal.answered(msg_id, len(result.text))
            self._write(f'{{"jsonrpc":"2.0","id":{json.dumps(msg_id)},"result":{result.text}}}')
        else:
            super()._send_response(msg_id, result)

    def _send_data(self, data: Any) -> None:
        body = json.dumps(data, default=self._serialize_message)
        method = data.get("method") if isinstance(data, dict) else getattr(data, "method", None)
        if method is None:
            self.journal.answered(data.get("id") if isinstance(data, dict) else getattr(data, "id", None), len(body))
        else:
            self.journal.sent(method, len(body))
        self._write(body)

    def _write(self, body: str) -> None:
        if self.writer is not None:
            self.writer.write(frame(body.encode()))

    def encode(self, result: Any) -> Encoded:
        """A result as JSON text. Safe to call off the loop, where the work of encoding a large answer belongs."""
        if isinstance(result, Encoded):
            return result
        return Encoded(json.dumps(result, default=self._serialize_message, separators=(",", ":")))

    @property
    def busy(self) -> bool:
        """Whether a request of the client is still to be answered. (Our own requests are futures of another kind.)"""
        return any(
            isinstance(future, asyncio.Future) and not future.done() for future in self._request_futures.values()
        )

    def notify_encoded(self, method: str, params: Encoded) -> None:
        """Send a notification whose parameters are JSON text already."""
        self.journal.sent(method, len(params.text))
        self._write(f'{{"jsonrpc":"2.0","method":{json.dumps(method)},"params":{params.text}}}')

    # -- replies to our own requests -------------------------------------------------------------------------------
    def _handle_response(self, msg_id: Any, result: Any = None, error: types.ResponseError | None = None) -> None:
        future = self._request_futures.get(msg_id)
        if future is None or future.done():  # the reply came after we stopped waiting
            self._request_futures.pop(msg_id, None)
            return
        super()._handle_response(msg_id, result, error)

    def _handle_cancel_notification(self, msg_id: Any) -> None:
        """Cancel a request; the work behind it stops because every handler of ours is a task that owns its work."""
        future = self._request_futures.get(msg_id)
        if future is not None:
            future.cancel()

    # -- life cycle ------------------------------------------------------------------------------------------------
    @lsp_method(types.INITIALIZE)
    def lsp_initialize(  # type: ignore[override]  # no user handler: a plain function will do
        self, params: types.InitializeParams
    ) -> types.InitializeResult:
        """Agree on what both sides can do."""
        self._initialized = True
        self.client_capabilities = params.capabilities
        encoding = ServerCapabilitiesBuilder.choose_position_encoding(params.capabilities)
        self._workspace = Workspace(params.root_uri, workspace_folders=params.workspace_folders or [])
        self._server.begin(params, str(getattr(encoding, "value", encoding)))
        self.server_capabilities = self._server.capabilities(encoding)
        return types.InitializeResult(capabilities=self.server_capabilities, server_info=self.server_info)

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *args: Any) -> None:  # type: ignore[override]
        """Stop all work; nothing but `exit` is taken after this."""
        self._shutdown = True
        own = self.msg_id
        for msg_id, future in list(self._request_futures.items()):  # cancelling removes entries
            if msg_id != own:
                future.cancel()
        self._server.stop_work()

    @lsp_method(types.EXIT)
    def lsp_exit(self, *args: Any) -> None:  # type: ignore[override]
        """End the process: code 0 after `shutdown`, 1 without."""
        self._server.end(0 if self._shutdown else 1)

    # -- documents -------------------------------------------------------------------------------------------------
    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """A document is now the client's."""
        item = params.text_document
        self._server.documents.open(item.uri, item.version, item.text)
        self._server.readiness.touch()

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Apply the changes in order."""
        document = params.text_document
        self._server.documents.change(document.uri, document.version, params.content_changes)
        self._server.readiness.touch()

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """The document's truth is on disk again: forget ours, and take its diagnostics away."""
        self._server.close_document(params.text_document.uri)

    # -- commands and progress -------------------------------------------------------------------------------------
    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(  # type: ignore[override]
        self, params: types.ExecuteCommandParams
    ) -> Any:
        """Run one of the commands. A task, so that cancelling it is answered."""
        return await self._server.execute_command(params.command, list(params.arguments or []))

    @lsp_method(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def lsp_work_done_progress_cancel(self, params: types.WorkDoneProgressCancelParams) -> None:
        """The person pressed cancel beside a progress line."""
        self._server.lines.cancel(params.token)


def clamp_positions(data: dict[str, Any]) -> dict[str, Any]:
    """A didChange whose numbers are within the protocol's range.

    A notification cannot be refused, and an edit that is dropped leaves the text wrong for good: a line or column that
    is too large means the end, a negative one the start.
    """
    params = data.get("params")
    changes = params.get("contentChanges") if isinstance(params, dict) else None
    for change in changes if isinstance(changes, list) else []:
        span = change.get("range") if isinstance(change, dict) else None
        for end in span.values() if isinstance(span, dict) else []:
            if isinstance(end, dict):
                end.update({k: min(max(v, 0), MAX_UINTEGER) for k, v in end.items() if isinstance(v, int)})
        if isinstance(change, dict):
            change.pop("rangeLength", None)  # deprecated, unused, and refused by the types when it is out of range
    return data


def _what_is_wrong(error: BaseException) -> str:
    """The innermost reasons of an error of cattrs, in one line."""
    pending: list[BaseException] = [error]
    reasons = []
    while pending:
        current = pending.pop()
        inner = getattr(current, "exceptions", None)
        if inner:
            pending.extend(inner)
        elif isinstance(current, KeyError):
            reasons.append(f"missing {current.args[0]!r}")
        else:
            reasons.append(str(current) or type(current).__name__)
    return "invalid params: " + "; ".join(sorted(set(reasons)))
