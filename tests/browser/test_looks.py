"""How the page looks and reads: accessibility, hostile texts, scripts of all directions, all sizes, light and dark."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from hostile_texts import HOSTILE
from http_server import serving
from page_world import say_hostile_things

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[1] / "fixtures" / "axe" / "axe.min.js"
VIEWS = ("", "?q=refunds", "/graph", "/timeline", "/orient", "/sessions", "/jobs", "/health")
SIZES = {"wide": {"width": 1440, "height": 900}, "narrow": {"width": 390, "height": 844}}


def problems(page: Page) -> list[str]:
    """What axe finds of serious weight, contrast included. Its script comes by the debugger, past the page's policy."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{row['id']}: {node['html'][:160]} ({node['failureSummary'][:200]})"
        for row in found["violations"]
        if row["impact"] in ("serious", "critical")
        for node in row["nodes"][:3]
    ]


def settled(page: Page, address: str) -> None:
    page.goto(address)
    if address.endswith("/health"):
        expect(page.locator(".finding")).not_to_have_count(0, timeout=60_000)
    if address.endswith("/graph"):
        expect(page.locator("#graph[data-drawn]")).to_have_count(1, timeout=30_000)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", list(SIZES))
def test_no_view_has_a_serious_accessibility_problem(
    browser: Browser, server: Any, watch: Any, sign_in: Any, shoot: Any, scheme: Any, size: str
) -> None:
    context = browser.new_context(color_scheme=scheme, viewport=SIZES[size], reduced_motion="reduce")
    faults = watch(context)
    page = context.new_page()
    home = sign_in(page)
    items = [f"/items/{server.ids[name]}" for name in ("Billing", "record", "Refunds doubled")]
    for view in (*VIEWS, *items):
        settled(page, home + view)
        assert problems(page) == [], view
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{view} is wider than its window"
        shoot(page, f"{size}-{scheme}-{re.sub('[^a-z0-9]+', '-', view.lower()) or 'list'}")
    page.goto(f"http://127.0.0.1:{server.port}/sign-in")
    assert problems(page) == []
    assert faults == []
    context.close()


def test_fifty_hostile_texts_in_every_field_are_inert(page: Page, home: str, server: Any, shoot: Any) -> None:
    """They are words on the page: nothing runs, nothing is fetched, nothing covers anything, no layout breaks."""
    assert len(HOSTILE) == 50
    say_hostile_things(server.world, HOSTILE)
    assert server.get(server.repo("/facts")).json()["total"] >= 48 + 9
    views = ["?family=facts&q=says", "?family=records", "?kind=Note", "/timeline", "/graph", "/orient"]
    for view in views:
        page.goto(home + view)
        for _ in range(3):
            if page.locator("#more button").count():
                page.locator("#more button").click()
                page.wait_for_load_state("networkidle")
        assert_inert(page)
        shoot(page, "hostile-" + re.sub("[^a-z]+", "-", view))
    page.goto(f"{home}?family=facts&q=says")
    ids = page.evaluate("[...document.querySelectorAll('#rows [data-item]')].map((row) => row.dataset.item)")
    page.goto(f"{home}?family=records")
    ids = (
        ids[:50]
        + page.evaluate("[...document.querySelectorAll('#rows [data-item]')].map((row) => row.dataset.item)")[:50]
    )
    for item in ids[::4]:
        page.goto(f"{home}/items/{item}")
        page.locator("#why-question").fill(page.locator("#drawer-title").inner_text()[:500])
        page.get_by_role("button", name="Ask").click()
        assert_inert(page)
    for text in HOSTILE[::5]:
        page.goto(home)
        page.get_by_role("searchbox").fill(text[:2_000].replace("\n", " "))
        page.wait_for_load_state("networkidle")
        assert_inert(page)


def assert_inert(page: Page) -> None:
    assert page.evaluate("window.owned === undefined && top.owned === undefined")
    own = "html head meta title link script body a header svg path span bdi nav div button details summary ul li form "
    own += (
        "input p main section h1 h2 h3 label ol time fieldset legend select option optgroup datalist dl dt dd dialog "
    )
    own += "kbd aside code textarea small circle rect line canvas strong figure figcaption noscript i"
    names = page.evaluate("[...new Set([...document.querySelectorAll('*')].map((one) => one.localName))]")
    assert set(names) <= set(own.split()), set(names) - set(own.split())
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1"), "a text breaks the layout"
    assert page.evaluate("[...document.scripts].every((one) => one.src.startsWith(location.origin))")


def test_right_to_left_cjk_and_long_names_keep_their_order_and_wrap(
    page: Page, home: str, server: Any, shoot: Any
) -> None:
    page.set_viewport_size(SIZES["narrow"])
    page.goto(f"{home}?family=facts&source=remora-cli")
    for name in server.ids:
        if not name.isascii():
            bidi = page.locator("#rows bdi", has_text=name[:12]).first
            expect(bidi).to_be_visible()
            assert bidi.get_attribute("dir") == "auto"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shoot(page, "scripts-narrow")
    hebrew = next(item for name, item in server.ids.items() if "\u05d0" <= name[0] <= "\u05ea")
    page.goto(f"{home}/items/{hebrew}")
    expect(page.locator("#drawer-title bdi").first).to_have_css("direction", "rtl")
    shoot(page, "scripts-drawer")


def test_an_empty_store_teaches_the_next_command(
    browser: Browser, tmp_path: Path, make_world: Any, shoot: Any, watch: Any, sign_in: Any
) -> None:
    with serving(make_world(tmp_path / "empty")) as server:
        page = browser.new_context(viewport=SIZES["wide"]).new_page()
        page.goto(f"http://127.0.0.1:{server.port}{server.post('/page/links').json()['path']}")
        page.wait_for_url("**/r/*")
        home = page.url
        expect(page.locator(".empty")).to_contain_text("remora records ingest --all")
        assert problems(page) == []
        shoot(page, "empty")
        for view, command in (("/timeline", "records ingest"), ("/orient", "encounters"), ("/sessions", "mcp hooks"),
                              ("/jobs", "mcp hooks"), ("/graph", "remora remember")):  # fmt: skip
            page.goto(home + view)
            expect(page.locator(".empty")).to_contain_text(command)
        page.context.close()
