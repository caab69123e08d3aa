import pytest
from pydantic import ValidationError

from benchctl.errors import SuiteInvalidError
from benchctl.schema.suite import Index, Step, parse_suite

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
        ((f'canary = "{CANARY}"', 'canary = "x"'), 4, "is not a canary: `benchctl-canary-` and a UUID"),
        (('kind = "directory"', 'kind = "git"'), 6, "needs `commit`"),
        (
            ('kind = "directory"', 'kind = "git"\ncommit = "abc1234"'),
            8,
            "repos.one.commit: 'abc1234' is not a full commit of 40 hex digits",
        ),
        (
            ('kind = "directory"', 'kind = "directory"\ndigest = "sha256:00"'),
            8,
            "is not `sha256:` and 64 hex",
        ),
        (("[repos.one]", '[repos."a b"]'), 6, "'a b' is not a name: a letter or digit, then"),
        (("[repos.one]", f"[repos.{'x' * 200}]"), 6, f"'{'x' * 60}…' is not a name"),
        (
            ("wall_s = 5", "wall = 5"),
            17,
            "caps.wall: is no key of this table; did you mean `wall_s`? one of cost_usd, ",
        ),
        (('repo = "one"', 'repo = "two"'), 21, "no repository 'two'"),
        (('items = ["x::y"]', "items = []"), 24, "fewer than its minimum"),
        (('items = ["x::y"]', 'items = ["x", "x"]'), 24, "twice"),
        (('{ items = ["x::y"] }', "{ minimum = 2 }"), 24, "either `items` or `target`"),
        (('{ items = ["x::y"] }', '{ target = "m:f" }'), 24, "two independent"),
        (('gold = { items = ["x::y"] }', ""), 19, "has no gold"),
        (('gold = { items = ["x::y"] }', 'grader = "contains"'), 19, "no `expected`"),
        (('class = "lookup"', ""), 19, "class"),
        (("schema = 1", "schema = true"), 1, "Input should be 1"),  # Python takes it for 1
        (("schema = 1", "schema = 1.0"), 1, "Input should be 1"),
        (('title = "Tiny"', "title = 2020-01-01"), 3, "string"),  # a date is no text
        (("wall_s = 5", "wall_s = inf"), 17, "finite"),
        (("wall_s = 5", "wall_s = nan"), 17, "finite"),
        (("wall_s = 5", "wall_s = 1e300"), 17, "less than"),  # no timer holds it
        (('prompt = "Where?"', r'prompt = " \n\t "'), 23, "blank"),
        (('prompt = "Where?"', r'prompt = "a\u0000b"'), 23, "NUL"),
        (('items = ["x::y"]', 'items = ["x::y", " "]'), 24, "blank"),
        (('"x.py"]', r'"a\u0000b"]'), 14, "NUL"),
        (('argv = ["{python}", "x.py"]', 'argv = ["x"]\nmodels = []'), 15, "models"),
        (('argv = ["{python}", "x.py"]', 'argv = ["x"]\nmodels = ["m", "m"]'), 15, "used twice"),
        (('argv = ["{python}", "x.py"]', 'argv = ["x"]\nenv = ["A=B"]'), 15, "env"),
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


@pytest.mark.parametrize(
    "files",
    [
        "",
        ".",
        "..",
        "/etc",
        "/",
        "./a",
        "a/..",
        "a/../gold",
        "a//b",
        "gold",
        "gold/",
        "Gold",
        "gold/a",
        "a\\b",
    ],
)
def test_an_agents_folder_lies_inside_the_suite_and_is_not_its_gold(files):
    text = GOOD.replace("[agents.script]", f"[agents.script]\nfiles = '{files}'")
    with pytest.raises(SuiteInvalidError, match=r"agents\.script\.files") as caught:
        parse_suite(text, "suite.toml")
    assert caught.value.where.line == 14


@pytest.mark.parametrize("files", ["agents", "agents/", "a/b", "golden", "a/gold"])
def test_any_other_folder_of_the_suite_may_be_an_agents(files):
    text = GOOD.replace("[agents.script]", f"[agents.script]\nfiles = '{files}'")
    assert parse_suite(text, "suite.toml").agents["script"].files == files


@pytest.mark.parametrize(
    ("extra", "line"),
    [
        ('[repos.ONE]\nkind = "directory"\nsource = "x"\n', 25),
        ('[arms.A]\ntitle = "B"\n', 25),
        ('[agents.Script]\nargv = ["x"]\n', 25),
        ('[[questions]]\nid = "Q1"\nrepo = "one"\nclass = "x"\nprompt = "?"\ngold = { items = ["z"] }\n', 26),
    ],
)
def test_names_that_differ_only_by_case_would_be_one_folder(extra, line):
    with pytest.raises(SuiteInvalidError, match="only by case") as caught:
        parse_suite(GOOD + extra, "suite.toml")
    assert caught.value.where.line == line


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("schema = = 1\n", 1, 10),
        ("a = 1\na = 2\n", 2, None),
        ("a = 1\nb = [", 2, None),  # the end of the document
        ("a = 1\nb = " + "[" * 5000 + "]" * 5000, 2, None),
        ("a = " + "9" * 5000, 1, None),  # longer than Python turns into a number
    ],
)
def test_what_is_not_toml_is_said_with_its_line(text, line, column):
    with pytest.raises(SuiteInvalidError, match="not TOML") as caught:
        parse_suite(text, "suite.toml")
    assert caught.value.where.line == line
    assert column in (None, caught.value.where.column)
    assert "at line" not in caught.value.what


def test_what_is_not_toml_is_said_with_its_file():
    with pytest.raises(SuiteInvalidError, match="not TOML"):
        parse_suite("x = [", "suite.toml")


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({}, "either `argv` or `files`"),
        ({"files": "i", "argv": ("x",)}, "either `argv` or `files`"),
        ({"files": "i", "covers": "/f"}, "point into `facts`"),
        ({"files": "i", "facts": "f.json", "digests": "/d"}, "those of the files of `covers`"),
    ],
)
def test_an_index_has_one_origin_and_says_nothing_of_facts_that_it_lacks(fields, wrong):
    with pytest.raises(ValueError, match=wrong):
        Index(repo="corpus", **fields)


@pytest.mark.parametrize("given", [{}, {"kind": "python-tests", "argv": ("true",)}])
def test_a_step_is_a_command_or_a_kind_of_its_own(given):
    with pytest.raises(ValidationError, match="a step needs `argv`, or another `kind`"):
        Step(**given)
    assert Step(argv=("true",)).kind == "command"
