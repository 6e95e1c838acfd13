"""Summaries of the parts of the code as records: one chain per part, written only when what it says has changed."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace

from remora.core.capture.documents import Chain, tombstone
from remora.core.codegraph.communities import Communities, Community, stable_ids
from remora.core.codegraph.snapshot import SymbolRow
from remora.core.ids import digest
from remora.core.policy import COMMUNITY_FILES_SHOWN, QUESTION_TEXT_CHARS
from remora.core.records.identity import KeyPrefix, is_derivable
from remora.core.records.model import SHARED, Link, Record, SourceArtifact, SymbolAnchor
from remora.core.records.vocabulary import Lifecycle, RecordKind, Relation

SOURCE_KIND = "graph"
_URI = "graph:community/"
_KEY = f"{KeyPrefix.SEMANTIC}community:"


def part_chains(records: Iterable[Record], repository: str) -> dict[str, Chain]:
    """Part id -> its records (given newest first)."""
    found: dict[str, list[Record]] = {}
    for record in records:
        if record.repository == repository and record.idempotency_key.startswith(_KEY):
            found.setdefault(record.idempotency_key[len(_KEY) :].partition(":")[0], []).append(record)
    return {key: Chain(tuple(of_part)) for key, of_part in found.items()}


def standing(chain: Chain) -> bool:
    """Whether the part is told of now."""
    return any(head.lifecycle is Lifecycle.ACTIVE for head in chain.heads)


def adopted(communities: Communities, chains: Mapping[str, Chain]) -> Communities:
    """The same parts; one that no record tells of takes the id of a told one that is gone, when they hold the same
    symbols: a lost cache must not give every part a new name."""
    present = {part.id for part in communities.parts}
    orphans = {key: _anchored(chain) for key, chain in chains.items() if key not in present and standing(chain)}
    fresh = [part for part in communities.parts if part.id not in chains]
    if not orphans or not fresh:
        return communities
    ids = stable_ids([part.members for part in fresh], orphans)
    renamed = {part.id: key for part, key in zip(fresh, ids, strict=True) if key in orphans}
    parts = tuple(replace(part, id=renamed.get(part.id, part.id)) for part in communities.parts)
    return Communities(communities.graph, communities.commit, parts, communities.small)


def _anchored(chain: Chain) -> Collection[str]:
    return frozenset(anchor.node_id for head in chain.heads for anchor in head.affected_symbols)


def summary_of(part: Community, rows: Mapping[str, SymbolRow], redact: Callable[[str], str]) -> tuple[str, str]:
    """Title and summary, from what the part holds alone; `rows` are its central symbols by id."""
    shown = ", ".join(part.files[:COMMUNITY_FILES_SHOWN])
    more = len(part.files) - COMMUNITY_FILES_SHOWN
    lines = [f"{len(part.files)} files: {shown}" + (f" and {more} more" if more > 0 else "")]
    for key in part.central:
        row = rows.get(key)
        if row is not None:
            doc = f": {row.doc[:QUESTION_TEXT_CHARS]}" if row.doc else ""
            lines.append(f"{row.kind} {row.qualified or key}{doc}")
    return redact(f"Part of the code: {part.label}"), redact("\n".join(lines))


def next_summary(
    part: Community,
    text: tuple[str, str],
    rows: Mapping[str, SymbolRow],
    chain: Chain,
    *,
    repository: str,
    graph: str,
    commit: str,
    now: int,
) -> Record | None:
    """The record that a part asks for; None when what stands, or what a person made of it, says the same already."""
    title, summary = text
    content = digest("\0".join((title, summary, *part.central)).encode("utf-8", "replace"))[:32]
    heads = chain.heads
    by_id = {record.id: record for record in chain.records}
    if any(_content(_basis(head, by_id)) == content for head in heads):
        return None
    key = f"{_KEY}{part.id}:{content}"
    links = [Link(Relation.SUPERSEDES, head.id) for head in heads]
    former = [record for record in chain.records if record.idempotency_key == key]
    if former and heads:
        links.append(Link(Relation.DERIVED_FROM, former[0].id))
        key = f"{key}:restore:{heads[0].id}"
    return Record.create(
        idempotency_key=key,
        kind=RecordKind.SEMANTIC_SUMMARY,
        title=title,
        summary=summary,
        repository=repository,
        occurred_at=now,
        sources=(SourceArtifact(SOURCE_KIND, f"{_URI}{part.id}", revision=commit, digest=graph),),
        commit=commit,
        affected_symbols=[_anchor(key, rows[key], commit) for key in part.central if key in rows],
        access_scope=SHARED,
        links=links,
    )


def _anchor(key: str, row: SymbolRow, commit: str) -> SymbolAnchor:
    path = key.partition(":")[2].partition("#")[0]
    return SymbolAnchor(key, row.qualified or path, path, commit=commit)


def _basis(head: Record, by_id: Mapping[str, Record]) -> Record:
    """The summary that a person's correction of it speaks of; other records themselves."""
    seen: set[str] = set()
    while not is_derivable(head) and head.id not in seen:
        seen.add(head.id)
        older = [by_id[target] for target in head.targets(Relation.SUPERSEDES) if target in by_id]
        head = older[0] if older else head
    return head


def _content(record: Record) -> str:
    return "" if ":tombstone:" in record.idempotency_key else record.idempotency_key[len(_KEY) :].split(":")[1]


def part_tombstones(chain: Chain, *, now: int) -> tuple[Record, ...]:
    """Records that take back what stands of a part that is gone; none when that was done before."""
    return tuple(
        tombstone(
            head,
            subject=f"{_KEY}{_part(head)}",
            summary="This part of the code is gone, or has become another one.",
            now=now,
        )
        for head in chain.heads
        if head.lifecycle is Lifecycle.ACTIVE
    )


def _part(record: Record) -> str:
    return record.idempotency_key[len(_KEY) :].partition(":")[0]
