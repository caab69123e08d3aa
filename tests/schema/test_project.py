import pytest

from benchctl.errors import ProjectInvalidError
from benchctl.schema.project import parse_project


def test_an_empty_file_is_a_project_with_defaults():
    project = parse_project("", "benchctl.toml")
    assert project.store == "data"
    assert project.claims.pages == ("README.md", "site/**/*.md")


def test_values_are_text_or_a_table():
    project = parse_project(
        '[values]\na = "count"\n"b(x)" = { expr = "count[arm=$x]", unit = "cells" }\n', "f"
    )
    assert project.values["a"] == "count"
    assert project.values["b(x)"].unit == "cells"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("titel = 'x'", 1, "titel"),
        ("\n[claims]\napprox_pct = 90", 3, "less than or equal to 50"),
        ("[tables.arms]\ntitle='x'\nby=[]\ncolumns=[]", 3, "by"),
        ("[values]\na = 3", 2, "an expression in quotes, or a table"),
        ("[values]\na = {expr = 'count', sql = 'x'}", 2, "one of the two"),
        ("[values]\na = {note = 'count'}", 2, "one of the two"),
        ("[values]\na = {expr = 'count', kind = 'x'}", 2, "'count' or 'measure'"),
        ("[values]\na = {expr = 'count', units = 'x'}", 2, "values.a.units"),
        ("[claims]\npages = ['x.md', '']", 2, "a path or a pattern inside the project"),
        ("[claims]\npages = ['a/b**/*.md']", 2, "`**` stands for whole folders"),
        ("[claims.max_unbound]\n'x.md' = -1", 2, "claims.max_unbound.x.md"),
    ],
)
def test_a_mistake_is_named_with_its_line(text, line, words):
    with pytest.raises(ProjectInvalidError) as caught:
        parse_project(text, "benchctl.toml")
    assert words in str(caught.value)
    assert caught.value.where.line == line


def test_what_is_not_toml_is_said_with_its_file():
    with pytest.raises(ProjectInvalidError, match="not TOML"):
        parse_project("x = [", "benchctl.toml")
