"""Which pages a change can have made untrue: all of those, and no others."""

import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from benchctl.claims.changed import changes_since, changes_told
from benchctl.claims.files import shown_path
from benchctl.claims.verify import verify_pages
from benchctl.errors import ChangesUnknownError, PageUnreadableError
from benchctl.store.project import Project
from benchctl.workspace.git_changes import differing, merge_base, work_tree

PAGES = {"README.md": "r1", "site/a.md": "r1", "site/b.md": "r2", "site/deep/c.md": "r10"}


def git(root, *words):
    return subprocess.run(
        ["git", "-c", "user.name=n", "-c", "user.email=e", "-C", str(root), *words],
        check=True, capture_output=True, text=True, env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull},
    ).stdout.strip()  # fmt: skip


def write(root, path, text):
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def commit(root, what="more"):
    git(root, "add", "-A")
    git(root, "commit", "-qm", what)


def lock(**pages):
    return json.dumps({"schema": "benchctl.lock/1", "pages": pages})


@pytest.fixture(params=["", "bench"], ids=["whole", "subfolder"])
def project(request, tmp_path):
    """A project that is a repository, or a folder of one, on a branch that left main one commit ago."""
    root = tmp_path / request.param
    write(root, "benchctl.toml", "")
    write(root, "claims.lock", lock(**{page: {run: "sha256:0"} for page, run in PAGES.items()}))
    for page, run in PAGES.items():
        write(root, page, f"---\nbenchctl:\n  run: {run}\n---\n\nText.\n")
    for run in ("r1", "r2", "r10"):
        write(root, f"data/runs/{run}/manifest.json", "{}")
    write(tmp_path, "elsewhere.txt", "")
    git(tmp_path, "init", "-q", "-b", "main")
    commit(tmp_path)
    git(tmp_path, "checkout", "-qb", "work")
    return Project.find(root)


def affected(project, base="main"):
    files = [project.root / page for page in PAGES if (project.root / page).exists()]
    found = changes_since(project, base).affected(project, files)
    return [file.relative_to(project.root).as_posix() for file in found]


EDITS = [
    # the file, its new text (None: removed), the pages it affects
    ("site/a.md", "other", ["site/a.md"]),
    ("site/a.claims.toml", "", ["site/a.md"]),
    ("site/a.md.claims.toml", "", ["site/a.md"]),
    ("site/deep/c.claims.toml", "", ["site/deep/c.md"]),
    ("data/runs/r2/grades/x.parquet", "x", ["site/b.md"]),
    ("data/runs/r2/manifest.json", None, ["site/b.md"]),
    ("data/runs/r1/manifest.json", "{ }", ["README.md", "site/a.md", "site/deep/c.md"]),  # r10 begins like r1
    ("data/runs/unknown/manifest.json", "{}", []),
    ("benchctl.toml", "title = 'x'", list(PAGES)),
    ("templates/page.md.j2", "x", list(PAGES)),
    (".gitattributes", "*.md ident", list(PAGES)),  # what a checkout writes of an unchanged page
    ("claims.lock", lock(**{page: {run: "sha256:0"} for page, run in PAGES.items()} | {"site/b.md": {"r2": "sha256:1"}}), ["site/b.md"]),
    ("claims.lock", None, list(PAGES)),
    ("claims.lock", "no lock", list(PAGES)),
    ("claims.lock", json.dumps({"schema": "benchctl.lock/1", "pages": {p: {r: "sha256:0"} for p, r in PAGES.items()}, "unbound": {"site/a.md": 3}}), ["README.md", "site/a.md", "site/b.md", "site/deep/c.md"]),
    ("site/deep/.gitattributes", "*.md ident", ["site/deep/c.md"]),
    ("lib/.gitattributes", "*.md ident", []),
    ("notes.txt", "x", []),
    ("site/b.md", None, ["README.md", "site/a.md", "site/deep/c.md"]),  # what it alone used is used by none now
    ("data/suites/s/suite.toml", "x", []),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "pages"), EDITS, ids=lambda value: str(value)[:30])
@pytest.mark.parametrize("how", ["committed", "staged", "edited"])
def test_an_edit_affects_the_pages_it_can_have_made_untrue(project, path, text, pages, how):
    if text is None:
        (project.root / path).unlink()
    else:
        write(project.root, path, text)
    if how != "edited":
        git(project.root, "add", "-A")
    if how == "committed":
        git(project.root, "commit", "-qm", "edit")
    assert affected(project) == pages


def test_nothing_changed_affects_nothing(project):
    assert affected(project) == affected(project, "HEAD") == []


def test_what_changed_on_the_base_meanwhile_is_no_change_of_ours(project):
    git(project.root, "checkout", "-q", "main")
    write(project.root, "site/b.md", "changed on main")
    commit(project.root)
    git(project.root, "checkout", "-q", "work")
    write(project.root, "site/a.md", "changed here")
    commit(project.root)
    assert affected(project) == ["site/a.md"]


def test_what_was_undone_in_the_work_tree_is_no_change(project):
    before = (project.root / "site/a.md").read_text()
    write(project.root, "site/a.md", "other")
    git(project.root, "add", "-A")
    write(project.root, "site/a.md", before)
    assert affected(project) == []


def test_a_renamed_page_is_affected(project):
    git(project.root, "mv", "site/a.md", "site/new.md")
    files = [project.root / "site/new.md"]
    assert changes_since(project, "main").affected(project, files) == tuple(files)


def test_values_that_moved_away_affect_the_page_they_left(project):
    write(project.root, "site/a.claims.toml", "x = 1\n" * 20)
    commit(project.root)
    git(project.root, "mv", "site/a.claims.toml", "site/z.claims.toml")
    assert affected(project, "HEAD") == ["site/a.md"]


def test_an_ignored_file_that_the_base_does_not_have_is_a_change(project):
    write(project.root, ".gitignore", "*.claims.toml\nr3\n")
    commit(project.root)
    git(project.root, "checkout", "-q", "-B", "main")
    git(project.root, "checkout", "-q", "work")
    write(project.root, "site/a.claims.toml", "")
    assert affected(project) == ["site/a.md"]


def test_names_of_every_kind_are_read(project):
    for name in ('site/a "b"\t\n.md', "site/ü.md", "site/-x.md"):
        write(project.root, name, "x")
    (project.root / "site" / os.fsdecode(b"\xff.md")).write_text("x")
    files = sorted((project.root / "site").glob("*.md"))
    assert set(changes_since(project, "main").affected(project, files)) == set(files) - {
        project.root / "site/a.md",
        project.root / "site/b.md",
    }


def test_a_page_behind_a_link_changes_with_what_it_leads_to(project):
    write(project.root, "texts/d.md", "d")
    (project.root / "site/d.md").symlink_to("../texts/d.md")
    commit(project.root)
    write(project.root, "texts/d.md", "e")
    page = project.root / "site/d.md"
    assert changes_since(project, "HEAD").affected(project, [page]) == (page,)


def link(root, path, target):
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).unlink(missing_ok=True)
    (root / path).symlink_to(target)


LINKS = [
    # what there is at the base, what is done then, the pages that it affects (None: all)
    ({"site/a.claims.toml": "../x/mid", "x/mid": "one.toml"}, lambda root: link(root, "x/mid", "two.toml"), ["site/a.md"]),
    ({"site/a.claims.toml": "../x/mid", "x/mid": "one.toml"}, lambda root: write(root, "x/one.toml", "y = 1"), ["site/a.md"]),
    ({"benchctl.toml": "x/mid", "x/mid": "one.toml"}, lambda root: link(root, "x/mid", "two.toml"), None),
    ({"templates": "x/mid", "x/mid": "styles"}, lambda root: link(root, "x/mid", "other"), None),
    ({"templates": "x/mid", "x/mid": "styles"}, lambda root: write(root, "x/styles/page.md.j2", "more"), None),
    ({"data/runs/r2": "../../x/mid", "x/mid": "r2a"}, lambda root: link(root, "x/mid", "r2b"), ["site/b.md"]),
    ({"data/runs/r2": "../../x/mid", "x/mid": "r2a"}, lambda root: write(root, "x/r2a/deep/rows", "1"), ["site/b.md"]),
    ({"data/runs/r2": "../../x/mid", "x/mid": "r2a"}, lambda root: write(root, "x/r2b/rows", "1"), []),
    ({"data/runs/r2/rows": "../../../x/mid", "x/mid": "rows"}, lambda root: write(root, "x/rows/cells", "1"), ["site/b.md"]),
    ({"data/runs/r2/rows": "../../../x/mid", "x/mid": "rows"}, lambda root: link(root, "x/mid", "r2b"), ["site/b.md"]),
    ({"data/runs/r2/rows": "../../../x/rows", "x/rows/c": "../deep/c"}, lambda root: write(root, "x/deep/c", "1"), ["site/b.md"]),
    ({"data": "x/mid", "x/mid": "store"}, lambda root: link(root, "x/mid", "r2b"), None),
    ({"data/runs": "../x/mid", "x/mid": "store"}, lambda root: link(root, "x/mid", "nowhere"), None),
    ({"site/deep": "../x/mid", "x/mid": "texts"}, lambda root: link(root, "x/mid", "others"), ["x/others/c.md"]),
    ({"data/runs/r2/up": "../../..", "x/loop": "loop"}, lambda root: link(root, "x/loop", "other"), ["site/b.md"]),
    ({"site/a.claims.toml": "b.claims.toml", "site/b.claims.toml": "a.claims.toml"}, lambda root: write(root, "x/z", ""), []),
    ({}, lambda root: link(root, "site/a.claims.toml", "../x/one.toml"), ["site/a.md"]),
    ({}, lambda root: link(root, "data/runs/r2/rows", "../../../x"), ["site/b.md"]),
]  # fmt: skip


@pytest.mark.parametrize("project", ["bench"], ids=["subfolder"], indirect=True)
@pytest.mark.parametrize(("base", "change", "pages"), LINKS)
def test_every_link_on_the_way_is_one_of_the_files(project, base, change, pages):
    root = project.root
    for path in (
        "one.toml",
        "two.toml",
        "styles/page.md.j2",
        "r2a/manifest.json",
        "r2b/rows",
        "rows/cells",
        "deep/c",
        "store/runs/r1/a",
    ):
        write(root, f"x/{path}", "")
    for page in ("texts/c.md", "others/c.md"):
        write(root, f"x/{page}", "---\nbenchctl:\n  run: r10\n---\n\nText.\n")
    for path, target in base.items():
        if (root / path).is_dir():
            shutil.rmtree(root / path)
        link(root, path, target)
    commit(root)
    files = [root / page for page in PAGES]
    assert changes_since(project, "HEAD").affected(project, files) == ()
    change(root)
    found = changes_since(project, "HEAD")
    assert [shown_path(project, page) for page in found.affected(project, files)] == (
        [shown_path(project, page) for page in files] if pages is None else pages
    )
    if "site/a.claims.toml" in base and pages:
        assert found.untrusted(project, files) == {"site/a.claims.toml"}
    if "benchctl.toml" in base:
        assert found.untrusted(project, files) == {"benchctl.toml"}


def test_a_page_in_a_folder_that_is_a_new_link(project):
    link(project.root, "site/new", "deep")
    page = project.root / "site/new/c.md"
    assert changes_since(project, "main").affected(project, [page]) == (page,)
    assert changes_since(project, "main").affected(project, [project.root / "site/deep/c.md"]) == ()


def test_a_link_out_of_the_repository_is_not_walked(project, tmp_path_factory, monkeypatch):
    outside = tmp_path_factory.mktemp("outside")
    link(project.root, "data/runs/r2/out", outside)
    commit(project.root)
    walked, scan = [], os.scandir
    monkeypatch.setattr(os, "scandir", lambda folder: [walked.append(str(folder)), scan(folder)][1])
    assert affected(project, "HEAD") == []
    assert str(outside) not in walked
    assert any(folder.endswith("r2") for folder in walked)


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_what_git_was_told_not_to_look_at_counts_as_changed(project, flag):
    git(project.root, "update-index", flag, "site/a.md", "site/b.md")
    (project.root / "site/b.md").unlink()
    write(project.root, "site/a.md", "other")
    assert affected(project) == ["site/a.md"]


def test_the_lock_of_the_base_is_read_through_its_links(project):
    lock = {"schema": "benchctl.lock/1", "pages": {}, "unbound": {"site/a.md": 3, "site/b.md": True}}
    write(project.root, "locks/real", json.dumps(lock))
    link(project.root, "locks/mid", "real")
    link(project.root, "claims.lock", "locks/mid")
    commit(project.root)
    assert changes_since(project, "HEAD").allowed_before == {"site/a.md": 3}
    link(project.root, "claims.lock", "claims.lock")
    commit(project.root)
    assert changes_since(project, "HEAD").allowed_before == {}
    link(project.root, "claims.lock", "/etc/passwd")
    commit(project.root)
    assert changes_since(project, "HEAD").allowed_before == {}


@pytest.mark.parametrize(
    ("now", "message"),
    [
        ({}, "claims.lock: this page was allowed 1 unbound number, and no limit is left there"),
        ({"unbound": {"site/a.md": 2}}, "claims.lock: this page was allowed 1 unbound number, and it is 2"),
        ({"unbound": {"site/a.md": 1}}, None),
        ({"unbound": {"site/a.md": 0}}, "site/a.claims.toml:1: max_unbound is 1, and 0 was accepted"),
    ],
)
def test_a_limit_that_the_lock_loses_or_raises_is_found(project, now, message):
    whole = {"schema": "benchctl.lock/1", "pages": {}}
    write(project.root, "claims.lock", json.dumps({**whole, "unbound": {"site/a.md": 1}}))
    write(project.root, "site/a.claims.toml", "max_unbound = 1\n")
    commit(project.root)
    write(project.root, "claims.lock", json.dumps({**whole, **now}))
    write(project.root, "site/a.md", "---\nbenchctl:\n  run: r1\n---\n\n12 things.\n")
    (page,) = verify_pages(
        project, [project.root / "site/a.md"], changes=changes_since(project, "HEAD")
    ).pages
    assert [item.message for item in page.findings if item.slug == "ratchet-raised"] == (
        [message] if message else []
    )


def test_a_named_page_that_is_not_there_is_no_page_that_is_passed_over(project):
    changes = changes_since(project, "main")
    with pytest.raises(PageUnreadableError, match="No such file"):
        verify_pages(project, [project.root / "nosuch.md"], changes=changes)
    report = verify_pages(project, [project.root / "nosuch.md", project.root / "README.md"], changes=None)
    assert not report.ok
    with pytest.raises(PageUnreadableError, match="No such file"):
        verify_pages(project, [project.root / "nosuch.md", project.root / "README.md"], changes=changes)


def test_a_page_in_a_repository_inside_this_one_is_always_affected(project):
    write(project.root, "site/inner/e.md", "e")
    git(project.root / "site/inner", "init", "-q")
    commit(project.root / "site/inner")
    page = project.root / "site/inner/e.md"
    assert changes_since(project, "main").affected(project, [page]) == (page,)
    git(project.root, "add", "-A")
    git(project.root, "commit", "-qm", "as a submodule")
    write(project.root, ".gitmodules", '[submodule "x"]\n\tpath = site/inner\n\turl = x\n\tignore = all\n')
    commit(project.root)
    assert changes_since(project, "main").affected(project, [page]) == (page,)


def test_a_change_is_not_trusted_and_the_rest_is(project):
    write(project.root, "site/a.claims.toml", "")
    write(project.root, "benchctl.toml", "title = 'x'")
    changes = changes_since(project, "main")
    pages = [project.root / page for page in PAGES]
    assert changes.untrusted(project, pages) == {"benchctl.toml", "site/a.claims.toml"}
    told = changes_told([project.root / "site/a.claims.toml"])
    assert told.untrusted(project, pages) is None
    assert told.affected(project, pages) == (project.root / "site/a.md",)


def test_a_store_behind_a_url_has_no_files_here(project):
    write(project.root, "data/runs/r2/manifest.json", "{ }")
    remote = replace(project, config=project.config.model_copy(update={"store": "s3://bucket/prefix"}))
    assert changes_since(remote, "main").affected(remote, [project.root / "site/b.md"]) == ()


def test_a_run_named_by_an_escape_of_yaml_is_no_way_round(project):
    write(project.root, "site/b.md", '---\nbenchctl:\n  run: "r\\x32"\n---\n')
    commit(project.root)
    write(project.root, "data/runs/r2/manifest.json", "{ }")
    assert affected(project, "HEAD") == ["site/b.md"]


BASES = [
    # what is named, what the error says, what to do
    ("--output=x", "names no commit", None),
    ("-h", "names no commit", None),
    ("", "names no commit", None),
    ("a\nb", "names no commit", None),
    ("nowhere", "no commit nowhere in this clone", "git fetch"),
    ("main:README.md", "no commit", "git fetch"),
    ("main..work", "no commit", "git fetch"),
]


@pytest.mark.parametrize(("base", "what", "next_step"), BASES)
def test_a_base_that_is_none_is_refused(project, base, what, next_step):
    with pytest.raises(ChangesUnknownError, match=what) as caught:
        changes_since(project, base)
    assert (next_step or "") in (caught.value.next_step or "")
    assert not (project.root / "x").exists()


def test_a_branch_that_only_the_remote_has_is_named_in_full(project, tmp_path):
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--branch", "work", str(work_tree(project.root)), str(clone))
    with pytest.raises(ChangesUnknownError) as caught:
        merge_base(clone, "main")
    assert caught.value.next_step == "name it `origin/main`"
    assert merge_base(clone, "origin/main") == git(clone, "rev-parse", "HEAD")


@pytest.mark.parametrize("base", ["main~1", "origin/main~1"])
def test_a_clone_without_the_base_says_how_to_get_it(project, tmp_path, base):
    commit_twice(project.root)
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{work_tree(project.root)}", str(shallow))
    with pytest.raises(ChangesUnknownError) as caught:
        merge_base(shallow, base)
    assert "fetch-depth: 0" in caught.value.next_step
    git(shallow, "fetch", "-q", "--depth=1", "origin", "main:main")
    with pytest.raises(ChangesUnknownError, match="shares no commit") as caught:
        merge_base(shallow, "main")
    assert "fetch-depth: 0" in caught.value.next_step


def commit_twice(root):
    for text in ("1", "2"):
        write(root, "site/b.md", text)
        commit(root)


def test_without_git_nothing_is_known(tmp_path):
    with pytest.raises(ChangesUnknownError, match="no git work tree"):
        work_tree(tmp_path)


def test_a_repository_cannot_make_git_run_or_hide_anything(project, tmp_path):
    """Hooks, monitors, text converters and external diffs of a local configuration stay unused."""
    top = work_tree(project.root)
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\ncat\n")
    trap.chmod(0o755)
    for name, value in {
        "core.fsmonitor": str(trap), "diff.external": str(trap), "diff.x.textconv": str(trap), "diff.relative": "true",
        "diff.ignoreSubmodules": "all", "core.hooksPath": str(tmp_path),
    }.items():  # fmt: skip
        git(top, "config", name, value)
    (top / ".git/info/attributes").write_text("*.md diff=x\n")
    write(project.root, "site/a.md", "other")
    assert affected(project) == ["site/a.md"]
    assert not (tmp_path / "sprung").exists()


def test_the_callers_git_variables_change_nothing(project, monkeypatch, tmp_path):
    write(project.root, "site/a.md", "other")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path))
    assert affected(project) == ["site/a.md"]


def test_a_commit_that_is_gone_is_an_error(project):
    with pytest.raises(ChangesUnknownError, match="cannot compare"):
        differing(work_tree(project.root), "0" * 40)


def test_where_nothing_is_affected_the_report_says_how_many_were_passed_over(project):
    report = verify_pages(project, changes=changes_since(project, "main"))
    assert report.ok
    assert report.pages == ()
    assert report.notes[0] == "no page is affected by what changed since main: 4 pages passed over"


def test_only_affected_pages_are_checked_and_named_ones_narrow_them(project):
    write(project.root, "site/a.md", "---\nbenchctl:\n  run: r9\n---\n\n3 things.\n")
    write(project.root, "site/b.md", "no declaration")
    changes = changes_since(project, "main")
    report = verify_pages(project, changes=changes)
    assert [page.path for page in report.pages] == ["site/a.md"]
    assert report.undeclared == ("site/b.md",)
    assert report.notes[0] == "2 pages affected by what changed since main: 2 pages passed over"
    only = verify_pages(project, [project.root / "site/b.md", project.root / "README.md"], changes=changes)
    assert [(page.path, [item.slug for item in page.findings]) for page in only.pages] == [
        ("site/b.md", ["page-undeclared"])
    ]


def test_a_page_that_cannot_be_read_is_no_page_that_is_passed_over(project):
    Path(project.root / "site/a.md").write_bytes(b"\xff")
    commit(project.root)
    write(project.root, "data/runs/r1/manifest.json", "{ }")
    assert "site/a.md" in affected(project, "HEAD")


def test_a_page_that_is_gone_is_looked_at_as_a_whole_check_does(project):
    """Its pattern matches nothing now, and a name that it alone used is used by nobody: both are said of the base."""
    write(project.root, "benchctl.toml", '[claims]\npages = ["README.md", "site/**/*.md"]\n')
    commit(project.root)
    git(project.root, "branch", "-f", "main")
    (project.root / "README.md").unlink()
    found = Project.find(project.root)
    report = verify_pages(found, changes=changes_since(found, "main"))
    assert [
        (page.path, finding.slug)
        for page in report.pages
        for finding in page.findings
        if finding.slug == "glob-empty"
    ] == [("benchctl.toml", "glob-empty")]


def test_a_page_is_one_page_by_whatever_names_it_is_given(project):
    page = project.root / "README.md"
    others = [page, page.parent / "site" / ".." / "README.md", Path(os.path.relpath(page))]
    assert [report.path for report in verify_pages(project, others).pages] == ["README.md"]
