"""CPU of the stdio MCP server until its first tools/list, beside a bare two-tool server on the same SDK.

python benchmarks/bench_mcp_start.py [runs]
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

BARE = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("bare", version="1")
@server.tool()
def add(a: int, b: int) -> int:
    "Add."
    return a + b
@server.tool()
def echo(text: str) -> str:
    "Echo."
    return text
server.run("stdio")
"""
LINES = [
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}},
]  # fmt: skip


def started(command: list[str], cwd: str, env: dict[str, str]) -> float:
    """CPU seconds of one server from start to its answer to tools/list (and its end)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(
        command, cwd=cwd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdin is not None
    assert process.stdout is not None
    for line in LINES:
        process.stdin.write(json.dumps(line).encode() + b"\n")
        process.stdin.flush()
    while json.loads(process.stdout.readline()).get("id") != 2:
        pass
    process.kill()
    process.wait(timeout=30)
    process.stdin.close()
    process.stdout.close()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(runs: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "-q", folder], check=True, timeout=30)
        bare = Path(folder) / "bare.py"
        bare.write_text(BARE)
        env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        env["REMORA_DATA_DIR"] = str(Path(folder) / "data")
        ours = [sys.executable, "-m", "remora", "mcp"]
        theirs = [sys.executable, str(bare)]
        pairs = [(started(ours, folder, env), started(theirs, folder, env)) for _ in range(runs + 1)][1:]
    row = {
        "bench": "mcp_start", "runs": runs, "remora_cpu_seconds": round(statistics.median(p[0] for p in pairs), 3),
        "bare_cpu_seconds": round(statistics.median(p[1] for p in pairs), 3),
        "ratio": round(statistics.median(a / b for a, b in pairs), 3),
    }  # fmt: skip
    for key, value in row.items():
        print(f"{key:24} {value}")
    print(json.dumps(row))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
