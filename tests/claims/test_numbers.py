"""Which numbers belong together, seen from a binding behind them."""

import pytest

from benchctl.claims.markers.parsing import read_bindings
from benchctl.claims.numbers import Numbers
from benchctl.claims.reading.page import Page

B = "<!--= x -->"
GROUPS = [
    # (text with B where the binding stands, the group)
    (f"2.0x{B}", ["2.0x"]),
    (f"**2.0x**{B} and", ["2.0x"]),
    (f"`2.0x`{B}", ["2.0x"]),
    (f"<b>2.0x</b>{B}", ["2.0x"]),
    (f"[2.0x{B}](u/9)", ["2.0x"]),
    (f"[2.0x](u/9){B}", ["2.0x"]),
    (f"(36%){B}", ["36%"]),
    (f"1.25{B}x", ["1.25x"]),
    (f"1.25{B} s", ["1.25 s"]),
    (f"18 of its 48{B}", ["18", "48"]),
    (f"**18** of the **48**{B}", ["18", "48"]),
    (f"79 out of 300{B}", ["79", "300"]),
    (f"nine of its nine{B}", ["nine", "nine"]),
    (f"one of four{B}", ["one", "four"]),
    (f"44/48{B}", ["44", "48"]),
    (f"44/48 (92%){B}", ["44", "48", "92%"]),
    (f"44 of 48 (92%){B}", ["44", "48", "92%"]),
    (f"[0.1%, 3.0%]{B}", ["0.1%", "3.0%"]),
    (f"0.91 [0.85, 0.97]{B}", ["0.91", "0.85", "0.97"]),
    (f"0.977 \u2192 0.948{B}", ["0.977", "0.948"]),
    (f"399 -> 378{B}", ["399", "378"]),
    (f"0.78\u20130.89{B}", ["0.78", "0.89"]),
    (f"0.78 to 0.89 s{B}", ["0.78", "0.89 s"]),
    (f"9.79 \u00b1 0.22{B}", ["9.79", "0.22"]),
    (f"between 96.6% and 99.4%{B}", ["96.6%", "99.4%"]),
    (f"5.0 / 4.8 / 3.5{B}", ["5.0", "4.8", "3.5"]),
    (f"96.6% and 99.4%{B}", ["99.4%"]),  # no "between"
    (f"50.3 s \u2014 2.1x{B}", ["2.1x"]),  # a dash, no range
    (f"50.3 s to 2.1x{B}", ["2.1x"]),  # not of one family
    (f"3, 4{B}", ["4"]),
    (f"18<!--= a --> of 48{B}", ["48"]),  # no group reaches across a binding
    (f"n=48{B}", ["48"]),  # bound, though it would need no binding
    (f"2.0x {B}", None),
    (f"nothing{B}", None),
    (f"2026-11-30{B}", None),
    (f"1{B}25", None),
]


@pytest.mark.parametrize(("text", "group"), GROUPS)
def test_a_binding_takes_the_longest_group_that_ends_before_it(text, group):
    page = Page("p.md", text)
    numbers = Numbers(page)
    bindings, problems = read_bindings(page)
    assert problems == []
    numbers.wall(binding.start for binding in bindings)
    last = numbers.before(bindings[-1].start)
    last = numbers.promote(last) if last else None
    found = [atom.literal for atom in numbers.group(last)] if last and last.is_claim else None
    assert found == group


def test_a_range_shares_its_unit_and_its_about():
    page = Page("p.md", "about 3 to 6 min<!--= x -->")
    numbers = Numbers(page)
    group = numbers.group(numbers.before(page.comments[0].start))
    assert [(atom.token.unit, atom.token.cmp) for atom in group] == [("min", "~"), ("min", "~")]


def test_a_literal_that_a_comment_parts_ends_before_it():
    page = Page("p.md", "2.5<!--= x --> tokens")
    (atom,) = Numbers(page).atoms
    assert (atom.literal, page.text[atom.start : atom.end]) == ("2.5 tokens", "2.5")
