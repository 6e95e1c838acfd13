"""Every action of the page in a real browser, by mouse and by keys alone."""

import re
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from remora.bootstrap import open_ports
from remora.config import load
from remora.core.facts.batch import Triple
from remora.core.policy import FORGET_UNDO_SECONDS
from remora.core.scope import Trust, operator_grant
from remora.usecases.remember import RememberRequest
from remora.usecases.remember import remember as remember_facts

pytestmark = pytest.mark.browser


def remember(server: Any, subject: str, predicate: str, target: str) -> str:
    row = {"subject": subject, "predicate": predicate, "object": target}
    return str(server.post(server.repo("/facts"), {"triples": [row]}).json()["outcomes"][0]["id"])


def say_as_trusted(world: Any, trust: Trust) -> None:
    """A fact by a source that is trusted this far."""
    ports = open_ports(load(world.env), world.repo)
    try:
        row = Triple(subject=f"Gauge {trust.name}", predicate="READS", object="Pressure")
        remember_facts(ports, replace(operator_grant(), trust=trust), RememberRequest(triples=[row]))
    finally:
        ports.store_admin.close()


def test_search_and_facets_narrow_the_list_and_its_address(page: Page, home: str, shoot: Any) -> None:
    page.get_by_role("searchbox").fill("refunds")
    expect(page.locator(".count")).to_contain_text("best first")
    expect(page).to_have_url(re.compile(r"q=refunds"))
    page.get_by_text("Records", exact=False).first.click()
    expect(page.locator("#rows .chip.facts")).to_have_count(0)
    page.get_by_label("Kind").select_option("regression")
    expect(page.locator("#rows .row")).to_have_count(2)
    page.get_by_label("Scope").select_option("private")
    expect(page.locator("#rows .row")).to_have_count(1)
    shoot(page, "facets")
    page.reload()
    expect(page.locator("#rows .row")).to_have_count(1)
    page.get_by_role("link", name="Clear").click()
    expect(page.locator(".count")).to_have_text("Newest first")
    page.get_by_label("Show what is over").check()
    expect(page.get_by_text("Payments team")).to_be_visible()
    page.get_by_label("Source").fill("ci://")
    page.get_by_label("Source").press("Tab")
    expect(page.locator("#rows .row")).to_have_count(2)


def test_the_trust_facet_leaves_just_what_is_trusted_that_far(page: Page, home: str, server: Any, shoot: Any) -> None:
    for trust in (Trust.AGENT, Trust.DERIVED):
        say_as_trusted(server.world, trust)
    page.goto(home)
    trusted = "/trust (\\w+)/.exec(row.innerText)?.[1] || ''"
    told = f"[...document.querySelectorAll('#rows .row')].map((row) => [row.id, {trusted}])"
    everything = page.evaluate(told)
    assert page.locator("#more").count() == 0
    words = page.get_by_label("Trust").locator("option").evaluate_all("all => all.map((one) => one.value)")
    assert words == ["", "operator", "member", "agent", "derived", "external"]
    assert {"operator", "agent", "derived"} <= {trust for _, trust in everything}
    for word in words[1:]:
        page.get_by_label("Trust").select_option(word)
        expect(page).to_have_url(re.compile(f"trust={word}"))
        wanted = [[item, trust] for item, trust in everything if trust == word]
        expect(page.locator("#rows .row")).to_have_count(len(wanted))
        assert page.evaluate(told) == wanted, word
    page.get_by_label("Trust").select_option("")
    expect(page.locator("#rows .row")).to_have_count(len(everything))


def test_the_drawer_opens_beside_the_list_and_the_address_leads_back_to_it(page: Page, home: str, server: Any) -> None:
    page.get_by_role("searchbox").fill("who owns billing")
    expect(page.locator(".count")).to_contain_text("best first")
    row = page.locator("#rows .row-link", has_text="Platform team")
    row.click()
    expect(page.get_by_role("dialog")).to_contain_text("Payments team")
    expect(page.locator("#drawer-title")).to_be_focused()
    expect(page.locator("#why")).to_contain_text("Matched by")
    expect(page.locator("#rows .row.current")).to_have_count(1)
    address = page.url
    with page.expect_event("load"):  # each step back or forth is drawn anew by the server
        page.go_back()
    expect(page.locator("#drawer")).to_be_hidden()
    with page.expect_event("load"):
        page.go_forward()
    expect(page.get_by_role("dialog")).to_contain_text("Payments team")
    page.goto(address)
    expect(page.get_by_role("dialog")).to_contain_text("Payments team")
    page.get_by_role("link", name="Close").click()
    expect(page.locator("#drawer")).to_be_hidden()
    assert "/items/" not in page.url


def test_pin_bury_correct_and_retract_a_fact(page: Page, home: str, server: Any, shoot: Any) -> None:
    fact = remember(server, "Search", "runs on", "Lucene")
    page.goto(f"{home}/items/{fact}")
    drawer = page.locator("#drawer")
    drawer.get_by_role("button", name="Pin", exact=True).click()
    expect(drawer.get_by_text("pinned")).to_be_visible()
    expect(page.locator(f"#row-{fact} .chip.held")).to_have_text("pinned")
    drawer.get_by_role("button", name="Unpin").click()
    drawer.get_by_role("button", name="Bury", exact=True).click()
    expect(drawer.get_by_text("buried")).to_be_visible()
    drawer.get_by_text("Correct", exact=True).click()
    drawer.get_by_role("textbox", name="runs on").fill("OpenSearch")
    shoot(page, "correct")
    drawer.get_by_role("button", name="Save correction").click()
    expect(page.locator("#drawer-title")).to_have_text(re.compile("OpenSearch"))
    expect(drawer.locator(".chain")).to_contain_text("Lucene")
    drawer.get_by_role("button", name="Retract").click()
    expect(drawer.get_by_text("closed", exact=True)).to_be_visible()
    expect(page.locator(".toast").last).to_contain_text("its history stays")


def test_correct_promote_retract_and_bring_back_a_record(page: Page, home: str, server: Any) -> None:
    page.goto(f"{home}/items/{server.ids['private']}")
    drawer = page.locator("#drawer")
    drawer.get_by_role("button", name="Promote").click()
    expect(drawer.locator(".standing")).to_contain_text("repository")
    drawer.get_by_text("Correct", exact=True).click()
    drawer.get_by_label("Title").fill("Charging must be idempotent")
    drawer.get_by_label("Verification").select_option("passed")
    drawer.get_by_role("button", name="Save correction").click()
    expect(page.locator("#drawer-title")).to_have_text("Charging must be idempotent")
    expect(drawer.locator(".chain li")).to_have_count(3)
    drawer.get_by_text("Retract", exact=True).click()
    drawer.get_by_label("Why is it wrong?").fill("It was the queue.")
    drawer.get_by_role("button", name="Retract record").click()
    expect(drawer.locator(".standing")).to_contain_text("retracted")
    drawer.get_by_role("button", name="Bring back").click()
    expect(drawer.locator(".standing")).to_contain_text("active")


def test_a_forget_is_undone_in_place_or_ends_in_no_byte_and_the_page_says_so(
    page: Page, home: str, server: Any, shoot: Any
) -> None:
    fact = remember(server, "Wombatrix", "knows", "Zyzzyvanish")
    data = Path(server.world.env["REMORA_DATA_DIR"])
    page.goto(f"{home}/items/{fact}")
    page.get_by_role("button", name="Forget").click()
    toast = page.locator(".toast")
    expect(toast).to_contain_text("Wombatrix KNOWS Zyzzyvanish")
    expect(toast).to_contain_text("erased in")
    expect(page.locator(f"#row-{fact}")).to_have_count(0)
    expect(page.locator("#drawer")).to_be_hidden()
    shoot(page, "forgetting")
    toast.get_by_role("button", name="Undo").click()
    expect(page.locator(".toast")).to_contain_text("Nothing was erased")
    expect(page.locator(f"#row-{fact}")).to_have_count(1)
    page.locator(".toast").get_by_role("link", name="Show it").click()
    page.get_by_role("button", name="Forget").click()
    expect(page.locator(".toast .countdown")).to_have_count(1)
    began = time.monotonic()
    page.goto(f"{home}?family=facts")  # a wait goes on whatever page is open
    expect(page.locator(".toast .countdown")).to_be_visible()
    expect(page.locator(".toast strong", has_text="Erased.")).to_be_visible(timeout=(FORGET_UNDO_SECONDS + 40) * 1000)
    assert time.monotonic() - began > FORGET_UNDO_SECONDS / 2
    expect(page.locator(".toast")).to_contain_text("Bundles, backups and git history keep their copies")
    shoot(page, "erased")
    for word in (b"Zyzzyvanish", b"zyzzyvanish", b"Wombatrix", b"wombatrix"):
        assert not [path.name for path in data.rglob("*") if path.is_file() and word in path.read_bytes()]


def test_a_node_is_forgotten_and_brought_back(page: Page, home: str, server: Any) -> None:
    node = server.ids["Who retries charge?"]
    page.goto(f"{home}/items/{node}")
    page.get_by_role("button", name="Forget").click()
    expect(page.locator(f"#row-{node}")).to_have_count(0)
    page.locator("[data-undo]").click()
    expect(page.locator(f"#row-{node}")).to_have_count(1)


def test_everything_works_by_keys_alone(page: Page, home: str, server: Any, shoot: Any) -> None:
    fact = remember(server, "Keyboard", "steers", "Everything")
    page.goto(home)
    press = page.keyboard.press
    press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    press("Enter")
    expect(page.locator("#main")).to_be_focused()
    press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("keyboard steers")
    expect(page.locator("#rows .row")).to_have_count(1)
    press("ArrowDown")
    expect(page.locator(f"#row-{fact} .row-link")).to_be_focused()
    press("Enter")
    expect(page.locator("#drawer-title")).to_be_focused()
    press("Tab")
    press("Enter")  # Pin is the first action
    expect(page.locator("#drawer").get_by_text("pinned")).to_be_visible()
    press("Escape")
    expect(page.locator("#drawer")).to_be_hidden()
    expect(page.locator(f"#row-{fact} .row-link")).to_be_focused()
    press("Enter")
    expect(page.locator("#drawer-title")).to_be_focused()
    for _ in range(20):
        press("Tab")
        if page.evaluate("document.activeElement.dataset.verb") == "forget":
            break
    press("Enter")
    expect(page.locator(".toast:not(.htmx-added) .countdown")).to_be_visible()
    press("u")
    expect(page.locator(".toast").last).to_contain_text("Nothing was erased")
    page.goto(home)
    page.locator("#main").focus()
    press("j")
    first = page.evaluate("document.activeElement.dataset.item")
    press("j")
    second = page.evaluate("document.activeElement.dataset.item")
    assert first
    assert second
    assert first != second
    press("k")
    assert page.evaluate("document.activeElement.dataset.item") == first
    press("End")
    press("Home")
    assert page.evaluate("document.activeElement.dataset.item") == first
    press("?")
    expect(page.locator("#help")).to_be_visible()
    shoot(page, "keys")
    press("Escape")
    expect(page.locator("#help")).to_be_hidden()
    assert page.locator("#rows .row-link[tabindex='0']").count() == 1


def test_a_chat_is_promoted_from_and_revoked(page: Page, home: str, server: Any, shoot: Any) -> None:
    chat = {"remora-session-id": "chat-7", "remora-client": "test"}
    server.post(server.repo("/sessions"), {"session_id": "chat-7", "client": "test"})
    row = {"subject": "Draft", "predicate": "IS", "object": "private thing"}
    server.post(server.repo("/facts"), {"triples": [row], "memory_scope": "session"}, headers=chat)
    page.get_by_role("link", name="Chats").click()
    page.get_by_role("link", name="chat-7").click()
    page.get_by_label(re.compile("Draft")).check()
    shoot(page, "chat")
    page.get_by_role("button", name="Promote chosen facts").click()
    expect(page.get_by_role("status").first).to_contain_text("Promoted")
    page.goto(f"{home}?q=draft")
    expect(page.locator("#rows .row")).to_have_count(1)
    page.goto(f"{home}/sessions")
    line = page.locator("tr", has_text="chat-7")
    line.get_by_text("Revoke", exact=True).click()
    line.get_by_role("button", name="Revoke for good").click()
    expect(page.locator("tr", has_text="chat-7")).to_have_count(0)


def test_every_view_is_reached_and_signing_out_closes_the_page(page: Page, home: str, shoot: Any) -> None:
    for name, heading in (("Timeline", "Timeline"), ("Orient", "Orient"), ("Jobs", "Jobs"), ("Health", "Health")):
        page.get_by_role("navigation", name="Views").get_by_role("link", name=name).click()
        expect(page.get_by_role("heading", name=heading, level=1)).to_be_visible()
    expect(page.locator(".finding")).not_to_have_count(0, timeout=30_000)
    page.get_by_role("button", name="Light or dark").click()
    shown = page.evaluate("document.documentElement.dataset.theme")
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == shown
    page.locator(".who summary").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Personal key")).to_be_visible()
    page.goto(home)
    expect(page.get_by_label("Personal key")).to_be_visible()


def test_a_key_signs_in_and_a_wrong_one_is_told(page: Page, server: Any, context: Any, watch: Any, shoot: Any) -> None:
    watch(context)
    page.goto(f"http://127.0.0.1:{server.port}/")
    page.get_by_label("Personal key").fill("rmk_" + "0" * 64)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("opens nothing")
    shoot(page, "sign-in")
    page.get_by_label("Personal key").fill(server.token)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("searchbox")).to_be_visible()
    cookie = next(row for row in context.cookies() if row["name"].startswith("remora_page"))
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    assert page.evaluate("document.cookie").find("remora_page") < 0


def test_more_rows_come_when_asked_and_focus_goes_to_the_first(page: Page, home: str, server: Any) -> None:
    rows = [{"subject": f"Unit {n}", "predicate": "HAS", "object": f"Part {n}"} for n in range(120)]
    assert server.post(server.repo("/facts"), {"triples": rows}).status_code == 200
    page.goto(f"{home}?family=facts&source=http")
    expect(page.locator("#rows .row")).to_have_count(50)
    page.get_by_role("button", name="Show more").click()
    expect(page.locator("#rows .row")).to_have_count(100)
    assert (
        page.evaluate("[...document.querySelectorAll('#rows .row-link[data-item]')].indexOf(document.activeElement)")
        == 50
    )
    page.get_by_role("button", name="Show more").click()
    expect(page.locator("#more")).to_have_count(0)
    ids = page.evaluate("[...document.querySelectorAll('#rows .row-link')].map((row) => row.dataset.item)")
    assert len(ids) == len(set(ids)) > 120
