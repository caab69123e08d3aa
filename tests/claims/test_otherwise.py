"""Which expressions say nothing of their run: over real rows, each with the parts that no data can move."""

import pytest

DEAD = [
    # an expression, what it prints ("" for an assertion), the dead part as the message names it
    ("score.mean / score.mean", "1", ""),
    ("count / count", "1", ""),
    ("ratio(count, count)", "1", ""),
    ("977 * (count / count)", "977", ""),
    ("(977 * count) / count", "977", ""),
    ("977 * count / count[question~*]", "977", ""),
    ("count[arm=grep] / count[arm=grep, arm=grep]", "1", ""),
    ("max(977, count)", "977", ""),
    ("min(count, 5)", "5", ""),
    ("2 + min(977, count * 100)", "979", ""),
    ("max(977, min(count, 5))", "977", ""),
    ("0.977 + score.mean / 100000000", "0.977", ""),
    ("round(score.mean / 1000) + 977", "977", ""),
    ("abs(977 - round(score.mean / 99))", "977", ""),
    ("0 * count + 5", "5", ""),
    ("0 / count", "0", ""),
    ("count = count", "", ""),
    ("count >= count - 5", "", ""),
    ("count / count = 1", "", ""),
    ("max(count, 977) = 977", "", ""),
    ("5 < 6", "", ""),
    ("5 < 6 and count > 0", "", "5 < 6"),
    ("count > 0 or not (5 < 6)", "", "5 < 6"),
    ("count > 0 and count = count", "", "count = count"),
    ("all question: score.mean = score.mean", "", "score.mean = score.mean"),
    ("any question: score.mean > 0 or 1 > 2", "", "1 > 2"),
    ("(count over question: score.mean / score.mean = 1) = 4", "", "score.mean / score.mean = 1"),
    ("count over question: score.mean >= score.mean - 1", "4", "score.mean >= score.mean - 1"),
    ("true", "", ""),
    ("count > 0 and true", "", "true"),
    (
        "model[question=q1, arm=grep, agent=claude, rep=1] = model[question=q1, arm=grep, agent=claude, rep=1]",
        "",
        "",
    ),
    ("'a' = 'a'", "", ""),
]

ALIVE = [
    ("repo.distinct != 5", ""),
    ("not (count = 5)", ""),
    ("count != 107", ""),
    ("count = 96", ""),
    ("count = 96 or count = 5", ""),
    ("n_failed[arm=grep] != 977", ""),
    ("score.max < 5", ""),
    ("score.max <= 1", ""),
    ("0 < count", ""),
    ("all question: score.mean[arm=grep] != 0.5001", ""),
    ("none question: score.mean[arm=grep] = 0.1234", ""),
    ("any question: score.mean > 0", ""),
    ("score.mean[arm=grep] != score.mean[arm=index]", ""),
    ("outcome.distinct != 977", ""),
    ("(count over question: score.mean = 0.5001) = 0", ""),
    ("not void[question=q1, arm=grep, agent=claude, rep=1]", ""),
    ("model[question=q1, arm=grep, agent=claude, rep=1] != 'else'", ""),
    ("count over question: score.mean = 0.5001", "0"),
    ("count over question: score.mean", "4"),
    ("distinct over question: repo.distinct", "1"),
    ("sd over question: repo.distinct", "0"),
    ("share over question: score.mean > 0", "100 %"),
    ("ratio(total_tokens.median[arm=grep], total_tokens.median[arm=grep, agent=claude, rep=1]) > 0", ""),
    ("count[void=true]", "0"),
    ("100 * count[arm=grep] / count", "25"),
    ("max(0, count)", "96"),
    ("min(count, count)", "96"),
    ("max(count[arm=grep], count)", "96"),
]

DEAD += [
    ("977 * wall_s.p50 / wall_s.median", "977", ""),
    ("12.3 * wall_s.sum / wall_s.n / wall_s.mean", "12.3", ""),
    ("wall_s.median - wall_s.p50", "0.00 s", ""),
    ("wall_s.p25 / wall_s.q1", "1.00", ""),
    ("977 * (wall_s.q3 - wall_s.q1) / wall_s.iqr", "977", ""),
    ("977 * wall_s.p0 / wall_s.min", "977", ""),
    ("977 * wall_s.p100 / wall_s.max", "977", ""),
    ("977 * rep.n / count", "977", ""),
    ("977 * failed.sum / count[failed=true]", "977", ""),
    ("977 * failed.mean * count / count[failed=true]", "977", ""),
    ("977 * share[arm=grep] * count / count[arm=grep]", "977", ""),
    ("wall_s.p50[arm=grep] >= wall_s.median[arm=grep]", "", ""),
    ("wall_s.sum = wall_s.mean * wall_s.n", "", ""),
]
ALIVE += [
    ("count[void=true] / count", "0"),
    ("count[void=false] / count", "1"),
    ("ratio(wall_s.median[arm=grep], wall_s.p50)", "1×"),
    ("share[arm=grep] * 4", "1.00"),
]


def vacuous(report):
    return [item for item in report.findings if item.slug == "expression-vacuous"]


def said(verify, expression, printed):
    body = f"{printed}<!--= {expression} -->" if printed else f"So. <!--assert: {expression} -->"
    return verify(f"96<!--= count --> cells.\n\n{body}\n")


@pytest.mark.parametrize(("expression", "printed", "part"), DEAD)
def test_what_no_data_can_move_is_named(verify, expression, printed, part):
    (finding,) = vacuous(said(verify, expression, printed))
    assert finding.message == f"`{part or expression}` is the same whatever the run says"
    assert (finding.line, finding.severity, finding.verdict) == (5, "error", "vacuous")


@pytest.mark.parametrize(("expression", "printed"), ALIVE)
def test_what_other_data_would_change_passes(verify, expression, printed):
    report = said(verify, expression, printed)
    assert vacuous(report) == []
    assert [item.message for item in report.findings if item.severity == "error"] == []


def test_a_retracted_expression_must_say_something_too(verify):
    report = verify("96<!--= count --> cells, not 5<!--retracted: count / count -->.\n")
    assert [item.literal for item in vacuous(report)] == ["5"]


def test_what_has_no_value_is_not_called_vacuous(verify):
    report = verify("96<!--= count --> 5<!--= cost_usd.mean --> <!--assert: cost_usd.mean > 0 -->\n")
    assert vacuous(report) == []


@pytest.mark.parametrize("expression", ["count[arm=grep, arm=index]", "count[rep<2, rep>2] + n_failed"])
def test_filters_that_no_row_can_meet_are_named(verify, expression):
    (finding,) = vacuous(said(verify, expression, "0"))
    assert finding.message.startswith("no row can meet ")
    assert len(vacuous(said(verify, f"{expression} = 0", ""))) == 1


@pytest.mark.parametrize(
    ("expression", "printed", "noted"),
    [
        ("977 + count[void=true]", "977", True),
        ("977 - count[void=true] * 3", "977", True),
        ("count + 101", "197", True),
        ("count + 90", "186", False),
        ("100 - share[arm=grep]", "99.75", False),
        ("1 - share[arm=grep]", "0.75", False),
        ("count / 2 + 7", "55", False),
        ("7 * count", "672", False),
        ("count - count[arm=grep]", "72", False),
    ],
)
def test_a_sum_that_is_mostly_written_is_noted(verify, expression, printed, noted):
    report = said(verify, expression, printed)
    assert [item.slug for item in report.findings] == ["expression-mostly-constant"] * noted
    assert report.ok


WRITTEN = [
    # a product, what it prints: what the run gives to it is nothing that tells
    ("977 * answered.max", "977"),
    ("answered.max * 1000 / 2", "500"),
    ("977 * (count[arm=index, answered=true] / count[arm=index])", "977"),
    ("ratio(977 * count[arm=index, answered=true], count[arm=index])", "977"),
    ("-(977 * answered.max)", "-977"),
    ("2 * (977 + n_failed)", "1,964"),
    ("(977 + n_failed) / 2", "491"),
    ("977 * answered.max + n_failed", "982"),
    ("3908 * share[arm=grep]", "977"),  # a quarter of the cells is of grep in every run
    ("3908 * count[arm=grep] / count", "977"),
]

TOLD = [
    # the run gives what is printed, or the factor is of a kind that units have
    "count * 3",
    "100 * score.mean",
    "2 * wall_s.median / 60",
    "(score.mean - 0.5) / 0.5",
    "(score.mean - 0.6) / 0.4",
    "1000 * score.sum / count",
    "1000 * wall_s.median",
    "100 * answered.max",
    "100 * share[arm=grep]",
    "100 * (1 - share[arm=grep])",
    "1024 * share[arm=grep]",
    "86400 * share[arm=grep]",
    "12 * count[arm=grep] / count",
    "2.75 * count[arm=grep]",
    "128 * count[arm=grep]",
    "(score.mean[arm=grep] - 0.6) / 0.4",
    "0.000003 * total_tokens.sum",
    "977 * score.mean",
    "977 * answered.mean",
    "977 * (count[answered=true] / count)",
    "ratio(tok(grep), tok(index))",
    "answered_share(index)",
]


def noted(report):
    return [item for item in report.findings if item.slug == "expression-mostly-constant"]


@pytest.mark.parametrize(("expression", "printed"), WRITTEN)
def test_a_product_that_is_mostly_written_is_noted(verify, expression, printed):
    (finding,) = noted(said(verify, expression, printed))
    assert (finding.verdict, finding.severity) == ("vacuous", "note")
    assert f"`{expression}` is" in finding.message


@pytest.mark.parametrize("expression", TOLD)
def test_a_product_that_the_run_gives_is_not_noted(verify, expression):
    report = said(verify, expression, "0.123")
    assert noted(report) == []
    assert vacuous(report) == []


def test_without_another_run_a_share_by_design_cannot_be_told(tmp_path):
    from project_of_runs import write_run

    from benchctl.claims.verify import verify_text
    from benchctl.store.project import Project

    (tmp_path / "benchctl.toml").write_text("")
    project = Project.find(tmp_path)
    write_run(project, "r1", 1)
    page = (
        "<!-- benchctl: run=r1 -->\n\n977<!--= 3908 * share[arm=grep] --> 977<!--= 977 * answered.max -->\n"
    )
    assert [item.claim for item in noted(verify_text(project, "page.md", page))] == ["977 * answered.max"]
