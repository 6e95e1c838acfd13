"""The repositories of one server: found by id or by home, opened when first asked for."""

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from remora.core.directory.values import KnownRepository
from remora.core.errors import NotFound
from remora.core.scope import Grant, Right
from remora.ports import Ports

Rows = Callable[[], Sequence[KnownRepository]]


class Repositories:
    """`rows` tells which repositories are known; it is asked again for an id or a home that is not."""

    def __init__(self, rows: Rows, open_ports: Callable[[Path], Ports]) -> None:
        self._rows = rows
        self._open = open_ports
        self._known: Mapping[str, KnownRepository] = {}
        self._opened: dict[str, Ports] = {}
        self._turn = threading.Lock()

    def enter(self, repository_id: str, grant: Grant) -> Ports:
        """The ports of a repository that the grant may read. Unknown and unauthorised ones look alike."""
        row = self._row(repository_id)
        if row is None or grant.right(row.identity) < Right.READ:
            raise NotFound("no repository with this id is served to you", advice="check the id and the key")
        return self._ports(row)

    def at_home(self, home: str, grant: Grant) -> Ports:
        """The ports of the repository that keeps its memory in this folder; raises like `enter`."""
        row = next((row for row in self._fresh(lambda row: row.home == home) if row.home == home), None)
        return self.enter(row.id if row else "", grant)

    def visible(self, grant: Grant) -> list[KnownRepository]:
        """What the grant may read, by id."""
        return sorted((row for row in self._rows() if grant.right(row.identity) >= Right.READ), key=lambda row: row.id)

    def opened(self) -> list[Ports]:
        """Those that are open now."""
        with self._turn:
            return list(self._opened.values())

    def close(self) -> None:
        """Release what was opened."""
        with self._turn:
            for ports in self._opened.values():
                ports.jobs.close()
                ports.store_admin.close()
                ports.record_index.close()
            self._opened.clear()

    def _row(self, repository_id: str) -> KnownRepository | None:
        return self._known.get(repository_id) or next(
            (row for row in self._fresh(lambda row: row.id == repository_id) if row.id == repository_id), None
        )

    def _fresh(self, wanted: Callable[[KnownRepository], bool]) -> list[KnownRepository]:
        if not any(map(wanted, self._known.values())):
            self._known = {row.id: row for row in self._rows()}
        return list(self._known.values())

    def _ports(self, row: KnownRepository) -> Ports:
        with self._turn:
            if row.id not in self._opened:
                ports = self._open(Path(row.root))
                if ports.repository.id != row.id:
                    raise NotFound(
                        "the repository's folder holds another repository now", advice="start the server again there"
                    )
                self._opened[row.id] = ports
            return self._opened[row.id]
