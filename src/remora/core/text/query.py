"""Queries: any text becomes a safe set of terms, prefixes, phrases and symbols; nothing in it is syntax but quotes."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from remora.core.policy import (
    PHRASE_MAX_TOKENS,
    PREFIX_MIN_CHARS,
    QUERY_MAX_PHRASES,
    QUERY_MAX_PREFIXES,
    QUERY_MAX_SYMBOLS,
    QUERY_MAX_TERMS,
    TOKEN_MAX_CHARS,
)
from remora.core.text.names import clean
from remora.core.text.stem import stem
from remora.core.text.tokens import expand, fold_word, run_tokens, scan, unmarked, word_parts

STOP_WORDS = frozenset(
    """a about after again all also am an and any are as at be because been before being but by can could did do does
    doing dont for from had has have having he her here him his how i if in into is isnt it its just me my no nor not
    of off on once or our out over she should so some such than that the their them then there these they this
    those through to too under until up us very was we were what when where which while who whom why will with would
    you your""".split()
)
"""English function words: dropped from a query as long as other words remain."""
_STOP_STEMS = STOP_WORDS | {stem(word) for word in STOP_WORDS}

_QUOTED = re.compile(r'"([^"]{1,400})"|“([^”]{1,400})”|「([^」]{1,400})」')
_EDGES = "\"'`“”‘’«»「」()[]{}<>,;:!?*~|=。、，！？"
_SYMBOL = re.compile(r"[\w.$~@+#:/\\-]+(?:\(\))?")
_SYMBOL_SIGN = re.compile(r"\w[_./\\#]\w|::|\(\)$|[a-z][A-Z]|[A-Z]{2}[a-z]{2}|[A-Za-z]\d|^_|^\.?/|^\.\w")
_JOINED = re.compile(r"[-_./]")


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query. All parts are in the order of the text, without repeats, and bounded."""

    text: str = ""
    """The query cleaned and trimmed."""
    terms: tuple[str, ...] = ()
    """Distinct index tokens; a document holding any of them is a candidate."""
    prefixes: tuple[str, ...] = ()
    """Folded raw words for prefix match, and single characters of unspaced scripts."""
    phrases: tuple[tuple[str, ...], ...] = ()
    """Token sequences (quoted parts, compound words) whose exact occurrence ranks first; see `has_phrase`."""
    symbols: tuple[str, ...] = ()
    """Identifier- or path-like raw words, as written."""
    groups: tuple[tuple[str, ...], ...] = ()
    """Terms per raw word, the whole word first: a document covers a word by its whole or by its parts."""
    dropped: int = 0
    """How many terms were left out because the query is longer than QUERY_MAX_TERMS."""

    @property
    def empty(self) -> bool:
        """Whether there is nothing to search for."""
        return not (self.terms or self.prefixes)


def parse_query(text: str) -> Query:
    """Read any text as a query; never fails, an empty query for a text without words."""
    text = clean(text).strip()
    pieces = _Pieces(scan(text))
    terms = tuple(dict.fromkeys(term for group in pieces.groups for term in group))
    return Query(
        text=text,
        terms=terms[:QUERY_MAX_TERMS],
        prefixes=pieces.prefixes(),
        phrases=_phrases(text, pieces.words),
        symbols=_symbols(text),
        groups=_within(pieces.groups, frozenset(terms[:QUERY_MAX_TERMS])),
        dropped=max(0, len(terms) - QUERY_MAX_TERMS),
    )


class _Pieces:
    """The words of a query, function words dropped as long as others remain."""

    def __init__(self, scanned: Iterable[tuple[str, str]]) -> None:
        words = [(kind, raw, _terms(kind, raw)) for kind, raw in dict.fromkeys(scanned)]
        words = [word for word in words if word[2]]
        self.words = [word for word in words if not _STOP_STEMS.issuperset(word[2])] or words
        self.groups = list(dict.fromkeys(group for _, _, group in self.words))

    def prefixes(self) -> tuple[str, ...]:
        """Words long enough for prefix match; when none is, the last one, so that typing never goes empty."""
        found = [fold_word(raw) for kind, raw, _ in self.words if _prefixable(kind, raw)]
        if not found and self.words and self.words[-1][0] == "word":
            found = [fold_word(self.words[-1][1])]
        return tuple(dict.fromkeys(found))[:QUERY_MAX_PREFIXES]


def _prefixable(kind: str, raw: str) -> bool:
    return (kind == "run" and len(raw) == 1) or (kind == "word" and len(raw) >= PREFIX_MIN_CHARS)


def _terms(kind: str, raw: str) -> tuple[str, ...]:
    if kind == "run":
        found = run_tokens(raw)
        return tuple(dict.fromkeys(found[:-1] or found))
    if kind == "emoji":
        return (raw,)
    whole, *parts = expand(raw) or ("",)
    kept = [part for part in parts if len(part) > 1 and part not in _STOP_STEMS]
    return tuple(dict.fromkeys((whole, *kept))) if whole else ()


def _within(groups: Sequence[tuple[str, ...]], kept: frozenset[str]) -> tuple[tuple[str, ...], ...]:
    """The groups that are wholly among the kept terms."""
    return tuple(group for group in groups if kept.issuperset(group))


def _phrases(text: str, words: Iterable[tuple[str, str, tuple[str, ...]]]) -> tuple[tuple[str, ...], ...]:
    """Quoted parts first, then compound words; each as the parts that a document holds side by side."""
    quoted = [_leaves(scan(next(filter(None, match)))) for match in _QUOTED.findall(text) if any(match)]
    compound = [_leaves([(kind, raw)]) for kind, raw, _ in words if kind == "word" and _JOINED.search(raw)]
    found = dict.fromkeys(phrase[:PHRASE_MAX_TOKENS] for phrase in (*quoted, *compound) if len(phrase) > 1)
    return tuple(found)[:QUERY_MAX_PHRASES]


def _leaves(scanned: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    found: list[str] = []
    kind = raw = ""
    for kind, raw in scanned:
        found.extend(word_parts(raw) if kind == "word" else run_tokens(raw) if kind == "run" else [raw])
    # The document's run may go on where the phrase ends, so the single last character of a run is no part of it.
    return tuple(found[:-1] if kind == "run" and len(raw) > 1 else found)


def _symbols(text: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for word in text[: QUERY_MAX_TERMS * TOKEN_MAX_CHARS].split():
        quoted = len(word) > 2 and word[0] == word[-1] == "`"
        bare = word.strip(_EDGES.replace("(", "").replace(")", "")).lstrip("(").rstrip(".,;:!?")
        if bare.endswith(")") and not bare.endswith("()"):
            bare = bare.rstrip(")").partition("(")[0]
        if _SYMBOL.fullmatch(bare) and (quoted or _SYMBOL_SIGN.search(bare)) and len(bare) <= 4 * TOKEN_MAX_CHARS:
            found[bare.removesuffix("()")] = None
    found.pop("", None)
    return tuple(found)[:QUERY_MAX_SYMBOLS]


def has_phrase(found: Sequence[str], phrase: Sequence[str]) -> bool:
    """Whether the token sequence holds the phrase in one piece, compound tokens before their parts aside."""
    if not phrase or not set(phrase).issubset(found):
        return False
    return any(token == phrase[0] and _continues(found, at, phrase) for at, token in enumerate(found))


def _continues(found: Sequence[str], at: int, phrase: Sequence[str]) -> bool:
    wanted = 1
    while wanted < len(phrase):
        at += 1
        if at == len(found):
            return False
        if found[at] == phrase[wanted]:
            wanted += 1
        elif not _is_compound(found, at):
            return False
    return True


def _is_compound(found: Sequence[str], at: int) -> bool:
    follower = found[at + 1] if at + 1 < len(found) else ""
    return 0 < len(follower) < len(found[at]) and follower in found[at]


def trigrams(word: str) -> tuple[str, ...]:
    """Distinct three-character pieces of the folded word, padded so that its beginning weighs more."""
    padded = f"  {fold_word(unmarked(clean(word)))} "
    return tuple(dict.fromkeys(padded[at : at + 3] for at in range(len(padded) - 2))) if padded.strip() else ()


def similarity(a: str, b: str) -> float:
    """Dice coefficient of the trigrams of two words: 1.0 the same, 0.0 nothing shared."""
    left, right = set(trigrams(a)), set(trigrams(b))
    return 2 * len(left & right) / (len(left) + len(right)) if left and right else 0.0
