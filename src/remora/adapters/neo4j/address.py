"""Where a server engine is and how to log in; a password is never part of the address, of argv or of a log."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from remora.core.errors import InvalidInput

SCHEMES = frozenset({"bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc"})


@dataclass(frozen=True, slots=True)
class Address:
    """One database of a server. `url` carries no password and no path; an empty database is the user's default one."""

    url: str
    database: str = ""
    user: str = ""
    password: str = field(default="", repr=False)

    def __str__(self) -> str:
        return f"{self.url}/{self.database}" if self.database else self.url


def is_address(url: str) -> bool:
    """Whether a store setting names a server engine."""
    return urlsplit(url).scheme in SCHEMES


def parse_address(url: str, *, user: str = "", password: str = "", database: str = "") -> Address:
    """Read `neo4j://[user@]host[:port][/database]`; raises `InvalidInput` for a password in it or anything else."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise InvalidInput("store", "is no address of a server", allowed="neo4j://host:7687/database") from error
    if parts.scheme not in SCHEMES or not parts.hostname:
        raise InvalidInput(
            "store", "is no address of a server", allowed=f"{', '.join(sorted(SCHEMES))}://host:7687/name"
        )
    if parts.password is not None:
        problem = "the address holds a password, which others could read"
        raise InvalidInput(
            "store", problem, allowed="REMORA_STORE_PASSWORD, or a 0600 file in REMORA_STORE_PASSWORD_FILE"
        )
    if parts.query or parts.fragment or parts.path.count("/") > 1:
        raise InvalidInput("store", "has more than host, port and database", allowed="neo4j://host:7687/database")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return Address(
        url=f"{parts.scheme}://{host}:{port or 7687}",
        database=database or parts.path.removeprefix("/"),
        user=user or parts.username or ("neo4j" if password else ""),
        password=password,
    )
