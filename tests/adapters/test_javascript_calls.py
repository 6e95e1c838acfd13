"""Call edges of JavaScript and TypeScript by family of language features, labelled by hand."""

import json
import shutil
from itertools import takewhile
from pathlib import Path

import pytest

from code_checkout import Checkout

CASES = Path(__file__).parent.parent / "fixtures" / "micro_javascript"
NAMES = sorted(str(file.parent.relative_to(CASES)) for file in CASES.glob("*/*/calls.json"))
PRECISION, RECALL = 0.98, 0.9

Edges = set[tuple[str, str]]


def calls_of(case: str, folder: Path) -> tuple[Edges, Edges]:
    """(found, wanted) calls of one case; those of a function without a name count for what is around it."""
    shutil.copytree(CASES / case, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("calls.json"))
    checkout = Checkout(folder)
    checkout.index()
    wanted = {(source, target) for source, target in json.loads((CASES / case / "calls.json").read_text("utf-8"))}
    found = {(_named(source), _named(target)) for source, target in checkout.edges()}
    return {edge for edge in found if edge[0] != edge[1] or edge in wanted}, wanted


def _named(node: str) -> str:
    path, _, qualified = node.partition("#")
    kept = list(takewhile(lambda part: "<" not in part, qualified.split(".")))
    return f"{path}#{'.'.join(kept)}" if any(kept) else path


def test_the_calls_of_javascript_are_found_and_no_others(tmp_path: Path) -> None:
    right = wrong = missing = 0
    for number, case in enumerate(NAMES):
        found, wanted = calls_of(case, tmp_path / str(number))
        right, wrong, missing = right + len(found & wanted), wrong + len(found - wanted), missing + len(wanted - found)
    assert right >= PRECISION * (right + wrong), (right, wrong)
    assert right >= RECALL * (right + missing), (right, missing)


@pytest.mark.parametrize("case", NAMES)
def test_an_incremental_build_is_the_full_one(case: str, tmp_path: Path) -> None:
    calls_of(case, tmp_path / "edited")
    checkout = Checkout(tmp_path / "edited")
    whole = checkout.state()
    for file in sorted((tmp_path / "edited").rglob("*.[jmt]*s")):
        text = file.read_bytes()
        file.write_bytes(b"")
        checkout.index()
        fresh = Checkout(checkout.root, tmp_path / "fresh")
        fresh.index(full=True)
        assert checkout.state() == fresh.state(), file.name
        file.write_bytes(text)
        checkout.index()
        assert checkout.state() == whole, file.name
