"""The `uir` command. One file a subcommand; each imports what it needs when it runs, so that all start quickly."""

from uopc.cli.main import main

__all__ = ["main"]
