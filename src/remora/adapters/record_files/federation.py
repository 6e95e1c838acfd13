"""Several logs read as one: the first is ours and takes the writes, the others are peers that are only read."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from remora.adapters.record_files.layout import layout_of
from remora.adapters.record_files.log import FileRecordLog
from remora.core.errors import Conflict, InvalidInput, NotFound, RemoraError, Unavailable
from remora.core.records.identity import same_content
from remora.core.records.log import (
    AppendOutcome,
    BadRecord,
    BulkAppended,
    Compacted,
    LogReport,
    LogUnit,
    Progress,
    UnitContent,
)
from remora.core.records.model import Record
from remora.core.scope import Grant
from remora.ports import RecordLog

_UNREADABLE = "unreadable"


def open_peer(store: Path) -> FileRecordLog:
    """The log of another store: a checkout, its `.remora` or `.synaptic` folder, or a memory folder. Never written."""
    found = layout_of(store)
    if found is None:
        raise InvalidInput("peer", f"{store} holds no records", allowed="a checkout, a .remora or a memory folder")
    return FileRecordLog(found)


class FederatedRecordLog:
    """Ours and the peers'. Equal records count once; what stores tell differently is withheld by the index, by id.

    A peer that cannot be read, or opened (None), is named as bad and stops nothing.
    """

    def __init__(self, own: RecordLog, peers: Sequence[tuple[str, RecordLog | None]]) -> None:
        self._own = own
        named = {f"peer {number} ({name})": peer for number, (name, peer) in enumerate(peers, start=1)}
        self._peers = {name: peer for name, peer in named.items() if peer is not None}
        self._closed = dict.fromkeys(named.keys() - self._peers, "the peer holds no records that can be read")

    def prepare(self, *, share: bool = False) -> Path | None:
        """Make our own log's place."""
        return self._own.prepare(share=share)

    def append(self, grant: Grant, record: Record) -> AppendOutcome:
        """Store in our own log."""
        return self._own.append(grant, record)

    def append_many(self, grant: Grant, records: Iterable[Record], progress: Progress | None = None) -> BulkAppended:
        """Store in our own log."""
        return self._own.append_many(grant, records, progress)

    def get(self, grant: Grant, record_id: str) -> Record:
        """From whichever store has it; raises `Conflict` naming the stores that tell it differently."""
        found: dict[str, Record] = {}
        for name, log in (("this store", self._own), *self._peers.items()):
            try:
                found[name] = log.get(grant, record_id)
            except (NotFound, Unavailable):
                continue
        if not found:
            raise NotFound(f"no record {record_id}")
        first, *others = found.values()
        if not all(same_content(first, other) for other in others):
            raise Conflict(f"{record_id} is told differently by {', '.join(found)}", advice="none of them is served")
        return first

    def present(self, record_ids: Collection[str]) -> frozenset[str]:
        """What our own log holds: what a peer captured is still ours to capture."""
        return self._own.present(record_ids)

    def units(self) -> tuple[LogUnit, ...]:
        """Our units, and the peers' under their names."""
        found = list(self._own.units())
        found += [LogUnit(f"{name}/{_UNREADABLE}", "", settled=False) for name in sorted(self._closed)]
        for name, peer in self._peers.items():
            try:
                found += [LogUnit(f"{name}/{unit.name}", unit.stamp, unit.settled) for unit in peer.units()]
            except RemoraError:
                found.append(LogUnit(f"{name}/{_UNREADABLE}", "", settled=False))
        return tuple(found)

    def read(self, names: Iterable[str]) -> Iterator[UnitContent]:
        """Content of our units and the peers'."""
        for name in names:
            owner = next((peer for peer in (*self._peers, *self._closed) if name.startswith(f"{peer}/")), "")
            if not owner:
                yield from self._own.read((name,))
                continue
            inner = name[len(owner) + 1 :]
            if inner == _UNREADABLE:
                problem = self._closed.get(owner, "the peer cannot be read now")
                yield UnitContent(name, "", bad=(BadRecord(name, problem),))
                continue
            for content in self._peers[owner].read((inner,)):
                bad = tuple(BadRecord(name, item.problem, item.record_id) for item in content.bad)
                yield UnitContent(name, content.digest, content.records, bad)

    def compact(self, progress: Progress | None = None) -> Compacted:
        """Compact our own log."""
        return self._own.compact(progress)

    def verify(self, progress: Progress | None = None) -> LogReport:
        """Check our own log."""
        return self._own.verify(progress)
