"""What a change reaches, be it the working tree, a diff, files or a range: symbols, tests, habits, memory, risk."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from change_desk import Desk
from code_checkout import GRANT
from git_shapes import git
from remora.core.errors import Denied, InvalidInput, NotFound, RemoraError, Unavailable
from remora.core.records.model import SHARED, Record, SourceArtifact, SymbolAnchor
from remora.core.records.vocabulary import RecordKind
from remora.core.scope import Right, restricted_grant
from remora.usecases.working_changes_impact import WorkingRequest, working_changes_impact

STORE = """\
class Store:
    def refresh(self, user):
        return self.load(user)

    def load(self, user):
        return user


LIMIT = 3
"""
APP = "from store import Store\n\n\ndef login(user):\n    return Store().refresh(user)\n"
TEST = "from app import login\n\n\ndef test_login():\n    assert login(1)\n"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "repo")
    made.commit("Start", store=STORE, app=APP, test_app=TEST)
    made.index()
    yield made
    made.record_index.close()


def names(rows: object) -> set[str]:
    return {row.id.partition(":")[2] for row in rows}  # type: ignore[attr-defined]


def changes(impact: object) -> set[tuple[str, str]]:
    return {(row.id.partition(":")[2], row.change) for row in impact.symbols}  # type: ignore[attr-defined]


def test_a_clean_tree_changes_nothing(desk: Desk) -> None:
    impact = desk.working()
    assert (impact.files, impact.symbols, impact.affected, impact.risk.level) == ((), (), (), "low")


def test_touched_lines_become_the_innermost_symbols(desk: Desk) -> None:
    desk.write(store=STORE.replace("return user", "return [user]"))
    impact = desk.working()
    assert changes(impact) == {("store.py#Store.load", "modified")}
    assert [(file.path, file.change) for file in impact.files] == [("store.py", "modified")]
    assert names(impact.affected) == {"store.py#Store.refresh", "app.py#login", "test_app.py#test_login"}
    assert impact.by_hop == {"1": 1, "2": 1, "3": 1}
    assert names(impact.tests) == {"test_app.py#test_login"}


def test_a_line_outside_of_declarations_belongs_to_the_module_and_reaches_importers(desk: Desk) -> None:
    desk.write(store="import os\n" + STORE)
    impact = desk.working()
    assert changes(impact) == {("store.py", "modified")}
    assert "app.py" in names(impact.affected)


def test_staged_and_untracked_work_counts(desk: Desk) -> None:
    desk.write(fresh="from app import login\n\n\ndef again():\n    return login(2)\n")
    desk.write(app=APP.replace("refresh(user)", "refresh([user])"))
    git(desk.root, "add", "app.py")
    impact = desk.working()
    assert changes(impact) == {("fresh.py", "added"), ("fresh.py#again", "added"), ("app.py#login", "modified")}


def test_a_deleted_symbol_that_is_still_called_is_told(desk: Desk) -> None:
    desk.write(store=STORE.replace("    def refresh(self, user):\n        return self.load(user)\n\n", ""))
    impact = desk.working()
    assert ("store.py#Store.refresh", "deleted") in changes(impact)
    assert [(call.file, call.line) for call in impact.dangling] == [("app.py", 5)]
    assert any("deletes" in reason for reason in impact.risk.reasons)


def test_a_deleted_and_a_renamed_file_are_seen(desk: Desk) -> None:
    git(desk.root, "mv", "store.py", "shop.py")
    (desk.root / "test_app.py").unlink()
    impact = desk.working()
    assert {(file.path, file.change, file.old_path) for file in impact.files} == {
        ("shop.py", "renamed", "store.py"),
        ("test_app.py", "deleted", ""),
    }
    assert ("store.py", "deleted") in changes(impact)
    assert ("test_app.py#test_login", "deleted") in changes(impact)


def test_a_repository_without_commits_changes_everything(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "new").write(a="def f(): pass\n")
    assert isinstance(desk, Desk)
    desk.index()
    assert changes(desk.working()) == {("a.py", "added"), ("a.py#f", "added")}
    desk.record_index.close()


def test_a_range_tells_of_commits_and_counts_what_the_present_graph_lacks(desk: Desk) -> None:
    git(desk.root, "switch", "-qc", "topic")
    desk.commit("More", store=STORE.replace("LIMIT = 3", "LIMIT = 4\n\n\ndef gone():\n    return LIMIT\n"))
    desk.commit("Other", app=APP.replace("user)\n", "user)  # same\n"))
    git(desk.root, "switch", "-q", "main")
    impact = desk.ranged("main..topic")
    assert ("store.py#gone", "added") in changes(impact)
    assert "app.py#login" in names(impact.symbols)
    assert impact.totals["symbols_not_in_graph"] == 1
    assert "test_app.py#test_login" in names(impact.tests)
    with pytest.raises(NotFound):
        desk.ranged("main..nowhere")
    with pytest.raises(InvalidInput):
        desk.ranged("main")
    with pytest.raises(Unavailable):
        desk.ranged("#17")


def test_whole_files_are_predicted_by_path_or_ending(desk: Desk) -> None:
    impact = desk.predicted("store.py", "nowhere.txt")
    assert "store.py#Store.load" in names(impact.symbols)
    assert {"app.py", "app.py#login"} <= names(impact.affected)
    assert impact.totals["unparsed_files"] == 1


@pytest.mark.parametrize("applied", [False, True])
@pytest.mark.parametrize("context", ["-U0", "-U3"])
def test_a_diff_is_predicted_whether_it_is_applied_or_not(desk: Desk, context: str, applied: bool) -> None:
    desk.write(store=STORE.replace("return user", "return (user,)"))
    diff = git(desk.root, "diff", context) + "\n"
    if not applied:
        git(desk.root, "checkout", "-q", "--", "store.py")
    impact = desk.predicted(diff=diff)
    assert changes(impact) == {("store.py#Store.load", "modified")}
    assert "app.py#login" in names(impact.affected)


def test_a_diff_that_takes_a_symbol_away_warns_of_those_who_use_it(desk: Desk) -> None:
    desk.write(app="from store import Store\n")
    diff = git(desk.root, "diff")
    git(desk.root, "checkout", "-q", "--", "app.py")
    impact = desk.predicted(diff=diff)
    assert ("app.py#login", "deleted") in changes(impact)
    assert any("in use" in reason for reason in impact.risk.reasons)


def test_habitual_partners_come_with_count_and_support(desk: Desk) -> None:
    for number in range(4):
        desk.commit(f"Step {number}", store=f"{STORE}# {number}\n", app=f"{APP}# {number}\n")
    desk.commit("Alone", store=f"{STORE}# alone\n")
    desk.remember()
    desk.write(store=STORE + "# mine\n")
    (partner,) = [partner for partner in desk.working().partners if partner.partner == "app.py"]
    assert (partner.path, partner.count, partner.of, partner.support) == ("store.py", 5, 6, 0.833)
    assert any("app.py" in reason for reason in desk.working().risk.reasons)
    desk.write(app=APP + "# mine\n")
    assert not [partner for partner in desk.working().partners if partner.partner == "app.py"]


def pitfall(desk: Desk, key: str, symbol: str, path: str, at: int) -> Record:
    record = Record.create(
        idempotency_key=key, kind=RecordKind.REGRESSION, title=f"Broke {key}", summary="It broke.",
        repository=desk.repository.identity, occurred_at=at, sources=[SourceArtifact("run", f"ci://{key}")],
        affected_symbols=[SymbolAnchor(symbol, symbol.partition("#")[2], path)], access_scope=SHARED,
    )  # fmt: skip
    desk.records.append(GRANT, record)
    return record


def test_memory_on_the_whole_change_comes_once_with_its_subjects_pitfalls_first(desk: Desk) -> None:
    desk.commit("Later", store=STORE + "# later\n")
    desk.remember()
    record = pitfall(desk, "run-1", "python:store.py#Store.load", "store.py", 1_000)
    desk.write(store=STORE.replace("return user", "return 7"), app=APP + "# mine\n")
    impact = desk.working()
    assert impact.evidence is not None
    told = impact.evidence.to_json()
    assert told["records"][0]["id"] == record.id  # type: ignore[index, call-overload]
    ids = [row["id"] for row in told["records"]]  # type: ignore[index, union-attr, call-overload]
    assert len(ids) == len(set(ids)) > 1
    assert {"store.py", "python:store.py#Store.load"} <= set(impact.evidence.rows[0].subjects)
    assert any("pitfall" in reason for reason in impact.risk.reasons)
    assert desk.working(memory=False).evidence is None
    assert desk.working(memory=False).partners == ()


def test_a_stranger_learns_nothing(desk: Desk) -> None:
    stranger = restricted_grant("eve", repository_claims=["another"], right=Right.READ)
    with pytest.raises(Denied):
        working_changes_impact(desk, stranger, WorkingRequest())


@pytest.mark.parametrize(
    "diff",
    ["", "hello", "@@ -1 +1 @@\n-a\n+b\n", "--- a\n", "--- a/x\n+++ b/x\n@@ -1,99999999 +1,99999999 @@\n-a\n",
     "diff --git a/\udc80 b/\udc80\n--- a/../../etc/passwd\n+++ b/../../etc/passwd\n@@ -1 +1 @@\n-a\n+b\n", "\ud800\0"],
)  # fmt: skip
def test_a_hostile_diff_is_refused_or_harmless(desk: Desk, diff: str) -> None:
    try:
        impact = desk.predicted(diff=diff)
    except RemoraError as error:
        assert str(error)  # noqa: PT017
    else:
        assert impact.symbols == ()


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(["--- a/store.py", "+++ b/x.py", "@@ -1,2 +1 @@", "-a", "+b", " c", "\\ No", "diff x"]))
)
def test_any_shuffled_diff_is_survived(desk: Desk, lines: list[str]) -> None:
    try:
        desk.predicted(diff="\n".join(lines))
    except InvalidInput as error:
        assert error.field  # noqa: PT017


def test_a_function_that_no_test_reaches_is_told(desk: Desk) -> None:
    desk.write(store=STORE.replace("return user", "return [user]") + "\n\ndef alone():\n    return LIMIT\n")
    assert "1 changed symbols are reached by no test" in desk.working().risk.reasons


def test_habits_are_followed_through_a_rename(desk: Desk) -> None:
    for number in range(2):
        desk.commit(f"Step {number}", store=f"{STORE}# {number}\n", app=f"{APP}# {number}\n")
    git(desk.root, "mv", "store.py", "shop.py")
    git(desk.root, "commit", "-qm", "Rename")
    desk.remember()
    desk.write(shop=STORE + "# mine\n")
    (partner,) = [partner for partner in desk.working().partners if partner.partner == "app.py"]
    assert (partner.path, partner.count, partner.of) == ("shop.py", 3, 4)


def test_a_call_that_may_mean_something_else_is_not_laid_on_a_deletion(desk: Desk) -> None:
    desk.commit(
        "Two", other="class Other:\n    def refresh(self):\n        return 1\n\n\ndef use(x):\n    x.refresh()\n"
    )
    desk.write(store=STORE.replace("    def refresh(self, user):\n        return self.load(user)\n\n", ""))
    assert desk.working().dangling == ()
