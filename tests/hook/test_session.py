"""Whatever server, client or core do, the hook ends well and in time, and prints one documented object or nothing."""

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hook_processes import ARGUMENTS, EVENT, HOOK, TOKEN, Loopback, journal, run_hook, write_run_file

ANSWER = json.dumps(
    {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "é\n\u2028 x"}}
).encode()
Serve = Callable[[Callable[[socket.socket], None]], Loopback]


def http(body: bytes, status: str = "200 OK", length: int | None = None) -> bytes:
    return f"HTTP/1.1 {status}\r\ncontent-LENGTH: {len(body) if length is None else length}\r\n\r\n".encode() + body


def test_the_servers_bytes_reach_the_client_as_they_are(project: Path, serve: Serve) -> None:
    server = serve(lambda connection: connection.sendall(http(ANSWER)))
    ran = run_hook(project, [*ARGUMENTS, "--mode", "full"])
    assert (ran.status, ran.out, ran.err) == (0, ANSWER, b"")
    head, _, body = server.heard[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /api/v1/hook?client=claude-code&event=UserPromptSubmit&mode=full HTTP/1.1\r\n")
    assert f"Authorization: Bearer {TOKEN}".encode() in head
    assert body == EVENT
    assert journal(project) == ""
    assert (project / ".remora/cache/hooks/claude-code.UserPromptSubmit").exists()


def test_a_server_that_keeps_the_connection_open_is_not_waited_for(project: Path, serve: Serve) -> None:
    held: list[socket.socket] = []
    serve(lambda connection: (held.append(connection.dup()), connection.sendall(http(ANSWER)))[1])
    ran = run_hook(project)
    assert ran.out == ANSWER
    assert ran.seconds < 1.5
    held[0].close()


def test_a_real_web_server_is_understood(project: Path) -> None:
    async def hook(request: Request) -> Response:
        good = (
            request.headers["authorization"] == f"Bearer {TOKEN}"
            and request.query_params["event"] == "UserPromptSubmit"
        )
        return Response(ANSWER if good and await request.body() == EVENT else b"", media_type="application/json")

    listening = socket.create_server(("127.0.0.1", 0))
    app = Starlette(routes=[Route("/api/v1/hook", hook, methods=["POST"])])
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    write_run_file(project, {"port": listening.getsockname()[1], "token": TOKEN, "pid": os.getpid()})
    assert run_hook(project).out == ANSWER
    server.should_exit = True
    thread.join(timeout=10)
    listening.close()


def test_a_silent_server_is_silence_and_still_a_success(project: Path, serve: Serve) -> None:
    serve(lambda connection: connection.sendall(http(b"", "204 No Content")))
    assert run_hook(project).out == b""
    assert (project / ".remora/cache/hooks/claude-code.UserPromptSubmit").exists()


BAD_ANSWERS = {
    "status 500": http(b"<h1>oops</h1>", "500 Internal Server Error"),
    "status 401": http(b"{}", "401 Unauthorized"),
    "redirect": http(b"", "302 Found"),
    "not http": b"\x1b[31mhello\n" * 1000,
    "nothing": b"",
    "cut short": http(ANSWER, length=len(ANSWER) + 10),
    "too long": http(ANSWER, length=3),
    "no length": b"HTTP/1.1 200 OK\r\n\r\n" + ANSWER,
    "text": http(b"remember this"),
    "two objects": http(ANSWER + ANSWER),
    "a list": http(b"[1]"),
    "torn": http(ANSWER[:-1]),
    "colours": http(b"\x1b[31m" + ANSWER),
    "control characters": http(b'{"a": "\x1b[31m"}'),
    "not utf-8": http(b'{"a": "\xff"}'),
    "deep": http(b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
    "huge": http(b'{"a": "' + b"x" * (2 << 20) + b'"}'),
    "status word": b"HTTP/1.1 abc OK\r\n\r\n",
}


@pytest.mark.parametrize("answer", BAD_ANSWERS.values(), ids=BAD_ANSWERS.keys())
def test_an_answer_that_is_not_one_good_object_is_not_printed(project: Path, serve: Serve, answer: bytes) -> None:
    serve(lambda connection: connection.sendall(answer))
    ran = run_hook(project)
    assert (ran.status, ran.out, ran.err) == (0, b"", b"")
    assert ran.seconds < 2.5
    assert journal(project).count("skipped") == 1


def drip(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        connection.sendall(b"X-A: b\r\n")
        time.sleep(0.05)


@pytest.mark.parametrize("behave", [lambda _: time.sleep(5), drip], ids=["hung", "dripping"])
def test_a_server_that_takes_too_long_is_left_at_the_deadline(
    project: Path, serve: Serve, behave: Callable[[socket.socket], None]
) -> None:
    serve(behave)
    ran = run_hook(project, [*ARGUMENTS, "--timeout", "0.4"])
    assert (ran.status, ran.out, ran.err) == (0, b"", b"")
    assert ran.seconds < 1.5
    assert "skipped" in journal(project)


def test_the_default_deadline_is_two_seconds(project: Path, serve: Serve) -> None:
    serve(lambda _: time.sleep(5))
    assert 1.5 < run_hook(project).seconds < 2.6


def test_a_server_with_a_model_may_ask_for_more_time(project: Path, serve: Serve) -> None:
    server = serve(lambda connection: (time.sleep(2.3), connection.sendall(http(ANSWER)))[1])
    write_run_file(project, {"port": server.port, "token": TOKEN, "pid": os.getpid(), "deadline_ms": 8000})
    assert run_hook(project).out == ANSWER


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        "[]",
        '{"port": 0, "token": "a"}',
        '{"port": 99999999999999999999, "token": "a"}',
        '{"port": 80}',
        '{"port": 1, "token": "a b\\r\\nX: y"}',
        "\x00" * 5000,
    ],
)
def test_a_run_file_that_says_nothing_useful_counts_as_none(project: Path, body: str) -> None:
    write_run_file(project, body)
    ran = run_hook(project)
    assert (ran.status, ran.out, ran.err) == (0, b"", b"")


def test_a_run_file_that_others_can_read_is_not_trusted(project: Path, serve: Serve) -> None:
    server = serve(lambda connection: connection.sendall(http(ANSWER)))
    (project / ".remora/cache/run.json").chmod(0o644)
    assert run_hook(project).out == b""
    assert server.heard == []


def test_a_run_file_of_a_dead_server_hands_no_prompt_to_whoever_has_its_port_now(project: Path, serve: Serve) -> None:
    server = serve(lambda connection: connection.sendall(http(ANSWER)))
    gone = subprocess.Popen([sys.executable, "-c", "pass"])
    gone.wait(timeout=30)
    write_run_file(project, {"port": server.port, "token": TOKEN, "pid": gone.pid})
    assert run_hook(project).out == b""
    assert server.heard == []


def test_a_linked_run_file_is_not_followed(project: Path, serve: Serve, tmp_path: Path) -> None:
    server = serve(lambda connection: connection.sendall(http(ANSWER)))
    run_file = project / ".remora/cache/run.json"
    (tmp_path / "elsewhere.json").write_bytes(run_file.read_bytes())
    run_file.unlink()
    run_file.symlink_to(tmp_path / "elsewhere.json")
    run_hook(project)
    assert server.heard == []


def test_proxies_are_not_asked(project: Path, serve: Serve) -> None:
    serve(lambda connection: connection.sendall(http(ANSWER)))
    proxies = dict.fromkeys(("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"), "http://127.0.0.1:9")
    assert run_hook(project, environ=proxies).out == ANSWER


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--client"],
        ["--nonsense"],
        ["what"],
        ["--client", "x" * 9999, "--event", "\u202e"],
        ["--event="],
        ["--timeout", "-1", *ARGUMENTS],
        ["--timeout", "nan", *ARGUMENTS],
    ],
)
def test_bad_flags_never_block_a_prompt(project: Path, arguments: list[str]) -> None:
    ran = run_hook(project, arguments)
    assert (ran.status, ran.out, ran.err) == (0, b"", b"")


def test_unknown_flags_are_ignored_and_counted(project: Path, serve: Serve) -> None:
    serve(lambda connection: connection.sendall(http(ANSWER)))
    assert run_hook(project, [*ARGUMENTS, "--new-flag", "--other=1"]).out == ANSWER
    assert "reason=ignored_flags count=2" in journal(project)


@pytest.mark.parametrize(
    "event",
    [b"", b"  \n", b"{", b"\x00\xff" * 100, b'{"prompt": "no id"}', b'{"session_id": "s", "x": "' + b"y" * (9 << 20)],
    ids=range(6),
)
def test_any_event_at_all_ends_well(project: Path, serve: Serve, event: bytes) -> None:
    server = serve(lambda connection: connection.sendall(http(ANSWER)))
    ran = run_hook(project, event=event)
    assert (ran.status, ran.out, ran.err) == (0, b"", b"")
    assert server.heard == []
    assert "skipped" in journal(project)


@pytest.mark.parametrize("folder_is_ours", [True, False])
def test_a_client_that_never_closes_stdin_is_left_in_time(project: Path, tmp_path: Path, folder_is_ours: bool) -> None:
    started = time.monotonic()
    hook = subprocess.Popen(
        [sys.executable, "-I", "-S", str(HOOK), *ARGUMENTS, "--timeout", "0.5"],
        stdin=subprocess.PIPE,
        cwd=project if folder_is_ours else tmp_path,
    )
    assert hook.wait(timeout=10) == 0
    assert time.monotonic() - started < 2
    assert hook.stdin is not None
    hook.stdin.close()


def test_closed_streams_do_not_matter(project: Path, serve: Serve) -> None:
    serve(lambda connection: connection.sendall(http(ANSWER)))
    line = f'"$0" -I -S "{HOOK}" {" ".join(ARGUMENTS)}'
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        ran = subprocess.run(
            ["/bin/sh", "-c", f"{line} {closed}", sys.executable],
            input=EVENT,
            capture_output=True,
            check=False,
            timeout=30,
            cwd=project,
        )
        assert (ran.returncode, ran.stderr) == (0, b"")


def test_a_reader_that_went_away_does_not_matter(project: Path, serve: Serve) -> None:
    serve(lambda connection: connection.sendall(http(ANSWER)))
    reading, writing = os.pipe()
    os.close(reading)
    ran = subprocess.run(
        [sys.executable, "-I", "-S", str(HOOK), *ARGUMENTS],
        input=EVENT,
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
        timeout=30,
        cwd=project,
    )
    os.close(writing)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert "stdout_closed" in journal(project)


def test_the_journal_holds_reasons_and_never_content(project: Path) -> None:
    for event in (EVENT, b'{"prompt": "private words"}'):
        run_hook(project, event=event)
    text = journal(project)
    assert len(text.splitlines()) == 2
    assert "private" not in text
    assert (project / ".remora/cache/hook.log").stat().st_mode & 0o777 == 0o600


def test_the_journal_is_rotated(project: Path) -> None:
    log = project / ".remora/cache/hook.log"
    log.parent.mkdir()
    log.write_bytes(b"x" * (300 << 10))
    run_hook(project, [])
    assert log.stat().st_size < 1000
    assert log.with_name("hook.log.1").stat().st_size == 300 << 10


def test_a_home_that_cannot_be_written_does_not_matter(project: Path, serve: Serve) -> None:
    serve(lambda connection: connection.sendall(http(ANSWER)))
    cache = project / ".remora/cache"
    (cache / "hooks").write_text("in the way")
    (cache / "hook.log").mkdir()
    assert run_hook(project, [*ARGUMENTS, "--unknown"]).out == ANSWER


def test_a_shadow_run_logs_what_it_would_have_said_and_injects_nothing(project: Path, serve: Serve) -> None:
    server = serve(lambda connection: connection.sendall(http(ANSWER)))
    ran = run_hook(project, [*ARGUMENTS, "--shadow", "--observe-log", str(project / "observe.jsonl")])
    assert ran.out == b""
    assert (project / ".remora/cache/shadow.log").read_bytes() == ANSWER + b"\n"
    assert b"shadow=1" in server.heard[0]
    seen = json.loads((project / "observe.jsonl").read_text())
    assert (seen["client"], seen["event"], seen["bytes"]) == ("claude-code", "UserPromptSubmit", len(ANSWER))


def test_a_named_server_is_asked_with_the_token_of_the_environment(project: Path) -> None:
    server = Loopback(lambda connection: connection.sendall(http(ANSWER)))
    environ = {"REMORA_API_TOKEN": "personal", "REMORA_HOOK_URL": f"http://127.0.0.1:{server.port}"}
    assert run_hook(project, environ=environ).out == ANSWER
    assert b"Authorization: Bearer personal\r\n" in server.heard[0]
    assert run_hook(project, environ={"REMORA_HOOK_URL": environ["REMORA_HOOK_URL"]}).out == b""
    assert "no_token" in journal(project)
    server.stop()


@pytest.mark.parametrize(("mode", "heard"), [(0o600, True), (0o640, False)])
def test_the_token_of_a_config_file_is_used_only_when_nobody_else_can_read_it(
    project: Path, mode: int, heard: bool
) -> None:
    server = Loopback(lambda connection: connection.sendall(http(ANSWER)))
    config = project.parent / ".config/remora/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('data_dir = "/x"\napi_token = "of-the-file"\n')
    config.chmod(mode)
    environ = {"HOME": str(project.parent), "REMORA_HOOK_URL": f"http://127.0.0.1:{server.port}"}
    assert (run_hook(project, environ=environ).out == ANSWER) == heard
    assert (b"Bearer of-the-file" in b"".join(server.heard)) == heard
    server.stop()


def test_a_url_of_another_host_is_never_asked(project: Path) -> None:
    run_hook(project, environ={"REMORA_API_TOKEN": "a", "REMORA_HOOK_URL": "http://example.invalid:80"})
    assert "url_is_not_loopback" in journal(project)


@pytest.fixture
def with_core(tmp_path: Path) -> Callable[[str], Path]:
    """The hook's package beside a small core whose `run` is the given source."""

    def build(source: str) -> Path:
        place = tmp_path / "site"
        shutil.copytree(HOOK.parent, place / "remora_hook", ignore=shutil.ignore_patterns("__pycache__"))
        (place / "remora/entrypoints").mkdir(parents=True)
        (place / "remora/__init__.py").write_text("")
        (place / "remora/entrypoints/__init__.py").write_text("")
        (place / "remora/entrypoints/hook_cold.py").write_text(source)
        return place / "remora_hook/hook.py"

    return build


def test_without_a_server_the_core_answers_in_the_same_process(project: Path, with_core: Callable[[str], Path]) -> None:
    script = with_core(
        "import json\ndef run(event, argv):\n"
        "    return json.dumps({'heard': json.loads(event), 'argv': argv}).encode()\n"
    )
    ran = run_hook(project, script=script)
    assert json.loads(ran.out) == {"heard": json.loads(EVENT), "argv": list(ARGUMENTS)}
    assert (project / ".remora/cache/hooks/claude-code.UserPromptSubmit").exists()


CORES = {
    "noise": "import os, sys\ndef run(event, argv):\n    print('hi'); os.write(1, b'hi'); sys.stderr.write('x')\n"
    "    return b''\n",
    "crash": "def run(event, argv):\n    raise ValueError('private words')\n",
    "exit": "import sys\ndef run(event, argv):\n    sys.exit(3)\n",
    "text": "def run(event, argv):\n    return b'plain'\n",
    "wrong type": "def run(event, argv):\n    return 5\n",
    "syntax": "def run(:\n",
    "import": "import no_such_module\n",
    "hung": "import time\ndef run(event, argv):\n    time.sleep(9)\n",
    "busy": "def run(event, argv):\n    while True: pass\n",
    "hung in C": "import sqlite3\ndef run(event, argv):\n    sqlite3.connect(':memory:').execute("
    "'with recursive a(x) as (select 1 union all select x+1 from a) select count(*) from a').fetchone()\n",
}


@pytest.mark.parametrize("source", CORES.values(), ids=CORES.keys())
def test_whatever_the_core_does_the_hook_ends_well_and_in_time(
    project: Path, with_core: Callable[[str], Path], source: str
) -> None:
    ran = run_hook(project, [*ARGUMENTS, "--timeout", "0.6"], script=with_core(source))
    assert (ran.status, ran.out, ran.err) == (0, b"", b"")
    assert ran.seconds < 2
    assert "private" not in journal(project)
    assert ("skipped" in journal(project)) == ("print" not in source)
