"""The house keeps its shape: rooms, sizes, names, light imports."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "remora"
CODE = sorted(SOURCE.rglob("*.py"))

HARD_LINES = 400
HARD_FUNCTION_LINES = 60
TABLES = frozenset({"core/policy.py", "core/encounters/schema.py", "core/records/schema.py"})
"""Files that are tables, where length is no complexity."""
BANNED_WORDS = ("manager", "helper", "util", "utils", "common", "misc", "service", "handler", "processor")
CORE_STDLIB = frozenset(
    "__future__ abc array ast base64 binascii bisect collections contextlib contextvars copy dataclasses datetime "
    "decimal difflib enum fnmatch fractions functools hashlib heapq hmac html io ipaddress itertools json keyword "
    "math operator posixpath re shlex statistics string struct textwrap tokenize tomllib types typing unicodedata "
    "urllib xml zlib".split()
)


def _name(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide direction"
            yield node.module or ""


def test_the_import_contracts_hold() -> None:
    done = subprocess.run(
        [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", [p for p in CODE if _name(p).startswith("core/")], ids=_name)
def test_the_core_imports_only_pure_stdlib_and_itself(path: Path) -> None:
    allowed_vendor = {"blake3"} if _name(path) == "core/ids.py" else set()
    for name in _imports(path):
        top = name.split(".")[0]
        if name.startswith("urllib"):
            assert name == "urllib.parse", f"{_name(path)} imports {name}"
        assert top in CORE_STDLIB | allowed_vendor or name.startswith("remora.core"), f"{_name(path)} imports {name}"


@pytest.mark.parametrize("path", CODE, ids=_name)
def test_files_and_functions_stay_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if _name(path) not in TABLES:
        assert text.count("\n") <= HARD_LINES, f"{_name(path)} has grown past {HARD_LINES} lines"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= HARD_FUNCTION_LINES, f"{_name(path)}: {node.name} has {length} lines"


@pytest.mark.parametrize("path", CODE, ids=_name)
def test_names_say_what_things_are(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = [path.stem, *(n.name for n in ast.walk(tree) if isinstance(n, ast.ClassDef | ast.FunctionDef))]
    for name in names:
        words = re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)
        assert not {word.lower() for word in words} & set(BANNED_WORDS), f"{_name(path)}: {name}"
        assert not re.match(r"_?Memory[A-Z]", name), f"{_name(path)}: {name}"
        assert not name.endswith("_v2"), f"{_name(path)}: {name}"


@pytest.mark.parametrize("path", CODE, ids=_name)
def test_every_module_says_in_a_few_lines_what_it_is(path: Path) -> None:
    doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert doc, f"{_name(path)} has no docstring"


def test_a_folder_holds_three_files_or_more() -> None:
    for folder in {path.parent for path in CODE}:
        if folder != SOURCE:
            entries = [e for e in folder.iterdir() if e.name not in {"__pycache__", "__init__.py"}]
            assert len(entries) >= 2, f"{_name(folder)} holds too little to be a folder"


def test_the_root_holds_at_most_twelve_entries() -> None:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, timeout=30, check=True
    ).stdout
    entries = {line.split("/")[0] for line in listed.splitlines()}
    assert len({entry for entry in entries if not entry.startswith(".")}) <= 12


LIGHT = [
    ("remora.entrypoints.cli.app", ["--help"]),
    ("remora.entrypoints.cli.app", ["recall", "--help"]),
]
HEAVY = (
    "mcp",
    "mcp_types",
    "neo4j",
    "numpy",
    "onnxruntime",
    "tokenizers",
    "starlette",
    "tree_sitter",
    "rustworkx",
    "kglite",
    "httpx2",
    "rich.console",
)


@pytest.mark.parametrize(
    ("module", "argv"), LIGHT, ids=lambda value: " ".join(value) if isinstance(value, list) else value
)
def test_the_cli_leaves_heavy_libraries_alone(module: str, argv: list[str]) -> None:
    code = (
        f"import sys; sys.argv=['remora', *{argv!r}]\n"
        f"from {module} import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        f"loaded=[n for n in {HEAVY!r} if n in sys.modules]\n"
        "print('LOADED', loaded)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert "LOADED []" in done.stdout, done.stdout[-400:]


def test_public_names_are_sorted_and_exist() -> None:
    import remora

    assert list(remora.__all__) == sorted(remora.__all__)
    assert all(hasattr(remora, name) for name in remora.__all__)
