"""Opening the graph's file, and what its errors become."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from remora.core import policy
from remora.core.errors import Corrupt, Unavailable


def connect(path: Path, flags: int) -> apsw.Connection:
    """A connection that waits for others' locks."""
    with translated():
        connection = apsw.Connection(str(path), flags=flags)
        connection.set_busy_timeout(policy.BUSY_TIMEOUT_SECONDS * 1000)
        return connection


@contextmanager
def disk() -> Iterator[None]:
    """Run a block of file calls, whose errors become ours."""
    try:
        yield
    except OSError as error:
        raise Unavailable(
            f"the code graph cannot be written: {error.strerror or error}",
            advice="check free space and the permissions of .remora/cache",
        ) from error


@contextmanager
def translated() -> Iterator[None]:
    """Run a block of database calls, whose errors become ours."""
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise Corrupt(f"the code graph's file is damaged: {error}", advice="run `remora index --full`") from error
    except apsw.Error as error:
        raise Unavailable(
            f"the code graph's file: {error}", advice="try again, or run `remora index --full`"
        ) from error
