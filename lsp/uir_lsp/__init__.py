"""The language server for `.uir`: protocol in, protocol out; everything it says comes from `uopc`."""

__version__ = "0.1.0"
