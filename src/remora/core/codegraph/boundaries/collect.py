"""What a linked file exposes and reaches for."""

from collections.abc import Sequence

from remora.core.codegraph.boundaries.declared import Declared
from remora.core.codegraph.boundaries.endpoints import Endpoint
from remora.core.codegraph.facts import Site
from remora.core.codegraph.tracked import Tracked
from remora.core.codegraph.values import Values


def collected(
    evaluator: Tracked,
    file: int,
    path: str,
    in_tests: bool,
    sites: Sequence[tuple[Site, Values]],
    passing: Sequence[tuple[Site, Values]],
    *,
    native: bool,
) -> list[Endpoint]:
    """Endpoints of a file, in order; `sites` call external things, `passing` give texts to functions of the tree."""
    rules = evaluator.rules.boundaries
    if not (rules.calls or rules.declared or rules.objects):
        return []
    reader = Declared(evaluator, file, path, in_tests)
    foreign = reader.foreign(sites) if native else ()
    return [*reader.read(sites), *reader.declarations(), *foreign, *reader.passed(passing)]
