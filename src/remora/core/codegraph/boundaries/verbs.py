"""HTTP verbs in the names of functions."""

import re

VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
_NAMED = re.compile(
    r"(?:^|_|map|http|method|send|async|do|request)(get|post|put|patch|delete|head|options)(?![a-z])", re.IGNORECASE
)
_EXACT = re.compile(r"^(get|post|put|patch|delete|head|options|del)(?=$|[A-Z_]|async|json)", re.IGNORECASE)


def verb_in(name: str) -> str:
    """The verb a name begins with or is; "" when it has none."""
    found = _EXACT.match(name) or _NAMED.search(name)
    if found is None:
        return ""
    return "DELETE" if found[1].lower() == "del" else found[1].upper()


def meets(given: str, taken: str) -> bool:
    """Whether a request with one verb meets a route with some (`GET|POST`); `*` is any."""
    return "*" in (given, taken) or not set(given.split("|")).isdisjoint(taken.split("|"))
