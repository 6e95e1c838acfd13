"""Vendor errors translated at the edge; nothing of apsw leaves this folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from remora.core.errors import Corrupt, LimitReached, RemoraError, Unavailable

_DAMAGED = (apsw.CorruptError, apsw.NotADBError, apsw.FormatError, apsw.SQLError, apsw.ConstraintError)
_DISK = (apsw.FullError, apsw.IOError, apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError, apsw.AuthError)
_BUSY = (apsw.BusyError, apsw.LockedError, apsw.ProtocolError, apsw.SchemaChangeError)

DAMAGED_ADVICE = "run `remora doctor`; restore the file from a backup or move it away to start clean"
DISK_ADVICE = "check free space, permissions and the disk, then try again"
_BUSY_ADVICE = "another process holds the store; try again, or see `remora doctor`"


def translate(error: apsw.Error, path: Path) -> RemoraError:
    """The error of our tree that says what happened to the file at `path`."""
    if isinstance(error, _BUSY):
        return Unavailable(f"the store {path} is busy: {error}", advice=_BUSY_ADVICE)
    if isinstance(error, _DAMAGED):
        return Corrupt(f"the store {path} is damaged: {error}", advice=DAMAGED_ADVICE)
    if isinstance(error, apsw.TooBigError):
        return LimitReached(f"a value is too big for the store {path}: {error}")
    if isinstance(error, _DISK):
        return Unavailable(f"the store {path} cannot be used: {error}", advice=DISK_ADVICE)
    return Unavailable(f"the store {path} failed: {error}", advice=DISK_ADVICE)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Run a block whose apsw errors become ours, naming the path."""
    try:
        yield
    except apsw.Error as error:
        raise translate(error, path) from error


@contextmanager
def file_access(path: Path) -> Iterator[None]:
    """Run a block of our own file calls, whose errors become ours. Never around a caller's code."""
    try:
        yield
    except OSError as error:
        raise Unavailable(f"{path} cannot be used: {error.strerror or error}", advice=DISK_ADVICE) from error
