"""The version 3 layout as tables: the fields of each part of a record in their order, how each is written and read."""

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from operator import attrgetter
from typing import Any, Generic, NamedTuple, TypeVar

from remora.core.errors import InvalidInput
from remora.core.graph import Json
from remora.core.records.model import (
    VERSION,
    AccessScope,
    Link,
    PathChange,
    Record,
    SourceArtifact,
    SymbolAnchor,
    SymbolChange,
    Verification,
)
from remora.core.records.vocabulary import (
    Lifecycle,
    PathChangeKind,
    RecordKind,
    Relation,
    ScopeKind,
    SymbolChangeKind,
    VerificationStatus,
)

_Value = TypeVar("_Value")
_Word = TypeVar("_Word", bound=StrEnum)
_NEEDED: Any = object()
"""In the place of a default: the field must be there."""


class Form(NamedTuple):
    """How one kind of value goes into JSON and comes back; `take(name, value)` raises `InvalidInput` with the name."""

    put: Callable[[Any], Json]
    take: Callable[[str, Any], Any]


class Field(NamedTuple):
    """One field. `default` stands where it is missing or null; a `spare` field is not written while it is empty."""

    name: str
    form: Form
    default: Any = _NEEDED
    spare: bool = False


class Shape(Generic[_Value]):
    """The fields of one value, in the order in which they are written."""

    def __init__(self, make: Callable[..., _Value], *fields: Field) -> None:
        self._make = make
        self._names = tuple(field.name for field in fields)
        self._held = attrgetter(*self._names)
        self._puts = tuple((field.name, field.form.put, field.spare) for field in fields)
        self._takes = tuple((field.name, field.form.take, field.default) for field in fields)

    def written(self, value: _Value) -> dict[str, Json]:
        """The value as a JSON object."""
        columns = zip(self._puts, self._held(value), strict=True)
        return {name: put(held) for (name, put, spare), held in columns if held or not spare}

    def read(self, body: Mapping[str, Any]) -> _Value:
        """The value that a JSON object holds; names that are not of this layout are passed over."""
        found = {}
        for name, take, default in self._takes:
            held = body.get(name)
            if held is not None:
                found[name] = take(name, held)
            elif default is not _NEEDED:
                found[name] = default
            else:
                raise InvalidInput(name, "is missing")
        return self._make(**found)

    def form(self) -> Form:
        """The form of a field that holds one such value."""

        def take(name: str, held: Any) -> _Value:
            if not isinstance(held, dict):
                raise InvalidInput(name, "is not an object")
            return self.read(held)

        return Form(self.written, take)

    def listed(self) -> Form:
        """The form of a field that holds any number of them."""

        def put(values: Iterable[_Value]) -> Json:
            return [self.written(value) for value in values]

        def take(name: str, held: Any) -> tuple[_Value, ...]:
            if not isinstance(held, list) or not all(isinstance(row, dict) for row in held):
                raise InvalidInput(name, "is not a list of objects")
            return tuple([self.read(row) for row in held])

        return Form(put, take)


# --- Plain values -----------------------------------------------------------------------------------------------------


def _as_it_is(value: Any) -> Any:
    return value


def _take_text(name: str, held: Any) -> str:
    if type(held) is not str:
        raise InvalidInput(name, "is not a string")
    return held


def _take_texts(name: str, held: Any) -> tuple[str, ...]:
    if not isinstance(held, list) or not all(isinstance(text, str) for text in held):
        raise InvalidInput(name, "is not a list of strings")
    return tuple(held)


def _take_whole(name: str, held: Any) -> int:
    if type(held) is not int:
        raise InvalidInput(name, "is not a whole number")
    return held


def _take_share(name: str, held: Any) -> float:
    if type(held) not in (int, float):
        raise InvalidInput(name, "is not a number")
    if not 0 <= held <= 1:
        raise InvalidInput(name, "is out of range", allowed="0 to 1")
    return float(held)


def _take_version(name: str, held: Any) -> int:
    version = _take_whole(name, held)
    if version not in range(1, VERSION + 1):
        raise InvalidInput(name, f"{str(version)[:20]} is not known", allowed=f"1 to {VERSION}")
    return version


def _word(vocabulary: type[_Word]) -> Form:
    """One word of a closed vocabulary; another one is an error and never dropped."""
    known = {member.value: member for member in vocabulary}

    def take(name: str, held: Any) -> _Word:
        found = known.get(held) if type(held) is str else None
        if found is None:
            raise InvalidInput(name, f"{str(held)[:80]!r} is not known", allowed=", ".join(known))
        return found

    return Form(attrgetter("value"), take)


_TEXT = Form(_as_it_is, _take_text)
_TEXTS = Form(list, _take_texts)
_SECONDS = Form(_as_it_is, _take_whole)
_SHARE = Form(_as_it_is, _take_share)


def _text(name: str) -> Field:
    return Field(name, _TEXT)


def _spare_text(name: str) -> Field:
    return Field(name, _TEXT, "", spare=True)


_CONFIDENCE = Field("confidence", _SHARE, 1.0)

# --- The parts, and the record ----------------------------------------------------------------------------------------

_SOURCE = Shape(SourceArtifact, _text("kind"), _text("uri"), _spare_text("revision"), _spare_text("digest"))
_ANCHOR = Shape(
    SymbolAnchor, _text("node_id"), _text("label"), _text("source_file"), _spare_text("repo"), _spare_text("commit"),
    _CONFIDENCE,
)  # fmt: skip
_SYMBOL_CHANGE = Shape(
    SymbolChange, Field("kind", _word(SymbolChangeKind)), Field("old", _ANCHOR.form()), Field("new", _ANCHOR.form()),
    _CONFIDENCE,
)  # fmt: skip
_PATH_CHANGE = Shape(PathChange, Field("kind", _word(PathChangeKind)), _spare_text("old_path"), _spare_text("new_path"))
_VERIFICATION = Shape(
    Verification, Field("status", _word(VerificationStatus)), Field("commands", _TEXTS, (), spare=True),
    _spare_text("notes"),
)  # fmt: skip
_SCOPE = Shape(AccessScope, Field("scope", _word(ScopeKind)), _spare_text("workspace"))
_LINK = Shape(Link, Field("relation", _word(Relation)), _text("target"))

RECORD = Shape(
    Record,
    Field("version", Form(_as_it_is, _take_version)),
    _text("id"),
    _text("idempotency_key"),
    Field("kind", _word(RecordKind)),
    _text("title"),
    _text("summary"),
    _text("repository"),
    _spare_text("branch"),
    _spare_text("commit"),
    Field("occurred_at", _SECONDS),
    Field("recorded_at", _SECONDS),
    Field("sources", _SOURCE.listed(), ()),
    Field("affected_symbols", _ANCHOR.listed(), (), spare=True),
    Field("symbol_changes", _SYMBOL_CHANGE.listed(), (), spare=True),
    Field("path_changes", _PATH_CHANGE.listed(), (), spare=True),
    Field("verification", _VERIFICATION.form(), Verification()),
    _CONFIDENCE,
    Field("lifecycle", _word(Lifecycle), Lifecycle.ACTIVE),
    Field("access_scope", _SCOPE.form(), AccessScope()),
    _spare_text("owner"),
    Field("links", _LINK.listed(), (), spare=True),
)
"""The record. The first layouts had no access scope: the narrowest one, which leaks nothing, stands in for it."""
