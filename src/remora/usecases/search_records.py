"""Search records by words, symbol and kind."""

from remora.core.records.search import RecordQuery, SearchResult, search
from remora.core.scope import Grant
from remora.ports import RecordPorts


def search_records(ports: RecordPorts, grant: Grant, query: RecordQuery) -> SearchResult:
    """Hits, best first, each with its reasons and source; only what the caller may see is found, counted or weighed."""
    with ports.record_index.view(grant) as view:
        return search(view, query)
