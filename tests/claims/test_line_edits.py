"""What is said of an edited block: each edit once, and a row that is gone changes no other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.claims.line_edits import edits

HEAD, GREP, HYBRID, INDEX, NOTE = "| arm | n |", "| grep | 24 |", "| hybrid | 24 |", "| index | 24 |", "*r9*"
WHOLE = [HEAD, GREP, HYBRID, INDEX, "", NOTE]

TABLE = [
    # the page's lines, then (line of the page, line of the block) of each edit; None where one has no such line
    (WHOLE, []),
    ([HEAD, HYBRID, INDEX, "", NOTE], [(None, 1)]),
    ([*WHOLE, "more"], [(6, None)]),
    ([HEAD, "| grep | 25 |", HYBRID, INDEX, "", NOTE], [(1, 1)]),
    ([HEAD, "| hybrid | 25 |", INDEX, "", NOTE], [(1, 2), (None, 1)]),
    ([HEAD, "| index | 9 |", "| zoekt | 1 |", "", NOTE], [(1, 3), (2, None), (None, 1), (None, 2)]),
    ([], [(None, line) for line in range(6)]),
]


def told(page, expected):
    return [
        (here.start if here else None, there.start if there else None)
        for here, there in edits(page, expected)
    ]


@pytest.mark.parametrize(("page", "found"), TABLE)
def test_each_edit_is_told_once_and_by_the_row_it_is_of(page, found):
    assert told(page, WHOLE) == found


def test_a_long_block_is_compared_line_by_line():
    block = [f"| row-{n} | {n} |" for n in range(5_000)]
    assert told([*block[:7], "| row-7 | x |", *block[8:]], block) == [(7, 7)]
    assert told([*block[:7], *block[8:]], block) == [(None, 7)]


LINES = st.lists(st.sampled_from(["a", "b", "| k | 1 |", "| k | 2 |", "| l | 1 |", ""]), max_size=8)


@given(page=LINES, expected=LINES)
def test_no_edit_is_missed_and_none_is_made_up(page, expected):
    found = list(edits(page, expected))
    assert (page == expected) == (not found)
    gone = {line for _, there in found for line in there}
    new = {line for here, _ in found for line in here}
    kept = [line for number, line in enumerate(page) if number not in new]
    assert sorted(kept) == sorted(line for number, line in enumerate(expected) if number not in gone)
    assert all(len(here) <= 1 and len(there) <= 1 and (here or there) for here, there in found)
