"""Parsing many and hostile files: each costs its own deadline and nothing more."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from code_checkout import Checkout
from remora.adapters.tree_sitter.language import pairs
from remora.adapters.tree_sitter.parser import TreeSitterParser
from remora.adapters.tree_sitter.pool import Limits, parse_many, parse_one
from remora.core.codegraph.packed import decode, encode

HERE = Limits(in_process_files=1000)
POOLED = Limits(in_process_files=0)


def test_the_pool_gives_what_this_process_gives() -> None:
    jobs = [(number, "python", f"def f{number}(): g{number}()\n".encode() * 50) for number in range(20)]
    assert dict(parse_many(jobs, POOLED)) == dict(parse_many(jobs, HERE))


@pytest.mark.parametrize(
    "text",
    [
        b"x = '" + b"a" * 900_000 + b"'\n",
        b"(" * 200_000,
        b"x = " + b"[" * 100_000 + b"]" * 100_000,
        b"a" + b".b" * 200_000,
        b"f" + b"()" * 200_000,
        b"\0\1\2\3" * 100_000,
        b"\xff\xfe\x00" * 100_000,
        b"if x:\n" + b"".join(b" " * i + b"if x:\n" for i in range(1, 700)),
        b"@a\n" * 100_000 + b"def f(): pass\n",
        "x = '\u202e\u2066'\n".encode() * 1000,
    ],
    ids=["long line", "open", "nested", "attributes", "calls", "nul", "not utf-8", "indented", "decorated", "bidi"],
)
def test_hostile_text_is_parsed_or_given_up_in_time(text: bytes) -> None:
    started = time.monotonic()
    results = dict(
        parse_many(
            [(1, "python", text), (2, "python", b"def f(): pass\n")], Limits(in_process_files=0, deadline_seconds=2)
        )
    )
    assert time.monotonic() - started < 30
    decode(results[1])
    assert [scope.name for scope in decode(results[2]).scopes] == ["", "f"]


def test_a_file_that_misses_its_deadline_says_so_and_the_next_is_parsed() -> None:
    slow = b"x = f(a.b.c, d)\n" * 40_000
    results = dict(
        parse_many(
            [(1, "python", slow), (2, "python", b"def f(): pass\n")],
            Limits(in_process_files=0, deadline_seconds=0.05, workers=1),
        )
    )
    assert decode(results[1]).problem == "deadline"
    assert len(results) == 2


def test_leaving_early_stops_the_workers() -> None:
    jobs = ((number, "python", b"x = 1\n" * 1000) for number in range(500))
    results = parse_many(jobs, POOLED)
    next(results)
    results.close()  # type: ignore[attr-defined]


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=400),
        st.text(alphabet="defclass()[]{}:.,=@*'\"\\ \n\tab\0\u202e", max_size=200).map(str.encode),
    )
)
def test_no_text_breaks_the_extractor_and_facts_round_trip(text: bytes) -> None:
    packed = parse_one("python", text)
    facts = decode(packed)
    assert facts.scopes[0].kind == "module"
    assert encode(facts) == packed


def test_spans_are_the_named_declarations() -> None:
    text = b"class A:\n    def m(self):\n        return 1\n\nx = lambda: 0\ndef f(): pass\n"
    spans = TreeSitterParser().spans("pkg/a.py", text)
    found = [(span.node_id, span.label, span.start_line, span.end_line) for span in spans]
    place = "python:pkg/a.py#"
    assert found == [
        (place + "A", "A", 1, 3),
        (place + "A.m", "m", 2, 3),
        (place + "f", "f", 6, 6),
        (place + "x", "x", 5, 5),
    ]
    assert TreeSitterParser().spans("pkg/a.unknown", text) == ()


def test_a_hostile_file_in_a_checkout_is_a_problem_and_no_crash(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path).write(a="def f(): pass\nf()\n").put("b.py", b"\0" * 4_700)
    result = checkout.index()
    assert result.problems == (("b.py", "binary content"),)
    assert checkout.edges() == {("a.py", "a.py#f")}


def test_a_text_that_breaks_the_extractor_costs_its_file_alone() -> None:
    deep = b"(" * 20_000 + b"a." * 20_000
    jobs = [(number, name, deep) for number, name in enumerate(sorted(pairs()))]
    found = dict(parse_many(jobs))
    assert sorted(found) == [number for number, _, _ in jobs]
    assert all(decode(data).language == jobs[number][1] for number, data in found.items())


def _hostile_tree(checkout: Checkout, line_bytes: int, depth: int) -> Checkout:
    checkout.write(a="def f(): pass\nf()\n", b="from a import f\ndef g(): f()\n")
    checkout.put("line.py", b"x = '" + b"a" * line_bytes + b"'\n")
    checkout.put("deep.py", b"x = " + b"[" * depth + b"]" * depth + b"\n")
    checkout.put("calls.py", b"f" + b"(g" * depth + b")" * depth + b"\n")
    return checkout.put("binary.py", bytes(range(256)) * 1_000)


def test_a_file_with_one_huge_line_deep_nesting_or_no_text_leaves_the_rest_of_a_tree_alone(tmp_path: Path) -> None:
    checkout = _hostile_tree(Checkout(tmp_path), 200_000, 5_000)
    started = time.process_time()
    result = checkout.index()
    assert time.process_time() - started < 20
    assert ("binary.py", "binary content") in result.problems
    assert {("a.py", "a.py#f"), ("b.py#g", "a.py#f")} <= checkout.edges()


@pytest.mark.slow
def test_ten_megabytes_in_one_line_and_nesting_without_end_cost_their_deadline_and_nothing_more(tmp_path: Path) -> None:
    checkout = _hostile_tree(Checkout(tmp_path), 10_000_000, 300_000)
    started = time.monotonic()
    result = checkout.index()
    assert time.monotonic() - started < 120
    assert result.skipped == {"too large": 1}
    assert {("a.py", "a.py#f"), ("b.py#g", "a.py#f")} <= checkout.edges()


@pytest.mark.slow
def test_twenty_thousand_files_are_indexed_within_memory(tmp_path: Path) -> None:
    text = "from m{before} import f{before}\n\n\nclass C{n}:\n    def m(self, x):\n        return f{before}(x)\n\n\n"
    text += "def f{n}(y):\n    c = C{n}()\n    return c.m(y)\n"
    for number in range(20_000):
        folder = tmp_path / "tree" / f"p{number % 100}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"m{number}.py").write_text(text.format(n=number, before=max(number - 1, 0)))
    script = (
        "import resource, sys; sys.path[:0] = [sys.argv[1]]\n"
        "from pathlib import Path; from code_checkout import Checkout\n"
        "result = Checkout(Path(sys.argv[2])).index()\n"
        "peaks = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]\n"
        "print(result.files, (peaks[0] + 4 * peaks[1]) // 1024)"
    )
    argv = [sys.executable, "-c", script, str(Path(__file__).parents[1]), str(tmp_path / "tree")]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=1_800, check=True)
    files, megabytes = map(int, done.stdout.split())
    assert files == 20_000
    assert megabytes < 1_500
