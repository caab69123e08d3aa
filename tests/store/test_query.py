"""Every statistic against the same figure worked out in plain Python from the rows."""

import math
import statistics
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_run import evidence, grade, plan, planned, record, run_cell

from benchctl import errors
from benchctl.expressions import Contrast, Filter, Probe, evaluate, parse, parse_filters, probes
from benchctl.schema.result import VIEWS
from benchctl.schema.usage import Usage
from benchctl.stats import compare, describe
from benchctl.stats.interval import interval_mean01
from benchctl.stats.sample import Sample
from benchctl.store.measuring.question import measure
from benchctl.store.reader import Store, connect
from benchctl.store.writing.writer import RunWriter

AT = "2026-11-30T07:00:00Z"
CELLS = tuple(
    planned(f"{repo}-q{q}", arm, rep, order, repo=repo)
    for order, (repo, q, arm, rep) in enumerate(
        (repo, q, arm, rep)
        for repo, questions in (("click", 3), ("jinja2", 2), ("mkdocs", 4))
        for q in range(1, questions + 1)
        for arm in ("grep", "index")
        for rep in (1, 2)
    )
)


def _collect(store):
    with RunWriter.create(store, record(cells=CELLS, comparability={"prompt": "p"})) as writer:
        for n, cell in enumerate(CELLS):
            outcome = {5: "timeout", 11: "host_stalled", 17: "no_result"}.get(n, "ok")
            usage = (
                Usage() if n % 7 == 3 else Usage(input_tokens=100 + n, output_tokens=n % 3, source="agent")
            )
            found = evidence(cell.cell, outcome=outcome, wall_s=0.5 + (n * 29 % 31) / 7, usage=usage)
            writer.claim(cell.cell, AT)
            writer.finish(found, grade((n * 5 % 9) / 8, answered=n % 4 != 0))
        writer.close()


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("store"))
    _collect(store)
    for name, terms in (("r2", {"prompt": "p"}), ("r3", {"prompt": "other", "caps": "c"})):
        with RunWriter.create(store, record(name, plan(4), comparability=terms)) as writer:
            for cell in writer.unfinished:
                run_cell(writer, cell, 0.5)
            writer.close()
    RunWriter.create(store, record("empty")).__exit__(None, None, None)
    return store


@pytest.fixture(scope="module")
def rows(store):
    return store.run("r1").cells()


def ask(store, text, run="r1", where="", declared=frozenset()):
    node = parse(text)
    filters = parse_filters(where) if where else ()
    return evaluate(
        node, measure(store, run, probes(node, filters=filters), declared=declared), filters=filters
    )


def one(store, text, run="r1", **more):
    (probe,) = probes(parse(text))
    return measure(store, run, [probe], **more)[probe]


def sound(rows, column, **wanted):
    return [
        row[column]
        for row in rows
        if not row["void"]
        and row[column] is not None
        and all(row[key] == value for key, value in wanted.items())
    ]


STATISTICS = {
    "sum": math.fsum,
    "mean": statistics.fmean,
    "median": statistics.median,
    "min": min,
    "max": max,
    "sd": statistics.stdev,
    "n": len,
    "distinct": lambda values: len(set(values)),
    "iqr": describe.iqr,
    **{f"p{p}": lambda values, p=p: describe.quantile(values, p / 100) for p in (0, 1, 10, 50, 90, 99, 100)},
    "q1": lambda values: describe.quantile(values, 0.25),
    "q3": lambda values: describe.quantile(values, 0.75),
}


@pytest.mark.parametrize(
    "column", ["wall_s", "score", "input_tokens", "output_tokens", "answered", "failed", "rep"]
)
@pytest.mark.parametrize("statistic", STATISTICS)
def test_a_statistic_is_over_the_values_that_are_neither_void_nor_null(store, rows, column, statistic):
    for arm in ("grep", "index"):
        values = [float(value) for value in sound(rows, column, arm=arm)]
        assert ask(store, f"{column}.{statistic}[arm={arm}]") == pytest.approx(
            STATISTICS[statistic](values), abs=1e-12
        )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("input_tokens.sum", int),
        ("input_tokens.max", int),
        ("rep.min", int),
        ("answered.sum", int),
        ("count", int),
        ("wall_s.n", int),
        ("wall_s.sum", float),
        ("input_tokens.mean", float),
        ("outcome[question=click-q1, arm=grep, rep=1]", str),
        ("answered[question=click-q1, arm=grep, rep=1]", bool),
        ("attempts[question=click-q1, arm=grep, rep=1]", int),
        ("wall_s[question=click-q1, arm=grep, rep=1]", float),
    ],
)
def test_values_keep_their_kind(store, text, value):
    assert type(ask(store, text)) is value


def test_count_takes_all_rows_and_n_only_those_that_say_something(store, rows):
    void = sum(row["void"] for row in rows)
    failed = sum(row["failed"] for row in rows)
    assert (void, failed) == (1, 2)
    assert ask(store, "count") == len(rows) == 36
    assert ask(store, "n") == len(rows) - void
    assert ask(store, "n_failed") == ask(store, "score.n_failed") == failed
    assert ask(store, "score.count") == len(rows)
    assert ask(store, "input_tokens.n") == len(sound(rows, "input_tokens"))
    assert ask(store, "count[outcome=host_stalled]") == 1
    assert ask(store, "count[void=true]") == 1
    found = one(store, "score.mean")
    assert (found.n, found.count, found.failed, found.void) == (35, 36, 2, 1)


def test_a_failed_cell_counts_with_score_zero_and_the_time_it_took(store, rows):
    failed = [row for row in rows if row["failed"]]
    assert [row["score"] for row in failed] == [0, 0]
    assert ask(store, "score.sum[failed=true]") == 0
    assert ask(store, "wall_s.sum[failed=true]") == pytest.approx(sum(row["wall_s"] for row in failed))


def macro(rows, column="score", **wanted):
    tree = {}
    for row in rows:
        if not row["void"] and row[column] is not None and all(row[key] == v for key, v in wanted.items()):
            tree.setdefault(row["repo"], {}).setdefault(row["question"], []).append(float(row[column]))
    return statistics.fmean(statistics.fmean(statistics.fmean(v) for v in q.values()) for q in tree.values())


def sample(rows, arm, column="score"):
    wanted = [row for row in rows if row["arm"] == arm and not row["void"] and row[column] is not None]
    return Sample.of((row["repo"], row["question"], row["rep"], float(row[column])) for row in wanted)


def test_macro_weighs_repetitions_then_questions_then_repositories(store, rows):
    assert ask(store, "score.macro[arm=grep]") == pytest.approx(macro(rows, arm="grep"))
    assert ask(store, "wall_s.macro") == pytest.approx(macro(rows, "wall_s"))
    assert macro(rows) != pytest.approx(statistics.fmean(sound(rows, "score")))


@pytest.mark.parametrize("scope", ["rerun", "questions", "repositories"])
def test_comparisons_are_those_of_the_statistics_room(store, rows, scope):
    a, b = sample(rows, "grep"), sample(rows, "index")
    for name, expected in (
        ("delta(score.macro", compare.difference(a, b, scope)),
        ("delta(score", compare.difference(a, b, scope)),
        (
            "delta(wall_s",
            compare.difference(
                sample(rows, "grep", "wall_s"), sample(rows, "index", "wall_s"), scope, span=None
            ),
        ),
        (
            "paired_ratio(wall_s",
            compare.paired_ratio(sample(rows, "grep", "wall_s"), sample(rows, "index", "wall_s"), scope),
        ),
        ("mcnemar_p(score", compare.mcnemar_p(a, b)),
    ):
        found = one(store, f"{name}, arm=grep, arm=index, scope={scope})")
        assert (found.value, found.lo, found.hi) == pytest.approx(
            (expected.value, expected.lo, expected.hi)
        ), name
        assert found.scope == expected.scope
        assert (found.count, found.void, found.failed) == (36, 1, 2)


def test_the_interval_of_a_score_is_that_of_its_macro_mean(store, rows):
    expected = interval_mean01(sample(rows, "grep"), "questions")
    for text, end in (
        ("lo(score.macro[arm=grep])", expected.lo),
        ("hi(score.macro[arm=grep])", expected.hi),
        ("score.lo[arm=grep]", expected.lo),
        ("score.hi[arm=grep]", expected.hi),
    ):
        assert ask(store, text) == pytest.approx(end)


def test_a_comparison_needs_both_levels_whatever_the_page_filters(store):
    whole = ask(store, "delta(score.macro, arm=grep, arm=index)")
    assert ask(store, "delta(score.macro, arm=grep, arm=index)", where="arm=grep") == whole
    assert ask(store, "delta(score.macro, arm=index, arm=grep)") == pytest.approx(-whole)


def test_groups(store, rows):
    questions = {row["question"] for row in rows}
    assert ask(store, "count over question: wall_s.max > 4") == sum(
        max(sound(rows, "wall_s", question=q)) > 4 for q in questions
    )
    assert ask(store, "median over question: wall_s.max / wall_s.min") == pytest.approx(
        statistics.median(max(v) / min(v) for q in questions for v in [sound(rows, "wall_s", question=q)])
    )
    assert ask(store, "all arm: score.macro > 0.1") is True
    assert ask(store, "max over arm: score.macro") == pytest.approx(
        max(macro(rows, arm=a) for a in ("grep", "index"))
    )
    assert ask(store, "none rep: n < 1") is True
    assert ask(store, "min over repo: delta(score.macro, arm=grep, arm=index)") == pytest.approx(
        min(
            macro([r for r in rows if r["repo"] == p], arm="grep")
            - macro([r for r in rows if r["repo"] == p], arm="index")
            for p in ("click", "jinja2", "mkdocs")
        )
    )


def test_a_group_without_a_value_is_an_error(store):
    with pytest.raises(errors.NullResultError):
        ask(store, "max over outcome: score.mean")
    with pytest.raises(errors.NoRowsError, match="for outcome `host_stalled`"):
        ask(store, "max over outcome: score.mean[wall_s>4]")


@pytest.mark.parametrize(
    ("filters", "condition"),
    [
        ("wall_s>2", lambda r: r["wall_s"] > 2),
        ("wall_s<=2.5, arm!=grep", lambda r: r["wall_s"] <= 2.5 and r["arm"] != "grep"),
        ("rep=1", lambda r: r["rep"] == 1),
        ("rep=1.0", lambda r: r["rep"] == 1),
        ("input_tokens>=110", lambda r: r["input_tokens"] is not None and r["input_tokens"] >= 110),
        (
            "input_tokens!=100",
            lambda r: r["input_tokens"] not in {None, 100},
        ),  # null is not different, it is unknown
        ("score=0", lambda r: r["score"] == 0),
        ("score=0.123", lambda _: False),  # a number is never misspelt: none has it
        ("question~click-*", lambda r: r["question"].startswith("click-")),
        ('question~"*-q[12]"', lambda r: r["question"][-1] in "12"),
        ("repo~?????2", lambda r: r["repo"] == "jinja2"),
        ("repo<jinja2", lambda r: r["repo"] == "click"),  # texts compare as texts
        ("answered=true", lambda r: r["answered"]),
        ("answered!=true", lambda r: not r["answered"]),
        ("outcome=spawn_error", lambda _: False),  # a known outcome that did not happen
        ("outcome!=ok", lambda r: r["outcome"] != "ok"),
        ("failed=false, void=false", lambda r: r["outcome"] == "ok"),
        ("class=callers", lambda _: True),
        ('"order"<4', lambda r: r["order"] < 4),
    ],
)
def test_filters(store, rows, filters, condition):
    assert ask(store, f"count[{filters}]") == sum(condition(row) for row in rows)


def test_an_explicit_filter_replaces_the_scopes_on_the_same_column(store):
    assert ask(store, "count[arm=index]", where="arm=grep, rep=1") == 9
    assert ask(store, "share[arm=index]", where="arm=grep, rep=1") == 0.5
    assert ask(store, "share[outcome=timeout]", where="arm=index") == pytest.approx(
        ask(store, "count[outcome=timeout, arm=index]") / 18
    )


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("scor.mean", errors.ColumnUnknownError, "score"),
        ("count[amr=grep]", errors.ColumnUnknownError, "arm"),
        ("count over amr: n > 0", errors.ColumnUnknownError, "arm"),
        ("delta(score, amr=grep, amr=index)", errors.ColumnUnknownError, "arm"),
        ("nosuch::wall_s.sum", errors.ColumnUnknownError, "no table `nosuch`"),
        ("attempts::score.mean", errors.ColumnUnknownError, "score"),
        ("count[arm=grepp]", errors.FilterValueUnknownError, "one of grep, index; did you mean grep?"),
        ("count[arm!=grepp]", errors.FilterValueUnknownError, "grep"),
        ("count[arm~z*]", errors.FilterValueUnknownError, "one of grep, index"),
        ("count[outcome=timeot]", errors.FilterValueUnknownError, "timeout"),
        ("count[rep=9]", errors.FilterValueUnknownError, "one of 1, 2"),
        ("delta(score, arm=grep, arm=indx)", errors.FilterValueUnknownError, "index"),
        ("count[cell=zzz]", errors.FilterValueUnknownError, "and 24 more"),
        ("count[cost_source=agent]", errors.FilterValueUnknownError, "no value at all"),
        ("count[rep=abc]", errors.KindMismatchError, "a number"),
        ("count[rep=nan]", errors.KindMismatchError, "a number"),
        ("count[wall_s~1*]", errors.KindMismatchError, "a number"),
        ("count[failed=yes]", errors.KindMismatchError, "failed=true or failed=false"),
        ("count[failed>false]", errors.KindMismatchError, "failed=true"),
        ("answer.mean", errors.KindMismatchError, "is a text"),
        ("outcome.macro", errors.KindMismatchError, "is a text"),
        ("delta(outcome, arm=grep, arm=index)", errors.KindMismatchError, "is a text"),
        ("wall_s.lo", errors.KindMismatchError, "alone has no interval"),
        ("delta(score.median, arm=grep, arm=index)", errors.KindMismatchError, "no median"),
        ("lo(wall_s.median)", errors.NullResultError, "no interval"),
        ("lo(score.mean)", errors.NullResultError, "no interval"),
        ("score.floor", errors.KindMismatchError, "an empty run reads"),
        ("input_tokens.floor", errors.NullResultError, "none of its 36 rows"),
        ("cost_usd.mean", errors.NullResultError, "none of its 36 rows"),
        ("cost_usd.macro", errors.NullResultError, "none of its 36 rows"),
        ("score.sd[question=click-q1, arm=grep, rep=1]", errors.NullResultError, "one value has no sd"),
        ("score.mean[outcome=host_stalled]", errors.NullResultError, "none of its 1 rows"),
        ("score.mean[arm=grep, wall_s>1000]", errors.NoRowsError, "no row matches"),
        ("n[wall_s>1000]", errors.NoRowsError, "no row matches"),
        ("score.macro[wall_s>1000]", errors.NoRowsError, "no row matches"),
        ("score[wall_s>1000]", errors.NoRowsError, "no row matches"),
        ("delta(score[wall_s>1000], arm=grep, arm=index)", errors.NoRowsError, "no row"),
        ("delta(cost_usd, arm=grep, arm=index)", errors.NoRowsError, "has a cost_usd"),
        ("paired_ratio(output_tokens, arm=grep, arm=index)", errors.SampleInvalidError, "positive"),
        ("tool_calls::count", errors.NoRowsError, "table `tool_calls` of run r1 has no rows"),
        ("score", errors.AmbiguousRowError, "36 rows"),
        ("score.mean@r2", errors.RunNotDeclaredError, "r1"),
    ],
)
def test_what_has_no_value_is_an_error_and_says_why(store, text, error, says):
    with pytest.raises(error) as raised:
        ask(store, text)
    assert says in str(raised.value)


def test_honest_zeros_are_values(store):
    assert ask(store, "count[wall_s>1000]") == 0
    assert ask(store, "share[wall_s>1000]") == 0
    assert ask(store, "n_failed[arm=grep, rep=1, question=click-q1]") == 0


def test_a_share_of_nothing_is_an_error(store):
    with pytest.raises(errors.NoRowsError):
        ask(store, "share[rep=1]", where="wall_s>1000")


def test_a_run_without_rows_gives_no_value_at_all(store):
    for text in ("count", "n", "score.mean", "share[arm=grep]", "count over arm: n > 0"):
        with pytest.raises(errors.NoRowsError, match="run empty has no rows"):
            ask(store, text, run="empty")


def test_an_unknown_run_is_an_error_of_the_whole_page(store):
    with pytest.raises(errors.RunUnknownError):
        ask(store, "count", run="nosuch")
    with pytest.raises(errors.RunUnknownError):
        ask(store, "count@gone", declared=frozenset({"gone"}))


def test_other_runs_and_pools(store):
    declared = frozenset({"r2", "r3"})
    assert ask(store, "count@r2", declared=declared) == 4
    assert ask(store, "count@r1+r2", declared=declared) == 40
    assert ask(store, "count[arm=grep]@r1 + count@r2", declared=declared) == 22
    with pytest.raises(errors.RunsNotComparableError, match="differ in caps, prompt"):
        ask(store, "count@r1+r3", declared=declared)
    with pytest.raises(errors.RunNotDeclaredError):
        ask(store, "count@r1+r2", declared=frozenset({"r3"}))


def test_further_tables_know_the_cell_they_belong_to(store):
    assert ask(store, "attempts::count") == 36
    assert ask(store, "attempts::wall_s.median[arm=grep]") == ask(store, "wall_s.median[arm=grep]")
    assert ask(store, "attempts::n") == 35  # the void one is void here too
    assert ask(store, "attempts::n_failed") == 2
    assert ask(store, "attempts::exit_code.max", where="arm=grep, repo=click") == 0
    assert ask(store, "grades::score.mean") == pytest.approx(ask(store, "score.mean"))
    assert ask(store, "grades::n_failed") == 2
    assert ask(store, "transcripts::total_bytes.sum[stream=stdout, arm=index]") == 4 * 17
    assert ask(store, "count over question: attempts::count > 3") == 9


def test_an_open_run_is_measured_too(tmp_path):
    store = Store(tmp_path)
    with RunWriter.create(store, record()) as writer:
        run_cell(writer, writer.unfinished[0], 0.25)
        assert ask(store, "score.mean") == 0.25
        assert ask(store, "attempts::count") == 1


def test_many_probes_are_one_query_and_one_for_what_they_presuppose(store, monkeypatch):
    from benchctl.store.measuring import question

    queries = []

    class Spy:
        def __init__(self, connection):
            self.connection = connection

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.connection.close()

        def execute(self, sql, parameters=()):
            queries.append(sql)
            return self.connection.execute(sql, parameters)

    monkeypatch.setattr(question, "loaded", lambda runs, tables, **more: Spy(connect(runs, tables, **more)))
    texts = [
        f"{column}.{statistic}[arm={arm}]"
        for column in ("wall_s", "score")
        for statistic in STATISTICS
        for arm in ("grep", "index")
    ]
    wanted = [
        probe
        for text in (*texts, "delta(score, arm=grep, arm=index)", "count@r2", "attempts::count")
        for probe in probes(parse(text))
    ]
    answers = measure(store, "r1", wanted, declared=frozenset({"r2"}))
    assert list(answers) == wanted
    assert all(answer.error is None for answer in answers.values())
    assert len(queries) == 2


def test_one_bad_probe_leaves_the_others_their_answers(store):
    good, bad, worse = (probes(parse(text))[0] for text in ("count", "scor.mean", "count[arm=zzz]"))
    answers = measure(store, "r1", [bad, good, worse])
    assert answers[good].value == 36
    assert isinstance(answers[bad].error, errors.ColumnUnknownError)
    assert isinstance(answers[worse].error, errors.FilterValueUnknownError)
    assert measure(store, "r1", []) == {}


HOSTILE = st.text(min_size=1, max_size=30) | st.sampled_from(
    [
        "'; DROP TABLE cells; --",
        '"',
        "')) UNION ALL SELECT 1 --",
        "?",
        "$1",
        "\0",
        "\\",
        "*",
        "[",
        "[]",
        "[!",
        "1e999",
        "-0",
        "'||'",
    ]
)


@given(HOSTILE, HOSTILE, st.sampled_from(["=", "!=", "<", "<=", ">", ">=", "~"]))
def test_no_text_of_a_page_becomes_sql(store, name, value, op):
    count = Probe(("count",))
    hostile = (
        Probe((name,), (Filter("arm", op, value),)),
        Probe(("score", name), (Filter(name, op, value),)),
        Probe(("score", "mean"), (Filter("answer", op, value),), table=name),
        Probe(("count",), (Filter("wall_s", op, value),), group_by=name),
        Probe(("count",), (Filter("arm", op, value),)),
        Probe(("score",), contrast=Contrast("delta", "arm", "grep", value)),
        count,
    )
    found = measure(store, "r1", hostile)
    assert all(
        answer.error is None or isinstance(answer.error, errors.EvaluationError) for answer in found.values()
    )
    assert found[count].value == 36


@given(st.permutations(range(len(CELLS))))
def test_no_statistic_depends_on_the_order_of_rows(rows, order):
    shuffled = [rows[index] for index in order]
    assert macro(shuffled) == pytest.approx(macro(rows), abs=1e-15)


def test_every_column_of_every_table_can_be_counted(store):
    wanted = [
        Probe((column.name, "count"), table=table)
        for table, columns in VIEWS.items()
        if table not in {"tool_calls", "voids", "backfills", "baselines"}
        for column in columns
    ]
    answers = measure(store, "r1", wanted)
    assert {answer.value for answer in answers.values()} == {36, 72}


def test_an_interval_of_a_text_and_of_nothing_is_no_interval(store):
    (probe,) = probes(parse("lo(outcome.distinct)"))
    assert measure(store, "r1", [probe])[probe].lo is None
    with pytest.raises(errors.NullResultError, match="was not measured here"):
        ask(store, "precision.lo[outcome=host_stalled]")


def test_an_unknown_comparison_is_an_error(store):
    probe = Probe(("score",), contrast=Contrast("sign_test", "arm", "grep", "index"))
    assert "no comparison `sign_test`" in str(measure(store, "r1", [probe])[probe].error)


def test_a_score_without_a_metric_entry_has_no_interval_of_its_own(store):
    with pytest.raises(errors.KindMismatchError, match="alone has no interval"):
        ask(store, "rep.hi")
    assert replace(one(store, "score.macro[arm=grep]"), value=None).lo is None
