"""Commands on the code graph, as people run them."""

import signal
import subprocess
import sys
import time
from typing import Any

APP = "def login(user):\n    return user\n\n\ndef start():\n    return login(1)\n"


def test_watch_follows_changes_and_ends_with_ctrl_c(world: Any) -> None:
    world.commit("Start", app__py=APP)
    process = subprocess.Popen(
        [sys.executable, "-m", "remora", "watch"], cwd=world.repo, env=world.env, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("full: 1 files")
        (world.repo / "more.py").write_text("from app import login\n\n\ndef again():\n    return login(2)\n")
        assert process.stdout.readline().startswith("incremental: 2 files, 1 parsed")
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
        assert process.returncode == 0
        assert err.strip().endswith("stopped")
    finally:
        process.kill()
        process.wait(timeout=10)
    assert "again" in world.remora("affected", "login").out


def test_impact_takes_one_way_to_name_a_change(world: Any) -> None:
    sha = world.commit("Start", app__py=APP)
    world.commit("Change", app__py=APP.replace("return user", "return [user]"))
    assert world.remora("index").code == 0
    told = world.remora("impact", f"{sha}..HEAD", "--json").json
    assert [row["id"] for row in told["symbols"]] == ["python:app.py#login"]
    assert [row["id"] for row in told["affected"]] == ["python:app.py#start"]
    assert world.remora("impact", "--base", sha, "--json").json["symbols"] == told["symbols"]
    diff = world.git("diff", sha) + "\n"
    planned = world.remora("impact", "--diff", "-", "--json", stdin=diff.encode()).json
    assert [row["id"] for row in planned["symbols"]] == ["python:app.py#login"]
    refused = world.remora("impact", f"{sha}..HEAD", "--base", sha)
    assert (refused.code, "one of them" in refused.err) == (2, True)
    unknown = world.remora("impact", "nowhere..HEAD")
    assert (unknown.code, "Traceback" in unknown.err) == (1, False)


def test_exports_come_in_three_forms(world: Any) -> None:
    world.commit("Start", app__py=APP)
    assert "<graphml" in world.remora("graph", "export", "--format", "graphml").out
    assert "UNWIND" in world.remora("graph", "export", "--format", "cypher").out
    assert world.remora("graph", "export", "--format", "dot").code == 2
