"""Named SQL measured over a run: what it may hold, what it sees, and whether it says anything of the data."""

import hashlib
import time

import pytest
from synthetic_run import RUN, Recipe, make_project

from benchctl.expressions import Definition, expand, parse, parse_definitions, parse_filters, scoped
from benchctl.schema.project import Value
from benchctl.store.measuring.question import measure
from benchctl.store.sql import one_value
from benchctl.store.sql.moved_tables import moved_tables
from benchctl.store.sql.other_data import compared, loosened, others
from benchctl.store.sql.query import query_sql


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return make_project(
        tmp_path_factory.mktemp("sql"), Recipe(), Recipe(run="demo-r2", failed=True, void=True)
    )


def asked(project, sql, *, call="v", key="v", filters="", run=RUN):
    """Return what is measured for one call of one SQL value."""
    named: dict[str, Definition] = parse_definitions({key: Value(sql=sql)})
    probe = scoped(expand(parse(call), named), parse_filters(filters) if filters else ())
    return measure(project.store, run, [probe])[probe]


ATTACKS = [
    # files and the network
    "select count(*) from read_csv('/etc/passwd')",
    "select content from read_text('/etc/passwd')",
    "select count(*) from read_blob('/etc/passwd')",
    "select count(*) from read_parquet('data/runs/demo-r1/rows/cells.parquet')",
    "select count(*) from read_json('/etc/passwd')",
    "select count(*) from glob('/**')",
    "select count(*) from sniff_csv('/etc/passwd')",
    "select count(*) from '/etc/passwd'",
    'select count(*) from "data/x.csv"',
    "select count(*) from 'https://example.com/x.csv'",
    "copy cells to '/tmp/benchctl-attack.csv'",
    "with x as (copy (select 1) to '/tmp/benchctl-attack.csv') select count(*) from x",
    "export database '/tmp/benchctl-attack'",
    "attach '/tmp/benchctl-attack.db' as a",
    "attach ':memory:' as a",
    "install httpfs",
    "load httpfs",
    # settings and the environment
    "set memory_limit = '100GB'",
    "set enable_external_access = true",
    "pragma database_list",
    "pragma enable_profiling",
    "call enable_logging(storage='file')",
    "select getenv('HOME') from cells limit 1",
    "select current_setting('home_directory') from cells limit 1",
    "select value from duckdb_settings() limit 1",
    "select count(*) from information_schema.tables",
    "select count(*) from duckdb_secrets()",
    "select version() from cells limit 1",
    # a function that is named by a text
    "select list_aggregate(list(score), 'reservoir_quantile', 0.5) from cells",
    "select list_aggregate(list(score), 'APPROX_QUANTILE', 0.5) from cells",
    "select list(score).list_aggregate('approx_quantile', 0.5) from cells",
    "select list_aggregate(list(score), 'approx' || '_quantile', 0.5) from cells",
    "select list_aggregate(list(score), agent) from cells group by agent",
    "select list_aggregate(list(score)) from cells",
    "select list_aggr(list(score), 'max') from cells",
    "select array_aggregate(list(score), 'max') from cells",
    "select aggregate(list(score), 'max') from cells",
    "select current_user from cells limit 1",
    # what writes
    "with x as (insert into cells select * from cells returning *) select count(*) from x",
    "with x as (update cells set score = 1 returning *) select count(*) from x",
    "with x as (delete from cells returning *) select count(*) from x",
    "insert into cells select * from cells",
    "update cells set score = 1",
    "delete from cells",
    "drop table cells",
    "create table evil as select 1",
    "create macro median(x) as 1",
    "create temp macro median(x) as 1; select median(score) from cells",
    "truncate cells",
    "begin; commit",
    # more than one statement, or none
    "select 1 from cells; drop table cells",
    "select count(*) from cells; select count(*) from cells",
    "select 44",
    "select 44 as n union all select 45",
    "values (1)",
    "show tables",
    "",
    "-- nothing",
    "explain select count(*) from cells",
    "prepare p as select 1",
    "execute p",
    # what is another value every time
    "select random() from cells limit 1",
    "select count(*) from cells using sample 3",
    "select now()::varchar from cells limit 1",
    "select current_timestamp::varchar from cells limit 1",
    "select today()::varchar from cells limit 1",
    "select uuid() from cells limit 1",
    "select nextval('s') from cells limit 1",
    "select gen_random_uuid()::varchar from cells limit 1",
    # text run as SQL, other runs, other schemas
    "select * from query('select 1')",
    "select count(*) from query_table('cells')",
    "select count(*) from main.cells",
    "select count(*) from memory.main.cells",
    "select count(*) from system.main.duckdb_tables",
    "select count(*) from nowhere",
    # what never ends, or takes everything
    "with recursive r(n) as (select 1 union all select n + 1 from r) select count(*) from r, cells",
    "select length(repeat('x', 2000000000)) from cells",
    "select length(lpad('x', 2000000000, 'y')) from cells",
    "select length(repeat(arm, order)) from cells",
    "select len(range(2000000000)) from cells",
    "select length(replace(replace(replace('aaaaaaaaaa', 'a', repeat('b', 1000)), 'b', repeat('c', 1000)), 'c', 'dd')) from cells",
    "pivot cells on arm using count(*)",
    # parameters that nobody bound
    "select count(*) from cells where arm = $a",
    "select count(*) from cells where arm = ?",
    "select count(*) from cells where arm = $1",
]  # fmt: skip


def _bytes(project):
    return {
        path: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in project.root.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("sql", ATTACKS)
def test_an_attack_is_refused_and_nothing_is_touched(project, sql, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = _bytes(project)
    if sql.strip():
        found = asked(project, sql)
        assert found.error is not None
        assert found.error.slug == "sql-refused"
        assert found.value is None
    else:
        from benchctl.errors import ValueInvalidError

        with pytest.raises(ValueInvalidError):
            asked(project, sql)
    assert _bytes(project) == before
    assert list(tmp_path.iterdir()) == []
    assert asked(project, "select count(*) from cells").value == 72


ENDLESS = [
    "select count(*) from cells a, cells b, cells c, cells d, cells e, cells f where md5(a.cell || b.cell || c.cell || f.cell) < 'a'",
    "select length(string_agg(md5(a.cell || b.cell || c.cell || d.cell))) from cells a, cells b, cells c, cells d, cells e",
    "select count(*) from cells a, cells b, cells c, cells d, cells e, cells f",
]


@pytest.mark.parametrize("sql", ENDLESS)
def test_what_does_not_end_is_ended(project, sql, monkeypatch):
    monkeypatch.setattr(one_value, "SECONDS", 0.5)
    found = asked(project, sql)
    assert found.error is not None
    assert found.error.slug == "sql-refused"
    assert asked(project, "select count(*) from cells").value == 72


def test_ctrl_c_is_an_interrupt_and_no_refusal():
    class Cursor:
        def execute(self, sql, *_):
            if sql == "select":
                raise RuntimeError("Query interrupted")
            return self

        def fetchmany(self, _):
            return []

    with pytest.raises(KeyboardInterrupt):
        one_value.rows_of(Cursor(), "select", {})


def test_another_runtime_error_stays_one():
    class Cursor:
        def execute(self, *_):
            raise RuntimeError("other")

    with pytest.raises(RuntimeError, match="other"):
        one_value.rows_of(Cursor(), "select", {})


@pytest.mark.parametrize(
    ("sql", "filters", "value"),
    [
        ("select count(*) from cells", "", 72),
        ("select count(*) from cells", "arm=grep", 24),
        ("select count(*) from cells", "arm=grep, rep=1", 12),
        ("select count(*) from cells", "wall_s>0.6", 48),
        ("select count(*) from cells", "arm~g*", 24),
        ("select count(*) from attempts", "arm=grep", 24),
        ("select count(*) from cells c join attempts a using (cell)", "arm=grep", 24),
        ("select count(*) from runs", "arm=grep", 1),
        ("select count(*) from cells, runs", "arm=grep", 24),
        ("select count(distinct arm) from cells", "", 3),
        ("with g as (select * from cells where arm = 'grep') select count(*) from g", "rep=1", 12),
        ("select max(score) from cells", "arm=grep", 0.5),
        ("select max(wall_s)::decimal(9,2) from cells", "arm=grep", 0.5),
        ("select bool_and(not failed) from cells", "", True),
        ("select arm from cells order by score desc, arm limit 1", "", "hybrid"),
        ("select sum(rep)::hugeint * 100000000000000000000 from cells", "", 108 * 10**20),
    ],
)
def test_a_statement_sees_the_rows_that_are_meant(project, sql, filters, value):
    found = asked(project, sql, filters=filters)
    assert found.error is None
    assert found.value == value


def test_void_and_failed_rows_are_there_as_in_a_query(project):
    assert (
        asked(project, "select count(*) filter (where void or failed) from cells", run="demo-r2").value == 2
    )


def test_parameters_are_bound(project):
    sql = "select count(*) from cells where arm = $a and rep >= $n"
    found = asked(project, sql, key="v(a, n)", call="v(grep, 2)")
    assert found.value == 12
    assert asked(project, sql, key="v(a, n)", call="v('grep'' or 1=1', 2)").value == 0
    assert asked(project, sql, key="v(a, n)", call="v(grep, x)").error.slug == "sql-refused"
    left_out = "select count(*) from cells where arm = $a or $b = arm"
    error = asked(project, left_out, key="v(a)", call="v(x)").error
    assert (error.slug, error.what, error.expected) == ("sql-refused", "`v`: no parameter `b`", "$a")


@pytest.mark.parametrize("deep", [2, 3])
def test_what_a_parameter_could_make_is_reckoned_with(project, deep):
    text = "arm"
    for _ in range(deep):
        text = f"replace({text}, 'r', $a)"
    found = asked(project, f"select max(length({text})) from cells", key="v(a)", call="v('rr')")
    assert (found.error is None) is (deep == 2)


def test_a_parameter_is_called_as_it_is(project):
    assert (
        asked(
            project,
            "select count(*) from cells where arm = $ARM and $Arm = arm",
            key="v(ARM)",
            call="v(grep)",
        ).value
        == 24
    )


HONEST = [
    "select count(*) from cells",
    "select count(*) from cells where failed",
    "select count(*) from cells where outcome = 'timeout'",
    "select count(*) from cells where outcome = 'oom' and arm = 'grep' and repo = 'click' and agent = 'script' and class = 'callers'",
    "select count(*) from cells where wall_s > 3600",
    "select count(*) from cells where score = 0.123456",
    "select count(*) from cells where answer is null",
    "select count(*) from cells where length(answer) > 100000",
    "select count(*) from cells where json_array_length(answer) > 50 and lower(outcome) = 'ok'",
    "select count(distinct arm) from cells",
    "select max(n) from (select count(*) n from cells group by question)",
    "select count(*) from (select question from cells group by question having max(score) < 0.1)",
    "select count(*) from voids",
    "select sum(case when failed then 1 else 0 end) from cells",
    "select bool_or(failed) from cells",
    "select bool_and(score >= 0) from cells",
    "select not exists (select 1 from cells where score < 0)",
    "select (select count(*) from cells where failed) = 0",
    "select arg_max(arm, score) from cells",
    "select arm from cells group by arm order by avg(score) desc limit 1",
    "select count(*) from cells where answer ilike '%time_out%' and not void",
    "select count(*) filter (where regexp_matches(answer, '^err.*x$')) from cells",
    "select count(*) from tool_calls where ok = false",
    "select count(*) from cells c join attempts a on a.cell = c.cell where a.outcome = 'timeout' and c.arm = 'grep'",
    "select count(*) from cells where rep between 7 and 9",
    "select count(*) from cells where arm in ('x', 'y', 'z') and score < 0",
    "select quantile_cont(wall_s, 0.9) - quantile_cont(wall_s, 0.1) from cells where arm = 'grep'",
    "select corr(score, wall_s) from cells",
    "select count(*) from cells where score > (select avg(score) from cells) + 5",
    "with a as (select arm, median(wall_s) m from cells group by arm) select (select m from a where arm = 'grep') / (select m from a where arm = 'index')",
    "select count(*) from grades where generation > 1 and score < 0.5",
    "select max(attempt) from attempts",
    "select planned from runs",
    "select min(rep) from cells",
    "select count(*) from attempts where exit_code = 137",
]  # fmt: skip
EMPTY = [
    "select 2.0 from cells limit 1",
    "select 5 + 0 * count(*) from cells",
    "select max(2.0) from cells",
    "select case when count(*) > 0 then 48 else 0 end from cells",
    "select 0 * sum(wall_s) from cells",
    "select any_value(7) from cells where arm = 'grep'",
    "select count(*) - count(*) + 3 from cells",
    "select distinct 4 from cells",
    "select max(case when arm = 'grep' then 2.5 end) from cells",
    "select coalesce(null, 3) from cells limit 1",
    "select (select 44) + 0 * (select count(*) from cells)",
    "select 3 from (select count(*) from cells)",
    "select count(*) / count(*) from cells",
    "select least(7, 7 + abs(count(*))) from cells",
    "select round(avg(score) * 0) from cells",
    "select length('abc') from cells limit 1",
    "select 2.0 from cells where length(arm) > 0 limit 1",
    "select 44 where exists (select 1 from cells)",
    "select count(distinct run) from cells",
    "select count(*) from cells where 1 = 0",
    "select count(*) from cells where arm = 'grep' and arm = 'index'",
    "select 'grep' from cells limit 1",
    "select true from cells limit 1",
]  # fmt: skip


@pytest.mark.parametrize("sql", HONEST)
def test_a_statement_that_follows_the_data_is_seen_to(project, sql):
    found = asked(project, sql)
    assert found.error is None
    assert found.elsewhere


@pytest.mark.parametrize("sql", EMPTY)
def test_a_statement_that_no_data_move_is_seen_to_stand_still(project, sql):
    found = asked(project, sql)
    assert found.error is None
    assert found.elsewhere == ()


@pytest.mark.parametrize(
    "sql",
    ["select count(*) from cells where arm = $a", "select 0.5 + avg(score) from cells where length(arm) > length($a)"],
)  # fmt: skip
def test_a_parameter_counts_as_what_it_is_bound_to(project, sql):
    found = asked(project, sql, key="v(a)", call="v(x)")
    assert found.elsewhere


def test_a_statement_that_has_no_value_elsewhere_tells_nothing(project):
    # Over numbers that were moved 1 / 0 is null, and over rows that are made up no cell is called so.
    name = "click-q1/grep/script/none/1"
    found = asked(project, f"select 2.0 from cells where md5(cell) = md5('{name}') and rep = 1 and order = 0")
    assert found.elsewhere is None or found.error is not None


def test_what_a_column_is_compared_with():
    sql = "select count(*) from cells where lower(arm) = 'grep' and rep in (1, 2) and question like $q and score > wall_s"
    found = {name: sorted(texts) for name, texts in compared(sql, {"q": "x%"}).items()}
    assert found == {"arm": ["grep"], "rep": ["1", "2"], "question": ["x%"], "score": [], "wall_s": []}  # fmt: skip


@pytest.mark.parametrize(
    ("sql", "left"),
    [
        ("select count(*) from cells where arm = 'a' and length(arm) > 3", "((arm = 'a') AND true)"),
        ("select count(*) filter (where lower(arm) = $a) from cells", "FILTER (WHERE true)"),
        ("select count(*) from cells where arm = 'a' and rep > 1", None),
        ("select count(*) from cells where length('x') > 1", None),
        ("select arm = upper(arm) from cells", "SELECT true FROM cells"),
    ],
)
def test_conditions_on_what_is_made_of_a_column_are_let_go(sql, left):
    assert (loosened(sql) or "").endswith(left or "") or left in loosened(sql)
    assert (loosened(sql) is None) == (left is None)


def test_other_values_are_of_one_kind():
    assert others((1, 1.0, True, "1", 2, 1 + 1e-12), 1) == (2,)
    assert others(("a", "b", 1), "a") == ("b",)
    assert others((True, False, 0), today=True) == (False,)


def test_a_column_may_be_called_like_anything():
    """`place` is what the moved tables number their rows by."""
    import duckdb

    with duckdb.connect() as connection:
        connection.execute('create table t as select 1::bigint as place, 2::bigint as "PLACE_1"')
        for variant in moved_tables(connection, {"t": {"place": "BIGINT", "place_1": "BIGINT"}}, {}):
            for sql, parameters in variant:
                connection.execute(sql, parameters)
        assert connection.execute("select count(*) from memory.main.t").fetchone() == (1,)


def test_where_the_system_says_no_memory_there_is_the_time_alone(monkeypatch, tmp_path):
    import resource

    from benchctl.store.sql import limits

    monkeypatch.setattr(limits, "_STATM", tmp_path / "none")
    before = resource.getrlimit(resource.RLIMIT_AS)
    with limits.limited(lambda: None):
        assert resource.getrlimit(resource.RLIMIT_AS) == before


@pytest.mark.parametrize("name", ["max", "MAX"])
def test_a_list_may_be_aggregated_by_a_constant_name(project, name):
    assert asked(project, f"select list_aggregate(list(score), '{name}') from cells").value == 1


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York", "UTC"])
def test_an_hour_is_that_of_utc_on_every_machine(project, monkeypatch, zone):
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        hour = "hour(to_timestamp(0)) * 100 + strftime(to_timestamp(0), '%d%H')::int"
        assert asked(project, f"select {hour} + 0 * count(*) from cells").value == 100
        (row,) = query_sql(
            project.store,
            "select to_timestamp(0) as at, to_timestamp(0)::date as day, count(*) as n from cells",
        ).rows
        assert row[:2] == ("1970-01-01 00:00:00+00:00", "1970-01-01")
    finally:
        monkeypatch.undo()
        time.tzset()
