"""Encounters over HTTP: no state hangs on the connection, the handle is an argument."""

from typing import Any

from http_server import serving

NOTE = {"type": "Note", "name": "kept", "description": "over HTTP"}


def test_an_encounter_is_opened_written_queried_and_sealed_by_its_handle(world: Any) -> None:
    with serving(world, "--profile", "all") as server:
        opened = server.post(server.repo("/encounters"), {"name": "over HTTP"}).json()
        handle = opened["session"]
        assert handle.startswith("rs_")
        lost = server.post(server.repo("/entities"), {"entities": [NOTE]})
        assert lost.status_code == 400
        assert "advance_encounter" in lost.text
        made = server.post(server.repo("/entities"), {"entities": [NOTE], "session": handle}).json()
        query = "MATCH (:Encounter)-[:RECORDED]->(n:Note) RETURN n.uid AS uid"
        rows = server.post(server.repo("/cypher"), {"query": query}).json()["rows"]
        assert rows == [{"uid": made["entities"][0]["id"]}]
        bad = {"entities": [{"type": "Thing", "name": "t"}, {"type": "Note", "name": "n"}], "session": handle}
        refused = server.post(server.repo("/entities"), bad)
        assert refused.status_code == 400
        assert len(refused.json()["errors"]) == 2
        found = server.get(server.repo("/search"), params={"query": "kept"}).json()
        assert [row["id"] for row in found["entities"]] == [made["entities"][0]["id"]]
        sealed = server.post(server.repo("/encounters/close"), {"summary": "done", "session": handle})
        assert sealed.json()["encounter"]["sealed"]
        assert server.post(server.repo("/cypher"), {"query": "CREATE (n)"}).status_code == 400
    assert world.remora("encounters", "show", "kept", "--json").json["entities"][0]["id"] == made["entities"][0]["id"]
