"""Talks to the resident server: HTTP/1.1 by hand over loopback, the token from the run file, exact bytes back.

Run file `<home>/cache/run.json`, mode 0600: {"port": 8420, "token": "hex", "pid": 1, "deadline_ms": 8000}; the deadline
is left out when no model is routed.
Request: POST /api/v1/hook?client=..&event=..&mode=..[&shadow=1], `Authorization: Bearer <token>`, `Remora-Folder`
(where the hook runs, percent-encoded), the event as body.
Answer: 200 with the bytes to print, or 204 for silence.
"""
# ruff: noqa: PLC0415 -- modules load where they are needed: a silent hook must not pay for the others

import time

from remora_hook.gate import posix, variable

_SMALL_FILE_MAX_BYTES = 64 << 10
"""Of a run file or a config file; both are a few lines."""
_ANSWER_MAX_BYTES = 1 << 20
_CONNECT_SECONDS = 0.5


class Server:
    """A server that may be asked: where it listens and what opens it."""

    def __init__(self, port: int, token: str, deadline_seconds: float = 0.0) -> None:
        self.port = port
        self.token = token
        self.deadline_seconds = deadline_seconds


def find_server(home: str, options: dict[str, str]) -> Server | str:
    """The server named by `--url` or by the run file; else the reason why there is none."""
    if url := options.get("url", ""):
        return _server_of_url(url)
    raw = _private_bytes(home + "/cache/run.json")
    if not raw:
        return "no_run_file"
    port, token, process = _number(raw, b'"port"'), _text(raw, b'"token"'), _number(raw, b'"pid"')
    if not 0 < port < 65536 or not token:
        return "bad_run_file"
    if process > 0 and not _is_alive(process):
        return "server_gone"  # its port may belong to somebody else by now
    return Server(port, token, _number(raw, b'"deadline_ms"') / 1000)


def ask(server: Server, event: bytes, options: dict[str, str], until: float) -> bytes | str:
    """The answer's bytes (b"" is silence), or the reason why there is none; "refused" when nobody listens."""
    import _socket

    connection = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    try:
        connection.settimeout(max(0.01, min(_CONNECT_SECONDS, until - time.monotonic())))
        try:
            connection.connect(("127.0.0.1", server.port))
        except OSError:
            return "refused"
        connection.settimeout(max(0.01, until - time.monotonic()))
        connection.sendall(_request(server, event, options) + event)
        received = b""
        while not _is_whole(received) and (piece := connection.recv(65536)):
            received += piece
            connection.settimeout(max(0.01, until - time.monotonic()))
        return _body(received)
    except TimeoutError:
        return "server_slow"
    except OSError:
        return "server_broke_off"
    finally:
        connection.close()


def is_json_object(text: str) -> bool:
    """Whether the text is one JSON object and nothing else."""
    text = text.strip(" \t\r\n")
    if not text.startswith("{"):
        return False
    try:
        from _json import make_scanner
    except ImportError:  # interpreters without the C scanner
        import json

        try:
            return isinstance(json.loads(text), dict)
        except (ValueError, RecursionError):
            return False
    try:
        value, end = make_scanner(_Scanning())(text, 0)  # type: ignore[arg-type]  # any object with these attributes will do
    except (StopIteration, ValueError, RecursionError):
        return False
    return isinstance(value, dict) and int(end) == len(text)


class _Scanning:
    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: dict[str, str] = {}  # noqa: RUF012 -- the C scanner wants an attribute, once per process


def _request(server: Server, event: bytes, options: dict[str, str]) -> bytes:
    from remora_hook.journal import word

    names = ("client", "event", "mode", "shadow")
    query = "&".join(f"{name}={word(options[name])}" for name in names if name in options)
    lines = (
        f"POST /api/v1/hook?{query} HTTP/1.1",
        f"Host: 127.0.0.1:{server.port}",
        f"Authorization: Bearer {server.token}",
        f"Remora-Folder: {_percent(posix.getcwd())}",
        "Content-Type: application/json",
        f"Content-Length: {len(event)}",
        "Connection: close",
    )
    return "\r\n".join((*lines, "", "")).encode()


def _percent(path: str) -> str:
    plain = b"/-_.:abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    return "".join(chr(byte) if byte in plain else f"%{byte:02X}" for byte in path.encode("utf-8", "surrogateescape"))


def _body(received: bytes) -> bytes | str:
    head, end, body = received.partition(b"\r\n\r\n")
    words = head.split(b" ", 2)
    if not end or len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not words[1].isdigit():
        return "server_spoke_garbage"
    if words[1] == b"204":
        return b""
    if words[1] != b"200":
        return "server_said_" + words[1].decode("ascii")
    if _length(head) != len(body):
        return "answer_cut_short"
    if not body.strip():
        return b""
    try:
        return body if is_json_object(body.decode("utf-8")) else "answer_is_not_json"
    except UnicodeDecodeError:
        return "answer_is_not_json"


def _length(head: bytes) -> int:
    """What the head says about the body's length, -1 when it says nothing."""
    lines = head.lower().split(b"\r\n")
    length = next((line[15:].strip() for line in lines if line.startswith(b"content-length:")), b"")
    return int(length) if length.isdigit() and len(length) < 10 else -1


def _is_whole(received: bytes) -> bool:
    """Whether there is nothing more to wait for, also from a server that keeps the connection open."""
    head, end, body = received.partition(b"\r\n\r\n")
    length = 0 if head[9:12] == b"204" else _length(head)
    return len(received) > _ANSWER_MAX_BYTES or bool(end and 0 <= length <= len(body))


def _private_bytes(path: str) -> bytes:
    """The file's bytes when it is a file of ours that nobody else can read, else b""."""
    try:
        descriptor = posix.open(path, posix.O_RDONLY | getattr(posix, "O_NOFOLLOW", 0))
    except OSError:
        return b""
    try:
        status = posix.fstat(descriptor)
        if hasattr(posix, "geteuid") and (status.st_uid != posix.geteuid() or status.st_mode & 0o077):
            return b""
        return posix.read(descriptor, _SMALL_FILE_MAX_BYTES)
    except OSError:
        return b""
    finally:
        posix.close(descriptor)


def _number(raw: bytes, key: bytes) -> int:
    digits = raw.partition(key)[2].lstrip(b" \t:")
    end = 0
    while digits[end : end + 1].isdigit() and end < 12:
        end += 1
    return int(digits[:end] or b"0")


def _text(raw: bytes, key: bytes) -> str:
    value = raw.partition(key)[2].lstrip(b" \t:")
    text = value[1:].partition(b'"')[0] if value.startswith(b'"') else b""
    return text.decode("ascii") if text.isascii() and text.isalnum() else ""


def _is_alive(process: int) -> bool:
    """Whether a process of ours has this number."""
    if not hasattr(posix, "getpgid"):
        return True
    try:
        posix.kill(process, 0)
    except OSError:
        return False
    return True


def _token_of_config() -> str:
    """`api_token` of the user's config file, when nobody else can read that."""
    base = variable("XDG_CONFIG_HOME") or (variable("HOME") or variable("USERPROFILE")) + "/.config"
    for line in _private_bytes(variable("REMORA_CONFIG") or base + "/remora/config.toml").split(b"\n"):
        name, _, value = line.partition(b"=")
        if name.strip() == b"api_token":
            return value.strip(b" \t\r\"'").decode("ascii", "replace")
    return ""


def _server_of_url(url: str) -> Server | str:
    """`http://127.0.0.1:PORT` with the user's own token; another host is not for this process to ask."""
    token = variable("REMORA_API_TOKEN") or _token_of_config()
    for prefix in ("http://127.0.0.1:", "http://localhost:"):
        port = url.removeprefix(prefix).strip("/")
        if url.startswith(prefix) and port.isdigit() and 0 < int(port) < 65536:
            return Server(int(port), token) if token and token.isascii() and token.isprintable() else "no_token"
    return "url_is_not_loopback"
