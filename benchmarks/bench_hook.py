"""CPU of the hooks against yardsticks in the same run: `python benchmarks/bench_hook.py` prints a table and JSON."""

import json
import os
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import remora_hook
from remora.core.clients.git_hook import hook_body, install_hook

ROUNDS = 80
COMMITS = 200
HOOK = Path(remora_hook.__file__).with_name("hook.py")
ARGV = [sys.executable, "-I", "-S", str(HOOK), "--client", "claude-code", "--event", "UserPromptSubmit"]
EVENT = json.dumps({"session_id": "s", "cwd": "/x", "prompt": "why does the login test fail? " * 20}).encode()
ANSWER = json.dumps(
    {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "x" * 4_000}}
).encode()


def cpu_ms(argv: list[str], folder: Path, event: bytes) -> float:
    """User and system time of one finished child (what it left in the background is not in it)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(argv, input=event, cwd=folder, stdout=subprocess.DEVNULL, check=True, timeout=60)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def serve(listening: socket.socket) -> None:
    """A resident server that answers every request alike."""
    while True:
        connection, _ = listening.accept()
        with connection:
            data = b""
            while b"\r\n\r\n" not in data or len(data.partition(b"\r\n\r\n")[2]) < len(EVENT):
                data += connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(ANSWER) + ANSWER)


def main() -> None:
    """Interleave the cases, so that a busy machine disturbs all of them alike; report medians."""
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        plain, remembered = base / "plain", base / "remembered"
        for folder in (plain, remembered):
            identity = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"]
            subprocess.run(["git", "init", "-q", str(folder)], check=True, timeout=60)
            commit = ["git", "-C", str(folder), *identity, "commit", "-q", "--allow-empty", "-m", "first"]
            subprocess.run(commit, check=True, timeout=60)
        cache = remembered / ".remora/cache"
        cache.mkdir(parents=True)
        listening = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=serve, args=(listening,), daemon=True).start()
        run_file = cache / "run.json"
        run_file.touch(0o600)
        run_file.write_text(json.dumps({"port": listening.getsockname()[1], "token": "a1b2", "pid": os.getpid()}))
        empty, ours = base / "empty", base / "ours"
        empty.write_text("#!/bin/sh\n")
        ours.write_text(install_hook(None, hook_body("post-commit", ["/bin/true"])))
        for script in (empty, ours):
            script.chmod(0o755)
        cases = {
            "python -c pass": ([sys.executable, "-c", "pass"], plain, b""),
            "hook, nothing to say": (ARGV, plain, EVENT),
            "hook, answered by the server": (ARGV, remembered, EVENT),
            "empty shell hook": ([str(empty)], plain, b""),
            "git hook, foreground": ([str(ours)], remembered, b""),
        }
        times: dict[str, list[float]] = {case: [] for case in cases}
        for _ in range(ROUNDS):
            for case, (argv, folder, event) in cases.items():
                times[case].append(cpu_ms(argv, folder, event))
        commits = committing(base, empty, ours)
    medians = {case: statistics.median(values) for case, values in times.items()}
    report(medians, commits)


def committing(base: Path, empty: Path, ours: Path) -> dict[str, float]:
    """p95 of the CPU of whole commits, by turns in a repository with an empty hook and in one with ours."""
    times: dict[str, list[float]] = {"empty": [], "ours": []}
    for name, script in (("empty", empty), ("ours", ours)):
        folder = base / f"commits-{name}"
        subprocess.run(["git", "init", "-q", str(folder)], check=True, timeout=60)
        (folder / ".remora/cache").mkdir(parents=True)
        hook = folder / ".git/hooks/post-commit"
        hook.write_bytes(script.read_bytes())
        hook.chmod(0o755)
    identity = ["git", "-c", "user.name=bench", "-c", "user.email=bench@localhost"]
    for number in range(COMMITS):
        for name, found in times.items():
            argv = [*identity, "commit", "-q", "--allow-empty", "-m", f"commit {number}"]
            found.append(cpu_ms(argv, base / f"commits-{name}", b""))
    return {name: statistics.quantiles(found, n=20)[-1] for name, found in times.items()}


def report(medians: dict[str, float], commits: dict[str, float]) -> None:
    """The table and the JSON line."""
    python, shell = medians["python -c pass"], medians["empty shell hook"]
    ratios = {case: value / (shell if "git" in case or "shell" in case else python) for case, value in medians.items()}
    for case, value in medians.items():
        print(f"{case:32} {value:7.2f} ms CPU  {ratios[case]:5.2f}x")
    ratio = commits["ours"] / commits["empty"]
    print(f"p95 of {COMMITS} commits, our git hook: {commits['ours']:.2f} ms CPU, {ratio:.2f}x those with an empty one")
    print(json.dumps({"rounds": ROUNDS, "cpu_ms": medians, "ratio": ratios, "commits_p95_ms": commits}))


if __name__ == "__main__":
    main()
