"""Files that a person named: read up to a limit, replaced whole or not at all, or grown by whole lines."""

import os
import secrets
import sys
from pathlib import Path

from remora.core.errors import InvalidInput


def read_limited(path: Path, most_bytes: int, option: str) -> bytes:
    """The bytes of a file, or of standard input for `-`. Raises `InvalidInput` naming the option."""
    try:
        if str(path) == "-":
            data = sys.stdin.buffer.read(most_bytes + 1)
        else:
            with path.open("rb") as opened:
                data = opened.read(most_bytes + 1)
    except OSError as error:
        raise InvalidInput(option, f"{str(path)!r} cannot be read: {error.strerror}") from error
    if len(data) > most_bytes:
        raise InvalidInput(option, f"{str(path)!r} is too large", allowed=f"at most {most_bytes} bytes")
    return data


def append_line(path: Path, line: str, option: str) -> None:
    """Add one line in one write, to a file that only its owner reads."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, line.encode("utf-8", "replace") + b"\n")
        finally:
            os.close(descriptor)
    except OSError as error:
        raise InvalidInput(option, f"{str(path)!r} cannot be written: {error.strerror}") from error


def write_whole(path: Path, data: bytes, option: str) -> None:
    """Put the bytes in the file's place in one step; a failure leaves what was there."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        try:
            with temporary.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise InvalidInput(option, f"{str(path)!r} cannot be written: {error.strerror}") from error
