"""What every request passes first, and how the server shows itself: names, limits, addresses, tokens, run file."""

import json
import os
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from http_server import Server, running, serving
from remora.core.policy import HTTP_BODY_MAX_BYTES, HTTP_BURST
from remora.entrypoints.http.app import operations
from remora.entrypoints.http.guard import Names
from remora.entrypoints.http.site import Rates


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, make_world: Any) -> Iterator[Server]:
    with serving(make_world(tmp_path_factory.mktemp("guard") / "world")) as running:
        yield running


def raw(server: Server, request: bytes) -> bytes:
    """Send bytes, read until the server closes."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(request)
        received = b""
        while piece := connection.recv(65536):
            received += piece
        return received


def asked(server: Server, method: str, path: str, *lines: str) -> int:
    """Status of a request with exactly these header lines besides the token."""
    head = [f"{method} {path} HTTP/1.1", f"Authorization: Bearer {server.token}", "Connection: close", *lines, "", ""]
    return int(raw(server, "\r\n".join(head).encode("latin-1")).split(b" ", 2)[1])


FOREIGN_HOSTS = (
    "evil.example", "evil.example:8420", "localhost.evil.example", "evil.localhost", "127.0.0.1.evil.example",
    "127.0.0.2", "0.0.0.0", "[::2]", "[::ffff:127.0.0.1]", "localhost@evil.example", "localhost:", "localhost:99999999",
    "", "localhost ,evil.example", "LOCALHOST.", "xn--localhost",
)  # fmt: skip
FOREIGN_ORIGINS = (
    "https://evil.example", "http://localhost.evil.example", "null", "file://", "http://evil.example:8420",
    "http://localhost@evil.example", "http://localhost/evil", "chrome-extension://abc", "http://127.0.0.1.evil.example",
)  # fmt: skip


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
def test_a_foreign_host_is_refused(server: Server, host: str) -> None:
    assert asked(server, "GET", "/api/v1/repos", f"Host: {host}") == 403


@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
def test_a_foreign_origin_is_refused_even_with_a_good_host(server: Server, origin: str) -> None:
    assert asked(server, "GET", "/api/v1/repos", "Host: localhost", f"Origin: {origin}") == 403


@pytest.mark.parametrize("host", ["localhost", "LocalHost:8420", "127.0.0.1:1", "[::1]", "[::1]:8420"])
def test_loopback_names_are_its_own_in_every_spelling(server: Server, host: str) -> None:
    assert asked(server, "GET", "/api/v1/repos", f"Host: {host}", f"Origin: http://{host}") == 200


def test_the_names_are_checked_on_every_route(server: Server) -> None:
    paths = {("GET", "/"), ("GET", "/nothing"), ("POST", "/api/v1/hook"), ("GET", "/api/v1/health")}
    paths |= {("GET", f"/api/v1/{name}") for name in ("version", "openapi.json", "repos")}
    paths |= {(method, server_path(server, "/mcp")) for method in ("GET", "POST", "DELETE")}
    paths |= {(row.http[0], server_path(server, row.http[1].replace("{id}", "x"))) for row in operations()}
    for method, path in sorted(paths):
        size = ("Content-Length: 0",)
        assert asked(server, method, path, "Host: evil.example", *size) == 403, path
        assert asked(server, method, path, "Host: localhost", "Origin: https://evil.example", *size) == 403, path
        assert asked(server, method, path, *size) in (400, 403), path  # no name at all


def server_path(server: Server, path: str) -> str:
    return "/api/v1" + server.repo(path)


def test_two_host_lines_are_refused(server: Server) -> None:
    assert asked(server, "GET", "/api/v1/health", "Host: localhost", "Host: evil.example") in (400, 403)


def test_configured_names_are_allowed_besides() -> None:
    names = Names(("memory.example.org",))
    assert names.knows("Memory.Example.org:443")
    assert not names.knows("localhost")


def test_every_route_but_the_plain_ones_needs_a_token(server: Server) -> None:
    for row in operations():
        path = server.repo(row.http[1].replace("{id}", "x"))
        answer = server.request(row.http[0], path, token="")
        assert answer.status_code == 401, row.name
        assert answer.headers["www-authenticate"].startswith("Bearer")
    for token in ("wrong", "rmk_" + "0" * 64, server.token[:-1], server.token + "0", server.token.upper()):
        assert server.get("/repos", token=token).status_code == 401
    assert server.request("POST", "/hook", token="").status_code == 401


def test_a_token_in_the_address_opens_nothing(server: Server) -> None:
    for name in ("token", "key", "access_token", "authorization"):
        assert server.get(f"/repos?{name}={server.token}", token="").status_code == 401


def test_large_bodies_are_refused_before_they_are_read(server: Server) -> None:
    head = (
        f"POST /api/v1{server.repo('/recall')} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {server.token}\r\n"
        "Content-Type: application/json\r\nConnection: close\r\n"
    )
    stated = raw(server, f"{head}Content-Length: {HTTP_BODY_MAX_BYTES + 1}\r\n\r\n".encode())
    assert stated.split(b" ", 2)[1] == b"413"
    assert b"application/problem+json" in stated
    content = iter([b"x" * (1 << 20)] * 12)
    answer = server.request("POST", server.repo("/recall"), content=content)
    assert answer.status_code == 413
    accept = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    content = iter([b" " * (1 << 20)] * 12)
    assert server.request("POST", server.repo("/mcp"), content=content, headers=accept).status_code == 413


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 200_000 + b"\r\n\r\n",
        b"\x00\xff\xfe\r\n\r\n",
        b"GET /%00 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"POST /api/v1/hook HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\nConnection: close\r\n\r\n",
    ],
    ids=["long path", "long header", "garbage", "nul", "byte", "length"],
)
def test_nonsense_on_the_wire_is_the_callers_fault(server: Server, request_bytes: bytes) -> None:
    try:
        status = raw(server, request_bytes).split(b" ", 2)[1]
    except (ConnectionResetError, BrokenPipeError):
        status = b"400"
    assert status.startswith(b"4")
    assert server.get("/health").status_code == 200


def test_answers_are_never_kept_or_sniffed(server: Server) -> None:
    for answer in (server.get("/health"), server.get("/repos"), server.get("/nothing"), server.get("/repos", token="")):
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in answer.headers


def test_it_listens_on_loopback_only(server: Server) -> None:
    table = Path("/proc/net/tcp").read_text() + Path("/proc/net/tcp6").read_text()
    port = f":{server.port:04X}"
    listening = [
        row.split()[1] for row in table.splitlines()[1:] if row.split()[1].endswith(port) and row.split()[3] == "0A"
    ]
    assert listening == ["0100007F" + port]


def test_the_token_is_in_no_process_list_and_its_file_is_private(server: Server) -> None:
    run_file = server.world.repo / ".remora/cache/run.json"
    assert stat.S_IMODE(run_file.stat().st_mode) == 0o600
    told = json.loads(run_file.read_text())
    assert (told["port"], told["pid"]) == (server.port, server.process.pid)
    lists = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if os.access(path, os.R_OK)]
    assert lists
    assert not any(server.token.encode() in line for line in lists)


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])  # which the server must refuse
def test_an_open_address_without_a_key_is_refused(world: Any, host: str) -> None:
    world.remora("init")
    done = world.remora("serve", "--port", "0", "--host", host)
    assert done.code == 2
    assert "no key" in done.err
    assert not (world.repo / ".remora/cache/run.json").exists()


def test_an_open_address_needs_the_names_of_the_server_too(world: Any) -> None:
    world.remora("init")
    world.remora("org", "add", "acme/ann")
    assert world.remora("keys", "create", "acme/ann", "--name", "k").code == 0
    done = world.remora("serve", "--port", "0", "--host", "0.0.0.0")
    assert (done.code, "allow-host" in done.err) == (2, True)


def test_a_taken_port_is_one_readable_line(server: Server) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "remora", "serve", "--port", str(server.port)], cwd=server.world.repo,
        env=server.world.env, capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert b"cannot be bound" in done.stderr
    assert b"Traceback" not in done.stderr
    assert json.loads((server.world.repo / ".remora/cache/run.json").read_text())["pid"] == server.process.pid


def test_a_server_that_is_told_to_end_takes_its_run_file_along(world: Any) -> None:
    with serving(world) as server:
        server.get("/repos")
        assert server.stop() == 0
        assert not (world.repo / ".remora/cache/run.json").exists()
        assert world.remora("recall", "anything", "at", "all").code in (0, 2)


def test_the_newest_server_is_found_and_after_its_end_the_one_before_it_again(server: Server) -> None:
    run_file = server.world.repo / ".remora/cache/run.json"
    before = run_file.read_bytes()
    with running(server.world) as second:
        assert json.loads(run_file.read_bytes())["pid"] == second.process.pid
        assert second.stop() == 0
    assert run_file.read_bytes() == before


def test_a_run_file_that_another_server_wrote_stays(world: Any) -> None:
    with serving(world) as first:
        run_file = world.repo / ".remora/cache/run.json"
        run_file.write_text("{}")
        first.stop()
        assert run_file.read_text() == "{}"


def test_ten_clients_with_two_hundred_mixed_calls_meet_no_error(server: Server) -> None:
    repository = server.repository
    failures: list[str] = []

    def client(number: int) -> None:
        for call in range(20 if os.environ.get("REMORA_SLOW") is None else 200):
            if call % 5 == 0:
                row = {"subject": f"C{number}", "predicate": "SAID", "object": f"N{call}"}
                answer = server.post(f"/repos/{repository}/facts", {"triples": [row]})
            else:
                body = {"query": f"what did C{number} say", "memory_scope": "repository"}
                answer = server.post(f"/repos/{repository}/recall", body)
            if answer.status_code != 200:
                failures.append(answer.text)

    with ThreadPoolExecutor(10) as pool:
        list(pool.map(client, range(10)))
    assert failures == []


def test_a_caller_above_its_rate_waits_and_others_do_not() -> None:
    now = [0.0]
    rates = Rates(lambda: now[0])
    assert all(rates.wait_seconds("a") == 0.0 for _ in range(HTTP_BURST))
    assert rates.wait_seconds("a") > 0.0
    assert rates.wait_seconds("b") == 0.0
    now[0] += 1.0
    assert rates.wait_seconds("a") == 0.0


def test_rates_hold_when_threads_race() -> None:
    rates = Rates(lambda: 0.0)
    allowed: list[float] = []

    def spend() -> None:
        allowed.extend(wait for _ in range(HTTP_BURST) if (wait := rates.wait_seconds("a")) == 0.0)

    threads = [threading.Thread(target=spend) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(allowed) == HTTP_BURST
