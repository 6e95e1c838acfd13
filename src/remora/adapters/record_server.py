"""The records of a repository on a `remora serve` elsewhere, over its HTTP API."""

import http.client
import ipaddress
import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode, urlsplit

from remora.core import policy
from remora.core.errors import Conflict, Denied, InvalidInput, LimitReached, NotFound, RemoraError, Unavailable
from remora.core.records.exchange import ServerListing, Taken
from remora.core.records.model import is_record_id

_API = "/api/v1"
_ERRORS: Mapping[int, type[RemoraError]] = {
    403: Denied, 404: NotFound, 409: Conflict, 413: LimitReached,
}  # fmt: skip
_KEY = "make a key there with `remora keys create`, and put it into REMORA_API_TOKEN"


class HttpRecordServer:
    """One repository of one server. `identities` are the names that the repository goes by here."""

    def __init__(self, url: str, token: str, identities: Sequence[str]) -> None:
        self._https, self._host, self._port, self._path = _place(url)
        self._token = token
        self._identities = identities
        self._repository = ""

    def listing(self) -> ServerListing:
        """Ids of every record that the key may see."""
        ids: set[str] = set()
        cursor, page = "", {}
        while True:
            more = {"cursor": cursor} if cursor else {}
            page = self._ask("GET", f"/records/ids?{urlencode({'limit': policy.EXCHANGE_IDS_PAGE, **more})}")
            ids.update(each for each in _strings(page.get("ids")) if is_record_id(each))
            following = page.get("next_cursor")
            if not isinstance(following, str) or not following or following == cursor:
                return ServerListing(frozenset(ids), str(page.get("principal", "")), page.get("operator") is True)
            cursor = following

    def give(self, record_ids: Collection[str]) -> bytes:
        """A bundle of as many of these records as one answer carries."""
        bundle = self._ask("POST", "/records/export", {"ids": sorted(record_ids)}).get("bundle")
        if not isinstance(bundle, str):
            raise Unavailable(f"{self._host} answered without a bundle")
        return bundle.encode("utf-8", "surrogatepass")

    def take(self, bundle: bytes) -> Taken:
        """Bring it a bundle."""
        done = self._ask("POST", "/records/import", {"bundle": bundle.decode()})
        recorded, present, denied = (_count(done.get(name)) for name in ("recorded", "already_present", "denied"))
        return Taken(recorded, present, denied, _strings(done.get("conflicts")), _strings(done.get("bad")))

    # --- HTTP ---------------------------------------------------------------------------------------------------------

    def _ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        self._repository = self._repository or self._find()
        return self._call(method, f"/repos/{self._repository}{path}", body)

    def _find(self) -> str:
        rows = self._call("GET", "/repos").get("repositories")
        for row in rows if isinstance(rows, list) else ():
            if isinstance(row, dict) and row.get("identity") in self._identities:
                return str(row.get("id"))[:40]
        raise NotFound(
            f"{self._host} serves no repository called {self._identities[0]} to this key",
            advice="start it with `--repo`, or `--hosted` where it has no checkout, and grant the key",
        )

    def _call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        kind = http.client.HTTPSConnection if self._https else http.client.HTTPConnection
        connection = kind(self._host, self._port, timeout=policy.EXCHANGE_TIMEOUT_SECONDS)
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json"}
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body, ensure_ascii=False).encode()
        try:
            connection.request(method, f"{self._path}{_API}{path}", data, headers)
            answer = connection.getresponse()
            content = answer.read(policy.EXCHANGE_ANSWER_MAX_BYTES + 1)
        except (OSError, http.client.HTTPException) as error:
            raise Unavailable(
                f"{self._host} does not answer ({type(error).__name__})", advice="check --server"
            ) from None
        finally:
            connection.close()
        return self._read(answer.status, content)

    def _read(self, status: int, content: bytes) -> dict[str, Any]:
        try:
            found = json.loads(content) if len(content) <= policy.EXCHANGE_ANSWER_MAX_BYTES else None
        except (ValueError, RecursionError):
            found = None
        told = found if isinstance(found, dict) else {}
        if status == 200 and isinstance(found, dict):
            return told
        if status == 401:
            raise Denied(f"{self._host} does not know the key", advice=_KEY)
        detail, advice = (str(told.get(name, ""))[:300] for name in ("detail", "advice"))
        raise _ERRORS.get(status, Unavailable)(f"{self._host}: {detail or f'status {status}'}", advice=advice)


def _place(url: str) -> tuple[bool, str, int | None, str]:
    """(whether TLS, host, port, path in front). A key never goes unencrypted to another machine."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port, parts = "", None, urlsplit("")
    if parts.scheme not in ("http", "https") or not host or parts.username or parts.password or parts.query:
        raise InvalidInput("--server", "is no address of a server", allowed="https://host, or http:// on this machine")
    if parts.scheme == "http" and not _is_here(host):
        raise InvalidInput("--server", f"{host} is not this machine, and http would show the key", allowed="https://")
    return parts.scheme == "https", host, port, parts.path.rstrip("/")


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _strings(value: Any) -> tuple[str, ...]:
    return tuple(str(each)[:500] for each in value) if isinstance(value, list) else ()


def _count(value: Any) -> int:
    return value if type(value) is int else 0
