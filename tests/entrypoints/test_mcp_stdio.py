"""The stdio server as a process: only protocol on stdout, exact text, hostile input, shared stores, prompt ends."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CORE = [
    "recall_context", "upsert_graph_triples", "explain_history", "known_pitfalls", "affected", "advance_encounter",
    "create_entities", "create_relations", "close_encounter",
]  # fmt: skip


class Wire:
    """A raw JSON-RPC client on a server process: sees every byte that the server prints."""

    def __init__(self, world: Any, *args: str, **env: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "remora", "mcp", *args], cwd=world.repo, env=world.env | env,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self.number = 0
        self.lines: list[bytes] = []

    def send(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line.encode("utf-8", "surrogatepass") + b"\n")
        self.process.stdin.flush()

    def request(self, method: str, params: dict[str, Any] | None = None, *, raw: str = "") -> dict[str, Any]:
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params or {}}
        self.send(raw.replace("$ID", str(self.number)) if raw else json.dumps(message))
        while True:
            assert self.process.stdout is not None
            line = self.process.stdout.readline()
            assert line, self.process.stderr.read() if self.process.stderr else b""
            self.lines.append(line)
            answer = json.loads(line)
            if answer.get("id") == self.number:
                return dict(answer)

    def start(self) -> dict[str, Any]:
        version = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "wire", "version": "1"}}
        answer = self.request("initialize", version)
        self.send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
        return answer

    def call(self, tool: str, **given: Any) -> dict[str, Any]:
        return dict(self.request("tools/call", {"name": tool, "arguments": given})["result"])

    def close(self) -> int:
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(timeout=10)


@contextmanager
def serving(world: Any, *args: str, **env: str) -> Iterator[Wire]:
    wire = Wire(world, *args, **env)
    try:
        wire.start()
        yield wire
    finally:
        wire.process.kill()
        wire.process.wait(timeout=10)
        for stream in (wire.process.stdin, wire.process.stdout, wire.process.stderr):
            if stream:
                stream.close()


def fact(subject: str, predicate: str, target: str) -> dict[str, Any]:
    return {"triples": [{"subject": subject, "predicate": predicate, "object": target}]}


def test_the_default_profile_is_small_and_its_listing_is_stable(world: Any) -> None:
    listings = []
    for seed in ("0", "7"):
        with serving(world, PYTHONHASHSEED=seed) as wire:
            wire.request("tools/list")
            listings.append(wire.lines[-1].replace(b'"id":2', b""))
    assert listings[0] == listings[1]
    tools = json.loads(listings[0].replace(b"{,", b"{").replace(b",,", b","))["result"]["tools"]
    assert [tool["name"] for tool in tools] == CORE
    assert len(listings[0]) <= 11 * 1024
    assert all({"readOnlyHint", "destructiveHint", "idempotentHint"} <= set(tool["annotations"]) for tool in tools)


@pytest.mark.parametrize("env", [{"PYTHONWARNINGS": "always", "PYTHONDEVMODE": "1"}, {"REMORA_LOG_LEVEL": "DEBUG"}])
def test_every_line_on_stdout_is_the_protocol_whatever_else_is_printed(world: Any, env: dict[str, str]) -> None:
    with serving(world, "--profile", "all", **env) as wire:
        for _ in range(5):
            wire.call("upsert_graph_triples", **fact("a", "USES", "b"))
            wire.call("recall_context", query="a uses", memory_scope="repository")
            wire.call("affected", symbol="nothing")
        assert wire.lines[0][:1] == b"{"
        assert all(json.loads(line)["jsonrpc"] == "2.0" for line in wire.lines)


def test_text_survives_a_machine_without_utf8(world: Any) -> None:
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    with serving(world, **env) as wire:
        wire.call("upsert_graph_triples", **fact("決済サービス", "USES", "データベース🐘"))
        told = wire.call("recall_context", query="決済サービス", memory_scope="repository")
    assert told["structuredContent"]["hits"][0]["title"] == "決済サービス USES データベース🐘"


@pytest.mark.parametrize("bad", [r"\ud83d", r"\udc95x", r"a\ud83d\ud83d", r"\u0000", r"\u202e\u200b"])
def test_a_broken_character_in_any_field_loses_no_call(world: Any, bad: str) -> None:
    with serving(world, "--profile", "all") as wire:
        for tool, given in (
            ("upsert_graph_triples", f'{{"triples":[{{"subject":"s{bad}","predicate":"USES","object":"o{bad}"}}]}}'),
            ("recall_context", f'{{"query":"s{bad}","memory_scope":"repository"}}'),
            ("search_graph_nodes", f'{{"query":"{bad}"}}'),
            ("query_subgraph", f'{{"entities":["s{bad}"]}}'),
            ("search_memory", f'{{"query":"{bad}"}}'),
            ("explain_history", f'{{"subject":"x{bad}"}}'),
            ("known_pitfalls", f'{{"subject":"{bad}"}}'),
            ("affected", f'{{"symbol":"{bad}"}}'),
            (f"no{bad}", "{}"),
        ):
            raw = f'{{"jsonrpc":"2.0","id":$ID,"method":"tools/call","params":{{"name":"{tool}","arguments":{given}}}}}'
            answer = wire.request("", raw=raw)
            assert "result" in answer or answer["error"]["code"] == -32602
            assert "Traceback" not in json.dumps(answer)
            assert "internal:" not in json.dumps(answer)


def test_odd_queries_never_fail_and_find_what_is_there(world: Any) -> None:
    stored = [
        "pre-edit check",
        'the "quoted" word',
        "NEAR(a b)",
        "a:b",
        "ubuntu 20.04",
        "東京タワー",
        "🐘 store",
        "don't",
    ]
    with serving(world, "--profile", "facts") as wire:
        for number, name in enumerate(stored):
            wire.call("upsert_graph_triples", **fact(name, "IS_CALLED", f"thing{number}"))
        for query, found in [
            ("pre-edit", stored[0]), ('"quoted"', stored[1]), ("NEAR(", stored[2]), ("a:b", stored[3]),
            ("ubuntu 20.04", stored[4]), ("東京", stored[5]), ("京タワ", stored[5]), ("東京タワー", stored[5]),
            ("🐘", stored[6]), ("don't", stored[7]),
        ]:  # fmt: skip
            told = wire.call("recall_context", query=query, memory_scope="repository")["structuredContent"]
            assert any(found in hit["title"] for hit in told["hits"]), query
        for query in ("", " ", "*", "AND", "(", "^", "\x00", "東", "x" * 100_000, '"' * 1_000):
            answer = wire.call("recall_context", query=query, memory_scope="repository")
            assert not answer.get("isError"), (query[:20], answer)


def test_a_bad_call_says_how_to_correct_it(world: Any) -> None:
    with serving(world) as wire:
        answer = wire.call("recall_context", query=7, colour="red")
        assert answer["isError"]
        text = answer["content"][0]["text"]
        assert "query" in text
        assert "string" in text
        assert "colour" in text
        missing = wire.call("affected", symbol="nothing_like_this")
        assert missing["isError"]
        assert "remora index" in missing["content"][0]["text"] or "not_found" in missing["content"][0]["text"]


def test_switched_off_memory_leaves_only_the_code_graph(world: Any) -> None:
    with serving(world, "--profile", "all", REMORA_ALLOW_MEMORY="false") as wire:
        names = {tool["name"] for tool in wire.request("tools/list")["result"]["tools"]}
    assert names == {
        "affected", "find_callees", "find_callers", "find_references", "get_community", "get_node", "get_pr_impact",
        "get_source", "graph_stats", "predict_edit", "predict_impact", "query_graph", "search_text", "shortest_path",
        "working_changes_impact",
    }  # fmt: skip


def test_the_outcome_writer_is_offered_only_when_the_operator_allows_it(world: Any) -> None:
    given = {
        "idempotency_key": "k", "title": "t", "summary": "s", "outcome": "failed", "source_uri": "agent://1",
        "symbols": ["nothing"],
    }  # fmt: skip
    with serving(world, "--profile", "all") as wire:
        assert wire.call("record_change_outcome", **given)["isError"]
    with serving(world, "--profile", "all", "--allow-memory-write") as wire:
        assert wire.call("record_change_outcome", **given)["structuredContent"]["outcome"] == "recorded"
        assert wire.call("record_change_outcome", **given)["structuredContent"]["outcome"] == "already_present"
        told = wire.call("known_pitfalls", subject="nothing")["structuredContent"]
    assert [row["kind"] for row in told["records"]] == ["failed_attempt"]


def test_a_chat_remembers_privately_and_its_recall_never_falls_back(world: Any) -> None:
    with serving(world, "--profile", "all", REMORA_SESSION_ID="chat-1", REMORA_CLIENT="tester") as wire:
        wire.call("upsert_graph_triples", **fact("Billing", "USES", "Postgres"))
        assert wire.call("recall_context", query="Billing")["structuredContent"]["hits"] == []
        wire.call("upsert_graph_triples", memory_scope="session", **fact("Billing", "USES", "MySQL"))
        told = wire.call("recall_context", query="Billing")["structuredContent"]
        assert [hit["title"] for hit in told["hits"]] == ["Billing USES MySQL"]
    with serving(world, "--profile", "all", REMORA_SESSION_ID="chat-2", REMORA_CLIENT="tester") as wire:
        assert wire.call("recall_context", query="Billing")["structuredContent"]["hits"] == []
    with serving(world, "--profile", "all", REMORA_SESSION_ID="chat-1", REMORA_CLIENT="tester") as wire:
        told = wire.call("recall_context", query="Billing")["structuredContent"]
        assert [hit["title"] for hit in told["hits"]] == ["Billing USES MySQL"]


def test_turns_offloaded_over_stdio_become_private_facts_even_when_the_client_leaves_at_once(world: Any) -> None:
    turns = [{"role": "user", "content": "We decided to use PostgreSQL for the ledger."}]
    with serving(world, "--profile", "facts", REMORA_SESSION_ID="stdio-1") as wire:
        told = wire.call("offload_turns", turns=turns)
        assert told["structuredContent"]["extractor"] == "rules"
        assert wire.close() == 0
    [job] = world.remora("jobs", "--json").json["jobs"]
    assert job["id"] == told["structuredContent"]["job"]
    assert job["state"] in ("done", "lost"), "never left open"
    if job["state"] == "done":
        with serving(world, "--profile", "facts", REMORA_SESSION_ID="stdio-1") as wire:
            hits = wire.call("recall_context", query="what does the ledger use")["structuredContent"]["hits"]
            assert hits[0]["title"] == "ledger USES PostgreSQL"


def test_records_of_a_peer_are_read_with_ours(world: Any, tmp_path: Path, make_world: Any) -> None:
    other = make_world(tmp_path / "other")
    other.commit("Add parser", parser__py="A = 1\n")
    assert other.remora("records", "ingest").code == 0
    with serving(world, "--profile", "records", "--memory-peer", str(other.repo)) as wire:
        (row,) = wire.call("search_memory", query="parser")["structuredContent"]["records"]
    assert row["title"] == "Add parser"


def test_the_server_ends_when_its_input_closes(world: Any) -> None:
    wire = Wire(world)
    wire.start()
    assert wire.close() == 0
    for stream in (wire.process.stdout, wire.process.stderr):
        assert stream is not None
        stream.close()


def test_the_server_ends_when_its_parent_is_killed(world: Any) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c",
         ("import subprocess,sys,time\n"
         "p=subprocess.Popen([sys.executable,'-m','remora','mcp'],stdin=subprocess.PIPE,stdout=subprocess.DEVNULL)\n"
         "print(p.pid,flush=True)\ntime.sleep(60)")],
        cwd=world.repo, env=world.env, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.send_signal(signal.SIGKILL)
    parent.wait(timeout=10)
    parent.stdout.close()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and _alive(child):
        time.sleep(0.1)
    assert not _alive(child)


def _alive(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
        return not os.path.isdir("/proc/self")


def test_two_servers_write_at_once_and_nothing_acknowledged_is_lost_to_a_kill(world: Any) -> None:
    world.remora("init")
    wires = [Wire(world), Wire(world)]
    acknowledged = []
    try:
        for wire in wires:
            wire.start()
        for number in range(50):
            for side, wire in enumerate(wires):
                answer = wire.call("upsert_graph_triples", **fact(f"service{side}x{number}", "USES", f"db{number}"))
                assert answer["structuredContent"]["counts"]["created"] == 1
                acknowledged.append(answer["structuredContent"]["outcomes"][0]["id"])
    finally:
        for wire in wires:
            wire.process.send_signal(signal.SIGKILL)
            wire.process.wait(timeout=10)
            for stream in (wire.process.stdin, wire.process.stdout, wire.process.stderr):
                assert stream is not None
                stream.close()
    found: list[str] = []
    cursor = ""
    while not found or cursor:
        page = world.remora("facts", "list", "--limit", "200", "--cursor", cursor, "--json").json
        found += [row["id"] for row in page["facts"]]
        cursor = page["next_cursor"]
    assert sorted(found) == sorted(acknowledged)
    assert len(acknowledged) == 100
