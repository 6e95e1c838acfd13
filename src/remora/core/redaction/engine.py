"""Redaction itself: collect the spans of all rules, merge them, and put placeholders in their place."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b

from remora.core.policy import REDACTION_HASH_BYTES, REDACTION_MAX_PASSES, REDACTION_REST_MIN_CHARS
from remora.core.redaction.assignments import assigned_secrets
from remora.core.redaction.contexts import context_secrets
from remora.core.redaction.entropy import random_words
from remora.core.redaction.patterns import BLOCK_SHAPES, LONG_WORD, VENDOR_SHAPES
from remora.core.redaction.pem import key_tails
from remora.core.redaction.shape import shape_spans

_PLACEHOLDER = re.compile(rf"\[redacted:[a-z0-9-]{{1,40}}:[0-9a-f]{{{2 * REDACTION_HASH_BYTES}}}\]")
_UPPER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


@dataclass(frozen=True, slots=True)
class Finding:
    """One secret that was removed: its kind and its keyed short hash, never the value."""

    kind: str
    hash: str


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without secrets, and what was removed, in the order of the text."""

    text: str
    findings: tuple[Finding, ...] = ()


def redact(text: str, key: bytes = b"") -> Redacted:
    """Replace every secret by `[redacted:KIND:HASH]`; the hash is stable per key. Redacting again changes nothing."""
    found: list[Finding] = []
    for _ in range(REDACTION_MAX_PASSES):
        spans = _merged(_secrets(text), _PLACEHOLDER.finditer(text) if "[redacted:" in text else ())
        if not spans:
            break
        pieces: list[str] = []
        at = 0
        for start, end, kind in spans:
            finding = Finding(kind, _hashed(text[start:end], key))
            found.append(finding)
            pieces += (text[at:start], f"[redacted:{kind}:{finding.hash}]")
            at = end
        text = "".join((*pieces, text[at:]))
    return Redacted(text, tuple(found))


def redact_text(text: str) -> str:
    """The text without its secrets, hashes unkeyed."""
    return redact(text).text


def _secrets(text: str) -> Iterator[tuple[int, int, str]]:
    """Spans (start, end, kind) of all rules; rules that know more come first."""
    yield from shape_spans(BLOCK_SHAPES, text, text)
    yield from key_tails(text)
    held = "\n".join(LONG_WORD.findall(text))  # a hundred literals are looked for in long words alone
    likely = [shape for shape in VENDOR_SHAPES if any(literal in held for literal in shape.literals)]
    yield from shape_spans(likely, text, text)
    lower = _lower(text)
    yield from context_secrets(text, lower)
    yield from assigned_secrets(text, lower)
    for start, end in random_words(text):
        yield start, end, "random-string"


def _lower(text: str) -> str:
    """ASCII letters lower-cased; positions stay those of the text."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text.translate(_UPPER)


def _merged(spans: Iterable[tuple[int, int, str]], placeholders: Iterable[re.Match[str]]) -> list[tuple[int, int, str]]:
    """Disjoint spans in order: overlapping ones become one, named by the rule that comes first; placeholders stay."""
    ranked = sorted((start, end, rank, kind) for rank, (start, end, kind) in enumerate(spans) if start < end)
    if not ranked:
        return []
    merged: list[tuple[int, int, int, str]] = []
    for start, end, rank, kind in ranked:
        if merged and start < merged[-1][1]:
            old = merged[-1]
            merged[-1] = (old[0], max(end, old[1]), *min((rank, kind), old[2:]))
        else:
            merged.append((start, end, rank, kind))
    kept = [match.span() for match in placeholders]
    return [part for start, end, _, kind in merged for part in _outside(start, end, kind, kept)]


def _outside(start: int, end: int, kind: str, kept: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int, str]]:
    """The span, or what of it lies around placeholders; short rests were judged when the placeholder was made."""
    touched = [(begin, stop) for begin, stop in kept if start < stop and begin < end]
    if not touched:
        yield start, end, kind
        return
    edges = [start, *(edge for pair in touched for edge in pair), end]
    for begin, stop in zip(edges[::2], edges[1::2], strict=True):
        if stop - begin >= REDACTION_REST_MIN_CHARS:
            yield begin, stop, kind


def _hashed(value: str, key: bytes) -> str:
    if len(key) > blake2b.MAX_KEY_SIZE:
        key = blake2b(key).digest()
    return blake2b(value.encode("utf-8", "surrogatepass"), key=key, digest_size=REDACTION_HASH_BYTES).hexdigest()
