"""Confirm relations of the code graph by a SCIP index: what a compiler saw as well is no longer inferred."""

from dataclasses import dataclass

from remora.core.codegraph.build import ROUNDS
from remora.core.codegraph.linked import AMBIGUOUS
from remora.core.codegraph.scip import Lift, lift, read_index
from remora.core.codegraph.snapshot import GraphUpdate
from remora.core.codegraph.view import CONTAINS, CROSSES
from remora.core.scope import Grant, Right
from remora.ports import CodeGraphPorts, CodeGraphRead


@dataclass(frozen=True, slots=True)
class ImportScipResult:
    """`lifted` relations are of the first tier now, `bound` calls could not be told before; documents of the index that
    the graph lacks are counted."""

    lifted: int
    bound: int
    documents: int
    unknown_documents: int


def import_scip(ports: CodeGraphPorts, grant: Grant, data: bytes) -> ImportScipResult:
    """Lift what the index confirms; holds until a file is linked again. Raises `InvalidInput` for other bytes."""
    grant.require(ports.repository.identity, Right.WRITE)
    documents = read_index(data)
    ports.freshness()
    with ports.code_graph.building():
        with ports.code_graph.read() as view:
            found = lift(view, documents)
            update = _update(view, found)
        if found.files:
            ports.code_graph.update(update)
    return ImportScipResult(len(found.edges), len(found.told), found.documents, found.unknown_documents)


def _update(view: CodeGraphRead, found: Lift) -> GraphUpdate:
    """The files of the lifted relations with all that they hold, as one build would write it."""
    update = GraphUpdate(relinked=list(found.files))
    if not found.files:
        return update
    better = {(edge.source, edge.kind, edge.target): edge for edge in found.edges}
    sources = [row.id for row in view.symbols(files=found.files)]
    for edge in view.edges(sources=sources):
        if edge.tier == AMBIGUOUS and edge.kind < CROSSES:
            update.guesses.append(edge)
        elif edge.kind != CONTAINS and edge.kind < CROSSES:
            update.edges.append(better.get((edge.source, edge.kind, edge.target), edge))
    update.edges += found.added
    update.unresolved = [call for call in view.unresolved(sources=sources) if call not in found.told]
    for file in found.files:
        for number in range(ROUNDS):
            update.flows += view.flows(source=file, round_number=number)
    return update
