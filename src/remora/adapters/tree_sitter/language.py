"""A language is a pair `<name>.scm` + `<name>.toml` in the folder beside this file; both are read once per process."""

import importlib
import importlib.util
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

import tree_sitter

from remora.adapters.tree_sitter.boundary_tables import boundaries, boundary_text
from remora.core.codegraph.boundaries.rules import BoundaryRules
from remora.core.codegraph.facts import FORMAT
from remora.core.codegraph.rules import Rules
from remora.core.errors import Unavailable
from remora.core.ids import digest

_SCOPES = ("class_visible", "members_bare", "private_prefix", "public_case", "public_pattern")
_FOLDER = Path(__file__).parent / "languages"


@dataclass(frozen=True, slots=True)
class Pair:
    """The two files of a language, read but not compiled: enough to recognise files and to link."""

    name: str
    table: Mapping[str, Any]
    query: str
    version: str
    """Changes whenever the pair, the fact format or the grammar package changes."""
    rules: Rules


@dataclass(frozen=True, slots=True)
class Form:
    """How one node kind is read as an expression: the operation, and where its parts are."""

    op: str
    first: int = 0
    second: int = 0
    third: int = 0
    text: str = ""
    children: tuple[int, ...] = ()
    texts: frozenset[str] = frozenset()
    holder: str = ""
    """Kind of the child that holds a call's arguments, where no field does."""
    holes: frozenset[str] = frozenset()
    """Kinds of the children of a text that are no text."""
    block: int = 0
    """The field of a function that stands behind the arguments of a call."""
    joins: str = ""
    """The operator that puts texts together."""


@dataclass(frozen=True, slots=True)
class ParameterForm:
    """How one node kind is read as a parameter; 0 = the node has no such field."""

    kind: str
    name: int = 0
    type: int = 0
    default: int = 0
    next: bool = False
    """The type is the child after the name."""
    fixed: str = ""
    """The name, where the grammar gives it none of its own."""
    field: str = ""
    """Kind of a child that makes it a field of the class too; `*` = any, `class` = where a class has them."""


@dataclass(frozen=True, slots=True)
class Language:
    """A compiled pair: grammar, query, and the forms of expressions and parameters by node kind id."""

    pair: Pair
    parser: tree_sitter.Parser
    grammar: tree_sitter.Language
    query: tree_sitter.Query
    forms: Mapping[int, Form]
    parameters: Mapping[int, ParameterForm]
    imports: Mapping[str, str]
    """Node kind -> how it is read inside of a nested import."""


@cache
def pairs() -> Mapping[str, Pair]:
    """Every language of the folder by name."""
    found = {}
    for path in sorted(_FOLDER.glob("*.toml")):
        table, query = _read(path)
        content = json.dumps(table, sort_keys=True)
        rules = _rules(table, boundaries(table.get("family") or table["name"]))
        parts = (FORMAT, content, query, boundary_text(rules.family or rules.name), str(_is_missing(table)))
        version = digest(b"\0".join(part.encode() for part in parts))[:16]
        found[table["name"]] = Pair(table["name"], table, query, version, rules)
    return found


def _is_missing(table: Mapping[str, Any]) -> bool:
    """Whether a language comes with an extra that is not installed."""
    return "extra" in table and importlib.util.find_spec(table["grammar"].partition(":")[0]) is None


def missing(name: str) -> str:
    """The extra that would bring a language's grammar; "" when it is there, or should be."""
    table = pairs()[name].table
    return str(table["extra"]) if _is_missing(table) else ""


def _read(path: Path) -> tuple[dict[str, Any], str]:
    """Table and query of a language, laid over those it names as `table_of` and `query_of`."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    query = path.with_suffix(".scm").read_text(encoding="utf-8")
    if "table_of" in table:
        below, _ = _read(path.with_name(f"{table['table_of']}.toml"))
        table = _laid_over(table, below)
    if "query_of" in table:
        query = f"{_read(path.with_name(table['query_of'] + '.toml'))[1]}\n{query}"
    return table, query


def _laid_over(table: Mapping[str, Any], below: Mapping[str, Any]) -> dict[str, Any]:
    both = {**below, **table}
    for key in table.keys() & below.keys():
        if isinstance(table[key], dict):
            both[key] = _laid_over(table[key], below[key])
    return both


@cache
def manifests() -> tuple[str, ...]:
    """Names of files that decide what module names mean, as shapes."""
    return tuple(sorted({name for pair in pairs().values() for name in pair.rules.manifests}))


@cache
def by_name() -> Mapping[str, str]:
    """Whole file name -> language name, of files without an ending of their own."""
    return {name: pair.name for pair in pairs().values() for name in pair.table.get("filenames", ())}


@cache
def by_suffix() -> Mapping[str, str]:
    """File name ending -> language name."""
    return {
        ending: pair.name
        for pair in pairs().values()
        for ending in pair.table.get("suffixes", pair.table["extensions"])
    }


@cache
def language(name: str) -> Language:
    """The compiled language; raises `Unavailable` when its grammar cannot be loaded."""
    pair = pairs()[name]
    module, _, function = pair.table["grammar"].partition(":")
    try:
        grammar = tree_sitter.Language(getattr(importlib.import_module(module), function)())
        query = tree_sitter.Query(grammar, pair.query)
    except (ImportError, AttributeError, ValueError) as error:
        raise Unavailable(f"the grammar of {name} cannot be loaded: {error}", advice="reinstall remora") from error
    return Language(
        pair,
        tree_sitter.Parser(grammar),
        grammar,
        query,
        _forms(grammar, pair),
        _parameters(grammar, pair),
        pair.table.get("imports", {}),
    )


def _kinds(grammar: tree_sitter.Language, kind: str) -> list[int]:
    """Every id of a node kind: a grammar may use one name for several symbols."""
    ids = [i for i in range(grammar.node_kind_count) if grammar.node_kind_for_id(i) == kind]
    return [i for i in ids if grammar.node_kind_is_named(i)] or ids


def _field(grammar: tree_sitter.Language, pair: Pair, name: str | None) -> int:
    if not name:
        return 0
    found = grammar.field_id_for_name(name)
    if found is None:
        raise ValueError(f"{pair.name}: the grammar has no field {name!r}")
    return found


def _forms(grammar: tree_sitter.Language, pair: Pair) -> dict[int, Form]:
    forms = {}
    for kind, spec in pair.table["expressions"].items():
        names = [spec.get(key) for key in ("object", "callee", "field", "value")]
        parts = [spec.get(key) for key in ("name", "key", "arguments")]
        if spec["op"] in ("keyword", "pair"):
            names, parts = [spec.get("name") or spec.get("key")], [spec.get("value")]
        operators = spec.get("operators") or ([spec["operator"]] if "operator" in spec else [])
        form = Form(
            spec["op"],
            _field(grammar, pair, next(filter(None, names), None)),
            _field(grammar, pair, next(filter(None, parts), None)),
            _field(grammar, pair, spec["arguments"] if spec["op"] == "invoke" else None),
            spec.get("type", ""),
            tuple(spec.get("children", ())),
            frozenset(operators),
            spec.get("holder", ""),
            frozenset(spec.get("holes", ())),
            _field(grammar, pair, spec.get("block")),
            spec.get("joins", ""),
        )
        for number in _kinds(grammar, kind):
            forms[number] = form
    return forms


def _parameters(grammar: tree_sitter.Language, pair: Pair) -> dict[int, ParameterForm]:
    forms = {}
    for kind, spec in pair.table.get("parameters", {}).items():
        name, declared, default = (_field(grammar, pair, spec.get(key)) for key in ("name", "type", "default"))
        for number in _kinds(grammar, kind):
            forms[number] = ParameterForm(
                spec["kind"],
                name,
                declared,
                default,
                spec.get("next", False),
                spec.get("fixed", ""),
                spec.get("field", ""),
            )
    return forms


def _rules(table: Mapping[str, Any], found: BoundaryRules) -> Rules:
    semantics, tests, modules, scopes = (table.get(key, {}) for key in ("semantics", "tests", "modules", "scopes"))
    values: dict[str, Any] = {"name": table["name"], "extensions": tuple(table["extensions"])}
    values |= {f"test_{key}": value for key, value in tests.items()}
    values |= {"module_style": modules.get("style", "dotted")}
    values |= {key: value for key, value in modules.items() if key != "style"}
    values |= {"family": table.get("family", "")}
    values |= {key: scopes[key] for key in _SCOPES if key in scopes}
    values |= semantics
    values |= {"boundaries": found}
    kinds = {field.name: str(field.type) for field in fields(Rules)}
    for key, value in values.items():
        if kinds[key].startswith("frozenset"):
            values[key] = frozenset(value)
        elif kinds[key].startswith("tuple"):
            values[key] = tuple(value)
    return Rules(**values)
