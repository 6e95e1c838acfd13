"""Which symbols a commit touched, and which ones it renamed, from its patch and the spans in its blobs."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from remora.core.capture.git_commit import TouchedSymbols
from remora.core.capture.patch import CommitPatch, FilePatch, Hunk, Span
from remora.core.capture.renames import guessed_renames, height, parsed_renames
from remora.core.policy import COMMIT_ANCHORS_MAX, COMMIT_SYMBOL_RENAMES_MAX
from remora.core.records.model import SymbolAnchor, SymbolChange
from remora.core.source import Anchor

Spans = Mapping[tuple[str, str], Sequence[Span]]
"""(path, blob) -> definitions; absent when the file was not parsed."""

_PROSE = (".md", ".markdown", ".rst", ".txt", ".adoc", ".html", ".json", ".yaml", ".yml", ".toml", ".lock", ".svg")
"""Files in which a line that looks like a declaration is an example or data."""


class SpanFinder:
    """Definitions of the blobs that patches name, each parsed once: neighbouring commits share most of theirs.

    `knows` and `parse` are a parser's; `read` gives the content of blobs by id in their order, None for absent ones.
    """

    def __init__(
        self,
        knows: Callable[[str], bool],
        parse: Callable[[str, bytes], Sequence[Span]],
        read: Callable[[Sequence[str]], Iterable[bytes | None]],
    ) -> None:
        self._knows = knows
        self._parse = parse
        self._read = read
        self._found: dict[tuple[str, str], Sequence[Span] | None] = {}

    def find(self, patches: Iterable[CommitPatch]) -> Spans:
        """Definitions in both sides of every file of the patches that can be parsed."""
        sides = {
            (path, blob): None
            for patch in patches
            for file in patch.files
            for path, blob in ((file.old_path, file.old_blob), (file.new_path, file.new_blob))
            if path and blob.strip("0") and file.hunks and self._knows(path)
        }
        fresh = [side for side in sides if side not in self._found]
        for side, data in zip(fresh, self._read([blob for _, blob in fresh]) if fresh else (), strict=True):
            self._found[side] = None if data is None else self._parse(side[0], data)
        return {side: spans for side in sides if (spans := self._found[side]) is not None}


def touched_symbols(patch: CommitPatch, spans: Spans) -> TouchedSymbols:
    """Anchors on every definition with a touched line (of the old side only where it is gone), and one-identifier
    renames. Above the limit the innermost definitions are kept and the rest counted.
    """
    touched: dict[tuple[str, str], Span] = {}
    renames: list[SymbolChange] = []
    for file in patch.files:
        old, new = _of(spans, file.old_path, file.old_blob), _of(spans, file.new_path, file.new_blob)
        renames += _renames(file, old, new, patch.sha)
        for span in _touched(new or (), file.hunks, new_side=True):
            touched[file.new_path, span.qualified] = span
        still_there = {span.qualified for span in new or ()}
        for span in _touched(old or (), file.hunks, new_side=False):
            if span.qualified not in still_there:
                touched[file.old_path, span.qualified] = span
    notes = []
    if len(touched) > COMMIT_ANCHORS_MAX:
        notes.append(f"anchors_capped: {COMMIT_ANCHORS_MAX} of {len(touched)} touched symbols kept, innermost first")
    if patch.truncated:
        notes.append(f"patch_capped: {patch.truncated} changed lines were not looked at for symbols")
    kept = sorted(touched, key=lambda key: (height(touched[key]), key))[:COMMIT_ANCHORS_MAX]
    return TouchedSymbols(
        tuple(_anchor(path, touched[path, name], patch.sha) for path, name in sorted(kept)),
        tuple(renames[:COMMIT_SYMBOL_RENAMES_MAX]),
        tuple(notes),
    )


def _of(spans: Spans, path: str, blob: str) -> Sequence[Span] | None:
    return spans.get((path, blob)) if path else ()


def _anchor(path: str, span: Span, commit: str, confidence: float = 1.0) -> SymbolAnchor:
    node_id = span.node_id or Anchor(path, span.qualified).uri
    return SymbolAnchor(node_id, span.qualified, path, commit=commit, confidence=confidence)


def _touched(spans: Sequence[Span], hunks: Sequence[Hunk], *, new_side: bool) -> Iterator[Span]:
    ranges = sorted(_range(hunk, new_side=new_side) for hunk in hunks)
    ends = [last for _, last in ranges]
    for span in spans:
        at = bisect_left(ends, span.start_line)
        if at < len(ranges) and ranges[at][0] <= span.end_line:
            yield span


def _range(hunk: Hunk, *, new_side: bool) -> tuple[float, float]:
    """Lines of one side; where it has none, the place between two lines, which only a definition around it holds."""
    start, count = (hunk.new_start, hunk.new_count) if new_side else (hunk.old_start, hunk.old_count)
    return (start, start + count - 1) if count else (start + 0.5, start + 0.5)


def _renames(
    file: FilePatch, old: Sequence[Span] | None, new: Sequence[Span] | None, commit: str
) -> Iterator[SymbolChange]:
    """Renames that the parsed definitions show; where a side was not parsed, those that the lines alone show."""
    if not (file.old_path and file.new_path) or file.new_path.lower().endswith(_PROSE):
        return
    found = guessed_renames(file.hunks) if old is None or new is None else parsed_renames(file, old, new)
    for before, after, confidence in found:
        yield SymbolChange(
            _anchor(file.old_path, before, "", confidence),
            _anchor(file.new_path, after, commit, confidence),
            confidence,
        )
