"""Routes say who serves which task; what is not allowed is refused by the route's name, and typos are errors."""

from typing import Any

import pytest

from remora.core.errors import Denied, InvalidInput
from remora.core.models.place import cloud_tagged, parse_place
from remora.core.models.routes import Kind, Routes, Task, parse_routes

LOCAL = {"kind": "openai-compatible", "base_url": "http://127.0.0.1:8080/v1", "model": "m", "local": True}
FAR = {"kind": "openai-compatible", "base_url": "https://models.example.com/v1", "model": "big"}


def routes(provider: dict[str, Any], task: str = "memory", **more: Any) -> Routes:
    return parse_routes({"providers": {"p": provider}, "tasks": {task: {"provider": "p", **more}}})


def test_nothing_is_routed_where_nothing_was_said() -> None:
    for empty in ({}, {"providers": {}, "tasks": {}}, {"tasks": None}):
        assert all(parse_routes(empty).provider(task) is None for task in Task)


def test_a_local_provider_serves_every_task() -> None:
    for task in Task:
        found = routes({**LOCAL, "embedding_model": "e"}, task.value).provider(task)
        assert found is not None
        assert found.model_for(task) == ("e" if task is Task.EMBEDDINGS else "m")


def test_the_builtin_provider_needs_no_row_and_makes_embeddings_only() -> None:
    found = parse_routes({"tasks": {"embeddings": "builtin"}}).provider(Task.EMBEDDINGS)
    assert found is not None
    assert found.kind is Kind.BUILTIN
    with pytest.raises(Denied, match="task memory -> provider builtin is refused"):
        parse_routes({"tasks": {"memory": "builtin"}}).provider(Task.FACTS)


@pytest.mark.parametrize(
    ("task", "provider", "more", "reason"),
    [
        (Task.FACTS, FAR, {}, "not declared local"),
        (Task.FACTS, {**LOCAL, "local": False}, {}, "not declared local"),
        (Task.EMBEDDINGS, {**FAR, "embedding_model": "e"}, {}, "not declared local"),
        (Task.MEANING, FAR, {}, "allow_cloud"),
        (Task.MEANING, {**FAR, "base_url": "http://models.example.com/v1"}, {"allow_cloud": True}, "must be https"),
        (Task.FACTS, {**LOCAL, "model": ""}, {}, "names no model"),
        (Task.EMBEDDINGS, LOCAL, {}, "names no embedding_model"),
        (Task.FACTS, {**LOCAL, "kind": "ollama", "model": "gpt-oss:120b-cloud"}, {}, "runs in a cloud"),
        (Task.FACTS, {**LOCAL, "model": "kimi-k2:Cloud"}, {}, "runs in a cloud"),
    ],
)
def test_a_route_that_may_not_be_used_is_refused_by_its_name(
    task: Task, provider: dict[str, Any], more: dict[str, Any], reason: str
) -> None:
    with pytest.raises(Denied, match=reason) as refusal:
        routes(provider, task.value, **more).provider(task)
    assert f"task {task.value} -> provider p at http" in str(refusal.value)


def test_meaning_may_go_elsewhere_where_the_task_says_so() -> None:
    assert routes(FAR, "meaning", allow_cloud=True).provider(Task.MEANING) is not None
    for task in ("memory", "embeddings"):
        with pytest.raises(InvalidInput, match="allow_cloud"):
            routes(FAR, task, allow_cloud=True)


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ([], "the models' file"),
        ("text", "the models' file"),
        ({"provider": {}}, "provider"),
        ({"providers": []}, "providers"),
        ({"providers": {"p": {**LOCAL, "kind": "grpc"}}}, "providers.p.kind"),
        ({"providers": {"p": {**LOCAL, "base_url": 7}}}, "providers.p.base_url"),
        ({"providers": {"p": {**LOCAL, "base_url": ""}}}, "providers.p.base_url"),
        ({"providers": {"p": {**LOCAL, "api_key": "sk-1"}}}, "providers.p.api_key"),
        ({"providers": {"p": {**LOCAL, "api_key_env": "sk-secret-value"}}}, "providers.p.api_key_env"),
        ({"providers": {"p": {**LOCAL, "local": "yes"}}}, "providers.p.local"),
        ({"providers": {"p": {**LOCAL, "timeout": 0}}}, "providers.p.timeout"),
        ({"providers": {"p": {**LOCAL, "timeout": True}}}, "providers.p.timeout"),
        ({"providers": {"p": {**LOCAL, "timeout": float("nan")}}}, "providers.p.timeout"),
        ({"providers": {"p": {**LOCAL, "model": "a\nb"}}}, "providers.p.model"),
        ({"providers": {3: LOCAL}}, "providers"),
        ({"tasks": {"memory": "nobody"}}, "tasks.memory"),
        ({"tasks": {"chat": "p"}}, "tasks.chat"),
        ({"local_hosts": "gpu.lan"}, "local_hosts"),
    ],
)
def test_a_mistake_is_named_by_its_key_and_never_by_its_value(data: object, field: str) -> None:
    with pytest.raises(InvalidInput) as mistake:
        parse_routes(data)
    assert field in mistake.value.field or field == mistake.value.field
    assert "secret" not in str(mistake.value)


@pytest.mark.parametrize(
    "url",
    ["ftp://127.0.0.1", "127.0.0.1:80", "http://", "http://user:pw@127.0.0.1/", "http://127.0.0.1@evil.example/",
     "http://127.0.0.1/?a=b", "http://127.0.0.1/#a", "http://127.0.0.1:99999/", "http://[::1", "unix:", "unix:/a:b",
     "file:///etc/passwd", "javascript:1", "http:///x"],
)  # fmt: skip
def test_what_is_no_base_url_is_refused_without_being_repeated(url: str) -> None:
    with pytest.raises(InvalidInput) as mistake:
        parse_place("base_url", url)
    assert "pw" not in str(mistake.value)


def test_places_are_told_as_they_will_be_called() -> None:
    assert str(parse_place("u", "HTTP://LocalHost./v1/")) == "http://localhost:80/v1"
    assert str(parse_place("u", "https://[::1]:8443")) == "https://[::1]:8443"
    assert str(parse_place("u", "unix:///run/llm.sock:/v1/")) == "unix:/run/llm.sock:/v1"


def test_cloud_tags_of_ollama_are_known() -> None:
    assert all(map(cloud_tagged, ["gpt-oss:120b-cloud", "deepseek-v3.1:671b-cloud", "kimi:cloud", "X:Y-CLOUD "]))
    assert not any(map(cloud_tagged, ["llama3:8b", "cloudy:7b", "cloud-llama:7b", "x/y:latest"]))
