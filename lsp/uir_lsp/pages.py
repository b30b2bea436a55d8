"""Where the pages of documentation are that are installed with the server, for a client to open."""

from __future__ import annotations

import json
from functools import cache
from urllib.parse import quote

from uopc.documentation import page

SHOW_DOCUMENTATION = "uir.showDocumentation"  # a command of the client: (file of the page, heading in it)


@cache
def link(name: str, heading: str, command_links: bool) -> str | None:
    """A URI that opens a page at a heading; None when the page is not installed.

    It is a file: URI with the heading as its fragment. For a client that has commands it is a link to the one that
    shows the page rendered: an editor opens what a file: URI names as text.
    """
    file = page(name)
    if file is None:
        return None
    if command_links:
        return f"command:{SHOW_DOCUMENTATION}?{quote(json.dumps([str(file), heading]), safe='')}"
    return f"{file.as_uri()}#{heading}"
