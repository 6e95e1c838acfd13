"""Indexing: what is parsed and re-linked when, and that it never matters how the graph came to be."""

import os
import sqlite3
import subprocess
import sys
import zlib
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from code_checkout import GRANT, Checkout
from remora.core.errors import Ambiguous, Denied, InvalidInput, NotFound
from remora.core.scope import Right, restricted_grant
from remora.usecases.get_node import NodeRequest, get_node
from remora.usecases.graph_status import graph_status
from remora.usecases.index_repository import IndexRequest, index_repository


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_an_unchanged_checkout_is_left_alone(checkout: Checkout) -> None:
    checkout.write(a="def f(): pass\n")
    assert checkout.index().mode == "full"
    before = checkout.code_graph.path.read_bytes()
    assert checkout.index().mode == "unchanged"
    assert checkout.code_graph.path.read_bytes() == before


def test_a_body_edit_relinks_one_file(checkout: Checkout) -> None:
    checkout.write(a="def f():\n    g()\ndef g(): pass\n", b="from a import f\nf()\n", c="import b\n").index()
    checkout.write(a="def f():\n    g()\n    g(1)\n\n\ndef g(): pass\n")
    result = checkout.index()
    assert (result.mode, result.parsed, result.relinked) == ("incremental", 1, 1)


def test_a_changed_signature_relinks_those_who_see_it(checkout: Checkout) -> None:
    checkout.write(
        k="class K:\n    def m(self): pass\n",
        a="from k import K\ndef f(): return 1\n",
        b="from a import f\nf().m()\n",
        c="import d\n",
    ).index()
    checkout.write(a="from k import K\ndef f(): return K()\n")
    result = checkout.index()
    assert (result.parsed, result.relinked) == (1, 2)
    assert ("b.py", "k.py#K.m") in checkout.edges()


def test_a_new_file_resolves_what_was_unresolved(checkout: Checkout) -> None:
    checkout.write(b="from a import f\nf()\n").index()
    assert checkout.edges() == set()
    checkout.write(a="def f(): pass\n").index()
    assert checkout.edges() == {("b.py", "a.py#f")}
    (checkout.root / "a.py").unlink()
    assert checkout.index().removed == 1
    assert checkout.edges() == set()


def test_a_same_size_edit_in_the_same_tick_is_seen(checkout: Checkout) -> None:
    checkout.write(a="def f(): pass\n").index()
    os.utime(checkout.root / "a.py", ns=(1, 1))
    checkout.index()
    checkout.write(a="def g(): pass\n")
    os.utime(checkout.root / "a.py", ns=(1, 1))
    assert checkout.index().mode == "incremental"


NAMES = ("a", "b", "c", "pkg/__init__", "pkg/x", "pkg/y", "pkg/sub/__init__", "pkg/sub/z")
MODULES = ("a", "b", "c", "pkg", "pkg.x", "pkg.y", "pkg.sub", "pkg.sub.z")
WORDS = ("f", "g", "h", "K", "L", "v", "w")
SHAPES = (
    "def {n}(p, q={m}):\n    p()\n    q()\n    return {o}",
    "def {n}(p):\n    return p",
    "def {n}(p):\n    def inner():\n        return p()\n    return inner",
    (
        "class {n}({m}):\n    def f(self):\n        self.g()\n        return self.v\n"
        "    def g(self, z={o}):\n        z()\n        self.v = {o}()"
    ),
    (
        "class {n}:\n    v = {m}\n    def __init__(self, w):\n        self.w = w\n"
        "    def g(self):\n        return self.w()"
    ),
    "{n} = {m}",
    "{n} = {m}({o})",
    "{n} = {m}.{o}",
    "{n}({m})",
    "{n}({m}).{o}()",
    "{n}.{m}({o})",
    "{mod}.{n}({m})",
    "{n} = [{m}, {o}]\n{n}[0]()",
    '{n} = {{"k": {m}}}\n{n}["k"]({o})',
    "{n}.{m} = {o}",
    "@{m}\ndef {n}(x):\n    return x()",
    "for {n} in {m}:\n    {n}()",
    "def {n}():\n    yield {m}",
    "{n} = lambda x: x({m})",
    "from {mod} import {n}",
    "from {mod} import *",
    "import {mod}",
    "from . import {n}",
    "from ..b import {n}",
    "from .x import *",
)


def _text(random: Random) -> str:
    lines = []
    for _ in range(random.randint(0, 9)):
        words = {key: random.choice(WORDS) for key in "nmo"}
        lines.append(random.choice(SHAPES).format(mod=random.choice(MODULES), **words))
    return "\n".join(lines) + "\n"


def _edit(random: Random, root: Path) -> None:
    target = root / (random.choice(NAMES) + ".py")
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists() and random.random() < 0.2:
        target.unlink()
    elif target.exists() and random.random() < 0.5:
        target.write_text("\n" * random.randint(0, 3) + target.read_text() + _text(random))
    else:
        target.write_text(_text(random))


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
@example(seed=18)
@example(seed=34)
@example(seed=68)
@example(seed=322)
def test_an_incremental_build_equals_a_full_one(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    random = Random(seed)
    checkout = Checkout(tmp_path_factory.mktemp("law"))
    other = Checkout(checkout.root, tmp_path_factory.mktemp("full"))
    for step in range(random.randint(2, 5)):
        for _ in range(random.randint(1, 3) if step else 6):
            _edit(random, checkout.root)
        checkout.index()
        other.index(full=True)
        assert checkout.state() == other.state()


def test_two_builds_are_byte_identical_under_any_hash_seed(tmp_path: Path) -> None:
    random = Random(7)
    root = tmp_path / "tree"
    root.mkdir()
    for _ in range(30):
        _edit(random, root)
    script = (
        "import sys; sys.path[:0] = [sys.argv[1]]; from pathlib import Path; from code_checkout import Checkout;"
        "c = Checkout(Path(sys.argv[2]), Path(sys.argv[3])); c.index(full=True); sys.stdout.write(c.export())"
    )
    tests = str(Path(__file__).parents[1])
    outputs, files = set(), set()
    for seed in ("0", "1", "4711"):
        cache = tmp_path / seed
        argv = [sys.executable, "-c", script, tests, str(root), str(cache)]
        done = subprocess.run(
            argv, env={"PYTHONHASHSEED": seed, "PATH": os.environ["PATH"]}, capture_output=True, timeout=60, check=True
        )
        outputs.add(done.stdout)
        files.add((cache / "graph.sqlite3").read_bytes())
    assert len(outputs) == len(files) == 1
    assert b'"calls"' in outputs.pop()


def test_builders_at_once_leave_one_whole_graph(checkout: Checkout) -> None:
    checkout.write(**{f"m{i}": f"def f{i}(): pass\nf{i}()\n" for i in range(20)})
    script = (
        "import sys; sys.path[:0] = [sys.argv[1]]; from pathlib import Path; from code_checkout import Checkout;"
        "print(Checkout(Path(sys.argv[2])).index().mode)"
    )
    argv = [sys.executable, "-c", script, str(Path(__file__).parents[1]), str(checkout.root)]
    running = [subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    modes = sorted(process.communicate(timeout=60)[0].strip() for process in running)
    assert modes == ["full", "unchanged", "unchanged"]
    assert len(checkout.edges()) == 20


def test_a_damaged_file_is_rebuilt(checkout: Checkout) -> None:
    checkout.write(a="def f(): pass\nf()\n").index()
    checkout.code_graph.path.write_bytes(b"not a database" * 1000)
    assert checkout.index().mode == "full"
    assert checkout.edges() == {("a.py", "a.py#f")}


@pytest.mark.parametrize(
    "found", [b"", b"junk", zlib.compress(b"[]"), zlib.compress(b"{}\n[]"), zlib.compress(b'["", []')]
)
def test_facts_of_another_version_are_built_anew(checkout: Checkout, found: bytes) -> None:
    checkout.write(a="def f(): pass\n", b="from a import f\nf()\n").index()
    with closing(sqlite3.connect(checkout.code_graph.path)) as old, old:
        old.execute("UPDATE facts SET data = ?", (found,))
    checkout.write(a="def f(x): pass\n\ndef g(): f(1)\n", b="from a import f, g\nf(2)\ng()\n")
    checkout.index()
    assert {("b.py", "a.py#g"), ("b.py", "a.py#f"), ("a.py#g", "a.py#f")} <= checkout.edges()


def test_a_graph_of_another_layout_is_built_anew(checkout: Checkout) -> None:
    checkout.write(a="def f(): pass\n").index()
    with closing(sqlite3.connect(checkout.code_graph.path)) as old, old:
        old.execute("UPDATE meta SET value = '1' WHERE key = 'layout'")
    assert checkout.index().mode == "full"


SPREAD = """
def f(): pass
def g(): pass
def use():
    items = [f]
    for _ in range(3):
        items = {grown}
    for item in items:
        item()
"""


@pytest.mark.parametrize(
    "grown",
    [
        "[*items, g]",
        "[g, *items, *items]",
        "(*items, g)",
        "[*[*items], g]",
        "[*items[1:], g]",
        "[*reversed(items), g]",
        "[g, *(one for one in items)]",
    ],
)
def test_a_list_may_hold_what_it_was_spread_from(checkout: Checkout, grown: str) -> None:
    checkout.write(a=SPREAD.replace("{grown}", grown)).index()
    assert ("a.py#use", "a.py#g") in checkout.edges()


@pytest.mark.parametrize(
    "body",
    [
        "x = [*x]",
        "x = [*y]\ny = [*x, f]\nfor z in x: z()",
        "x = {**x, 'a': f}\nx['a']()",
        "x = [x]\nx[0][0][0]()",
        "x = [f]\nfor _ in x: (first, *x) = x\nfirst()",
        "x = x[1:]\nx[0]()",
        "x = x.items()\nfor a, b in x: b()",
        "x = map(lambda z: [*x], x)\nfor a in x: a()",
        "class C:\n    def __iter__(self): return iter([*self, f])\nfor a in C(): a()",
        "class D:\n    def __iter__(self): yield from self\nfor a in D(): a()",
        "def h(*a): return h(*a, *h(*a))\nh(*h(f))()",
    ],
)
def test_values_made_of_themselves_end(checkout: Checkout, body: str) -> None:
    checkout.write(a=f"def f(): pass\n{body}\n", b="from a import *\n").index()
    assert checkout.index().mode == "unchanged"


def test_questions_need_a_graph_and_the_right_to_read(checkout: Checkout) -> None:
    with pytest.raises(NotFound, match="no code graph"):
        checkout.affected("f")
    stranger = restricted_grant("stranger", repository_claims=["elsewhere"], right=Right.READ)
    with pytest.raises(Denied):
        index_repository(checkout, stranger, IndexRequest())


def test_affected_counts_hops_and_tests(checkout: Checkout) -> None:
    checkout.write(
        a="def f(): pass\ndef g(): f()\n",
        b="from a import g\ndef h(): g()\n",
        tests__test_a="from b import h\ndef test_h(): h()\n",
    ).index()
    answer = checkout.affected("f", depth=5)
    assert [(row.id.partition("#")[2], row.hops, row.test) for row in answer.affected] == [
        ("g", 1, False),
        ("h", 2, False),
        ("test_h", 3, True),
    ]
    assert (answer.total, answer.tests, answer.by_tier) == (3, 1, {"EXTRACTED": 3})
    assert [row.id for row in checkout.affected("f", depth=5, tests_only=True).affected] == [
        "python:tests/test_a.py#test_h"
    ]
    assert checkout.affected("f", depth=1).total == 1
    assert {row.kind for row in checkout.affected("a.py").affected} == {"calls", "imports"}


def test_an_answer_keeps_its_budget_and_says_so(checkout: Checkout) -> None:
    checkout.write(a="def f(): pass\n" + "".join(f"def g{i}(): f()\n" for i in range(50))).index()
    answer = checkout.affected("f", budget_chars=500)
    assert answer.truncated
    assert 0 < len(answer.affected) < 50
    assert answer.total == 50
    with pytest.raises(InvalidInput, match="budget_chars"):
        checkout.affected("f", budget_chars=3)


def test_a_question_refreshes_a_little_and_reports_a_lot(checkout: Checkout) -> None:
    checkout.write(a="def f(): pass\n").index()
    checkout.write(b="from a import f\nf()\n")
    assert checkout.affected("f").total == 1
    checkout.at_most = 1
    checkout.write(c="import a\n", d="import a\n")
    answer = checkout.affected("f")
    assert answer.freshness.stale_files == ("c.py", "d.py")


def test_names_resolve_from_ids_down_to_suffixes(checkout: Checkout) -> None:
    checkout.put("pkg/__init__.py", "").put("pkg/one.py", "class K:\n    def m(self): pass\n    def only(self): pass\n")
    checkout.put("pkg/two.py", "class K:\n    def m(self): pass\n").index()
    for name in (
        "python:pkg/one.py#K.m",
        "pkg/one.py#K.m",
        "code:pkg/one.py#K.m",
        "K.m@one.py",
        "m@pkg/one.py",
        "one.K.m",
        "pkg.one.K.m",
        "one::K::m",
    ):
        assert checkout.affected(name).subject.id == "python:pkg/one.py#K.m", name
    assert checkout.affected("only").subject.qualified_name == "K.only"
    assert checkout.affected("two.py").subject.kind == "module"
    assert checkout.affected("pkg.two").subject.kind == "module"
    with pytest.raises(Ambiguous) as caught:
        checkout.affected("K.m")
    assert caught.value.candidates == ("python:pkg/one.py#K.m", "python:pkg/two.py#K.m")
    for name in ("nowhere", "K.m@three.py", "pkg/../one.py", "C:\\x", "~", "%2e%2e"):
        with pytest.raises(NotFound):
            checkout.affected(name)
    for name in ("", " ", "a\0b", "x" * 2000):
        with pytest.raises(InvalidInput):
            checkout.affected(name)


def test_a_node_shows_its_neighbours(checkout: Checkout) -> None:
    checkout.write(
        a="def f():\n    g()\n    unknown_thing.go()\ndef g(): pass\ndef h(p):\n    p.x()\n    f()\n"
    ).index()
    node = get_node(checkout, GRANT, NodeRequest("f"))
    assert node.counts == {"in:calls": 1, "in:contains": 1, "out:calls": 1}
    assert [row.id for row in node.outgoing] == ["python:a.py#g"]
    assert get_node(checkout, GRANT, NodeRequest("h")).unresolved_calls == 1


def test_status_names_what_was_left_out_and_what_failed(checkout: Checkout) -> None:
    checkout.write(a="def f(): pass\n").put("node_modules/x.py", "a").put("big.py", "#" * 1_100_000).put(
        "secrets.py", "a"
    )
    checkout.put("binary.py", b"\0\1\2" * 100).put("broken.py", "def (:\n")
    result = checkout.index()
    assert result.skipped == {"secret by name": 1, "too large": 1, "vendored": 1}
    assert result.problems == (("binary.py", "binary content"),)
    status = graph_status(checkout, GRANT)
    assert status.languages["python"].files == 3
    assert status.languages["python"].files_with_errors == 1
    assert status.warnings == ("python: 2 of 3 files do not parse cleanly",)
    assert status.counts["file"] == 3
