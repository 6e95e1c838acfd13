"""File names of any bytes as clean text and back; the stored form holds no lone surrogates."""

import re

from remora.core.policy import PATH_MAX_CHARS

_ESCAPED = re.compile(rb"\\x([0-9a-f]{2})")


def stored_path(raw: bytes) -> str:
    r"""The stored form of a name: itself when it is UTF-8; bytes that are not become `\xff`.

    A literal `\x` in a name becomes `\x5cx`, so `raw_path` gives back the very bytes.
    """
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("utf-8", "surrogateescape")
        pieces = (f"\\x{ord(char) - 0xDC00:02x}" if 0xDC80 <= ord(char) <= 0xDCFF else char for char in _doubled(text))
        return "".join(pieces)
    return _doubled(text)


def _doubled(text: str) -> str:
    return text.replace("\\x", "\\x5cx") if "\\x" in text else text


def raw_path(stored: str) -> bytes:
    """The bytes that `stored_path` was given."""
    data = stored.encode("utf-8", "surrogateescape")
    return _ESCAPED.sub(lambda match: bytes([int(match[1], 16)]), data) if b"\\x" in data else data


def is_inside(path: str) -> bool:
    """Whether a repository-relative path stays in the repository: no root, no drive, no `..`, no NUL, not endless."""
    if not path or len(path) > PATH_MAX_CHARS or path[0] == "/" or "\0" in path:
        return False
    return ".." not in path or ".." not in path.split("/")
