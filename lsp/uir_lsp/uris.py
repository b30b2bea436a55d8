"""Paths of files and the URIs that stand for them, on each system's terms."""

from __future__ import annotations

import os
from urllib.parse import quote, unquote, urlsplit

_WINDOWS = os.name == "nt"


def path_of(uri: str, windows: bool = _WINDOWS) -> str | None:
    """The path of a `file:` URI; None for any other."""
    try:
        parts = urlsplit(uri)
    except ValueError:  # a host that is none
        return None
    if parts.scheme != "file":
        return None
    path = unquote(parts.path)
    if parts.netloc and parts.netloc != "localhost":
        path = f"//{unquote(parts.netloc)}{path}"
    if not windows:
        return path
    if path[1:2].isalpha() and path[2:3] == ":":  # /C:/folder
        path = path[1].lower() + path[2:]
    return path.replace("/", "\\")


def uri_of(path: str, windows: bool = _WINDOWS) -> str:
    """The `file:` URI of an absolute path."""
    if windows:
        path = path.replace("\\", "/")
        if path[1:2] == ":":
            path = path[0].lower() + path[1:]
    if path.startswith("//"):
        return "file:" + quote(path)
    return "file://" + quote(path if path.startswith("/") else f"/{path}", safe="/:")
