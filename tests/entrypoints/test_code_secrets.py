"""Constants, defaults and docs of the code may hold secrets; no answer about the code repeats one."""

import json
from typing import Any

from remora.bootstrap import open_ports
from remora.config import Settings
from remora.core.errors import RemoraError
from remora.core.schema import checked
from remora.core.scope import operator_grant
from remora.entrypoints.catalogue.listing import OPERATIONS
from remora.entrypoints.catalogue.operation import Call

SECRET = "ghp_" + "a1B2c3D4e5F6" * 3
APP = f'''TOKEN = "{SECRET}"


def login(token="{SECRET}"):
    """Signs in with {SECRET}."""
    return token + TOKEN


def again(name: str = "{SECRET}") -> str:
    return login(name)
'''
WORDS = ("login", "again", "app.py", "TOKEN", "token", "python:app.py#login", SECRET[:6])


def test_no_answer_about_the_code_repeats_a_secret_of_it(world: Any) -> None:
    world.commit("Add login", app__py=APP)
    (world.repo / "app.py").write_text(APP.replace("+ TOKEN", "+ TOKEN + TOKEN"))
    ports = open_ports(Settings(data_dir=world.place / "data"), world.repo)
    answered = set()
    for operation in (each for each in OPERATIONS if not each.memory):
        properties = operation.input.get("properties", {})
        for words in WORDS:
            given = {name: [words] if properties[name].get("type") == "array" else words
                     for name in operation.input.get("required", ())}  # fmt: skip
            try:
                answer = operation.run(Call(ports, operator_grant()), checked(operation.input, given))
            except RemoraError:
                continue
            answered.add(operation.name)
            assert SECRET not in json.dumps(answer.data) + answer.text, (operation.name, words)
    assert {"get_node", "affected", "find_callers", "get_source", "query_graph", "search_text"} <= answered
    ports.record_index.close()
