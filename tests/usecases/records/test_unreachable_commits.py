"""Commits that branches let go of: kept, flagged, and out of search and evidence; in real repositories."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from remora.bootstrap import open_ports
from remora.config import Settings
from remora.core.records.search import RecordQuery, search
from remora.core.scope import operator_grant
from remora.usecases.evidence import evidence
from remora.usecases.ingest_git import IngestRequest, ingest_git

OPERATOR = operator_grant()


class Repo:
    """A repository with everything recorded, read by a bag opened anew each time, as a process would."""

    def __init__(self, world: Any) -> None:
        self.world = world

    def ingest(self, *revisions: str) -> None:
        ports = open_ports(Settings(self.world.place / "data"), self.world.repo)
        for revision in revisions:
            ingest_git(ports, OPERATOR, IngestRequest(revision=revision))
        if not revisions:
            ingest_git(ports, OPERATOR, IngestRequest(all_refs=True))
        ports.record_index.close()

    def titles(self, *, everything: bool = False) -> set[str]:
        ports = open_ports(Settings(self.world.place / "data"), self.world.repo)
        with ports.record_index.view(OPERATOR) as view:
            hits = search(view, RecordQuery("step", include_superseded=everything, limit=100)).hits
        ports.record_index.close()
        assert everything or not any(hit.unreachable for hit in hits)
        return {hit.record.title for hit in hits}


@pytest.fixture
def repo(world: Any) -> Repo:
    world.commit("step base", a__py="A = 1\n")
    world.git("checkout", "-qb", "side")
    world.commit("step one", one__py="B = 1\n")
    world.commit("step two", two__py="C = 1\n")
    world.git("checkout", "-q", "main")
    world.commit("step main", main__py="D = 1\n")
    made = Repo(world)
    made.ingest()
    return made


def test_a_rebase_leaves_the_former_commits_flagged_and_the_new_ones_found(repo: Repo) -> None:
    assert repo.titles() == {"step base", "step one", "step two", "step main"}
    before = repo.world.git("rev-parse", "side")
    repo.world.git("rebase", "-q", "main", "side")
    assert repo.titles() == {"step base", "step main"}
    repo.ingest()
    assert repo.titles() == {"step base", "step one", "step two", "step main"}
    repo.world.git("branch", "rescued", before)
    ports = open_ports(Settings(repo.world.place / "data"), repo.world.repo)
    with ports.record_index.view(OPERATOR) as view:
        assert len(search(view, RecordQuery("step", limit=100)).hits) == 6
    ports.record_index.close()


def test_a_deleted_branch_leaves_search_and_evidence_and_comes_back_with_it(repo: Repo) -> None:
    repo.world.git("checkout", "-q", "main")
    tip = repo.world.git("rev-parse", "side")
    repo.world.git("branch", "-D", "side")
    assert repo.titles() == {"step base", "step main"}
    assert repo.titles(everything=True) == {"step base", "step one", "step two", "step main"}
    ports = open_ports(Settings(repo.world.place / "data"), repo.world.repo)
    assert evidence(ports, OPERATOR, ["one.py"]).total == 0
    assert evidence(ports, OPERATOR, ["a.py"]).total == 1
    ports.record_index.close()
    repo.world.git("checkout", "-q", "--detach", tip)
    assert repo.titles() == {"step base", "step one", "step two", "step main"}


def test_what_a_detached_worktree_stands_on_is_held(repo: Repo) -> None:
    repo.world.git("worktree", "add", "-q", "--detach", str(repo.world.place / "other"), "side")
    repo.world.git("branch", "-D", "side")
    assert repo.titles() == {"step base", "step one", "step two", "step main"}


def test_a_commit_recorded_after_it_was_amended_away_is_flagged(repo: Repo) -> None:
    lost = repo.world.commit("step typo", typo__py="E = 1\n")
    repo.world.git("commit", "-q", "--amend", "-m", "step right")
    repo.ingest(lost, "HEAD")
    assert {"step typo", "step right"} & repo.titles() == {"step right"}


def test_pruned_commits_stay_flagged_and_the_index_may_be_deleted(repo: Repo) -> None:
    repo.world.git("branch", "-D", "side")
    assert repo.titles() == {"step base", "step main"}
    (repo.world.repo / ".remora/cache/records.sqlite3").unlink()
    assert repo.titles() == {"step base", "step main"}
    repo.world.git("reflog", "expire", "--expire=now", "--all")
    repo.world.git("gc", "-q", "--prune=now")
    repo.world.commit("step more", more__py="F = 1\n")
    repo.ingest()
    assert repo.titles() == {"step base", "step main", "step more"}


def test_commits_that_were_never_fetched_are_not_taken_for_lost(repo: Repo, tmp_path: Path) -> None:
    shallow = tmp_path / "shallow"
    subprocess.run(
        ["git", "clone", "-q", "--depth", "1", f"file://{repo.world.repo}", str(shallow)],
        env=repo.world.env, check=True, timeout=60, capture_output=True,
    )  # fmt: skip
    ports = open_ports(Settings(tmp_path / "data"), repo.world.repo)
    clone = open_ports(Settings(tmp_path / "data"), shallow)
    for content in ports.records.read(unit.name for unit in ports.records.units()):
        clone.records.append_many(OPERATOR, [stored.record for stored in content.records])
    with clone.record_index.view(OPERATOR) as view:
        assert len(search(view, RecordQuery("step", limit=100)).hits) == 4
    ports.record_index.close()
    clone.record_index.close()


def test_a_ref_that_names_nothing_stops_no_query(repo: Repo) -> None:
    (repo.world.repo / ".git/refs/heads/broken").write_text("0123456789" * 4 + "\n")
    assert repo.titles() == {"step base", "step one", "step two", "step main"}
