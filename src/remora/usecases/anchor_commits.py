"""Add symbols to commits that were recorded without: each gets a record of the same with its symbols in its place."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from remora.core.capture.git_commit import anchored_id, anchored_record, clean_path, commit_record_id
from remora.core.capture.symbols import SpanFinder, touched_symbols
from remora.core.policy import ANCHORED_BLOB_MAX_BYTES, ANCHORED_COMMITS, ANCHORED_COMMITS_BATCH
from remora.core.records.log import Progress
from remora.core.records.model import Record
from remora.core.scope import Grant, Right
from remora.ports import Git, HistoryRange, RecordIndex, RecordLog, SpanSource


class AnchorPorts(Protocol):
    """What this verb needs of the ports."""

    @property
    def git(self) -> Git:
        """The repository's history."""
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
    def records(self) -> RecordLog:
        """Where records go."""
        ...

    @property
    def record_index(self) -> RecordIndex:
        """Finds records by id."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorRequest:
    """The newest commits that `revision` reaches."""

    revision: str = "HEAD"
    newest: int = ANCHORED_COMMITS


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorResult:
    """`looked_at` commits were recorded without symbols; `anchored` of them now have some."""

    seen: int = 0
    looked_at: int = 0
    anchored: int = 0


def anchor_commits(
    ports: AnchorPorts, grant: Grant, request: AnchorRequest, progress: Progress | None = None
) -> AnchorResult:
    """Look the symbols up in the commits' own revisions. Merges and commits that are not recorded are left out.

    Records stay as they are: the one with symbols supersedes the one without. Safe to repeat.
    """
    git = ports.git
    identity = git.checkout.repository.identity
    grant.require(identity, Right.WRITE)
    shas = git.list_commits(HistoryRange(request.revision)).commits[: max(0, request.newest)]
    bare = _without_symbols(ports, grant, [commit_record_id(identity, sha) for sha in shas])
    done = ports.records.append_many(grant, _anchored(ports, bare, progress))
    return AnchorResult(seen=len(shas), looked_at=len(bare), anchored=done.recorded)


def _without_symbols(ports: AnchorPorts, grant: Grant, ids: Sequence[str]) -> dict[str, Record]:
    """Commit id -> record, of those without symbols and not replaced yet, newest first."""
    with ports.record_index.view(grant) as view:
        found = {record_id: item.record for record_id, item in view.get(ids).items()}
    bare = [found[each] for each in ids if each in found and not found[each].anchors]
    present = ports.records.present([anchored_id(record) for record in bare]) if bare else frozenset()
    return {record.commit: record for record in bare if anchored_id(record) not in present}


def _anchored(ports: AnchorPorts, bare: dict[str, Record], progress: Progress | None) -> Iterator[Record]:
    git = ports.git
    finder = SpanFinder(ports.spans.knows, ports.spans.spans, partial(git.blobs, max_bytes=ANCHORED_BLOB_MAX_BYTES))
    shas = list(bare)
    for start in range(0, len(shas), ANCHORED_COMMITS_BATCH):
        batch = list(git.patches(shas[start : start + ANCHORED_COMMITS_BATCH]))
        spans = finder.find(batch)
        for patch in batch:
            symbols = touched_symbols(patch, spans)
            if symbols.anchors or symbols.renames:
                yield anchored_record(bare[patch.sha], symbols, partial(clean_path, redact=ports.redact))
        if progress:
            progress(min(start + ANCHORED_COMMITS_BATCH, len(shas)), len(shas))
