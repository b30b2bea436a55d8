"""Errors that are the answer to a request: what the client asked for makes no sense, or cannot be had."""

from __future__ import annotations

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
NOT_INITIALIZED, REQUEST_FAILED, CANCELLED = -32002, -32803, -32800


class Refusal(Exception):
    """A sentence for the person, and the protocol's number for programs."""

    def __init__(self, message: str, code: int = REQUEST_FAILED) -> None:
        super().__init__(message)
        self.message, self.code = message, code


class InvalidParams(Refusal):
    """The parameters are not those that the method has."""

    def __init__(self, message: str) -> None:
        super().__init__(message, INVALID_PARAMS)
