"""Asks the running server for a link that opens its page once. The token goes from a private file to the loopback."""

import http.client
import json
import os
import stat
from pathlib import Path

from remora.core.clients.hook_trail import RUN_FILE
from remora.core.errors import InvalidInput, NotFound, Unavailable

_SECONDS = 10
_START = "run `remora serve` in the repository"


def page_link(folder: Path) -> str:
    """The link. Raises `NotFound` when no server runs here, `Unavailable` when it does not answer."""
    port, token = running_server(folder)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_SECONDS)
    try:
        connection.request("POST", "/api/v1/page/links", headers={"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        data = json.loads(answer.read(1 << 16)) if answer.status == 200 else {}
    except (OSError, http.client.HTTPException, ValueError):
        raise Unavailable(f"the server on port {port} does not answer", advice=_START) from None
    finally:
        connection.close()
    if not isinstance(data, dict) or not isinstance(path := data.get("path"), str):
        raise Unavailable(f"the server on port {port} gives no link (status {answer.status})", advice=_START)
    return f"http://127.0.0.1:{port}{path}"


def running_server(folder: Path) -> tuple[int, str]:
    """Port and token of the server that runs for this repository; raises `NotFound` when none does."""
    from remora.bootstrap import open_ports
    from remora.config import load

    path = open_ports(load(), folder).checkout.home / RUN_FILE
    try:
        if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise InvalidInput("run file", f"{path} can be read by others", allowed="mode 0600")
        run = json.loads(path.read_bytes())
        return int(run["port"]), str(run["token"])
    except FileNotFoundError:
        raise NotFound("no server runs for this repository", advice=_START) from None
    except (OSError, ValueError, KeyError, TypeError):
        raise Unavailable(f"the run file {path} cannot be read", advice=_START) from None
