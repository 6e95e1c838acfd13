"""What changes an item, done by keys alone: focus goes on from where it was, and no mouse is touched."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

TABS = 60
"""No control is further away than this."""
NAME = "(e => (e.getAttribute('aria-label') || e.innerText || '').trim())(document.activeElement)"


@pytest.fixture(autouse=True)
def _no_mouse(page: Page, home: str) -> Any:
    """A click by a pointer anywhere is noted; one by Enter or Space has no pointer."""
    page.context.add_init_script(
        "addEventListener('pointerdown', () => sessionStorage.setItem('pointer', 'used'), true)"
    )
    yield
    assert page.evaluate("sessionStorage.getItem('pointer')") is None


def tab_to(page: Page, name: str, *, back: bool = False) -> None:
    """Press Tab until the control of this name has the focus, and see that the focus can be seen."""
    for _ in range(TABS):
        page.keyboard.press("Shift+Tab" if back else "Tab")
        if page.evaluate(NAME) == name:
            outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert outline != "none", f"{name} has the focus and does not show it"
            return
    raise AssertionError(f"Tab never comes to {name}")


def tab_to_field(page: Page, name: str) -> None:
    """Press Tab until the form's field of this name has the focus."""
    for _ in range(TABS):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('#drawer') && document.activeElement.name") == name:
            return
    raise AssertionError(f"Tab never comes to the field {name}")


def open_by_keys(page: Page, home: str, words: str, item: str) -> None:
    """Search, step down to the item's row, open it."""
    page.goto(home)
    page.keyboard.press("/")
    page.keyboard.type(words)
    expect(page.locator(".count")).to_contain_text("best first")
    expect(page).to_have_url(re.compile(r"q=" + words.split(maxsplit=1)[0]))
    for _ in range(TABS):
        page.keyboard.press("ArrowDown")
        if page.evaluate("document.activeElement.dataset.item") == item:
            break
    page.keyboard.press("Enter")
    expect(page.locator("#drawer-title")).to_be_focused()
    expect(page.locator("#drawer")).to_have_attribute("data-item", item)


@pytest.fixture
def press(page: Page) -> Callable[[str], None]:
    """Bring a control of the drawer under the focus and press it."""

    def pressed(name: str, key: str = "Enter") -> None:
        tab_to(page, name)
        page.keyboard.press(key)

    return pressed


def remember(server: Any, subject: str, predicate: str, target: str) -> str:
    row = {"subject": subject, "predicate": predicate, "object": target}
    return str(server.post(server.repo("/facts"), {"triples": [row]}).json()["outcomes"][0]["id"])


def test_a_fact_is_buried_corrected_and_retracted_by_keys(
    page: Page, home: str, server: Any, press: Any, shoot: Any
) -> None:
    fact = remember(server, "Keyring", "runs on", "Lucene")
    drawer = page.locator("#drawer")
    open_by_keys(page, home, "keyring lucene", fact)
    press("Bury", "Space")
    expect(drawer.get_by_text("buried", exact=True)).to_be_visible()
    expect(page.locator("#drawer-title")).to_be_focused()
    expect(page.locator(f"#row-{fact} .chip.held")).to_have_text("buried")
    press("Unbury")
    expect(drawer.get_by_text("buried", exact=True)).to_have_count(0)
    expect(page.locator("#drawer-title")).to_be_focused()
    press("Correct")
    tab_to_field(page, "object")
    page.keyboard.press("Control+a")
    page.keyboard.type("OpenSearch")
    shoot(page, "keys-correct")
    page.keyboard.press("Enter")
    expect(page.locator("#drawer-title")).to_have_text(re.compile("OpenSearch"))
    expect(page.locator("#drawer-title")).to_be_focused()
    expect(drawer.locator(".chain")).to_contain_text("Lucene")
    press("Retract")
    expect(drawer.get_by_text("closed", exact=True)).to_be_visible()
    expect(page.locator("#drawer-title")).to_be_focused()
    page.keyboard.press("Escape")
    expect(drawer).to_be_hidden()
    expect(page.locator("#rows .row")).to_have_count(0)
    expect(page.locator("#main")).to_be_focused()  # its row is gone
    expect(page).not_to_have_url(re.compile("/items/"))


def test_a_record_is_promoted_corrected_retracted_and_brought_back_by_keys(
    page: Page, home: str, server: Any, press: Any, shoot: Any
) -> None:
    drawer = page.locator("#drawer")
    open_by_keys(page, home, "private note charging", server.ids["private"])
    expect(page.locator("#drawer-title")).to_have_text("A private note on charging")
    press("Promote")
    expect(drawer.locator(".standing")).to_contain_text("repository")
    expect(page.locator("#drawer-title")).to_be_focused()
    press("Correct", "Space")
    tab_to_field(page, "title")
    page.keyboard.press("Control+a")
    page.keyboard.type("Charging has a key")
    tab_to_field(page, "verification")
    page.keyboard.press("p")  # unknown, passed, failed, partial
    press("Save correction")
    expect(page.locator("#drawer-title")).to_have_text("Charging has a key")
    expect(page.locator("#drawer-title")).to_be_focused()
    press("Retract")
    tab_to_field(page, "reason")
    page.keyboard.type("It was the queue.")
    shoot(page, "keys-retract")
    page.keyboard.press("Tab")
    assert page.evaluate(NAME) == "Retract record"
    page.keyboard.press("Enter")
    expect(drawer.locator(".standing")).to_contain_text("retracted")
    expect(page.locator("#drawer-title")).to_be_focused()
    press("Bring back")
    expect(drawer.locator(".standing")).to_contain_text("active")
    expect(page.locator("#drawer-title")).to_be_focused()


def test_an_opened_form_is_left_by_keys_without_sending_it(page: Page, home: str, server: Any, press: Any) -> None:
    fact = remember(server, "Latchkey", "runs on", "Xapian")
    open_by_keys(page, home, "latchkey", fact)
    press("Correct")
    tab_to_field(page, "object")
    page.keyboard.type(" nonsense")
    page.keyboard.press("Escape")
    expect(page.locator("#drawer")).to_be_hidden()
    expect(page.locator(f"#row-{fact} .row-link")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#drawer-title")).to_have_text(re.compile("Xapian$"))


def test_a_chats_facts_are_promoted_and_the_chat_revoked_by_keys(
    page: Page, home: str, server: Any, shoot: Any
) -> None:
    chat = {"remora-session-id": "chat-keys", "remora-client": "test"}
    server.post(server.repo("/sessions"), {"session_id": "chat-keys", "client": "test"})
    rows = [{"subject": "Sketch", "predicate": "IS", "object": thing} for thing in ("kept private", "for everyone")]
    server.post(server.repo("/facts"), {"triples": rows, "memory_scope": "session"}, headers=chat)
    tab_to(page, "Chats")
    page.keyboard.press("Enter")
    page.wait_for_url("**/sessions")
    tab_to(page, "chat-keys")
    page.keyboard.press("Enter")
    page.wait_for_url("**/sessions/*")
    for _ in range(TABS):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('label')?.innerText.includes('for everyone')"):
            break
    page.keyboard.press("Space")
    expect(page.get_by_label(re.compile("for everyone"))).to_be_checked()
    shoot(page, "keys-promote")
    tab_to(page, "Promote chosen facts")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("Promoted")
    tab_to(page, "All chats")
    page.keyboard.press("Enter")
    line = page.locator("tr", has_text="chat-keys")
    expect(line).to_have_count(1)
    tab_to(page, "chat-keys")
    tab_to(page, "Revoke")
    page.keyboard.press("Enter")
    expect(line.get_by_role("button", name="Revoke for good")).to_be_visible()
    shoot(page, "keys-revoke")
    tab_to(page, "Revoke for good")
    page.keyboard.press("Enter")
    expect(page.locator("tr", has_text="chat-keys")).to_have_count(0)
    page.goto(f"{home}?q=sketch")
    expect(page.locator("#rows .row")).to_have_count(1)
    expect(page.locator("#rows .row")).to_contain_text("for everyone")
