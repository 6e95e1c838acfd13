"""Gather the evidence block for the symbols or files of an answer."""

from collections.abc import Sequence

from remora.core import policy
from remora.core.records.evidence import Evidence, gather
from remora.core.scope import Grant
from remora.ports import RecordPorts


def evidence(ports: RecordPorts, grant: Grant, subjects: Sequence[str], *, concise: bool = False) -> Evidence:
    """Pitfalls, decisions and history of the subjects, newest first within each, every row with its source."""
    rows = policy.EVIDENCE_ROWS_CONCISE if concise else policy.EVIDENCE_ROWS
    with ports.record_index.view(grant) as view:
        return gather(view, subjects, rows=rows)
