"""Takes secrets out of many texts at the price of few."""

from collections.abc import Callable, Sequence

_BETWEEN = "\n\n;;;;;;;;;;;;\n\n"
"""Keeps a rule's look around a secret inside its own text: longer than any such look bridges, and no word."""


def redact_all(texts: Sequence[str], redact: Callable[[str], str]) -> list[str]:
    """Each text without its secrets. Joined texts that hold none are clean together; else halves are tried."""
    if len(texts) <= 1:
        return [redact(text) for text in texts]
    joined = _BETWEEN.join(texts)
    if redact(joined) == joined:
        return list(texts)
    middle = len(texts) // 2
    return redact_all(texts[:middle], redact) + redact_all(texts[middle:], redact)
