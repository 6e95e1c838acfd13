"""The same for TOML settings: one marked table at the end, checked against a TOML reader before and after."""

import tomllib

from remora.core.clients.marked_block import HASH, cut_block, find_block, put_block
from remora.core.clients.settings import Patch
from remora.core.errors import InvalidInput


def install_toml(text: str | None, table: str) -> Patch:
    """The settings with our table. A server of the same name that somebody else wrote is kept, and named."""
    before = _read(text or "")
    ours = find_block(text, HASH) is not None if text else False
    servers = before.get("mcp_servers")
    if not ours and isinstance(servers, dict) and "remora" in servers:
        return Patch(text, kept=("mcp_servers.remora",))
    after = put_block(text, HASH, table)
    wanted = tomllib.loads(table)["mcp_servers"]["remora"]
    expected = {**before, "mcp_servers": {**(servers if isinstance(servers, dict) else {}), "remora": wanted}}
    if _read(after) != expected:
        raise InvalidInput("settings", "our table would change the meaning of other settings", allowed="a plain end")
    return Patch(after)


def uninstall_toml(text: str) -> Patch:
    """The settings without our table, to the byte."""
    _read(text)
    return Patch(cut_block(text, HASH))


def _read(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput("settings", f"not TOML: {error}", allowed="TOML") from error
