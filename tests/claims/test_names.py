"""A page has one name, whichever way it is named: its pins, its limit and the file beside it are found by that."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from benchctl.claims.files import MOST_BYTES, files_beside, find_pages, named_really, read_page, shown_path
from benchctl.claims.verify import verify_pages
from benchctl.errors import PageUnreadableError
from benchctl.store.project import Project

PAGE = "<!-- benchctl: run=r9 -->\n\n96<!--= count --> cells\n"


@pytest.fixture
def bench(project, tmp_path, monkeypatch):
    """A project in `p`, of the runs r7 to r9, with a page and folders that lead back to it."""
    root = tmp_path / "p"
    (root / "site").mkdir(parents=True)
    (root / "data").symlink_to(project.data)
    (root / "benchctl.toml").write_text("")
    (root / "a.md").write_text(PAGE)
    (root / "site/ln").symlink_to("..")
    (tmp_path / "link").symlink_to("p")
    monkeypatch.chdir(root / "site")
    return Project.find(root)


WAYS = [
    "../a.md",
    "../site/../a.md",
    "ln/a.md",
    "ln/site/ln/a.md",
    "{root}/a.md",
    "{root}/site/../a.md",
    "{link}/a.md",
]


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_a_page_leads_to_its_pins_and_its_limit(bench, tmp_path, way):
    file = Path(way.format(root=bench.root, link=tmp_path / "link"))
    assert shown_path(bench, file) == shown_path(replace(bench, root=tmp_path / "link"), file) == "a.md"
    lock = {"schema": "benchctl.lock/1", "pages": {"a.md": {"r9": "sha256:0"}}, "unbound": {"a.md": 1}}
    (bench.root / "claims.lock").write_text(json.dumps(lock))
    (bench.root / "a.claims.toml").write_text("max_unbound = 2\n")
    (page,) = verify_pages(bench, [file]).pages
    assert {item.slug for item in page.findings if item.severity == "error"} == {
        "data-moved",
        "ratchet-raised",
    }


def test_a_page_that_is_a_link_keeps_its_own_name(bench):
    (bench.root / "b.md").symlink_to("a.md")
    assert shown_path(bench, Path("../b.md")) == "b.md"


def test_a_limit_in_benchctl_toml_holds_by_every_name(bench):
    (bench.root / "a.md").write_text(f"{PAGE}\n12 things, 13 others\n")
    (bench.root / "benchctl.toml").write_text(
        '[claims.max_unbound]\n"site/ln/a.md" = 3\n"./a.md" = 2\n"\\u0000" = 1\n'
    )
    project = Project.find(bench.root)
    assert named_really(project).config.claims.max_unbound == {"a.md": 2, "\0": 1}
    assert verify_pages(project, [Path("../a.md")]).ok


def test_a_page_outside_is_named_from_the_project_and_has_its_own_file_beside_it(
    bench, tmp_path, monkeypatch
):
    """A folder of the same relative name elsewhere is no matter."""
    for folder, value in (("pages", "count * 2"), ("p/site/pages", "count"), ("p/pages", "count")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "o.md").write_text(PAGE.replace("= count", "= v"))
        (tmp_path / folder / "o.claims.toml").write_text(f'[values]\nv = "{value}"\n')
    for way in ("../../pages/o.md", str(tmp_path / "pages/o.md")):
        (page,) = verify_pages(bench, [Path(way)]).pages
        assert (page.path, [item.slug for item in page.findings]) == ("../pages/o.md", ["number-false"])
    monkeypatch.chdir(tmp_path)
    (page,) = verify_pages(bench, [Path("pages/o.md")]).pages
    assert (page.path, page.ok) == ("../pages/o.md", False)


def test_a_file_beside_a_page_of_the_longest_name_is_looked_for_in_vain(bench):
    assert files_beside(bench, "n" * 252 + ".md") == ()


class TestNoFile:
    """What is waited for or never ends is no page, and nothing beside one."""

    def test_a_pipe_a_device_and_a_giant_are_no_pages(self, bench):
        os.mkfifo(bench.root / "pipe.md")
        (bench.root / "zero.md").symlink_to("/dev/zero")
        with (bench.root / "giant.md").open("wb") as file:
            file.truncate(MOST_BYTES + 1)
        for name, what in (
            ("pipe", "not a regular"),
            ("zero", "not a regular"),
            ("giant", "67,108,864 bytes"),
        ):
            with pytest.raises(PageUnreadableError, match=what):
                read_page(bench.root / f"{name}.md")
        assert (
            len(find_pages(bench, [bench.root])) == 4
        )  # a folder's pages are reported, also where they are none

    @pytest.mark.parametrize("make", [os.mkfifo, lambda file: file.symlink_to("/dev/zero")])
    def test_nor_beside_one(self, bench, make):
        make(bench.root / "a.claims.toml")
        (page,) = verify_pages(bench, [bench.root / "a.md"]).pages
        assert [item.message for item in page.findings] == [
            "a.claims.toml: cannot be read: not a regular file"
        ]

    def test_a_link_to_a_file_stays_one(self, bench):
        (bench.root / "a.md").write_text(PAGE.replace("= count", "= v"))
        (bench.root / "values.toml").write_text('[values]\nv = "count"\n')
        (bench.root / "a.claims.toml").symlink_to("values.toml")
        assert verify_pages(bench, [bench.root / "a.md"]).ok
