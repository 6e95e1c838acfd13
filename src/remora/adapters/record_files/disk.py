"""Durable file operations: publish once, never overwrite, translate what the system refuses."""

import errno
import fcntl
import os
import secrets
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from remora.core import policy
from remora.core.errors import Corrupt, RemoraError, Unavailable

TEMPORARY_PREFIX = ".tmp-"
PRIVATE_FOLDER, PRIVATE, TRACKED = 0o700, 0o600, 0o644
"""Modes: records may be private, so that only their owner reads them; what git tracks is as git would write it."""
_ADVICE = {
    errno.ENOSPC: "free some space and try again",
    errno.EDQUOT: "free some space or raise the quota and try again",
    errno.EROFS: "the file system is read-only",
    errno.EACCES: "check the permissions of the folder",
    errno.EPERM: "check the permissions of the folder, and that the file system knows hard links",
}
_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})
_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP})


def translated(error: OSError, path: Path) -> RemoraError:
    """The system's refusal as our error, naming the path."""
    reason = os.strerror(error.errno) if error.errno else str(error)
    advice = _ADVICE.get(error.errno or 0, "")
    return Unavailable(f"{path}: {reason}", advice=advice)


class Disk:
    """The file operations of the log. Tests put one that fails in its place."""

    def write(self, descriptor: int, data: bytes) -> None:
        """Write all of `data`."""
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]

    def sync(self, descriptor: int) -> None:
        """Make what was written durable."""
        os.fsync(descriptor)

    def link(self, temporary: Path, target: Path) -> None:
        """Give the finished file its name; fails when the name is taken."""
        os.link(temporary, target, follow_symlinks=False)

    def unlink(self, path: Path) -> None:
        """Remove one name."""
        path.unlink()

    def publish(self, target: Path, chunks: Iterable[bytes], *, mode: int = PRIVATE) -> bool:
        """Write a new file durably under a name that is free; False when the name is taken. Never overwrites."""
        temporary = target.parent / f"{TEMPORARY_PREFIX}{os.getpid()}-{secrets.token_hex(8)}"
        try:
            try:
                self._fill(temporary, chunks, mode)
                self.link(temporary, target)
            except FileExistsError:
                return False
            finally:
                with suppress(OSError):
                    self.unlink(temporary)
            self.sync_folder(target.parent)
        except OSError as error:
            raise translated(error, target) from error
        return True

    def _fill(self, temporary: Path, chunks: Iterable[bytes], mode: int) -> None:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        try:
            for chunk in chunks:
                self.write(descriptor, chunk)
            self.sync(descriptor)
        finally:
            os.close(descriptor)

    def sync_folder(self, folder: Path) -> None:
        """Make the folder's names durable."""
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            self.sync(descriptor)
        finally:
            os.close(descriptor)

    def make_folder(self, folder: Path, mode: int = 0o777) -> None:
        """Make the folder with this mode and those above it, durably; nothing happens when it exists."""
        try:
            if not folder.is_dir():
                self.make_folder(folder.parent)
                folder.mkdir(mode, exist_ok=True)
                self.sync_folder(folder.parent)
        except OSError as error:
            raise translated(error, folder) from error

    def remove(self, path: Path) -> None:
        """Remove one name; nothing happens when it is gone already."""
        try:
            self.unlink(path)
        except FileNotFoundError:
            return
        except OSError as error:
            raise translated(error, path) from error


def read_regular(path: Path, limit_bytes: int) -> bytes:
    """The bytes of a regular file that is no link.

    Raises FileNotFoundError when it is gone, `Corrupt` when this one file cannot be read, `Unavailable` when none can.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            return _read_open(descriptor, limit_bytes)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise Corrupt("not a regular file") from error
        if error.errno in _EXHAUSTED:
            raise translated(error, path) from error
        raise Corrupt(os.strerror(error.errno) if error.errno else "cannot be read") from error


def _read_open(descriptor: int, limit_bytes: int) -> bytes:
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        raise Corrupt("not a regular file")
    if found.st_size > limit_bytes:
        raise Corrupt(f"larger than {limit_bytes} bytes")
    chunks: list[bytes] = []
    while chunk := os.read(descriptor, max(found.st_size + 1, 4096)):
        chunks.append(chunk)
    return b"".join(chunks)


@contextmanager
def locked(path: Path, *, shared: bool) -> Iterator[None]:
    """Hold the lock file: many appenders together (`shared`), or one bulk writer alone.

    The kernel drops the lock of a killed process. File systems without locks go without.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE)
    except OSError as error:
        raise translated(error, path) from error
    try:
        _acquire(descriptor, path, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _acquire(descriptor: int, path: Path, mode: int) -> None:
    deadline = time.monotonic() + policy.BUSY_TIMEOUT_SECONDS
    pause = 0.001
    while True:
        try:
            fcntl.flock(descriptor, mode | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise Unavailable(f"{path}: another process holds the record log", advice="try again later") from None
            time.sleep(pause)
            pause = min(pause * 2, 0.05)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise translated(error, path) from error
            return
        else:
            return
