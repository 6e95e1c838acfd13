"""Tell what went wrong around a subject before."""

from remora.core import policy
from remora.core.errors import InvalidInput
from remora.core.records import explain
from remora.core.records.explain import Explanation
from remora.core.scope import Grant
from remora.ports import RecordPorts


def known_pitfalls(ports: RecordPorts, grant: Grant, subject: str, *, limit: int = policy.RECORD_HITS) -> Explanation:
    """Failures, regressions, incidents, findings and failed runs anchored to the subject or speaking of it.

    Raises `InvalidInput` without a subject.
    """
    if not subject.strip():
        raise InvalidInput("subject", "is empty")
    with ports.record_index.view(grant) as view:
        return explain.known_pitfalls(view, subject, limit=limit)
