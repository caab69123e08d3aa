"""A real browser on a site served from the loopback, and the two kinds of site it looks at."""

from __future__ import annotations

import functools
import http.server
import shutil
import threading
from dataclasses import dataclass, field

import pytest
from site_builder import build, make_site
from synthetic_run import Recipe, make_project

from benchctl.publish.render import render_site

_ARGUMENTS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
RECIPES = (
    Recipe(failed=True, void=True, questions=2, reps=1),
    Recipe(run="hostile-r2", hostile=True, questions=1, reps=1),
)


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """Say nothing: the test's own output is what counts."""


@dataclass
class Watched:
    """A page, with every address it asked for and everything it complained about."""

    page: object
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


@pytest.fixture(scope="session")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        pytest.skip("no Chromium on this machine")
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=list(_ARGUMENTS))
        yield running
        running.close()


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """Yield the address of the site that mkdocs built."""
    root = tmp_path_factory.mktemp("site")
    make_site(root, *RECIPES)
    done = build(root)
    assert done.returncode == 0, done.log
    yield from _served(root / "build" / "site")


@pytest.fixture(scope="session")
def standalone(tmp_path_factory):
    """Return the folder of the pages that need no server."""
    root = tmp_path_factory.mktemp("standalone")
    render_site(make_project(root, *RECIPES), root / "out")
    return root / "out"


def _served(folder):
    handler = functools.partial(_Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def look(browser):
    """Return a function that opens an address in a window of its own."""
    contexts = []

    def opened(address, *, width=1200, scheme="light", **options):
        context = browser.new_context(
            viewport={"width": width, "height": 800}, color_scheme=scheme, **options
        )
        contexts.append(context)
        watched = Watched(context.new_page())
        watched.page.on("request", lambda request: watched.requests.append(request.url))
        watched.page.on("console", lambda message: watched.complaints.append(message.text))
        watched.page.on("pageerror", lambda error: watched.complaints.append(str(error)))
        watched.page.on(
            "requestfailed", lambda request: watched.complaints.append(f"{request.url}: {request.failure}")
        )
        watched.page.goto(address, wait_until="networkidle")
        return watched

    yield opened
    for context in contexts:
        context.close()
