"""Evaluate record search on the cases of a manifest; the bars make it a gate."""

from remora.core.records.evaluation import DEPTH, CaseOutcome, Evaluation, Gates, evaluate, judge, parse_manifest
from remora.core.records.search import Ranking, RecordQuery, search
from remora.core.scope import Grant
from remora.ports import RecordPorts

_NO_GATES = Gates()


def evaluate_records(
    ports: RecordPorts,
    grant: Grant,
    manifest: bytes,
    *,
    gates: Gates = _NO_GATES,
    ranking: Ranking = Ranking.DEFAULT,
) -> Evaluation:
    """Run every case over what the caller may see; raises `InvalidInput` naming a wrong case."""
    outcomes: list[CaseOutcome] = []
    with ports.record_index.view(grant) as view:
        for case in parse_manifest(manifest):
            query = RecordQuery(case.query, case.symbol, case.kinds, limit=DEPTH, ranking=ranking)
            found = search(view, query)
            outcomes.append(judge(case, [hit.record for hit in found.hits], found.candidates, found.total))
    return evaluate(outcomes, gates)
