"""What the contents of files say about a query: words, how close together they stand, and names that are declared."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import log

from remora.core import policy
from remora.core.text import tokens

_DECLARED = re.compile(
    r"\b(?:def|class|func|fn|struct|enum|trait|type|function|interface|impl|const|let|var|static|module|namespace"
    r"|record|exports|prototype|public|private|protected|void|int|bool|boolean|String|string)\b[ .]{1,8}"
    r"(?:\([^()\n]{0,80}\) {0,4})?([A-Za-z_]\w{0,80})"
)
"""Names behind words that declare in common languages: an unparsed text has no better symbols."""


@dataclass(frozen=True, slots=True)
class FileWords:
    """The words of one text: token -> lines (from 0, with repeats, capped), tokens in all, and declared ones."""

    lines: Mapping[str, Sequence[int]]
    length: int
    declared: frozenset[str]


def file_words(data: bytes, vocabulary: Collection[str] | None = None) -> FileWords | None:
    """Read a file's words, only those of a vocabulary when one is given; None for a binary file."""
    if b"\0" in data[: policy.BINARY_PROBE_BYTES]:
        return None
    text = data.decode("utf-8", "replace")
    lines: defaultdict[str, list[int]] = defaultdict(list)
    length = 0
    for number, line in enumerate(text.split("\n")):
        found = tokens(line[: policy.CONTENT_LINE_MAX_CHARS])
        length += len(found)
        for token in found:
            if vocabulary is None or token in vocabulary:
                lines[token].append(number)
    declared = {token for match in _DECLARED.finditer(text) for token in tokens(match[1])}
    kept = {token: places[: policy.CONTENT_PLACES_MAX] for token, places in lines.items()}
    return FileWords(kept, length, frozenset(declared.intersection(lines)))


@dataclass(frozen=True, slots=True)
class Contents:
    """What an index of contents answers to some words. Every file is listed, those without readable text with 0."""

    lengths: Mapping[str, int]
    """Path -> number of tokens."""
    places: Mapping[str, Mapping[str, Sequence[int]]] = field(default_factory=dict)
    """Word -> path -> lines that hold it."""
    declared: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Word -> paths that declare a name with it."""
    unread: int = 0
    """Files whose text was not looked into: binary or too large."""


def rarity(held: int, total: int) -> float:
    """Weight of a word that `held` of `total` documents hold; one that none holds weighs like one held once."""
    held = max(1, held)
    return log(1.0 + (max(total, held) - held + 0.5) / (held + 0.5))


@dataclass(frozen=True, slots=True)
class ContentScores:
    """Per path: BM25 of the text, rarity of the words in the best passage and where it is, and declared names."""

    text: Mapping[str, float]
    passage: Mapping[str, float]
    passage_line: Mapping[str, int]
    declared: Mapping[str, float]
    idf: Mapping[str, float]


def score_contents(contents: Contents, terms: Sequence[str], *, b: float = policy.LOCATE_BM25_B) -> ContentScores:
    """Score every file that holds any of the words."""
    total = len(contents.lengths)
    idf = {term: rarity(len(contents.places.get(term, ())), total) for term in terms}
    mean = sum(contents.lengths.values()) / total if total else 0.0
    text: defaultdict[str, float] = defaultdict(float)
    held: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
    declared: defaultdict[str, float] = defaultdict(float)
    k1 = policy.BM25_K1
    for term in terms:
        for path, lines in contents.places.get(term, {}).items():
            norm = k1 * (1.0 - b + b * contents.lengths[path] / mean) if mean else k1
            text[path] += idf[term] * len(lines) * (k1 + 1.0) / (len(lines) + norm)
            held[path].extend((line, term) for line in lines)
        holders = contents.declared.get(term, ())
        for path in holders:
            declared[path] += rarity(len(holders), total)
    best = {path: _best_passage(places, idf) for path, places in held.items()}
    passage = {path: score for path, (score, _) in best.items()}
    return ContentScores(text, passage, {path: line for path, (_, line) in best.items()}, declared, idf)


def _best_passage(places: list[tuple[int, str]], idf: Mapping[str, float]) -> tuple[float, int]:
    """The most rarity that a window of a few lines holds, and its first line."""
    places.sort()
    inside: Counter[str] = Counter()
    score = best = 0.0
    start = first = 0
    for line, term in places:
        if not inside[term]:
            score += idf[term]
        inside[term] += 1
        while places[start][0] <= line - policy.PASSAGE_LINES:
            gone = places[start][1]
            inside[gone] -= 1
            if not inside[gone]:
                score -= idf[gone]
            start += 1
        if score > best + 1e-9:
            best, first = score, places[start][0]
    return best, first
