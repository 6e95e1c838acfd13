"""Looking after a memory from the command line: what doctor tells, and backups that come back whole."""

import json
import os
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def project(world: Any) -> Any:
    """A repository with a fact, a record and a code graph."""
    world.commit("Add parser", parser__py="def parse(text):\n    return text\n")
    for args in (("init", "--index", "--no-git-hooks"), ("remember", "Parser", "READS", "Files")):
        assert world.remora(*args).code == 0
    return world


def doctor(world: Any, code: int = 0) -> dict[str, list[dict[str, Any]]]:
    done = world.remora("doctor", "--json")
    assert done.code == code, done.out + done.err
    parts: dict[str, list[dict[str, Any]]] = {}
    for part in done.json["parts"]:
        parts.setdefault(part["part"], []).append(part)
    return parts


def test_doctor_tells_when_hooks_last_worked_and_what_they_left_undone(project: Any) -> None:
    cache = project.repo / ".remora/cache"
    (cache / "hooks").mkdir()
    os.utime(cache / "hooks", None)
    for mark in ("git.commit", "claude-code.prompt"):
        (cache / "hooks" / mark).touch()
        os.utime(cache / "hooks" / mark, (1_700_000_000, 1_700_000_000))
    line = "2026-01-02T03:04:05Z skipped client=codex event=prompt reason=no_server ms=3\n"
    (cache / "hook.log").write_text(line * 3 + "torn\n")
    worked, undone = doctor(project)["hooks"]
    assert worked["figures"] == {"claude-code.prompt": "2023-11-14T22:13:20Z", "git.commit": "2023-11-14T22:13:20Z"}
    assert undone["figures"] == {"codex prompt no_server": 3, "unreadable_lines": 1}
    assert "2026-01-02T03:04:05Z" in undone["message"]


def test_doctor_counts_what_was_figured_out(project: Any) -> None:
    before = doctor(project)["encounters"][0]["figures"]["nodes"]
    session = project.remora("encounters", "advance", f"counted {before}", "--json").json["session"]
    assert project.remora("encounters", "note", "kept", "for the count", "--session", session).code == 0
    (part,) = doctor(project)["encounters"]
    assert part["figures"] == {"nodes": before + 2, "relations": part["figures"]["relations"], "meanings": 0}
    assert part["message"].startswith(f"{before + 2} nodes")


def test_doctor_warns_of_git_hooks_that_never_worked(project: Any) -> None:
    (project.repo / ".remora/cache/git-hook.log").write_text("remora: the disk is full\n")
    found = [part for part in doctor(project)["hooks"] if part["health"] == "warning"]
    assert "the disk is full" in found[0]["message"]


def test_doctor_counts_lost_commits_stale_and_skipped_files_and_names_bad_records(project: Any) -> None:
    project.git("checkout", "-qb", "side")
    project.commit("On the side", side__py="B = 2\n")
    assert project.remora("records", "ingest").code == 0
    project.git("checkout", "-q", "main")
    project.git("branch", "-qD", "side")
    (project.repo / "huge.py").write_text("x = 1\n" * 3_000_000)
    assert project.remora("index").code == 0
    (project.repo / ".remora/memory/records/mem_000000000000000000000000.json").write_text("{")
    parts = doctor(project, code=1)
    records = parts["records"]
    assert records[0]["figures"]["unreachable_commits"] == 1
    assert any("mem_000000000000000000000000" in part["message"] and part["health"] == "failed" for part in records)
    (graph, *_) = parts["code graph"]
    assert graph["figures"]["skipped"], graph
    assert any(reason in graph["message"] for reason in graph["figures"]["skipped"])


def test_doctor_warns_of_records_that_came_with_a_clone(project: Any) -> None:
    assert len(doctor(project)["records"]) == 1
    project.git("add", "-f", ".remora/memory")
    project.git("commit", "-qm", "track memory")
    (warned,) = [part for part in doctor(project)["records"] if part["health"] == "warning"]
    assert warned["figures"]["tracked"] >= 1
    assert "--share-records" in warned["advice"]


def test_a_restricted_principal_is_told_nothing_of_hooks_and_backups(project: Any) -> None:
    out = project.remora("doctor", "--json", "--principal", "bob", "--repository-claim", "*").json
    assert {part["part"] for part in out["parts"]} & {"hooks", "backup"} == set()


# --- Backups ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def saved(project: Any) -> Path:
    done = project.remora("backup", str(project.place / "backup"), "--json")
    assert done.code == 0, done.err
    assert done.json["records"] == 1
    assert done.json["items"] >= 3
    return project.place / "backup"


def test_a_backup_comes_back_in_a_new_place_and_never_over_a_store(project: Any, saved: Path) -> None:
    assert doctor(project)["backup"][0]["figures"]["last"]
    assert project.remora("backup", str(saved)).code == 1
    assert project.remora("restore", str(saved)).code == 2
    assert "exists" in project.remora("restore", str(saved), "--to-new").err
    elsewhere = project.place / "data2"
    fresh = {"REMORA_DATA_DIR": str(elsewhere)}
    (project.repo / ".remora/memory").rename(project.place / "memory-lost")
    done = project.remora("restore", str(saved), "--to-new", "--json", **fresh)
    assert done.code == 0, done.err
    assert done.json["records"] == 1
    assert "Files" in project.remora("recall", "what does the parser read?", **fresh).out
    assert project.remora("records", "search", "parser", "--json", **fresh).json["total"] == 1
    assert not [path for path in elsewhere.rglob("*") if path.is_file() and path.stat().st_mode & 0o077]


def test_a_damaged_backup_or_one_of_another_repository_is_refused(project: Any, saved: Path, tmp_path: Path) -> None:
    manifest = json.loads((saved / "manifest.json").read_text())
    fresh = {"REMORA_DATA_DIR": str(project.place / "data2")}
    for change, code in (({"identity": "other"}, 2), ({"records": 7}, 1), ({"store_digest": "0"}, 1)):
        (saved / "manifest.json").write_text(json.dumps(manifest | change))
        assert project.remora("restore", str(saved), "--to-new", **fresh).code == code, change
    (saved / "manifest.json").unlink()
    assert project.remora("restore", str(saved), "--to-new", **fresh).code == 2
    assert not list(Path(fresh["REMORA_DATA_DIR"]).rglob("*.sqlite3"))


def test_only_the_operator_backs_up_and_restores(project: Any, saved: Path) -> None:
    bob = ("--principal", "bob", "--repository-claim", "*")
    assert project.remora("backup", str(project.place / "mine"), *bob).code == 1
    assert project.remora("restore", str(saved), "--to-new", *bob).code == 1
    assert not (project.place / "mine").exists()


def test_what_is_remembered_is_the_owners_alone_and_doctor_names_what_is_open(project: Any) -> None:
    assert project.remora("records", "ingest", "--all").code == 0
    assert project.remora("affected", "parse").code == 0
    assert project.remora("locate", "parser").code == 0
    home = project.repo / ".remora"
    for place in (home / "memory", home / "cache"):
        assert place.stat().st_mode & 0o777 == 0o700
        found = [path for path in place.rglob("*") if path.stat().st_mode & 0o077]
        assert not found
    assert not any(part["figures"].get("open_to_others") for part in doctor(project)["records"])
    (home / "memory").chmod(0o755)
    (home / "memory" / "records").chmod(0o755)
    record = next((home / "memory" / "records").glob("*.json"))
    record.chmod(0o644)
    told = [part for part in doctor(project)["records"] if part["figures"].get("open_to_others")]
    assert told[0]["figures"] == {"open_to_others": 1}
    assert "chmod" in told[0]["advice"]


def test_doctor_tells_of_unknown_settings_and_never_sends_to_itself(project: Any) -> None:
    config = project.place / "config.toml"
    config.write_text("colour = 1\n")
    project.env |= {"REMORA_CONFIG": str(config), "REMORA_ALOW_MEMORY": "false"}
    told = [part["message"] for part in doctor(project)["settings"]]
    assert told[0].endswith("unknown key 'colour' is ignored")
    assert told[1] == "the variable REMORA_ALOW_MEMORY is unknown and ignored"
    store = next((project.place / "data" / "repositories").glob("*.sqlite3"))
    store.write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    for name in ("-wal", "-shm"):
        store.with_name(store.name + name).unlink(missing_ok=True)
    advice = [part["advice"] for part in doctor(project, code=1)["store"]]
    assert advice == ["restore the file from a backup or move it away to start clean"]


def test_what_is_told_of_figures_and_of_nothing_found_is_plain(project: Any) -> None:
    assert project.remora("index").out.startswith("unchanged: 1 file, 2 symbols, ")
    (project.repo / "parser.py").write_text("def parse(text):\n    return text * 2\n")
    assert "1 parsed and 1 re-linked with 2 symbols" in project.remora("index").out
    project.commit("Drop what nowhere/gone.py did", b__py="B = 1\n")
    told = project.remora("records", "ingest", "--all").out
    assert "remora records anchor" in told
    assert "(2 records in all)" in project.remora("records", "pitfalls", "nowhere/none.py").out
    asked = project.remora("records", "history", "nowhere/gone.py").out
    assert "nothing is anchored to nowhere/gone.py" in asked


def test_a_secret_in_a_path_or_a_predicate_is_not_kept_and_lineage_holds(project: Any) -> None:
    secret = "AKIA" + "Q3EGTXLMPW7RZQ2N"
    (project.repo / f"{secret}.py").write_text("def key():\n    return 1\n" * 5)
    project.commit("Add a key file")
    project.git("mv", f"{secret}.py", "plain_name.py")
    project.commit("Rename the key file")
    assert project.remora("records", "ingest", "--history").code == 0
    assert project.remora("records", "anchor").code == 0
    assert "Add a key file" in project.remora("records", "history", "plain_name.py").out
    refused = project.remora(
        "remember", "Parser", f"uses {secret.lower()} token ghp_16C7e42F292c6912E7710c838347Ae178B4a", "Files"
    )
    assert refused.code == 2
    memory = [path for path in (project.repo / ".remora").rglob("*") if path.is_file()]
    kept = b"".join(path.read_bytes() for path in memory if "graph" not in path.name)
    assert secret.encode() not in kept
    assert b"aws-access-key" in kept
