"""What is drawn of memory's graph: around a focus or the newest, bounded, and never what is over."""

from pathlib import Path

import pytest

from encounter_desk import AGENT, Desk, component, concept, observation
from remora.core.errors import InvalidInput, NotFound
from remora.core.facts.batch import Triple
from remora.usecases.draw_graph import DrawRequest, draw_graph
from remora.usecases.remember import RememberRequest, remember
from remora.usecases.show_node import show_node


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(folder=tmp_path)


def say(desk, *triples, **options):
    made = [Triple(subject=s, predicate=p, object=o) for s, p, o in triples]
    return remember(desk, AGENT, RememberRequest(triples=made, **options)).saved


def names(drawing):
    return {dot.name for dot in drawing.dots}


def test_facts_and_encounters_are_drawn_together_and_what_is_closed_is_not(desk):
    say(desk, ("Billing", "uses", "Postgres"), ("Billing", "owned by", "Ann"))
    say(desk, ("Billing", "uses", "MySQL"), replace=True)
    desk.advance("work")
    desk.write(observation("slow"), component("billing"))
    desk.relate(("Observation:slow", "ABOUT", "Component:billing"))
    drawing = draw_graph(desk, AGENT, DrawRequest())
    assert names(drawing) >= {"Billing", "MySQL", "Ann", "slow", "billing", "work"}
    assert "Postgres" not in names(drawing)
    assert {line.name for line in drawing.lines} >= {"USES", "OWNED_BY", "ABOUT", "RECORDED"}
    assert drawing == draw_graph(desk, AGENT, DrawRequest())


def test_a_focus_draws_what_is_nearest_up_to_the_limit(desk):
    saved = say(desk, *((f"n{n}", "NEXT", f"n{n + 1}") for n in range(30)))
    near = draw_graph(desk, AGENT, DrawRequest(name="n10", nodes=5))
    assert names(near) == {"n8", "n9", "n10", "n11", "n12"}
    assert near.truncated
    whole = draw_graph(desk, AGENT, DrawRequest(focus=saved[0].id))
    assert len(whole.dots) == 31
    assert len(whole.focus) == 2
    assert not whole.truncated


def test_a_hub_does_not_fill_the_drawing(desk):
    say(desk, *((f"leaf {n}", "OF", "hub") for n in range(200)), ("hub", "IN", "town"), ("town", "IN", "land"))
    drawing = draw_graph(desk, AGENT, DrawRequest(name="town", nodes=100))
    assert {"town", "hub", "land"} <= names(drawing)
    assert len(drawing.dots) <= 100
    assert drawing.truncated


def test_positions_do_not_depend_on_the_process_or_the_order_of_writing(desk, tmp_path):
    triples = [(f"a{n}", "LIKES", f"a{n * 7 % 20}") for n in range(1, 20)]
    say(desk, *triples)
    other = Desk(folder=tmp_path / "other")
    say(other, *reversed(triples))
    places = {dot.name: (dot.x, dot.y) for dot in draw_graph(desk, AGENT, DrawRequest()).dots}
    assert places == {dot.name: (dot.x, dot.y) for dot in draw_graph(other, AGENT, DrawRequest()).dots}


def test_what_is_not_there_is_absent(desk):
    say(desk, ("A", "IS", "B"))
    for request in (DrawRequest(focus="ent_x"), DrawRequest(name="nobody"), DrawRequest(focus="mem_" + "0" * 24)):
        with pytest.raises(NotFound):
            draw_graph(desk, AGENT, request)
    with pytest.raises(InvalidInput):
        draw_graph(desk, AGENT, DrawRequest(nodes=0))


def test_a_node_is_shown_with_its_relations_and_versions(desk):
    desk.advance("work")
    desk.write(observation("seen"), concept("whole", "first wording"))
    desk.relate(("Observation:seen", "GROUNDS", "Concept:whole"))
    desk.write(concept("whole", "second wording"))
    detail = show_node(desk, AGENT, desk.node("Concept", "whole").id)
    assert detail.card["description"] == "second wording"
    assert [(row.label, row.outgoing, row.name) for row in detail.relatives] == [
        ("GROUNDS", False, "seen"), ("RECORDED", False, "work"),
    ]  # fmt: skip
    assert [version.description for version in detail.versions] == ["first wording"]
    with pytest.raises(NotFound):
        show_node(desk, AGENT, "enc_" + "0" * 24)


def test_many_small_parts_are_drawn_without_asking_for_each(desk):
    say(desk, *((f"left {n}", "BESIDE", f"right {n}") for n in range(300)))
    drawing = draw_graph(desk, AGENT, DrawRequest(nodes=500))
    assert len(drawing.dots) == 500
    assert drawing.truncated
    assert len(draw_graph(desk, AGENT, DrawRequest(nodes=600)).dots) == 600
