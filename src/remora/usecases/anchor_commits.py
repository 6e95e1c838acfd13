"""Look up what commits did to symbols, from their own revisions; for commits that were recorded without anchors."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Protocol

from remora.core.capture.git_commit import TouchedSymbols
from remora.core.capture.symbols import SpanFinder, touched_symbols
from remora.core.policy import ANCHORED_BLOB_MAX_BYTES, ANCHORED_COMMITS_BATCH
from remora.core.records.log import Progress
from remora.core.scope import Grant, Right
from remora.ports import Git, SpanSource


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


def anchor_commits(
    ports: AnchorPorts, grant: Grant, shas: Sequence[str], progress: Progress | None = None
) -> Mapping[str, TouchedSymbols]:
    """Commit id -> touched and renamed symbols; merges, unreadable commits and a shallow clone's edge are left out.

    Records stay as they are: what comes back is derived, and can be derived again.
    """
    git = ports.git
    grant.require(git.checkout.repository.identity, Right.READ)
    finder = SpanFinder(ports.spans.knows, ports.spans.spans, partial(git.blobs, max_bytes=ANCHORED_BLOB_MAX_BYTES))
    found: dict[str, TouchedSymbols] = {}
    for start in range(0, len(shas), ANCHORED_COMMITS_BATCH):
        batch = list(git.patches(shas[start : start + ANCHORED_COMMITS_BATCH]))
        spans = finder.find(batch)
        found |= {patch.sha: touched_symbols(patch, spans) for patch in batch}
        if progress:
            progress(min(start + ANCHORED_COMMITS_BATCH, len(shas)), len(shas))
    return found
