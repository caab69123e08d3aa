"""A project's own templates win over the ones that came with the program."""

from __future__ import annotations

import jinja2
import pytest

from benchctl.report.templates import asset, environment, template_folders


def test_the_projects_folder_is_searched_first(tmp_path):
    assert len(template_folders(tmp_path)) == len(template_folders(None))
    (tmp_path / "templates" / "assets").mkdir(parents=True)
    (tmp_path / "templates" / "cell.html.j2").write_text("mine {{ x }}")
    (tmp_path / "templates" / "assets" / "benchctl.css").write_text("body {}")
    assert template_folders(tmp_path)[0] == tmp_path / "templates"
    assert environment(tmp_path).get_template("cell.html.j2").render(x="<b>") == "mine &lt;b&gt;"
    assert asset("benchctl.css", tmp_path) == "body {}"


def test_without_one_the_shipped_ones_are_there():
    env = environment(None)
    for name in ("run.html.j2", "runs.html.j2", "cell.html.j2", "standalone.html.j2"):
        env.get_template(name)
    for name in ("benchctl.css", "benchctl.js", "standalone.css"):
        assert asset(name, None)


def test_a_name_that_nobody_filled_in_is_an_error(tmp_path):
    with pytest.raises(jinja2.UndefinedError):
        environment(None).from_string("{{ absent }}").render()
    with pytest.raises(FileNotFoundError):
        asset("absent.css", tmp_path)
