"""Times as people give them to history commands: dates and ages, always in UTC."""

import re
from datetime import UTC, datetime

from remora.core.errors import InvalidInput

_AGE = re.compile(r"(\d{1,6})[ ._]*(minute|hour|day|week|month|year)s?(?:[ ._]+ago)?", re.IGNORECASE)
_SECONDS = {"minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800, "month": 2_629_800, "year": 31_557_600}
_ALLOWED = "an ISO date such as 2024-05-01, or an age such as `2 weeks ago`"


def parse_since(text: str, now: int) -> int:
    """Unix seconds (at least 1). `now` is in microseconds. A date without an offset is UTC, wherever it is said."""
    text = text.strip()
    if age := _AGE.fullmatch(text):
        return max(1, now // 1_000_000 - int(age[1]) * _SECONDS[age[2].lower()])
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput("since", f"{text[:80]!r} is not a time", allowed=_ALLOWED) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(1, int(moment.timestamp()))
