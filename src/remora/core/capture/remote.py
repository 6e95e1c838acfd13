"""Remote addresses in one form: no credentials, no `.git`, ssh and https spellings of one place alike."""

import posixpath
import re
from urllib.parse import unquote, urlsplit

_SCP = re.compile(r"(?:[^@/\\:]+@)?(\[[0-9A-Fa-f:]+\]|[^/\\:@]+):(?!//)(.*)", re.DOTALL)
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_HELPER = re.compile(r"[A-Za-z0-9+.-]+::")
_HOST = re.compile(r"[0-9a-f:.]*:[0-9a-f:.]*|[^\s\[\]:@/?#%\\]+")
_SSH_HOSTS = {
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
}
"""Hosts that forges offer for ssh over port 443; the repository behind them is the same."""
_WEB_SCHEMES = {"http", "https", "git", "ssh", "git+ssh", "ssh+git", "git+https"}
_DEFAULT_PORTS = {80, 443, 9418}


def normal_remote(url: str, *, base: str = "") -> str:
    """One https-like identity for a remote address, "" when nothing usable is left.

    `base` is the absolute folder that a relative local path is relative to. Local paths become `file:///...`.
    Host names are lower-cased, paths keep their case. Ports of ssh and default ports are dropped.
    """
    url = _printable(url).strip()
    if not url or _HELPER.match(url):  # a helper's address (`ext::command`) names a program, not a place
        return ""
    if _DRIVE.match(url):
        return _local("/" + url.replace("\\", "/"))
    if _SCHEME.match(url):
        return _from_url(url)
    scp = _SCP.fullmatch(url)
    if scp:
        return _web(scp[1], None, scp[2])
    if not url.startswith("/"):
        url = posixpath.join(base or "/", url)
    return _local(url)


def _from_url(url: str) -> str:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return ""
    scheme = parts.scheme.lower()
    if scheme == "file":
        return _local(_printable(unquote(parts.path)))
    if not host:
        return ""
    if scheme not in _WEB_SCHEMES:
        return f"{scheme}://{host}{_clean(parts.path)}"
    keep_port = "ssh" not in scheme and port not in _DEFAULT_PORTS
    return _web(host, port if keep_port else None, _printable(unquote(parts.path)))


def _web(host: str, port: int | None, path: str) -> str:
    host = host.strip("[]").lower().rstrip(".")
    host = _SSH_HOSTS.get(host, host)
    if host == "ssh.dev.azure.com":
        host, path = _azure(path)
    path = _clean(path)
    if not _HOST.fullmatch(host) or path == "/":
        return ""
    shown = f"[{host}]" if ":" in host else host
    return f"https://{shown}" + (f":{port}" if port else "") + path.translate(_ESCAPES)


def _printable(text: str) -> str:
    return "".join(char for char in text if char.isprintable())


_ESCAPES = str.maketrans({char: f"%{ord(char):02X}" for char in "%#? "})
"""What would not be read as part of a path again."""


def _azure(path: str) -> tuple[str, str]:
    """Azure's ssh form `v3/org/project/repo` names the same place as `org/project/_git/repo`."""
    parts = path.strip("/").split("/")
    if len(parts) == 4 and parts[0] == "v3":
        path = f"{parts[1]}/{parts[2]}/_git/{parts[3]}"
    return "dev.azure.com", path


def _local(path: str) -> str:
    return "file://" + _clean(path)


def _clean(path: str) -> str:
    path = posixpath.normpath("/" + path.strip("/"))
    while path.endswith(".git"):
        path = path.removesuffix(".git").rstrip("/") or "/"
    return path
