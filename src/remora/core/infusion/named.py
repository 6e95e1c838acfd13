"""Components that a moment names outright: by name, by alias, by the symbol or the file that they stand for."""

import re
from collections.abc import Iterable, Iterator, Sequence

from remora.core import policy
from remora.core.encounters.nodes import properties, text
from remora.core.encounters.schema import COMPONENT, FAMILY
from remora.core.graph import Node
from remora.core.recall.lexicon import is_filler, is_generic, is_vague
from remora.core.scope import REPOSITORY
from remora.core.store_read import StoreRead
from remora.core.text import tokens

_JOINT = re.compile(r"[^\W\d]\w*[_./:#-]\w|[^\W\d_]\d|[a-z][A-Z]|\s")
"""What makes a name a name, whatever word it holds: a joint, a digit, an inner capital, a second word."""


def named_components(view: StoreRead, texts: Sequence[str], ordinary: frozenset[str]) -> list[Node]:
    """Components that one of the texts names (the most telling text first), `INFUSE_NAMED_MAX` at most.

    `ordinary` are terms of which a name alone says nothing.
    """
    joined = [text.casefold() for text in texts if text]
    terms = tuple(dict.fromkeys(term for text in joined for term in tokens(text)))[: policy.INFUSE_NAMED_TERMS_MAX]
    found = view.text_candidates(
        (FAMILY,), (REPOSITORY,), terms, labels=(COMPONENT,), limit=policy.INFUSE_NAMED_CANDIDATES
    )
    placed: list[tuple[int, str, Node]] = []
    for node in found.items:
        if isinstance(node, Node):
            places = [
                at for at, said in enumerate(joined) if any(_names(said, name) for name in _telling(node, ordinary))
            ]
            placed += [(places[0], node.id, node)] if places else []
    return [node for _, _, node in sorted(placed, key=lambda row: row[:2])][: policy.INFUSE_NAMED_MAX]


def _telling(node: Node, ordinary: frozenset[str]) -> Iterator[str]:
    """The names of a component that mean it and nothing else."""
    aliases = properties(node).get("aliases")
    names: Iterable[object] = (node.name, *(aliases if isinstance(aliases, list) else ()), *_code_names(node))
    for name in (given.strip() for given in names if isinstance(given, str)):
        if len(name) >= policy.INFUSE_NAME_CHARS_MIN and (_JOINT.search(name) or not _is_plain(name, ordinary)):
            yield name.casefold()


def _is_plain(name: str, ordinary: frozenset[str]) -> bool:
    """Whether people say the word without meaning the component."""
    return any(word in ordinary or is_filler(word) or is_vague(word) or is_generic(word) for word in tokens(name))


def _code_names(node: Node) -> tuple[str, ...]:
    """The file and the symbol behind a bookmark into code; a symbol without a joint may be any word."""
    path, _, symbol = text(node, "source_key").removeprefix("code:").partition("@")[0].partition("#")
    last = symbol.rpartition(".")[2]
    file = path if "/" in path or "." in path else ""
    return tuple(name for name in (file, symbol if "." in symbol else "", last if _JOINT.search(last) else "") if name)


def _names(said: str, name: str) -> bool:
    """Whether a text holds a name that no longer word contains."""
    at = said.find(name)
    while at >= 0:
        end = at + len(name)
        before, after = said[at - 1 : at], said[end : end + 1]
        if not (before.isalnum() or before in ("_", "-") or after.isalnum() or after in ("_", "-")):
            return True
        at = said.find(name, at + 1)
    return False
