"""Reading a program's file: text or a sentence about why not."""

from __future__ import annotations

from pathlib import Path

from uopc.runtime.errors import RunError

MAX_BYTES = 32 << 20  # a program of 100,000 operations is a tenth of it


class SourceError(RunError):
    """The file is not one that can hold a program. status: 2 when there is no file to read, 1 when it holds no text."""

    def __init__(self, message: str, status: int = 2) -> None:
        super().__init__(message)
        self.status = status


def read_program(path: Path) -> str:
    """The text of a `.uir` file with its line ends as they are. Raises SourceError."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise SourceError("there is no such file") from None
    except IsADirectoryError:
        raise SourceError("this is a folder, not a file") from None
    except PermissionError:
        raise SourceError("this is a folder" if path.is_dir() else "this file may not be read") from None
    except (OSError, ValueError) as error:
        raise SourceError(f"it cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > MAX_BYTES:
        raise SourceError(f"it is larger than {MAX_BYTES >> 20} MB, which no program is", 1)
    return decode(data)


def decode(data: bytes) -> str:
    """Bytes as the text of a program. Raises SourceError for what is not UTF-8 text."""
    if b"\0" in data:
        raise SourceError(f"this is not a text: byte {data.index(0):,} is zero", 1)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SourceError(f"this is not UTF-8: line {line:,} has the byte 0x{data[error.start]:02x}", 1) from None
