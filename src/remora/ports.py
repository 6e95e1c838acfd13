"""The hallway: narrow protocols between the use cases and the outside, and the one bag that carries them.

A `Ports` bag is bound to one repository. Adapters raise only errors of `core.errors`.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from remora.core.analytics.topology import Topology
from remora.core.capture.git_log import RawCommit, UnreadableCommit
from remora.core.capture.patch import CommitPatch, Span
from remora.core.graph import Applied, Candidates, Change, Changes, Item, Neighbourhood
from remora.core.records.log import (
    AppendOutcome,
    BulkAppended,
    Compacted,
    LogReport,
    LogUnit,
    Progress,
    UnitContent,
)
from remora.core.records.model import Record
from remora.core.scope import Grant


@dataclass(frozen=True, slots=True)
class Repository:
    """Which repository a bag of ports is bound to. `root` is the checkout, None on a server without one.

    `identity` is pinned at first use (normalised remote or a random id); `aliases` are later remotes.
    """

    identity: str
    id: str
    root: Path | None = None
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Checkout:
    """The place on disk that a command was started for, found through git; several checkouts share one repository.

    `root` is this worktree's root (the git dir where there is none); its derived caches lie in `root/.remora/cache`.
    `home` is where record files live, shared by all worktrees: `.remora` of the main worktree, or `<common dir>/remora`
    in bare layouts and where git does not record a main worktree. `common_dir` is None in a folder without git.
    """

    repository: Repository
    root: Path
    main_worktree: Path | None
    home: Path
    common_dir: Path | None = None
    bare: bool = False
    shallow: bool = False
    object_format: str = "sha1"


@dataclass(frozen=True, slots=True)
class HistoryRange:
    """Which commits to read: those reachable from `revision` (from every branch, tag and remote when `all_refs`), not
    from `exclude`, and not older than `since` (Unix seconds; 0 = no limit). `single` is the one commit alone.
    """

    revision: str = "HEAD"
    exclude: str = ""
    since: int = 0
    all_refs: bool = False
    single: bool = False


@dataclass(frozen=True, slots=True)
class CommitList:
    """Full ids of a range, newest first: ordinary commits and merges. `missing` names commits that are not there though
    others descend from them (their own ancestors are unknown). `branch` is the branch the range was named by, if any.
    """

    commits: tuple[str, ...] = ()
    merges: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    branch: str = ""

    @property
    def total(self) -> int:
        """How many commits there are to read."""
        return len(self.commits) + len(self.merges)


@dataclass(frozen=True, slots=True)
class TrackedFile:
    """One file under git. `path` is in the stored form of `core.capture.paths`; `mode` is git's (120000 = symlink)."""

    path: str
    mode: str
    blob: str
    size: int = -1


class Git(Protocol):
    """Reads one repository; never writes, never touches index or worktree. Failures are `SourceFailed`."""

    @property
    def checkout(self) -> Checkout:
        """Where this is."""
        ...

    def resolve(self, revision: str) -> str:
        """Full id of the commit a name stands for; raises `NotFound`."""
        ...

    def list_commits(self, history: HistoryRange) -> CommitList:
        """The range's commits; empty in a repository without commits."""
        ...

    def commits(self, listing: CommitList) -> Iterator[RawCommit | UnreadableCommit]:
        """The listed commits with their changed paths, streamed; one that cannot be read is named, others go on.

        A merge has the paths whose content differs from every parent: what the merge itself decided.
        """
        ...

    def patches(self, shas: Sequence[str]) -> Iterator[CommitPatch]:
        """Touched lines of ordinary commits, in this order; unreadable ones are left out."""
        ...

    def blobs(self, names: Sequence[str], *, max_bytes: int) -> Iterator[bytes | None]:
        """Content per blob id (or `revision:path`), in this order; None when absent or larger than `max_bytes`."""
        ...

    def expand(self, abbreviations: Collection[str]) -> Mapping[str, str]:
        """Abbreviated commit ids -> full ids, for those that name exactly one commit."""
        ...

    def nearest_ancestor(self, revision: str, known: Callable[[Sequence[str]], Collection[str]]) -> str:
        """The first commit on the first-parent line from `revision` that is known, "" when none is.

        `known` is asked about growing batches, nearest first, and answers which of them it knows.
        """
        ...

    def unreachable(self, shas: Collection[str]) -> frozenset[str]:
        """Which of these commits no branch, tag, remote or HEAD reaches any more."""
        ...

    def tracked(self, revision: str = "") -> tuple[TrackedFile, ...]:
        """Files of the index, or of a commit (then with sizes); submodules are left out."""
        ...


class SpanSource(Protocol):
    """Definitions in the text of one file, at any revision; pure for equal input."""

    def knows(self, path: str) -> bool:
        """Whether files of this name can be parsed."""
        ...

    def spans(self, path: str, data: bytes) -> Sequence[Span]:
        """Definitions with their lines, () when the text cannot be parsed."""
        ...


class Clock(Protocol):
    """Time and randomness, so that both can be simulated."""

    def now(self) -> int:
        """Microseconds UTC since the epoch."""
        ...

    def token(self, size_bytes: int) -> str:
        """`size_bytes` random bytes as lower-case hex."""
        ...


class StoreRead(Protocol):
    """One consistent view of one repository. Only items in the given scopes are ever returned or counted."""

    @property
    def seq(self) -> int:
        """Sequence number of the last write this view sees."""
        ...

    def get(self, ids: Iterable[str], scopes: Collection[str]) -> dict[str, Item]:
        """The items with these ids that exist in the scopes.

        An item whose stored bytes are damaged raises `Corrupt` here, since it cannot count as absent; the other reads
        leave it out, and `health` and `verify` tell of it.
        """
        ...

    def scan(
        self,
        family: str,
        label: str,
        scopes: Collection[str],
        *,
        after: str = "",
        limit: int,
        newest_first: bool = False,
    ) -> tuple[tuple[Item, ...], str]:
        """A page of items and the next page's cursor ("" at the end), by id, or by `updated` descending, then id.

        `after` is "" or a cursor of the same list; anything else newest first is `InvalidInput`.
        """
        ...

    def text_candidates(
        self,
        families: Collection[str],
        scopes: Collection[str],
        terms: Collection[str],
        prefixes: Collection[str] = (),
        *,
        labels: Collection[str] = (),
        limit: int,
    ) -> Candidates:
        """Items holding any of the exact `terms` or any token starting with one of `prefixes`.

        When more than `limit` match, terms are taken rarest first (ties: the term itself) and within a term by id, so
        that every engine cuts alike. Items come ordered by id. A string that is both term and prefix counts as prefix.
        """
        ...

    def vector_candidates(
        self,
        families: Collection[str],
        scopes: Collection[str],
        model: str,
        query: bytes,
        *,
        floor: float,
        limit: int,
    ) -> tuple[tuple[Item, float], ...]:
        """Items by exact cosine to `query` (float32 little-endian), at least `floor`, best first, ties by id.

        Vectors of another size than the query, zero vectors and those with a NaN or infinity are never in a result.
        """
        ...

    def expand(
        self,
        ids: Collection[str],
        scopes: Collection[str],
        *,
        labels: Collection[str],
        names: Collection[str] = (),
        outgoing: bool = True,
        incoming: bool = True,
        hops: int = 1,
        per_node: int,
        limit: int,
    ) -> Neighbourhood:
        """Edges with these labels (and names, when given) around the ids, in rounds, and the nodes at their ends.

        Per node and direction the `per_node` most recently updated edges (ties: id) are followed; `limit` edges in all,
        of which an earlier round's come first and within a round the most recently updated. An edge counts only when
        both its ends are visible in the scopes. Nodes and edges come ordered by id.
        """
        ...

    def counts(self, scopes: Collection[str]) -> Mapping[tuple[str, str, str], int]:
        """(family, label, scope) -> number of items."""
        ...

    def snapshot(self, families: Collection[str], scopes: Collection[str]) -> tuple[Item, ...]:
        """Every item of the families in the scopes, by id."""
        ...

    def changes(self, since: int, *, limit: int) -> tuple[Change, ...]:
        """The change feed after `since`, by sequence, then id; an item appears once, at its latest change.

        The lines of one write are never split, so a page may be longer than `limit`: go on from its last `seq`.
        """
        ...

    def vectors_missing(
        self, families: Collection[str], scopes: Collection[str], model: str, *, limit: int
    ) -> tuple[Item, ...]:
        """Searchable items without a vector of this model, by id.

        Putting an item anew with other tokens drops its vectors.
        """
        ...


Decide = Callable[[StoreRead, int], Changes]
"""A pure plan: (view inside the write transaction, transaction time in microseconds) -> changes. May run again."""


class Store(Protocol):
    """One repository's partition of an engine. `apply` is the only write."""

    def read(self, grant: Grant) -> AbstractContextManager[StoreRead]:
        """A consistent view; raises `Denied` unless the grant may read the repository."""
        ...

    def apply(self, grant: Grant, decide: Decide, *, idempotency_key: str = "") -> Applied:
        """Run `decide` and apply its changes in one serialised, durable transaction.

        The time handed to `decide` is strictly greater than any handed out before in this repository. Putting into the
        repository scope needs the write right, into a session or system scope the read right; dropping likewise (edges
        that a dropped node takes along included). A key that this principal used before returns the former result
        without deciding again; the result is None once an item of that write was dropped (forgetting reaches it). An
        empty change keeps the sequence. Raises `InvalidBatch` for what no engine keeps, `Unavailable` at the busy
        deadline. Not to be called from inside `decide`.
        """
        ...

    def drop_scope(self, grant: Grant, scope: str) -> int:
        """Remove every item of one scope with its tokens and vectors, and scrub the bytes; returns how many items.

        Edges of other scopes that end in the scope go along. The repository scope needs the admin right, others read.
        """
        ...

    def lease(self, name: str, holder: str, seconds: int) -> bool:
        """Take or renew a named lease; False when another holder has it and it has not run out.

        0 seconds gives it back.
        """
        ...


class ProjectFiles(Protocol):
    """Files of one project that others own too: settings, instructions, hooks. Paths are relative, with `/`.

    A path out of the project raises `InvalidInput`; a failing disk raises `Unavailable` with the old content intact.
    """

    def read(self, path: str) -> bytes | None:
        """The whole file, None when it is absent."""
        ...

    def write(self, path: str, data: bytes, *, executable: bool = False) -> None:
        """Replace or create the file in one step, its mode kept."""
        ...

    def remove(self, path: str) -> None:
        """Remove the file, and folders of the project that it leaves empty."""
        ...

    def read_receipts(self) -> bytes | None:
        """Receipts of former installs, kept beside the project; None when there are none."""
        ...

    def write_receipts(self, data: bytes) -> None:
        """Keep receipts; empty removes them."""
        ...


class StoreAdmin(Protocol):
    """Care of one repository's partition."""

    def migrate(self) -> int:
        """Bring the layout up to date; returns its version. A newer layout than ours is an error."""
        ...

    def health(self) -> Mapping[str, str | int | bool]:
        """Engine, versions, layout, journal mode, sizes, warnings; for `doctor`."""
        ...

    def verify(self) -> tuple[str, ...]:
        """Names everything that is bad; empty when all is well."""
        ...

    def backup(self, target: Path) -> None:
        """A consistent copy while others write. Refuses to overwrite."""
        ...

    def scrub(self) -> None:
        """Make erased bytes unreadable (checkpoint and truncate what a journal still holds)."""
        ...

    def close(self) -> None:
        """Release files and connections."""
        ...


class RecordLog(Protocol):
    """The truth of records: append-only, shared by processes and checkouts. Nothing stored is ever altered."""

    def append(self, grant: Grant, record: Record) -> AppendOutcome:
        """Store one record durably, or find that it is there.

        Raises `Denied` unless the grant may write it, `Conflict` when its key stands for something else.
        """
        ...

    def append_many(self, grant: Grant, records: Iterable[Record], progress: Progress | None = None) -> BulkAppended:
        """Store a stream of records; a key that stands for something else is reported and loses no other record."""
        ...

    def get(self, grant: Grant, record_id: str) -> Record:
        """One record; raises `NotFound` alike for absent and hidden ones."""
        ...

    def present(self, record_ids: Collection[str]) -> frozenset[str]:
        """Which ids the log holds, whoever may see them; for captures that skip what they did before."""
        ...

    def units(self) -> tuple[LogUnit, ...]:
        """Everything that holds records, with stamps: together the fingerprint of the log."""
        ...

    def read(self, names: Iterable[str]) -> Iterator[UnitContent]:
        """Content of units, good records and named bad ones; units that are gone are left out (list again)."""
        ...

    def compact(self, progress: Progress | None = None) -> Compacted:
        """Fold small units into larger verified ones; never removes the last good copy of a record."""
        ...

    def verify(self, progress: Progress | None = None) -> LogReport:
        """Check every byte and name everything that is bad."""
        ...


@dataclass(frozen=True, slots=True)
class Betweenness:
    """Share of shortest paths through each node. `pivots` is 0 when every path was counted, else how many starts."""

    scores: tuple[float, ...]
    pivots: int = 0


@dataclass(frozen=True, slots=True)
class Fragility:
    """Nodes and node pairs whose loss would split a component."""

    articulation_points: tuple[int, ...]
    bridges: tuple[tuple[int, int], ...]


class GraphMetrics(Protocol):
    """Figures of one graph, by node number; equal graphs give equal figures. All are empty for the empty graph."""

    def pagerank(self, graph: Topology, restart: Mapping[int, float] | None = None) -> tuple[float, ...]:
        """PageRank (sums to 1), restarting at every node alike or at the given nodes by weight; dangling mass too."""
        ...

    def article_rank(self, graph: Topology) -> tuple[float, ...]:
        """AR(v) = (1-d) + d * sum over w -> v of AR(w) / (out(w) + mean out); undirected edges count both ways."""
        ...

    def betweenness(self, graph: Topology) -> Betweenness:
        """Unnormalised; exact up to a stated size, above it estimated from evenly spread pivots."""
        ...

    def communities(self, graph: Topology) -> tuple[int, ...]:
        """Leiden by modularity, direction ignored, fixed seed. Numbered by size, then by smallest member."""
        ...

    def components(self, graph: Topology) -> tuple[int, ...]:
        """Weakly connected components, numbered by size, then by smallest member."""
        ...

    def fragility(self, graph: Topology) -> Fragility:
        """Articulation points and bridges, direction ignored."""
        ...


class Cache(Protocol):
    """Derived values kept in this process between calls; anything may be forgotten at any time."""

    def get(self, key: tuple[object, ...]) -> object:
        """The value, or None."""
        ...

    def put(self, key: tuple[object, ...], value: object) -> None:
        """Keep a value; the least recently used one makes room."""
        ...


class EncounterPorts(Protocol):
    """The part of the bag that encounters need."""

    @property
    def repository(self) -> Repository:
        """Which repository the bag is bound to."""
        ...

    @property
    def store(self) -> Store:
        """Its store."""
        ...

    @property
    def clock(self) -> Clock:
        """Time and randomness."""
        ...

    @property
    def redact(self) -> Callable[[str], str]:
        """Takes secrets out of a text."""
        ...


class AnalysisPorts(EncounterPorts, Protocol):
    """What reading the graph as a whole needs besides."""

    @property
    def metrics(self) -> GraphMetrics:
        """Graph figures."""
        ...

    @property
    def cache(self) -> Cache:
        """Snapshots and panels of this process."""
        ...


class FactPorts(EncounterPorts, Protocol):
    """The part of the bag that facts, sessions and recall need: the same."""
