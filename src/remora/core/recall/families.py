"""Hits of every family in one shape, and how ranked families become one answer within a budget."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite

from remora.core import policy
from remora.core.graph import Json
from remora.core.recall.bm25 import fuse


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One recalled thing, labelled with its family, its source and why it came.

    `score` is comparable within a family only. `updated` (microseconds) breaks ties; it is not shown.
    """

    family: str
    id: str
    title: str
    text: str = ""
    source: str = ""
    score: float = 0.0
    matched_by: tuple[str, ...] = ()
    trust: str = ""
    updated: int = 0
    detail: Mapping[str, Json] = field(default_factory=dict)

    def to_json(self) -> dict[str, Json]:
        """Compact JSON: empty members are left out, and never a number that JSON cannot carry."""
        row: dict[str, Json] = {
            "family": self.family,
            "id": self.id,
            "title": self.title,
            "text": self.text,
            "source": self.source,
            "score": round(self.score, 3) if isfinite(self.score) else 0.0,
            "why": ", ".join(self.matched_by),
            "trust": self.trust,
            **self.detail,
        }
        return {key: value for key, value in row.items() if value not in ("", None)}


@dataclass(frozen=True, slots=True)
class Fused:
    """The answer: hits best first, how many were left out by the limit or the budget."""

    hits: tuple[Hit, ...]
    left_out: int = 0

    @property
    def truncated(self) -> bool:
        """Whether there is more than is shown."""
        return self.left_out > 0


def fuse_families(
    families: Sequence[Sequence[Hit]],
    *,
    limit: int,
    max_chars: int,
    k: int = policy.FUSION_K,
    floor: int = policy.FAMILY_FLOOR,
) -> Fused:
    """One ranked answer from families that are each ranked, best first.

    Ranks are fused, so that scores of different families are never compared; every family with hits keeps at least
    `floor` places of `limit` (its best ones) where places allow. Ties by score within the family, recency, id. Whole
    hits are left out when `max_chars` of JSON are used up.
    """
    unique = {(hit.family, hit.id): hit for ranking in reversed(families) for hit in reversed(ranking)}
    keyed = [[f"{hit.family}\0{hit.id}" for hit in ranking] for ranking in families if ranking]
    fused = dict(fuse(keyed, k))
    by_key = {f"{family}\0{item}": hit for (family, item), hit in unique.items()}
    ordered = sorted(by_key, key=lambda key: (-fused[key], -_share(by_key[key], families), -by_key[key].updated, key))
    share = min(floor, limit // max(1, len(keyed)))
    kept = {key for ranking in keyed for key in list(dict.fromkeys(ranking))[:share]}
    for key in ordered:
        if len(kept) >= limit:
            break
        kept.add(key)
    chosen = [by_key[key] for key in ordered if key in kept]
    fitting = within_budget(chosen, max_chars)
    return Fused(fitting, len(by_key) - len(fitting))


def _share(hit: Hit, families: Sequence[Sequence[Hit]]) -> float:
    """The hit's score as a share of its family's best, so that a clear winner beats a mere first."""
    best = max((other.score for ranking in families for other in ranking if other.family == hit.family), default=0.0)
    return hit.score / best if best > 0 else 0.0


def within_budget(hits: Sequence[Hit], max_chars: int) -> tuple[Hit, ...]:
    """The leading hits whose JSON fits; nothing is cut inside a hit."""
    kept: list[Hit] = []
    for hit in hits:
        max_chars -= size(hit.to_json())
        if max_chars < 0:
            break
        kept.append(hit)
    return tuple(kept)


def size(row: Mapping[str, Json]) -> int:
    """Characters of a row's JSON."""
    return len(json.dumps(row, ensure_ascii=False)) + 1
