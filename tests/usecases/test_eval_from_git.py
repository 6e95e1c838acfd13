"""Localisation cases come from history, and nothing of a fix is known before it."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from git_shapes import ENVIRON, History
from remora.adapters.git.checkout import discover
from remora.adapters.git.reader import GitReader
from remora.adapters.system import SystemClock
from remora.core.errors import InvalidInput
from remora.core.locate.query import locate_query
from remora.core.scope import operator_grant
from remora.usecases.eval_from_git import EvalRequest, LocateEvaluation, eval_from_git, prepare_cases

GRANT = operator_grant()


@dataclass
class SomePorts:
    """The part of the bag that the verb needs."""

    git: GitReader

    def redact(self, text: str) -> str:
        return text.replace("hunter2", "[redacted]")


@pytest.fixture
def ports(tmp_path: Path) -> SomePorts:
    """A history with a rename and three fixes; the last fix adds the very word it is asked by."""
    history = History()
    history.commit(
        "Add the cookie parser", {"cookies.py": b"def parse_cookie(): pass\n", "http.py": b"def send(): pass\n"}
    )
    history.commit("Fix quoting of cookie values", {"cookies.py": b"def parse_cookie(): quote\n"})
    history.commit("Move cookies", {"cookies.py": None, "lib/cookies.py": b"def parse_cookie(): quote\n"})
    cookies = {"lib/cookies.py": b"def parse_cookie(): quote, age\n"}
    history.commit("Fix expiry of session cookies in lib/cookies.py", cookies)
    history.commit("Add a page", {"page.py": b"hunter2 = 1\n"})
    history.commit("Fix zeppelin hunter2", {"http.py": b"def send(): zeppelin\n", "new.py": b"zeppelin\n"})
    folder = history.write(tmp_path / "repo")
    return SomePorts(GitReader(discover(folder, ENVIRON, SystemClock()), ENVIRON))


@pytest.fixture
def done(ports: SomePorts) -> LocateEvaluation:
    return eval_from_git(ports, GRANT, EvalRequest(10))


def test_fixes_are_cases_and_a_truth_is_a_file_of_the_parent(ports: SomePorts) -> None:
    cases = {prepared.case.subject: prepared.case for prepared in prepare_cases(ports.git, EvalRequest(10))}
    assert len(cases) == 3
    assert cases["Fix zeppelin hunter2"].truth == {"http.py"}
    assert cases["Fix expiry of session cookies in lib/cookies.py"].bare == "Fix expiry of session cookies in"


def test_nothing_of_the_fix_or_of_later_commits_is_known(ports: SomePorts) -> None:
    prepared = {item.case.subject: item for item in prepare_cases(ports.git, EvalRequest(10))}
    query = locate_query("zeppelin")
    last = prepared["Fix zeppelin hunter2"]
    assert not last.find(query).places
    assert not last.past(query).alike
    first = prepared["Fix quoting of cookie values"]
    assert first.view.total == 1
    assert set(first.files) == {"cookies.py", "http.py"}


def test_votes_of_a_former_name_go_to_the_present_one(ports: SomePorts) -> None:
    item = next(p for p in prepare_cases(ports.git, EvalRequest(10)) if p.case.names_file)
    past = item.past(locate_query("cookie values"))
    assert past.names["cookies.py"] == "lib/cookies.py"
    assert past.alike


def test_every_ranking_is_reported_with_and_without_file_names(done: LocateEvaluation) -> None:
    assert set(done.written) == {"locate", "records", "records_v1", "bm25_messages", "bm25_contents"}
    assert done.bare["locate"].cases == 3
    named = next(case for case in done.cases if case.names_file)
    assert named.ranks["locate"] == 1
    assert not any("hunter2" in case.query for case in done.cases)


def test_the_same_history_gives_the_same_figures(ports: SomePorts, done: LocateEvaluation) -> None:
    assert eval_from_git(ports, GRANT, EvalRequest(10)) == done


def test_the_number_of_cases_has_bounds(ports: SomePorts) -> None:
    with pytest.raises(InvalidInput, match="cases"):
        eval_from_git(ports, GRANT, EvalRequest(0))
