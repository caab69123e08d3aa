"""Words that several rooms go by are written once: each of these sentences was read by one list and not by another."""

import pytest

QUIET = [
    "No arm used more than 900 completion tokens.\n\n| Arm | Tokens |\n|---|---:|\n| grep | 1200 |\n| index | 800 |\n",
    "Grep used the most completion tokens.\n\n| Arm | Tokens |\n|---|---:|\n| grep | 700 |\n| index | 800 |\n",
    "Grep has a higher recall than index.\n\n| Arm | Score |\n|---|---:|\n| grep | 0.70 |\n| index | 0.80 |\n",
]
FOUND = [
    (
        "All arms passed all tests.\n\n| Arm | Tests | Passed |\n|---|---:|---:|\n| grep | 48 | 48 |\n| index | 48 | 47 |\n",
        "universal-denied",
    ),
    (
        "| Arm | answered (percentage) |\n|---|---:|\n| grep | 44 of 48 (93 %) |\n",
        "percent-impossible",
    ),
    ("It went from 9.42 to 5.27 s, approx. a 54 % reduction.", "change-impossible"),
    ("The wall time went from 4.00 to 5.00 s, 35 % greater.", "change-impossible"),
]


@pytest.mark.parametrize("text", QUIET)
def test_a_narrower_quantity_is_denied_by_no_wider_one(verify, text):
    assert [item.slug for item in verify(text).findings if item.slug.endswith("-denied")] == []


@pytest.mark.parametrize(("text", "slug"), FOUND)
def test_a_word_of_one_list_is_a_word_of_all(verify, text, slug):
    assert slug in [item.slug for item in verify(text).findings]
