"""Which changes repair behaviour, by what their titles say."""

import re

_FIX = re.compile(
    r"\b(?:fix(?:e[sd]|ing)?|bug(?:s|fix(?:es)?)?|hotfix|regressions?|crash(?:e[sd])?|leaks?|deadlock|panics?)\b",
    re.IGNORECASE,
)
_CHORE = re.compile(
    r"\b(?:typos?|spell(?:ing|o)?|misspell\w*|grammar|lint\w*|formatting|whitespace|indent\w*|style|flake8|mypy|pyright"
    r"|clippy|pre-commit|codespell|docs?|documentation|docstrings?|javadocs?|godoc|readme|changelog|comments?|ci|travis"
    r"|appveyor|github actions?|workflows?|bump|upgrade|release|tests?|testing|flaky|coverage|warnings?)\b",
    re.IGNORECASE,
)
"""Repairs of anything but behaviour: nobody asks a memory where a typo is, and its subject does not say."""


def is_fix(subject: str) -> bool:
    """Whether a commit's subject says that it repairs the program's behaviour."""
    return _FIX.search(subject) is not None and _CHORE.search(subject) is None
