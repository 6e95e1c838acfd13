"""The principal matrix through the doors: options of the command line, and a stdio server with `--memory-principal`.

A door says of the whole world what it says of one that holds only what the table lets the principal see.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from http_server import Server as HttpServer
from http_server import running
from principal_matrix import ABSENT, HERE, OF_THE_DOORS, PLACES, Principal, Stage, all_records, stage
from remora.core.errors import RemoraError
from remora.core.records.bundle import encode_bundle
from remora.core.records.schema import ARTIFACTS_SCHEMA, BENCHMARK_SCHEMA
from remora.entrypoints.catalogue.listing import by_name, offered
from remora.entrypoints.catalogue.operation import Call
from remora.entrypoints.cli.app import app

RECORDS = all_records()
IDS = [record.id for record in RECORDS if record.idempotency_key in ("task:alices", "task:shared", "task:core")]
IDS.append(ABSENT)
NOBODY = "http://127.0.0.1:9"
"""Where no server listens; what goes to one that does is in the matrix of use cases."""
SHORT = ("the owner with a claim",)
"""Rows of every run; the others are for the slow recipe."""
RECENT = re.compile(r"20(?:2[6-9]|[3-9]\d)-\d\d-\d\d[T0-9:.Z]*")
"""Times of the run itself; the world's own records are older."""
FRESHNESS = re.compile(r'"index": "[a-z]+"')
"""Whether the operator's index was built or only folded depends on how fast the run is."""

_FILES: dict[str, Any] = {
    "artifacts.json": {"schema": ARTIFACTS_SCHEMA, "artifacts": [
        {"kind": "issue", "external_id": "7", "title": "Issue 7", "summary": "", "source_uri": f"{HERE}/issues/7",
         "repository": HERE, "occurred_at": 1}
    ]},
    "manifest.json": {"schema": BENCHMARK_SCHEMA, "cases": [
        {"name": place.name, "query": place.name, "expected_sources": [f"https://tracker.example/task:{place.name}"]}
        for place in PLACES
    ]},
}  # fmt: skip

READS: dict[str, list[list[str]]] = {
    "search": [
        ["refresh deadlock", "--limit", "500", "--include-superseded"], ["alices", "--ranking", "v1"],
        ["--symbol", "src/auth.py", "--limit", "2"],
    ],
    "history": [["src/auth.py"], ["src/bobs.py", "--include-superseded"]],
    "pitfalls": [["refresh_token"]],
    "show": [[record_id] for record_id in IDS],
    "status": [[]],
    "verify": [[]],
    "compact": [[]],
    "export": [["--output", "-"]],
    "eval": [["--manifest", "manifest.json"]],
    "schema": [["record"]],
}  # fmt: skip
WRITES: dict[str, list[list[str]]] = {
    "record": [
        ["--idempotency-key", f"task:{place}", "--title", "T", "--summary", "S", "--outcome", "failed",
         "--source-uri", "agent://x", "--scope", scope, *(["--workspace", "core"] if scope == "workspace" else [])]
        for place, scope in (("bobs", "private"), ("bobs", "private"), ("bobs", "repository"), ("core", "workspace"))
    ],
    "import-artifacts": [["--file", "artifacts.json"]],
    "correct": [[record_id, "--title", "Corrected"] for record_id in IDS],
    "promote": [[record_id] for record_id in IDS],
    "link": [[IDS[0], "--relation", "similar_to", "--target", IDS[1]]],
    "retract": [[IDS[0]], [IDS[2]]],
    "reactivate": [[IDS[1]]],
    "import": [["bundle.json"]],
    "sync": [["--bundle", "bundle.json"]],
    "push": [["--server", NOBODY]],
    "pull": [["--server", NOBODY]],
    "ingest": [["HEAD"]],
    "ingest-docs": [[]],
    "refresh": [[]],
    "anchor": [[]],
}  # fmt: skip
TOP = [["recall", "refresh deadlock"], ["locate", "refresh token"], ["doctor"], ["affected", "refresh_token"]]
AFTER = {"status": READS["status"]}
"""Reads after the writes; times of the run would differ in others, so their effects are the use cases' matrix."""
CALLS: list[tuple[str, dict[str, Any]]] = [
    *(("search_memory", {"query": words, "limit": 500}) for words in ("refresh deadlock", "alices", "core", "")),
    ("search_memory", {"query": "mutex", "ranking": "v1", "include_superseded": True, "kinds": ["ci_run"]}),
    ("search_memory", {"query": "", "symbol": "refresh_token", "limit": 2}),
    *(("explain_history", {"subject": subject, "include_superseded": True}) for subject in ("src/auth.py", "old_bobs")),
    *(("known_pitfalls", {"subject": subject}) for subject in ("refresh_token", "session mutex", "src/core.py")),
    ("explain_decision", {"subject": "src/auth.py", "limit": 2}),
    ("find_similar_change", {"description": "refresh deadlock", "symbol": "refresh_token"}),
    ("recall_context", {"query": "refresh deadlock", "memory_scope": "repository"}),
    ("locate", {"query": "refresh token"}),
    ("recall_context", {"query": "mutex of alices", "memory_scope": "repository"}),
    *(
        ("record_change_outcome", {"idempotency_key": f"task:{place}", "title": "T", "summary": "S",
                                   "outcome": "failed", "source_uri": "agent://x", "scope": scope})
        for place in ("bobs", "core", "shared") for scope in ("private", "repository")
    ),
]  # fmt: skip


@pytest.fixture(
    params=[pytest.param(row, id=row.row, marks=() if row.row in SHORT else pytest.mark.slow) for row in OF_THE_DOORS]
)
def row(request: pytest.FixtureRequest) -> Principal:
    found: Principal = request.param
    return found


@pytest.fixture
def worlds(row: Principal, tmp_path: Path) -> Iterator[tuple[Stage, Stage]]:
    """The whole world, and the one without what is hidden; a damaged file is only the operator's to see."""
    whole = stage(tmp_path / "whole", RECORDS, damaged=True)
    seen = [record for record in RECORDS if row.sees(record)]
    part = stage(tmp_path / "part", seen, damaged=row.grant.operator)
    for world in (whole, part):
        for name, body in _FILES.items():
            (world.folder / name).write_text(json.dumps(body))
        (world.folder / "bundle.json").write_bytes(encode_bundle(RECORDS))
    yield whole, part
    whole.close()
    part.close()


def run(world: Stage, command: list[str], row: Principal) -> tuple[int, str]:
    """The exit code and everything printed, without where and when it was."""
    files = [*_FILES, "bundle.json"]
    given = [str(world.folder / part) if part in files else part for part in command]
    arguments = [*given, *row.options(), "--json", "--repo", str(world.repo)]
    done = CliRunner().invoke(app, arguments, env=world.env | {"REMORA_CONFIG": ""})
    assert done.exception is None or isinstance(done.exception, SystemExit), (command, done.exception)
    return done.exit_code, FRESHNESS.sub("", RECENT.sub("TODAY", world.plain(done.output)))


def commands(table: dict[str, list[list[str]]]) -> list[list[str]]:
    return [["records", name, *rest] for name, rows in table.items() for rest in rows]


def test_every_command_on_records_is_in_the_matrix() -> None:
    group = typer.main.get_command(app).commands["records"]  # type: ignore[attr-defined]  # a group, as registered
    assert set(group.commands) == {*READS, *WRITES}


def test_the_command_line_answers_as_if_what_is_hidden_never_was(worlds: tuple[Stage, Stage], row: Principal) -> None:
    whole, part = worlds
    asked = [*commands(READS), *TOP, *commands(WRITES), *commands(AFTER)]
    wrong = [command for command in asked if run(whole, command, row) != run(part, command, row)]
    assert wrong == []


def test_the_command_line_exports_what_the_table_shows(worlds: tuple[Stage, Stage], row: Principal) -> None:
    whole, _ = worlds
    target = whole.folder / "exported.json"
    code, _ = run(whole, ["records", "export", "--output", str(target)], row)
    assert code == 0
    assert {record["id"] for record in json.loads(target.read_text())["records"]} == {
        record.id for record in RECORDS if row.sees(record)
    }


# --- The stdio server -------------------------------------------------------------------------------------------------


class Server:
    """A stdio server for one principal, spoken to line by line."""

    def __init__(self, world: Stage, row: Principal) -> None:
        options = ["--profile", "records", "--profile", "core", "--allow-memory-write", *row.options("--memory-")]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "remora", "mcp", *options], cwd=world.repo, env=world.env,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.number = 0
        client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "m", "version": "1"}}
        self.ask("initialize", client)

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.number += 1
        assert self.process.stdin
        assert self.process.stdout
        line = json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        while (answer := json.loads(self.process.stdout.readline())).get("id") != self.number:
            pass
        return dict(answer["result"])

    def close(self) -> None:
        for stream in (self.process.stdin, self.process.stdout):
            if stream:
                stream.close()
        self.process.wait(timeout=20)


def answered(world: Stage, row: Principal, tool: str, given: dict[str, Any]) -> dict[str, Any] | str:
    """What the operation says in this process; defaults are filled in as at every door."""
    from remora.core.schema import checked

    operation = by_name(tool)
    try:
        answer = operation.run(Call(world.ports, row.grant), checked(operation.input, given))
        return dict(json.loads(json.dumps(answer.data)))
    except RemoraError as error:
        return f"{error.code}: {error}" + (f" Advice: {error.advice}" if error.advice else "")


def plain(world: Stage, answer: object) -> str:
    return RECENT.sub("TODAY", world.plain(json.dumps(answer, sort_keys=True)))


def test_every_tool_on_records_is_in_the_matrix() -> None:
    named = {operation.name for operation in offered(["records"], gated_writes=True)}
    assert named <= {tool for tool, _ in CALLS}


def test_a_server_for_a_principal_answers_as_if_what_is_hidden_never_was(
    worlds: tuple[Stage, Stage], row: Principal
) -> None:
    whole, part = worlds
    server = Server(whole, row)
    wrong = []
    for tool, given in CALLS:
        result = server.ask("tools/call", {"name": tool, "arguments": given})
        said = result["content"][0]["text"] if result.get("isError") else result["structuredContent"]
        expected = answered(part, row, tool, given)
        if isinstance(expected, dict) and "diagnostics" in expected and row.grant.operator:
            said["diagnostics"] = expected["diagnostics"]  # how fresh the index was differs, and is the operator's
        if plain(whole, said) != plain(part, expected):
            wrong.append((tool, given, plain(whole, said)[:400], plain(part, expected)[:400]))
    server.close()
    assert wrong == []


# --- The HTTP server --------------------------------------------------------------------------------------------------


def said_by_http(server: HttpServer, tool: str, given: dict[str, Any]) -> Any:
    """What the route of an operation answers, a problem in the words of the tools."""
    method, path = by_name(tool).http
    answer = server.get(server.repo(path), params=given) if method == "GET" else server.post(server.repo(path), given)
    body = answer.json()
    if answer.status_code == 200:
        return body
    return f"{body['code']}: {body['detail']}" + (f" Advice: {body['advice']}" if body.get("advice") else "")


def test_an_http_server_for_a_principal_answers_as_if_what_is_hidden_never_was(
    worlds: tuple[Stage, Stage], row: Principal
) -> None:
    whole, part = worlds
    wrong = []
    with running(whole, "--allow-memory-write", *row.options("--memory-")) as server:
        for tool, given in CALLS:
            said, expected = said_by_http(server, tool, given), answered(part, row, tool, given)
            if isinstance(expected, dict) and "diagnostics" in expected and row.grant.operator:
                said["diagnostics"] = expected["diagnostics"]
            if plain(whole, said) != plain(part, expected):
                wrong.append((tool, given, plain(whole, said)[:400], plain(part, expected)[:400]))
    assert wrong == []
