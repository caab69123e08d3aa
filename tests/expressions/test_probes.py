"""What an expression needs from the store, with the scope's filters merged in."""

import pytest

from benchctl.errors import ValueInvalidError, ValueUnknownError
from benchctl.expressions import Filter, Probe, bounded, is_vacuous, parse, parse_filters, probes


def needed(text, where=None):
    return probes(parse(text), filters=parse_filters(where) if where else ())


def filters(text):
    return parse_filters(text)


@pytest.mark.parametrize(
    ("text", "where", "merged"),
    [
        ("score", "agent=claude", "agent=claude"),
        ("score[arm=grep]", "agent=claude", "agent=claude, arm=grep"),
        ("score[agent=pi]", "agent=claude", "agent=pi"),  # an explicit filter replaces the scope's
        ("score[agent!=pi]", "agent=claude, arm=grep", "arm=grep, agent!=pi"),
        ("score[wall_s>1, wall_s<9]", "wall_s>5", "wall_s>1, wall_s<9"),  # both of its own stay
        ("score@r8", "agent=claude", "agent=claude"),  # other runs too
    ],
)
def test_filters_of_the_scope_and_of_the_reference_merge(text, where, merged):
    assert needed(text, where)[0].filters == filters(merged)


def test_the_levels_of_a_comparison_replace_a_filter_on_their_column():
    (probe,) = needed("delta(score, arm=a, arm=b)", "arm=a, agent=pi")
    assert probe.filters == filters("agent=pi")
    assert probe.contrast


def test_a_share_remembers_the_scope_it_is_a_share_of():
    (probe,) = needed("share[outcome=ok, arm=grep]", "arm=hybrid, agent=pi")
    assert probe.filters == filters("agent=pi, outcome=ok, arm=grep")
    assert probe.outer == filters("agent=pi")
    assert needed("count[outcome=ok]", "agent=pi")[0].outer == ()


def test_each_probe_is_asked_for_once():
    assert needed("score.mean / score.mean + score.max") == (
        Probe(("score", "mean")),
        Probe(("score", "max")),
    )


def test_runs_are_listed_in_the_order_written():
    assert needed("score@r6+r7+x2")[0].runs == ("r6", "r7", "x2")
    assert needed("score")[0].runs == ()


def test_an_interval_is_asked_for_by_lo_and_hi_alone():
    plain, with_interval = needed("score.macro - lo(score.macro)")
    assert (plain.interval, with_interval.interval) == (False, True)
    assert bounded(plain) == with_interval


def test_a_comparison_is_one_probe_with_or_without_its_ends():
    assert (
        len(needed("delta(a, arm=x, arm=y) - lo(delta(a, arm=x, arm=y)) + hi(delta(a, arm=x, arm=y))")) == 1
    )


def test_groups_are_asked_for_with_the_values_they_go_through():
    universe, grep, all_arms = needed("all question: score.mean[arm=grep] >= score.mean", "agent=pi")
    assert universe == Probe(("count",), filters("agent=pi"), group_by="question")
    assert grep == Probe(("score", "mean"), filters("agent=pi, arm=grep"), group_by="question")
    assert all_arms.group_by == "question"


def test_every_run_and_table_of_the_body_has_its_own_values():
    universes = [
        probe for probe in needed("any q: a@r1 > b@r2 + t::c + a.max@r1") if probe.name == ("count",)
    ]
    assert universes == [
        Probe(("count",), run="r1", group_by="q"),
        Probe(("count",), run="r2", group_by="q"),
        Probe(("count",), table="t", group_by="q"),
    ]


def test_a_filter_on_the_grouping_column_is_the_same_for_every_group():
    probe = needed("all arm: score.mean <= score.mean[arm=grep]")[-1]
    assert probe == Probe(("score", "mean"), (Filter("arm", "=", "grep"),))


def test_a_body_without_references_still_has_values_to_go_through():
    assert needed("all q: 1 > 0") == (Probe(("count",), group_by="q"),)


def test_groups_do_not_stand_inside_groups():
    with pytest.raises(ValueInvalidError, match="inside groups of `q`"):
        needed("all q: any arm: score > 0")


@pytest.mark.parametrize("text", ["tok(a)", "1 + tok(a)", "lo(tok(a))"])
def test_a_named_value_must_be_expanded_first(text):
    with pytest.raises(ValueUnknownError, match="`tok`"):
        needed(text)


@pytest.mark.parametrize(
    ("text", "vacuous"),
    [
        ("1 = 1", True),
        ("2.0", True),
        ("not true", True),
        ("'a' = 'a'", True),
        ("all q: 1 > 0", True),
        ("min(1, -2) + 3", True),
        ("count[outcome=timeout] = 0", False),  # an honest zero
        ("1 + a", False),
        ("lo(delta(a, arm=x, arm=y)) > 0", False),
        ("tok(a) > 1", False),
        ("all q: a > 0", False),
    ],
)
def test_an_expression_without_a_reference_is_vacuous(text, vacuous):
    assert is_vacuous(parse(text)) is vacuous
