"""Which files of a project an install or a removal touches for one client, and what is done to each."""

from collections.abc import Callable
from dataclasses import dataclass

from remora.core.clients.catalogue import Client
from remora.core.clients.draft import Draft
from remora.core.clients.entries import HookOptions, hook_argv, hook_entries, server_entry, server_toml
from remora.core.clients.opencode_plugin import install_plugin, uninstall_plugin
from remora.core.clients.settings import Patch, Receipt, Wanted, install, uninstall
from remora.core.clients.settings_toml import install_toml, uninstall_toml

Edit = Callable[[str | None, Receipt | None], Patch]


@dataclass(frozen=True, slots=True)
class Step:
    """One file (relative to the project) and the edit it gets; the edit is pure and may raise `InvalidInput`."""

    path: str
    edit: Edit


def install_steps(client: Client, options: HookOptions, *, hooks: bool, mcp: bool) -> list[Step]:
    """Install: one step per file. A client with two hook files has ours taken out of the other one."""
    wanted: dict[str, list[Wanted]] = {}
    steps: list[Step] = []
    if hooks and client.name == "opencode":
        words = hook_argv(client, "chat.message", options)
        words = tuple(word for word in words if word not in ("--event", "chat.message"))
        steps.append(Step(client.hooks_file, lambda text, _: install_plugin(text, words)))
    elif hooks:
        target, other = client.hooks_file, client.shared_hooks_file
        if options.shared and other:
            target, other = other, target
        wanted[target] = hook_entries(client, options)
        if other:
            steps.append(Step(other, _taken_out))
    if mcp and client.mcp_form == "toml":
        steps.append(Step(client.mcp_file, lambda text, _: install_toml(text, server_toml(options))))
    elif mcp:
        wanted.setdefault(client.mcp_file, []).append(server_entry(client, options))
    return [*(_wanting(path, items) for path, items in wanted.items()), *steps]


def removal_steps(client: Client) -> list[Step]:
    """Removal: every file of the client that may hold something of ours."""
    files = dict.fromkeys(path for path in (client.hooks_file, client.shared_hooks_file, client.mcp_file) if path)
    return [Step(path, _removal(path)) for path in files]


def _wanting(path: str, items: list[Wanted]) -> Step:
    return Step(path, lambda text, receipt: install(text, items, receipt))


def _removal(path: str) -> Edit:
    if path.endswith(".toml"):
        return lambda text, _: Patch(None) if text is None else uninstall_toml(text)
    if path.endswith("/remora.json"):
        return _own_file_taken_out
    if path.endswith(".js"):
        return lambda text, _: Patch(None) if text is None else uninstall_plugin(text)
    return _taken_out


def _own_file_taken_out(text: str | None, receipt: Receipt | None) -> Patch:
    """A hooks file that bears our name goes when nothing of anybody's is left in it."""
    patch = _taken_out(text, receipt)
    empty = patch.text is not None and set(Draft(patch.text).keys()) <= {"version"}
    return Patch(None) if empty else patch


def _taken_out(text: str | None, receipt: Receipt | None) -> Patch:
    return Patch(None) if text is None else uninstall(text, receipt)
