"""From a subject as people write it (a path, a symbol, an anchor, a topic) to keys, followed through renames."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from remora.core import policy
from remora.core.errors import InvalidInput
from remora.core.records.indexed import (
    AnchorKey,
    IndexedRecord,
    Lineage,
    Narrowing,
    ending_key,
    folder_key,
    node_key,
    path_key,
    symbol_key,
    tail_key,
)
from remora.core.records.view import RecordView
from remora.core.source import Anchor

_NODE = re.compile(r"^[a-z][a-z_]{0,19}:(?![:/])(?=.)")
"""The language in front of a node id (`python:app.py#login`)."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Keys that the words of a subject stand for. An anchor that names a file and a symbol must match both."""

    text: str
    keys: tuple[str, ...]
    within: tuple[str, ...] = ()
    """Path keys that narrow symbol keys to one file."""


@dataclass(frozen=True, slots=True)
class Trail:
    """Where to look for a subject: its own keys, and those it had before or after, each within its time."""

    own: tuple[str, ...] = ()
    keys: tuple[AnchorKey, ...] = ()
    steps: tuple[Lineage, ...] = field(default=())
    """The renames that were followed, oldest first."""
    origins: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Key -> the subjects that led to it."""


def parse_subject(text: str) -> Subject:
    """Read a subject; any text is one. A path may be whole, an ending at a folder's border, or a folder."""
    text = text.strip()
    if text.startswith("code:"):
        try:
            anchor = Anchor.parse(text)
        except InvalidInput:
            return Subject(text, (node_key(text),))
        files = _path_keys(anchor.path)
        return Subject(text, _symbol_keys(anchor.symbol), files) if anchor.symbol else Subject(text, files)
    if not text or len(text) > policy.SUBJECT_MAX_CHARS:
        return Subject(text, ())
    path, _, symbol = text.partition("#")
    place = _NODE.sub("", path)
    if symbol and path:
        return Subject(text, (*_symbol_keys(symbol), node_key(text)), _path_keys(place))
    keys = (node_key(text), *_path_keys(text), *(_path_keys(place) if place != path else ()), *_symbol_keys(text))
    return Subject(text, tuple(dict.fromkeys(keys)))


def _path_keys(path: str) -> tuple[str, ...]:
    path = path.removeprefix("./").replace("\\", "/")
    keys = (path_key(path), _ending(path), folder_key(path))
    return tuple(dict.fromkeys(keys)) if path.strip("/") else ()


def _ending(path: str) -> str:
    """Key of paths that end so; an ending of several segments is compared by the index."""
    return "e:" + path_key(path.strip("/"))[2:] if "/" in path else ending_key(path)


def _symbol_keys(name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((symbol_key(name), tail_key(name)))) if name.strip(" .()") else ()


def trail(view: RecordView, subjects: Iterable[Subject]) -> Trail:
    """Every key of the subjects, followed through renames both ways. A copy leads back to its origin only.

    Going back, only what happened before the rename counts; going forward, only what happened after it.
    """
    origins: dict[str, set[str]] = {}
    for subject in subjects:
        for name in view.concrete(subject.keys, limit=policy.SUBJECT_KEYS_MAX):
            origins.setdefault(name, set()).add(subject.text)
    own = tuple(origins)
    found = {name: [AnchorKey(name)] for name in own}
    steps: dict[Lineage, None] = {}
    edge, left = [key for keys in found.values() for key in keys], policy.SUBJECT_KEYS_MAX
    while edge and left > 0:
        following: list[AnchorKey] = []
        for key, step, reached in _reached(view, edge):
            steps[step] = None
            origins.setdefault(reached.key, set()).update(origins[key.key])
            spans = found.setdefault(reached.key, [])
            if not any(span.since <= reached.since and reached.until <= span.until for span in spans):
                spans.append(reached)  # a file that was renamed there and back has its name at several times
                following.append(reached)
        left -= len(following)
        edge = following
    ordered = tuple(sorted(steps, key=lambda step: (step.at, step.old, step.new)))
    keys = tuple(key for spans in found.values() for key in spans)
    return Trail(own, keys, ordered, {key: frozenset(names) for key, names in origins.items()})


def _reached(view: RecordView, edge: list[AnchorKey]) -> Iterator[tuple[AnchorKey, Lineage, AnchorKey]]:
    by_end: dict[str, list[Lineage]] = {}
    for step in view.lineage([key.key for key in edge]):
        for end in (step.old, step.new):
            by_end.setdefault(end, []).append(step)
    for key in edge:
        for step in by_end.get(key.key, ()):
            reached = _follow(key, step)
            if reached:
                yield key, step, reached


def _follow(key: AnchorKey, step: Lineage) -> AnchorKey | None:
    if not key.since <= step.at <= key.until:
        return None
    if step.new == key.key:
        return AnchorKey(step.old, until=step.at)
    if step.old == key.key and not step.copied:
        return AnchorKey(step.new, since=step.at)
    return None


def anchored(
    view: RecordView, subject: Subject, narrowing: Narrowing, *, limit: int
) -> tuple[tuple[IndexedRecord, ...], int, Trail]:
    """Records anchored to the subject or to what it was called before and after, newest first; how many; and the trail.

    Of a symbol within a file, those that name both; when none does, those of the symbol in any file that the file was
    or became.
    """
    way = trail(view, [subject])
    if not subject.within:
        records, total = view.anchored(way.keys, narrowing, limit=limit)
        return records, total, way
    files = trail(view, [Subject(subject.text, subject.within)])
    records, _ = view.anchored(way.keys, narrowing, limit=policy.RECORD_CANDIDATES)
    names = {key.key for key in files.keys}
    both = tuple(record for record in records if names.intersection(_path_keys_of(record)))
    return both[:limit], len(both), way


def _path_keys_of(record: IndexedRecord) -> Collection[str]:
    return {path_key(path) for path in record.record.paths}
