"""A real Chromium on a real server. Every request is watched: none leaves the origin, nothing reaches the console."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from http_server import Server, serving
from page_world import furnish

expect.set_options(timeout=20_000)  # a shared machine may be busy
SHOTS = Path(__file__).resolve().parents[2] / ".benchmarks" / "page"
"""Screenshots of the last run; git never sees this folder."""
CHROMIUM = os.environ.get("REMORA_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or ""


@pytest.fixture(scope="session")
def base_url() -> str:
    """The plugin's own is made in a way that pytest warns of."""
    return ""


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    assert CHROMIUM, "no Chromium found: install it (Debian: apt-get install chromium) or name it in REMORA_CHROMIUM"
    flags = ["--no-sandbox", "--enable-unsafe-swiftshader"]
    return {**browser_type_launch_args, "executable_path": CHROMIUM, "args": flags}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, make_world: Any) -> Iterator[Server]:
    with serving(make_world(tmp_path_factory.mktemp("browser") / "world")) as running:
        running.ids = furnish(running.world)  # type: ignore[attr-defined]
        yield running


@pytest.fixture
def watch(server: Server) -> Callable[[BrowserContext], list[str]]:
    """Stops and notes every request to anywhere else, every error of a script and every breach of the policy."""

    def watched(context: BrowserContext) -> list[str]:
        faults: list[str] = []
        home = f"http://127.0.0.1:{server.port}/"

        def ask(route: Any) -> None:
            if route.request.url.startswith(home):
                route.continue_()
            else:
                faults.append(f"request to {route.request.url[:200]}")
                route.abort()

        context.route("**/*", ask)
        context.on("weberror", lambda error: faults.append(f"script error: {error.error}"))
        context.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
        return faults

    return watched


@pytest.fixture
def sign_in(server: Server) -> Callable[[Page], str]:
    """Open the page by a one-time link; returns where the repository's pages begin."""

    def signed_in(page: Page) -> str:
        path = server.post("/page/links").json()["path"]
        page.goto(f"http://127.0.0.1:{server.port}{path}")
        page.wait_for_url("**/r/*")
        return page.url.split("?")[0]

    return signed_in


@pytest.fixture
def home(page: Page, context: BrowserContext, watch: Any, sign_in: Any) -> Iterator[str]:
    """A signed-in page on the list; at the end nothing may have gone wrong unseen."""
    faults = watch(context)
    yield sign_in(page)
    assert faults == []


@pytest.fixture
def shoot(request: pytest.FixtureRequest) -> Callable[[Page, str], None]:
    """Keep a screenshot under the test's name."""

    def shot(page: Page, name: str) -> None:
        SHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(SHOTS / f"{name}.png"), caret="initial")  # to hide it, a style would be put in

    return shot
