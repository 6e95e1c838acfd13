"""Every language on a small project of its own: which edges the graph finds, and none into look-alikes."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from code_checkout import Checkout
from remora.adapters.tree_sitter.language import pairs

PROJECTS = Path(__file__).parent.parent / "fixtures" / "languages"
SPOKEN = {pair.table.get("project", name) for name, pair in pairs().items()}
LANGUAGES = sorted(name for name in SPOKEN if (PROJECTS / name / "labels.json").is_file())
PRECISION, RECALL = 0.98, 0.85

Edges = set[tuple[str, str]]


def labels(language: str) -> dict[str, list[list[str]]]:
    return json.loads((PROJECTS / language / "labels.json").read_text("utf-8"))


def project(language: str, folder: Path) -> Checkout:
    shutil.copytree(PROJECTS / language, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("labels.json"))
    checkout = Checkout(folder)
    checkout.index()
    return checkout


def without_closures(edges: Edges) -> Edges:
    return {(_named(source), _named(target)) for source, target in edges}


def _named(node: str) -> str:
    """A closure's calls count for the function around it."""
    head, _, _ = node.partition("<")
    return head.rstrip(".#") if "<" in node else node


def test_every_language_has_a_labelled_project() -> None:
    assert {*LANGUAGES, "python"} >= SPOKEN


@pytest.mark.parametrize("language", LANGUAGES)
def test_edges_are_found_and_none_leads_into_a_look_alike(language: str, tmp_path: Path) -> None:
    checkout, expected = project(language, tmp_path), labels(language)
    for kinds in (("calls",), ("inherits", "implements"), ("imports",)):
        found = without_closures(set().union(*(checkout.edges(kind) for kind in kinds)))
        wanted = {(source, target) for source, target in expected[kinds[0]]}
        if kinds == ("imports",):
            assert wanted <= found, sorted(wanted - found)
            continue
        extra = {edge for edge in found - wanted if edge[0] != edge[1]}
        assert len(found & wanted) >= PRECISION * len((found & wanted) | extra), (kinds, sorted(extra))
        assert len(found & wanted) >= RECALL * len(wanted), (kinds, sorted(wanted - found))
        assert not {target for _, target in found if any(part in target for part in expected["look_alikes"])}


@pytest.mark.parametrize("language", LANGUAGES)
def test_symbols_have_kinds_and_their_line_shows_their_name(language: str, tmp_path: Path) -> None:
    checkout, expected = project(language, tmp_path), labels(language)
    with checkout.code_graph.read() as reader:
        files = {row.id: row for row in reader.files()}
        rows = [row for row in reader.symbols() if row.qualified and "<" not in row.qualified]
    assert not [(row.path, row.problem) for row in files.values() if row.problem]
    assert not [row.path for row in files.values() if row.errors]
    shown = {f"{files[row.file].path}#{row.qualified}": row for row in rows}
    for row in rows:
        line = (tmp_path / files[row.file].path).read_text("utf-8").splitlines()[row.line - 1]
        assert row.name.rpartition(".")[2] in line, (files[row.file].path, row)
    for name, kind in expected["symbols"]:
        assert name in shown, (name, sorted(shown))
        assert shown[name].kind == kind, (name, shown[name])
    tests = {name for name, row in shown.items() if row.test}
    assert set(expected["tests"]) <= tests | {name for name in expected["tests"] if "#" not in name}, sorted(tests)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_quick_reading_of_declarations_agrees_with_the_whole_one(language: str, tmp_path: Path) -> None:
    checkout = project(language, tmp_path)
    with checkout.code_graph.read() as reader:
        files = {row.id: row.path for row in reader.files()}
        rows = [row for row in reader.symbols() if row.qualified and not row.name.startswith("<")]
    whole = {(files[row.file], row.qualified, row.line, row.end_line) for row in rows}
    quick = set()
    for path in files.values():
        for span in checkout.parser.spans(path, (tmp_path / path).read_bytes()):
            quick.add((path, span.node_id.partition("#")[2], span.start_line, span.end_line))
    assert quick == whole


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_incremental_build_is_the_full_one_when_any_file_goes_and_comes_back(language: str, tmp_path: Path) -> None:
    checkout = project(language, tmp_path / "edited")
    whole = checkout.state()
    with checkout.code_graph.read() as reader:
        paths = sorted(row.path for row in reader.files())
    for number, path in enumerate(paths):
        file = tmp_path / "edited" / path
        text = file.read_bytes()
        file.unlink()
        checkout.index()
        rest = tmp_path / f"rest{number}"
        shutil.copytree(tmp_path / "edited", rest, ignore=shutil.ignore_patterns(".remora"))
        fresh = Checkout(rest)
        fresh.index()
        assert checkout.state() == fresh.state(), path
        file.write_bytes(text)
        checkout.index()
        assert checkout.state() == whole, path


def test_a_language_whose_extra_is_not_installed_says_so_for_each_of_its_files() -> None:
    script = (
        "import sys; sys.modules['tree_sitter_zig'] = None\n"
        "from remora.adapters.tree_sitter.language import pairs\n"
        "from remora.adapters.tree_sitter.pool import facts_of\n"
        "print(facts_of('zig', b'fn f() void {}').problem, pairs()['zig'].version)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    problem, _, version = done.stdout.strip().rpartition(" ")
    assert problem == "its grammar comes with remora[languages]"
    assert version != pairs()["zig"].version
