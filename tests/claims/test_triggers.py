"""Looking for a pattern by its words finds what the pattern alone finds, in the same order."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.claims.checks.reversals import _FROM
from benchctl.claims.checks.universals import _UNIVERSAL
from benchctl.claims.wording.triggers import Triggers, words_in
from benchctl.claims.wording.vocabulary import DIRECTED

PIECES = [
    "faster", "Slower", "less expensive", "less\nexpensive", "more", "moreover", "twice the", "two times as", "2.5× the", "3x the",
    "2 times\nas", "a third of the", "A tenth the", "half as", "doubles", "Saved", "cuts", "unfaster", "all", "ball", "no", "none", "know",
    "nothing", "every one", "fastest", "most costly", "wins", "rose from 2", "went up from", "down sharply from", "İ", "x", "the",
    "  ", "\n", ". ", "0.5", "_all", "é",
]  # fmt: skip


@pytest.mark.parametrize("triggers", [DIRECTED, _UNIVERSAL, _FROM], ids=["directed", "universal", "from"])
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=12), joint=st.sampled_from([" ", ""]))
def test_they_find_what_the_pattern_finds(triggers, pieces, joint):
    text = joint.join(pieces)
    assert [match.span() for match in triggers.found(text)] == [
        match.span() for match in triggers.pattern.finditer(text)
    ]


def test_a_word_inside_of_a_match_leads_to_it():
    triggers = Triggers(re.compile(r"\d+ times"), (), ("times",))
    assert [match[0] for match in triggers.found("12 times, 3 times")] == ["12 times", "3 times"]
    assert words_in(["less costly", "less", "more"]) == ("less", "more")
