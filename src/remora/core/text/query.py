"""Queries: any text becomes a safe set of terms, prefixes, phrases and symbols; nothing in it is syntax but quotes."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from remora.core.policy import (
    PREFIX_MIN_CHARS,
    QUERY_MAX_PHRASES,
    QUERY_MAX_PREFIXES,
    QUERY_MAX_SYMBOLS,
    QUERY_MAX_TERMS,
    TOKEN_MAX_CHARS,
)
from remora.core.text.names import clean
from remora.core.text.stem import stem
from remora.core.text.tokens import expand, fold_word, run_tokens, scan, tokens, unmarked

STOP_WORDS = frozenset(
    """a about after again all also am an and any are as at be because been before being but by can could did do does
    doing dont for from had has have having he her here him his how i if in into is isnt it its just me my no nor not
    of off on once or our out over own she should so some such than that the their them then there these they this
    those through to too under until up us very was we were what when where which while who whom why will with would
    you your""".split()  # noqa: SIM905 - a word list reads as words
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
        phrases=_phrases(text, pieces.groups),
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


def _phrases(text: str, groups: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    quoted = [tuple(leaves(tokens(next(filter(None, match))))) for match in _QUOTED.findall(text) if any(match)]
    compound = [tuple(leaves(group)) for group in groups if _JOINED.search(group[0])]
    found = dict.fromkeys(phrase[:QUERY_MAX_TERMS] for phrase in (*quoted, *compound) if len(phrase) > 1)
    return tuple(found)[:QUERY_MAX_PHRASES]


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


def leaves(found: Sequence[str]) -> list[str]:
    """Tokens without the compound words that their own parts follow."""
    return [token for at, token in enumerate(found) if not _is_compound(found, at)]


def _is_compound(found: Sequence[str], at: int) -> bool:
    follower = found[at + 1] if at + 1 < len(found) else ""
    return bool(follower) and len(follower) < len(found[at]) and found[at].lstrip("._-/").startswith(follower)


def has_phrase(found: Sequence[str], phrase: Sequence[str]) -> bool:
    """Whether the token sequence holds the phrase in one piece (compound tokens between its words do not count)."""
    if not phrase or not set(phrase).issubset(found):
        return False
    bare = leaves(found)
    size, first = len(phrase), phrase[0]
    wanted = list(phrase)
    return any(bare[at] == first and bare[at : at + size] == wanted for at in range(len(bare) - size + 1))


def trigrams(word: str) -> tuple[str, ...]:
    """Distinct three-character pieces of the folded word, padded so that its beginning weighs more."""
    padded = f"  {fold_word(unmarked(clean(word)))} "
    return tuple(dict.fromkeys(padded[at : at + 3] for at in range(len(padded) - 2))) if padded.strip() else ()


def similarity(a: str, b: str) -> float:
    """Dice coefficient of the trigrams of two words: 1.0 the same, 0.0 nothing shared."""
    left, right = set(trigrams(a)), set(trigrams(b))
    return 2 * len(left & right) / (len(left) + len(right)) if left and right else 0.0
