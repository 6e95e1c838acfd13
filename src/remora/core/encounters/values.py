"""Checking one value against its row in the tables: what it is, how long, and as what it is kept."""

from collections.abc import Callable, Iterator, Mapping

from remora.core.encounters.schema import Kind, Property
from remora.core.encounters.times import instant
from remora.core.errors import InvalidInput
from remora.core.graph import Json
from remora.core.policy import NODE_ALIASES_MAX, NODE_LINE_MAX_CHARS, NODE_NAME_MAX_CHARS, NODE_TEXT_MAX_CHARS
from remora.core.text import clean, fold_name

Scrub = Callable[[str], str]


"""Takes secrets and unseen characters out of a text, before anything else looks at it."""


_RAW_FACTOR = 2


"""A raw text longer than this many limits is refused before it is scrubbed, which takes time."""


_LIMITS = {Kind.NAME: NODE_NAME_MAX_CHARS, Kind.TEXT: NODE_TEXT_MAX_CHARS}


def scrubber(redact: Callable[[str], str]) -> Scrub:
    """Cleaning, then redaction."""
    return lambda text: redact(clean(text))


def name_of(value: object, field: str, scrub: Scrub) -> str:
    """A name as it is kept. Raises `InvalidInput` when it is not text, empty or too long."""
    if not isinstance(value, str):
        raise InvalidInput(field, f"is a {type(value).__name__}", allowed=Kind.NAME.value)
    _measured(value, NODE_NAME_MAX_CHARS * _RAW_FACTOR, field, NODE_NAME_MAX_CHARS)
    name = fold_name(scrub(value))
    if not name:
        raise InvalidInput(field, "is empty", allowed=f"1 to {NODE_NAME_MAX_CHARS} characters")
    if len(name) > NODE_NAME_MAX_CHARS:
        raise InvalidInput(field, f"has {len(name)} characters", allowed=f"1 to {NODE_NAME_MAX_CHARS} characters")
    return name


def text_of(value: object, field: str, scrub: Scrub) -> str:
    """A text as it is kept, not blank. Raises `InvalidInput`."""
    return str(checked(Property(Kind.TEXT, required=True), value, field, scrub))


def missing(
    field: str, table: Mapping[str, Property], given: Mapping[str, object], *, exists: bool = False
) -> Iterator[InvalidInput]:
    """An error for every required property that is not given; of a node that exists only the name is required."""
    for key, spec in table.items():
        if spec.required and given.get(key) is None and not (exists and key != "name"):
            required = ", ".join(name for name, other in table.items() if other.required)
            yield InvalidInput(f"{field}.{key}", "is missing", allowed=f"{spec.allowed}; required: {required}")


def checked(spec: Property, value: object, field: str, scrub: Scrub) -> Json:
    """The value as it is kept. Raises `InvalidInput` that says what is allowed."""
    if spec.choices:
        if not isinstance(value, str) or value not in spec.choices:
            shown = short(scrub(value[:200])) if isinstance(value, str) else f"a {type(value).__name__}"
            raise InvalidInput(field, f"{shown} is unknown", allowed=spec.allowed)
        return value
    if spec.kind is Kind.LINES:
        return _lines(value, field, scrub)
    if spec.kind is Kind.FLAG and isinstance(value, bool):
        return value
    if spec.kind is Kind.DEGREE and isinstance(value, int | float) and not isinstance(value, bool):
        if not 0 <= value <= 1:
            raise InvalidInput(field, f"{value} is out of range", allowed=spec.allowed)
        return value
    if spec.kind is Kind.FLAG or not isinstance(value, str):
        raise InvalidInput(field, f"is a {type(value).__name__}", allowed=spec.allowed)
    return _worded(spec, value, field, scrub)


def _worded(spec: Property, value: str, field: str, scrub: Scrub) -> str:
    if spec.kind is Kind.TIME:
        return instant(value, field)
    if spec.kind is Kind.NAME:
        return name_of(value, field, scrub)
    return _text(spec, value, field, scrub)


def _text(spec: Property, value: str, field: str, scrub: Scrub) -> str:
    limit = _LIMITS.get(spec.kind, NODE_LINE_MAX_CHARS)
    _measured(value, limit * _RAW_FACTOR, field, limit)
    text = scrub(value).strip()
    if spec.kind is not Kind.TEXT:
        text = " ".join(text.split())
    if spec.required and not text:
        raise InvalidInput(field, "is empty", allowed=f"1 to {limit} characters")
    if len(text) > limit:
        raise InvalidInput(field, f"has {len(text)} characters", allowed=f"at most {limit} characters")
    return text


def _measured(value: str, most: int, field: str, limit: int) -> None:
    if len(value) > most:
        raise InvalidInput(field, f"has {len(value)} characters", allowed=f"at most {limit} characters")


def _lines(value: object, field: str, scrub: Scrub) -> Json:
    if not isinstance(value, list | tuple) or not all(isinstance(line, str) for line in value):
        raise InvalidInput(field, "is not a list of texts", allowed=Kind.LINES.value)
    if len(value) > NODE_ALIASES_MAX:
        raise InvalidInput(field, f"has {len(value)} entries", allowed=f"at most {NODE_ALIASES_MAX}")
    return list(dict.fromkeys(name_of(line, field, scrub) for line in value))


def short(value: object) -> str:
    """A caller's value fit for an error text."""
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."
