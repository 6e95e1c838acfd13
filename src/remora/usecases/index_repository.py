"""Bring the code graph up to date with the checkout: whole at first, later what changed and what that can touch."""

import gc
import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

from remora.core import policy
from remora.core.codegraph.boundaries.stage import NATIVE_MANIFESTS
from remora.core.codegraph.build import ROUNDS, GraphLinker
from remora.core.codegraph.facts import FileFacts
from remora.core.codegraph.packed import Outline, Unpacked, decode_declarations, outline
from remora.core.codegraph.plan import (
    Changes,
    Numbering,
    Tally,
    add_links,
    changed_names,
    closure,
    containment,
    file_row,
    module_parts,
)
from remora.core.codegraph.rules import Rules
from remora.core.codegraph.snapshot import FileRow, FileStamp, GraphUpdate, Listing, indexable
from remora.core.codegraph.symbols import declarations
from remora.core.codegraph.whole_tree import WholeTree
from remora.core.errors import Corrupt, NotFound
from remora.core.ids import digest
from remora.core.scope import Grant, Right
from remora.ports import CodeGraphFill, CodeGraphPorts, CodeGraphRead

Progress = Callable[[str, int, int], None]
"""(stage, done, total)."""


@dataclass(frozen=True, slots=True)
class IndexRequest:
    """`full` builds everything anew; above `at_most` changed files nothing is built and the mode is `stale`.

    With `at_most`, a graph that is missing or of another layout is built when it is of `first_at_most` files at most,
    else it is an error. Without `write`, nothing is locked or built: the result says what is stale.
    """

    full: bool = False
    at_most: int | None = None
    first_at_most: int = 0
    write: bool = True


@dataclass(frozen=True, slots=True)
class IndexResult:
    """What a build did. `mode` is full, incremental, unchanged or stale (too much changed for `at_most`)."""

    mode: str
    commit: str
    files: int
    parsed: int = 0
    removed: int = 0
    relinked: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[tuple[str, str], ...] = ()
    """(path, why it has no symbols) of this build."""
    stale: tuple[str, ...] = ()


def index_repository(
    ports: CodeGraphPorts, grant: Grant, request: IndexRequest, progress: Progress | None = None
) -> IndexResult:
    """Index the checkout; readers keep seeing the former graph until the new one is whole."""
    grant.require(ports.repository.identity, Right.READ)
    if not request.write:
        return _looked(ports)
    with ports.code_graph.building(), _no_cycle_collection():
        build = _Build(ports, indexable(ports.sources.listing()), progress or (lambda *_: None))
        if not request.full:
            try:
                with ports.code_graph.read() as reader:
                    result = build.plan(reader, request.at_most)
            except (NotFound, Corrupt):
                small = 0 < len(build.listing.files) <= request.first_at_most
                if request.at_most is not None and not small:
                    raise
            else:
                if result is not None:
                    build.apply()
                    return result
        return _Build(ports, build.listing, build.progress).full()


def _looked(ports: CodeGraphPorts) -> IndexResult:
    """The stored graph as it is: of which commit, and which files differ from it."""
    build = _Build(ports, indexable(ports.sources.listing()), lambda *_: None)
    with ports.code_graph.read() as reader:
        result = build.plan(reader, 0)
        assert result is not None  # with a limit, a plan says what is stale and builds nothing
        return replace(result, commit=reader.meta().get("commit", ""))


@contextmanager
def _no_cycle_collection() -> Iterator[None]:
    """A build makes millions of small values and no cycles; looking for cycles would double its time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class _Build:
    """One run over one listing."""

    def __init__(self, ports: CodeGraphPorts, listing: Listing, progress: Progress) -> None:
        self._ports = ports
        self.listing = listing
        self.progress = progress
        self._update = GraphUpdate()
        self._facts = Unpacked(self._data)
        self._packed: dict[int, bytes] = {}
        self._digests: dict[str, str] = {}
        self._texts: dict[str, bytes] = {}
        self._versions = ports.parser.versions()
        self._numbering = Numbering()
        self._fresh: CodeGraphFill | None = None
        self._stored: CodeGraphRead | None = None
        """What is written already: of the former build, or of this one when it is a whole one."""
        self._tally = Tally()
        self._reader: CodeGraphRead | None = None
        self._files: dict[int, str] = {}
        self._known: dict[str, str] = {}
        self._lost: list[str] = []
        self._changed = False

    # --- whole

    def full(self) -> IndexResult:
        """Build everything and replace the graph."""
        numbers = {path: place for place, path in enumerate(self.listing.files, 1)}
        with self._ports.code_graph.replacing() as self._fresh:
            self._parse(numbers, {})
            self._stored = self._fresh.declared()
            lost = set(self._lost)
            self._files = {number: path for path, number in numbers.items() if path not in lost}
            self._link(set(self._files))
            self._describe()
            self._complete()
            self._hand_over()
        self._ports.code_graph.write_stamps(self._stamps({}))
        return self._result("full", 0)

    def _hand_over(self) -> None:
        """Write what a whole build found so far, so that it need not be held."""
        if self._fresh is not None:
            self._fresh.add(self._update)
            self._tally.count(self._update)
            self._update = GraphUpdate()

    # --- what changed

    def plan(self, reader: CodeGraphRead, at_most: int | None) -> IndexResult | None:
        """Find what changed and link what it can touch; nothing is written yet. None = so much that all is."""
        self._reader = self._stored = reader
        rows = {row.path: row for row in reader.files()}
        changes = self._compare(rows)
        self._changed = bool(changes.total()) or reader.meta().get("commit", "") != self.listing.commit
        if not changes.total():
            self._describe()
            skipped = self.listing.skipped
            return IndexResult("unchanged", self.listing.commit, len(rows), counts=reader.counts(), skipped=skipped)
        if at_most is not None and changes.total() > at_most:
            self._changed = False
            stale = [*changes.changed, *changes.added, *(row.path for row in changes.removed)]
            return IndexResult("stale", self.listing.commit, len(rows), stale=tuple(sorted(stale)))
        if changes.total() > policy.REBUILD_SHARE * max(len(self.listing.files), policy.REBUILD_FILES_MIN):
            return None
        self._plan(reader, rows, changes)
        return self._result("incremental", len(changes.removed))

    def apply(self) -> None:
        """Write what was planned, if anything."""
        if self._changed:
            self._ports.code_graph.update(self._update)
            self._ports.code_graph.write_stamps(self._stamps(self._known))

    def _compare(self, rows: Mapping[str, FileRow]) -> Changes:
        found = Changes()
        stamps = self._ports.code_graph.stamps()
        for path, stamp in self.listing.files.items():
            row = rows.get(path)
            if row is None:
                found.added.append(path)
                continue
            known = stamps.get(path)
            current = known[1] if known is not None and known[0] == stamp else self._digest(path)
            self._known[path] = current
            if current != row.digest or self._versions.get(row.language) != row.version:
                found.changed[path] = row
        found.removed = [row for path, row in rows.items() if path not in self.listing.files]
        return found

    def _plan(self, reader: CodeGraphRead, rows: Mapping[str, FileRow], changes: Changes) -> None:
        before = {row.id: self._facts[row.id] for row in changes.changed.values()}
        self._facts.forget()
        highest = max((row.id for row in rows.values()), default=0)
        numbers = {path: row.id for path, row in changes.changed.items()}
        numbers.update({path: highest + place for place, path in enumerate(sorted(changes.added), 1)})
        changed_ids = set(numbers.values())
        old_symbols = reader.symbols(files=[row.id for row in changes.changed.values()]) if before else []
        former: dict[int, dict[str, int]] = {}
        for symbol in old_symbols:
            former.setdefault(symbol.file, {})[symbol.qualified] = symbol.id
        self._numbering.stored = lambda file: reader.symbols(files=(file,))
        self._numbering.next_id = reader.highest_symbol() + 1
        self._parse(numbers, former)
        gone = {row.id for row in changes.removed}
        self._files = {row.id: row.path for row in rows.values() if row.id not in gone}
        self._files.update({number: path for path, number in numbers.items()})
        self._update.removed = sorted(gone)
        seeds: list[tuple[int, str | None]] = [(number, None) for number in gone]
        moved = [*changes.added, *(row.path for row in changes.removed)]
        if self._moves_packages(moved) or self._redefines_modules([*changes.changed, *moved], before):
            seeds += [(number, None) for number in self._files]
            changed_ids.update(self._files)
        seeds += [(0, part) for part in module_parts([*changes.added, *(row.path for row in changes.removed)])]
        for number, facts in before.items():
            names = changed_names(facts, self._facts[number])
            seeds += [(number, None)] if names is None else [(number, name) for name in sorted(names)]
            seeds += [(0, name) for name in sorted(set(facts.names) ^ set(self._facts[number].names))]
            self._update.stale_owners += [(number, name) for name in sorted(names or ())]
        files, owners = closure(seeds, reader.dependents)
        self._update.stale_owners += sorted(owners)
        todo = (files | changed_ids) & self._files.keys()
        self._link(todo)
        self._describe()
        self._complete()

    def _moves_packages(self, paths: Iterable[str]) -> bool:
        """Whether a file came or went whose presence decides what the names around it mean."""
        rules = self._ports.parser.rules
        names = ((path.rpartition("/")[2].partition(".")[0], self._ports.parser.language(path)) for path in paths)
        return any(
            rules(language).module_style != "dotted" or stem in rules(language).index
            for stem, language in names
            if language
        )

    def _redefines_modules(self, paths: Iterable[str], before: Mapping[int, FileFacts]) -> bool:
        """Whether a file that decides what module names mean is among them, or one changed its package."""
        if any(self._ports.parser.rules(self._ports.parser.language(path)).module_style == "none" for path in paths):
            return True
        return any(facts.package != self._facts[number].package for number, facts in before.items())

    # --- parsing

    def _digest(self, path: str) -> str:
        text = self._ports.sources.read(path)
        if text is None:
            return ""
        self._texts[path] = text
        return digest(text)

    def _jobs(self, numbers: Mapping[str, int]) -> Iterator[tuple[int, str, bytes]]:
        for path, number in numbers.items():
            text = self._texts.pop(path, None)
            text = self._ports.sources.read(path) if text is None else text
            if text is None:
                self._lost.append(path)
                continue
            self._digests[path] = digest(text)
            yield number, self._ports.parser.language(path), text

    def _parse(self, numbers: Mapping[str, int], former: Mapping[int, Mapping[str, int]]) -> None:
        paths = {number: path for path, number in numbers.items()}
        waiting: dict[int, bytes] = {}
        order = deque(sorted(paths))
        parsed = self._ports.parser.parse(self._jobs(numbers))
        for done, (number, data) in enumerate(parsed, 1):
            waiting[number] = data
            self.progress("parse", done, len(numbers))
            # Symbols are numbered in the order of the files, whichever was parsed first.
            while order and (order[0] in waiting or paths[order[0]] in self._lost):
                if order[0] in waiting:
                    self._declare(order[0], paths[order[0]], waiting.pop(order[0]), former.get(order[0], {}))
                order.popleft()
            if len(self._update.files) >= policy.BUILD_PART_FILES:
                self._hand_over()
        for number in sorted(waiting):
            self._declare(number, paths[number], waiting[number], former.get(number, {}))
        self._hand_over()

    def _declare(self, number: int, path: str, data: bytes, former: Mapping[str, int]) -> None:
        facts = decode_declarations(data)
        declared = declarations(facts, self._ports.parser.rules(facts.language), path)
        rows = self._numbering.number(number, declared, former)
        self._update.symbols[number] = rows
        self._update.edges.extend(containment(rows))
        row = file_row(number, path, facts, self._digests[path], self._versions[facts.language], len(rows))
        self._update.files.append((row, data))
        if self._fresh is None:
            self._packed[number] = data

    def _data(self, number: int) -> bytes:
        """A file's packed facts: the new ones when it was parsed in this build, else the stored ones."""
        data = self._packed.get(number)
        if data is None:
            assert self._stored is not None
            data = self._stored.facts(number)
        return data

    # --- linking

    def _link(self, todo: set[int]) -> None:
        families: dict[str, list[tuple[int, str]]] = {}
        rules = self._ports.parser.rules
        for number, path in sorted(self._files.items(), key=lambda item: item[1]):
            language = self._ports.parser.language(path)
            families.setdefault(rules(language).family or language, []).append((number, path))
        done = 0
        native = any(path.rpartition("/")[2] in NATIVE_MANIFESTS for path in self._files.values())

        def count(step: int) -> None:
            nonlocal done
            done += step
            self.progress("link", min(done, len(todo)), len(todo))

        for family, files in sorted(families.items()):
            mine = todo & {number for number, _ in files}
            gone = [] if self._reader is None else self._update.removed
            if not mine and not gone:
                continue
            known = (self._facts.__getitem__, self._outlined, self._manifests(rules(family)))
            linker = GraphLinker(rules(family), files, *known, native=native)
            result = linker.run(mine, self._incoming, self._outgoing, gone, count)
            add_links(self._update, result, self._numbering, ROUNDS - 1)
            self._hand_over()

    def _complete(self) -> None:
        """Add what is of the whole tree."""
        assert self._stored is not None
        tree = WholeTree(self._update, self._stored, self._files, self._ports.parser.language, self._family)
        tree.complete(lambda number: self._facts[number].manifest(), whole=self._reader is None)

    def _family(self, path: str) -> str:
        language = self._ports.parser.language(path)
        return self._ports.parser.rules(language).family or language

    def _outlined(self, number: int) -> Outline:
        return outline(self._data(number))

    def _manifests(self, rules: Rules) -> list[tuple[str, dict[str, Any]]]:
        """(path, content) of the files that decide what module names of a language mean."""
        return [
            (path, self._facts[number].manifest())
            for number, path in sorted(self._files.items(), key=lambda item: item[1])
            if any(fnmatchcase(path.rpartition("/")[2], form) for form in rules.manifests)
        ]

    def _incoming(self, number: int, target: int) -> list[tuple[int, str]]:
        if self._reader is None:
            return []
        return [(row.source, row.payload) for row in self._reader.flows(target=target, round_number=number)]

    def _outgoing(self, number: int, source: int) -> dict[int, str]:
        if self._reader is None:
            return {}
        return {row.target: row.payload for row in self._reader.flows(source=source, round_number=number)}

    # --- result

    def _describe(self) -> None:
        self._update.meta = {"commit": self.listing.commit, "skipped": json.dumps(self.listing.skipped)}

    def _stamps(self, known: Mapping[str, str]) -> Iterator[tuple[str, FileStamp, str]]:
        for path, stamp in self.listing.files.items():
            found = self._digests.get(path) or known.get(path)
            if found:
                yield path, stamp, found

    def _result(self, mode: str, removed: int) -> IndexResult:
        tally = self._tally
        tally.count(self._update)
        problems = tally.problems + [(path, "gone while reading") for path in self._lost]
        return IndexResult(
            mode,
            self.listing.commit,
            len(self._files),
            parsed=tally.parsed,
            removed=removed,
            relinked=tally.relinked,
            counts=tally.counts,
            skipped=self.listing.skipped,
            problems=tuple(sorted(problems)),
        )
