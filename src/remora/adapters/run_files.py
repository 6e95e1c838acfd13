"""The file by which a running server is found: private, whole before it has its name, gone when the server ends."""

import contextlib
import os
import secrets
from pathlib import Path

from remora.core.errors import Unavailable


class RunFiles:
    """Run files of one server process. Only those that still hold what this process wrote are removed."""

    def __init__(self) -> None:
        self._written: dict[Path, bytes] = {}

    def write(self, path: Path, data: bytes) -> None:
        """Put a file of mode 0600 at the path; a link there is replaced, not followed. Raises `Unavailable`."""
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(data)
                temporary.replace(path)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
        except OSError as error:
            raise Unavailable(f"the run file {path} cannot be written: {error.strerror}") from error
        self._written[path] = data

    def remove(self) -> None:
        """Take back what was written."""
        for path, data in self._written.items():
            with contextlib.suppress(OSError):
                if path.read_bytes() == data:
                    path.unlink()
        self._written.clear()
