"""Contents held in memory for a known set of words: what evaluations use, and the measure of what an index answers."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from remora.core.locate.contents import Contents, FileWords, file_words

ReadBlobs = Callable[[Sequence[str]], Iterator[bytes | None]]
"""Content per blob id, in this order; None when absent or too large."""


class HeldContents:
    """Reads each blob once and keeps only the words of a vocabulary."""

    def __init__(self, read: ReadBlobs, vocabulary: Collection[str]) -> None:
        self._read = read
        self._vocabulary = frozenset(vocabulary)
        self._known: dict[str, FileWords | None] = {}

    def load(self, blobs: Collection[str]) -> None:
        """Read the blobs that are not known yet."""
        fresh = sorted(set(blobs).difference(self._known))
        for blob, data in zip(fresh, self._read(fresh) if fresh else (), strict=True):
            self._known[blob] = None if data is None else file_words(data, self._vocabulary)

    def find(self, files: Mapping[str, str], terms: Collection[str]) -> Contents:
        """Where files (path -> blob id) hold words of the vocabulary."""
        self.load(files.values())
        return gathered({path: self._known[blob] for path, blob in files.items()}, terms)


def gathered(words: Mapping[str, FileWords | None], terms: Collection[str]) -> Contents:
    """The contents of files whose words are at hand."""
    places: defaultdict[str, dict[str, Sequence[int]]] = defaultdict(dict)
    declared: defaultdict[str, set[str]] = defaultdict(set)
    for path, found in words.items():
        if found is None:
            continue
        for term in terms:
            if term in found.lines:
                places[term][path] = found.lines[term]
                if term in found.declared:
                    declared[term].add(path)
    lengths = {path: found.length if found else 0 for path, found in words.items()}
    return Contents(lengths, places, declared, sum(found is None for found in words.values()))
