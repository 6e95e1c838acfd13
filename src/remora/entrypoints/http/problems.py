"""Failures as RFC 9457 problem documents: the one error tree, translated once."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.responses import Response

from remora.core.errors import Ambiguous, InvalidBatch, InvalidInput, QueueFull, RemoraError

MEDIA_TYPE = "application/problem+json"
_STATUS: Mapping[str, int] = {
    "invalid_input": 400,
    "invalid_batch": 400,
    "unauthenticated": 401,
    "denied": 403,
    "foreign_host": 403,
    "foreign_origin": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "conflict": 409,
    "ambiguous": 409,
    "limit_reached": 409,
    "body_too_large": 413,
    "unsupported_media_type": 415,
    "queue_full": 429,
    "rate_limited": 429,
    "internal": 500,
    "corrupt": 500,
    "source_failed": 502,
    "unavailable": 503,
    "deadline": 504,
}
_ERRORS_SHOWN = 50
_RETRY_SECONDS = 1


@dataclass(frozen=True, slots=True)
class Problem:
    """One refusal or failure. `code` is a word of the table above; `detail` is fit for a user."""

    code: str
    detail: str
    advice: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def status(self) -> int:
        """The HTTP status."""
        return _STATUS.get(self.code, 500)

    def document(self) -> dict[str, Any]:
        """The members of the problem document."""
        body: dict[str, Any] = {
            "type": f"urn:remora:problem:{self.code}",
            "title": self.code.replace("_", " "),
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
        }
        return body | ({"advice": self.advice} if self.advice else {}) | dict(self.more)

    def response(self) -> Response:
        """The answer to send."""
        return Response(strict(self.document()), self.status, dict(self.headers), MEDIA_TYPE)


class Refused(Exception):
    """Carries a problem of this door (authentication, limits) to the place that answers."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


def problem_of(error: RemoraError) -> Problem:
    """The problem that an error of the tree is."""
    more: dict[str, Any] = {}
    if isinstance(error, InvalidBatch):
        more = {"errors": [_field(item) for item in error.errors[:_ERRORS_SHOWN]], "total": len(error.errors)}
    elif isinstance(error, InvalidInput):
        more = {"errors": [_field(error)]}
    elif isinstance(error, Ambiguous):
        more = {"candidates": list(error.candidates[:_ERRORS_SHOWN])}
    wait = error.retry_seconds if isinstance(error, QueueFull) else _RETRY_SECONDS
    headers = {"retry-after": str(wait)} if error.code in {"unavailable", "queue_full"} else {}
    return Problem(error.code, str(error), error.advice, more, headers)


def strict(data: Any) -> bytes:
    """Strict JSON in UTF-8; NaN and infinities are a bug and raise here, not at the client."""
    return json.dumps(data, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _field(error: InvalidInput) -> dict[str, str]:
    row = {"field": error.field, "problem": error.problem}
    return row | ({"allowed": error.allowed} if error.allowed else {})
