"""Python: which calls the graph finds, and at which tier."""

from pathlib import Path

import pytest

from code_checkout import Checkout


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def calls(checkout: Checkout, **files: str) -> set[tuple[str, str]]:
    checkout.write(**files).index()
    return checkout.edges()


def test_a_name_is_bound_by_scope_and_import_only(checkout: Checkout) -> None:
    found = calls(
        checkout, a="def run(): pass\ndef go(): run()\n", b="from a import go\ngo()\n", c="def run(): pass\nrun()\n"
    )
    assert found == {("a.py#go", "a.py#run"), ("b.py", "a.py#go"), ("c.py", "c.py#run")}
    assert set(checkout.tiers().values()) == {"EXTRACTED"}


def test_a_bare_name_never_reaches_another_file(checkout: Checkout) -> None:
    assert calls(checkout, a="def run(): pass\n", b="run()\nx.run()\n") == set()
    assert checkout.affected("run").unresolved_calls == 0  # both are known to lie outside
    checkout.write(b="def f(x):\n    x.run()\n").index()
    assert checkout.affected("run").unresolved_calls == 1


def test_the_last_assignment_before_a_call_counts(checkout: Checkout) -> None:
    text = "def a(): pass\ndef b(): pass\nx = a\nx()\nx = b\ndef c():\n    x()\n"
    assert calls(checkout, m=text) == {("m.py", "m.py#a"), ("m.py#c", "m.py#b")}


def test_branches_join_and_loops_go_round(checkout: Checkout) -> None:
    text = "def a(): pass\ndef b(): pass\nif z:\n    x = a\nelse:\n    x = b\nx()\n"
    assert calls(checkout, m=text) == {("m.py", "m.py#a"), ("m.py", "m.py#b")}
    text = "def a(): pass\ndef b(): pass\nx = a\nfor i in z:\n    x()\n    x = b\n"
    assert calls(checkout, m=text) == {("m.py", "m.py#a"), ("m.py", "m.py#b")}


@pytest.mark.parametrize(
    "text",
    [
        "x = K()\nx.m()\n",
        "def f(x: K): x.m()\n",
        "def f(x: 'K | None' = None):\n    x.m()\n".replace("'K | None'", "K | None"),
        "def f(x: 'K'): x.m()\n",
        "from typing import Optional\ndef f(x: Optional[K]): x.m()\n",
        "def f(xs: list[K]):\n    for x in xs:\n        x.m()\n",
        "def f(xs: dict[str, K]):\n    xs['a'].m()\n",
        "def make() -> K: ...\nmake().m()\n",
        "def make(): return K()\nmake().m()\n",
        "def same(x): return x\nsame(K()).m()\n",
        "class D(K):\n    def n(self): self.m()\n",
        "class D(K):\n    def m(self): super().m()\n",
        "class H:\n    def __init__(self): self.k = K()\n    def n(self): self.k.m()\n",
        "class H:\n    k: K\n    def n(self): self.k.m()\n",
        "class H:\n    @property\n    def k(self): return K()\nH().k.m()\n",
        "class H:\n    @classmethod\n    def make(cls): return cls.k\n    k = K()\nH.make().m()\n",
        "ks = [K(), K()]\nks[0].m()\n",
        "ks = {'a': K()}\nks['a'].m()\n",
        "ks = []\nks.append(K())\nfor k in ks: k.m()\n",
        "[k.m() for k in [K()]]\n",
        "with K() as k: k.m()\n",
        "a, (b, *c) = 1, (K(), K())\nb.m()\nc[0].m()\n",
        "def gen():\n    yield K()\nfor k in gen(): k.m()\n",
        "def f(k): k.m()\nf(K())\n",
        "def outer():\n    k = K()\n    def inner(): k.m()\n    return inner\nouter()()\n",
        "f = lambda: K()\nf().m()\n",
        "if (k := K()): k.m()\n",
        "async def make(): return K()\nasync def f(): (await make()).m()\n",
        "def wrap(f):\n    def inner(): return f()\n    return inner\n@wrap\ndef go():\n    K().m()\ngo()\n",
    ],
)
def test_a_receiver_is_typed(checkout: Checkout, text: str) -> None:
    found = calls(
        checkout,
        k="class K:\n    def m(self): pass\nclass Other:\n    def m(self): pass\n",
        m="from k import K\n" + text,
    )
    assert {target for _, target in found if target.startswith("k.py")} == {"k.py#K.m"}


def test_methods_follow_the_bases_in_order(checkout: Checkout) -> None:
    text = (
        "class A:\n    def m(self): pass\nclass B(A): pass\nclass C(A):\n    def m(self): pass\n"
        "class D(B, C): pass\nD().m()\n"
    )
    assert calls(checkout, m=text) == {("m.py", "m.py#C.m")}


def test_construction_calls_the_constructor_that_is_there(checkout: Checkout) -> None:
    text = "class A:\n    def __init__(self): pass\nclass B(A): pass\nclass C: pass\nB()\nC()\n"
    assert calls(checkout, m=text) == {("m.py", "m.py#A.__init__")}
    assert checkout.edges("references") == {("m.py", "m.py#B"), ("m.py", "m.py#C")}


def test_functions_are_values(checkout: Checkout) -> None:
    text = "def a(): pass\ndef b(): pass\ntable = {'x': a, 'y': b}\ntable['x']()\n"
    text += "def run(f): f()\nrun(b)\nsorted([], key=a)\n"
    assert calls(checkout, m=text) == {("m.py", "m.py#a"), ("m.py", "m.py#run"), ("m.py#run", "m.py#b")}


def test_modules_packages_stars_and_relative_imports(checkout: Checkout) -> None:
    checkout.put("pkg/__init__.py", "from .inner import deep\nfrom .stars import *\n")
    found = calls(
        checkout,
        pkg__inner="def deep(): pass\n",
        pkg__stars="def shine(): pass\ndef _hidden(): pass\n",
        pkg__user="from . import inner\nfrom .. import top\ninner.deep()\n",
        main="import pkg\nimport pkg.inner as i\nfrom pkg import deep, shine\n"
        "pkg.deep()\ni.deep()\nshine()\npkg.inner.deep()\n",
    )
    assert found == {
        ("pkg/user.py", "pkg/inner.py#deep"),
        ("main.py", "pkg/inner.py#deep"),
        ("main.py", "pkg/stars.py#shine"),
    }


def test_a_source_root_and_a_namespace_package_are_found(checkout: Checkout) -> None:
    checkout.put("src/app/__init__.py", "").put("src/app/core.py", "def run(): pass\n")
    checkout.put("plugins/one/tool.py", "def use(): pass\n")
    checkout.put(
        "tests/test_app.py",
        "from app.core import run\nfrom plugins.one.tool import use\ndef test_it():\n    run()\n    use()\n",
    )
    checkout.index()
    assert checkout.edges() == {
        ("tests/test_app.py#test_it", "src/app/core.py#run"),
        ("tests/test_app.py#test_it", "plugins/one/tool.py#use"),
    }


def test_what_lies_outside_is_told_apart_from_what_nobody_knows(checkout: Checkout) -> None:
    checkout.write(m="import os\nos.getcwd()\nprint()\ndef f(x):\n    x.go()\n").index()
    with checkout.code_graph.read() as reader:
        (row,) = reader.files()
        assert (row.calls, row.external) == (3, 2)
        assert [item.name for item in reader.unresolved()] == ["x.go"]


def test_long_chains_and_deep_nesting_are_followed_or_given_up_quietly(checkout: Checkout) -> None:
    chain = "def f(): pass\nx0 = f\n" + "".join(f"x{i + 1} = x{i}\n" for i in range(3000)) + "x3000()\n"
    nest = "y = " + "(" * 3000 + "1" + ")" * 3000 + "\n" + "z = " + "a." * 5000 + "b\nf()()()\n"
    assert ("m.py", "m.py#f") in calls(checkout, m=chain, n=nest)


def test_symbols_have_kinds_lines_and_first_doc_lines(checkout: Checkout) -> None:
    text = '''"""Module doc."""
LIMIT = 3
class Box:
    """Holds things.

    More."""
    size: int = 0
    @staticmethod
    def make(a, *, b=1) -> "Box":
        """Makes one."""
def _hidden(): pass
'''
    checkout.write(m=text).index()
    with checkout.code_graph.read() as reader:
        rows = {row.qualified: row for row in reader.symbols()}
    kinds = {name: row.kind for name, row in rows.items()}
    assert kinds == {
        "": "module",
        "LIMIT": "constant",
        "Box": "class",
        "Box.size": "field",
        "Box.make": "method",
        "_hidden": "function",
    }
    assert rows["Box.make"].doc == "Makes one."
    assert rows["Box"].doc == "Holds things."
    assert rows["Box.make"].signature == 'def make(a, *, b=1) -> "Box"'
    assert (rows["Box.make"].line, rows["Box.make"].end_line) == (9, 10)
    assert rows["Box.make"].decorators == "static"
    assert not rows["_hidden"].public
