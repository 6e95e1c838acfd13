"""The validation matrix, made from the schema tables: every type x every property, every relation x every direction."""

import itertools

import pytest

from encounter_desk import SECRET, SEEN, masked
from remora.core.encounters.drafts import entity_drafts, relation_drafts
from remora.core.encounters.identity import all_candidate_ids, node_id
from remora.core.encounters.schema import (
    AUTHORED_RELATIONS,
    AUTHORED_TYPES,
    NODE_TYPES,
    RELATIONS,
    SERVER_PROPERTIES,
    Kind,
)
from remora.core.encounters.values import scrubber
from remora.core.encounters.writing import write_relations
from remora.core.errors import InvalidBatch
from remora.core.graph import Node
from remora.core.scope import REPOSITORY, Channel, Trust
from remora.core.source import Provenance

SCRUB = scrubber(masked)
GOOD = {
    Kind.NAME: "a name",
    Kind.LINE: "words",
    Kind.TEXT: "many words",
    Kind.TIME: SEEN,
    Kind.DEGREE: 0.5,
    Kind.FLAG: True,
    Kind.LINES: ["one", "two"],
    Kind.COUNT: 3,
}
BAD = {
    Kind.NAME: [7, "", "   ", "x" * 201, ["a"], {"a": 1}],
    Kind.LINE: [7, True, ["a"], "x" * 2_001],
    Kind.TEXT: [7, True, ["a"], "x" * 20_001, {"a": 1}],
    Kind.TIME: ["2026-03-01", "2026-03-01T09:30:00", "yesterday", 7, "2026-02-30T00:00:00Z", "2026-03-01T25:00:00Z"],
    Kind.DEGREE: [2, -1, float("nan"), float("inf"), True, ["high"]],
    Kind.FLAG: ["true", 1, 0, []],
    Kind.LINES: ["one", [1], [None], ["x"] * 51],
}
PROPERTIES = [
    (node_type, name, spec) for node_type in AUTHORED_TYPES for name, spec in NODE_TYPES[node_type].properties.items()
]


def good(spec):
    return spec.choices[0] if spec.choices else GOOD[spec.kind]


def entity(node_type: str, **more):
    properties = {name: good(spec) for name, spec in NODE_TYPES[node_type].properties.items() if spec.required}
    return {"type": node_type, "properties": {**properties, **more}}


def drafts(*entities, exists=False):
    return entity_drafts(list(entities), SCRUB, partial=lambda *_: exists)


def errors(*entities, exists=False):
    with pytest.raises(InvalidBatch) as caught:
        drafts(*entities, exists=exists)
    return caught.value.errors


@pytest.mark.parametrize(("node_type", "name", "spec"), PROPERTIES)
def test_every_property_takes_what_its_table_says(node_type, name, spec):
    values = spec.choices or (good(spec),)
    for value in values:
        (draft,) = drafts(entity(node_type, **{name: value}))
        assert draft.type == node_type
        assert name in draft.properties


@pytest.mark.parametrize(("node_type", "name", "spec"), PROPERTIES)
def test_every_property_refuses_anything_else_and_says_what_is_allowed(node_type, name, spec):
    bad = ["no such value", 7, "", None.__class__] if spec.choices else BAD[spec.kind]
    for value in bad:
        if value == "" and not spec.choices and not spec.required:
            continue
        (error,) = errors(entity(node_type, **{name: value}))
        assert name in error.field
        assert error.allowed


@pytest.mark.parametrize("node_type", AUTHORED_TYPES)
def test_every_required_property_is_missed_when_absent_and_not_for_a_known_node(node_type):
    for name in NODE_TYPES[node_type].required:
        whole = entity(node_type)
        del whole["properties"][name]
        (error,) = errors(whole)
        assert error.problem == "is missing"
        assert name in error.field
        assert "required: " in error.allowed
        if name != "name":
            assert drafts(whole, exists=True)


@pytest.mark.parametrize("node_type", AUTHORED_TYPES)
def test_unknown_properties_and_a_type_property_are_errors_that_list_the_properties(node_type):
    for stray in ("type", "colour", "id", "NAME"):
        (error,) = errors(entity(node_type, **{stray: "x"}))
        assert "is not a property here" in error.problem
        assert all(name in error.allowed for name in NODE_TYPES[node_type].properties)


def test_what_the_server_sets_is_dropped_and_said():
    (draft,) = drafts(entity("Note", tick=7, t_created=SEEN))
    assert draft.dropped == tuple(sorted(SERVER_PROPERTIES))
    assert not SERVER_PROPERTIES & draft.properties.keys()


@pytest.mark.parametrize("node_type", ["Encounter", "Person", "", "observation", None, 7, ["Note"]])
def test_only_authored_types_are_written(node_type):
    (error,) = errors({"type": node_type, "name": "x", "description": "y"})
    assert error.allowed == ", ".join(AUTHORED_TYPES)


def test_every_error_of_a_batch_is_told_at_once():
    found = errors(
        entity("Note", colour="red"),
        entity("Question", status="maybe"),
        {"type": "Concept"},
        "no entity",
        entity("Observation", t_observed="2026-03-01T09:30:00"),
        entity("Note"),
        entity("Note"),
    )
    fields = [error.field for error in found]
    assert [any(f"entities[{at}]" in field for field in fields) for at in range(7)] == [True] * 5 + [False, True]


def test_properties_may_stand_beside_the_name_but_not_contradict_themselves():
    flat, nested = drafts(
        {"type": "Note", "name": "a", "description": "d"},
        {"type": "Note", "name": "b", "properties": {"description": "d"}},
    )
    assert flat.properties.keys() == nested.properties.keys()
    (error,) = errors({"type": "Note", "name": "a", "description": "d", "properties": {"description": "other"}})
    assert "twice" in error.problem


@pytest.mark.parametrize("batch", [None, [], {}, "text", 7, [{}] * 501])
def test_a_batch_is_a_list_of_bounded_length(batch):
    with pytest.raises(Exception, match="entities"):
        entity_drafts(batch, SCRUB, partial=lambda *_: False)
    with pytest.raises(Exception, match="relations"):
        relation_drafts(batch, SCRUB)


def test_texts_are_cleaned_and_secrets_masked_before_anything_is_kept():
    (draft,) = drafts(
        entity(
            "Component", name=f"key {SECRET}\u202e", description=f"a\x00b {SECRET}", aliases=[f"x{SECRET}", "\ud83d ok"]
        )
    )
    assert draft.name == "key [secret]"
    assert draft.properties["description"] == "ab [secret]"
    assert draft.properties["aliases"] == ["x[secret]", "\ufffd ok"]


def test_an_error_never_tells_a_secret():
    found = errors(entity("Question", status=SECRET))
    assert SECRET not in str(found[0])


def test_code_anchors_must_be_readable():
    assert drafts(entity("Citation", uri="code:src/a.py#A.run@abc"), entity("Citation", name="c", uri="mem_0123"))
    (error,) = errors(entity("Citation", uri="code:#only.symbol"))
    assert "anchor" in error.allowed or "code:" in error.allowed
    (error,) = errors(entity("Component", source_key="code:@rev"))
    assert "source_key" in error.field


# --- relations ---

BY = Provenance("ann", Channel.MCP, trust=Trust.AGENT)
NODES = {
    (label, at): Node(
        id=node_id(label, f"{label} {at}"),
        family="encounters",
        label=label,
        scope=REPOSITORY,
        name=f"{label} {at}",
        body={"by": BY.to_json()},
        created=10 - at,
    )
    for label in NODE_TYPES
    for at in (0, 1)
}


def written(*relations):
    parsed, problems = relation_drafts(list(relations), SCRUB)
    found = {node.id: node for node in NODES.values()}
    names = all_candidate_ids(name for draft in parsed for name in (draft.source, draft.target))
    known = {item: found[item] for item in names if item in found}
    return write_relations(parsed, problems, known, {}, lambda ids: (), 99, BY, 1)


@pytest.mark.parametrize("label", AUTHORED_RELATIONS)
@pytest.mark.parametrize(("source", "target"), list(itertools.product(NODE_TYPES, NODE_TYPES)))
def test_every_relation_joins_exactly_the_types_of_its_table(label, source, target):
    relation = RELATIONS[label]
    row = {
        "source": f"{source}:{source} 0",
        "target": f"{target}:{target} 1",
        "type": label,
        **dict.fromkeys(relation.properties, "because"),
    }
    if (source, target) in relation.pairs:
        changes, (row_written,) = written(row)
        assert row_written.outcome == "created"
        assert changes.put[0].label == label
    else:
        with pytest.raises(InvalidBatch) as caught:
            written(row)
        (error,) = caught.value.errors
        assert error.allowed == relation.directions or "automatically" in error.problem


@pytest.mark.parametrize("label", sorted(RELATIONS.keys() - set(AUTHORED_RELATIONS)))
def test_automatic_relations_are_refused(label):
    _, (error,) = relation_drafts([{"source": "a", "target": "b", "type": label}], SCRUB)
    assert "automatically" in error.problem


@pytest.mark.parametrize("label", ["", "about", "RELATED_TO", "A`]->() DETACH DELETE", None, 7, "X" * 1_000_000])
def test_unknown_relations_are_refused_with_the_list(label):
    _, (error,) = relation_drafts([{"source": "a", "target": "b", "type": label}], SCRUB)
    assert error.allowed == ", ".join(AUTHORED_RELATIONS)
    assert len(str(error)) < 1_000


@pytest.mark.parametrize(("label", "name"), [("SUPERSEDES", "revision_why"), ("REBINDS", "why")])
@pytest.mark.parametrize("why", [None, "", "   ", "\u200b", 7])
def test_a_revision_says_why(label, name, why):
    _, (error,) = relation_drafts([{"source": "a", "target": "b", "type": label, "properties": {name: why}}], SCRUB)
    assert name in error.field


def test_a_relation_needs_both_ends_and_no_stray_property():
    _, found = relation_drafts([{"type": "ABOUT", "weight": 3}, "no relation"], SCRUB)
    assert len(found) == 4


def test_nothing_is_related_to_itself():
    row = {"source": "Concept:Concept 0", "target": "Concept:Concept 0", "type": "COMPOSES"}
    with pytest.raises(InvalidBatch, match="itself"):
        written(row)


def test_rebinds_runs_from_the_later_to_the_earlier():
    earlier, later = "Question:Question 1", "Question:Question 0"
    written({"source": later, "target": earlier, "type": "REBINDS", "why": "clearer"})
    with pytest.raises(InvalidBatch, match="later -> earlier"):
        written({"source": earlier, "target": later, "type": "REBINDS", "why": "clearer"})


def test_unknown_names_are_told_together_with_wrong_directions():
    with pytest.raises(InvalidBatch) as caught:
        written(
            {"source": "nobody", "target": "Concept 1", "type": "ABOUT"},
            {"source": "Concept 0", "target": "Note 1", "type": "ABOUT"},
        )
    assert len(caught.value.errors) == 2
