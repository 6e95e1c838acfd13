"""Reads the boundary table of a language: `boundaries/<name>.toml` in the folder beside this file."""

import json
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from remora.core.codegraph.boundaries.rules import (
    NO_BOUNDARIES,
    BoundaryRules,
    CallRule,
    Mounting,
    ObjectRule,
    Patterns,
    Place,
)

_FOLDER = Path(__file__).parent / "boundaries"


@cache
def _table(name: str) -> dict[str, Any]:
    """A language's table, behind those it builds on (`also`); empty when it has none."""
    path = _FOLDER / f"{name}.toml"
    if not path.is_file():
        return {}
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    for other in table.pop("also", ()):
        below = _table(other)
        for key, value in below.items():
            if isinstance(value, list):
                table[key] = [*table.get(key, []), *value]
            elif isinstance(value, dict):
                table[key] = {**value, **table.get(key, {})}
    return table


def boundary_text(name: str) -> str:
    """The whole table as text: part of a language's version."""
    return json.dumps(_table(name), sort_keys=True)


@cache
def boundaries(name: str) -> BoundaryRules:
    """The rules of a language about boundaries."""
    table = _table(name)
    if not table:
        return NO_BOUNDARIES
    objects = {alias: _object(alias, row) for alias, row in table.get("objects", {}).items()}
    calls = [
        _call(row, provides=key == "provides")
        for key in ("provides", "uses")
        for row in table.get(key, ())
        if "call" in row
    ]
    methods = {name: row["channel"] for row in table.get("uses", ()) for name in row.get("method", ())}
    declared = tuple(rule for rule in calls if rule.place)
    marked = tuple(rule for rule in declared if rule.place in ("signature", "above"))
    called = tuple(rule for rule in calls if not rule.place)
    groups = tuple(
        (Patterns(row["call"]), _places(row.get("prefix", ())), row.get("suffix", ""))
        for row in table.get("groups", ())
    )
    foreign = bool(table.get("foreign", False))
    lasts: dict[str, tuple[CallRule, ...]] = {}
    for rule in called:
        for last in sorted(rule.call.lasts()):
            lasts[last] = (*lasts.get(last, ()), rule)
    loose = tuple((word, rule) for rule in called for word in rule.call.words())
    made = [rule.made for rule in objects.values()] + [shapes for shapes, _, _ in groups]
    names = frozenset(lasts) | {last for shapes in made for last in shapes.lasts()}
    names |= {name for rule in objects.values() for name in (*rule.groups, *rule.mounts)}
    names = frozenset(name.rpartition("/")[2] for name in names)
    words = tuple(sorted({word for word, _ in loose} | {word for shapes in made for word in shapes.words()}))
    return BoundaryRules(
        objects, called, declared, groups, methods, table.get("texts", {}), foreign, lasts, loose, names, words, marked
    )


def _places(value: Any) -> tuple[Place, ...]:
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _object(alias: str, row: Mapping[str, Any]) -> ObjectRule:
    mounts = {
        name: Mounting(item["child"], _places(item.get("prefix", ())), item.get("overrides", False))
        for name, item in row.get("mounts", {}).items()
    }
    return ObjectRule(
        alias,
        Patterns(row.get("made", ())),
        Patterns(row.get("typed", ())),
        _places(row.get("prefix", ())),
        {name: _places(places) for name, places in row.get("groups", {}).items()},
        mounts,
        row.get("callbacks", {}),
        row.get("chained", True),
        row.get("hung", False),
    )


def _call(row: Mapping[str, Any], *, provides: bool) -> CallRule:
    return CallRule(
        row["channel"],
        provides,
        Patterns(row["call"]),
        _places(row.get("key", ())),
        row.get("verb", ""),
        _places(row.get("verb_at", ())),
        row.get("target", ""),
        row.get("form", ""),
        tuple(row.get("files", ())),
        tuple(row.get("imports", ())),
        row.get("tests", False),
        _places(row.get("prefix", ())),
        row.get("resource", ""),
        row.get("folder", ""),
        row.get("place", ""),
    )
