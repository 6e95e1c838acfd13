"""Explain what happened around a symbol, file or topic."""

from remora.core import policy
from remora.core.errors import InvalidInput
from remora.core.records import explain
from remora.core.records.explain import Explanation
from remora.core.scope import Grant
from remora.ports import RecordPorts


def explain_history(
    ports: RecordPorts, grant: Grant, subject: str, *, include_superseded: bool = False, limit: int = policy.RECORD_HITS
) -> Explanation:
    """Records about the subject, newest first, also under its former and later names, with what they link to and from.

    Raises `InvalidInput` without a subject.
    """
    if not subject.strip():
        raise InvalidInput("subject", "is empty")
    with ports.record_index.view(grant) as view:
        return explain.explain_history(view, subject, include_superseded=include_superseded, limit=limit)
