"""Check every checksum of the record log and name what is bad."""

from remora.core.errors import Denied
from remora.core.records.log import LogReport, Progress
from remora.core.scope import Grant
from remora.ports import RecordPorts


def verify_records(ports: RecordPorts, grant: Grant, progress: Progress | None = None) -> LogReport:
    """A report over the whole log; the operator's, since it counts records of everyone."""
    if not grant.operator:
        raise Denied("only the operator may verify the record log")
    return ports.records.verify(progress)
