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
    (f"9 times{B} as many", ["9 times"]),
    (f"**9 times**{B}", ["9"]),
    (f"seven times{B} fewer", ["seven times"]),
    (f"12-of-12{B}", ["12", "12"]),
    (f"44 of a possible 48{B}", ["44", "48"]),
    (f"44 out of a total of 48{B}", ["44", "48"]),
    (f"1~2%{B}", ["1", "2%"]),
    (f"5 \u21d2 4{B}", ["5", "4"]),
    (f"(12, 14, 11){B}", ["12", "14", "11"]),
    (f"(12, then 14, 11){B}", ["11"]),
    (f"12, 14, 11){B}", ["11"]),
    (f"3, (12, 14){B}", ["12", "14"]),
    (f"9.79(22){B}", ["9.79", "22"]),
    (f"9.79 (22){B}", ["22"]),
    (f"48(44){B}", ["44"]),
    (f"(0.20) ms{B}", ["0.20"]),
    (f"(0.20) cells{B}", None),
    (f"(1.20 \u00b1 0.05) ms{B}", ["1.20", "0.05"]),
    (f"(1.2 \u00b1 0.3) \u00d7 10\u207b\u2074{B}", ["1.2", "0.3"]),
    (f"2\u2076{B}", None),  # an expression, and no bracket before it
    (f"10.5 (3) and 2\u2076{B}", None),
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


def test_a_number_and_its_error_share_what_stands_behind_the_bracket():
    page = Page("p.md", "(1.2 \u00b1 0.3) \u00d7 10\u207b\u2074<!--= x; y -->, (0.20) ms")
    values = [(str(atom.token.value), atom.token.unit) for atom in Numbers(page).atoms]
    assert values == [("0.00012", ""), ("0.00003", ""), ("0.20", "ms")]


def test_shared_units_are_those_of_the_longest_group():
    page = Page("p.md", "3\u20134 s, 5 and 6 to 7 ms")
    numbers = Numbers(page)
    assert [item.token.unit for item in numbers.shared(numbers.atoms)] == ["s", "s", "", "ms", "ms"]


def test_a_line_of_a_thousand_numbers_groups_no_more_than_a_sentence_holds():
    page = Page("p.md", " / ".join(["1"] * 1000) + "<!--= x -->")
    numbers = Numbers(page)
    assert len(numbers.group(numbers.before(page.comments[0].start))) == 65
    assert len(numbers.shared(numbers.atoms)) == 1000


def test_what_a_binding_names_moves_from_the_not_claims_to_the_claims_once():
    page = Page("p.md", "n=48, k=5 and 7")
    numbers = Numbers(page)
    (count, rank) = numbers.others_between(0, len(page.text))
    named = numbers.promote(count)
    assert (named.token.kind, [atom.literal for atom in numbers.atoms]) == ("number", ["48", "7"])
    assert numbers.others == [rank]
    assert numbers.promote(named) is named
    assert numbers.promote(count) == named
    assert (len(numbers.atoms), numbers.others) == (2, [rank])


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("It found [777] things.", ["777"]),
        ("[777] things", ["777"]),
        ("It found [[777]] things.", ["777"]),
        ("as in [7], [12] and [[77]](http://x.y)", []),  # citations
        ("See [123].\n\n[123] Foo, Bar.", []),
        ("[122] Foo\n\n[123] Bar", []),
        ("- [123] Foo\n- [124] Bar", []),
        ("[123]: http://x.y\n\nsee [123]", []),
    ],
)
def test_a_high_number_in_brackets_is_a_note_only_where_the_page_lists_it(text, numbers):
    assert [atom.literal for atom in Numbers(Page("p.md", text)).atoms] == numbers
