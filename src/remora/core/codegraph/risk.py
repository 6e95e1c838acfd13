"""How risky a change is, as points with their reasons."""

from collections.abc import Sequence
from dataclasses import dataclass

from remora.core import policy
from remora.core.records.cochange import Partner

LEVELS = ("low", "medium", "high")


@dataclass(frozen=True, slots=True)
class Risk:
    """`level` is low, medium or high; every reason adds to it."""

    level: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """What speaks of risk in a change."""

    affected: int = 0
    public: int = 0
    untested: int = 0
    dangling: int = 0
    deleted: int = 0
    unresolved: int = 0
    communities: int = 0
    pitfalls: int = 0
    partners: Sequence[Partner] = ()


def risk_of(signs: Signs) -> Risk:
    """The level, and one reason per sign that counts. Weak signs alone never make a high risk."""
    some, many = policy.RISK_AFFECTED
    missed = [
        partner
        for partner in signs.partners
        if partner.support >= policy.COCHANGE_HABIT_SUPPORT and partner.count >= policy.COCHANGE_HABIT_COUNT
    ]
    weighed = [
        (2 * bool(signs.dangling), f"{signs.dangling} calls name something that the change deletes"),
        (2 * bool(signs.deleted), f"{signs.deleted} symbols that it deletes are in use"),
        (2 * bool(signs.pitfalls), f"{signs.pitfalls} pitfalls are recorded on what it touches"),
        ((signs.affected >= some) + (signs.affected >= many), f"{signs.affected} symbols depend on it"),
        (int(signs.untested > 0), f"{signs.untested} changed symbols are reached by no test"),
        (int(signs.communities > 1), f"it reaches {signs.communities} other parts of the code"),
        (int(signs.public > 0 and signs.affected > 0), f"{signs.public} changed symbols in use are public"),
        (int(bool(missed)), "not changed along as usual: " + ", ".join(partner.partner for partner in missed[:5])),
        (int(signs.unresolved > 0), f"{signs.unresolved} calls of these names could not be told"),
    ]
    points, strongest = sum(weight for weight, _ in weighed), max(weight for weight, _ in weighed)
    medium, high = policy.RISK_LEVELS
    level = LEVELS[(points >= medium) + (points >= high and strongest > 1)]
    return Risk(level, tuple(reason for weight, reason in weighed if weight))
