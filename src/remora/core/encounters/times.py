"""RFC 3339 times with an offset, kept as UTC; naive times are refused, because nobody knows which clock they mean."""

import re
from datetime import UTC, datetime, timedelta

from remora.core.errors import InvalidInput

TIME_FORM = "RFC 3339 with offset, like 2026-03-01T09:30:00+01:00 or 2026-03-01T08:30:00Z"
_FORM = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)?", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def instant(text: str, field: str) -> str:
    """The time as `YYYY-MM-DDTHH:MM:SS[.ffffff]Z`. Raises `InvalidInput` on anything but RFC 3339 with an offset."""
    form = _FORM.fullmatch(text.strip())
    if form is None:
        raise InvalidInput(field, f"{text[:40]!r} is not a time", allowed=TIME_FORM)
    if not form[2]:
        raise InvalidInput(field, f"{text[:40]!r} has no offset from UTC", allowed=TIME_FORM)
    whole = form[0].removesuffix(form[2]).removesuffix(form[1] or "")
    fraction = (form[1] or "")[:7]  # microseconds; finer digits name the same microsecond
    try:
        moment = datetime.fromisoformat(whole.upper() + fraction + form[2].upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidInput(field, f"{text[:40]!r} does not exist", allowed=TIME_FORM) from None
    return _shown(moment)


def micros(text: str, field: str) -> int:
    """The same time as microseconds UTC since the epoch."""
    moment = datetime.fromisoformat(instant(text, field))
    return (moment - _EPOCH) // timedelta(microseconds=1)


def shown(microseconds: int) -> str:
    """Microseconds since the epoch as RFC 3339 in UTC."""
    return _shown(_EPOCH + timedelta(microseconds=microseconds))


def _shown(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")
