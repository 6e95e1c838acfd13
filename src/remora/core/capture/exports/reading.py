"""What readers of exports share: where they read, checked fields, times, and texts cut to size."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

from remora.core import policy
from remora.core.capture.artifacts import Artifact, ArtifactList, BadArtifact, named, repository_path
from remora.core.errors import InvalidInput
from remora.core.records.model import whole_text

Item = Mapping[str, Any]
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class ExportPlace:
    """The repository an export is imported into, and its folder (absolute), for absolute paths in reports."""

    repository: str
    root: str = ""

    def path(self, written: str) -> str:
        """A path of a report as the repository writes it, "" for one that lies elsewhere."""
        text = written.replace("\\", "/")
        root = self.root.replace("\\", "/").rstrip("/") + "/"
        return repository_path(text[len(root) :] if len(root) > 1 and text.startswith(root) else text)


@dataclass(slots=True)
class Gathered:
    """Artifacts of one file as they are read."""

    artifacts: list[tuple[int, Artifact]] = field(default_factory=list)
    bad: list[BadArtifact] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)

    def take(self, index: int, item: _T, read: Callable[[_T], Iterable[Artifact] | str]) -> None:
        """What one item holds: artifacts, or the reason why it is left out on purpose. Its faults are kept by place."""
        try:
            found = read(item)
        except InvalidInput as error:
            self.bad += named(index, error)
            return
        if isinstance(found, str):
            self.skipped[found] += 1
        else:
            self.artifacts += [(index, artifact) for artifact in found]

    def take_all(self, items: Iterable[_T], read: Callable[[_T], Iterable[Artifact] | str]) -> ArtifactList:
        """Every item of a list by its place in it, and then all of it."""
        for index, item in enumerate(items):
            self.take(index, item, read)
        return self.result()

    def result(self) -> ArtifactList:
        """All of it, frozen."""
        return ArtifactList(tuple(self.artifacts), tuple(self.bad), dict(sorted(self.skipped.items())))


# --- Fields -----------------------------------------------------------------------------------------------------------


def text(item: Item, name: str, default: str | None = None) -> str:
    """A text field; null is the default where there is one."""
    value = item.get(name)
    if value is None and default is not None:
        return default
    if not isinstance(value, str):
        raise InvalidInput(name, "is missing" if value is None else f"is a {type(value).__name__}", allowed="string")
    return whole_text(value)


def filled(item: Item, name: str) -> str:
    """A text field that says something."""
    value = text(item, name).strip()
    if not value:
        raise InvalidInput(name, "is empty")
    return value


def number(item: Item, name: str) -> int:
    """A whole number."""
    value = item.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidInput(name, "is missing" if value is None else f"is a {type(value).__name__}", allowed="integer")
    return value


def choice(item: Item, name: str, allowed: Iterable[str], default: str | None = None) -> str:
    """One of the words, in lower case; an unknown one is an error and not a guess."""
    value = text(item, name, default).casefold()
    words = tuple(allowed)
    if value not in words:
        raise InvalidInput(name, f"{value[:80]!r} is unknown", allowed=", ".join(word for word in words if word))
    return value


def objects(item: Item, name: str) -> Sequence[Item]:
    """A list of objects; null and absence are an empty one."""
    value = item.get(name)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise InvalidInput(name, f"is a {type(value).__name__}", allowed="array")
    for index, each in enumerate(value):
        if not isinstance(each, dict):
            raise InvalidInput(f"{name}[{index}]", f"is a {type(each).__name__}", allowed="object")
    return value


def an_object(item: Item, name: str) -> Item:
    """An object; null and absence are an empty one."""
    value = item.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InvalidInput(name, f"is a {type(value).__name__}", allowed="object")
    return value


_ZERO_YEAR = 1
"""How exporters written in Go spell a time that is not set."""
_ZONE_WORD = re.compile(r"\s*(?:UTC|GMT)$")


def seconds(item: Item, *names: str) -> int | None:
    """The first of the time fields that is set, in Unix seconds; a time without a zone is in UTC."""
    for name in names:
        value = text(item, name, "").strip()
        if not value:
            continue
        try:
            moment = datetime.fromisoformat(_ZONE_WORD.sub("+00:00", value))
            moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
            if moment.year > _ZERO_YEAR:
                return int(moment.timestamp() // 1)
        except (ValueError, OverflowError):
            allowed = "as 2024-05-06T07:08:09Z or with an offset"
            raise InvalidInput(name, f"{value[:40]!r} is no time", allowed=allowed) from None
    return None


# --- Texts ------------------------------------------------------------------------------------------------------------


def line(words: str, limit: int = policy.ARTIFACT_TITLE_MAX_CHARS) -> str:
    """The words on one line, cut with a mark."""
    joined = " ".join(words[: 4 * limit].split())
    return joined if len(joined) <= limit else joined[: limit - 1].rstrip() + "…"


def paragraphs(*parts: str) -> str:
    """The parts that say something, apart from each other, cut with a count."""
    joined = "\n\n".join(part.strip() for part in parts if part.strip())
    over = len(joined) - policy.ARTIFACT_SUMMARY_MAX_CHARS
    return (
        joined
        if over <= 0
        else f"{joined[: policy.ARTIFACT_SUMMARY_MAX_CHARS]}\n[{over} more characters at the source]"
    )


def listed(label: str, names: Iterable[str]) -> str:
    """`label: a, b`, or nothing for no names."""
    words = ", ".join(line(name, 100) for name in names if name.strip())
    return f"{label}: {words}." if words else ""


def paths(place: ExportPlace, written: Iterable[str]) -> tuple[str, ...]:
    """Paths in the repository among those written, each once, up to the limit."""
    found = dict.fromkeys(path for path in map(place.path, written) if path)
    return tuple(found)[: policy.ARTIFACT_FILES_MAX]
