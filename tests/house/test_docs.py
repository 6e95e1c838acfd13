"""Documents say what the product does: a fresh reference, links that lead somewhere, capabilities with their tests."""

import re
import subprocess
from pathlib import Path

import pytest

from remora.entrypoints.catalogue.listing import OPERATIONS
from remora.entrypoints.catalogue.reference import reference

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def test_the_reference_page_is_what_the_catalogue_says() -> None:
    assert (ROOT / "docs/reference.md").read_text() == reference(), "run `make docs`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_inside_the_documents_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_capability_names_a_test_that_exists() -> None:
    rows = re.findall(r"^\| .+ \| `(tests/[^`]+)` \|$", (ROOT / "docs/capabilities.md").read_text(), re.MULTILINE)
    assert len(rows) >= 20
    for row in rows:
        path, _, name = row.partition("::")
        assert (ROOT / path).is_file(), row
        assert not name or f"def {name}(" in (ROOT / path).read_text(), row


def test_every_operation_is_listed_once_and_speaks_in_sentences() -> None:
    names = [operation.name for operation in OPERATIONS]
    assert len(names) == len(set(names))
    assert all(operation.description.endswith((".", "!")) and operation.title for operation in OPERATIONS)


def test_the_readme_is_short_and_names_the_two_commands() -> None:
    text = (ROOT / "README.md").read_text()
    assert text.count("\n") <= 150
    assert "make test" in text
    assert "make demo" in text


def test_decisions_are_numbered_without_gaps() -> None:
    numbers = [int(path.name[:4]) for path in sorted((ROOT / "docs/adr").glob("*.md"))]
    assert numbers == list(range(1, len(numbers) + 1))


FORBIDDEN = re.compile(r"(^|[^A-Za-z0-9_./-])/(root|Users)/|index-url|TODO|FIXME")
"""Places of somebody's machine, settings of somebody's registry, and what is left undone."""


def test_the_project_speaks_of_itself_alone() -> None:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, timeout=30, check=True
    ).stdout
    for name in listed.splitlines():
        path = ROOT / name
        if path.is_file() and path.suffix in {".py", ".md", ".toml", ".scm", ""} and name != "tests/house/test_docs.py":
            text = path.read_text(encoding="utf-8", errors="replace")
            found = FORBIDDEN.search(text)
            assert not found, f"{name}: {found.group() if found else ''}"
