"""`remora store`: a repository moves between engines and back; counts and digests are compared."""

import pytest

import server_engine


def furnished(world):
    assert world.remora("init", "--yes").code == 0
    for subject, predicate, target in (("Billing", "uses", "Postgres"), ("Ledger", "owned by", "Ann")):
        assert world.remora("remember", subject, predicate, target).code == 0
    return world


def test_a_store_is_copied_to_another_file_and_the_digest_is_the_same(world, tmp_path):
    furnished(world)
    first = world.remora("store", "copy", "--from", "embedded", "--to", str(tmp_path / "two.sqlite3"), "--json").json
    again = world.remora("store", "copy", "--from", "embedded", "--to", str(tmp_path / "two.sqlite3"), "--json").json
    assert first["items"] == again["items"] == again["already_there"] > 5
    assert first["digest"] == again["digest"]
    assert first["counts"]["facts/FACT"] == 2


def test_a_copy_merges_nothing_and_needs_the_operator(world, tmp_path):
    furnished(world)
    world.remora("store", "copy", "--from", "embedded", "--to", str(tmp_path / "two.sqlite3"))
    world.remora("remember", "Billing", "uses", "Redis")
    back = world.remora("store", "copy", "--from", str(tmp_path / "two.sqlite3"), "--to", "embedded")
    assert back.code == 1
    assert "does not have" in back.err
    denied = world.remora("store", "copy", "--from", "embedded", "--to", str(tmp_path / "x"), "--principal", "eve")
    assert denied.code != 0


@pytest.mark.neo4j
def test_a_store_moves_to_the_server_and_back_and_says_the_same_there(world, tmp_path):
    furnished(world)
    url, away, home = server_engine.URL, str(tmp_path / "home.sqlite3"), "embedded"
    there = world.remora("store", "copy", "--from", home, "--to", url, "--json").json
    recalled = world.remora("recall", "what does billing use", "--json", REMORA_STORE=url)
    assert recalled.json["hits"] == world.remora("recall", "what does billing use", "--json").json["hits"] != []
    back = world.remora("store", "copy", "--from", url, "--to", away, "--json").json
    assert (there["items"], there["digest"], there["counts"]) == (back["items"], back["digest"], back["counts"])
    told = world.remora("backup", str(tmp_path / "backup"), REMORA_STORE=url)
    assert told.code == 0, told.err
    assert "verified" in told.out
    doctor = world.remora("doctor", REMORA_STORE=url)
    assert "constraints and" in doctor.out
    assert "indexes in order" in doctor.out
    again = world.remora("restore", str(tmp_path / "backup"), "--to-new", REMORA_STORE=url)
    assert again.code != 0
    assert "never overwrites" in again.err


@pytest.mark.neo4j
def test_the_operator_joins_memory_and_code_in_the_server_and_nobody_else_may(world):
    world.commit("start", app__py="def login():\n    return 1\n\n\ndef main():\n    return login()\n")
    env = {"REMORA_STORE": server_engine.URL}
    assert world.remora("init", "--yes", **env).code == 0
    assert world.remora("remember", "login", "owned by", "Ann", **env).code == 0
    done = world.remora("graph", "mirror", "--json", **env)
    assert done.code == 0, done.err
    assert done.json["symbols"] >= 2
    query = (
        "MATCH (e:MemoryEntity)-[f:FACT]->(o) MATCH (s:CodeSymbol {name: e.name})<-[:CALLS]-(c:CodeSymbol) "
        "WHERE o.name = $who RETURN e.name AS about, c.name AS caller"
    )
    found = world.remora("store", "cypher", query, "--param", "who=Ann", "--json", **env)
    assert found.code == 0, found.err
    assert found.json["rows"] == [{"about": "login", "caller": "main"}]
    assert world.remora("store", "cypher", query, "--principal", "eve", **env).code != 0
    assert "does not read" in world.remora("store", "cypher", "MATCH (n) DETACH DELETE n", **env).err
    assert "embedded" in world.remora("store", "cypher", "RETURN 1").err


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("neo4j://ann:hunter2pass@localhost", "REMORA_STORE_PASSWORD"),
        ("mysql://localhost", "neo4j"),
        ("bolt://127.0.0.1:1/x/y", "neo4j://host:7687/database"),
        ("bolt://", "no address"),
    ],
)
def test_an_address_that_is_none_or_holds_a_password_is_refused_and_not_repeated(world, url, says):
    told = world.remora("facts", "list", REMORA_STORE=url)
    assert told.code != 0
    assert says in told.err
    assert "hunter2pass" not in told.err + told.out


def test_a_password_file_that_others_can_read_is_refused(world, tmp_path):
    file = tmp_path / "password"
    file.write_text("hunter2pass\n")
    file.chmod(0o644)
    told = world.remora("facts", "list", REMORA_STORE="bolt://127.0.0.1:1", REMORA_STORE_PASSWORD_FILE=str(file))
    assert told.code != 0
    assert "0600" in told.err
