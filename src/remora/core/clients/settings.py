"""What remora wants in a client's JSON settings, how it is put there, and how exactly that is taken back."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from remora.core.clients.draft import Draft, Span, without
from remora.core.ids import digest

_SCRIPT = re.compile(r"remora_hook[/\\]+hook\.py")
_NEW_FILE = "{}\n"


@dataclass(frozen=True, slots=True)
class Wanted:
    """One thing to stand at `path`: an item of an array (`append`), or the value of a key."""

    path: tuple[str, ...]
    value: object
    append: bool = False


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an install did to one file: enough to undo it to the byte, and none of the file's content."""

    after: str
    before: str = ""
    spans: tuple[Span, ...] = ()
    puts: tuple[tuple[tuple[str, ...], object], ...] = ()

    def to_json(self) -> dict[str, object]:
        """The form kept on disk."""
        puts = [[list(path), value] for path, value in self.puts]
        return {"before": self.before, "after": self.after, "spans": [list(span) for span in self.spans], "puts": puts}

    @classmethod
    def from_json(cls, body: object) -> "Receipt | None":
        """Read what `to_json` wrote; None for anything else."""
        try:
            data = dict(body)  # type: ignore[call-overload]
            spans = tuple((int(start), int(end)) for start, end in data["spans"])
            puts = tuple((tuple(map(str, path)), value) for path, value in data["puts"])
            return cls(str(data["after"]), str(data["before"]), spans, puts)
        except (TypeError, ValueError, KeyError):
            return None


@dataclass(frozen=True, slots=True)
class Patch:
    """The settings after a run. `text` None: the file is to be removed. `kept` names foreign values left in place."""

    text: str | None
    receipt: Receipt | None = None
    kept: tuple[str, ...] = field(default=())


def install(text: str | None, wanted: Sequence[Wanted], receipt: Receipt | None) -> Patch:
    """The settings with everything wanted and nothing else of ours. A second run returns the very same text."""
    if text is not None and _holds_all(Draft(text), wanted, receipt):
        return Patch(text, receipt, _foreign(Draft(text), wanted))
    base = uninstall(text, receipt).text if text is not None else None
    draft, puts = Draft(_NEW_FILE if base is None else base), []
    kept = _foreign(draft, wanted)
    for item in wanted:
        if item.append:
            draft.append(item.path, item.value)
        elif draft.node(*item.path) is None:
            draft.put(item.path, item.value)
            puts.append((item.path, item.value))
    before = "" if base is None else fingerprint(base)
    return Patch(draft.text, Receipt(fingerprint(draft.text), before, tuple(draft.spans), tuple(puts)), kept)


def uninstall(text: str, receipt: Receipt | None) -> Patch:
    """The settings as they were. Where they were edited since, what is ours is cut out and the rest stays."""
    if receipt is not None and receipt.after == fingerprint(text):
        if not receipt.before:
            return Patch(None)
        restored = without(text, list(receipt.spans))
        if fingerprint(restored) == receipt.before:
            return Patch(restored)
    draft = Draft(text)
    _cut_hooks(draft)
    for path, value in receipt.puts if receipt is not None else ():
        if draft.value(*path) == value:
            _cut_key(draft, path)
    for path in (("mcpServers", "remora"), ("servers", "remora"), ("mcp", "remora")):
        if is_our_server(draft.value(*path)):
            _cut_key(draft, path)
    ours_alone = receipt is not None and not receipt.before and draft.value() == {}
    return Patch(None if ours_alone else draft.text)


def is_our_command(hook: object) -> bool:
    """Whether a hook object runs remora's hook, whatever the interpreter and the options."""
    if not isinstance(hook, Mapping):
        return False
    return any(_SCRIPT.search(str(hook.get(key, ""))) for key in ("command", "bash", "powershell"))


def is_our_server(server: object) -> bool:
    """Whether an MCP server entry starts remora."""
    if not isinstance(server, Mapping):
        return False
    command, extra = server.get("command", ""), server.get("args", ())
    words = [*_words(command), *_words(extra)]
    return "mcp" in words and any("remora" in word for word in words)


def fingerprint(text: str) -> str:
    """What tells that a text is byte for byte the one that was seen."""
    return digest(text.encode("utf-8", "surrogatepass"))


def _words(value: object) -> Iterable[str]:
    if isinstance(value, str):
        return [value]
    return [str(word) for word in value] if isinstance(value, Sequence) else []


def _holds_all(draft: Draft, wanted: Sequence[Wanted], receipt: Receipt | None) -> bool:
    puts = {item.path: item.value for item in wanted if not item.append}
    for path, value in receipt.puts if receipt is not None else ():
        if puts.get(path) != value and draft.value(*path) == value:
            return False  # we wrote it, and now something else or nothing is wanted there
    for item in wanted:
        present = draft.value(*item.path)
        if item.append and not (isinstance(present, list) and item.value in present):
            return False
        if not item.append and (present is None or (present != item.value and is_our_server(present))):
            return False
    return _count_ours(draft.value("hooks")) == sum(item.append for item in wanted)


def _foreign(draft: Draft, wanted: Sequence[Wanted]) -> tuple[str, ...]:
    """Wanted keys that hold somebody else's value, which stays."""
    puts = [item for item in wanted if not item.append]
    return tuple(".".join(item.path) for item in puts if draft.value(*item.path) not in (None, item.value))


def _count_ours(value: object) -> int:
    if isinstance(value, Mapping):
        return int(is_our_command(value)) + sum(map(_count_ours, value.values()))
    return sum(map(_count_ours, value)) if isinstance(value, list) else 0


def _cut_hooks(draft: Draft) -> None:
    hooks = draft.node("hooks")
    for event in [member.key or "" for member in hooks.members] if hooks is not None and hooks.kind == "object" else []:
        path = ("hooks", event)
        entries = draft.value(*path)
        for index in reversed(range(len(entries) if isinstance(entries, list) else 0)):
            _cut_entry(draft, path, index, entries[index])  # type: ignore[index]
        if isinstance(entries, list) and entries and draft.value(*path) == []:
            _cut_key(draft, path)


def _cut_entry(draft: Draft, path: tuple[str, ...], index: int, entry: object) -> None:
    inner = entry.get("hooks") if isinstance(entry, Mapping) else None
    if is_our_command(entry) or (isinstance(inner, list) and inner and all(map(is_our_command, inner))):
        draft.cut(path, index)
    elif isinstance(inner, list):
        for at in reversed([at for at, hook in enumerate(inner) if is_our_command(hook)]):
            draft.cut_within(path, index, "hooks", at)


def _cut_key(draft: Draft, path: tuple[str, ...]) -> None:
    """Remove a key, and the object around it when that held nothing else."""
    parent = draft.node(*path[:-1])
    assert parent is not None
    draft.cut(path[:-1], [member.key for member in parent.members].index(path[-1]))
    if len(path) > 1 and draft.value(*path[:-1]) == {}:
        _cut_key(draft, path[:-1])
