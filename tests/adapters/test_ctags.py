"""Our declarations beside those of universal-ctags, where it is installed."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_difference_from_ctags_on_the_fixture_projects_is_explained() -> None:
    command = [sys.executable, "benchmarks/compare_ctags.py", "tests/fixtures/languages"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    if shutil.which("ctags") is None:
        assert done.stderr.strip() == "universal-ctags is not installed"
        return
    answer = json.loads(done.stdout.splitlines()[-1])
    assert answer["unexplained"] == []
    shared = {name.partition(" ")[2]: row["both"] for name, row in answer.items() if " " in name}
    assert len(shared) >= 13
    assert all(shared.values()), shared
