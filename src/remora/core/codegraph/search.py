"""From a question to a small part of the graph: symbols ranked by their words, and what lies one step around them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from remora.core import policy
from remora.core.codegraph.linked import KINDS, TIERS
from remora.core.codegraph.names import Names
from remora.core.codegraph.snapshot import EdgeRow, SymbolRow
from remora.core.codegraph.view import GraphView, rows_of, uses
from remora.core.graph import TermStats
from remora.core.recall.bm25 import bm25
from remora.core.text import parse_query, tokens

_FIELDS = ("name", "doc", "signature", "path")


@dataclass(frozen=True, slots=True)
class FoundSymbol:
    """A symbol of the answer. `score` is of its words, 0.0 when it came as a neighbour; `why` says which."""

    id: str
    kind: str
    file: str
    line: int
    signature: str
    doc: str
    score: float
    why: str


@dataclass(frozen=True, slots=True)
class FoundEdge:
    """A relation between two symbols of the answer."""

    source: str
    kind: str
    target: str
    tier: str


@dataclass(frozen=True, slots=True)
class Subgraph:
    """Symbols best first and the relations among them; `total` symbols share a word with the question."""

    symbols: tuple[FoundSymbol, ...]
    edges: tuple[FoundEdge, ...]
    total: int
    truncated: bool


def ask(view: GraphView, names: Names, question: str, budget_chars: int) -> Subgraph:
    """The subgraph for a question, in a budget of characters: about two thirds for symbols that match."""
    ranked, total = ranked_symbols(view.symbols(), names, question)
    seeds = ranked[: policy.QUESTION_SEEDS]
    edges = _around(view, [row.id for row, _, _ in seeds])
    near = _neighbours(edges, {row.id for row, _, _ in seeds})
    rows = rows_of(view, near[: policy.QUESTION_NEIGHBOURS])
    shown = [_found(names, row, score, f"words: {', '.join(words)}") for row, score, words in seeds]
    shown += [_found(names, rows[key], 0.0, "one step away") for key in near if key in rows]
    kept: list[FoundSymbol] = []
    room = budget_chars * 2 // 3
    for symbol in shown:
        room -= len(symbol.id) + len(symbol.signature) + len(symbol.doc) + policy.RELATION_OVERHEAD_CHARS
        if room < 0:
            break
        kept.append(symbol)
    inside = {symbol.id for symbol in kept}
    ids = {row.id: names.id(row) for row in (*(row for row, _, _ in seeds), *rows.values())}
    pairs = [(ids.get(edge.source, ""), edge.kind, ids.get(edge.target, ""), edge.tier) for edge in edges]
    links = sorted(
        {FoundEdge(a, KINDS[k], b, TIERS[t]) for a, k, b, t in pairs if a in inside and b in inside}, key=_key
    )
    fit = _fitting(links, budget_chars // 3)
    cut = len(kept) < len(shown) or len(fit) < len(links) or total > len(seeds)
    return Subgraph(tuple(kept), tuple(fit), total, cut)


def _key(edge: FoundEdge) -> tuple[str, str, str]:
    return edge.source, edge.kind, edge.target


def _fitting(edges: Sequence[FoundEdge], room: int) -> list[FoundEdge]:
    kept: list[FoundEdge] = []
    for edge in edges:
        room -= len(edge.source) + len(edge.target) + policy.RELATION_OVERHEAD_CHARS
        if room < 0:
            break
        kept.append(edge)
    return kept


def _found(names: Names, row: SymbolRow, score: float, why: str) -> FoundSymbol:
    return FoundSymbol(
        names.id(row), row.kind, names.path(row), row.line, row.signature[: policy.QUESTION_TEXT_CHARS],
        row.doc[: policy.QUESTION_TEXT_CHARS], round(score, 4), why,
    )  # fmt: skip


def ranked_symbols(
    symbols: Iterable[SymbolRow], names: Names, question: str
) -> tuple[list[tuple[SymbolRow, float, tuple[str, ...]]], int]:
    """(symbol, score, words it shares) best first by BM25 over name, doc, signature and path; and how many matched."""
    query = parse_query(question)
    if query.empty:
        return [], 0
    documents = 0
    held: list[tuple[SymbolRow, dict[str, tuple[str, ...]], tuple[str, ...]]] = []
    beginnings = tuple({term[: policy.QUESTION_STEM_CHARS] for term in (*query.terms, *query.prefixes)})
    for row in symbols:
        documents += 1
        text = f"{row.qualified} {row.doc} {row.signature} {names.path(row)}"
        folded = text.casefold()
        if text.isascii() and not any(part in folded for part in beginnings):
            continue  # no token can begin like a word of the question
        fields = _words(row, names)
        words = {token for found in fields.values() for token in found}
        shared = tuple(term for term in query.terms if term in words)
        if shared:
            held.append((row, fields, shared))
    stats = _stats(held, documents, query.terms)
    scored = [
        (row, bm25(fields, query.terms, (), stats, policy.QUESTION_WEIGHTS) * (0.5 if row.test else 1.0), shared)
        for row, fields, shared in held
    ]
    return sorted(scored, key=lambda item: (-item[1], names.id(item[0]))), len(held)


def _words(row: SymbolRow, names: Names) -> dict[str, tuple[str, ...]]:
    parts = (row.qualified or names.path(row).rpartition("/")[2], row.doc, row.signature, names.path(row))
    return {field: tuple(tokens(text)) for field, text in zip(_FIELDS, parts, strict=True) if text}


def _stats(
    held: Sequence[tuple[SymbolRow, Mapping[str, Sequence[str]], tuple[str, ...]]], documents: int, terms: Sequence[str]
) -> TermStats:
    lengths = {field: [len(fields[field]) for _, fields, _ in held if field in fields] for field in _FIELDS}
    mean = {field: sum(found) / len(found) for field, found in lengths.items() if found}
    frequency = {term: sum(term in shared for _, _, shared in held) for term in terms}
    return TermStats(documents, mean, frequency)


def _around(view: GraphView, seeds: Sequence[int]) -> list[EdgeRow]:
    if not seeds:
        return []
    return sorted({*uses(view.edges(sources=seeds)), *uses(view.edges(targets=seeds))})


def _neighbours(edges: Iterable[EdgeRow], seeds: set[int]) -> list[int]:
    """Symbols one step away, those that touch more of the seeds first."""
    touched: dict[int, set[int]] = {}
    for edge in edges:
        for near, seed in ((edge.source, edge.target), (edge.target, edge.source)):
            if near not in seeds and seed in seeds:
                touched.setdefault(near, set()).add(seed)
    return sorted(touched, key=lambda key: (-len(touched[key]), key))
