"""The file by which a running server is found: private, whole before it has its name, gone when the server ends."""

import contextlib
import os
import secrets
import stat
from pathlib import Path

from remora.core.clients.hook_trail import run_process
from remora.core.errors import Unavailable

_RUN_FILE_MAX_BYTES = 64 << 10


class RunFiles:
    """Run files of one server process. Only those that still hold what this process wrote are removed."""

    def __init__(self) -> None:
        self._written: dict[Path, bytes] = {}
        self._former: dict[Path, bytes] = {}

    def write(self, path: Path, data: bytes) -> None:
        """Put a file of mode 0600 at the path; a link there is replaced, not followed. Raises `Unavailable`."""
        former = _of_a_live_server(path)
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _put(path, data)
        except OSError as error:
            raise Unavailable(f"the run file {path} cannot be written: {error.strerror}") from error
        self._written[path] = data
        if former:
            self._former[path] = former

    def remove(self) -> None:
        """Take back what was written. The newest server is the one found; an older one that still runs is again."""
        for path, data in self._written.items():
            former = self._former.get(path, b"")
            with contextlib.suppress(OSError):
                if path.read_bytes() != data:
                    continue
                if former and _runs(run_process(former)):
                    _put(path, former)
                else:
                    path.unlink()
        self._written.clear()
        self._former.clear()


def _put(path: Path, data: bytes) -> None:
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _of_a_live_server(path: Path) -> bytes:
    """What another live server wrote there, b"" when none did. A file that others may write is nobody's word."""
    if os.name != "posix":  # without a way to ask whether a process lives, nothing is handed back
        return b""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(file.fileno())
            private = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077
            content = file.read(_RUN_FILE_MAX_BYTES) if private else b""
    except OSError:
        return b""
    return content if _runs(run_process(content)) else b""


def _runs(process: int) -> bool:
    if process in {0, os.getpid()}:
        return False
    try:
        os.kill(process, 0)
    except OSError:
        return False
    return True
