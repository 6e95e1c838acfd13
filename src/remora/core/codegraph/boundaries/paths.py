"""URLs of clients and paths of routes in one form: segments, of which some are parameters."""

import re
from dataclasses import dataclass

from remora.core.codegraph.boundaries.texts import HOLE

ONE, REST = "{}", "{*}"
"""A parameter of one segment, and one that takes the rest of a path."""
_VERBS = re.compile(r"^(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\s+(?=[^\s])")
_SCHEME = re.compile(r"^(?:https?|wss?):/{2}", re.IGNORECASE)
_HOST = re.compile(r"^([^/?#]*)(.*)$", re.DOTALL)
_FORMAT = re.compile(r"\(\.:format\)")
_REGEX_GROUP = re.compile(r"\(\?P?<(\w+)>(?:[^()\\]|\\.|\[[^\]]*\])*\)|\((?!\?)(?:[^()\\]|\\.)*\)")
_CATCH = re.compile(
    r"\{\*+\w*[^{}]*\}|\{\w+:path\}|\{\w+:\.[*+]\}|\{\w+\.\.\.\}|<path:\w+>|\{\w+\.\.\.?\}|(?<=/)\*+\w*$|(?<=/)\.\*$"
)
_PARAMETER = re.compile(r"\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|<[^<>]*>|:[A-Za-z_]\w*(?:\([^()]*\))?\??|\*\w+")
_OWN_HOST = re.compile(
    r"^(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|host\.docker\.internal|[\w-]+"
    r"|[\w.-]+\.(?:local|localhost|internal|svc|svc\.cluster\.local))(?::[\d\0]+)?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Address:
    """Where a client's request goes: the path's segments; `based` when something unknown stands before them."""

    segments: tuple[str, ...]
    based: bool
    host: str = ""

    @property
    def literals(self) -> int:
        """How many segments are known."""
        return sum(1 for part in self.segments if part not in (ONE, REST))


def verb_of(text: str) -> tuple[str, str]:
    """A verb in front of a path, and the path."""
    found = _VERBS.match(text)
    return (found[1], text[found.end() :]) if found else ("", text)


def address(text: str) -> Address | None:
    """The address a client's text means; None when it goes to a host that is not ours, or says nothing."""
    text = text.strip()
    based = False
    name = ""
    scheme = _SCHEME.match(text)
    if scheme:
        found = _HOST.match(text[scheme.end() :])
        assert found is not None  # it matches any text
        host, text = found[1].rpartition("@")[2], found[2]
        if HOLE in host:
            based = host.endswith(HOLE)
        elif not _OWN_HOST.match(host):
            return None
        else:
            name = re.split(r"[.:]", host, maxsplit=1)[0].lower()
    elif text.startswith(HOLE):
        text, based = text.lstrip(HOLE), True
    elif text.startswith("//"):
        return None
    path = re.split(r"[?#]", text, maxsplit=1)[0]
    if re.search(r"[\s<>|\\^`]", path):
        return None
    segments = tuple(ONE if HOLE in part else part for part in path.split("/") if part)
    return Address(segments, based, name)


def route(text: str, *, regex: bool = False) -> tuple[str, ...] | None:
    """The segments a route's path takes; None when it is none."""
    if regex:
        text = re.sub(r"\\Z|[\^$?+*]", "", _REGEX_GROUP.sub("{x}", text)).replace("\\", "")
    text = _FORMAT.sub("", text)
    text = _CATCH.sub("\2", text if text.startswith("/") else f"/{text}")
    text = _PARAMETER.sub("\1", text)
    if re.search(r"\s", text):
        return None
    return tuple(_segment(part) for part in text.split("/") if part)


def _segment(part: str) -> str:
    if "\2" in part:
        return REST
    return ONE if "\1" in part or HOLE in part else part


def shown(segments: tuple[str, ...]) -> str:
    """A path as it is shown."""
    return "/" + "/".join(segments)


def fits(client: tuple[str, ...], taken: tuple[str, ...]) -> int | None:
    """How well a client's path fits a route's: the number of equal literals, None when it does not fit."""
    rest = bool(taken) and taken[-1] == REST
    if len(client) != len(taken) and not (rest and len(client) >= len(taken) - 1):
        return None
    score = 0
    for place, wanted in enumerate(taken):
        if wanted == REST:
            return score or None
        given = client[place]
        if given.lower() == wanted.lower():
            score += 1 if wanted == ONE else 2
        elif wanted != ONE:
            return None
    return score
