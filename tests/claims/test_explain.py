"""`verify-claims --explain`: which claim is meant, and what stands behind it."""

import json

import jsonschema
import pytest

from benchctl.claims.explaining.explain import explain
from benchctl.claims.explaining.output import to_json, to_text
from benchctl.claims.explaining.words import in_words
from benchctl.claims.explaining.wrapping import wrapped
from benchctl.cli import exit_code
from benchctl.errors import ClaimUnknownError, PageUnreadableError
from benchctl.expressions import Contrast, Filter, Probe

PAGE = """<!-- benchctl: run=r9 also=r8 where="agent=claude" -->

# A page

Grep read 55,795<!--= tok(grep) --> tokens and answered 11 of 12<!--= count[arm=grep, answered=true]; count[arm=grep] -->.
Every question was asked.<!--assert: all question: count > 4 --> At most 40 s<!--= wall_s.max[arm=grep] -->,
about 0.6<!--= score.macro[arm=grep] -->, not 5<!--retracted: count -->, in r8 9<!--= score.max@r8 -->.

<!--claims:table by=arm rows=subset "tokens"=total_tokens.median -->
| arm | tokens |
|-----|--:|
| grep | 56,563 |

A count of 7<!--exempt: a rule --> and 5<!--= nothing.mean -->.
"""


@pytest.fixture
def bench(project, tmp_path, monkeypatch):
    """A project with one page, and the runs of the others."""
    (tmp_path / "benchctl.toml").write_text((project.root / "benchctl.toml").read_text())
    (tmp_path / "data").symlink_to(project.root / "data")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "page.md").write_text(PAGE)
    monkeypatch.chdir(tmp_path)
    return type(project).find(tmp_path)


NAMED = [
    # how a claim is named, what is printed for each that is meant
    ("site/page.md:5", ["55,795 tokens", "11", "12"]),
    ("site/page.md:5:11", ["55,795 tokens"]),
    ("site/page.md:5:16", ["55,795 tokens"]),
    ("site/page.md:12", ["56,563"]),
    ("site/page.md:6", ["all question: count > 4", "40 s"]),
    ("55,795", ["55,795 tokens"]),
    ("55,795 tokens", ["55,795 tokens"]),
    ("11 of 12", ["11", "12"]),
    ("tok(grep)", ["55,795 tokens"]),
    ("tok( grep )", ["55,795 tokens"]),
    ("tok", ["55,795 tokens"]),
    ("total_tokens.median[arm=grep]", ["55,795 tokens", "56,563"]),
    ("all question: count > 4", ["all question: count > 4"]),
    ("count", ["5"]),
    ("5", ["5", "5"]),
]


@pytest.mark.parametrize(("claim", "literals"), NAMED)
def test_which_claim_is_meant(bench, claim, literals):
    assert [item.literal for item in explain(bench, (), claim)] == literals


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("site/page.md:3", "site/page.md:5:11, "),
        ("site/page.md:5:1", "site/page.md:5:11, "),
        ("tok(grap)", "such as `tok(grep)`"),
        ("98765", "page.md:LINE"),
        ("[[", "page.md:LINE"),
    ],
)
def test_what_nobody_claims_is_an_error_with_near_ones(bench, claim, expected):
    with pytest.raises(ClaimUnknownError) as error:
        explain(bench, (), claim)
    assert expected in str(error.value)


def test_a_place_on_a_page_that_is_not_there(bench):
    with pytest.raises(PageUnreadableError):
        explain(bench, (), "site/other.md:5")


def test_everything_behind_a_number(bench):
    (said,) = explain(bench, (), "tok(grep)")
    assert (said.path, said.line, said.column, said.end_column) == ("site/page.md", 5, 11, 17)
    assert said.sentence.startswith("Grep read 55,795 tokens and answered 11 of 12.")
    assert said.claim == "total_tokens.median[agent=claude, arm=grep]"
    assert (said.written, said.filters) == ("tok(grep)", "agent=claude, arm=grep")
    assert (said.run, said.unit) == ("r9", "tokens")
    assert (said.low, said.high, said.n, said.verdict) == ("55794.5", "55795.5", 12, "false")
    assert said.findings[0].hint == "equals it without agent=claude"
    assert said.data == bench.store.run("r9").data_digest
    (asked,) = said.asked
    assert asked.words == "the median of total_tokens, over the cells of run r9 with agent=claude, arm=grep"
    assert asked.runs == {"r9": said.data}
    assert (asked.value, asked.count, asked.n, asked.failed, asked.void) == (said.value, 12, 12, 0, 0)
    assert asked.columns == (
        "question", "arm", "agent", "model", "rep", "outcome", "void", "total_tokens"
    )  # fmt: skip
    assert len(asked.rows) == 5
    assert all(row[1:3] == ("grep", "claude") for row in asked.rows)


def test_the_query_is_the_one_that_gives_the_value(bench):
    """What is printed as SQL, with its parameters, is asked of the same tables."""
    from benchctl.store.relations.connection import connect

    for said in explain(bench, (), "site/page.md:5"):
        (asked,) = said.asked
        with connect((bench.store.run("r9"),), ("cells",)) as connection:
            (row,) = connection.execute(asked.sql, list(asked.parameters)).fetchall()
        assert row[3] == asked.count
        assert said.kind != "number" or asked.value in (row[7][0]["number"], row[3])


def test_a_cell_says_its_row_and_a_greatest_value_comes_first(bench):
    (cell,) = explain(bench, (), "site/page.md:12")
    assert (cell.filters, cell.verdict) == ("agent=claude, arm=grep", "true")
    (_, slowest) = explain(bench, (), "site/page.md:6")
    assert slowest.asked[0].rows[0][-1] == slowest.value
    assert (slowest.low, slowest.high) == (None, "40")


def test_an_assertion_and_its_groups(bench):
    (said,) = explain(bench, (), "all question: count > 4")
    assert (said.kind, said.value, said.low, said.high) == ("assertion", True, None, None)
    assert [asked.groups for asked in said.asked] == [4]
    assert said.asked[0].words.endswith("for each question")


def test_another_run_and_a_retraction(bench):
    retracted, earlier = (explain(bench, (), claim)[0] for claim in ("count", "score.max@r8"))
    assert (retracted.kind, retracted.literal) == ("retraction", "5")
    assert list(earlier.asked[0].runs) == ["r8"]
    (about,) = explain(bench, (), "score.macro[arm=grep]")
    assert (about.low, about.high) == ("0.55", "0.65")


def test_what_has_no_value_says_why(bench):
    (said,) = explain(bench, (), "nothing.mean")
    assert (said.value, said.verdict) == (None, "error")
    assert said.asked[0].error.startswith("no metric and no column `nothing`")
    assert said.asked[0].sql == ""
    assert "no value: no metric and no column `nothing`" in to_text([said])


def test_every_claim_of_the_page_has_both_forms(bench, json_schema):
    said = [item for line in range(1, 16) for item in _at(bench, line)]
    assert len(said) == 10
    jsonschema.Draft202012Validator(json_schema).validate(json.loads(json.dumps(to_json(said))))
    text = to_text(said)
    assert text.count("  run       r9, sha256:") == 10
    assert text.endswith("\n")
    assert "\n\n\n" not in text


def _at(bench, line):
    try:
        return explain(bench, (), f"site/page.md:{line}")
    except ClaimUnknownError:
        return []


@pytest.fixture
def json_schema(request):
    folder = request.config.rootpath / "site" / "reference" / "schemas"
    return json.loads((folder / "explain.json").read_text())


@pytest.mark.usefixtures("bench")
def test_the_command(capsys):
    assert exit_code(["verify-claims", "--explain", "tok"]) == 0
    assert capsys.readouterr().out.startswith("site/page.md:5:11: false: 55,795 tokens\n")
    assert exit_code(["verify-claims", "site/page.md", "--explain", "tok", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["schema"] == "benchctl.explain/1"


@pytest.mark.usefixtures("bench")
@pytest.mark.parametrize(
    ("words", "slug"),
    [
        (["--explain", "nobody"], "claim-unknown"),
        (["--explain", "tok", "--fix"], "option-invalid"),
        (["--explain", "tok", "--accept"], "option-invalid"),
        (["--explain", "tok", "--changed", "main"], "option-invalid"),
        (["--explain", "tok", "--format", "sarif"], "option-invalid"),
    ],
)
def test_what_it_cannot_do_ends_with_two(capsys, words, slug):
    assert exit_code(["verify-claims", *words]) == 2
    assert f"[{slug}]" in capsys.readouterr().err


WORDS = [
    (Probe(("count",)), "how many there are, over the cells of run r9"),
    (Probe(("n_failed",)), "how many failed, over the cells of run r9"),
    (Probe(("share",), (Filter("arm", "=", "grep"),)), "which share of the scope's rows they are, over the cells of run r9 with arm=grep"),
    (Probe(("wall_s", "p90")), "percentile 90 of wall_s, over the cells of run r9"),
    (Probe(("wall_s", "q1")), "percentile 25 of wall_s, over the cells of run r9"),
    (Probe(("usd", "sum"), table="prices"), "the sum of usd, over the rows of prices of run r9"),
    (Probe(("model",)), "the one model, over the cells of run r9"),
    (Probe(("a", "b")), "the one a.b, over the cells of run r9"),
    (Probe(("score", "macro"), contrast=Contrast("delta", "arm", "a", "b")), "the difference of score between a and b, paired by question, over the cells of run r9"),
    (Probe(("score",), contrast=Contrast("mcnemar_p", "arm", "a", "b")), "the p of McNemar's test of score between a and b, over the cells of run r9"),
]  # fmt: skip


@pytest.mark.parametrize(("probe", "words"), WORDS)
def test_a_question_in_words(probe, words):
    assert in_words(probe, ("r9",)) == words


def test_sql_is_shown_with_its_arguments(bench):
    with (bench.root / "benchctl.toml").open("a") as file:
        file.write('[values."slow(a)"]\nsql = "select count(*) from cells where arm = $a and wall_s > 20"\n')
    page = bench.root / "site" / "sql.md"
    page.write_text("<!-- benchctl: run=r9 -->\n\nSlow: 5<!--= slow(grep) --> times.\n")
    (said,) = explain(type(bench).find(bench.root), [page], "slow")
    assert (said.claim, said.verdict, said.findings[0].hint) == ("slow(grep)", "false", "")
    assert said.asked[0].parameters == ("a=grep",)
    assert said.asked[0].sql.startswith("select count(*) from cells")
    assert said.asked[0].words == "the SQL of the named value slow, over the cells of run r9"


def test_an_own_filter_replaces_the_pages(bench):
    page = bench.root / "site" / "own.md"
    page.write_text(
        '<!-- benchctl: run=r9 where="arm=grep" -->\n\nIt has 24<!--= count[arm=index] --> cells, '
        "or 1.0\u00d7<!--= ratio(count, count[arm=index]) -->.\n"
    )
    own, two = explain(bench, (), "site/own.md:3")
    assert own.filters == "arm=index"
    assert two.filters == ""  # what holds for both of its references
    assert "  filters   arm=index\n" in to_text([own])
    assert "  filters" not in to_text([two])


TYPED = [
    ("67%", "67 %"), ("Seven", "seven"), ("seven", "Seven"), ("3.7x", "3.7\u00d7"), ("-2 pp", "\u22122 pp"),
    ("0.5 S", "0.5\u00a0s"),
]  # fmt: skip


@pytest.mark.parametrize(("typed", "printed"), TYPED)
def test_a_print_is_named_as_anybody_may_type_it(bench, typed, printed):
    page = bench.root / "site" / "typed.md"
    page.write_text(f"<!-- benchctl: run=r9 -->\n\nIt is {printed}<!--= count --> there.\n")
    assert [item.literal for item in explain(bench, [page], typed)] == [printed]


def test_an_expression_that_no_page_binds_is_asked_of_a_named_one(bench):
    page = bench.root / "site" / "page.md"
    (said,) = explain(bench, [page], "wall_s.mean[arm=index]")
    assert (said.kind, said.run, said.filters, said.findings) == (
        "expression",
        "r9",
        "agent=claude, arm=index",
        (),
    )
    assert said.value == said.asked[0].value
    assert said.value is not None
    assert said.verdict == "unbound"
    assert to_text([said]).startswith("site/page.md: no page binds it: wall_s.mean[arm=index]\n  written ")
    for nothing in ("wall_s.mean[arm=index]", "98765", "nobody.mean"):
        with pytest.raises(ClaimUnknownError):
            explain(bench, () if nothing.startswith("wall") else [page], nothing)


def test_a_query_is_wrapped_and_stays_the_same():
    sql = (
        "SELECT count(*) FILTER (\"a  b\" = 'x  y'), "
        + ", ".join(f'avg("m{n}")' for n in range(20))
        + " FROM cells AS s WHERE a IN (?)"
    )
    lines = wrapped(sql)
    assert " ".join(line.strip() for line in lines) == sql
    assert max(map(len, lines)) <= 98
    assert lines[-2:] == ["FROM cells AS s", "WHERE a IN (?)"]
