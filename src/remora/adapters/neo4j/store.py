"""`Store` and `StoreAdmin` of one repository in a database that many repositories share."""

import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from remora.adapters.neo4j import care, schema
from remora.adapters.neo4j.address import Address
from remora.adapters.neo4j.change_writer import ChangeWriter
from remora.adapters.neo4j.link import Fetch, Link
from remora.adapters.neo4j.memo import Memo
from remora.adapters.neo4j.view import STATE, ServerView
from remora.core.errors import Conflict, Corrupt, InvalidInput, Unavailable
from remora.core.graph import Applied, Changes
from remora.core.ids import digest
from remora.core.item_codec import decode_json, encode_json
from remora.core.policy import SERVER_COLLECT_WRITES, SERVER_GRACE_SECONDS, SERVER_VIEW_SECONDS
from remora.core.scope import Grant, Right
from remora.core.store_rules import right_to_drop_scope, storable

if TYPE_CHECKING:  # only for annotations: the hallway knows every family
    from remora.ports import Clock, Decide, Repository

T = TypeVar("T")
CopyTo = Callable[["ServerStore", Path], None]
"""Writes a copy of the store to a new file."""
REGISTER = """
MERGE (r:RemoraRepository {id: $repo})
ON CREATE SET r.identity = $identity, r.seq = 0, r.time = 0, r.next_key = 1, r.next_part = 1, r.horizon = 0, r.turn = ''
RETURN r.identity
"""
LOCK = "MATCH (r:RemoraRepository {id: $repo}) SET r.turn = $turn"
HEAD = """
MATCH (r:RemoraRepository {id: $repo})
OPTIONAL MATCH (y:RemoraReply {repo: $repo, key: $key})
OPTIONAL MATCH (w:RemoraWrite {repo: $repo, seq: $tried})
RETURN r.seq, r.time, r.next_key, r.next_part, y.turn, y.seq, y.result, w.turn
"""
ADVANCE = """
MATCH (r:RemoraRepository {id: $repo}) SET r.seq = $seq, r.time = $time, r.next_key = $key, r.next_part = $part
"""
NOTE_WRITE = "CREATE (:RemoraWrite {repo: $repo, seq: $seq, turn: $turn, at: timestamp()})"
NOTE_REPLY = "CREATE (:RemoraReply {repo: $repo, key: $key, seq: $seq, turn: $turn, result: $result})"
IDS_IN = (
    "UNWIND $places AS place MATCH (i:RemoraItem) WHERE i.place = place AND i.id > '' AND i.died = $live RETURN i.id"
)
LEASE = "MATCH (l:RemoraLease {repo: $repo, name: $name}) RETURN l.holder, l.until"
TAKE = "MERGE (l:RemoraLease {repo: $repo, name: $name}) SET l.holder = $holder, l.until = $until"
_NOT_TRIED = -1


def open_store(
    link: Link,
    repository: "Repository",
    clock: "Clock",
    *,
    copy_to: CopyTo | None = None,
) -> "ServerStore":
    """The partition of one repository, made when it is new; the database's layout is brought up to date first.

    `copy_to` writes backups. Raises `Conflict` for a partition of another repository; see `schema.migrate` for more.
    """
    store = ServerStore(link, repository, clock, copy_to)
    store.migrate()
    return store


class _Attempt:
    """One call of `apply` over all runs of its transaction: what a former run tried to commit."""

    def __init__(self) -> None:
        self.turn = secrets.token_hex(12)
        self.tried = _NOT_TRIED
        self.dropped = False
        self.outcome = Applied(0, None)


class ServerStore:
    """One repository's partition."""

    def __init__(
        self,
        link: Link,
        repository: "Repository",
        clock: "Clock",
        copy_to: CopyTo | None = None,
        *,
        view_seconds: float = SERVER_VIEW_SECONDS,
        grace_seconds: float = SERVER_GRACE_SECONDS,
    ) -> None:
        """A read lasts at most `view_seconds`; former versions are kept `grace_seconds`, which is well above."""
        self._link = link
        self._repository = repository
        self._clock = clock
        self._copy_to = copy_to
        self._view_seconds = view_seconds
        self._grace_seconds = grace_seconds
        self._writer = threading.Lock()  # threads of one process queue here instead of each holding a connection
        self._writing_thread = 0
        self._last_time = 0
        self._collect_at = 0.0
        self._damaged: set[int] = set()
        self._memo = Memo()

    @property
    def address(self) -> Address:
        """The database it lies in."""
        return self._link.address

    # --- Store --------------------------------------------------------------------------------------------------------

    @contextmanager
    def read(self, grant: Grant) -> Iterator[ServerView]:
        """A consistent view; raises `Denied` unless the grant may read the repository."""
        grant.require(self._repository.identity, Right.READ)
        self._collect_when_due()
        with self._link.reads() as fetch:
            seq, moment = self._state(fetch(STATE, {"repo": self._repository.id}))
            yield ServerView(
                fetch, self._repository.id, seq, moment, self._damaged, memo=self._memo, seconds=self._view_seconds
            )

    def _state(self, rows: list[list[Any]]) -> list[Any]:
        if not rows:
            raise Corrupt(f"{self._link.address} has lost the repository {self._repository.id}")
        return rows[0]

    def apply(self, grant: Grant, decide: "Decide", *, idempotency_key: str = "") -> Applied:
        """Run `decide` and apply its changes in one serialised, durable transaction; see `Store`."""
        grant.require(self._repository.identity, Right.READ)
        key = _reply_key(grant, idempotency_key) if idempotency_key else ""
        attempt = _Attempt()
        done = self._write(lambda fetch: self._applied(fetch, grant, decide, key, attempt))
        if attempt.dropped:
            self._memo.forget()
        return done

    def _applied(self, fetch: Fetch, grant: Grant, decide: "Decide", key: str, attempt: _Attempt) -> Applied:
        repo = self._repository.id
        head = self._locked(fetch, key, attempt)
        seq, moment, next_key, next_part, reply_turn, reply_seq, reply, written_by = head
        if written_by == attempt.turn or (reply_turn is not None and reply_turn == attempt.turn):
            return attempt.outcome  # the former run was committed after all
        if reply_turn is not None:
            return Applied(reply_seq, None if reply is None else _kept(reply), replayed=True)
        view = ServerView(fetch, repo, seq, moment, self._damaged, memo=self._memo)
        moment = self._last_time = max(self._clock.now(), moment + 1, self._last_time + 1)
        changes = decide(view, moment)
        seq += not changes.empty
        writer = ChangeWriter(fetch, view, repo, seq, (next_key, next_part))
        if not changes.empty:
            writer.write(grant, self._repository.identity, changes)
            attempt.tried, attempt.dropped = seq, bool(changes.drop)
            fetch(NOTE_WRITE, {"repo": repo, "seq": seq, "turn": attempt.turn})
        if key:
            self._keep_reply(fetch, writer, key, seq, changes, attempt)
        self._advance(fetch, writer, seq, moment)
        attempt.outcome = Applied(seq, changes.result)
        return attempt.outcome

    def _locked(self, fetch: Fetch, key: str, attempt: _Attempt) -> list[Any]:
        """Take the repository's turn; what is read after it stands still until the end of the transaction."""
        repo = self._repository.id
        fetch(LOCK, {"repo": repo, "turn": attempt.turn})
        return self._state(fetch(HEAD, {"repo": repo, "key": key, "tried": attempt.tried}))

    def _keep_reply(
        self, fetch: Fetch, writer: ChangeWriter, key: str, seq: int, changes: Changes, attempt: _Attempt
    ) -> None:
        result = encode_json(changes.result, "result", "changes")
        bound = {"repo": self._repository.id, "key": key, "seq": seq, "turn": attempt.turn, "result": result}
        fetch(NOTE_REPLY, bound)
        writer.keep_about(key, (item.id for item in changes.put))

    def _advance(self, fetch: Fetch, writer: ChangeWriter, seq: int, moment: int) -> None:
        bound = {"repo": self._repository.id, "seq": seq, "time": moment}
        fetch(ADVANCE, bound | {"key": writer.next_key, "part": writer.next_part})
        if seq % SERVER_COLLECT_WRITES == 0:
            care.collect(fetch, self._repository.id, self._grace_seconds)

    def _write(self, work: Callable[[Fetch], T]) -> T:
        if self._writing_thread == threading.get_ident():
            raise RuntimeError("a write was started inside the decision of another write")
        if not self._writer.acquire(timeout=self._link.deadline_seconds):
            raise Unavailable(f"{self._link.address} is busy: another thread writes", advice="try again")
        self._writing_thread = threading.get_ident()
        try:
            done = self._link.write(work)
        finally:
            self._writing_thread = 0
            self._writer.release()
        self._collect_at = self._collect_at or time.monotonic() + self._grace_seconds * 1.25
        return done

    def drop_scope(self, grant: Grant, scope: str) -> int:
        """Remove every item of one scope with its tokens and vectors, for open reads too; returns how many items."""
        grant.require(self._repository.identity, right_to_drop_scope(scope))
        attempt = _Attempt()
        count = 0

        def work(fetch: Fetch) -> int:
            nonlocal count
            seq, moment, next_key, next_part, *_, written_by = self._locked(fetch, "", attempt)
            if written_by == attempt.turn:
                return count
            view = ServerView(fetch, self._repository.id, seq, moment, self._damaged, memo=self._memo)
            places = [part.place for part in view.parts((scope,))]
            ids = [row[0] for row in fetch(IDS_IN, {"places": places, "live": schema.LIVE})] if places else []
            count = len(ids)
            if ids:
                writer = ChangeWriter(fetch, view, self._repository.id, seq + 1, (next_key, next_part))
                dropped = writer.drop_ids(grant, self._repository.identity, ids)
                care.erase(fetch, self._repository.id, dropped, places)
                fetch(NOTE_WRITE, {"repo": self._repository.id, "seq": seq + 1, "turn": attempt.turn})
                attempt.tried = seq + 1
                self._advance(fetch, writer, seq + 1, moment)
            return count

        done = self._write(work)
        self._memo.forget()
        return done

    def lease(self, name: str, holder: str, seconds: int) -> bool:
        """Take or renew a named lease; False when another holder has it and it has not run out."""
        if not storable(name + holder):
            raise InvalidInput("lease", "name or holder holds a NUL or a lone surrogate")
        now = self._clock.now()
        bound = {"repo": self._repository.id, "name": name, "holder": holder, "until": now + seconds * 1_000_000}

        def work(fetch: Fetch) -> bool:
            self._locked(fetch, "", _Attempt())
            held = fetch(LEASE, bound)
            if held and held[0][0] != holder and held[0][1] > now:
                return False
            fetch(TAKE, bound)
            return True

        return self._write(work)

    # --- StoreAdmin ---------------------------------------------------------------------------------------------------

    def migrate(self) -> int:
        """Bring the layout up to date; returns its version. A newer layout than ours is an error."""
        layout = self._link.layout = self._link.layout or schema.migrate(self._link)
        bound = {"repo": self._repository.id, "identity": self._repository.identity}
        owner = self._link.once(REGISTER, bound, read=False)[0][0]
        if owner not in (self._repository.identity, *self._repository.aliases):
            message = f"{self._repository.id} in {self._link.address} belongs to {owner!r}"
            raise Conflict(f"{message}, not to {self._repository.identity!r}")
        self._collect_at = self._collect_at or time.monotonic()
        return layout

    def _collect_when_due(self) -> None:
        """Clear away what only reads that ended long ago could see."""
        if self._collect_at and time.monotonic() >= self._collect_at and self._writing_thread == 0:
            self._collect_at = 0.0
            self._link.write(lambda fetch: care.collect(fetch, self._repository.id, self._grace_seconds))

    def health(self) -> Mapping[str, str | int | bool]:
        """Engine, versions, layout, constraints, sizes, warnings; for `doctor`."""
        return care.health(self._link, self._repository.id) | {"damaged_items_met": len(self._damaged)}

    def verify(self) -> tuple[str, ...]:
        """Names everything that is bad; empty when all is well."""
        with self._link.reads() as fetch:
            seq, moment = self._state(fetch(STATE, {"repo": self._repository.id}))
            view = ServerView(fetch, self._repository.id, seq, moment, set(), seconds=self._view_seconds)
            return (*schema.faults(self._link), *care.verify(fetch, view, self._repository.id))

    def backup(self, target: Path) -> None:
        """A consistent copy while others write. Refuses to overwrite."""
        if target.exists():
            raise Conflict(f"{target} exists; a backup never overwrites", advice="choose a new file name")
        if self._copy_to is None:
            raise Unavailable("this store was opened without a place for backups")
        self._copy_to(self, target)

    def scrub(self) -> None:
        """Remove all former versions now. Reads that are open at this moment may miss what was replaced meanwhile."""
        while self._link.write(lambda fetch: care.scrub(fetch, self._repository.id)):
            pass

    def close(self) -> None:
        """Nothing to release: the connections belong to the link, which other repositories share."""


def _kept(result: str) -> Any:
    try:
        return decode_json(result)
    except (ValueError, TypeError) as error:
        raise Corrupt("a kept result is not what was written") from error


def _reply_key(grant: Grant, key: str) -> str:
    """Keys are per principal: nobody is answered with another's result."""
    text = f"{len(grant.principal)}:{grant.principal}{key}"
    return digest(text.encode("utf-8", "surrogatepass"))
