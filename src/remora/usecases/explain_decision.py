"""Tell which decisions, invariants, conventions and procedures govern a subject."""

from remora.core import policy
from remora.core.errors import InvalidInput
from remora.core.records import explain
from remora.core.records.explain import Explanation
from remora.core.scope import Grant
from remora.ports import RecordPorts


def explain_decision(
    ports: RecordPorts, grant: Grant, subject: str, *, include_superseded: bool = False, limit: int = policy.RECORD_HITS
) -> Explanation:
    """Decisions anchored to the subject or speaking of it.

    Raises `InvalidInput` without a subject.
    """
    if not subject.strip():
        raise InvalidInput("subject", "is empty")
    with ports.record_index.view(grant) as view:
        return explain.explain_decision(view, subject, include_superseded=include_superseded, limit=limit)
