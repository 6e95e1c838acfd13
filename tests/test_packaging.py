"""The compose stack, as far as it shows without containers: names, order, addresses, and no weak password."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

PACKAGING = Path(__file__).parents[1] / "packaging"


@pytest.fixture(scope="module")
def stack() -> Any:
    return YAML(typ="safe").load((PACKAGING / "compose.yaml").read_text())["services"]


def checked(password: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["sh", str(PACKAGING / "check-password.sh")], env={"NEO4J_PASSWORD": password, "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, timeout=20, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    "password", ["", "tiny7", "changeme-changeme", "Password123456", "neo4jneo4jneo4j", "abc/defghijk", "a b c d e f g"]
)  # fmt: skip
def test_an_empty_short_or_sample_password_starts_nothing(password: str) -> None:
    done = checked(password)
    assert done.returncode == 1
    assert "openssl rand" in done.stderr
    assert not password or password not in done.stderr


def test_a_made_password_is_taken() -> None:
    assert checked("7f3a90c1d2e4b5a6978812ff").returncode == 0


def test_the_example_holds_no_password_and_names_every_variable(stack: Any) -> None:
    lines = (PACKAGING / ".env.example").read_text().splitlines()
    given = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    assert given["NEO4J_PASSWORD"] == ""
    used = set(re.findall(r"(?<!\$)\$\{([A-Z0-9_]+)", (PACKAGING / "compose.yaml").read_text()))
    assert used == set(given)


def test_the_stack_is_open_to_this_machine_alone_and_starts_in_order(stack: Any) -> None:
    published = [port for service in stack.values() for port in service.get("ports", [])]
    assert published
    assert all(port.startswith("127.0.0.1:") for port in published)
    assert stack["neo4j"]["depends_on"]["check"]["condition"] == "service_completed_successfully"
    assert stack["remora"]["depends_on"]["neo4j"]["condition"] == "service_healthy"
    assert "RETURN 1" in stack["neo4j"]["healthcheck"]["test"][1]
    assert " -p" not in stack["neo4j"]["healthcheck"]["test"][1]
    assert stack["remora"]["environment"]["REMORA_STORE_DATABASE"]
    assert stack["neo4j"]["environment"]["NEO4J_AUTH"].startswith("neo4j/${NEO4J_PASSWORD:?")


def test_the_image_serves_the_mounted_repository_and_is_given_no_secret() -> None:
    text = (PACKAGING / "Dockerfile").read_text()
    assert '"--repo", "/repo"' in text
    assert "PASSWORD" not in text
