"""Fold loose record files into verified segments."""

from remora.core.errors import Denied
from remora.core.records.log import Compacted, Progress
from remora.core.scope import Grant
from remora.ports import RecordPorts


def compact_records(ports: RecordPorts, grant: Grant, progress: Progress | None = None) -> Compacted:
    """Compact the log; the operator's. Never removes the last good copy of a record."""
    if not grant.operator:
        raise Denied("only the operator may compact the record log")
    return ports.records.compact(progress)
