"""Operations that read the encounter graph as a whole: its schema, the instrument panel, metrics, infusion, queries."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from remora.core import policy
from remora.core.encounters.schema import AUTHORED_RELATIONS, AUTHORED_TYPES
from remora.entrypoints.catalogue import wording
from remora.entrypoints.catalogue.encounters import SESSION, own
from remora.entrypoints.catalogue.operation import (
    Answer,
    Call,
    Operation,
    Run,
    arguments,
    choice,
    integer,
    many,
    number,
    optional,
    rows,
    switch,
    text,
)

if TYPE_CHECKING:
    from remora.usecases.infuse import Receipt

_ENCOUNTERS = frozenset({"encounters"})
_ANALYTICS = frozenset({"analytics"})
_LIMIT = integer("", low=1, high=policy.PANEL_LIMIT_MAX, default=policy.PANEL_LIMIT)
_PROJECTION = text("Name of a projection.", max_chars=2 * policy.NODE_NAME_MAX_CHARS)


def _described(part: str) -> Run:
    def run(call: Call, given: Mapping[str, Any]) -> Answer:
        from remora.usecases.describe_schema import describe_schema

        found = asdict(describe_schema(call.ports, call.grant, part))
        data = {key: value for key, value in found.items() if part in ("all", key)}
        return Answer(data, wording.schema(data))

    return run


def _orient(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.orient import orient

    found = orient(call.ports, call.grant, result_limit=given["result_limit"])
    data = wording.fitted({**found.panel, "seq": found.seq})
    return Answer(data, wording.panel(data))


def _create_projection(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.gds import ProjectionRequest, create_projection

    request = ProjectionRequest(
        given["name"],
        own(call, given),
        given.get("node_types", ()),
        given.get("rel_types", ()),
        undirected=given["undirected"],
    )
    data = asdict(create_projection(call.ports, call.grant, request))
    return Answer(data, wording.projection(data))


def _drop_projection(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.gds import drop_projection

    drop_projection(call.ports, call.grant, given["projection"], own(call, given))
    data = {"dropped": given["projection"]}
    return Answer(data, wording.projection(data))


def _metric(metric: str) -> Run:
    def run(call: Call, given: Mapping[str, Any]) -> Answer:
        from remora.usecases.gds import run_metric

        found = run_metric(
            call.ports, call.grant, metric, given["projection"], own(call, given), result_limit=given["result_limit"]
        )
        data = wording.fitted(asdict(found))
        return Answer(data, wording.reading(data))

    return run


def _infuse(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.stamp_delivery import stamp_delivery

    answer, receipt = _infused(call, given)
    # Only what was put into words is remembered as told.
    stamp_delivery(call.ports, call.grant, receipt.session, receipt.delivered, delta=receipt.delta)
    return answer


def rehearse_infusion(call: Call, given: Mapping[str, Any]) -> Answer:
    """What `infuse` would say, remembering nothing as told."""
    return _infused(call, given)[0]


def _infused(call: Call, given: Mapping[str, Any]) -> tuple[Answer, "Receipt"]:
    from remora.usecases.infuse import InfuseRequest, infuse

    request = InfuseRequest(
        given["text"],
        own(call, given),
        mode=given["mode"],
        frontier_bias=given["frontier_bias"],
        expansion_bias=given["expansion_bias"],
        max_chars=given["max_chars"],
        trajectory=given.get("trajectory", ()),
    )
    found = infuse(call.ports, call.grant, request)
    data = asdict(found)
    del data["receipt"]
    return Answer(data, wording.infusion(data)), found.receipt


def _read_cypher(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.read_cypher import read_cypher

    data = read_cypher(call.ports, call.grant, given["query"], given.get("params", {})).to_json()
    return Answer(data, wording.table(data))


def _schema_tool(name: str, title: str, description: str, part: str) -> Operation:
    members = ("node_types", "relation_types", "vocabulary") if part == "all" else (part,)
    return Operation(
        name=name,
        title=title,
        description=description,
        profiles=_ENCOUNTERS,
        input=arguments(),
        output=rows(*members),
        run=_described(part),
        read_only=True,
        http=("GET", f"/schema/{part.replace('_', '-')}" if part != "all" else "/schema"),
    )


def _gds_tool(metric: str, meaning: str) -> Operation:
    return Operation(
        name=f"gds_{metric}",
        title=f"Metric {metric}",
        description=f"{meaning} over a projection of this session, from the graph as it is now.",
        profiles=_ANALYTICS,
        input=arguments(projection=_PROJECTION, result_limit=_LIMIT, session=SESSION),
        output=rows("projection", "metric", "rows", "total", "truncated", "method"),
        run=_metric(metric),
        read_only=True,
        http=("GET", f"/gds/{metric}"),
    )


OPERATIONS = (
    Operation(
        name="read_cypher",
        title="Read-only Cypher",
        description=(
            "Run a reading Cypher query over a copy of what you may see: encounters by type with their relations, "
            "facts as (:MemoryEntity)-[:FACT {predicate, current, valid_from, valid_to}]->(:MemoryEntity). Every node "
            "and relation has uid and, if named, name; there is no id, type or title property. Put values into params."
        ),
        profiles=_ENCOUNTERS,
        input=arguments(
            query=text("One statement.", max_chars=policy.CYPHER_MAX_CHARS),
            params=optional({"type": "object", "description": "Values for $names."}),
        ),
        output=rows("columns", "rows", "row_count", "truncated", "warnings", "notice"),
        run=_read_cypher,
        read_only=True,
        http=("POST", "/cypher"),
    ),
    _schema_tool("get_schema", "Grammar and words", "Types, relations and words in use, with live counts.", "all"),
    _schema_tool("list_node_types", "Node types", "Node types with their properties and live counts.", "node_types"),
    _schema_tool(
        "list_relation_types", "Relation types", "Relations, what they join, and live counts.", "relation_types"
    ),
    _schema_tool(
        "list_vocabulary", "Words in use", "Categories, tags and kinds in use: look before coining one.", "vocabulary"
    ),
    Operation(
        name="orient",
        title="Instrument panel",
        description=(
            "The whole graph in one call: frontier, mass and tension, divergence, betweenness, communities, "
            "components, fragility, weave audit, drift, unsealed encounters."
        ),
        profiles=frozenset({"encounters", "analytics"}),
        input=arguments(result_limit=_LIMIT),
        output=rows("frontier", "mass", "frontier_mass", "divergence", "drift", "unsealed", "projection"),
        run=_orient,
        read_only=True,
        http=("GET", "/orient"),
    ),
    Operation(
        name="infuse",
        title="Governed recall",
        description="What bears on a prompt (full) or a tool call (delta), once per state and session; or silence.",
        profiles=_ENCOUNTERS,
        input=arguments(
            text=text("The prompt.", max_chars=policy.QUERY_INPUT_MAX_CHARS),
            mode=choice("", "full", "delta", default="full"),
            frontier_bias=number("", low=0, high=1, default=policy.FRONTIER_BIAS),
            expansion_bias=number("", low=0, high=1, default=policy.EXPANSION_BIAS),
            max_chars=integer("", low=1, high=policy.INFUSE_MAX_CHARS_CAP, default=policy.INFUSE_MAX_CHARS),
            trajectory=optional(many(text(max_chars=policy.QUERY_INPUT_MAX_CHARS), "Earlier turns.", most=100)),
            session=SESSION,
        ),
        output=rows("payload", "mode", "silence", "seeds", "turn", "counts", "renewal", "selection_channel"),
        run=_infuse,
        read_only=False,
        idempotent=False,
        http=("POST", "/infuse"),
    ),
    Operation(
        name="gds_create_projection",
        title="Name a projection",
        description="Keep a named projection of the graph for this session's metrics; the same name replaces it.",
        profiles=_ANALYTICS,
        input=arguments(
            name=_PROJECTION,
            node_types=optional(many(choice("", *AUTHORED_TYPES), "Default: all.", most=len(AUTHORED_TYPES))),
            rel_types=optional(many(choice("", *AUTHORED_RELATIONS), "Default: all.", most=len(AUTHORED_RELATIONS))),
            undirected=switch("Follow relations both ways."),
            session=SESSION,
        ),
        output=rows("name", "nodes", "pairs", "directed"),
        run=_create_projection,
        read_only=False,
        http=("POST", "/gds/projections"),
    ),
    _gds_tool("pagerank", "PageRank"),
    _gds_tool("articlerank", "ArticleRank"),
    _gds_tool("betweenness", "Betweenness"),
    _gds_tool("leiden", "Leiden communities"),
    _gds_tool("wcc", "Weakly connected components"),
    Operation(
        name="gds_drop_projection",
        title="Drop a projection",
        description="Forget a named projection of this session.",
        profiles=_ANALYTICS,
        input=arguments(projection=_PROJECTION, session=SESSION),
        output=rows("dropped"),
        run=_drop_projection,
        read_only=False,
        destructive=True,
        http=("POST", "/gds/projections/drop"),
    ),
)
