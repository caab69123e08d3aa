import pytest

from benchctl.errors import ProjectInvalidError, ProjectNotFoundError, SuiteInvalidError, SuiteNotFoundError
from benchctl.store.project import Project

SUITE = """schema = 1
name = "s1"
title = "S"
canary = "benchctl-canary-00000000-0000-4000-8000-000000000000"
[repos.a]
kind = "package"
distribution = "click"
[arms.grep]
title = "grep"
[agents.rg]
argv = ["true"]
[[questions]]
id = "q1"
repo = "a"
class = "callers"
prompt = "?"
gold.items = ["x"]
"""


@pytest.fixture
def root(tmp_path):
    (tmp_path / "benchctl.toml").write_text('title = "T"\n')
    folder = tmp_path / "data" / "suites" / "s1"
    folder.mkdir(parents=True)
    (folder / "suite.toml").write_text(SUITE)
    return tmp_path


def test_a_project_is_found_from_any_folder_below_it(root):
    below = root / "a" / "b"
    below.mkdir(parents=True)
    project = Project.find(below)
    assert (project.root, project.config.title) == (root, "T")
    assert (project.data, project.runs_dir, project.suites_dir) == (
        root / "data",
        root / "data" / "runs",
        root / "data" / "suites",
    )
    assert project.store.path == root / "data"


def test_the_store_stands_where_the_file_says(root):
    (root / "benchctl.toml").write_text('store = "elsewhere"\n')
    assert Project.find(root).runs_dir == root / "elsewhere" / "runs"


def test_no_project_is_its_own_error(tmp_path):
    with pytest.raises(ProjectNotFoundError, match="--project"):
        Project.find(tmp_path)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"title =", "not TOML"),
        (b'titel = "x"', "titel"),
        (b"title = '\xff'", "not UTF-8: invalid start byte at byte 10"),
    ],
)
def test_an_unreadable_project_file_names_the_file(root, content, says):
    (root / "benchctl.toml").write_bytes(content)
    with pytest.raises(ProjectInvalidError) as error:
        Project.find(root)
    assert says in str(error.value)
    assert str(root / "benchctl.toml") in str(error.value)


def test_a_suite_is_named_by_its_name_its_file_or_its_folder(root):
    project = Project.find(root)
    file = root / "data" / "suites" / "s1" / "suite.toml"
    for name in ("s1", file, str(file), file.parent):
        suite, path = project.read_suite(name)
        assert (suite.name, path) == ("s1", file)
    assert project.suite_names() == ("s1",)


def test_a_suite_elsewhere_is_read_by_its_path(root, tmp_path_factory):
    away = tmp_path_factory.mktemp("away") / "other.toml"
    away.write_text(SUITE)
    assert Project.find(root).read_suite(away)[1] == away


def test_an_unknown_suite_lists_the_ones_there_are(root):
    with pytest.raises(SuiteNotFoundError, match="one of: s1"):
        Project.find(root).suite_file("s2")


def test_without_any_suite_none_is_listed(tmp_path):
    (tmp_path / "benchctl.toml").write_text("")
    with pytest.raises(SuiteNotFoundError, match="one of: none"):
        Project.find(tmp_path).suite_file("s2")


def test_a_suite_that_cannot_be_read_is_an_error_at_its_file(root):
    file = root / "data" / "suites" / "s1" / "suite.toml"
    file.write_bytes(b"\xff")
    with pytest.raises(SuiteInvalidError, match="not UTF-8"):
        Project.find(root).read_suite("s1")
    file.write_bytes(b"a = 1\n\nb = '\xe9'\n")
    with pytest.raises(SuiteInvalidError) as caught:
        Project.find(root).read_suite("s1")
    assert caught.value.where.line == 3


def test_a_byte_order_mark_is_no_part_of_a_suite(root):
    file = root / "data" / "suites" / "s1" / "suite.toml"
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert Project.find(root).read_suite("s1")[0].name == "s1"


def test_a_file_that_may_not_be_read_says_so(root, monkeypatch):
    def refuse(*_args, **_more):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.read_text", refuse)
    with pytest.raises(ProjectInvalidError, match="cannot be read: Permission denied"):
        Project.find(root)
