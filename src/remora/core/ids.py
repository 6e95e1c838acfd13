"""Computed identities: the same thing always gets the same id, so idempotency is a primary key and not a scan."""

# BLAKE3 is the one vendor the core may import: record ids are defined by it, and hashing is pure.
from blake3 import blake3


def digest(data: bytes) -> str:
    """BLAKE3 of `data`, 64 lower-case hex digits."""
    return blake3(data).hexdigest()


def _joined(parts: tuple[str, ...]) -> bytes:
    return "\0".join(parts).encode("utf-8", "surrogatepass")


def computed_id(prefix: str, *parts: str) -> str:
    """`prefix` + 24 hex digits of BLAKE3 over the NUL-joined parts. No part may hold a NUL."""
    return prefix + digest(_joined(parts))[:24]


def record_id(repository: str, idempotency_key: str) -> str:
    """`mem_` + first 24 hex of BLAKE3(repository, NUL, key): the public v3 rule."""
    return computed_id("mem_", repository, idempotency_key)


def repo_id(identity: str) -> str:
    """`r_` + 16 hex of BLAKE3(identity): how a repository is named in URLs and store files."""
    return "r_" + digest(identity.encode("utf-8", "surrogatepass"))[:16]
