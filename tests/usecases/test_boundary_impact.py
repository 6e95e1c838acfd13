"""Impact, callers and edits across languages, and guesses by unique name."""

from pathlib import Path

import pytest

from code_checkout import GRANT, Checkout
from remora.usecases.find_relations import RelationsRequest, find_relations
from remora.usecases.graph_status import graph_status
from remora.usecases.predict_edit import EditRequest, predict_edit

SERVER = (
    "from flask import Flask\napp = Flask(__name__)\n"
    "@app.get('/users/<int:number>')\ndef user(number):\n    return load()\ndef load(): ...\n"
)
CLIENT = "export function get(n) { return fetch(`/users/${n}`); }\nexport function page() { return get(1); }\n"
SENDER = "import redis\nbus = redis.Redis()\ndef send():\n    bus.publish('news', payload())\ndef payload(): ...\n"
TAKER = (
    "import {{ createClient }} from 'redis';\nconst bus = createClient();\n"
    "export function {name}() {{ bus.subscribe('news'); }}\n"
)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    found = Checkout(tmp_path).put("app.py", SERVER).put("web/client.js", CLIENT)
    found.index()
    return found


def names(answer: object) -> set[str]:
    return {item.id.partition(":")[2] for item in answer.affected}  # type: ignore[attr-defined]


def test_what_a_handler_calls_affects_clients_in_another_language(checkout: Checkout) -> None:
    found = names(checkout.affected("load"))
    assert {"app.py#user", "app.py#GET /users/{}", "web/client.js#get", "web/client.js#page"} <= found
    assert names(checkout.affected("web/client.js#get")) == {"web/client.js#page"}
    assert "web/client.js#get" in names(checkout.affected("app.py"))


def test_a_client_is_a_caller_of_the_handler(checkout: Checkout) -> None:
    found = find_relations(checkout, GRANT, RelationsRequest("user", "callers"))
    assert [item.id for item in found.found] == ["javascript:web/client.js#get"]
    found = find_relations(checkout, GRANT, RelationsRequest("get", "callees"))
    assert [item.id for item in found.found] == ["python:app.py#user"]


def test_a_new_name_of_a_handler_breaks_no_client_and_its_end_does(checkout: Checkout) -> None:
    renamed = predict_edit(checkout, GRANT, EditRequest("user", "rename"))
    assert "javascript:web/client.js#get" in {item.id for item in renamed.look_at}
    deleted = predict_edit(checkout, GRANT, EditRequest("user", "delete"))
    assert "javascript:web/client.js#get" in {item.id for item in deleted.breaks}


def test_receivers_depend_on_what_is_sent_and_not_on_one_another(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path).put("send.py", SENDER)
    for name in ("one", "two"):
        checkout.put(f"{name}.ts", TAKER.format(name=name))
    checkout.index()
    assert {"one.ts#one", "two.ts#two"} <= names(checkout.affected("payload"))
    found = names(checkout.affected("one", depth=6))
    assert "send.py#send" in found
    assert "two.ts#two" not in found


def test_guesses_are_stored_and_followed_only_when_asked_for(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path).write(
        a="class K:\n    def only_here(self): ...\n", b="def use(x):\n    x.only_here()\n"
    )
    checkout.index()
    assert names(checkout.affected("only_here")) == set()
    assert names(checkout.affected("only_here", ambiguous=True)) == {"b.py#use"}
    status = graph_status(checkout, GRANT)
    assert (status.counts["guess"], status.counts["unresolved"]) == (1, 1)
    assert '"AMBIGUOUS"' not in checkout.export()
    assert '"AMBIGUOUS"' in checkout.export(ambiguous=True)


def test_a_name_that_is_no_longer_unique_is_not_guessed(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path).write(
        a="class K:\n    def only_here(self): ...\n", b="def use(x):\n    x.only_here()\n"
    )
    checkout.index()
    checkout.write(c="class L:\n    def only_here(self): ...\n").index()
    assert names(checkout.affected("a.py#K.only_here", ambiguous=True)) == set()
    (tmp_path / "a.py").unlink()
    checkout.index()
    assert names(checkout.affected("only_here", ambiguous=True)) == {"b.py#use"}


def test_what_only_a_test_may_send_is_a_guess(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path).put("app.py", SERVER)
    checkout.put(
        "tests/test_app.py", "import requests\ndef test_user():\n    requests.get('http://localhost/users/1')\n"
    )
    checkout.put(
        "tests/test_real.py",
        "from app import app\nclient = app.test_client()\ndef test_user():\n    client.get('/users/1')\n",
    )
    checkout.index()
    assert "tests/test_app.py#test_user" not in names(checkout.affected("user"))
    assert "tests/test_real.py#test_user" in names(checkout.affected("user"))
