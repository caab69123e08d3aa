"""What every grader must do, whatever it is handed."""

import inspect
import json
import types

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchctl.grading import GRADERS
from benchctl.grading.base import Key
from benchctl.schema.grade import Grade

each_grader = pytest.mark.parametrize("name", sorted(GRADERS))

any_text = st.text(alphabet=st.characters(exclude_categories=())) | st.sampled_from(
    [
        "[" * 200_000,
        "1" * 5000,
        '["\\ud800"]',
        "[NaN]",
        "```json\n[1]\n```",
        "null",
        '{"a": 1}',
        "[[]]",
        "\x00",
    ]
)
strings = st.lists(any_text, max_size=4).map(tuple)
keys = st.builds(Key, gold=strings, expected=strings, prefixes=strings)
answers = (
    st.none()
    | any_text
    | st.lists(any_text | st.integers() | st.none() | st.lists(st.integers())).map(json.dumps)
)
PERFECT = {
    "gold": (Key(gold=("a.py::f", "b.py::C.g")), '["a.py::f", "b.py::C.g"]'),
    "contains": (Key(expected=("alpha", "beta")), "alpha, then beta"),
    "path": (Key(expected=("lib/a.py",)), "It is `lib/a.py`."),
}


def test_every_grader_has_a_perfect_answer():
    assert set(PERFECT) == set(GRADERS)


@each_grader
def test_a_grader_is_a_module_and_signs_its_grades(name):
    assert isinstance(GRADERS[name], types.ModuleType)
    assert inspect.getdoc(GRADERS[name])
    assert GRADERS[name].grade(Key(), None).grader == name


@each_grader
def test_a_grader_knows_an_answer_to_its_own_key(name):
    """Preflight asks for it: a key that cannot get 1 tells nobody apart."""
    key, _ = PERFECT[name]
    assert GRADERS[name].grade(key, GRADERS[name].right_answer(key)).score == 1.0
    assert GRADERS[name].grade(Key(), GRADERS[name].right_answer(Key())).score == 0.0


@each_grader
def test_a_perfect_answer_scores_one_and_no_answer_zero(name):
    key, answer = PERFECT[name]
    full = GRADERS[name].grade(key, answer)
    assert (full.score, full.answered) == (1.0, True)
    assert {fact.state for fact in full.facts} == {"hit"}
    for nothing in (None, "", " \n"):
        none = GRADERS[name].grade(key, nothing)
        assert (none.score, none.answered) == (0.0, False)
        assert {fact.state for fact in none.facts} == {"missed"}


@each_grader
@given(key=keys, answer=answers)
@example(key=Key(expected=("",), gold=("",), prefixes=("",)), answer='[""]')
def test_a_grade_is_total_and_inside_its_bounds(name, key, answer):
    grade = GRADERS[name].grade(key, answer)
    assert isinstance(grade, Grade)
    for share in (grade.score, grade.precision, grade.recall):
        assert share is None or 0.0 <= share <= 1.0
    assert grade.answered or grade.score == 0.0
    assert grade.note
    assert all(fact.state in {"hit", "missed", "extra"} for fact in grade.facts)
    assert all(len(fact.id) <= 200 for fact in grade.facts)
    "".join(fact.id for fact in grade.facts).encode()


@each_grader
@given(key=keys, answer=answers)
def test_the_order_and_the_doubles_of_a_key_mean_nothing(name, key, answer):
    other = Key(
        gold=(*key.gold[::-1], *key.gold),
        expected=(*key.expected[::-1], *key.expected),
        prefixes=(*key.prefixes[::-1], *key.prefixes),
    )
    assert GRADERS[name].grade(key, answer) == GRADERS[name].grade(other, answer)
