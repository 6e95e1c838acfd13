"""Localisation cases from a repository's own history: fixes, what is asked, what they touched; and how rankings do."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from remora.core import policy
from remora.core.capture.git_log import RawCommit
from remora.core.locate.contents import Contents, score_contents
from remora.core.locate.fixes import is_fix
from remora.core.locate.query import LocateQuery, locate_query, without_file_names
from remora.core.recall.bm25 import bm25
from remora.core.records.indexed import Narrowing
from remora.core.records.model import Record
from remora.core.records.search import Ranking, RecordQuery, search
from remora.core.records.view import RecordView
from remora.core.records.vocabulary import PathChangeKind
from remora.core.scoring import bootstrap_interval, first_rank, mrr, recall_at, reciprocal_rank
from remora.core.text import tokens

_GENERIC = frozenset(
    tokens(
        "fix fixes fixed fixing bug bugs bugfix bugfixes hotfix issue issues problem problems feat feature chore "
        "refactor closes close resolve resolves"
    )
)
"""Words that descriptions of changes share whatever they change."""
_CODE = frozenset(
    """bash bat c cc clj cpp cs cxx dart ex exs go h hpp hs java js jsx kt lua m mjs mm php pl pm py pyi rb rs scala sh
    sql swift ts tsx vue zig zsh""".split()
)
"""Extensions of programs, as against documents, data and settings."""
RANKINGS = ("locate", "records", "records_v1", "bm25_messages", "bm25_contents")


@dataclass(frozen=True, slots=True)
class FixCase:
    """One past fix: its commit, its subject with and without file names, and the files of its parent it touched."""

    sha: str
    subject: str
    bare: str
    truth: frozenset[str]

    @property
    def reports(self) -> bool:
        """Which half of the cases it is in: True reports, False tunes."""
        return int(self.sha[-1], 16) % 2 == 1

    @property
    def names_file(self) -> bool:
        """Whether the subject names a file."""
        return self.bare != " ".join(self.subject.split())


def _says_enough(bare: str) -> bool:
    return len(set(locate_query(bare).terms) - _GENERIC) >= policy.EVAL_WORDS_MIN


def _is_code(path: str) -> bool:
    return path.rpartition(".")[2].lower() in _CODE


def fix_cases(commits: Iterable[RawCommit], limit: int) -> tuple[list[FixCase], dict[str, int]]:
    """The first fixes of a history (newest first), and how many were passed over, by reason."""
    found: list[FixCase] = []
    skipped: Counter[str] = Counter()
    asked: set[str] = set()
    for commit in commits:
        if len(found) == limit:
            break
        if not is_fix(commit.subject):
            continue
        altered = (change.old_path for change in commit.changes if change.kind is not PathChangeKind.COPIED)
        truth = frozenset(path for path in altered if path)
        bare = without_file_names(commit.subject)
        if commit.cut:
            skipped["parents unknown"] += 1
        elif not truth:
            skipped["touched no earlier file"] += 1
        elif len(truth) > policy.EVAL_FILES_MAX:
            skipped["touched too many files"] += 1
        elif not any(map(_is_code, truth)):
            skipped["touched no program"] += 1
        elif not _says_enough(bare):
            skipped["says too little"] += 1
        elif bare in asked:
            skipped["says the same as a later one"] += 1
        else:
            asked.add(bare)
            found.append(FixCase(commit.sha, commit.subject, bare, truth))
    return found, dict(sorted(skipped.items()))


# --- Baselines --------------------------------------------------------------------------------------------------------


def files_of_records(records: Iterable[Record], present: Collection[str]) -> list[str]:
    """The present files that ranked records name, in the order of the ranking."""
    found: dict[str, None] = {}
    for record in records:
        found |= dict.fromkeys(path for path in record.paths if path in present)
    return list(found)


def record_ranking(view: RecordView, text: str, ranking: Ranking, present: Collection[str]) -> list[str]:
    """Files by a ranking of records."""
    found = search(view, RecordQuery(text, ranking=ranking, limit=policy.EVAL_RECORDS))
    return files_of_records((hit.record for hit in found.hits), present)


def message_ranking(view: RecordView, query: LocateQuery, present: Collection[str]) -> list[str]:
    """Files of the commits whose messages score best by plain BM25."""
    found = view.text(query.terms, (), Narrowing(), limit=policy.RECORD_CANDIDATES)
    weights = {"title": 1.0, "summary": 1.0, "symbol": 0.0, "path": 0.0, "source": 0.0}
    rated = [(bm25(record.tokens, query.terms, (), found.stats, weights), record) for record in found.items]
    rated.sort(key=lambda pair: (-round(pair[0], 9), -pair[1].occurred_at, pair[1].id))
    return files_of_records((record.record for score, record in rated[: policy.EVAL_RECORDS] if score > 0.0), present)


def content_ranking(contents: Contents, query: LocateQuery) -> list[str]:
    """Files by plain BM25 over their text."""
    scores = score_contents(contents, query.terms, b=0.75).text
    return sorted(scores, key=lambda path: (-round(scores[path], 9), path))


# --- Figures ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Figures:
    """How one ranking did over some cases; `low` and `high` bound the MRR with 95 %."""

    cases: int
    recall_at_1: float
    recall_at_5: float
    recall_at_10: float
    mrr: float
    low: float
    high: float


def figures(ranks: Sequence[int]) -> Figures:
    """Figures over the ranks (from 1, 0 = missed) of the first right file."""
    low, high = bootstrap_interval([reciprocal_rank(rank) for rank in ranks])
    return Figures(len(ranks), recall_at(1, ranks), recall_at(5, ranks), recall_at(10, ranks), mrr(ranks), low, high)


def rank_of(found: Sequence[str], case: FixCase) -> int:
    """Rank of the first file that the fix touched, 0 when none was found."""
    return first_rank(found, case.truth)
