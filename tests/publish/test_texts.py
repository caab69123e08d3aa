"""Long texts are cut in the middle, and say so."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from benchctl.publish.texts import HEAD_CHARACTERS, TAIL_CHARACTERS, cut_to_fit


@given(st.integers(0, HEAD_CHARACTERS + TAIL_CHARACTERS))
def test_what_fits_stays_whole(length):
    assert cut_to_fit("x" * length) == "x" * length


def test_what_does_not_fit_keeps_both_ends_and_counts_what_is_missing():
    text = "a" * HEAD_CHARACTERS + "b" * 1234 + "c" * TAIL_CHARACTERS
    cut = cut_to_fit(text)
    assert cut.startswith("a" * HEAD_CHARACTERS)
    assert cut.endswith("c" * TAIL_CHARACTERS)
    assert "b" not in cut.replace("benchctl", "")
    assert "1,234 characters left out" in cut
