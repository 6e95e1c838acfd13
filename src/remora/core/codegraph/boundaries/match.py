"""Brings together who exposes and who reaches for the same thing, anywhere in a tree."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from remora.core.codegraph.boundaries.endpoints import Endpoint, Open, Provided, Used
from remora.core.codegraph.boundaries.foreign import Exports
from remora.core.codegraph.boundaries.mounts import Mounts, joined
from remora.core.codegraph.boundaries.passing import Passing
from remora.core.codegraph.boundaries.paths import ONE, REST, Address, address, fits, route, shown
from remora.core.codegraph.boundaries.texts import HOLE
from remora.core.codegraph.boundaries.topics import same_rpc, takes
from remora.core.codegraph.boundaries.verbs import meets
from remora.core.codegraph.linked import AMBIGUOUS, EXTRACTED, INFERRED


class Coupling(NamedTuple):
    """A use that meets something exposed."""

    file: int
    used: Used
    open: Open
    tier: int


class Shelf:
    """Everything exposed, by how it is looked for."""

    def __init__(self, opened: Sequence[Open]) -> None:
        self._routes: dict[int, list[Open]] = {}
        self._all: dict[str, list[Open]] = {}
        for item in opened:
            self._all.setdefault(item.channel, []).append(item)
            if item.channel == "http":
                count = -1 if REST in item.segments else len(item.segments)
                self._routes.setdefault(count, []).append(item)

    def of(self, channel: str) -> Sequence[Open]:
        """All of one channel."""
        return self._all.get(channel, ())

    def routes(self, count: int) -> list[Open]:
        """Routes that can take a path of so many segments."""
        return [*self._routes.get(count, ()), *self._routes.get(-1, ())]


@dataclass(slots=True)
class Matched:
    """Everything exposed, every use that meets some of it, and how many uses meet nothing."""

    opened: list[Open] = field(default_factory=list)
    couplings: list[Coupling] = field(default_factory=list)
    unmatched: int = 0


def matched(endpoints: Mapping[int, Sequence[Endpoint]], paths: Mapping[int, str], exports: Exports) -> Matched:
    """Match all endpoints of a tree; `paths` names its files, `exports` knows functions other languages can call."""
    mounts = Mounts(endpoints)
    result = Matched()
    for file, rows in endpoints.items():
        for row in rows:
            if isinstance(row, Provided):
                result.opened += _opened(file, row, mounts)
    shelf = Shelf(result.opened)
    passing = Passing(endpoints)
    for home, rows in endpoints.items():
        for row in rows:
            for file, used in passing.uses(home, row) if isinstance(row, Used) else ():
                found = list(_meeting(file, used, mounts, shelf, paths, exports))
                result.couplings += found
                result.unmatched += not found and used.channel != "module"
    return result


def _opened(file: int, row: Provided, mounts: Mounts) -> Iterator[Open]:
    for path in row.paths:
        rest = (row.target, row.action, row.evidence)
        if row.channel != "http":
            yield Open(file, row.line, row.channel, "", path, (), *rest, HOLE not in path)
            continue
        for prefix in mounts.prefixes(row.refs):
            segments = route(joined(prefix, path), regex=row.regex)
            if segments is not None:
                sure = HOLE not in prefix + path
                yield Open(file, row.line, "http", row.verb, shown(segments), segments, *rest, sure)


def _meeting(
    file: int, used: Used, mounts: Mounts, shelf: Shelf, paths: Mapping[int, str], exports: Exports
) -> Iterator[Coupling]:
    if used.channel == "http":
        texts = [_based(prefix, path) for prefix in mounts.prefixes(used.refs) for path in used.paths]
        found = [item for text in dict.fromkeys(texts) for item in _requested(file, used, text, shelf, paths)]
    elif used.channel in ("ffi", "jni", "module"):
        found = [(item, INFERRED) for item in exports.meeting(file, used, shelf)]
    else:
        found = [
            (item, EXTRACTED if item.sure and item.key == key else INFERRED)
            for key in used.paths
            for item in shelf.of(used.channel)
            if _same(used.channel, key, item.key)
        ]
    best: dict[Open, int] = {}
    for item, found_tier in found:
        tier = AMBIGUOUS if used.doubt else found_tier
        best[item] = min(tier, best.get(item, tier))
    for item, tier in best.items():
        yield Coupling(file, used, item, tier)


def _based(prefix: str, path: str) -> str:
    """A client's whole URL: its own base counts unless the path is a URL by itself."""
    return path if not prefix or "://" in path or path.startswith(HOLE) else joined(prefix, path)


def _same(channel: str, key: str, taken: str) -> bool:
    if channel == "grpc":
        return same_rpc(key, taken)
    return HOLE not in key and takes(channel, taken, key)


# --- HTTP


def _requested(file: int, used: Used, text: str, shelf: Shelf, paths: Mapping[int, str]) -> list[tuple[Open, int]]:
    """The routes a request can reach: of those that fit best, the one place nearest to the client."""
    wanted = address(text)
    if wanted is None or (not wanted.literals and (wanted.based or wanted.segments)):
        return []
    scores = [
        (score, item)
        for item in shelf.routes(len(wanted.segments))
        if (score := _score(used.verb, wanted, item)) is not None
    ]
    whole = True
    if not scores and wanted.based:
        whole = False
        scores = [(0, item) for item in shelf.of("http") if _ends(used.verb, wanted, item)]
    if not scores:
        return []
    best = max(score for score, _ in scores)
    found = [item for score, item in scores if score == best]
    tier = EXTRACTED if not wanted.based and ONE not in wanted.segments and used.verb != "*" else INFERRED
    tier = tier if all(item.sure for item in found) else INFERRED
    if used.verb == "*" and len({item.verb for item in found}) > 1:
        tier = AMBIGUOUS
    if not whole:
        tier = INFERRED if wanted.literals > 1 and len({item.segments for item in found}) == 1 else AMBIGUOUS
    named = [item for item in found if wanted.host and _serves(paths[item.file], wanted.host)]
    found = named or found
    if len({(item.file, item.segments) for item in found}) > 1:
        near = _nearest(file, found, paths)
        found, tier = (near, max(tier, INFERRED)) if near else (found, AMBIGUOUS)
    return [(item, tier) for item in found]


def _score(verb: str, wanted: Address, item: Open) -> int | None:
    if not meets(verb, item.verb):
        return None
    score = fits(wanted.segments, item.segments)
    if score is None or (wanted.segments and not any(part == given for part, given in _literal(item, wanted))):
        return None
    return score


def _literal(item: Open, wanted: Address) -> Iterator[tuple[str, str]]:
    return ((part, given) for part, given in zip(item.segments, wanted.segments, strict=False) if part != ONE)


def _ends(verb: str, wanted: Address, item: Open) -> bool:
    """Whether a route goes on with what a client writes behind a base nobody knows."""
    count = len(wanted.segments)
    if not meets(verb, item.verb) or len(item.segments) <= count or not count:
        return False
    tail = item.segments[-count:]
    return fits(wanted.segments, tail) is not None and any(part == given != ONE for part, given in zip(
        tail, wanted.segments, strict=True))  # fmt: skip


def _serves(path: str, host: str) -> bool:
    """Whether a file lies in a folder that is called like a host."""
    folders = path.lower().replace("_", "-").split("/")[:-1]
    return any(folder in (host, f"{host}-service", host.removesuffix("-service")) for folder in folders)


def _nearest(file: int, found: Sequence[Open], paths: Mapping[int, str]) -> list[Open]:
    """Of routes at several places those that share the most folders with the client, if that tells them apart."""
    own = paths[file].split("/")
    depths = [_shared_folders(own, paths[item.file].split("/")) for item in found]
    best = max(depths)
    near = [item for item, depth in zip(found, depths, strict=True) if depth == best]
    return near if len({(item.file, item.segments) for item in near}) == 1 else []


def _shared_folders(left: Sequence[str], right: Sequence[str]) -> int:
    count = 0
    for one, other in zip(left[:-1], right[:-1], strict=False):
        if one != other:
            break
        count += 1
    return count
