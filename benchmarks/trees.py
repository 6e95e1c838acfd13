"""Real source trees for the benchmarks, each fetched by its registry's own client into a cache and never kept here."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import venv
from collections.abc import Callable
from pathlib import Path

CACHE = Path(os.environ.get("REMORA_BENCH_CACHE", Path.home() / ".cache" / "remora-bench"))
_TIMEOUT_SECONDS = 900


def run(argv: list[str], cwd: Path, **env: str) -> str:
    """Output of a command that must succeed."""
    done = subprocess.run(
        argv, cwd=cwd, env={**os.environ, **env}, capture_output=True, text=True, timeout=_TIMEOUT_SECONDS, check=False
    )
    if done.returncode:
        raise SystemExit(f"{argv[0]} failed: {done.stderr.strip()[-500:]}")
    return done.stdout


def python_environment(folder: Path, *packages: str) -> Path:
    """A virtual environment of its own with some packages; returns its `bin` folder."""
    tools = folder / ("Scripts" if sys.platform == "win32" else "bin")
    if not (tools / "python").exists() and not (tools / "python.exe").exists():
        venv.create(folder, with_pip=True)
    if packages:
        run([str(tools / "python"), "-m", "pip", "install", "--quiet", *packages], folder)
    return tools


def django() -> Path:
    """Django 5.2 from its source archive: Python."""
    folder = CACHE / "django"
    found = folder / "Django-5.2"
    if not found.exists():
        folder.mkdir(parents=True, exist_ok=True)
        pip = [str(python_environment(CACHE / "pip") / "python"), "-m", "pip", "download", "--quiet", "--no-deps"]
        run([*pip, "--no-binary", "Django", "Django==5.2"], folder)
        _unpack(next(folder.glob("*.tar.gz")), folder)
    return found


def rxjs() -> Path:
    """RxJS 7.8.1 from its package: TypeScript sources and the JavaScript built from them."""
    folder = CACHE / "rxjs"
    found = folder / "package"
    if not found.exists():
        folder.mkdir(parents=True, exist_ok=True)
        run(["npm", "pack", "--silent", "rxjs@7.8.1"], folder)
        _unpack(next(folder.glob("*.tgz")), folder)
        for built in ("dist",):
            shutil.rmtree(found / built, ignore_errors=True)
    return found


def hugo() -> Path:
    """Hugo 0.140.0 from its module: Go."""
    folder = CACHE / "go"
    folder.mkdir(parents=True, exist_ok=True)
    argv = ["go", "mod", "download", "-json", "github.com/gohugoio/hugo@v0.140.0"]
    answer = json.loads(run(argv, folder, GOMODCACHE=str(folder / "modules"), GOFLAGS="-modcacherw"))
    return Path(answer["Dir"])


TREES: dict[str, tuple[str, Callable[[], Path]]] = {
    "django": ("pip", django),
    "rxjs": ("npm", rxjs),
    "hugo": ("go", hugo),
}
"""Name -> (client it needs, how it is fetched)."""


def fetched() -> dict[str, Path]:
    """Every tree whose client is installed; the others are named on the error stream."""
    found = {}
    for name, (client, fetch) in TREES.items():
        if client != "pip" and shutil.which(client) is None:
            print(f"{name} is left out: {client} is not installed", file=sys.stderr)
            continue
        found[name] = fetch()
    return found


def _unpack(archive: Path, folder: Path) -> None:
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
