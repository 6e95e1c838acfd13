"""Triples in a model's answer, whatever shape it took; what is no triple is counted."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from remora.core import policy
from remora.core.extraction.loose_json import read_values
from remora.core.facts.batch import Triple

_SUBJECT = ("subject", "subj", "s", "head", "source", "from")
_PREDICATE = ("predicate", "pred", "p", "relation", "relationship", "rel", "verb", "edge")
_OBJECT = ("object", "obj", "o", "tail", "target", "to", "value")
_CONFIDENCE = ("confidence", "conf", "score", "certainty", "probability")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model's answer holds. `readable` is False when there was no JSON at all: then the answer failed."""

    triples: tuple[Triple, ...]
    dropped: Mapping[str, int]
    readable: bool
    cut: bool = False


def read_answer(text: str) -> Answer:
    """Never raises, whatever the text. Duplicates are one triple, with the higher confidence."""
    found = read_values(text)
    dropped: Counter[str] = Counter()
    triples: dict[tuple[str, str, str], Triple] = {}
    for row in _rows(list(found.values)):
        triple = _triple(row)
        if triple is None:
            dropped["shape"] += 1
            continue
        key = (triple.subject, triple.predicate, triple.object)
        known = triples.get(key)
        if known is not None:
            dropped["repeated"] += 1
            if (known.confidence or 0) >= (triple.confidence or 0):
                continue
        elif len(triples) >= policy.EXTRACTED_TRIPLES_MAX:
            dropped["limit"] += 1
            continue
        triples[key] = triple
    if found.spent:
        dropped["unread"] += 1
    return Answer(tuple(triples.values()), dict(dropped), readable=bool(found.values), cut=found.cut)


def _rows(values: list[Any]) -> Iterator[Any]:
    """Objects that look like triples, and lists of three or four plain values, wherever they are; in order."""
    stack = list(reversed(values))
    while stack:
        value = stack.pop()
        if isinstance(value, Mapping):
            keys = {str(key).strip().lower() for key in value}
            if keys & {*_SUBJECT[:2], *_PREDICATE[:5], *_OBJECT[:2]}:
                yield value
            else:
                stack.extend(inner for inner in reversed(list(value.values())) if isinstance(inner, dict | list))
        elif isinstance(value, list):
            if value and not any(isinstance(inner, dict | list) for inner in value):
                yield value
            else:
                stack.extend(inner for inner in reversed(value) if isinstance(inner, dict | list))


def _triple(row: Any) -> Triple | None:
    if isinstance(row, Mapping):
        body = {str(key).strip().lower(): value for key, value in row.items()}
        parts = [_first(body, names) for names in (_SUBJECT, _PREDICATE, _OBJECT, _CONFIDENCE)]
        types = [_text(body.get("subject_type")), _text(body.get("object_type"))]
    else:
        parts, types = [*row[:3], row[3] if len(row) == 4 else None], ["", ""]
        if not 3 <= len(row) <= 4:
            return None
    subject, predicate, target = (_text(part) for part in parts[:3])
    if not (subject and predicate and target):
        return None
    return Triple(
        subject=subject,
        predicate=predicate,
        object=target,
        confidence=_confidence(parts[3]),
        subject_type=types[0],
        object_type=types[1],
    )


def _first(body: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((body[name] for name in names if name in body), None)


def _text(value: Any) -> str:
    """Text, or a number as it is written; a name in an object of its own (`{"name": ...}`) counts."""
    if isinstance(value, Mapping):
        value = value.get("name")
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, int | float):
        return f"{value:.15g}" if abs(value) < 1e15 else ""
    return value.strip()[: policy.REDACTION_WINDOW_CHARS] if isinstance(value, str) else ""


def _confidence(value: Any) -> float | None:
    """A number, also written as text or in percent; None for anything else, which drops the triple."""
    if isinstance(value, str):
        try:
            text = value.strip()
            value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return None
    return float(value)
