"""What a page is told where the defect lies beside its numbers: in a title, a rank."""

import pytest
from project_of_runs import make_project_of_runs

from benchctl.claims.verify import verify_text
from benchctl.cli import exit_code

RANKED = """
| rank | arm | score |
|--|--|--|
| 1 | a | {0}<!--= score.mean[arm=hybrid] --> |
| 2 | b | {1}<!--= score.mean[arm=grep] --> |
| 3 | c | {2}<!--= score.mean[arm=index] --> |
| 4 | d | {3}<!--= score.mean[arm=graphify] --> |
"""


def slugs(report):
    return [item.slug for item in report.findings]


@pytest.mark.parametrize("key", ["title", "description", "summary"])
def test_a_number_in_front_matter_is_told_what_can_be_done_there(project, key):
    text = f"---\n{key}: 977 failures\nbenchctl:\n  run: r9\n---\n\nAll 96<!--= count --> cells.\n"
    (finding,) = verify_text(project, "page.md", text).findings
    assert (finding.slug, finding.line, finding.column) == ("number-unbound", 2, len(key) + 3)
    assert "no comment is one in front matter" in finding.next_step


def test_a_rank_that_true_figures_deny_is_said(verify, project):
    order = ["hybrid", "grep", "index", "graphify"]
    rows = {row["arm"]: row["score"] for row in means(project)}
    report = verify(RANKED.format(*(f"{rows[arm]:.3f}" for arm in order)))
    falls = [rows[arm] for arm in order] == sorted((rows[arm] for arm in order), reverse=True)
    assert slugs(report) == ([] if falls else ["rank-differs"])
    best = sorted(order, key=lambda arm: -rows[arm])
    text = RANKED.format(*(f"{rows[arm]:.3f}" for arm in best))
    for old, new in zip(order, best, strict=True):
        text = text.replace(f"arm={old}]", f"arm=:{new}]")
    assert slugs(verify(text.replace("arm=:", "arm="))) == []


def means(project):
    from benchctl.store.sql.query import query_sql

    found = query_sql(
        project.store, "SELECT arm, avg(score) AS score FROM cells WHERE run = 'r9' GROUP BY arm"
    )
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def test_a_report_is_not_written_over_a_page_that_was_checked(tmp_path, monkeypatch, capsys):
    root = make_project_of_runs(tmp_path).root
    monkeypatch.chdir(root)
    page = root / "c.md"
    page.write_text("<!-- benchctl: run=r9 -->\n\n96<!--= count --> cells\n")
    before = page.read_bytes()
    assert exit_code(["verify-claims", "--write", "sarif=c.md", "c.md"]) == 2
    assert page.read_bytes() == before
    assert "c.md is a page" in capsys.readouterr().err


def test_what_is_mostly_written_names_what_adds_nothing(verify):
    (finding,) = list(verify("0.97<!--= 0.97 + score.min --> x\n").findings)
    assert finding.slug == "expression-mostly-constant"
    assert finding.message.endswith("what comes from the run adds nothing to it")
