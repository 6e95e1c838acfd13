"""Answers as every engine gives them: what the snapshot's engine invents is taken out, before and after the query."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from remora.core.cypher.tokens import Kind, Token
from remora.core.graph import Json

MINTED = ("id", "title", "type")
"""Properties that the snapshot's engine invents."""
_LIST = "['id','title','type']]"
_REWRITTEN_KEYS = re.compile(r"\[key_ IN (keys\(.*?\)) WHERE NOT key_ IN " + re.escape(_LIST), re.IGNORECASE)
_RELATION_MARKS = frozenset({"uid", "t_created", "type"})


def rewritten(found: Sequence[Token]) -> str:
    """The query as it is run, written anew from its tokens: `keys(x)` without invented keys, space as one blank."""
    return "".join(_written(_own_keys(found))).strip()


def named(column: str) -> str:
    """A column's name as it was written before."""
    return _REWRITTEN_KEYS.sub(r"\1", column)


def _own_keys(found: Sequence[Token]) -> list[Token]:
    out: list[Token] = []
    closing: list[bool] = []
    for at, token in enumerate(found):
        if token.word == "KEYS" and at + 1 < len(found) and found[at + 1].is_symbol("("):
            out += [Token(Kind.SYMBOL, "[", token.spaced), Token(Kind.WORD, "key_", spaced=False), _word("IN")]
        out.append(token)
        if token.is_symbol("("):
            closing.append(at > 0 and found[at - 1].word == "KEYS")
        elif token.is_symbol(")") and closing and closing.pop():
            out += [_word("WHERE"), _word("NOT"), _word("key_"), _word("IN"), Token(Kind.SYMBOL, _LIST)]
    return out


def _word(text: str) -> Token:
    return Token(Kind.WORD, text)


def _written(found: Iterable[Token]) -> Iterable[str]:
    for token in found:
        yield (" " if token.spaced else "") + (f"`{token.text}`" if token.kind is Kind.QUOTED else token.text)


def value(raw: Any) -> Json:
    """One value as strict JSON, without invented properties; NaN and infinities become null."""
    if raw is None or isinstance(raw, bool | int | str):
        return raw
    if isinstance(raw, float):
        return raw if math.isfinite(raw) else None
    if isinstance(raw, datetime | date):
        return raw.isoformat()
    if isinstance(raw, Mapping):
        return _mapping(raw)
    if isinstance(raw, list | tuple):
        return [value(item) for item in raw]
    return str(raw)


def _mapping(raw: Mapping[str, Any]) -> Json:
    keys = set(raw)
    if keys == {"id", "labels", "properties"}:  # a node
        return {"labels": sorted(raw["labels"]), "properties": _properties(raw["properties"], MINTED)}
    if keys == {"id", "start", "end", "type", "properties"}:  # a relation
        return {"type": raw["type"], "properties": _properties(raw["properties"], ("type",))}
    if {*MINTED, "uid"} <= keys and isinstance(raw["id"], int) and raw["title"] == raw.get("name"):
        return _properties(raw, MINTED)  # properties(n)
    if keys >= _RELATION_MARKS and "id" not in keys:
        return _properties(raw, ("type",))  # properties(r)
    return {str(key): value(item) for key, item in raw.items()}


def _properties(raw: Mapping[str, Any], invented: Sequence[str]) -> dict[str, Json]:
    return {str(key): value(item) for key, item in raw.items() if key not in invented}
