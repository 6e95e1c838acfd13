"""One bounded JSON exchange with a provider: key from a variable, size cap, deadline; faults as values."""

import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass

from remora.core.models.place import not_local
from remora.core.models.routes import LOCAL_ONLY, Provider, Task, refused
from remora.core.models.wire import Fault, NoAnswer
from remora.core.policy import MODEL_CONNECT_SECONDS, MODEL_REPLY_MAX_BYTES

Variable = Callable[[str], str]
"""The value of an environment variable, "" when unset."""


Resolve = Callable[[str, int, float], list[str]]


def resolved(host: str, port: int, seconds: float) -> list[str]:
    """Every address of a host, in the system's order; empty when it has none or none is told in time."""
    found: list[str] = []

    def ask() -> None:
        try:
            rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):  # a label that is too long fails in the codec
            return
        found.extend(dict.fromkeys(str(row[4][0]) for row in rows))

    asking = threading.Thread(target=ask, daemon=True)  # a resolver cannot be interrupted, only left behind
    asking.start()
    asking.join(seconds)
    return list(found)


@dataclass(frozen=True)
class Endpoint:
    """A provider as one task sees it. Nothing is connected until `post`."""

    provider: Provider
    task: Task
    local_hosts: tuple[str, ...]
    variable: Variable
    resolve: Resolve = resolved

    def post(self, path: str, body: bytes, seconds: float) -> bytes | NoAnswer:
        """The answer's body. Raises `Denied`, naming the route, when the task must be local and the host is not."""
        from httpcore2 import TimeoutException

        key = ""
        if self.provider.api_key_env:
            key = self.variable(self.provider.api_key_env)
            if not (key and key.isascii() and key.isprintable()):
                return NoAnswer(Fault.NO_KEY, f"the variable {self.provider.api_key_env} holds no key")
        addresses = self._addresses()
        if not addresses:
            return NoAnswer(Fault.UNREACHABLE, "the host's name is not known")
        try:
            return self._exchange(addresses, path, body, key, seconds)
        except TimeoutException:
            return NoAnswer(Fault.TIMEOUT, f"no whole answer within {seconds:g} s")
        except Exception as error:  # noqa: BLE001 -- whatever a foreign server makes the client raise is no answer
            return NoAnswer(Fault.UNREACHABLE, type(error).__name__)

    def _addresses(self) -> list[str]:
        """Where to connect, checked: a name is asked for once per exchange, and only what was checked is used."""
        place = self.provider.place
        assert place is not None
        if place.socket:
            return [place.socket]
        addresses = self.resolve(place.host, place.port, MODEL_CONNECT_SECONDS)
        if addresses and (self.provider.local or self.task in LOCAL_ONLY):
            problem = not_local(place.host, addresses, self.local_hosts)
            if problem:
                raise refused(self.provider, self.task, problem)
        return addresses

    def _exchange(self, addresses: list[str], path: str, body: bytes, key: str, seconds: float) -> bytes | NoAnswer:
        import httpx2

        from remora.adapters.openai_http.pinned import Pinned

        place = self.provider.place
        assert place is not None
        headers = {"content-type": "application/json", "accept": "application/json", "accept-encoding": "identity"}
        if key:
            headers["authorization"] = f"Bearer {key}"
        transport = Pinned(place, addresses, seconds)
        with (
            httpx2.Client(transport=transport, trust_env=False, follow_redirects=False) as client,
            client.stream("POST", f"{place.origin}{path}", content=body, headers=headers) as answer,
        ):
            if answer.is_redirect:
                return NoAnswer(Fault.REFUSED, f"it redirects (status {answer.status_code}), which is not followed")
            if not answer.is_success:
                return NoAnswer(Fault.STATUS, f"status {answer.status_code}")
            return _bounded(answer, MODEL_REPLY_MAX_BYTES)


def _bounded(answer: "httpx2.Response", limit: int) -> bytes | NoAnswer:  # type: ignore[name-defined]  # noqa: F821
    """The body as it came, up to the limit; an encoding that was not asked for could hide any size."""
    if answer.headers.get("content-encoding", "identity").lower() not in ("identity", ""):
        return NoAnswer(Fault.REFUSED, "the answer is compressed, which was not asked for")
    data = bytearray()
    for chunk in answer.iter_raw():
        data += chunk
        if len(data) > limit:
            return NoAnswer(Fault.TOO_LARGE, f"more than {limit} bytes")
    return bytes(data)
