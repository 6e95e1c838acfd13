"""What a set of changed files and symbols reaches: symbols by hop, tests, parts of the code, habits, memory, risk."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from remora.core import policy
from remora.core.codegraph.answers import Relation, relation_chars, within
from remora.core.codegraph.communities import Communities, Community, crossed
from remora.core.codegraph.diff import ChangedFile, ChangedSymbol
from remora.core.codegraph.impact import Reached, reached
from remora.core.codegraph.linked import KINDS, TIERS
from remora.core.codegraph.names import Names
from remora.core.codegraph.relations import UnknownCall, named_unknown
from remora.core.codegraph.risk import Risk, Signs, risk_of
from remora.core.codegraph.snapshot import EdgeRow, SymbolRow, node_id
from remora.core.codegraph.view import CALLABLE, GraphView, members, names_of, rows_of, uses
from remora.core.errors import InvalidInput
from remora.core.records.cochange import Partner, partners
from remora.core.records.evidence import Evidence, gather
from remora.core.records.indexed import Category
from remora.core.records.view import RecordView


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What changes. `whole_files`: nothing finer than files is known. `unparsed` files have no symbols here."""

    base: str = ""
    head: str = ""
    files: tuple[ChangedFile, ...] = ()
    symbols: tuple[ChangedSymbol, ...] = ()
    whole_files: bool = False
    unparsed: int = 0


@dataclass(frozen=True, slots=True)
class TouchedSymbol:
    """A changed symbol as answers show it; `known` is False when the present graph does not hold it."""

    id: str
    change: str
    file: str
    line: int
    kind: str
    public: bool
    known: bool


@dataclass(frozen=True, slots=True)
class CrossedPart:
    """A part of the code that a change reaches without touching it, and how many of its symbols."""

    id: str
    label: str
    symbols: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    """The whole answer. Lists are cut to the budget, counts are not; `dangling` are calls that name a deleted symbol.

    `communities_known` is False when there was no clustering to tell parts apart. `evidence` is None without memory.
    """

    base: str
    head: str
    files: tuple[ChangedFile, ...]
    symbols: tuple[TouchedSymbol, ...]
    affected: tuple[Relation, ...]
    by_hop: Mapping[str, int]
    tests: tuple[Relation, ...]
    totals: Mapping[str, int]
    communities: tuple[CrossedPart, ...]
    communities_known: bool
    partners: tuple[Partner, ...]
    dangling: tuple[UnknownCall, ...]
    risk: Risk
    unresolved_calls: int
    truncated: bool
    evidence: Evidence | None = None


@dataclass(slots=True)
class _Reach:
    """Changed symbols with their rows, and what depends on them."""

    symbols: list[TouchedSymbol] = field(default_factory=list)
    rows: dict[int, SymbolRow] = field(default_factory=dict)
    """Rows of the changed symbols that the graph holds."""
    found: list[Reached] = field(default_factory=list)
    affected: list[Relation] = field(default_factory=list)
    tests: list[Relation] = field(default_factory=list)
    leaving: set[int] = field(default_factory=set)
    """Of the rows, those that the change deletes."""
    dangling: list[UnknownCall] = field(default_factory=list)
    unresolved: int = 0


def assess(
    view: GraphView,
    change: Change,
    communities: Communities | None,
    records: RecordView | None,
    *,
    depth: int,
    budget_chars: int,
) -> Impact:
    """The impact of a change on the code of the view; `records` is None while memory is off."""
    if not 1 <= depth <= policy.AFFECTED_DEPTH_MAX:
        raise InvalidInput("depth", f"is {depth}", allowed=f"1 to {policy.AFFECTED_DEPTH_MAX}")
    names = names_of(view)
    reach = _reach(view, names, change, depth)
    paths = [path for file in change.files for path in (file.path, file.old_path) if path]
    ids = [symbol.id for symbol in reach.symbols]
    evidence = _with_symbols(gather(records, list(dict.fromkeys(paths))), set(ids)) if records is not None else None
    habits = partners(records, set(paths)) if records is not None else ()
    parts = crossed(communities, ids, (row.id for row in reach.affected)) if communities is not None else []
    signs = Signs(
        affected=len(reach.affected),
        public=sum(symbol.public for symbol in reach.symbols),
        untested=_untested(view, reach),
        dangling=len(reach.dangling),
        deleted=_deleted_in_use(reach),
        unresolved=reach.unresolved,
        communities=len(parts),
        pitfalls=evidence.counts.get(Category.PITFALL, 0) if evidence is not None else 0,
        partners=habits,
    )
    return _answer(change, reach, evidence, habits, parts, communities is not None, risk_of(signs), budget_chars)


def _with_symbols(evidence: Evidence, ids: set[str]) -> Evidence:
    """The same block, each row with the changed symbols that it names: whoever names one names its file."""
    rows = []
    for row in evidence.rows:
        named = {anchor.node_id for anchor in row.record.anchors} & ids
        rows.append(replace(row, subjects=(*row.subjects, *sorted(named))))
    return replace(evidence, rows=tuple(rows))


def _answer(
    change: Change,
    reach: _Reach,
    evidence: Evidence | None,
    habits: tuple[Partner, ...],
    parts: Sequence[tuple[Community, int]],
    known: bool,
    risk: Risk,
    budget_chars: int,
) -> Impact:
    affected, cut = within(reach.affected, relation_chars, budget_chars // 2)
    tests, cut_tests = within(reach.tests, relation_chars, budget_chars // 4)
    symbols, files = reach.symbols[: policy.IMPACT_SYMBOLS_SHOWN], change.files[: policy.IMPACT_SYMBOLS_SHOWN]
    hops = Counter(str(row.hops) for row in reach.affected)
    crossed_parts = [CrossedPart(part.id, part.label, count) for part, count in parts]
    return Impact(
        base=change.base,
        head=change.head,
        files=files,
        symbols=tuple(symbols),
        affected=affected,
        by_hop=dict(sorted(hops.items(), key=lambda item: int(item[0]))),
        tests=tests,
        totals={
            "files": len(change.files), "unparsed_files": change.unparsed, "symbols": len(reach.symbols),
            "symbols_not_in_graph": sum(not symbol.known for symbol in reach.symbols), "affected": len(reach.affected),
            "tests": len(reach.tests), "communities": len(parts),
        },
        communities=tuple(crossed_parts[: policy.IMPACT_COMMUNITIES_SHOWN]),
        communities_known=known,
        partners=habits,
        dangling=tuple(reach.dangling[: policy.UNKNOWN_CALLS_SHOWN]),
        risk=risk,
        unresolved_calls=reach.unresolved,
        truncated=cut or cut_tests or len(symbols) < len(reach.symbols) or len(files) < len(change.files),
        evidence=evidence,
    )  # fmt: skip


# --- What depends on the change ---------------------------------------------------------------------------------------


def _reach(view: GraphView, names: Names, change: Change, depth: int) -> _Reach:
    reach = _Reach()
    files = {row.path: row for row in view.files()}
    inside: dict[str, dict[str, SymbolRow]] = {}
    gone: set[str] = set()
    for symbol in change.symbols:
        file = files.get(symbol.path)
        if symbol.path not in inside:
            found = view.symbols(files=(file.id,)) if file is not None else []
            inside[symbol.path] = {row.qualified: row for row in found}
        row = inside[symbol.path].get(symbol.qualified)
        key = node_id(file.language if file else "code", symbol.path, symbol.qualified)
        reach.symbols.append(_touched(symbol, row, key))
        if row is not None:
            reach.rows[row.id] = row
            reach.leaving |= {row.id} if symbol.change == "deleted" else set()
        elif symbol.change == "deleted" and symbol.qualified:
            gone.add(symbol.qualified.rpartition(".")[2])
    start = members(view, reach.rows) if change.whole_files else list(reach.rows)
    reach.found = _found(view, start, reach.rows, change.whole_files)
    _describe(view, names, reach, depth)
    # A name that something else still has may well mean that one.
    lost = [call for name in sorted(gone) if not view.symbols(name=name) for call in view.unresolved(name=name)]
    callers = rows_of(view, {call.source for call in lost})
    reach.dangling = sorted(
        (UnknownCall(names.path(callers[call.source]), call.line, call.name) for call in lost),
        key=lambda call: (call.file, call.line, call.name),
    )
    reach.unresolved = len({*named_unknown(view, list(rows_of(view, start).values())), *lost})
    return reach


def _touched(symbol: ChangedSymbol, row: SymbolRow | None, key: str) -> TouchedSymbol:
    kind, public = (row.kind, bool(row.public)) if row is not None else ("", False)
    return TouchedSymbol(key, symbol.change, symbol.path, symbol.line, kind, public, row is not None)


def _found(view: GraphView, start: Sequence[int], rows: Mapping[int, SymbolRow], whole: bool) -> list[Reached]:
    """Everything that reaches the change. Who imports a changed module is one step away, unless whole files change:
    then imports are followed like uses."""
    if not start:
        return []

    def incoming(front: Collection[int]) -> list[EdgeRow]:
        return view.edges(targets=front)

    found = reached(start, incoming, depth=policy.AFFECTED_DEPTH_MAX, imports=whole)
    modules = [key for key, row in rows.items() if not row.qualified]
    if modules and not whole:
        known = {item.symbol for item in found} | set(start)
        near = reached(modules, incoming, depth=1, imports=True)
        found += [item for item in near if item.symbol not in known]
    return sorted(found, key=lambda item: (item.hops, item.tier, item.symbol))


def _describe(view: GraphView, names: Names, reach: _Reach, depth: int) -> None:
    rows = rows_of(view, [item.symbol for item in reach.found])
    for item in reach.found:
        row = rows[item.symbol]
        place = (names.path(row), item.line, item.hops, bool(row.test))
        relation = Relation(names.id(row), KINDS[item.kind], TIERS[item.tier], *place)
        if item.hops <= depth:
            reach.affected.append(relation)
        if row.test and row.qualified:
            reach.tests.append(relation)
    reach.tests += [
        Relation(names.id(row), "changed", TIERS[0], names.path(row), row.line, 0, test=True)
        for row in reach.rows.values()
        if row.test and row.qualified
    ]
    reach.tests.sort(key=lambda item: (item.hops, item.id))


def _deleted_in_use(reach: _Reach) -> int:
    """How many symbols that are to go are still used by others."""
    return len({item.via for item in reach.found if item.hops == 1} & reach.leaving)


def _untested(view: GraphView, reach: _Reach) -> int:
    """How many changed functions and methods no test reaches: what the tests that reach the change lead to is walked
    forwards, inside of what reaches it."""
    told = {key for key, row in reach.rows.items() if row.kind in CALLABLE and not row.test}
    allowed = {item.symbol for item in reach.found} | reach.rows.keys()
    front = {row.id for row in rows_of(view, allowed).values() if row.test}
    covered = set(front)
    while front and told - covered:
        ends = {edge.target for edge in uses(view.edges(sources=front)) if KINDS[edge.kind] != "imports"}
        front = (ends & allowed) - covered
        covered |= front
    return len(told - covered)
