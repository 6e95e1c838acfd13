"""The page's scripts and style: read once, served under a name that changes with their content."""

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

_FOLDER = Path(__file__).parent / "static"
_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
_YEAR = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class Asset:
    """One file with its type and a short hash of its content."""

    data: bytes
    media_type: str
    version: str


@cache
def assets() -> dict[str, Asset]:
    """Every file that the page serves, by its path below `static`."""
    files = [path for path in sorted(_FOLDER.rglob("*")) if path.suffix in _TYPES and path.is_file()]
    return {path.relative_to(_FOLDER).as_posix(): _read(path) for path in files}


def _read(path: Path) -> Asset:
    data = path.read_bytes()
    return Asset(data, _TYPES[path.suffix], hashlib.sha256(data).hexdigest()[:12])


def address(name: str) -> str:
    """Where a browser fetches an asset; another content has another address."""
    return f"/static/{name}?v={assets()[name].version}"


async def asset(request: Request) -> Response:
    """One file, or 404. Only names that were listed exist."""
    found = assets().get(request.path_params["name"])
    if found is None:
        return Response("nothing is at this path", 404, media_type="text/plain")
    headers = {"cache-control": _YEAR} if request.query_params.get("v") == found.version else {}
    return Response(found.data, headers=headers | {"cross-origin-resource-policy": "same-origin"},
                    media_type=found.media_type)  # fmt: skip
