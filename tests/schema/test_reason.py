"""A reason is something that can be read: visible, one line, not a book."""

import pytest

from benchctl.errors import OptionInvalidError
from benchctl.schema.reason import LONGEST_REASON, checked_reason, reason_problem

GOOD = ["x", "the disk was full", "läuft – 😀", "🏳️\u200d🌈", "e\u0301", "#1", "x" * LONGEST_REASON]
BAD = [
    ("", "says nothing"),
    ("   ", "says nothing"),
    ("\u200b\u200d\ufeff", "says nothing"),
    ("\u3164", "says nothing"),
    ("\u2800\u00a0", "says nothing"),
    ("\u0301", "says nothing"),
    ("\x1b", "says nothing"),
    ("a\nb", "control character"),
    ("a\x1b[31m", "control character"),
    ("a\u2028b", "control character"),
    ("a\ud800", "control character"),
    ("x" * (LONGEST_REASON + 1), "longer than"),
]


@pytest.mark.parametrize("why", GOOD)
def test_what_can_be_read_is_a_reason(why):
    assert checked_reason(f" {why} \n") == why


@pytest.mark.parametrize(("why", "problem"), BAD)
def test_what_cannot_be_read_is_none(why, problem):
    assert problem in reason_problem(why)
    if why.strip() == why:
        with pytest.raises(OptionInvalidError, match=f"--why .*{problem}"):
            checked_reason(why)
