"""Plans a build: what to parse and re-link after a change, and the rows that come of it."""

import json
from array import array
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field

from remora.core.codegraph.boundaries.endpoints import packed
from remora.core.codegraph.build import LinkResult
from remora.core.codegraph.facts import FileFacts
from remora.core.codegraph.linked import KINDS, Linked
from remora.core.codegraph.modules import components
from remora.core.codegraph.snapshot import (
    DependencyRow,
    EdgeRow,
    FileRow,
    FlowRow,
    GraphUpdate,
    SymbolRow,
    UnresolvedRow,
)
from remora.core.codegraph.surface import surface
from remora.core.codegraph.symbols import Declared

_CONTAINS, _REFERENCES = KINDS.index("contains"), KINDS.index("references")
Owner = tuple[int, str]


@dataclass(slots=True)
class Numbering:
    """Gives symbols their numbers: a symbol keeps its number as long as its qualified name stands in its file."""

    next_id: int = 1
    by_file: "dict[int, array[int]]" = field(default_factory=dict)
    """File -> symbol of each of its scopes (0 = none), of every file numbered or learnt so far."""
    stored: Callable[[int], Iterable[SymbolRow]] = lambda _: ()
    """Symbols of an unchanged file."""

    def of(self, file: int, scope: int) -> int:
        """The number of a scope's symbol."""
        found = self.by_file.get(file)
        if found is None:
            found = self.by_file[file] = _by_scope((row.scope, row.id) for row in self.stored(file))
        return found[scope]

    def number(self, file: int, declared: Iterable[Declared], before: Mapping[str, int]) -> list[SymbolRow]:
        """Rows of one file's symbols. `before` are the numbers of its former symbols by qualified name."""
        rows: list[SymbolRow] = []
        ids: dict[str, int] = {}
        for item in declared:
            number = before.get(item.qualified)
            if number is None:
                number, self.next_id = self.next_id, self.next_id + 1
            ids[item.qualified] = number
            parent = ids.get(item.parent, 0) if item.scope != 0 else 0
            rest = (item.kind, item.line, item.end_line, int(item.public), int(item.test))
            texts = (item.signature, item.doc, item.decorators)
            rows.append(SymbolRow(number, file, item.scope, parent, item.qualified, item.name, *rest, *texts))
        self.by_file[file] = _by_scope((row.scope, row.id) for row in rows)
        return rows


def _by_scope(numbers: Iterable[tuple[int, int]]) -> "array[int]":
    known = {scope: number for scope, number in numbers if scope >= 0}
    return array("q", (known.get(scope, 0) for scope in range(max(known, default=-1) + 1)))


@dataclass(slots=True)
class Changes:
    """How a listing differs from the files of the stored graph."""

    changed: dict[str, FileRow] = field(default_factory=dict)
    added: list[str] = field(default_factory=list)
    removed: list[FileRow] = field(default_factory=list)

    def total(self) -> int:
        """How many files differ."""
        return len(self.changed) + len(self.added) + len(self.removed)


@dataclass(slots=True)
class Tally:
    """What the parts of a build add up to."""

    parsed: int = 0
    relinked: int = 0
    counts: dict[str, int] = field(default_factory=lambda: {"symbol": 0, "edge": 0, "unresolved": 0})
    problems: list[tuple[str, str]] = field(default_factory=list)

    def count(self, update: GraphUpdate) -> None:
        """Add a part."""
        self.parsed += len(update.files)
        self.relinked += len(update.relinked)
        self.counts["symbol"] += sum(map(len, update.symbols.values()))
        self.counts["edge"] += len(update.edges)
        self.counts["unresolved"] += len(update.unresolved)
        self.problems += [(row.path, row.problem) for row, _ in update.files if row.problem]


def changed_names(before: FileFacts, after: FileFacts) -> set[str] | None:
    """Top-level names whose outside view differs; None = all, also names the file does not have."""
    if [before.imports[i][:2] for i in before.stars] != [after.imports[i][:2] for i in after.stars]:
        return None
    old, new = surface(before), surface(after)
    return {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}


def module_parts(paths: Iterable[str]) -> set[str]:
    """Names by which files that came or went may be imported: each folder's and the file's own."""
    found: set[str] = set()
    for path in paths:
        found |= components([path[: path.rfind(".")]])
    return found


def closure(
    seeds: Iterable[tuple[int, str | None]], dependents: Callable[[int, str | None], Iterable[Owner]]
) -> tuple[set[int], set[Owner]]:
    """Files to re-link and owners to evaluate anew, from changed (file, name) pairs; name None = everything."""
    files: set[int] = set()
    owners: set[Owner] = set()
    opened: set[tuple[int, None]] = set()
    todo = list(seeds)
    while todo:
        changed = todo.pop()
        for owner in dependents(*changed):
            # What a module name means changed, so what such a file hands on may be anything else now.
            whole = (owner[0], None)
            if not changed[0] and whole not in opened:
                opened.add(whole)
                todo.append(whole)
            if owner in owners:
                continue
            owners.add(owner)
            if owner[1]:
                todo.append(owner)
            else:
                files.add(owner[0])
    return files, owners


def add_links(
    update: GraphUpdate,
    result: LinkResult,
    numbering: Numbering,
    last_flow_round: int,
) -> None:
    """Turn linked files into rows of the update."""
    for file in sorted(result.linked):
        linked = result.linked[file]
        update.relinked.append(file)
        update.counts[file] = (linked.calls, linked.external)
        update.edges.extend(_edges(file, linked, numbering))
        for scope, line, name in linked.unresolved:
            update.unresolved.append(UnresolvedRow(numbering.of(file, scope), line, name))
        update.dependencies.extend(DependencyRow(0, part, file, "") for part in linked.modules)
        if linked.endpoints:
            update.endpoints[file] = json.dumps(packed(linked.endpoints), separators=(",", ":"))
        update.stale_owners.append((file, ""))
    for (number, source), targets in result.flows.items():
        if number < last_flow_round:
            update.flows.extend(FlowRow(number, source, target, payload) for target, payload in targets.items())
    for owner, on in result.dependencies.items():
        update.dependencies.extend(DependencyRow(target, name, *owner) for target, name in on)


def _edges(file: int, linked: Linked, numbering: Numbering) -> Iterable[EdgeRow]:
    called = {(source, target) for source, kind, target in linked.edges if kind == "calls"}
    for (source, kind, target), (tier, line) in linked.edges.items():
        if kind == "references" and (source, target) in called:
            continue
        ends = numbering.of(file, source), numbering.of(*target)
        yield EdgeRow(ends[0], KINDS.index(kind), ends[1], tier, line)


def containment(rows: Collection[SymbolRow]) -> Iterable[EdgeRow]:
    """Edges from each symbol to those declared directly in it."""
    return (EdgeRow(row.parent, _CONTAINS, row.id, 0, row.line) for row in rows if row.parent)


def file_row(number: int, path: str, facts: FileFacts, digest: str, version: str, symbols: int) -> FileRow:
    """The row of a parsed file, its links not counted yet."""
    counts = (facts.lines, facts.code_lines, symbols, facts.errors)
    return FileRow(number, path, facts.language, digest, version, *counts, facts.problem, 0, 0)
