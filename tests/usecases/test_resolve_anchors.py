"""Code anchors of bookmarks and citations, looked up in the present code graph."""

from types import SimpleNamespace

import pytest

from encounter_desk import AGENT, REPO, member
from remora.core.errors import Denied
from remora.core.policy import ANCHORS_RESOLVED_MAX
from remora.core.scope import Right
from remora.usecases.resolve_anchors import resolve_anchors

PLACES = {
    "login@app.py": ("python:app.py#login", "app.py"),
    "login": ("python:app.py#login", "app.py"),
    "Tokens.next": ("python:new/tokens.py#Tokens.next", "new/tokens.py"),
    "app.py": ("python:app.py", "app.py"),
}
PORTS = SimpleNamespace(repository=REPO, symbol=PLACES.get)


@pytest.mark.parametrize(
    ("uri", "state"),
    [
        ("code:app.py#login@0123abc", {"state": "present", "node": "python:app.py#login"}),
        ("code:app.py", {"state": "present", "node": "python:app.py"}),
        ("code:tokens.py#Tokens.next",
         {"state": "moved", "node": "python:new/tokens.py#Tokens.next", "now": "code:new/tokens.py#Tokens.next"}),
        ("code:app.py#gone", {"state": "file", "node": "python:app.py"}),
        ("code:gone.py#gone", {"state": "absent"}),
    ],
)  # fmt: skip
def test_an_anchor_says_where_it_is_now(uri, state):
    assert resolve_anchors(PORTS, AGENT, [uri]) == {uri: state}


def test_what_is_no_code_is_left_out():
    assert resolve_anchors(PORTS, AGENT, ["mem_1", "fct_2", "https://example.org", "code:"]) == {}


def test_only_readers_may_ask_and_no_more_than_the_limit():
    with pytest.raises(Denied):
        resolve_anchors(PORTS, member(right=Right.NONE), ["code:app.py"])
    many = [f"code:f{number}.py" for number in range(ANCHORS_RESOLVED_MAX + 5)]
    assert len(resolve_anchors(PORTS, AGENT, many)) == ANCHORS_RESOLVED_MAX
