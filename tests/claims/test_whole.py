"""What no single page is to blame for: values that nobody uses, patterns and files that name no page."""

import json

import pytest

from benchctl.claims.verify import verify_pages
from benchctl.cli import exit_code
from benchctl.errors import ProjectInvalidError
from benchctl.store.project import Project

PAGE = "<!-- benchctl: run=r9 -->\n\n{}\n"
TOML = """title = "x"
[values]
used = "count"
"called(a)" = "count[arm=$a]"
inner = "count"
outer = "inner"
of_a_table = "score.mean"
of_another = "count"
"idle(a)" = "count[arm=$a]"
[tables.t]
title = "T"
by = ["arm"]
columns = [{ title = "x", value = "of_a_table", of = "of_another" }]
"""


@pytest.fixture
def bench(project, tmp_path):
    (tmp_path / "benchctl.toml").write_text(TOML)
    (tmp_path / "data").symlink_to(project.root / "data")
    (tmp_path / "README.md").write_text(PAGE.format("96<!--= used --> and 24<!--= called(grep) -->"))
    return tmp_path


def said(bench, *paths, **more):
    report = verify_pages(Project.find(bench), paths, **more)
    return {page.path: [(item.slug, item.line, item.column, item.literal) for item in page.findings] for page in report.pages if page.findings}  # fmt: skip


def test_a_value_that_nothing_uses_has_its_place(bench):
    assert said(bench) == {
        "benchctl.toml": [("value-unused", 6, 1, "outer"), ("value-unused", 9, 1, "idle(a)")],
    }


def test_it_is_asked_only_of_the_whole_policy(bench):
    assert said(bench, bench / "README.md") == {}


def test_a_remembered_page_still_uses_its_values(bench):
    first = said(bench)
    assert said(bench) == first


def test_a_page_of_its_own_may_hide_the_projects(bench):
    (bench / "README.claims.toml").write_text('[values]\nused = "count + 0"\nother = "idle(grep)"\n')
    (bench / "README.md").write_text(
        PAGE.format("96<!--= used --> and 24<!--= called(grep) --> and 24<!--= other -->")
    )
    assert said(bench)["benchctl.toml"] == [("value-unused", 3, 1, "used"), ("value-unused", 6, 1, "outer")]


def test_a_page_that_cannot_be_read_may_use_them(bench):
    (bench / "site").mkdir()
    (bench / "site" / "x.md").write_text(PAGE.format("24<!--= idle(grep) -- x"))
    assert [item[3] for item in said(bench)["benchctl.toml"]] == ["outer"]
    (bench / "site" / "x.md").write_bytes(b"\xff")
    assert "benchctl.toml" not in said(bench)


def test_a_report_of_a_file_goes_with_every_form(bench, monkeypatch, capsys):
    monkeypatch.chdir(bench)
    assert exit_code(["verify-claims", "--format", "json"]) == 1
    (_, page) = json.loads(capsys.readouterr().out)["pages"]
    assert (page["path"], page["run"], page["numbers"]) == ("benchctl.toml", None, 0)
    assert exit_code(["verify-claims"]) == 1
    out = capsys.readouterr().out
    assert (
        "benchctl.toml:6:1: error: vacuous: no page, table or other value uses `outer` [value-unused]" in out
    )
    assert "benchctl.toml: 2 findings" in out


def test_a_pattern_that_matches_nothing(bench):
    (bench / "benchctl.toml").write_text(
        'title = "x"\n[claims]\npages = [\n  "README.md",\n  "docs/**/*.md", # none\n]\n'
        '[claims.max_unbound]\n"README.md" = 0\n"gone.md" = 3\n'
    )
    (bench / "README.md").write_text(PAGE.format("96<!--= count -->"))
    assert said(bench) == {
        "benchctl.toml": [("glob-empty", 5, 3, '"docs/**/*.md"'), ("glob-empty", 9, 1, "gone.md")]
    }


def test_the_patterns_that_nobody_wrote_may_match_nothing(bench):
    (bench / "benchctl.toml").write_text("")
    (bench / "README.md").write_text(PAGE.format("96<!--= count -->"))
    assert said(bench) == {}


@pytest.mark.parametrize("pattern", ["", "/abs/*.md", "site/x**.md", "~/x.md", "a\\u0000b"])
def test_a_pattern_that_can_match_nothing_is_refused(bench, pattern):
    (bench / "benchctl.toml").write_text(f'[claims]\npages = ["{pattern}"]\n')
    with pytest.raises(ProjectInvalidError) as caught:
        Project.find(bench)
    assert caught.value.where.line == 2


def test_a_file_beside_no_page(bench):
    (bench / "benchctl.toml").write_text("")
    (bench / "README.md").write_text(PAGE.format("96<!--= count -->"))
    for name in ("README.claims.toml", "notes.claims.toml", "x.md.claims.toml", "y.claims.toml"):
        (bench / name).write_text("")
    (bench / "y.txt").write_text("")
    assert said(bench) == {
        "notes.claims.toml": [("glob-empty", 1, 1, "")],
        "x.md.claims.toml": [("glob-empty", 1, 1, "")],
    }


def test_a_table_that_cannot_be_read_may_use_them(bench):
    (bench / "benchctl.toml").write_text(TOML.replace('"of_a_table"', '"idle(grep) +"'))
    assert [item[3] for item in said(bench)["benchctl.toml"]] == ["outer", "of_a_table"]


def test_what_is_wrong_with_the_projects_values_has_its_line(bench, monkeypatch, capsys):
    monkeypatch.chdir(bench)
    (bench / "benchctl.toml").write_text(
        '[values]\na = "count"\nb = "count +"\n"c(x)" = { sql = "select 1" }\n'
    )
    assert exit_code(["verify-claims"]) == 2
    err = capsys.readouterr().err
    assert "benchctl.toml:3: the value `b`: it ends too early" in err
    assert "benchctl.toml:4: the value `c`: its SQL does not say $x" in err


def test_a_project_whose_file_is_gone_has_its_names_without_places(bench):
    from benchctl.claims.values.project_names import project_names

    found = Project.find(bench)
    (bench / "benchctl.toml").unlink()
    assert {str(value.where) for value in project_names(found).values()} == {"benchctl.toml:1"}
