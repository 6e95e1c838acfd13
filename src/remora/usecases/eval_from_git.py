"""Evaluate locating on a repository's own past: hide its last fixes, ask with their subjects, look for their files."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from remora.core import policy
from remora.core.capture.git_commit import CommitContext, commit_record, commit_record_id, read_commits
from remora.core.capture.git_log import RawCommit
from remora.core.errors import InvalidInput
from remora.core.locate.cases import (
    RANKINGS,
    Figures,
    FixCase,
    content_ranking,
    figures,
    fix_cases,
    message_ranking,
    rank_of,
    record_ranking,
)
from remora.core.locate.contents import Contents
from remora.core.locate.held import HeldContents
from remora.core.locate.past import Past, Seen, read_past
from remora.core.locate.query import LocateQuery, locate_query
from remora.core.locate.rank import locate
from remora.core.records.cut_view import CutView, RecordShelf
from remora.core.records.log import Progress
from remora.core.records.search import Ranking
from remora.core.scope import Grant, Right
from remora.ports import Git, HistoryRange

_SYMLINK = "120000"


class EvalGitPorts(Protocol):
    """What this verb needs of the ports."""

    @property
    def git(self) -> Git:
        """The repository's history."""
        ...

    @property
    def redact(self) -> Callable[[str], str]:
        """Takes secrets out of a text."""
        ...


@dataclass(frozen=True, slots=True)
class EvalRequest:
    """How many of the newest fixes that `revision` reaches are hidden and asked for."""

    cases: int = policy.EVAL_CASES
    revision: str = "HEAD"


@dataclass(frozen=True, slots=True)
class CaseRanks:
    """One case: the commit, what was asked, and the rank of the first right file per ranking (0 = missed)."""

    commit: str
    query: str
    reports: bool
    names_file: bool
    ranks: Mapping[str, int]
    bare_ranks: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class LocateEvaluation:
    """Figures per ranking: subjects as written, without file names, and both over the half of cases that reports."""

    commits: int
    cases: tuple[CaseRanks, ...]
    skipped: Mapping[str, int]
    written: Mapping[str, Figures] = field(default_factory=dict)
    bare: Mapping[str, Figures] = field(default_factory=dict)
    report_written: Mapping[str, Figures] = field(default_factory=dict)
    report_bare: Mapping[str, Figures] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PreparedCase:
    """Everything known before a fix: records of its ancestors, files of its parent, and two ways to ask."""

    case: FixCase
    view: CutView
    files: Mapping[str, str]
    held: HeldContents
    seen: Seen

    def find(self, query: LocateQuery) -> Contents:
        """Where the parent's files hold the words."""
        return self.held.find(self.files, query.terms)

    def past(self, query: LocateQuery) -> Past:
        """What had happened by then."""
        return read_past(self.view, query.terms, self.files, self.seen)


def eval_from_git(
    ports: EvalGitPorts, grant: Grant, request: EvalRequest, progress: Progress | None = None
) -> LocateEvaluation:
    """Rank files for every case by every ranking; nothing of the case's own commit or of later ones is known to any."""
    grant.require(ports.git.checkout.repository.identity, Right.READ)
    if not 1 <= request.cases <= policy.EVAL_CASES_MAX:
        raise InvalidInput("cases", f"{request.cases} is out of range", allowed=f"1 to {policy.EVAL_CASES_MAX}")
    history = _History(ports.git, request)
    rows: list[CaseRanks] = []
    for number, prepared in enumerate(history.prepared(), start=1):
        case = prepared.case
        bare = _ranks(prepared, case.bare)
        written = _ranks(prepared, case.subject) if case.names_file else bare
        rows.append(CaseRanks(case.sha, ports.redact(case.subject), case.reports, case.names_file, written, bare))
        if progress:
            progress(number, len(history.cases))
    half = [row for row in rows if row.reports]
    return LocateEvaluation(
        len(history.commits),
        tuple(rows),
        history.skipped,
        _figures([row.ranks for row in rows]),
        _figures([row.bare_ranks for row in rows]),
        _figures([row.ranks for row in half]),
        _figures([row.bare_ranks for row in half]),
    )


def prepare_cases(git: Git, request: EvalRequest) -> Iterator[PreparedCase]:
    """The cases with all that may be known before each; for benchmarks that try other rankings."""
    return _History(git, request).prepared()


def _ranks(prepared: PreparedCase, text: str) -> dict[str, int]:
    query, case, present = locate_query(text), prepared.case, prepared.files
    contents = prepared.find(query)
    found = locate(query, contents, prepared.past(query), limit=len(present))
    rankings: dict[str, Sequence[str]] = {
        "locate": [file.path for file in found.files],
        "records": record_ranking(prepared.view, text, Ranking.DEFAULT, present),
        "records_v1": record_ranking(prepared.view, text, Ranking.V1, present),
        "bm25_messages": message_ranking(prepared.view, query, present),
        "bm25_contents": content_ranking(contents, query),
    }
    return {name: rank_of(rankings[name], case) for name in RANKINGS}


def _figures(rows: Sequence[Mapping[str, int]]) -> dict[str, Figures]:
    return {name: figures([row[name] for row in rows]) for name in RANKINGS} if rows else {}


class _History:
    """The whole history read once; each case then sees only what came before it."""

    def __init__(self, git: Git, request: EvalRequest) -> None:
        self._git = git
        listing = git.list_commits(HistoryRange(request.revision))
        self.commits = [raw for raw in git.commits(listing) if isinstance(raw, RawCommit)]
        ordinary = frozenset(listing.commits)
        self.cases, self.skipped = fix_cases((raw for raw in self.commits if raw.sha in ordinary), request.cases)
        self._context = CommitContext(git.checkout.repository.identity, str)

    def prepared(self) -> Iterator[PreparedCase]:
        """Cases, newest first."""
        shelf = RecordShelf(commit_record(read, self._context) for read in read_commits(self.commits, self._context))
        vocabulary = {
            term for case in self.cases for text in (case.subject, case.bare) for term in locate_query(text).terms
        }
        contents = HeldContents(partial(self._git.blobs, max_bytes=policy.CONTENT_MAX_BYTES), vocabulary)
        trees = {case.sha: self._tree(case) for case in self.cases}
        contents.load({blob for tree in trees.values() for blob in tree.values()})
        seen: Seen = {}
        for case in self.cases:
            before = self._git.list_commits(HistoryRange(f"{case.sha}^"))
            ids = (commit_record_id(self._context.repository, sha) for sha in (*before.commits, *before.merges))
            yield PreparedCase(case, CutView(shelf, ids), trees[case.sha], contents, seen)

    def _tree(self, case: FixCase) -> dict[str, str]:
        files = self._git.tracked(f"{case.sha}^")
        return {file.path: file.blob for file in files if file.mode != _SYMLINK}
