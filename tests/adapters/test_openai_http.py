"""Chat over HTTP goes to checked addresses only and ends by its deadline; faults are values without content."""

import socket
import time
from pathlib import Path
from typing import Any

import pytest

from chat_server import chat_server, drips, floods, hangs, http, says, sends
from remora.adapters.openai_http.chat import HttpModel, RoutedModels
from remora.adapters.openai_http.client import resolved
from remora.core.errors import Denied
from remora.core.models.routes import Task, parse_routes
from remora.core.models.wire import ChatMessage, ChatRequest, Completion, Fault, NoAnswer

SECRET_WORDS = "the turns of a private chat"
SCHEMA = {"type": "object", "properties": {"facts": {"type": "array"}}}


def question(seconds: float | None = 5.0) -> ChatRequest:
    return ChatRequest(messages=[ChatMessage("user", SECRET_WORDS)], schema=SCHEMA, timeout_seconds=seconds)


def routed(
    base_url: str,
    *,
    task: Task = Task.FACTS,
    kind: str = "openai-compatible",
    key: str = "",
    hosts: Any = (),
    addresses: list[str] | None = None,
    resolve: Any = resolved,
    **more: Any,
) -> HttpModel:
    row = {"kind": kind, "base_url": base_url, "model": "m", "local": True, **more}
    routes = parse_routes({"providers": {"here": row}, "tasks": {task.value: "here"}, "local_hosts": list(hosts)})
    model = RoutedModels(routes, lambda name: key, resolve if addresses is None else lambda *_: addresses).routed(task)
    assert model is not None
    return model


def fault(model: HttpModel, seconds: float = 5.0) -> Fault:
    answer = model.chat(question(seconds))
    assert isinstance(answer, NoAnswer), answer
    assert SECRET_WORDS not in answer.detail
    return answer.fault


def test_a_good_answer_comes_with_the_schema_asked_for() -> None:
    with chat_server(says('{"facts": []}')) as server:
        answer = routed(server.url).chat(question())
        assert answer == Completion('{"facts": []}', "stub")
        (asked,) = server.asked
        assert asked.path == "/v1/chat/completions"
        assert asked.body["response_format"]["json_schema"]["schema"] == SCHEMA
        assert asked.headers["host"] == f"127.0.0.1:{server.port}"
        assert "authorization" not in asked.headers


def test_an_answer_that_the_token_budget_ended_says_so() -> None:
    with chat_server(says('{"facts": [', reason="length")) as server:
        answer = routed(server.url).chat(question())
        assert isinstance(answer, Completion)
        assert answer.cut


def test_ollama_is_spoken_to_in_its_own_shape_and_over_a_unix_socket(tmp_path: Path) -> None:
    with chat_server(says("[]"), path=tmp_path / "llm.sock") as server:
        assert routed(f"unix:{tmp_path}/llm.sock", kind="ollama").chat(question()) == Completion("[]", "m")
        assert server.asked[0].path == "/api/chat"
        assert server.asked[0].body["format"] == SCHEMA
        assert routed(f"unix:{tmp_path}/llm.sock:/v1").chat(question()) == Completion("[]", "stub")


def test_a_model_that_ollama_runs_in_its_cloud_is_refused_before_it_is_told_anything() -> None:
    with chat_server() as server:
        server.shown = {"remote_host": "https://ollama.example", "remote_model": "big"}
        with pytest.raises(Denied, match=r"task memory -> provider here at http://127\.0\.0\.1.*run by another host"):
            routed(server.url.removesuffix("/v1"), kind="ollama").chat(question())
        assert server.asked == []


def test_the_key_comes_from_the_named_variable_and_goes_nowhere_else() -> None:
    with chat_server() as server:
        model = routed(server.url, key="sk-very-secret", api_key_env="LLM_KEY")
        assert isinstance(model.chat(question()), Completion)
        assert server.asked[0].headers["authorization"] == "Bearer sk-very-secret"
        assert "sk-very-secret" not in repr(model)
        assert fault(routed(server.url, key="", api_key_env="LLM_KEY")) is Fault.NO_KEY
        assert fault(routed(server.url, key="a\r\nb: c", api_key_env="LLM_KEY")) is Fault.NO_KEY


@pytest.mark.parametrize(
    "answer",
    [b"", b"garbage\r\n\r\n", http(b"not json"), http(b"[]"), http(b'{"choices": []}'), http(b'{"choices": [7]}'),
     http(b"[" * 100_000), http(b"\xff\x00\xfe"), b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nshort",
     b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", b"HTTP/9.9 999\r\n\r\n",
     b"HTTP/1.1 200 OK\r\nx: " + b"y" * 200_000 + b"\r\n\r\n"],
)  # fmt: skip
def test_what_is_no_answer_is_a_fault(answer: bytes) -> None:
    with chat_server(sends(answer)) as server:
        assert fault(routed(server.url)) in (Fault.MALFORMED, Fault.UNREACHABLE, Fault.STATUS)


def test_a_status_a_redirect_and_a_compressed_answer_are_faults() -> None:
    with chat_server(says("[]")) as other:
        location = f"location: {other.url}/chat/completions\r\n"
        for status, headers, expected in [
            ("500 Oops", "", Fault.STATUS),
            ("429 Later", "", Fault.STATUS),
            ("302 Found", location, Fault.REFUSED),
            ("307 Again", location, Fault.REFUSED),
            ("308 Gone", location, Fault.REFUSED),
            ("200 OK", "content-encoding: gzip\r\n", Fault.REFUSED),
        ]:
            with chat_server(sends(http(b"{}", status=status, headers=headers))) as server:
                assert fault(routed(server.url)) is expected
        assert other.asked == [], "a redirect was followed"


def test_an_answer_is_there_by_the_deadline_or_not_at_all() -> None:
    whole = http(b'{"choices": []}' + b" " * 10_000)
    for behaviour in (hangs(8), drips(whole), drips(b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 5000)):
        with chat_server(behaviour) as server:
            started = time.monotonic()
            assert fault(routed(server.url), 0.4) is Fault.TIMEOUT
            assert time.monotonic() - started < 5


def test_a_flood_is_cut_off() -> None:
    with chat_server(floods(64 << 20)) as server:
        assert fault(routed(server.url), 20) is Fault.TOO_LARGE


def test_nobody_listening_is_a_fault() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert fault(routed(f"http://127.0.0.1:{port}/v1")) is Fault.UNREACHABLE
    assert fault(routed("unix:/nonexistent/socket")) is Fault.UNREACHABLE
    assert fault(routed("http://no-such-host.invalid/v1")) is Fault.UNREACHABLE


def test_proxies_of_the_environment_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    with chat_server() as server, chat_server() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        for host in ("127.0.0.1", "localhost"):
            assert isinstance(routed(f"http://{host}:{server.port}/v1").chat(question()), Completion)
        assert proxy.asked == []


@pytest.mark.parametrize(
    ("addresses", "hosts", "reason"),
    [
        (["203.0.113.7"], [], "neither loopback nor private"),
        (["127.0.0.1", "203.0.113.7"], [], "neither loopback nor private"),
        (["8.8.8.8"], ["gpu.lan", "8.8.8.8"], "neither loopback nor private"),
        (["10.0.0.5"], [], "not in local_hosts"),
        (["10.0.0.5", "10.0.1.5"], ["10.0.0.0/24"], "not in local_hosts"),
        (["169.254.169.254"], ["gpu.lan"], "neither loopback nor private"),
        (["0.0.0.0"], ["gpu.lan"], "neither loopback nor private"),
    ],
)
def test_a_host_that_is_not_wholly_local_is_refused_by_its_route(
    addresses: list[str], hosts: list[str], reason: str
) -> None:
    with pytest.raises(Denied, match=reason) as refusal:
        routed("http://gpu.lan:1/v1", hosts=hosts, addresses=addresses).chat(question())
    assert "task memory -> provider here at http://gpu.lan:1/v1" in str(refusal.value)


def test_the_connection_goes_to_the_checked_address_although_the_name_may_soon_mean_another() -> None:
    answers = [["127.0.0.1"], ["203.0.113.7"]]
    with chat_server() as server:
        model = routed(f"http://gpu.lan:{server.port}/v1", resolve=lambda *_: answers.pop(0))
        assert isinstance(model.chat(question()), Completion), "only the first answer is local"
        assert answers == [["203.0.113.7"]], "the name was asked for once"
        assert server.asked[0].headers["host"] == f"gpu.lan:{server.port}"
        with pytest.raises(Denied, match="neither loopback nor private"):
            model.chat(question())
        assert len(server.asked) == 1


def test_doctor_hears_of_every_route_and_that_texts_leave(tmp_path: Path) -> None:
    elsewhere = {"kind": "openai-compatible", "base_url": "https://models.example.com/v1", "model": "big"}
    routes = parse_routes(
        {
            "providers": {"far": elsewhere},
            "tasks": {"memory": "far", "meaning": {"provider": "far", "allow_cloud": True}, "embeddings": "builtin"},
        }
    )
    lines = "\n".join(RoutedModels(routes, lambda name: "").described())
    assert "task memory -> provider far at https://models.example.com:443/v1 is refused: it is not declared" in lines
    assert "task meaning -> provider far" in lines
    assert "leave this machine" in lines
    assert "task embeddings -> provider builtin" in lines
