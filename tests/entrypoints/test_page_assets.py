"""What the page brings along from others: listed with version, licence and hash, and nothing else is served."""

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from remora.entrypoints.web.assets import assets

ROOT = Path(__file__).resolve().parents[2]
STATIC = ROOT / "src/remora/entrypoints/web/static"
LOCKS = (STATIC / "vendor/lock.json", ROOT / "tests/fixtures/axe/lock.json")
PERMISSIVE = {"MIT", "0BSD", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "ISC"}
OWN = {"page.css", "page.js", "graph.js", "mark.svg"}


def rows(lock: Path) -> list[dict[str, str]]:
    return list(json.loads(lock.read_text(encoding="utf-8"))["assets"])


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.parent.name)
def test_every_vendored_file_is_what_its_lock_says(lock: Path) -> None:
    listed = set()
    for row in rows(lock):
        data = (lock.parent / row["file"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == row["sha256"], row["file"]
        assert re.fullmatch(r"\d+\.\d+\.\d+", row["version"])
        assert (lock.parent / row["licence_file"]).stat().st_size > 300
        listed |= {row["file"], row["licence_file"]}
    assert {path.name for path in lock.parent.iterdir()} == listed | {lock.name}


def test_what_is_installed_is_under_permissive_licences() -> None:
    assert {row["licence"] for row in rows(LOCKS[0])} <= PERMISSIVE


def test_only_listed_files_and_our_own_are_served() -> None:
    vendored = {f"vendor/{row['file']}" for row in rows(LOCKS[0])}
    assert set(assets()) == OWN | vendored


def test_our_own_scripts_and_styles_ask_for_nothing_elsewhere_and_write_no_markup() -> None:
    for name in sorted(OWN):
        text = (STATIC / name).read_text(encoding="utf-8")
        addresses = set(re.findall(r"https?://[^\s\"')]+", text))
        assert addresses <= {"http://www.w3.org/2000/svg"}, name
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|@import", text
        )


def test_templates_escape_everything_and_hold_no_inline_code() -> None:
    for path in (STATIC.parent / "templates").rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(
            r"\|\s*safe\b|autoescape|<style|\sstyle=|\son[a-z]+=|<script(?![^>]*src=)|hx-on|js:", text
        ), path


def test_the_page_is_loaded_by_the_server_alone() -> None:
    code = (
        "import sys; sys.argv = ['remora', 'recall', '--help']\n"
        "from remora.entrypoints.cli.app import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print('LOADED', [n for n in sys.modules if n.startswith(('jinja2', 'remora.entrypoints.web'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert "LOADED []" in done.stdout
