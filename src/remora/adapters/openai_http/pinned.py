"""A transport that connects to addresses that were checked and to no other, under one deadline over everything."""
# ruff: noqa: ARG002 -- the signatures are those of httpcore2; our deadline stands in for its timeouts

import socket
import ssl
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import httpcore2
import httpx2

from remora.core.models.place import Place
from remora.core.policy import MODEL_CONNECT_SECONDS


class Pinned(httpx2.BaseTransport):
    """Connects to `addresses` whatever the URL's host says; TLS still checks the host's own name. No redirects, no
    proxies: neither is known here. Every read and write ends at the deadline, so that nothing can drip past it.
    """

    def __init__(self, place: Place, addresses: Sequence[str], seconds: float) -> None:
        until = time.monotonic() + seconds
        context = ssl.create_default_context() if place.scheme == "https" else None
        self._pool = httpcore2.ConnectionPool(
            ssl_context=context,
            network_backend=_Backend(addresses, place.socket, until),
            max_keepalive_connections=0,
        )

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """One exchange; raises errors of `httpcore2`."""
        url = request.url
        answer = self._pool.handle_request(
            httpcore2.Request(
                method=request.method,
                url=httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
                headers=request.headers.raw,
                content=request.read(),
                extensions={},
            )
        )
        return httpx2.Response(answer.status, headers=answer.headers, stream=_Body(answer.stream))

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()


class _Body(httpx2.SyncByteStream):
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __iter__(self) -> Any:
        yield from self._stream

    def close(self) -> None:
        self._stream.close()


class _Backend(httpcore2.NetworkBackend):
    def __init__(self, addresses: Sequence[str], path: str, until: float) -> None:
        self._addresses = addresses
        self._path = path
        self._until = until

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        """To the unix socket, or to the first checked address that answers."""
        places: list[str | tuple[str, int]] = [self._path] if self._path else [(at, port) for at in self._addresses]
        failure: OSError = ConnectionError("no address")
        for place in places:
            try:
                return _Wire(_connected(place, min(MODEL_CONNECT_SECONDS, _left(self._until))), self._until)
            except OSError as error:
                failure = error
        kind = httpcore2.ConnectTimeout if isinstance(failure, TimeoutError) else httpcore2.ConnectError
        raise kind(type(failure).__name__)

    def sleep(self, seconds: float) -> None:
        """Between retries, of which there are none."""


def _connected(place: str | tuple[str, int], seconds: float) -> socket.socket:
    if isinstance(place, tuple):
        return socket.create_connection(place, seconds)
    wire = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        wire.settimeout(seconds)
        wire.connect(place)
    except BaseException:
        wire.close()
        raise
    return wire


class _Wire(httpcore2.NetworkStream):
    """A socket whose every operation ends at the deadline."""

    def __init__(self, wire: socket.socket, until: float) -> None:
        self._wire = wire
        self._until = until

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        with _told():
            self._wire.settimeout(_left(self._until))
            return self._wire.recv(max_bytes)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        view = memoryview(buffer)
        with _told():
            while view:
                self._wire.settimeout(_left(self._until))
                view = view[self._wire.send(view) :]

    def close(self) -> None:
        self._wire.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        with _told():
            self._wire.settimeout(_left(self._until))
            return _Wire(ssl_context.wrap_socket(self._wire, server_hostname=server_hostname), self._until)

    def get_extra_info(self, info: str) -> Any:
        return None


@contextmanager
def _told() -> Iterator[None]:
    """Trouble of sockets in httpcore's words."""
    try:
        yield
    except TimeoutError as error:
        raise httpcore2.ReadTimeout("deadline") from error
    except OSError as error:
        raise httpcore2.ReadError(type(error).__name__) from error


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise httpcore2.ReadTimeout("deadline")
    return left
