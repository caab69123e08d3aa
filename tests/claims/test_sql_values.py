"""Named values that are SQL on a page: cut to the rows that are meant, and part of any expression."""

import pytest

from benchctl.claims.examine import Examiner
from benchctl.claims.verify import verify_text
from benchctl.store.project import Project

PAGE = "<!-- benchctl: run=r9 where=agent=claude -->\n\n{}\n"
VALUES = """
[values]
cells_of = { sql = "select count(*) from cells", kind = "count" }
"arm_cells(a)" = { sql = "select count(*) from cells where arm = $a", kind = "count" }
"arm_time(a)" = { sql = "select median(wall_s) from cells where arm = $a", unit = "s" }
"time_share(a, b)" = "ratio(arm_time($a), arm_time($b))"
mean_time = { sql = "select avg(wall_s) from cells", unit = "s" }
crashed = { sql = "select count(*) from cells where outcome = 'crash'", kind = "count" }
attempted = { sql = "select count(*) from attempts" }
best_arm = { sql = "select arm from cells group by arm order by avg(score) desc limit 1" }
answered = { sql = "select avg(answered::int) from cells", unit = "fraction" }
constant = { sql = "select 2.0 from cells limit 1" }
nearly = { sql = "select 48 + 0.0000001 * count(*) from cells" }
two_rows = { sql = "select wall_s from cells" }
two_columns = { sql = "select 1, 2 from cells limit 1" }
no_row = { sql = "select wall_s from cells where wall_s < 0" }
nothing = { sql = "select max(cost_usd) from cells" }
a_list = { sql = "select list(wall_s) from cells" }
"""


@pytest.fixture
def bench(project, tmp_path):
    """A project with these values and the runs of the others."""
    (tmp_path / "benchctl.toml").write_text(VALUES)
    (tmp_path / "data").symlink_to(project.root / "data")
    return Project.find(tmp_path)


@pytest.fixture
def findings(bench):
    def found(text):
        return verify_text(bench, "page.md", PAGE.format(text)).findings

    return found


def value(bench, text, filters="agent=claude", run="r9"):
    from benchctl.expressions import parse_filters

    lookup = Examiner.of(bench).lookup
    expression = lookup.read(text, parse_filters(filters) if filters else ())
    lookup.measure(run, expression.probes, frozenset({run}))
    return lookup.answer(expression, run)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("cells_of", "count"),
        ("cells_of()", "count"),
        ("arm_cells(grep)", "count[arm=grep]"),
        ("arm_time(grep)", "wall_s.median[arm=grep]"),
        ("mean_time", "wall_s.mean"),
        ("attempted", "attempts::outcome.n"),  # another table is cut by the cells of its rows
        ("time_share(grep, index)", "ratio(wall_s.median[arm=grep], wall_s.median[arm=index])"),
        ("arm_time(grep) / mean_time - 1", "wall_s.median[arm=grep] / wall_s.mean - 1"),
        ("max(arm_cells(grep), 1)", "count[arm=grep]"),
        ("round(answered, 3)", "round(answered.mean, 3)"),
        ("best_arm = 'hybrid'", "score.mean[arm=hybrid] > score.mean[arm=grep]"),
        ("crashed = 0 and cells_of > 0", "count > 0"),
    ],
)
@pytest.mark.parametrize("filters", ["agent=claude", "agent=codex", "", 'agent=claude, question~"q[12]"'])
def test_sql_says_what_the_same_expression_says(bench, text, same, filters):
    ours, theirs = value(bench, text, filters), value(bench, same, filters)
    assert ours.error is None
    assert ours.value == pytest.approx(theirs.value)


def test_a_filter_that_no_row_meets_is_the_same_error_as_everywhere(bench):
    assert value(bench, "cells_of", "agent=clude").error.slug == "filter-value-unknown"
    assert value(bench, "cells_of", "agnt=claude").error.slug == "column-unknown"
    assert value(bench, "cells_of", "arm=grep, wall_s>9999").error.slug == "no-rows"


def test_its_n_is_how_many_cells_it_could_read(bench):
    assert value(bench, "arm_cells(grep)").n == 48


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("48<!--= cells_of -->", None),
        ("12<!--= arm_cells(grep) --> of 48<!--= cells_of --> cells", None),
        ("No crash: 0<!--= crashed -->", None),  # an honest zero
        ("47<!--= cells_of -->", "number-false"),
        ("48 s<!--= cells_of -->", "unit-mismatch"),  # a count is a number of things
        ("1<!--= mean_time --> tokens", "unit-mismatch"),
        ("2<!--= constant -->", "expression-vacuous"),
        ("96<!--= constant * cells_of -->", "expression-vacuous"),
        ("48<!--= nearly -->", "expression-vacuous"),
        ("3<!--= two_rows -->", "ambiguous-row"),
        ("3<!--= two_columns -->", "sql-refused"),
        ("3<!--= no_row -->", "no-rows"),
        ("3<!--= nothing -->", "null-result"),
        ("3<!--= a_list -->", "sql-refused"),
        ("3<!--= best_arm -->", "value-no-number"),
        ("3<!--= arm_cells -->", "value-invalid"),
        ("3<!--= count over question: cells_of > 0 -->", "value-invalid"),
        ("3<!--= lo(mean_time) -->", "null-result"),
        ("3<!--= mean_time@r8 -->", "run-not-declared"),
    ],
)
def test_a_number_bound_to_sql(findings, text, slug):
    assert [item.slug for item in findings(text) if item.severity == "error"] == ([slug] if slug else [])


def test_a_false_number_and_what_is_wrong_with_sql_name_the_definition(findings):
    (found,) = findings("3<!--= two_columns -->")
    line = VALUES.splitlines().index('two_columns = { sql = "select 1, 2 from cells limit 1" }') + 1
    assert found.message.startswith(f"benchctl.toml:{line}: ")


def test_another_runs_value_is_named(bench):
    r8 = value(bench, "mean_time", run="r8").value
    found = verify_text(bench, "page.md", PAGE.format(f"{r8:.4f} s<!--= mean_time -->")).findings
    assert [(item.slug, item.hint) for item in found] == [("number-stale-run", "equals r8")]


def test_a_table_cuts_the_rows_by_its_keys(bench):
    rows = "".join(
        f"| {arm} | {value(bench, 'mean_time', f'agent=claude, arm={arm}').value:.3f} | 12 |\n"
        for arm in ("grep", "index", "hybrid", "graphify")
    )
    text = f'<!--claims:table by=arm "time (s)"=mean_time cells=cells_of -->\n\n| arm | time (s) | cells |\n|--|--|--|\n{rows}'
    assert verify_text(bench, "page.md", PAGE.format(text)).findings == ()
    swapped = text.replace("| grep |", "| x |").replace("| index |", "| grep |").replace("| x |", "| index |")
    slugs = [item.slug for item in verify_text(bench, "page.md", PAGE.format(swapped)).findings]
    assert slugs == ["number-false", "number-false"]


def test_percent_of_a_fraction(bench):
    share = value(bench, "answered").value
    assert verify_text(bench, "page.md", PAGE.format(f"{100 * share:.1f} %<!--= answered -->")).findings == ()


def test_the_sql_of_a_changed_file_is_not_run(bench, monkeypatch):
    from benchctl.store.measuring import question

    monkeypatch.setattr(question, "measure_sql", None)
    examiner = Examiner.of(bench, changed=frozenset({"benchctl.toml"}))
    text = PAGE.format("48<!--= cells_of --> and 2<!--= time_share(grep, index) --> and 48<!--= count -->")
    found = verify_text(bench, "page.md", text, examiner=examiner).findings
    assert [item.slug for item in found] == ["sql-untrusted", "sql-untrusted"]
    assert found[0].message.startswith("benchctl.toml:3: `cells_of` is SQL of a file that was changed")
    for changed in (None, frozenset(), frozenset({"page.md", "other/benchctl.toml"})):
        monkeypatch.undo()
        examiner = Examiner.of(bench, changed=changed)
        text = PAGE.format("48<!--= cells_of -->")
        assert verify_text(bench, "page.md", text, examiner=examiner).findings == ()


def test_a_generated_table_of_a_changed_file_runs_no_sql_either(bench):
    (bench.root / "benchctl.toml").write_text(
        f'{VALUES}\n[tables.times]\ntitle = "Times"\nby = ["arm"]\ncolumns = [{{title = "time", value = "mean_time"}}]\n'
    )
    from benchctl.report.stamp import render_block
    from benchctl.report.tables import named_table

    project = Project.find(bench.root)
    block = render_block(named_table(project.store, "r9", "times", project.config))
    assert "time (s)" in block
    page = f"<!-- benchctl: run=r9 -->\n\n{block}\n"
    assert verify_text(project, "page.md", page).findings == ()
    examiner = Examiner.of(project, changed=frozenset({"benchctl.toml"}))
    assert [item.slug for item in verify_text(project, "page.md", page, examiner=examiner).findings] == [
        "sql-untrusted"
    ]


HOSTILE = [
    "x' or '1'='1", 'x" or "1"="1', "x'; drop table cells; --", "$a", "$1", "?", "{0}", "%s", "x\\' or 1=1 --", "null", "*",
    "x') union select 1 --", "/* */", "\u2019 or 1=1", "\uff07 or 1=1", "a\u0000b"[:1], "\U0001f600", "\u202e", "x" * 900,
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("mark", ["'", '"'])
def test_a_pages_text_stays_a_text(bench, text, mark):
    quoted = f"{mark}{text.replace(mark, mark * 2)}{mark}"
    assert value(bench, f"arm_cells({quoted})").value == 0


@pytest.mark.parametrize(
    "text", ["arm_cells('" + "x" * 1_001 + "')", "arm_cells('a\0b')", "arm_cells('\ud800')"]
)
def test_what_is_no_short_text_is_refused(bench, text):
    from benchctl.errors import ValueInvalidError

    with pytest.raises(ValueInvalidError):
        value(bench, text)


@pytest.mark.parametrize(
    "name",
    ["cells_of; drop table cells", "cells_of) union select 1 --", "arm_cells(grep) from runs", "`cells_of`", "cells_of/**/", "select 1 from cells"],
)  # fmt: skip
def test_no_text_of_a_page_is_sql(findings, name):
    slugs = {item.slug for item in findings(f"48<!--= {name} -->") if item.severity == "error"}
    assert slugs
    assert slugs <= {"expression-invalid", "marker-malformed", "column-unknown", "value-unknown", "number-unbound", "group-count", "page-malformed"}  # fmt: skip


def test_an_imported_run_has_its_own_columns_and_tables(tmp_path, monkeypatch):
    """A column called like a statistic hides nothing from SQL; a table whose rows name no cell is left whole."""
    from benchctl.cli import exit_code

    monkeypatch.chdir(tmp_path)
    (tmp_path / "benchctl.toml").write_text(
        '[values]\nprice = { sql = "select sum(usd) from prices" }\n'
        'lines = { sql = "select sum(\\"Line count\\") from cells" }\n'
        'extra = { sql = "select sum(ms) from EXTRA" }\n'
        '"of(t)" = { sql = "select sum(\\"count\\") from cells where tool = $t" }\n'
    )
    files = {
        "r.csv": "tool,bench,count,Line count\nrg,a,1,10\nrg,b,2,20\nag,a,3,30\nag,b,4,40\n",
        "p.csv": "model,usd\nx,1.5\ny,2.5\n",
        "e.csv": "cell,ms\nag/a,5\nag/a,6\nnowhere,100\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert exit_code(["import", "csv", "r.csv", "--run-id", "r", "--key", "tool,bench"]) == 0
    for name, table in (("p.csv", "Prices"), ("e.csv", "extra")):
        assert exit_code(["import", "csv", name, "--run-id", "r", "--table", table]) == 0
    imported = Project.find(tmp_path)
    numbers = "{}<!--= price -->, {}<!--= lines -->, {}<!--= extra -->, {}<!--= of(ag) --> x\n"
    for where, values in (
        ("", (4, 100, 111, 7)),
        ("where=tool=ag", (4, 70, 11, 7)),
        ("where=bench=a", (4, 40, 11, 3)),
    ):
        page = f"<!-- benchctl: run=r {where} -->\n\n{numbers.format(*values)}"
        assert verify_text(imported, "page.md", page).findings == ()


def test_many_rows_are_asked_in_memory(bench, monkeypatch):
    from benchctl.store.relations import connection

    monkeypatch.setattr(connection, "_MANY_ROWS", 0)
    assert value(bench, "arm_cells(grep)").value == 12
    assert value(bench, "attempted").value == value(bench, "attempts::outcome.n").value
