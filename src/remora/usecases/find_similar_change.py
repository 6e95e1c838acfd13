"""Find earlier changes of similar intent."""

from remora.core import policy
from remora.core.errors import InvalidInput
from remora.core.records import explain
from remora.core.records.explain import Explanation
from remora.core.scope import Grant
from remora.ports import RecordPorts


def find_similar_change(
    ports: RecordPorts, grant: Grant, description: str, *, symbol: str = "", limit: int = policy.RECORD_HITS
) -> Explanation:
    """Changes, attempts and reports like the description, those around the symbol first.

    Raises `InvalidInput` without a description.
    """
    if not description.strip():
        raise InvalidInput("description", "is empty")
    with ports.record_index.view(grant) as view:
        return explain.find_similar_change(view, description, symbol=symbol, limit=limit)
