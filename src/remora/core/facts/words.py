"""The words of a triple made safe: names, predicates, types, confidence and citations, checked or refused."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from remora.core import policy
from remora.core.errors import InvalidInput
from remora.core.scope import Grant, is_session_scope
from remora.core.source import Anchor
from remora.core.text import clean, fold_name, name_key

Redact: TypeAlias = Callable[[str], str]
"""Replaces secrets by placeholders."""

SAME_AS = "SAME_AS"
"""The predicate that adds an alias and merges duplicates; it is never stored as a fact."""
USER = "User"
_USER_WORDS = frozenset({"me", "i", "user", "the user"})
_USER_KEY = "user"
_PREDICATE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")
_PHRASE = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:(?:[_-]|\s+)[A-Za-z0-9]+)*")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SEPARATOR = re.compile(r"[\s_-]+")
_TYPE = re.compile(r"[^\W\d_][\w \-]*")
_ID = re.compile(r"(?:mem|fct)_[0-9a-f]{24}")
_PREDICATE_FORM = "UPPER_SNAKE_CASE, or words such as `uses`, `depends on`, `dependsOn`"


@dataclass(frozen=True, slots=True)
class Name:
    """An entity's name as shown and the key under which it is the same entity."""

    text: str
    key: str

    @property
    def is_user(self) -> bool:
        """Whether this names a person at the keyboard."""
        return is_user_key(self.key)


def is_user_key(key: str) -> bool:
    """`User`, or `User:<member>` on a server."""
    return key == _USER_KEY or key.startswith(_USER_KEY + ":")


def user_name(grant: Grant, scope: str) -> str:
    """What `me` means: `User`, or `User:<member>` where several people share the scope."""
    if grant.operator or is_session_scope(scope):
        return USER
    return f"{USER}:{fold_name(clean(grant.principal))}"


def shown(text: object, redact: Redact, max_chars: int = 40) -> str:
    """A caller's value fit for an error text: secrets masked, short, escaped."""
    if not isinstance(text, str):
        return type(text).__name__
    # Masking before the cut: half a secret is no longer recognised as one.
    masked = redact(clean(text[: policy.REDACTION_WINDOW_CHARS]))
    return repr(masked[:max_chars] + ("…" if len(masked) > max_chars else ""))


def entity_name(field: str, raw: object, redact: Redact, user: str) -> Name:
    """A name, cleaned, redacted and only then measured. Raises `InvalidInput`; never cuts."""
    if not isinstance(raw, str):
        raise InvalidInput(field, f"is {type(raw).__name__}, not text", allowed="a name")
    if len(raw) > policy.REDACTION_WINDOW_CHARS:
        raise InvalidInput(field, f"has {len(raw):,} characters", allowed=_name_limit())
    text = fold_name(redact(fold_name(clean(raw))))
    key = name_key(text)
    if not key:
        raise InvalidInput(field, "is empty", allowed="a name with at least one visible character")
    if len(text) > policy.ENTITY_NAME_MAX_CHARS:
        raise InvalidInput(field, f"has {len(text):,} characters", allowed=_name_limit())
    if key in _USER_WORDS:
        return Name(user, name_key(user))
    return Name(text, key)


def _name_limit() -> str:
    return f"at most {policy.ENTITY_NAME_MAX_CHARS} characters; put long text into a record or a note"


def predicate_name(field: str, raw: object, redact: Redact) -> str:
    """A predicate as UPPER_SNAKE_CASE: `uses`, `depends on` and `dependsOn` are brought into form, the rest refused."""
    text = raw.strip() if isinstance(raw, str) else ""
    if len(text) > 4 * policy.PREDICATE_MAX_CHARS:
        raise InvalidInput(field, f"has {len(text):,} characters", allowed=_predicate_limit())
    if redact(text) != text:  # before it is brought into a form in which nothing would know it
        raise InvalidInput(field, "holds what looks like a secret", allowed=_PREDICATE_FORM)
    if not _PREDICATE.fullmatch(text):
        if not _PHRASE.fullmatch(text):
            raise InvalidInput(field, f"{shown(raw, redact)} is not a predicate", allowed=_PREDICATE_FORM)
        text = _SEPARATOR.sub("_", _CAMEL.sub("_", text)).upper()
    if len(text) > policy.PREDICATE_MAX_CHARS:
        raise InvalidInput(field, f"has {len(text)} characters", allowed=_predicate_limit())
    return text


def _predicate_limit() -> str:
    return f"at most {policy.PREDICATE_MAX_CHARS} characters"


def type_name(field: str, raw: object, redact: Redact) -> str:
    """An entity's type: words of letters, digits, space, `_` and `-`; "" when none is given."""
    if raw is None or raw == "":
        return ""
    text = fold_name(clean(raw)) if isinstance(raw, str) and len(raw) <= 4 * policy.PREDICATE_MAX_CHARS else ""
    if not _TYPE.fullmatch(text) or len(text) > policy.PREDICATE_MAX_CHARS or redact(text) != text:
        allowed = f"at most {policy.PREDICATE_MAX_CHARS} letters, digits, spaces, _ and -, a letter first"
        raise InvalidInput(field, f"{shown(raw, redact)} is not an entity type", allowed=allowed)
    return text


def confidence_value(field: str, raw: object) -> float | None:
    """A number from 0 to 1, or None when the caller gave none."""
    if raw is None:
        return None
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not math.isfinite(raw) or not 0 <= raw <= 1:
        raise InvalidInput(field, "is not a confidence", allowed="a number from 0 to 1")
    return float(raw)


def citation_list(field: str, raw: object, redact: Redact) -> tuple[str, ...]:
    """Record ids, fact ids and code anchors, without duplicates, in order."""
    if raw is None:
        return ()
    if isinstance(raw, str) or not isinstance(raw, Sequence) or len(raw) > policy.CITATIONS_PER_FACT:
        raise InvalidInput(field, "is not a list of citations", allowed=f"at most {policy.CITATIONS_PER_FACT}")
    return tuple(dict.fromkeys(_citation(field, item, redact) for item in raw))


def _citation(field: str, raw: object, redact: Redact) -> str:
    allowed = "a record id (mem_…), a fact id (fct_…) or code:path#qualified.name@revision"
    if not isinstance(raw, str) or len(raw) > policy.CITATION_MAX_CHARS or clean(raw) != raw:
        raise InvalidInput(field, f"{shown(raw, redact)} is not a citation", allowed=allowed)
    if _ID.fullmatch(raw):
        return raw
    if redact(raw) != raw:
        raise InvalidInput(field, "holds a secret", allowed=allowed)
    try:
        return Anchor.parse(raw).uri
    except InvalidInput as error:
        raise InvalidInput(field, f"{shown(raw, redact)} is not a citation", allowed=allowed) from error
