"""How the code graph stands: sizes, what was left out, what went wrong, and whether it is up to date."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from remora.core import policy
from remora.core.codegraph.answers import Freshness
from remora.core.codegraph.snapshot import FileRow
from remora.core.scope import Grant, Right
from remora.ports import CodeGraphPorts


@dataclass(frozen=True, slots=True)
class LanguageStatus:
    """Figures of one language."""

    files: int
    symbols: int
    calls: int
    external_calls: int
    files_with_errors: int
    unparsed: int


@dataclass(frozen=True, slots=True)
class GraphStatus:
    """`warnings` make a check fail; `problems` are files that gave no symbols and why."""

    counts: Mapping[str, int]
    languages: Mapping[str, LanguageStatus]
    skipped: Mapping[str, int]
    problems: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    freshness: Freshness


def graph_status(ports: CodeGraphPorts, grant: Grant) -> GraphStatus:
    """Status of the stored graph; raises `NotFound` before the first build."""
    grant.require(ports.repository.identity, Right.READ)
    freshness = ports.freshness()
    with ports.code_graph.read() as reader:
        rows, meta = reader.files(), reader.meta()
        counts = reader.counts() | reader.shares()
    counts["unmatched_crossing"] = int(meta.get("unmatched_boundaries", "0"))
    languages = {name: [row for row in rows if row.language == name] for name in sorted({row.language for row in rows})}
    skipped = json.loads(meta.get("skipped", "{}"))
    return GraphStatus(
        counts,
        {name: _language(part) for name, part in languages.items()},
        skipped,
        tuple((row.path, row.problem) for row in rows if row.problem),
        tuple(warning for name, part in languages.items() for warning in _warnings(name, part)),
        freshness,
    )


def _language(rows: list[FileRow]) -> LanguageStatus:
    return LanguageStatus(
        len(rows),
        sum(row.symbols for row in rows),
        sum(row.calls for row in rows),
        sum(row.external for row in rows),
        sum(1 for row in rows if row.errors),
        sum(1 for row in rows if row.problem),
    )


def _warnings(name: str, rows: list[FileRow]) -> list[str]:
    found = []
    broken = sum(1 for row in rows if row.errors or row.problem)
    if broken > policy.PARSE_ERROR_SHARE_MAX * len(rows):
        found.append(f"{name}: {broken} of {len(rows)} files do not parse cleanly")
    long = [row for row in rows if row.code_lines > policy.SYMBOL_LESS_CODE_LINES]
    empty = [row for row in long if row.symbols <= 1]
    if len(empty) > policy.SYMBOL_LESS_SHARE_MAX * len(long):
        found.append(f"{name}: {len(empty)} of {len(long)} files declare no symbol, such as {empty[0].path}")
    return found
