"""Installing into any settings and taking it back gives the same bytes; foreign hooks and keys are never lost."""

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from jsonc_documents import blank, document
from remora.core.clients.catalogue import CLIENTS, client_named
from remora.core.clients.entries import HookOptions, hook_entries, server_entry, shell_command
from remora.core.clients.jsonc import scan, value_of
from remora.core.clients.settings import Receipt, Wanted, install, is_our_command, is_our_server, uninstall

OPTIONS = HookOptions("/py", "/lib/remora_hook/hook.py", compact_at=40)
NEWER = HookOptions("/newer/py", "/lib/remora_hook/hook.py", delta=True)
CLAUDE = client_named("claude-code")


def everything(options: HookOptions) -> list[Wanted]:
    return [*hook_entries(CLAUDE, options), server_entry(CLAUDE, options)]


def plain(text: str) -> dict[str, object]:
    value = value_of(text, scan(text))
    assert isinstance(value, dict)
    return value


@given(document(), blank)
def test_any_settings_get_their_bytes_back(text: str, end: str) -> None:
    text += end
    first = install(text, everything(OPTIONS), None)
    assert first.text is not None
    again = install(first.text, everything(OPTIONS), first.receipt)
    assert (again.text, again.receipt) == (first.text, first.receipt)
    newer = install(first.text, everything(NEWER), first.receipt)
    assert newer.text is not None
    assert "CLAUDE_AUTOCOMPACT" not in newer.text
    for patch in (first, newer):
        receipt = Receipt.from_json(json.loads(json.dumps(patch.receipt.to_json())))  # type: ignore[union-attr]
        assert uninstall(patch.text, receipt).text == text  # type: ignore[arg-type]


@given(document(), blank)
def test_without_a_receipt_every_foreign_value_still_survives(text: str, end: str) -> None:
    before = plain(text)
    assume("hooks" not in before or before["hooks"] == {"Stop": [1]})
    patch = install(text + end, everything(HookOptions("/py", "/lib/remora_hook/hook.py")), None)
    assert patch.text is not None
    rest = uninstall(patch.text, None).text
    assert rest is not None
    assert plain(rest) == before


hook = st.fixed_dictionaries(
    {"type": st.just("command"), "command": st.sampled_from(["./a.sh", "b", "remora_hooks/hook.py"])}
)
ours = st.builds(
    lambda name: {"type": "command", "command": f"/x/remora_hook/hook.py --event {name}"}, st.text(max_size=3)
)
entry = st.one_of(
    hook, ours, st.fixed_dictionaries({"hooks": st.lists(st.one_of(hook, ours), max_size=4)}), st.integers()
)


@given(
    st.dictionaries(st.sampled_from(["SessionStart", "Stop", "Other"]), st.lists(entry, max_size=4), max_size=3),
    st.sampled_from([None, 2]),
)
def test_what_is_ours_is_found_among_foreign_hooks_wherever_it_stands(
    hooks: dict[str, list[object]], indent: int | None
) -> None:
    def foreign(item: object) -> object:
        inner = item.get("hooks") if isinstance(item, dict) else None
        if not isinstance(inner, list) or not inner:
            return None if is_our_command(item) else item
        kept = [inner_item for inner_item in inner if not is_our_command(inner_item)]
        return {"hooks": kept} if kept else None

    text = json.dumps({"hooks": hooks, "z": 1}, indent=indent)
    rest = uninstall(text, None).text
    assert rest is not None
    expected = {
        event: [kept for item in items if (kept := foreign(item)) is not None] for event, items in hooks.items()
    }
    expected = {event: items for event, items in expected.items() if items or not hooks[event]}
    remaining = plain(rest)
    assert remaining.pop("z") == 1
    assert remaining.get("hooks", {}) == expected


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_each_clients_own_server_entry_is_recognised_with_and_without_a_token(client) -> None:
    for options in (
        OPTIONS,
        HookOptions("/py", "/h", mcp_command=("/venv/bin/python", "-m", "remora", "mcp"), token=True),
    ):
        wanted = server_entry(client, options)
        assert is_our_server(wanted.value) or client.mcp_form == "toml"
    assert not is_our_server({"command": "npx", "args": ["other", "mcp"]})
    assert not is_our_server("remora mcp")


def test_words_are_quoted_for_the_shell_they_are_for() -> None:
    words = ["/a b/python", "-I", "it's"]
    assert shell_command(words) == "'/a b/python' -I 'it'\"'\"'s'"
    assert shell_command(["C:\\a b\\python.exe", "-I"], windows=True) == '"C:\\a b\\python.exe" -I'
    assert shell_command(["$CLAUDE_PROJECT_DIR/.venv/bin/python"]) == '"$CLAUDE_PROJECT_DIR"/.venv/bin/python'


@pytest.mark.parametrize(
    "body", [None, 5, {}, {"after": "a"}, {"after": "a", "before": "", "spans": [[1]], "puts": []}, {"spans": "x"}]
)
def test_a_receipt_that_is_not_one_is_no_receipt(body: object) -> None:
    assert Receipt.from_json(body) is None
