import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.grading import gold
from benchctl.grading.base import Key

KEY = Key(gold=("a.py::f", "b.py::g", "c.py::h"), prefixes=("/cell/tree",))
items = st.sampled_from(["a.py::f", "b.py::g", "c.py::h", "d.py::x", "e.py::y"])


@pytest.mark.parametrize(
    ("answer", "score", "precision", "recall"),
    [
        (["a.py::f", "b.py::g", "c.py::h"], 1.0, 1.0, 1.0),
        (["a.py::f"], 2 * 1 / (1 + 3), 1.0, 1 / 3),
        (["a.py::f", "x"], 2 * 1 / (2 + 3), 0.5, 1 / 3),
        (["x"], 0.0, 0.0, 0.0),
        (["a.py::f", "./a.py :: f", "/cell/tree/a.py::f"], 0.5, 1.0, 1 / 3),  # one item in three spellings
        (["a.py::f", 1, None, ["b.py::g"]], 2 / 7, 0.25, 1 / 3),  # what is no string is an extra, not nothing
    ],
)
def test_f1_by_hand(answer, score, precision, recall):
    grade = gold.grade(KEY, json.dumps(answer))
    assert (grade.score, grade.precision, grade.recall) == (score, precision, recall)
    assert grade.answered


@pytest.mark.parametrize(
    ("answer", "note"),
    [
        (None, "no answer"),
        ("  ", "no answer"),
        ("I found nothing", "the answer is not a JSON list"),
        ('{"items": []}', "the answer is not a JSON list"),
        ("[]", "an empty list"),
    ],
)
def test_what_is_no_answer_scores_zero_and_says_why(answer, note):
    grade = gold.grade(KEY, answer)
    assert (grade.score, grade.answered, grade.note) == (0.0, False, note)
    assert (grade.precision, grade.recall) == (None, 0.0)
    assert (grade.answer_items, grade.gold_items, grade.hit_items) == (0, 3, 0)


def test_a_key_without_gold_has_no_recall():
    assert gold.grade(Key(), '["a"]').recall is None
    assert gold.grade(Key(), "[]").recall is None


def test_every_item_is_explained_and_extras_beyond_a_hundred_are_counted():
    grade = gold.grade(KEY, json.dumps(["a.py::f", *(f"x{number}" for number in range(150))]))
    states = [fact.state for fact in grade.facts]
    assert [states.count(state) for state in ("hit", "missed", "extra")] == [1, 2, 100]
    assert grade.note == "1 of 3 found, 150 extra, of which 50 are not named here"
    assert gold.grade(KEY, '["a.py::f", "y"]').note == "1 of 3 found, 1 extra"


@given(st.lists(items), st.randoms(use_true_random=False))
def test_order_and_doubles_of_an_answer_mean_nothing(answer, random):
    mixed = [*answer, *answer]
    random.shuffle(mixed)
    assert gold.grade(KEY, json.dumps(mixed)) == gold.grade(KEY, json.dumps(answer))


@given(st.sets(items, min_size=1), st.sets(items, min_size=1))
def test_f1_is_the_harmonic_mean_and_does_not_care_who_is_the_key(one, other):
    grade = gold.grade(Key(gold=tuple(one)), json.dumps(sorted(other)))
    back = gold.grade(Key(gold=tuple(other)), json.dumps(sorted(one)))
    assert grade.score == back.score
    assert (grade.precision, grade.recall) == (back.recall, back.precision)
    if grade.score:
        assert grade.score == pytest.approx(2 / (1 / grade.precision + 1 / grade.recall))


@given(st.sets(items), items)
def test_a_right_item_more_never_lowers_the_score_and_a_wrong_one_never_raises_it(answer, item):
    before = gold.grade(KEY, json.dumps(sorted(answer))).score
    after = gold.grade(KEY, json.dumps(sorted({*answer, item}))).score
    assert after >= before if item in KEY.gold else after <= before
