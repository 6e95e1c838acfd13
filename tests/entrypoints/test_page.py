"""The page as a browser's requests meet it: signing in, forms, foreign callers, hostile texts, forgetting for good."""

import re
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from hostile_texts import HOSTILE
from http_server import Server, running, serving
from page_browser import Browser
from page_world import LONG, RTL, furnish, say_hostile_things
from remora.core.policy import FORGET_UNDO_SECONDS
from remora.entrypoints.http.site import Caller
from remora.entrypoints.web.routes import READS, WRITES
from remora.entrypoints.web.sign_in import SignIns

POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, make_world: Any) -> Iterator[Server]:
    with serving(make_world(tmp_path_factory.mktemp("page") / "world")) as running:
        running.ids = furnish(running.world)  # type: ignore[attr-defined]
        yield running


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Every browser of a test is closed with it."""
    kept = list(Browser.made)
    yield
    for browser in Browser.made:
        if browser not in kept:
            browser.client.close()


@pytest.fixture(scope="module")
def me(server: Server) -> Iterator[Browser]:
    browser = Browser(server).signed_in(server.token)
    yield browser
    browser.client.close()


# --- The way in -------------------------------------------------------------------------------------------------------


def test_a_link_opens_the_page_once_and_only_once(server: Server) -> None:
    link = server.world.remora("page")
    assert link.code == 0, link.err
    path = link.out.strip().removeprefix(f"http://127.0.0.1:{server.port}")
    first, second = Browser(server), Browser(server)
    answer = first.get(path)
    assert answer.status_code == 200
    cookie = answer.headers["set-cookie"].lower()
    assert all(word in cookie for word in ("httponly", "samesite=strict", "path=/"))
    assert "max-age" in cookie
    assert server.token not in answer.text + str(answer.headers)
    assert first.arrive().get(first.base).status_code == 200
    assert second.get(path).status_code == 410
    assert second.get("/open/" + "x" * 43).status_code == 410


def test_a_link_runs_out_and_a_session_ends_with_its_key() -> None:
    now = [0.0]
    valid = {"k" * 20}
    signs = SignIns(lambda key: Caller("a", None) if key in valid else None, lambda: now[0])  # type: ignore[arg-type]
    late = signs.link("k" * 20)
    now[0] = 301.0
    assert signs.follow(late) is None
    cookie = signs.follow(signs.link("k" * 20))
    assert cookie is not None
    assert signs.of(cookie) is not None
    now[0] += 13 * 3600
    assert signs.of(cookie) is None
    cookie = signs.begin("k" * 20)
    assert cookie is not None
    valid.clear()
    assert signs.of(cookie) is None
    valid.add("k" * 20)
    assert signs.of(cookie) is None


def test_there_is_no_link_for_a_member_or_without_a_token(server: Server) -> None:
    assert server.post("/page/links", token="").status_code == 401
    assert server.post("/page/links", token="rmk_" + "0" * 64).status_code == 401


def test_without_a_server_the_command_says_what_to_run(world: Any) -> None:
    world.remora("init")
    done = world.remora("page")
    assert done.code == 1
    assert "remora serve" in done.err


@pytest.mark.parametrize("path", [path for path, _ in READS])
def test_nothing_is_shown_to_who_is_not_signed_in(server: Server, path: str) -> None:
    stranger = Browser(server)
    where = f"/r/{server.repository}{path}".replace("{item}", "fct_x").replace("{forgetting}", "x")
    answer = stranger.get(where.replace("{session}", "x"))
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/sign-in?next=")
    part = stranger.get(where, headers={"hx-request": "true"})
    assert (part.status_code, part.headers["hx-redirect"], part.text) == (401, "/sign-in", "")


def test_a_wrong_key_opens_nothing_and_a_right_one_leads_back(server: Server) -> None:
    browser = Browser(server)
    for key in ("", "wrong", server.token[:-1], "rmk_" + "0" * 64, "x" * 5_000, "\0", "rmk_é"):
        answer = browser.client.post("/sign-in", data={"key": key}, headers={"origin": browser.origin})
        assert answer.status_code == 401, key
        assert not browser.client.cookies
    for onward, target in ((f"/r/{server.repository}/orient?x=1", f"/r/{server.repository}/orient?x=1"),
                           ("https://evil.example/", "/"), ("//evil.example", "/"), ("/\\evil.example", "/"),
                           ("/r/x\r\nset-cookie: a=b", "/"), ("", "/")):  # fmt: skip
        answer = browser.client.post(
            "/sign-in", data={"key": server.token, "next": onward}, headers={"origin": browser.origin}
        )
        assert answer.headers["location"] == target


def test_signing_out_ends_the_session_for_good(server: Server) -> None:
    browser = Browser(server).signed_in(server.token)
    name, cookie = next(iter(browser.client.cookies.items()))
    assert browser.post("/sign-out").status_code == 303
    assert browser.get(browser.base).status_code == 303
    thief = Browser(server)
    thief.client.cookies.set(name, cookie)
    assert thief.get(browser.base).status_code == 303


# --- Forms and foreign callers ----------------------------------------------------------------------------------------


def forms(server: Server, browser: Browser) -> list[str]:
    fact = server.ids["Checkout"]  # type: ignore[attr-defined]
    paths = [browser.base + path for path, _ in WRITES]
    filled = {"{item}": fact, "{verb}": "pin", "{forgetting}": "fgt_" + "0" * 24, "{session}": "ses_" + "0" * 24}
    return ["/sign-out", *(re.sub(r"\{\w+\}", lambda found: filled[found[0]], path) for path in paths)]


def test_a_form_from_elsewhere_does_nothing(server: Server, me: Browser) -> None:
    other = f"http://127.0.0.1:{server.port + 1}"
    for path in forms(server, me):
        for headers in (
            {"origin": "https://evil.example"}, {"origin": "null"}, {"origin": other}, {"origin": ""},
            {"origin": "http://localhost:" + str(server.port)}, {"sec-fetch-site": "same-site"},
            {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "none"},
        ):  # fmt: skip
            assert me.post(path, **headers).status_code == 403, (path, headers)
        bare = me.client.post(path, data={"csrf": me.csrf})
        assert bare.status_code == 403, path
    assert me.get(me.base).status_code == 200


def test_a_form_without_the_sessions_own_token_does_nothing(server: Server, me: Browser) -> None:
    other = Browser(server).signed_in(server.token)
    for path in forms(server, me):
        for token in ("", "x", other.csrf):
            assert me.post(path, {"csrf": token}).status_code == 403, path
    assert me.get(me.base).status_code == 200


def test_only_ordinary_forms_of_an_ordinary_size_are_taken(server: Server, me: Browser) -> None:
    path = f"{me.base}/items/{server.ids['Checkout']}/pin"  # type: ignore[attr-defined]
    headers = {"origin": me.origin, "x-csrf-token": me.csrf}
    for content, kind, status in ((b"{}", "application/json", 415), (b"x", "multipart/form-data; boundary=a", 415),
                                  (b"x", "", 415), (b"a=" + b"b" * 300_000, "application/x-www-form-urlencoded", 413),
                                  (b"a=1&" * 3_000, "application/x-www-form-urlencoded", 400)):  # fmt: skip
        answer = me.client.post(path, content=content, headers=headers | {"content-type": kind})
        assert answer.status_code == status, kind
        assert "Traceback" not in answer.text


def test_every_answer_carries_the_strict_headers(server: Server, me: Browser) -> None:
    stranger = Browser(server)
    answers = [me.get(me.base + path.replace("{item}", "fct_x")) for path, _ in READS if "{" not in path]
    answers += [me.get("/r/r_none"), stranger.get("/"), stranger.get("/sign-in"), stranger.get("/open/x"),
                me.post("/sign-out", origin=f"http://127.0.0.1:{server.port + 1}"),
                me.get(f"{me.base}/items/fct_x")]  # fmt: skip
    for answer in answers:
        assert answer.headers["content-security-policy"].startswith(POLICY), answer.url
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=", answer.text), answer.url


def test_a_foreign_host_sees_no_page(server: Server) -> None:
    browser = Browser(server)
    for path in ("/", "/sign-in", f"/r/{server.repository}", "/static/page.css"):
        assert browser.get(path, headers={"host": "evil.example"}).status_code == 403


# --- What is shown ----------------------------------------------------------------------------------------------------


def test_the_list_shows_every_family_with_its_source(server: Server, me: Browser) -> None:
    text = me.get(me.base).text
    for said in ("Charging twice broke refunds", "Refunds doubled", "ci://runs/1", "operator via cli", RTL[:30], LONG):
        assert said in text
    assert "A private note on charging" in text
    assert len(me.items("?family=facts")) == 8
    assert len(me.items("?family=facts&past=1")) == 9
    assert me.items("?kind=regression&scope=private") == [server.ids["private"]]  # type: ignore[attr-defined]
    assert len(me.items("?q=who+owns+billing")) >= 3
    assert "Nothing matches" in me.get(me.base + "?q=zebra").text
    assert "is unknown" in me.get(me.base + "?family=zebra").text
    assert "is no date" in me.get(me.base + "?since=yesterday").text


def test_items_of_every_family_open_in_the_drawer_and_in_pages_of_their_own(server: Server, me: Browser) -> None:
    said = {
        "Billing": ("Payments team", "Platform team", "closed"),
        "record": ("refunds counted it", "ci://runs/1", "billing.py", "pitfall", "Retract"),
        "Refunds doubled": ("Each refund was paid twice", "grounds", "Idempotent charging"),
    }
    for name, words in said.items():
        path = f"{me.base}/items/{server.ids[name]}"  # type: ignore[attr-defined]
        part, whole = me.get(path, headers={"hx-request": "true"}), me.get(path)
        for word in words:
            assert word in part.text, (name, word)
            assert word in whole.text, (name, word)
        assert "<html" not in part.text
        assert "<html" in whole.text


def test_why_something_is_recalled_is_told_with_place_and_reasons(server: Server, me: Browser) -> None:
    owned = me.items("?family=facts&q=who+owns+billing")[0]
    path = f"{me.base}/items/{owned}/why?why="
    told = me.get(path + "who+owns+billing%3F").text
    assert "Matched by" in told
    assert "<dd>subject" in told
    assert "Recall was not asked" in me.get(path + "thanks").text
    assert "silent" in me.get(path + "capital+of+France").text
    assert "shares too little" in me.get(path + "which+refunds+doubled").text


@pytest.mark.parametrize(
    "path", ["/timeline", "/orient", "/sessions", "/jobs", "/health/report", "/graph", "/graph.json"]
)
def test_every_tab_answers(me: Browser, path: str) -> None:
    answer = me.get(me.base + path)
    assert answer.status_code == 200, answer.text


def test_what_is_absent_and_what_is_anothers_look_alike(server: Server, me: Browser) -> None:
    other, absent = me.get("/r/r_0123456789abcdef"), me.get("/r/nothing")
    assert (other.status_code, other.text) == (absent.status_code, absent.text) == (404, absent.text)
    for item in ("fct_" + "0" * 24, "mem_" + "0" * 24, "enc_" + "0" * 24, "ses_x", "..%2f..%2fetc", "%00", "x" * 300):
        answer = me.get(f"{me.base}/items/{item}")
        assert answer.status_code in (404, 400), item
        assert "Traceback" not in answer.text


@pytest.mark.parametrize("value", ["%00", "%ff%fe", "a" * 60_000, "%F0%9F%92%A9", "../../x", "<script>", "%ED%A0%80"])
def test_odd_values_in_any_parameter_are_the_callers_fault_at_most(me: Browser, value: str) -> None:
    for path in ("?q=", "?family=", "?kind=", "?source=", "?since=", "?cursor=", "?past=", "/graph?name=",
                 "/graph?focus=", "/timeline?cursor=", "/timeline?what=", "/sessions?told=",
                 "/items/fct_x/why?why="):  # fmt: skip
        assert me.get(me.base + path + value).status_code < 500, path
    assert me.get(f"/static/{value[:50]}").status_code in (200, 404)


# --- What is done -----------------------------------------------------------------------------------------------------


def test_hostile_texts_in_every_field_come_back_as_text(server: Server, me: Browser) -> None:
    """The markup of every view holds no element or attribute that a text brought along."""
    say_hostile_things(server.world, HOSTILE)
    for path in ("?family=facts", "?family=records", "?q=says", "?kind=Note", "/timeline", "/graph", "/sessions"):
        text = me.get(me.base + path).text
        assert foreign(text) == [], path
        assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b-\u200f]", text), path
    for query in ("?family=facts&q=says", "?family=records", "?kind=Note"):
        for item in me.items(query)[::3]:
            assert foreign(me.get(f"{me.base}/items/{item}", headers={"hx-request": "true"}).text) == []


def foreign(markup: str) -> list[str]:
    """Elements and attributes that are not the page's own."""
    found: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            names = {name for name, _ in attrs}
            found.extend([tag] * (tag not in KNOWN))
            found.extend(name for name in names if name.startswith("on") or name in ("style", "srcdoc", "formaction"))
            found.extend(
                str(value) for name, value in attrs if name in ADDRESSES and not OWN_ADDRESS.match(value or "")
            )

    Reader().feed(markup)
    return found


ADDRESSES = frozenset({"href", "src", "action", "hx-get", "hx-post"})
OWN_ADDRESS = re.compile(r"/(?!/)|#main$")
KNOWN = (
    "html head meta title link script body a header svg path span bdi nav div button details summary ul li form input "
    "p main section h1 h2 h3 label ol time fieldset legend select option optgroup datalist dl dt dd dialog kbd aside "
    "code textarea small circle rect line i table thead tbody tr th td strong figure figcaption noscript hr"
).split()


def test_pin_bury_correct_retract_and_promote_by_form(server: Server, me: Browser) -> None:
    fact = server.ids["Invoices"]  # type: ignore[attr-defined]
    at = f"{me.base}/items/{fact}"
    assert me.post(f"{at}/pin").status_code == 303
    assert "pinned" in me.get(at).text
    assert me.post(f"{at}/bury").status_code == 303
    assert "buried" in me.get(at).text
    assert me.post(f"{at}/release").status_code == 303
    corrected = me.post(f"{at}/correct", {"object": "GCS bucket"})
    assert corrected.status_code == 303
    assert "GCS bucket" in me.get(corrected.headers["location"]).text
    assert me.post(corrected.headers["location"].split("?")[0] + "/retract").status_code == 303
    assert server.world.remora("facts", "list", "--entity", "Invoices", "--json").json["facts"] == []
    assert me.post(f"{at}/eat").status_code == 404

    record = server.ids["private"]  # type: ignore[attr-defined]
    wider = me.post(f"{me.base}/items/{record}/promote", {"audience": "repository"})
    after = wider.headers["location"].rpartition("/")[2]
    assert me.get(wider.headers["location"]).status_code == 200
    better = me.post(
        f"{me.base}/items/{after}/correct", {"title": "Charging, told again", "summary": "Shorter.\r\nYes."}
    )
    told = me.get(better.headers["location"]).text
    assert "Charging, told again" in told
    gone = me.post(better.headers["location"] + "/retract", {"reason": "It was another cause."})
    assert "retracted" in me.get(gone.headers["location"]).text
    back = me.post(gone.headers["location"] + "/reactivate")
    assert back.status_code == 303


def test_a_chat_is_shown_promoted_from_and_revoked(server: Server, me: Browser) -> None:
    chat = {"remora-session-id": "chat-9", "remora-client": "test"}
    done = server.post("/repos/" + server.repository + "/sessions", {"session_id": "chat-9", "client": "test"})
    session = done.json()["id"]
    row = {"subject": "Draft", "predicate": "IS", "object": "private thing"}
    server.post(server.repo("/facts"), {"triples": [row], "memory_scope": "session"}, headers=chat)
    assert "chat-9" in me.get(f"{me.base}/sessions").text
    page = me.get(f"{me.base}/sessions/{session}").text
    assert "private thing" in page
    fact = re.search(r'name="fact" value="(fct_[0-9a-f]+)"', page).group(1)  # type: ignore[union-attr]
    assert me.items("?scope=chat") == [fact]
    assert me.post(f"{me.base}/sessions/{session}/promote").status_code == 400
    assert me.post(f"{me.base}/sessions/{session}/promote", {"fact": fact}).status_code == 303
    assert "private thing" in me.get(me.base + "?q=draft").text
    assert me.post(f"{me.base}/sessions/{session}/revoke").status_code == 303
    assert me.get(f"{me.base}/sessions/{session}").status_code == 404
    assert me.get(f"{me.base}/items/{fact}").status_code == 404


def test_the_command_line_pins_and_buries_what_the_page_shows_pinned(server: Server, me: Browser) -> None:
    fact, world = server.ids["Checkout"], server.world  # type: ignore[attr-defined]
    assert world.remora("pin", fact, "--json").json == {"id": fact, "emphasis": "pin"}
    assert "pinned" in me.get(f"{me.base}/items/{fact}").text
    assert world.remora("bury", fact, "--release").code == 0
    assert "pinned" not in me.get(f"{me.base}/items/{fact}", headers={"hx-request": "true"}).text
    assert world.remora("pin", "fct_" + "0" * 24).code == 1


def test_a_server_that_may_only_read_offers_no_change_and_one_without_memory_no_page(world: Any) -> None:
    world.remora("init")
    world.remora("remember", "A", "is", "B")
    with running(world, "--read-only") as server:
        me = Browser(server).signed_in(server.token)
        (fact,) = me.items()
        text = me.get(f"{me.base}/items/{fact}").text
        assert "may read" in text
        assert 'data-verb="forget"' not in text
        assert me.post(f"{me.base}/items/{fact}/forget").status_code == 403
    with running(world, "--no-allow-memory") as server:
        off = Browser(server)
        off.client.post("/sign-in", data={"key": server.token}, headers={"origin": off.origin})
        answer = off.get(f"/r/{server.repository}")
        assert answer.status_code == 403
        assert "switched off" in answer.text


# --- Forgetting -------------------------------------------------------------------------------------------------------


def test_a_forget_waits_through_a_kill_and_can_be_undone_after_it(world: Any) -> None:
    """Hidden at once from every door, undone by a form; asked again, the server is killed, and the wait goes on."""
    world.remora("init")
    world.remora("remember", "Wombatrix", "knows", "Zyzzyvanish")
    with running(world) as server:
        me = Browser(server).signed_in(server.token)
        (fact,) = me.items()
        assert me.post(f"{me.base}/items/{fact}/forget").status_code == 303
        page = me.get(me.base).text
        assert "Wombatrix KNOWS Zyzzyvanish" in page
        assert me.items() == []
        told = server.post(server.repo("/recall"), {"query": "what does Wombatrix know?", "memory_scope": "repository"})
        assert "Zyzzyvanish" not in told.text
        assert me.post(f"{me.base}/forgetting/{waiting(page)}/undo").status_code == 303
        assert me.items() == [fact]
        assert me.post(f"{me.base}/items/{fact}/forget").status_code == 303
        server.process.kill()
        server.process.wait(timeout=20)
    with running(world) as server:
        me = Browser(server).signed_in(server.token)
        assert me.items() == []
        pending = waiting(me.get(me.base).text)
        counting = me.get(f"{me.base}/forgetting/{pending}?item={fact}", headers={"hx-request": "true"})
        assert counting.text.startswith("<span")
        assert me.get(f"{me.base}/forgetting/fgt_{'0' * 24}?item=fct_x").status_code == 404
        if me.post(f"{me.base}/forgetting/{pending}/undo").status_code == 303:  # a slow machine may be too late
            assert me.items() == [fact]


@pytest.mark.slow
def test_what_was_forgotten_is_in_no_byte_of_the_store_after_the_wait(world: Any) -> None:
    world.remora("init")
    world.remora("remember", "Wombatrix", "knows", "Zyzzyvanish")
    data = Path(world.env["REMORA_DATA_DIR"])
    with running(world) as server:
        me = Browser(server).signed_in(server.token)
        (fact,) = me.items()
        asked = time.monotonic()
        assert me.post(f"{me.base}/items/{fact}/forget").status_code == 303
        pending = waiting(me.get(me.base).text)
        assert bytes_with(data, "Zyzzyvanish")
        part = {"headers": {"hx-request": "true"}}
        while (answer := me.get(f"{me.base}/forgetting/{pending}?item={fact}", **part)).text.startswith("<span"):
            assert time.monotonic() - asked < FORGET_UNDO_SECONDS + 30, "it waits too long"
            time.sleep(0.5)
        assert time.monotonic() - asked >= FORGET_UNDO_SECONDS - 1
        assert "Erased." in answer.text
        assert "Bundles, backups and git history" in answer.text
        assert answer.headers["hx-retarget"] == f"#{pending}"
        for word in ("Zyzzyvanish", "zyzzyvanish", "Wombatrix", "wombatrix"):
            assert bytes_with(data, word) == []
        assert me.post(f"{me.base}/forgetting/{pending}/undo").status_code == 404
        assert me.get(f"{me.base}/items/{fact}").status_code == 404


def waiting(page: str) -> str:
    found = re.search(r'id="(fgt_[0-9a-f]{24})"', page)
    assert found is not None
    return found.group(1)


def bytes_with(folder: Path, text: str) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]
