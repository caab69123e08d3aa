from __future__ import annotations

from benchctl.planning.questions import GoldOutcome, call_roll, written_gold
from benchctl.planning.selection import Selection
from benchctl.schema.canonical import digest


def names(roll):
    return [question.id for question in roll.questions]


def test_written_gold_is_known_without_any_derivation(suite):
    gold = written_gold(suite)
    assert sorted(gold) == ["b1", "b2", "b3", "d1", "d2"]
    assert gold["b1"].items == ("a", "b")
    assert gold["d2"].items == ("a.py",)


def test_before_gold_every_candidate_stays_and_the_limit_is_kept_in_the_count(suite):
    roll = call_roll(suite, Selection(), written_gold(suite))
    assert names(roll) == ["a1", "a2", "a3", "a4", "b1", "b2"]
    assert roll.before_gold == ("a1", "a2", "a3", "a4")
    assert roll.at_most == {"alpha": 2, "beta": 2}
    assert [(refusal.question, refusal.reason) for refusal in roll.refusals] == [
        ("b3", "beyond the first 2 usable questions of beta")
    ]


def test_a_refused_gold_lets_the_next_question_move_up(suite):
    gold = written_gold(suite) | {
        "a1": GoldOutcome("a1", refused="the methods disagree"),
        **{name: GoldOutcome(name, ("x", "y"), ("one", "two")) for name in ("a2", "a3", "a4")},
    }
    roll = call_roll(suite, Selection(), gold)
    assert names(roll) == ["a2", "a3", "b1", "b2"]
    assert roll.before_gold == ()
    assert roll.at_most == {"alpha": 2, "beta": 2}
    assert [(refusal.question, refusal.reason, refusal.required) for refusal in roll.refusals] == [
        ("a1", "the methods disagree", False),
        ("a4", "beyond the first 2 usable questions of alpha", False),
        ("b3", "beyond the first 2 usable questions of beta", False),
    ]


def test_a_gold_method_that_broke_is_a_refusal_that_counts(suite):
    gold = written_gold(suite) | {"a1": GoldOutcome("a1", refused="no gold", failed=True)}
    refusals = call_roll(suite, Selection(questions=("a1",)), gold).refusals
    assert [(refusal.question, refusal.required) for refusal in refusals] == [("a1", True)]


def test_practice_questions_run_alone_and_without_limit(suite):
    roll = call_roll(suite, Selection(practice=True), written_gold(suite))
    assert names(roll) == ["d1", "d2"]
    assert roll.at_most == {"drill": 2}


def test_only_named_questions_are_called(suite):
    assert names(call_roll(suite, Selection(questions=("b3",)), written_gold(suite))) == ["b3"]


def test_a_record_pins_the_items():
    record = GoldOutcome("a1", ("x", "y"), ("one", "two")).record()
    assert (record.items, record.methods, record.digest) == (2, ("one", "two"), digest(["x", "y"]))
