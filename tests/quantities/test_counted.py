"""What counts is no setting, whatever stands before it, and number words that hyphens join are numbers."""

import pytest

from benchctl.quantities.numerals import scan


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("reps = 977 cells", "number"), ("k = 480 failures", "number"), ("depth = 48 failures", "number"), ("epochs = 12 failed", "number"),
        ("of n = 5 failed cells", "number"), ("n=5 failed cells", "number"), ("n = 5 of them failed", "number"), ("reps = 3", "param"), ("n = 48, and", "param"),
        ("k = 5 in all", "param"), ("temperature = 0.7", "param"), ("n = 0.7", "number"),
    ],
)  # fmt: skip
def test_a_setting_with_a_counted_noun_behind_it_is_none(text, kind):
    assert scan(text)[-1].kind == kind


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Nine-hundred-and-seventy-seven cells", 977), ("nine hundred and seventy-seven cells", 977), ("twenty-odd failures", 20),
        ("a half-dozen wins", 6), ("half-dozen wins", 6), ("a half-million rows", 500_000), ("two-and-a-half times", 2.5), ("forty-some cells", 40),
        ("20-odd failures", 20),
    ],
)  # fmt: skip
def test_number_words_with_hyphens(text, value):
    token = scan(text)[0]
    assert (token.kind in ("word", "number"), float(token.value)) == (True, value)


@pytest.mark.parametrize(
    "text", ["a three-way merge", "half-open", "one-shot", "hundred-and five", "two-and a half"]
)
def test_other_hyphens_join_no_number(text):
    assert all(token.kind != "number" and (token.value or 0) != 105 for token in scan(text))
