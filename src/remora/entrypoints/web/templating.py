"""Templates: everything is escaped, an unknown name is an error, and times and sizes read like words."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from remora.core.encounters.identity import node_id
from remora.core.encounters.times import shown
from remora.entrypoints.web import plots
from remora.entrypoints.web.assets import address

_FOLDER = Path(__file__).parent / "templates"
_STEPS = ((60, "s"), (60, "min"), (24, "h"), (30, "d"), (12, "mo"))


@cache
def templates() -> jinja2.Environment:
    """The environment; one for the process."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER), autoescape=True, undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, auto_reload=False,
    )  # fmt: skip
    made.filters |= {
        "moment": moment,
        "day": day,
        "iso": shown_time,
        "words": words,
        "number": number,
        "node_path": node_path,
    }
    made.globals |= {"asset": address, "ago": ago, "plots": plots}
    return made


def draw(name: str, values: Mapping[str, Any]) -> str:
    """One template as text."""
    return templates().get_template(name).render(values)


def shown_time(at: int) -> str:
    """Microseconds as RFC 3339, for machines."""
    try:
        return shown(at)
    except OverflowError:
        return ""


def moment(at: int) -> str:
    """Microseconds as a time that people read: `2026-11-30 18:22`, in UTC."""
    return shown_time(at)[:16].replace("T", " ")


def day(at: int) -> str:
    """Microseconds as a date."""
    return shown_time(at)[:10]


def ago(at: int, now: int) -> str:
    """How long ago: `3 h`; what is older than a year is a date."""
    left = max(0, (now - at) // 1_000_000)
    for size, unit in _STEPS:
        if left < size:
            return f"{left} {unit}" if unit != "s" else "now"
        left //= size
    return day(at)


def words(name: str) -> str:
    """A name of code as words: `change_episode` is `change episode`."""
    return name.replace("_", " ").strip()


def number(value: int) -> str:
    """With a separator that no locale mistakes for a point."""
    return f"{value:,}".replace(",", "\u202f")


def node_path(reference: str, base: str) -> str:
    """Where the node of a typed name, `Type:name`, is shown."""
    kind, _, name = reference.partition(":")
    return f"{base}/items/{node_id(kind, name)}"
