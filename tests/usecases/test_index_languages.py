"""Indexing in any language: random edits, of configuration too, and how many parsed it, never matter to the result."""

import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

import pytest

from code_checkout import GRANT, Checkout
from remora.adapters.tree_sitter.parser import TreeSitterParser
from remora.adapters.tree_sitter.pool import Job, Limits, parse_many
from remora.usecases.graph_status import graph_status

PROJECTS = Path(__file__).parent.parent / "fixtures" / "languages"
LANGUAGES = sorted(folder.name for folder in PROJECTS.iterdir() if (folder / "labels.json").is_file())
WORD = re.compile(r"[A-Za-z_]\w{2,}")


def _copied(language: str, folder: Path) -> Checkout:
    shutil.copytree(PROJECTS / language, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("labels.json"))
    return Checkout(folder)


def _files(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*") if path.is_file() and ".remora" not in path.parts)


def _edit(random: Random, root: Path, kept: dict[Path, bytes]) -> None:
    """Take a file away or bring it back, move it, cut it, rename a word of it, or put a part of one into another."""
    target = random.choice(sorted(kept))
    way = random.randrange(6)
    if way == 0 or not target.exists():
        if target.exists():
            target.unlink()
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(kept[target])
        return
    lines = target.read_text("utf-8").splitlines(keepends=True)
    if way == 1:
        target.rename(target.with_name(f"moved_{target.name}"))
    elif way == 2:
        place = random.randrange(len(lines) + 1)
        target.write_text("".join(lines[:place]), "utf-8")
    elif way in (3, 4):
        words = sorted(set(WORD.findall("".join(lines)))) or ["none"]
        old, new = random.choice(words), random.choice([*words, "fresh"])
        target.write_text(re.sub(rf"\b{old}\b", new, "".join(lines)), "utf-8")
    else:
        other = random.choice([path for path in _files(root) if path.suffix == target.suffix])
        part = other.read_text("utf-8").splitlines(keepends=True)
        place = random.randrange(len(lines) + 1)
        target.write_text("".join([*lines[:place], *part, *lines[place:]]), "utf-8")


def _agree(language: str, folder: Path, seed: int, steps: int) -> None:
    random = Random(seed)
    checkout = _copied(language, folder / "tree")
    checkout.index()
    kept = {path: path.read_bytes() for path in _files(checkout.root)}
    other = Checkout(checkout.root, folder / "full")
    for step in range(steps):
        for _ in range(random.randint(1, 3)):
            _edit(random, checkout.root, kept)
        checkout.index()
        other.index(full=True)
        assert checkout.state() == other.state(), (language, seed, step)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_incremental_build_equals_a_full_one_after_random_edits(language: str, tmp_path: Path) -> None:
    _agree(language, tmp_path, 1, 3)


def test_a_namespace_declared_anew_is_seen(tmp_path: Path) -> None:
    checkout, other = Checkout(tmp_path / "tree"), Checkout(tmp_path / "tree", tmp_path / "full")
    checkout.put("a.hpp", "namespace shop { int cost(); }\n").put("a.cpp", '#include "a.hpp"\nint f() { return 1; }\n')
    checkout.index()
    checkout.put("a.hpp", "namespace shop { inline int cost() { return 1; } }\nnamespace more { void g(); }\n").index()
    other.index(full=True)
    assert checkout.state() == other.state()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 42))
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_incremental_build_equals_a_full_one_after_many_edits(language: str, seed: int, tmp_path: Path) -> None:
    _agree(language, tmp_path, seed, 6)


CONFIGURED = {
    "typescript": [("tsconfig.json", "paths", "pathways"), ("package.json", '"name"', '"title"')],
    "go": [("go.mod", "module ", "module other/")],
    "rust": [("Cargo.toml", "name = ", "name = 'x' #")],
}


@pytest.mark.parametrize("language", sorted(CONFIGURED))
def test_a_changed_configuration_is_one_for_the_graph_too(language: str, tmp_path: Path) -> None:
    checkout = _copied(language, tmp_path / "tree")
    checkout.index()
    whole = checkout.state()
    other = Checkout(checkout.root, tmp_path / "full")
    for name, old, new in CONFIGURED[language]:
        for path in [path for path in _files(checkout.root) if path.name == name]:
            before = path.read_text("utf-8")
            path.write_text(before.replace(old, new), "utf-8")
            checkout.index()
            other.index(full=True)
            assert checkout.state() == other.state(), path
            path.write_text(before, "utf-8")
            checkout.index()
            assert checkout.state() == whole, path


class _Pooled(TreeSitterParser):
    def __init__(self, workers: int) -> None:
        self.workers = workers

    def parse(self, jobs: Iterable[Job]) -> Iterator[tuple[int, bytes]]:
        return parse_many(jobs, Limits(in_process_files=0, workers=self.workers))


def test_any_number_of_workers_makes_the_same_bytes(tmp_path: Path) -> None:
    for language in ("typescript", "go", "cpp"):
        _copied(language, tmp_path / "tree" / language)
    for number in range(40):
        (tmp_path / "tree" / f"m{number}.py").write_text(f"def f{number}(): pass\nf{number}()\n" * (40 - number))
    found = set()
    for workers in (0, 1, 4):
        checkout = Checkout(tmp_path / "tree", tmp_path / str(workers))
        checkout.parser = _Pooled(workers) if workers else checkout.parser
        checkout.index(full=True)
        found.add(checkout.code_graph.path.read_bytes())
    assert len(found) == 1


def test_files_without_any_symbol_are_a_warning(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path).write(a="def f(): pass\n").put("b.py", "print(1)\n" * 30)
    checkout.index()
    (warning,) = graph_status(checkout, GRANT).warnings
    assert warning.startswith("python: 1 of ")
    checkout.put("b.py", "print(1)\n" * 10).index()
    assert graph_status(checkout, GRANT).warnings == ()
