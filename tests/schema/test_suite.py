import pytest

from benchctl.errors import SuiteInvalidError
from benchctl.schema.suite import parse_suite

CANARY = "benchctl-canary-00000000-0000-0000-0000-000000000000"
GOOD = f"""schema = 1
name = "tiny"
title = "Tiny"
canary = "{CANARY}"

[repos.one]
kind = "directory"
source = "corpus"

[arms.a]
title = "A"

[agents.script]
argv = ["{{python}}", "x.py"]

[caps]
wall_s = 5

[[questions]]
id = "q1"
repo = "one"
class = "lookup"
prompt = "Where?"
gold = {{ items = ["x::y"] }}
"""


def test_a_good_suite_reads_with_its_defaults():
    suite = parse_suite(GOOD, "suite.toml")
    assert suite.questions[0].question_class == "lookup"
    assert suite.caps.wall_s == 5.0
    assert suite.run.reps == 1
    assert suite.agents["script"].models == ("none",)
    assert not suite.practice(suite.questions[0])


@pytest.mark.parametrize(
    ("change", "line", "words"),
    [
        (('title = "A"', 'titel = "A"'), 10, "arms.a.title: Field required"),  # a misspelt key
        (("schema = 1", "schema = 2"), 1, "Input should be 1"),
        (("wall_s = 5", "wall_s = 0"), 17, "greater than 0"),
        (("wall_s = 5", 'wall_s = "5"'), 17, "number"),  # a quoted number is no number
        ((f'canary = "{CANARY}"', 'canary = "x"'), 4, "canary"),
        (('kind = "directory"', 'kind = "git"'), 6, "needs `commit`"),
        (('repo = "one"', 'repo = "two"'), 21, "no repository 'two'"),
        (('items = ["x::y"]', "items = []"), 24, "fewer than its minimum"),
        (('items = ["x::y"]', 'items = ["x", "x"]'), 24, "twice"),
        (('{ items = ["x::y"] }', "{ minimum = 2 }"), 24, "either `items` or `target`"),
        (('{ items = ["x::y"] }', '{ target = "m:f" }'), 24, "two independent"),
        (('gold = { items = ["x::y"] }', ""), 19, "has no gold"),
        (('gold = { items = ["x::y"] }', 'grader = "contains"'), 19, "no `expected`"),
        (('class = "lookup"', ""), 19, "class"),
    ],
)
def test_a_mistake_is_named_with_its_line(change, line, words):
    with pytest.raises(SuiteInvalidError) as caught:
        parse_suite(GOOD.replace(*change), "suite.toml")
    assert words in caught.value.what
    assert caught.value.where is not None
    assert caught.value.where.line == line


def test_every_mistake_of_a_file_is_reported_at_once():
    text = GOOD.replace('title = "A"', 'titel = "A"').replace("wall_s = 5", "wall_s = -1")
    with pytest.raises(SuiteInvalidError) as caught:
        parse_suite(text, "suite.toml")
    assert "arms.a.titel" in str(caught.value)
    assert "suite.toml:17: caps.wall_s" in str(caught.value)


def test_ids_that_collide_and_references_that_dangle_are_refused():
    text = (
        GOOD.replace("[agents.script]", '[agents.script]\narms = ["b"]')
        + '[[questions]]\nid = "q1"\nrepo = "one"\nclass = "x"\nprompt = "?"\ngrader = "contains"\nexpected = ["x"]\n'
    )
    with pytest.raises(SuiteInvalidError) as caught:
        parse_suite(text, "suite.toml")
    assert "no arm 'b'" in str(caught.value)
    assert "used twice" in str(caught.value)


def test_an_empty_table_would_run_nothing():
    text = GOOD[: GOOD.index("[arms.a]")] + "[arms]\n" + GOOD[GOOD.index("[agents.script]") :]
    with pytest.raises(SuiteInvalidError, match="would run"):
        parse_suite(text, "suite.toml")


def test_what_is_not_toml_is_said_with_its_file():
    with pytest.raises(SuiteInvalidError, match="not TOML"):
        parse_suite("x = [", "suite.toml")
