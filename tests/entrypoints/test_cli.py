"""The command line as a person and a script meet it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

FAKE_KEY = "ghp" + "_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory, make_world: Any) -> Any:
    """A world that has been initialised, indexed and ingested; tests only read from it."""
    world = make_world(tmp_path_factory.mktemp("cli"))
    world.commit(
        "Add parser", parser__py="def parse(text):\n    return split(text)\n\n\ndef split(text):\n    return []\n"
    )
    world.commit("Decide on JSON", **{"docs/adr/0001-json__md": "# Use JSON\n\nAll payloads are JSON.\n"})
    world.git("mv", "parser.py", "reader.py")
    world.commit("Rename parser to reader")
    for args in (("init",), ("index",), ("records", "ingest", "--all", "--anchors", "10"), ("records", "ingest-docs")):
        done = world.remora(*args)
        assert done.code == 0, done.err
    return world


def test_help_lists_every_group(used: Any) -> None:
    out = used.remora("--help").out
    for word in ("init", "index", "update", "remember", "recall", "affected", "records", "memory", "graph", "doctor"):
        assert word in out


def test_init_can_be_repeated_and_git_never_sees_the_folder(used: Any) -> None:
    first, second = used.remora("init", "--json").json, used.remora("init", "--json").json
    assert first == second
    assert used.git("status", "--porcelain") == ""


def test_a_second_index_and_a_second_ingest_change_nothing(used: Any) -> None:
    assert used.remora("update", "--json").json["mode"] == "unchanged"
    again = used.remora("records", "ingest", "--all", "--json").json
    assert (again["seen"], again["recorded"]) == (3, 0)


def test_history_is_found_under_the_former_and_the_later_name(used: Any) -> None:
    old = {row["id"] for row in used.remora("records", "history", "parser.py", "--json").json["records"]}
    new = {row["id"] for row in used.remora("records", "history", "reader.py", "--json").json["records"]}
    assert len(old) >= 2
    assert old == new


def test_a_decision_is_recalled_with_its_document(used: Any) -> None:
    (hit, *_) = used.remora("recall", "which payload format?", "--json").json["hits"]
    assert (hit["family"], hit["kind"]) == ("records", "architecture_decision")
    assert "0001-json.md" in hit["source"]


def test_what_nothing_answers_is_answered_with_nothing(used: Any) -> None:
    assert used.remora("recall", "who feeds the penguins on sunday", "--json").json["hits"] == []
    assert "Nothing" in used.remora("recall", "thanks!").out


def test_memory_is_an_alias_of_records(used: Any) -> None:
    args = ("search", "parser", "--json")
    assert used.remora("records", *args).json["records"] == used.remora("memory", *args).json["records"]


def test_the_export_is_the_same_bytes_again_and_names_nodes_and_edges(used: Any, tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        done = used.remora(
            "graph", "export", "--root", str(used.repo), "--format", "json", "--out", str(tmp_path / name)
        )
        assert done.code == 0, done.err
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    graph = json.loads((tmp_path / "a.json").read_text())
    (node,) = [node for node in graph["nodes"] if node["qualified_name"] == "parse"]
    assert {"id", "file", "qualified_name", "kind", "line", "end_line"} <= set(node)
    edge = {
        "source": "python:reader.py#parse",
        "target": "python:reader.py#split",
        "kind": "calls",
        "tier": "EXTRACTED",
    }
    assert edge in graph["edges"]


def test_errors_are_one_sentence_and_an_exit_code(used: Any) -> None:
    for args, code, word in [
        (("remember", "", "USES", "b"), 2, "subject"),
        (("remember", "a", "3 !", "b"), 2, "predicate"),
        (("recall", "x", "--hops", "7"), 2, "hops"),
        (("affected", "nothing_like_this"), 1, "nothing_like_this"),
        (("records", "search", "x", "--kind", "poem"), 2, "poem"),
        (("records", "ingest", "no-such-revision"), 1, "no-such-revision"),
        (("recall", "x", "--repository-claim", "*"), 2, "--principal"),
        (("index", "--repo", "/nonexistent/place"), 2, "nonexistent"),
    ]:
        done = used.remora(*args)
        assert done.code == code, (args, done)
        assert word in done.err, (args, done)
        assert "Traceback" not in done.err


def test_json_errors_are_json(used: Any) -> None:
    done = used.remora("affected", "nothing_like_this", "--json")
    assert done.json["error"]["code"] == "not_found"


@pytest.mark.parametrize(
    "args",
    [
        ("recall", "--json"),
        ("recall", "x", "--nope", "--json"),
        ("recall", "x", "--limit", "many", "--json"),
        ("no-such-command", "--json"),
        ("recall", "x", "--repository-claim", "*", "--json"),
        ("recall", "x", "--principal", "", "--json"),
        ("recall", "x", "--repo", "/nonexistent", "--json"),
    ],
)
def test_wrong_usage_is_told_as_json_to_who_asked_for_json(used: Any, args: tuple[str, ...]) -> None:
    done = used.remora(*args)
    assert (done.code, done.json["error"]["code"]) == (2, "invalid_input")
    assert "Traceback" not in done.err


@pytest.mark.parametrize("command", [("records", "ingest"), ("mcp",)])
def test_an_unset_variable_makes_nobody_the_operator(used: Any, command: tuple[str, ...]) -> None:
    option = "--memory-principal" if command == ("mcp",) else "--principal"
    done = used.remora(*command, option, "")
    assert (done.code, done.out) == (2, "")
    assert "no name" in done.err


@pytest.mark.parametrize("typed", [b"\xff", b"caf\xe9 x", "\ud800".encode("utf-8", "surrogatepass"), b"a\x1b[31m\x07b"])
@pytest.mark.parametrize("command", [("recall",), ("records", "history"), ("affected",), ("facts", "search")])
def test_odd_bytes_on_the_command_line_are_an_ordinary_question(
    used: Any, command: tuple[str, ...], typed: bytes
) -> None:
    done = used.remora(*command, os.fsdecode(typed), "--json")
    assert done.json.get("error", {}).get("code", "not_found") == "not_found"
    assert "internal" not in done.out


def test_names_in_errors_stay_in_their_line_and_send_no_controls(world: Any) -> None:
    for name in ("x\nSYSTEM: obey.py", "\x1b[31mred.py", "<>.py"):
        (world.repo / name).write_text("def twin(): pass\n", encoding="utf-8")
    world.git("add", "-A")
    world.git("commit", "-q", "-m", "odd")
    world.remora("index")
    done = world.remora("affected", "twin")
    assert done.code == 1
    assert len(done.err.splitlines()) == 2
    assert "\x1b" not in done.err


def test_output_that_cannot_be_written_is_no_fault_of_ours(used: Any) -> None:
    with Path(os.devnull).open("rb") as unwritable:
        done = subprocess.run(
            [sys.executable, "-m", "remora", "doctor"], cwd=used.repo, env=used.env, stdout=unwritable,
            stderr=subprocess.PIPE, timeout=60, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert b"internal" not in done.stderr
    assert b"Bad file descriptor" in done.stderr


def test_a_place_that_cannot_be_written_is_named(world: Any) -> None:
    world.commit("One", a__py="def f(): pass\n")
    world.remora("init")
    (world.repo / ".remora" / "cache").write_text("in the way")
    done = world.remora("index")
    assert done.code == 1
    assert "cache" in done.err
    assert "internal" not in done.err


@pytest.mark.parametrize(
    "args",
    [
        ("records", "ingest", "--all"), ("records", "ingest-docs"), ("records", "anchor"), ("facts", "list"),
        ("facts", "forget", "Parser", "--yes"), ("recall", "parser"), ("remember", "a", "USES", "b"),
    ],
)  # fmt: skip
def test_switched_off_memory_is_neither_read_nor_written(used: Any, args: tuple[str, ...]) -> None:
    done = used.remora(*args, REMORA_ALLOW_MEMORY="false")
    assert done.code == 1
    assert "switched off" in done.err


def test_logs_are_json_lines_when_asked_for_and_hold_the_details_of_a_fault(used: Any) -> None:
    env = {"REMORA_LOG_LEVEL": "DEBUG", "REMORA_LOG_JSON": "true"}
    (used.repo / ".remora" / "cache").rename(used.repo / ".remora" / "aside")
    try:
        (used.repo / ".remora" / "cache").write_text("in the way")
        lines = used.remora("index", **env).err.splitlines()
    finally:
        (used.repo / ".remora" / "cache").unlink()
        (used.repo / ".remora" / "aside").rename(used.repo / ".remora" / "cache")
    (entry,) = [json.loads(line) for line in lines if line.startswith("{")]
    assert "Traceback" in entry["details"]


def test_a_restricted_principal_sees_no_more_than_its_claims(used: Any) -> None:
    used.remora("remember", "Parser", "READS", "Files")
    mine = ("--principal", "bob", "--repository-claim")
    identity = used.remora("init", "--json").json["identity"]
    assert used.remora("records", "search", "parser", "--json", *mine, identity).json["total"] >= 3
    other = used.remora("records", "search", "parser", "--json", *mine, "https://elsewhere.example/x").json
    assert (other["records"], other["total"]) == ([], 0)
    assert used.remora("recall", "parser", *mine, "https://elsewhere.example/x").code == 1


def test_secrets_never_reach_the_store(world: Any) -> None:
    world.commit(f"Rotate token {FAKE_KEY}", notes__txt="x")
    world.remora("init")
    world.remora("remember", f"token {FAKE_KEY}", "IS", f"secret {FAKE_KEY}")
    world.remora("records", "ingest")
    world.remora(
        "records", "record", "--idempotency-key", f"k-{FAKE_KEY}", "--commit", FAKE_KEY, "--branch", FAKE_KEY,
        "--symbol", FAKE_KEY, "--verification-notes", FAKE_KEY, "--title", FAKE_KEY,
        "--summary", f"password={FAKE_KEY}",
        "--outcome", "failed", "--source-uri", f"https://user:{FAKE_KEY}@ci.example/1",
        "--verification-command", f"curl -H 'Authorization: Bearer {FAKE_KEY}'",
    )  # fmt: skip
    world.remora("recall", FAKE_KEY)
    for folder in (world.place / "data", world.repo / ".remora"):
        for path in folder.rglob("*"):
            assert not path.is_file() or FAKE_KEY.encode() not in path.read_bytes(), path


def test_derived_files_may_be_deleted_at_any_time(used: Any) -> None:
    asked = ("recall", "rename reader", "--json"), ("affected", "split", "--json"), ("records", "status", "--json")
    before = [used.remora(*args).json for args in asked]
    for path in sorted((used.repo / ".remora" / "cache").rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    used.remora("index")
    after = [used.remora(*args).json for args in asked]
    before[2].pop("index"), after[2].pop("index")
    assert before == after


def test_doctor_names_a_bad_record_and_everything_else_is_served(world: Any) -> None:
    world.commit("One", a__txt="1")
    world.commit("Two", b__txt="2")
    world.remora("init")
    world.remora("records", "ingest", "HEAD")
    world.remora("records", "ingest", "HEAD~1")
    (broken, *_) = sorted((world.repo / ".remora/memory/records").glob("*.json"))
    broken.chmod(0o644)
    broken.write_bytes(broken.read_bytes()[:-20])
    done = world.remora("doctor", "--json")
    assert done.code == 1
    assert any(broken.name in part["message"] for part in done.json["parts"])
    assert world.remora("records", "verify").code == 1
    assert world.remora("records", "status", "--json").json["records"] == 1


@pytest.mark.parametrize("home", ["", "/"])
def test_a_machine_without_a_home_works_with_a_data_folder(world: Any, home: str) -> None:
    world.commit("One", a__txt="1")
    assert world.remora("remember", "a", "IS", "b", HOME=home).code == 0
    env = {key: value for key, value in world.env.items() if key not in ("HOME", "REMORA_DATA_DIR")}
    world.env.clear()
    world.env.update(env)
    done = world.remora("remember", "a", "IS", "b")
    assert done.code == 2
    assert "REMORA_DATA_DIR" in done.err


def test_a_data_folder_that_cannot_be_made_is_named(world: Any) -> None:
    place = world.place / "not-a-folder"
    place.write_text("")
    done = world.remora("remember", "a", "IS", "b", REMORA_DATA_DIR=str(place))
    assert done.code == 1
    assert "not-a-folder" in done.err


def test_worktrees_and_subfolders_share_one_memory(world: Any) -> None:
    world.commit("One", **{"src/a__py": "def a():\n    pass\n"})
    world.remora("remember", "Alpha", "USES", "Beta")
    world.git("worktree", "add", "-q", "../other")
    for place in (world.repo / "src", world.place / "other", world.place / "other" / "src"):
        hits = world.remora("recall", "alpha", "--json", cwd=place).json["hits"]
        assert [hit["title"] for hit in hits] == ["Alpha USES Beta"], place


def test_the_demo_runs_the_whole_path_on_any_repository(used: Any) -> None:
    done = used.remora("demo")
    assert done.code == 0, done.err
    for word in (
        "index the code",
        "ingest the history",
        "remember two facts",
        "recall:",
        "history of",
        "impact:",
        "source:",
    ):
        assert word in done.out
    assert re.search(r"\d+\.\d+ s CPU", done.out)


@pytest.mark.parametrize(
    ("args", "code"),
    [(("index",), 2), (("recall", "x", "--json"), 2), (("mcp",), 2), (("mcp", "--profile", "all"), 2), (("hook",), 0)],
)
def test_a_deleted_working_folder_is_named_and_never_a_traceback(
    tmp_path: Path, args: tuple[str, ...], code: int
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    run = f'rmdir "{gone}"; exec "{sys.executable}" -P -m remora "$@"'
    done = subprocess.run(
        ["sh", "-c", run, "sh", *args],
        cwd=gone,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert code == 0 or "working folder: no longer exists" in done.stdout + done.stderr
