"""The built site in a real browser: nothing leaves the host, nothing overflows, everything works by keyboard."""

from __future__ import annotations

import pytest
from synthetic_run import RUN

pytestmark = pytest.mark.browser

CELL = "cells/click-q1/grep/script/none/1/"
PAGES = {
    "start": "",
    "analysis": "analysis/",
    "runs": "runs/",
    "run": f"runs/{RUN}/",
    "cell": f"runs/{RUN}/{CELL}",
    "hostile run": "runs/hostile-r2/",
    "hostile cell": f"runs/hostile-r2/{CELL}",
}
_OVERFLOW = "document.scrollingElement.scrollWidth - document.documentElement.clientWidth"
_SCORES = (
    "[...document.querySelectorAll('table[data-table=\"arms\"] tbody tr')].map(row => row.cells[0].innerText)"
)
# Colours as the browser paints them: variables resolved, alpha included.
_INK = """
() => {
  const paint = (selector, property) => getComputedStyle(document.querySelector(selector))[property];
  return {
    page: paint('body', 'backgroundColor'),
    label: paint('.bc-chart svg text', 'fill'),
    grid: paint('.bc-chart svg .role-axis-grid line', 'stroke'),
    interval: paint('.bc-chart svg line[stroke-width="3"]', 'stroke'),
    text: paint('.bc-table tbody th', 'color'),
  };
}
"""


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (390, "dark")])
def test_a_page_asks_only_its_own_host_complains_of_nothing_and_fits(site, look, page, width, scheme):
    seen = look(site + PAGES[page], width=width, scheme=scheme)
    assert seen.requests
    assert [url for url in seen.requests if not url.startswith((site, "data:"))] == []
    assert seen.complaints == []
    assert seen.page.evaluate(_OVERFLOW) <= 0
    assert seen.page.evaluate("window.attacked") is None


def test_a_missing_page_is_under_the_same_policy(site, look):
    seen = look(site + "404.html")
    assert seen.page.locator("meta[http-equiv='Content-Security-Policy']").count() == 1
    assert [url for url in seen.requests if not url.startswith((site, "data:"))] == []


def test_a_wide_table_scrolls_in_its_own_box(site, look):
    page = look(site + PAGES["run"], width=390).page
    box = page.locator(".bc-scroll").first
    assert box.evaluate("box => box.scrollWidth > box.clientWidth")
    box.evaluate("box => box.scrollLeft = 200")
    assert page.evaluate("window.scrollX") == 0
    name = box.locator("tbody th").first
    assert name.evaluate("cell => cell.getBoundingClientRect().left") >= 0, "the row's name stays in sight"


def test_a_table_sorts_by_click(site, look):
    page = look(site + PAGES["analysis"]).page
    assert page.evaluate(_SCORES) == ["grep", "index", "hybrid"]
    head = page.get_by_role("columnheader", name="score")
    button = head.get_by_role("button")
    button.click()
    assert head.get_attribute("aria-sort") == "descending"
    assert page.evaluate(_SCORES) == ["hybrid", "index", "grep"]
    button.click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert page.evaluate(_SCORES) == ["grep", "index", "hybrid"]


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_table_sorts_by_keyboard_and_shows_where_the_focus_is(site, look, key):
    page = look(site + PAGES["analysis"]).page
    page.locator(".bc-scroll").first.focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.innerText") == "arm"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press(key)
    assert page.evaluate(_SCORES) == ["grep", "hybrid", "index"]
    heads = page.locator("table[data-table='arms'] th[aria-sort]")
    orders = heads.evaluate_all("heads => heads.map(head => head.getAttribute('aria-sort'))")
    assert orders == ["ascending", *["none"] * (len(orders) - 1)]


def test_figures_that_nobody_measured_sort_last_both_ways(site, look):
    page = look(site + PAGES["run"]).page
    table = page.locator("table[data-table='questions']")
    column = "rows => rows.map(row => row.cells[3].innerText)"
    button = table.get_by_role("columnheader", name="precision").get_by_role("button")
    for _ in range(2):
        button.click()
        figures = table.locator("tbody tr").evaluate_all(column)
        measured = [figure for figure in figures if figure != "\u2013"]
        assert len(measured) == len(figures) - 2, "one cell failed and one is void"
        assert figures[: len(measured)] == measured


def test_one_drawing_follows_light_and_dark(site, look):
    page = look(site + PAGES["analysis"]).page
    light = page.evaluate(_INK)
    page.locator("form[data-md-component='palette'] label:not([hidden])").click()
    page.mouse.move(0, 400)
    page.wait_for_function("document.body.dataset.mdColorScheme === 'slate'")
    dark = page.evaluate(_INK)
    assert all(light[name] != dark[name] for name in light), (light, dark)
    assert "rgb(0, 0, 0)" not in dark.values(), "black on a dark page cannot be seen"


def test_a_figure_stands_at_the_left_where_its_table_does(site, look):
    page = look(site + PAGES["run"]).page
    assert page.locator(".bc-figure").first.evaluate("f => getComputedStyle(f).textAlign") in {
        "left",
        "start",
    }


def test_a_reader_gets_from_the_start_to_a_cell_by_links_alone(site, look):
    seen = look(site)
    page = seen.page
    page.locator("article").get_by_role("link", name="runs").click()
    page.get_by_role("link", name=RUN, exact=True).click()
    page.wait_for_url(f"**/runs/{RUN}/")
    page.get_by_role("columnheader", name="failed").first.get_by_role("button").click()
    assert page.locator("th[aria-sort='descending']").count() == 1, "sorting works after instant navigation"
    page.get_by_role("link", name="cell click-q1/index/script/none/1").click()
    page.wait_for_url("**/cells/click-q1/index/script/none/1/")
    page.get_by_role("heading", name="Transcript").wait_for()
    assert seen.complaints == []


def test_a_run_is_found_by_search(site, look):
    seen = look(site)
    page = seen.page
    page.locator("input[name='query']").click()
    page.keyboard.type(RUN)
    page.locator(".md-search-result__link").first.wait_for(state="attached")
    assert RUN in page.locator(".md-search-result__list").inner_text()
    assert seen.complaints == []


def test_without_a_script_every_figure_is_still_there(site, look):
    page = look(site + PAGES["run"], java_script_enabled=False).page
    assert page.locator("table[data-table='questions'] tbody tr").count() == 18
    assert page.locator(".bc-chart svg").count() == 1
