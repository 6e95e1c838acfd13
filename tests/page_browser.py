"""What a browser does of its own, without one: cookies, the form's token, and where a form comes from."""

import re
from typing import Any, ClassVar

import httpx2

from http_server import Server


class Browser:
    """What a browser does of its own: keeps cookies, says where a form comes from, knows the form's token."""

    made: ClassVar[list["Browser"]] = []

    def __init__(self, server: Server) -> None:
        self.made.append(self)
        self.server = server
        self.origin = f"http://127.0.0.1:{server.port}"
        self.client = httpx2.Client(base_url=self.origin, trust_env=False, timeout=60)
        self.base = ""
        self.csrf = ""

    def get(self, path: str, **more: Any) -> httpx2.Response:
        return self.client.get(path, **more)

    def post(self, path: str, data: dict[str, Any] | None = None, **headers: str) -> httpx2.Response:
        given = {"origin": self.origin, "sec-fetch-site": "same-origin"} | headers
        return self.client.post(path, data={"csrf": self.csrf} | (data or {}), headers=given)

    def arrive(self) -> "Browser":
        """Remember where the repository's pages begin and the forms' token."""
        answer = self.client.get("/", follow_redirects=True)
        assert answer.status_code == 200
        self.base = str(answer.url.path)
        self.csrf = re.search(r'name="csrf" value="([^"]+)"', answer.text).group(1)  # type: ignore[union-attr]
        return self

    def signed_in(self, key: str) -> "Browser":
        """Sign in with a key or the run token."""
        answer = self.client.post("/sign-in", data={"key": key}, headers={"origin": self.origin})
        assert answer.status_code == 303, answer.text
        return self.arrive()

    def items(self, query: str = "") -> list[str]:
        """Ids of the first rows of the list."""
        return re.findall(r'<li class="row[^"]*" id="row-([a-z]+_[0-9a-f]+)"', self.get(self.base + query).text)
