"""Parts of the code that hang together: a weighted graph to cluster, ids that outlive a rebuild, and labels."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from remora.core import policy
from remora.core.analytics.topology import Topology
from remora.core.codegraph.linked import AMBIGUOUS, KINDS
from remora.core.codegraph.names import Names
from remora.core.codegraph.snapshot import SymbolRow
from remora.core.codegraph.view import GraphView, names_of, state_digest
from remora.core.ids import computed_id

Cluster = Callable[[Topology, Sequence[float]], Sequence[int]]
"""(graph, weight per edge) -> community number per node."""


@dataclass(frozen=True, slots=True)
class Community:
    """One part. `members` are symbol ids, sorted; `central` those that most others use, the most used first."""

    id: str
    label: str
    files: tuple[str, ...]
    members: tuple[str, ...]
    central: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Communities:
    """All parts, largest first, of the graph in the state `graph` (see `state_digest`)."""

    graph: str = ""
    commit: str = ""
    parts: tuple[Community, ...] = ()
    small: int = 0
    """Parts of fewer symbols than are worth a name; they have none."""
    _of: dict[str, Community] = field(default_factory=dict, compare=False, repr=False)

    def of(self, symbol: str) -> Community | None:
        """The part a symbol is in."""
        if not self._of:
            self._of.update((member, part) for part in self.parts for member in part.members)
        return self._of.get(symbol)


def current(view: GraphView, stored: Communities | None, cluster: Cluster) -> Communities:
    """The stored communities when they are of this state of the graph, else new ones that keep the old ids."""
    digest = state_digest(view.files())
    if stored is not None and stored.graph == digest:
        return stored
    return _found(view, digest, {part.id: frozenset(part.members) for part in stored.parts} if stored else {}, cluster)


def for_answer(
    view: GraphView,
    load: Callable[[], Communities | None],
    save: Callable[[Communities], None],
    cluster: Cluster,
) -> Communities | None:
    """Communities for an answer that must not wait: the last ones, though the graph went on; new ones only when there
    were none and the graph is small. None when nobody knows them yet.
    """
    stored = load()
    if stored is not None or view.counts()["symbol"] > policy.COMMUNITIES_EAGER_SYMBOLS:
        return stored
    found = current(view, None, cluster)
    save(found)
    return found


def _found(view: GraphView, digest: str, former: Mapping[str, Collection[str]], cluster: Cluster) -> Communities:
    names = names_of(view)
    rows = sorted(view.symbols(), key=names.id)
    ids = [names.id(row) for row in rows]
    index = {row.id: place for place, row in enumerate(rows)}
    topology, weights = _weighted(view, index)
    groups: dict[int, list[int]] = {}
    for place, number in enumerate(cluster(topology, weights)):
        groups.setdefault(number, []).append(place)
    large = [group for group in groups.values() if len(group) >= policy.COMMUNITY_SYMBOLS_MIN]
    leaning = _leaning(view, index)
    kept = stable_ids([[ids[place] for place in group] for group in large], former)
    parts = [_part(key, group, rows, ids, names, leaning) for key, group in zip(kept, large, strict=True)]
    parts.sort(key=lambda part: (-len(part.members), part.id))
    return Communities(digest, view.meta().get("commit", ""), tuple(parts), len(groups) - len(large))


def _weighted(view: GraphView, index: Mapping[int, int]) -> tuple[Topology, list[float]]:
    weights: dict[tuple[int, int], float] = {}
    for edge in view.edges():
        if edge.tier >= AMBIGUOUS or edge.source == edge.target:
            continue
        a, b = index[edge.source], index[edge.target]
        pair = (a, b) if a < b else (b, a)
        weights[pair] = weights.get(pair, 0.0) + policy.COMMUNITY_WEIGHTS.get(KINDS[edge.kind], 1.0)
    pairs = sorted(weights)
    return Topology(len(index), tuple(pairs)), [weights[pair] for pair in pairs]


def _leaning(view: GraphView, index: Mapping[int, int]) -> Counter[int]:
    """How many other symbols use each one."""
    found: Counter[int] = Counter()
    for edge in view.edges():
        if KINDS[edge.kind] != "contains" and edge.tier < AMBIGUOUS and edge.source != edge.target:
            found[index[edge.target]] += 1
    return found


def _part(
    key: str, group: Sequence[int], rows: Sequence[SymbolRow], ids: Sequence[str], names: Names, leaning: Counter[int]
) -> Community:
    ordered = sorted(group, key=lambda place: (-leaning[place], ids[place]))
    declared = [place for place in ordered if rows[place].qualified and not rows[place].test] or ordered
    files = Counter(names.path(rows[place]) for place in group)
    by_size = tuple(sorted(files, key=lambda path: (-files[path], path)))
    central = tuple(ids[place] for place in declared[: policy.COMMUNITY_CENTRAL])
    named = next((rows[place].name for place in declared if rows[place].name[:1].isalpha()), "")
    label = f"{_top(files)}: {named or by_size[0].rpartition('/')[2]}"
    return Community(key, label, by_size, tuple(sorted(ids[place] for place in group)), central)


def _top(files: Mapping[str, int]) -> str:
    """The folder that most of the part lies in, as deep as more than half of it goes."""
    total, best = sum(files.values()), ""
    for depth in range(1, 4):
        heads: Counter[str] = Counter()
        for path, count in files.items():
            folders = path.split("/")[:-1]
            if len(folders) >= depth:
                heads["/".join(folders[:depth])] += count
        head, count = min(heads.items(), key=lambda item: (-item[1], item[0]), default=("", 0))
        if 2 * count <= total:
            break
        best = head
    return best or min(files, key=lambda path: (-files[path], path)).rpartition("/")[2]


def stable_ids(groups: Sequence[Sequence[str]], former: Mapping[str, Collection[str]]) -> list[str]:
    """An id per group: that of the former one it shares most with, when that is most of the smaller; else a new one
    computed from its members."""
    home = {member: key for key, members in former.items() for member in members}
    sizes = {key: len(members) for key, members in former.items()}
    shared: list[tuple[int, str, int]] = []
    for place, group in enumerate(groups):
        for key, count in Counter(home[member] for member in group if member in home).items():
            if count >= policy.COMMUNITY_OVERLAP_MIN * min(len(group), sizes[key]):
                shared.append((-count, key, place))
    given: dict[int, str] = {}
    used: set[str] = set()
    for _, key, place in sorted(shared):
        if place not in given and key not in used:
            given[place] = key
            used.add(key)
    return [given.get(place) or computed_id("part_", *sorted(group)) for place, group in enumerate(groups)]


def crossed(communities: Communities, changed: Iterable[str], affected: Iterable[str]) -> list[tuple[Community, int]]:
    """Parts that a change reaches without being changed themselves, with how many of their symbols it reaches."""
    own = {part.id for symbol in changed if (part := communities.of(symbol))}
    found = Counter(part.id for symbol in affected if (part := communities.of(symbol)) and part.id not in own)
    parts = {part.id: part for part in communities.parts}
    return [(parts[key], count) for key, count in sorted(found.items(), key=lambda item: (-item[1], item[0]))]
