"""Typos: whether one word is another one mistyped."""

from remora.core import policy


def mistyped(typed: str, known: str) -> bool:
    """Whether `known` is at most one edit away (two for long words): insertion, deletion, change or swap.

    Words with digits are codes and versions; they are never taken for one another. The first letter is rarely wrong,
    so in a short word or with two edits it must be right.
    """
    shorter = min(len(typed), len(known))
    if shorter < policy.TYPO_MIN_CHARS or not (typed.isalpha() and known.isalpha()):
        return False
    allowed = 2 if shorter >= policy.TYPO_LONG_CHARS else 1
    if abs(len(typed) - len(known)) > allowed:
        return False
    edits = distance(typed, known, allowed)
    sure = edits < 2 and shorter > policy.TYPO_MIN_CHARS + 1
    return edits <= allowed and (sure or typed[0] == known[0])


def distance(one: str, other: str, most: int) -> int:
    """Edit distance with swaps of neighbours (optimal string alignment); `most` + 1 when it is more than that."""
    previous: list[int] = []
    row = list(range(len(other) + 1))
    for i, char in enumerate(one, start=1):
        before, previous, row = previous, row, [i]
        for j, wanted in enumerate(other, start=1):
            cost = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (char != wanted))
            if i > 1 and j > 1 and char == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)
