"""The code graph's file: one SQLite database per checkout, changed so that readers see whole builds only."""

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw

from remora.adapters.code_graph_file.connection import connect, disk, translated
from remora.adapters.code_graph_file.reader import CodeGraphReader
from remora.adapters.code_graph_file.writer import LAYOUT, FreshGraph, write_update
from remora.core import policy
from remora.core.codegraph.snapshot import FileStamp, GraphUpdate
from remora.core.errors import Corrupt, NotFound, Unavailable


class CodeGraphFile:
    """`graph.sqlite3` in a checkout's cache folder. Builders take a lock; readers never wait for a build."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.path = folder / "graph.sqlite3"

    @contextmanager
    def building(self) -> Iterator[None]:
        """Hold the builders' lock; a second builder waits, then finds the first one's work."""
        with disk():
            self._folder.mkdir(0o700, parents=True, exist_ok=True)
            (self._folder / "graph.lock").touch(0o600)
            file = (self._folder / "graph.lock").open("a+b")
        with file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    @contextmanager
    def read(self) -> Iterator[CodeGraphReader]:
        """A consistent view; raises `NotFound` when there is no graph of this layout yet."""
        if not self.path.exists():
            raise NotFound("this checkout has no code graph yet", advice="run `remora index`")
        connection = connect(self.path, apsw.SQLITE_OPEN_READWRITE)
        try:
            with translated(), connection:
                reader = CodeGraphReader(connection)
                if reader.meta().get("layout") != LAYOUT:
                    raise NotFound("the code graph has another layout", advice="run `remora index`")
                yield reader
        finally:
            connection.close()

    @contextmanager
    def replacing(self) -> Iterator[FreshGraph]:
        """A graph to fill, which takes the old one's place in the end. The builders' lock must be held."""
        fresh = self._folder / "graph.sqlite3.new"
        try:
            with disk():
                for stale in (fresh, Path(f"{fresh}-journal")):
                    stale.unlink(missing_ok=True)
                fresh.touch(0o600)
            with self._filling(fresh) as graph:
                yield graph
            with disk():
                with fresh.open("rb") as file:
                    os.fsync(file.fileno())
                self._settle_journal()
                fresh.replace(self.path)
        except BaseException:
            with suppress(OSError):  # a full disk needs the room back
                fresh.unlink(missing_ok=True)
            raise

    @contextmanager
    def _filling(self, fresh: Path) -> Iterator[FreshGraph]:
        connection = connect(fresh, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
        try:
            with translated():
                connection.execute("PRAGMA page_size=8192; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF")
                graph = FreshGraph(connection)
                yield graph
                graph.finish()
        finally:
            connection.close()

    def _settle_journal(self) -> None:
        """A journal left by a killed builder belongs to the old file and must not be played into the new one."""
        if not Path(f"{self.path}-journal").exists():
            return
        try:
            connection = connect(self.path, apsw.SQLITE_OPEN_READWRITE)
            try:
                connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
            finally:
                connection.close()
        except (apsw.Error, Corrupt, Unavailable):
            self.path.unlink(missing_ok=True)
        Path(f"{self.path}-journal").unlink(missing_ok=True)

    def update(self, update: GraphUpdate) -> None:
        """Apply one incremental build in one transaction. The builders' lock must be held."""
        connection = connect(self.path, apsw.SQLITE_OPEN_READWRITE)
        try:
            with translated():
                connection.execute("PRAGMA synchronous=NORMAL")
                write_update(connection, update)
        finally:
            connection.close()

    def stamps(self) -> dict[str, tuple[FileStamp, str]]:
        """Path -> stamp and digest at the last build; only a hint, safe to lose. Racy stamps are left out."""
        path = self._folder / "graph.stamps"
        try:
            written = path.stat().st_mtime_ns
            rows = path.read_text(encoding="utf-8", errors="surrogateescape").split("\0")
        except OSError:
            return {}
        found = {}
        for row in rows:
            parts = row.split("\1")
            if len(parts) != 6 or not all(part.isdigit() for part in parts[1:5]):
                continue
            stamp = FileStamp(*map(int, parts[1:5]))
            if max(stamp.mtime_ns, stamp.ctime_ns) + policy.RACY_NANOSECONDS < written:
                found[parts[0]] = (stamp, parts[5])
        return found

    def write_stamps(self, stamps: Iterable[tuple[str, FileStamp, str]]) -> None:
        """Remember the stamps of a build, where the disk lets us."""
        text = "\0".join("\1".join((path, *map(str, stamp), digest)) for path, stamp, digest in stamps)
        fresh = self._folder / "graph.stamps.new"
        with suppress(OSError):
            fresh.touch(0o600)
            fresh.write_text(text, encoding="utf-8", errors="surrogateescape")
            fresh.replace(self._folder / "graph.stamps")
