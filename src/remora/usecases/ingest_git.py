"""Record commits: one, a range, everything since a time, or the whole history. What is recorded already is not read."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Protocol

from remora.core.capture.git_commit import (
    NO_SYMBOLS,
    CommitContext,
    ReadCommit,
    TouchedSymbols,
    commit_record,
    commit_record_id,
    read_commits,
)
from remora.core.capture.git_log import RawCommit, UnreadableCommit
from remora.core.capture.since import parse_since
from remora.core.capture.symbols import SpanFinder, touched_symbols
from remora.core.errors import InvalidInput
from remora.core.policy import (
    ANCHORED_BLOB_MAX_BYTES,
    ANCHORED_COMMITS,
    ANCHORED_COMMITS_BATCH,
    INGEST_BATCH_COMMITS,
    SKIPPED_NAMED_MAX,
)
from remora.core.records.log import Progress
from remora.core.records.model import Record
from remora.core.scope import Grant, Right
from remora.ports import Clock, CommitList, Git, HistoryRange, RecordLog, SpanSource


class IngestGitPorts(Protocol):
    """What this verb needs of the ports."""

    @property
    def git(self) -> Git:
        """The repository's history."""
        ...

    @property
    def records(self) -> RecordLog:
        """Where records go."""
        ...

    @property
    def spans(self) -> SpanSource:
        """A parser of definitions."""
        ...

    @property
    def redact(self) -> Callable[[str], str]:
        """Takes secrets out of a text."""
        ...

    @property
    def clock(self) -> Clock:
        """For times like `2 weeks ago`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestRequest:
    """`revision` is one commit, or a range `A..B`. `since` (a date, or `N days|weeks|months|years ago`) takes all that
    `revision` reaches from then on; `history` takes all that it reaches; `all_refs` all that any branch, tag or remote
    reaches. `catch_up` takes the commit and all since its nearest recorded ancestor (itself alone when there is none).
    The newest `anchors` commits get symbols (default: none for `all_refs` and `history`).
    """

    revision: str = "HEAD"
    since: str = ""
    history: bool = False
    all_refs: bool = False
    catch_up: bool = False
    anchors: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestResult:
    """Counts: seen = recorded + already_present + conflicts + skipped. `skipped_by_reason` counts every skip;
    `skipped_commits` names the first of them. `missing` are commits that others descend from but that are not there.
    `history_incomplete` says that the repository is shallow or that commits are missing.
    """

    seen: int = 0
    recorded: int = 0
    already_present: int = 0
    anchored: int = 0
    conflicts: tuple[str, ...] = ()
    skipped_by_reason: Mapping[str, int] = field(default_factory=dict)
    skipped_commits: tuple[tuple[str, str], ...] = ()
    missing: tuple[str, ...] = ()
    history_incomplete: bool = False

    @property
    def skipped(self) -> int:
        """How many commits could not be recorded."""
        return sum(self.skipped_by_reason.values())


def ingest_git(
    ports: IngestGitPorts, grant: Grant, request: IngestRequest, progress: Progress | None = None
) -> IngestResult:
    """Record the asked commits that are not recorded yet. Safe to repeat and to run twice at once."""
    git = ports.git
    identity = git.checkout.repository.identity
    grant.require(identity, Right.WRITE)
    listing = git.list_commits(_range(ports, request))
    fresh = _absent(ports.records, identity, listing)
    already = listing.total - fresh.total
    if not fresh.total:
        return IngestResult(
            seen=listing.total,
            already_present=already,
            missing=listing.missing,
            history_incomplete=git.checkout.shallow or bool(listing.missing),
        )
    capture = _Capture(ports, CommitContext(identity, ports.redact, listing.branch), fresh, progress)
    capture.look_up_symbols(_anchored(request))
    done = ports.records.append_many(grant, capture.records())
    return IngestResult(
        seen=listing.total,
        recorded=done.recorded,
        already_present=already + done.already_present,
        anchored=capture.anchored,
        conflicts=done.conflicts,
        skipped_by_reason=dict(capture.reasons),
        skipped_commits=tuple(capture.skipped),
        missing=listing.missing,
        history_incomplete=git.checkout.shallow or bool(listing.missing),
    )


def _range(ports: IngestGitPorts, request: IngestRequest) -> HistoryRange:
    since = parse_since(request.since, ports.clock.now()) if request.since else 0
    if request.all_refs:
        return HistoryRange(since=since, all_refs=True)
    exclude, dots, revision = request.revision.rpartition("..")
    if dots:
        if not exclude or exclude.endswith(".") or request.catch_up:
            raise InvalidInput("revision", f"{request.revision[:80]!r} is not a range", allowed="A..B")
        return HistoryRange(revision or "HEAD", exclude=exclude, since=since)
    if request.catch_up:
        ancestor = _recorded_ancestor(ports, request.revision)
        return HistoryRange(request.revision, exclude=ancestor, single=not ancestor, since=since)
    return HistoryRange(request.revision, since=since, single=not (since or request.history))


def _recorded_ancestor(ports: IngestGitPorts, revision: str) -> str:
    identity = ports.git.checkout.repository.identity

    def recorded(shas: Sequence[str]) -> frozenset[str]:
        ids = {commit_record_id(identity, sha): sha for sha in shas}
        return frozenset(ids[found] for found in ports.records.present(ids))

    return ports.git.nearest_ancestor(revision, recorded)


def _absent(records: RecordLog, identity: str, listing: CommitList) -> CommitList:
    """The listed commits without those that are recorded already."""
    ids = {sha: commit_record_id(identity, sha) for sha in (*listing.commits, *listing.merges)}
    present = records.present(ids.values()) if ids else frozenset()
    return replace(
        listing,
        commits=tuple(sha for sha in listing.commits if ids[sha] not in present),
        merges=tuple(sha for sha in listing.merges if ids[sha] not in present),
    )


def _anchored(request: IngestRequest) -> int:
    if request.anchors is not None:
        return request.anchors
    return 0 if request.all_refs or request.history else ANCHORED_COMMITS


class _Capture:
    """One run over the commits: turns each into a record and counts what could not be turned."""

    def __init__(
        self, ports: IngestGitPorts, context: CommitContext, listing: CommitList, progress: Progress | None
    ) -> None:
        self._ports = ports
        self._context = context
        self._listing = listing
        self._progress = progress
        self._symbols: dict[str, TouchedSymbols] = {}
        self.anchored = 0
        self.reasons: Counter[str] = Counter()
        self.skipped: list[tuple[str, str]] = []

    def look_up_symbols(self, newest: int) -> None:
        """Find what the newest commits did to symbols, before their records are made."""
        git, source = self._ports.git, self._ports.spans
        finder = SpanFinder(source.knows, source.spans, partial(git.blobs, max_bytes=ANCHORED_BLOB_MAX_BYTES))
        shas = self._listing.commits[: max(0, newest)]
        for start in range(0, len(shas), ANCHORED_COMMITS_BATCH):
            batch = list(git.patches(shas[start : start + ANCHORED_COMMITS_BATCH]))
            spans = finder.find(batch)
            self._symbols |= {patch.sha: touched_symbols(patch, spans) for patch in batch}

    def records(self) -> Iterator[Record]:
        """The records; those of commits that name others by an abbreviation come last."""
        waiting: list[ReadCommit] = []
        for commit in self._read():
            if commit.abbreviations:
                waiting.append(commit)
            else:
                yield from self._made(commit, {})
        if waiting:
            full_ids = self._ports.git.expand({text for commit in waiting for text in commit.abbreviations})
            for commit in waiting:
                yield from self._made(commit, full_ids)
        if self._progress:
            self._progress(self._listing.total, self._listing.total)

    def _read(self) -> Iterator[ReadCommit]:
        """The commits with their messages read; unreadable ones are counted."""
        stream = self._ports.git.commits(self._listing)
        done = 0
        while batch := list(islice(stream, INGEST_BATCH_COMMITS)):
            for raw in batch:
                if isinstance(raw, UnreadableCommit):
                    self._skip(raw.sha, "unreadable", raw.reason)
            yield from read_commits([raw for raw in batch if isinstance(raw, RawCommit)], self._context)
            done += len(batch)
            if self._progress:
                self._progress(done, self._listing.total)

    def _made(self, commit: ReadCommit, full_ids: Mapping[str, str]) -> Iterator[Record]:
        symbols = self._symbols.get(commit.raw.sha, NO_SYMBOLS)
        try:
            record = commit_record(commit, self._context, full_ids=full_ids, symbols=symbols)
        except InvalidInput as error:
            self._skip(commit.raw.sha, "invalid", str(error))
            return
        self.anchored += bool(symbols.anchors or symbols.renames)
        yield record

    def _skip(self, sha: str, reason: str, detail: str) -> None:
        self.reasons[reason] += 1
        if len(self.skipped) < SKIPPED_NAMED_MAX:
            self.skipped.append((sha, f"{reason}: {detail}"))
