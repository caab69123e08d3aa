"""Pages opened straight from a disk: the same tables and charts, without a server and without a theme."""

from __future__ import annotations

import pytest
from synthetic_run import RUN

pytestmark = pytest.mark.browser

CELL = "cells/click-q1/grep/script/none/1/index.html"
PAGES = ("index.html", f"{RUN}/index.html", f"{RUN}/{CELL}", "hostile-r2/index.html", f"hostile-r2/{CELL}")


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(("width", "scheme"), [(1200, "dark"), (390, "light")])
def test_a_file_is_whole_by_itself(standalone, look, page, width, scheme):
    seen = look((standalone / "runs" / page).as_uri(), width=width, scheme=scheme)
    assert len(seen.requests) == 1
    assert seen.complaints == []
    assert seen.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert seen.page.evaluate("window.attacked") is None


@pytest.mark.parametrize("width", [390, 700, 1200, 1600])
def test_a_wide_table_has_its_room_keeps_its_names_in_sight_and_shows_that_there_is_more(
    standalone, look, width
):
    page = look((standalone / "runs" / RUN / "index.html").as_uri(), width=width).page
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    box = page.locator(".bc-scroll").first
    assert box.evaluate("box => box.clientWidth") == min(width - 40, 1200)
    assert page.locator(".bc-lede").evaluate("text => text.clientWidth") <= 960
    assert box.evaluate("box => getComputedStyle(box).backgroundAttachment") == "local, scroll, local, scroll"
    for name in box.locator("thead th:first-child, tbody th:first-child").all():
        assert name.evaluate("cell => getComputedStyle(cell).position") == "sticky"
    if width == 390:
        assert box.evaluate("box => box.scrollWidth > box.clientWidth")
        box.evaluate("box => box.scrollLeft = 200")
        left, wide = box.evaluate(
            "box => { const cell = box.querySelector('tbody th').getBoundingClientRect();"
            " return [cell.left - box.getBoundingClientRect().left, cell.width / box.clientWidth]; }"
        )
        assert abs(left) < 1
        assert wide < 0.5, "the name leaves room for the figures"


def test_tables_sort_and_links_lead_on(standalone, look):
    seen = look((standalone / "runs" / "index.html").as_uri())
    page = seen.page
    page.get_by_role("link", name=RUN, exact=True).click()
    page.locator("table[data-table='arms']").get_by_role("button", name="score").press("Enter")
    assert page.locator("table[data-table='arms'] tbody th").all_inner_texts() == ["hybrid", "index", "grep"]
    page.get_by_role("link", name="cell click-q1/grep/script/none/1").click()
    assert "click-q1/grep" in page.title()
    assert seen.complaints == []


def test_dark_and_light_differ_in_page_and_drawing(standalone, look):
    ink = "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector('svg text')).fill]"
    address = (standalone / "runs" / RUN / "index.html").as_uri()
    light, dark = (look(address, scheme=scheme).page.evaluate(ink) for scheme in ("light", "dark"))
    assert light[0] != dark[0]
    assert light[1] != dark[1]
