"""Where a provider is, and which addresses count as local: loopback, or private ones of a host that was listed."""

import ipaddress
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from remora.core.errors import InvalidInput

PLACE_FORM = "http(s)://host:port/path, or unix:/path.sock:/path"
PRIVATE_NETWORKS = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7")
"""Home, office and overlay networks; link-local addresses are left out, where clouds serve credentials."""
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True, slots=True)
class Place:
    """A checked base URL. `socket` is a unix socket's path, else ""; `path` has no slash at its end."""

    scheme: str
    host: str
    port: int
    path: str
    socket: str = ""

    def __str__(self) -> str:
        if self.socket:
            return f"unix:{self.socket}:{self.path}"
        return f"{self.origin}{self.path}"

    @property
    def origin(self) -> str:
        """Scheme and authority of requests; a unix socket is spoken to as `localhost`."""
        if self.socket:
            return "http://localhost"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


def parse_place(where: str, url: str) -> Place:
    """Read a base URL; no user, query or fragment. Raises `InvalidInput` without repeating what may be a secret."""
    if url.startswith("unix:"):
        socket, _, path = url.removeprefix("unix:").partition(":")
        socket = "/" + socket.lstrip("/")
        if len(socket) < 2 or (path and not path.startswith("/")):
            raise InvalidInput(where, "is no unix socket", allowed=PLACE_FORM)
        return Place("unix", "localhost", 0, path.rstrip("/"), socket)
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise InvalidInput(where, "is not a URL", allowed=PLACE_FORM) from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidInput(where, "has no http scheme or no host", allowed=PLACE_FORM)
    if "@" in parts.netloc or parts.query or parts.fragment or "?" in url or "#" in url:
        raise InvalidInput(
            where, "holds a user, a query or a fragment", allowed=PLACE_FORM + "; keys go by api_key_env"
        )
    host = parts.hostname.rstrip(".").lower()
    return Place(parts.scheme, host, port or (443 if parts.scheme == "https" else 80), parts.path.rstrip("/"))


def cloud_tagged(model: str) -> bool:
    """Whether a model's tag says that Ollama forwards it to its cloud (`gpt-oss:120b-cloud`, `kimi:cloud`)."""
    tag = model.strip().lower().rpartition(":")[2]
    return tag == "cloud" or tag.endswith("-cloud")


def plain(raw: str) -> Address:
    """An address, unwrapped when it is IPv4 inside IPv6. Raises `ValueError`."""
    address = ipaddress.ip_address(raw.partition("%")[0])
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def not_local(host: str, addresses: Sequence[str], local_hosts: Iterable[str]) -> str:
    """Why a host that resolves to these addresses is not local, "" when every one of them is. Fails closed."""
    if not addresses:
        return f"{host} resolves to no address"
    listed = tuple(local_hosts)
    for raw in addresses:
        try:
            address = plain(raw)
        except ValueError:
            return f"{host} resolves to what is no address"
        if address.is_loopback:
            continue
        if not any(_covers(entry, address) for entry in PRIVATE_NETWORKS):
            return f"{host} resolves to {address}, which is neither loopback nor private"
        if not (host in listed or any(_covers(entry, address) for entry in listed)):
            return f"{host} resolves to {address}, which is private but not in local_hosts"
    return ""


def _covers(entry: str, address: Address) -> bool:
    try:
        return address in ipaddress.ip_network(entry, strict=False)
    except (ValueError, TypeError):
        return False
