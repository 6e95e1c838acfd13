"""Redaction: placeholders, idempotence, what must be left alone, and cost on hostile text."""

import base64
import hashlib
import sysconfig
import time
import uuid
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.redaction import Finding, Redacted, redact, redact_text
from remora.core.redaction.contexts import CONTEXT_SHAPES
from remora.core.redaction.patterns import BLOCK_SHAPES, VENDOR_SHAPES
from remora.core.redaction.shape import compiled

SECRET = "hunter" + "2x9"
PIECES = st.sampled_from(
    [
        "password",
        "token",
        "secret_key",
        "=",
        ": ",
        " ",
        "\n",
        '"',
        "'",
        "\\",
        "[redacted:",
        "]",
        ":",
        "a1B2c3D4e5F6g7H8i9J0",
        SECRET,
        "[redacted:password:0a1b2c3d]",
        "://",
        "u:",
        "@h",
        "Authorization: Bearer ",
        "eyJhbGciOi.",
        "Cookie: a=",
        ";",
        "--",
        "ghp" + "_" + "aB3" * 12,
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "MII" + "aB3/" * 15,
        "东",
        "\ud800",
        "\0",
        "{",
        "}",
        "export ",
        ", ",
    ]
)


@given(st.one_of(st.text(st.characters(codec=None), max_size=200), st.lists(PIECES, max_size=14).map("".join)))
def test_redacting_again_changes_nothing(text: str) -> None:
    once = redact(text)
    assert redact(once.text) == Redacted(once.text)


@given(st.text(st.characters(codec=None), max_size=100))
def test_a_text_without_findings_comes_back_unchanged(text: str) -> None:
    result = redact(text)
    assert result.findings or result.text == text


def test_a_placeholder_says_kind_and_hash_and_the_rest_stays() -> None:
    result = redact(f"user=app\npassword={SECRET}\nport=5432\n", b"key")
    (finding,) = result.findings
    assert finding.kind == "password"
    assert result.text == f"user=app\npassword=[redacted:password:{finding.hash}]\nport=5432\n"
    assert SECRET not in repr(result)


def test_a_hash_is_stable_per_key_and_differs_between_keys_and_secrets() -> None:
    def hashes(text: str, key: bytes) -> list[str]:
        return [finding.hash for finding in redact(text, key).findings]

    twice = hashes(f"password={SECRET}\nDB_PASSWORD: {SECRET}\npassword={SECRET}0\n", b"k")
    assert twice[0] == twice[1] != twice[2]
    assert hashes(f"password={SECRET}", b"k") == twice[:1]
    assert hashes(f"password={SECRET}", b"other") != twice[:1]
    assert hashes(f"password={SECRET}", b"long" * 100) != twice[:1]


def test_findings_come_in_the_order_of_the_text() -> None:
    token = "ghp" + "_" + "aB3" * 12
    assert [finding.kind for finding in redact(f"password={SECRET} and {token}").findings] == [
        "password",
        "github-token",
    ]


def test_nested_secrets_become_one_finding() -> None:
    token = "ghp" + "_" + "aB3" * 12
    assert [finding.kind for finding in redact(f'token = "{token}"').findings] == ["github-token"]


def test_redact_text_is_the_text_of_redact() -> None:
    assert redact_text(f"password={SECRET}") == redact(f"password={SECRET}").text
    assert redact_text("plain words") == "plain words"
    assert Finding("a", "b") == Finding("a", "b")


def test_what_stands_beside_a_placeholder_is_still_found() -> None:
    left = redact_text(f"Cookie: a=[redacted:cookie:0a1b2c3d]; sid={SECRET}; theme=[redacted:cookie:0a1b2c3d]")
    assert SECRET not in left
    assert left.count("[redacted:cookie:0a1b2c3d]") == 2


_random = Random(7)


def _hashes() -> list[str]:
    found: list[str] = []
    for _ in range(125):
        data = _random.randbytes(64)
        found += [
            hashlib.sha1(data).hexdigest(),
            hashlib.sha256(data).hexdigest(),
            hashlib.sha512(data).hexdigest(),
            hashlib.md5(data).hexdigest()[: _random.randint(7, 32)],
            str(uuid.UUID(bytes=data[:16], version=4)),
            "sha256-" + base64.b64encode(data[:32]).decode(),
            "sha384-" + base64.b64encode(data[:48]).decode(),
            "sha512-" + base64.b64encode(data).decode(),
        ]
    return found


@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "commit {}",
        "reverts {} and more",
        '"integrity": "{}",',
        "image@sha256:{}",
        "id: {}",
        "https://example.com/acme/api/commit/{}",
        "uses: actions/checkout@{}",
        "'{}'",
        "rev = \"{}\"",
        "request_id={}",
        "idempotency_key: {}",
        "cache_key={}",
        "({})",
    ],
)  # fmt: skip
def test_hashes_and_ids_are_kept(around: str) -> None:
    touched = [word for word in _hashes() if redact(around.format(word)).findings]
    assert touched == []


@pytest.mark.parametrize(
    "line",
    [
        "password = get_password()",
        "password = os.environ['DB_PASSWORD']",
        'token = os.getenv("API_TOKEN")',
        "password=password, token=token",
        "password: str",
        "password: Optional[str] = None",
        "api_key: ${API_KEY}",
        "API_KEY=$API_KEY",
        'PASSWORD="${DB_PASSWORD:-}"',
        "token: {{ secrets.TOKEN }}",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "password = <your-password>",
        'api_key = "your-api-key-here"',
        'password = "changeme"',
        "SECRET_KEY = env('SECRET_KEY')",
        "secretKeyRef:\n  name: db\n  key: password",
        "max_tokens=4096",
        "tokens = tokenizer.encode(text)",
        "token_type: bearer",
        "private_key_path = /etc/ssl/private/server.key",
        'headers = {"Authorization": f"Bearer {token}"}',
        'headers["Authorization"] = "Bearer " + token',
        "Authorization: Bearer <token>",
        "Authorization: Bearer $TOKEN",
        "postgres://user:${PASSWORD}@host/db",
        "postgres://user:password@localhost/db",
        "https://user@example.com/path",
        "http://localhost:8080/@scope/package",
        "git@github.com:acme/api.git",
        "the password is checked before the token expires",
        "--password is required",
        "tool --token $TOKEN",
        "if password == other.password:",
        'name="password" type="password"',
        'input[type="password"]',
        "sort_keys=True, key=lambda item: item.name",
        "primary_key: user_id_2024",
        "class TokenAuthenticationMiddleware2(BaseMiddleware):",
        "def test_oauth2_token_refresh_v2(): pass",
        "src/components/AuthenticationProvider2/index.test.tsx",
        "/usr/lib/python3.11/site-packages/numpy/core/_multiarray_umath.cpython-311-x86_64-linux-gnu.so",
        "01HZX3V9QK8M4T5N6P7R8S9T0V",
        "2024-05-01T12:34:56.789012Z",
        "xoxo, the team; sk-learn and task-runner-configuration-loader",
        "SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDgsKQsaQdW7Xk2vYs (ED25519)",
        "golang.org/x/crypto v0.17.0 h1:r8bRNjWL3GshPW3gkd+RpvzWrZAwPS49OmTGZ/uhM4k=",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
        "-----BEGIN CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----",
    ],
)
def test_ordinary_lines_are_left_alone(line: str) -> None:
    assert redact(line).findings == ()


def test_the_standard_library_is_left_alone() -> None:
    files = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))[::4]
    lines = touched = 0
    for file in files:
        text = file.read_text(encoding="utf-8", errors="replace")
        lines += text.count("\n")
        touched += sum(a != b for a, b in zip(text.split("\n"), redact(text).text.split("\n"), strict=False))
    assert lines > 10_000
    assert touched <= 0.001 * lines


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "aB3",
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "://a:",
        "password=",
        "?token=",
        "pass:",
        "key",
        "eyJ",
        "mysql -p",
        "Cookie: a=",
        "sk-",
        "token: |\n",
        '\\"',
        "[redacted:",
        "name: key, value",
        "é",
        "\0",
        "kind: Secret\ndata:\n a: bbbbb\n",
        "<password>",
        ":AA",
        "Q~",
    ],
)
def test_hostile_text_costs_little(unit: str) -> None:
    text = 'password = "' + (unit * (100_000 // len(unit) + 1))[:100_000]
    before = time.process_time()
    redact(text)
    assert time.process_time() - before < 2.5  # ten times the bar: a test run must not fail by a busy machine


def test_every_shape_compiles_and_names_its_literals() -> None:
    for shape in (*BLOCK_SHAPES, *VENDOR_SHAPES, *CONTEXT_SHAPES):
        compiled(shape.regex)
        compiled(shape.before)
        assert all(shape.literals), shape.kind
    assert len({shape.kind for shape in VENDOR_SHAPES}) >= 30
