"""The difference that is kept of a cell: true, readable by git, bounded, and safe to take from a hostile tree."""

import hashlib
import os
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.schema.suite import Repo
from benchctl.workspace import changes as room
from benchctl.workspace.cells import cell_root, fresh_cell
from benchctl.workspace.corpus import resolve_corpus
from benchctl.workspace.found_file import found_file
from benchctl.workspace.git import git_environment
from benchctl.workspace.line_diff import hunks
from benchctl.workspace.tree import write_base

BEFORE, AFTER, LATIN = b"\0\1\2", b"\0\1\2\3", b"caf\xe9\n"


@pytest.fixture
def cell(tmp_path):
    source = tmp_path / "source"
    (source / "pkg").mkdir(parents=True)
    (source / "pkg" / "a.py").write_text("".join(f"line {number}\n" for number in range(40)))
    (source / "end").write_text("no line break")
    (source / "gone.txt").write_text("one\ntwo\n")
    (source / "empty").touch()
    (source / "bin").write_bytes(BEFORE)
    (source / "run.sh").write_text("#!/bin/sh\n")
    (source / "link").symlink_to("pkg/a.py")
    (source / 'od"d näme\t.txt').write_text("x\n")
    corpus = resolve_corpus("it", Repo(kind="directory", source="source"), tmp_path)
    with cell_root() as root, fresh_cell(write_base(corpus, root / "base"), root) as folder:
        yield folder


def applied(cell, diff, place):
    """Return what `git apply` makes of the base."""
    subprocess.run(["cp", "-a", cell._base.root, place], check=True)
    subprocess.run(["chmod", "-R", "u+w", place], check=True)
    subprocess.run(
        ["git", "apply", "--unsafe-paths", "--whitespace=nowarn", "-"],
        cwd=place,
        input=diff.encode("utf-8", "surrogateescape"),
        env=git_environment() | {"GIT_CEILING_DIRECTORIES": str(place.parent)},
        check=True,
    )
    return contents(place)


def contents(tree):
    return {
        path.relative_to(tree).as_posix(): (
            str(path.readlink())
            if path.is_symlink()
            else (path.read_bytes(), bool(path.stat().st_mode & 0o100))
        )
        for path in tree.rglob("*")
        if path.is_symlink() or path.is_file()
    }


def test_nothing_done_is_nothing_kept(cell):
    changes = cell.changes()
    assert changes.files == ()
    assert (changes.diff.text, changes.diff.total_bytes) == ("", 0)


def test_the_difference_is_a_patch_that_git_applies(cell, tmp_path):
    tree = cell.tree
    lines = (tree / "pkg" / "a.py").read_text().splitlines(keepends=True)
    lines[3] = "changed\r\n"
    lines[30:30] = ["added\n", "\n", "form\ffeed\n"]
    del lines[-1]
    (tree / "pkg" / "a.py").write_text("".join(lines))
    (tree / "end").write_text("no line break, but more")
    (tree / "gone.txt").unlink()
    (tree / "empty").write_text("not any more")
    (tree / "new").mkdir()
    (tree / "new" / "with space.txt").write_text("new\n")
    (tree / "new" / "nothing").touch()
    (tree / "run.sh").chmod(0o755)
    (tree / "link").unlink()
    (tree / "link").symlink_to("end")
    (tree / 'od"d näme\t.txt').write_text("y\n")
    changes = cell.changes()
    assert applied(cell, changes.diff.text, tmp_path / "applied") == contents(tree)
    assert len(changes.files) == 9
    assert changes.diff.dropped_bytes == 0


def test_a_file_that_becomes_a_link_and_a_link_that_becomes_a_file(cell, tmp_path):
    (cell.tree / "end").unlink()
    (cell.tree / "end").symlink_to("gone.txt")
    (cell.tree / "link").unlink()
    (cell.tree / "link").write_text("a file now\n")
    changes = cell.changes()
    assert changes.files == ("end", "link")
    assert applied(cell, changes.diff.text, tmp_path / "applied") == contents(cell.tree)


def test_a_difference_reads_as_everybody_knows_it(cell):
    (cell.tree / "pkg" / "a.py").write_text(
        "".join(f"line {number}\n" for number in range(40)).replace("line 20\n", "twenty\n")
    )
    assert cell.changes().diff.text == (
        "diff --git a/pkg/a.py b/pkg/a.py\n--- a/pkg/a.py\n+++ b/pkg/a.py\n@@ -18,7 +18,7 @@\n line 17\n line 18\n"
        " line 19\n-line 20\n+twenty\n line 21\n line 22\n line 23\n"
    )


def test_what_is_not_text_is_told_by_size_and_digest(cell):
    (cell.tree / "bin").write_bytes(AFTER)
    (cell.tree / "latin").write_bytes(LATIN)
    os.mkfifo(cell.tree / "pipe")
    changes = cell.changes()
    assert changes.files == ("bin", "latin", "pipe")
    assert changes.diff.text == (
        f"# bin: 100644 3 bytes sha256:{sha256(BEFORE)} -> 100644 4 bytes sha256:{sha256(AFTER)}\n"
        f"# latin: nothing -> 100644 5 bytes sha256:{sha256(LATIN)}\n"
        "# pipe: nothing -> fifo\n"
    )


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def test_a_name_that_is_no_utf_8_breaks_nothing(cell):
    (cell.tree / os.fsdecode(b"caf\xe9")).write_text("x\n")
    changes = cell.changes()
    assert changes.files == ("caf\udce9",)
    assert '"b/caf\\351"' in changes.diff.text


def test_what_is_kept_is_bounded_and_counted(cell):
    (cell.tree / "flood").write_text("line\n" * 100_000)
    changes = cell.changes(keep_bytes=10_000)
    assert changes.diff.total_bytes > 600_000
    assert len(changes.diff.text) < 11_000
    assert changes.diff.dropped_bytes == changes.diff.total_bytes - 10_000


def test_a_file_larger_than_any_text_is_not_read_whole(cell):
    with (cell.tree / "sparse").open("wb") as file:
        file.truncate(1 << 40)
    changes = cell.changes()
    assert changes.diff.text == f"# sparse: nothing -> 100644 {1 << 40} bytes\n"


def test_beyond_some_files_there_is_a_line_each(cell, monkeypatch):
    monkeypatch.setattr(room, "_MOST_FILES", 3)
    for number in range(6):
        (cell.tree / f"new{number}").write_text("x\n")
    changes = cell.changes()
    assert len(changes.files) == 6
    assert changes.diff.text.count("diff --git") == 3
    assert "# new5: nothing -> 100644 2 bytes\n" in changes.diff.text


def test_beyond_some_files_a_file_as_long_as_before_is_still_compared(cell, monkeypatch):
    monkeypatch.setattr(room, "_MOST_FILES", 0)
    (cell.tree / "end").write_text("no line break")
    (cell.tree / "gone.txt").write_text("one\ntwO\n")
    assert cell.changes().files == ("gone.txt",)


def test_no_link_is_followed_out_of_the_tree(cell, tmp_path):
    """Not even one that takes a folder's place between the walk and the reading."""
    secret = tmp_path / "outside"
    secret.mkdir()
    (secret / "a.py").write_text("the secret\n")
    (cell.tree / "pkg" / "a.py").unlink()
    (cell.tree / "pkg").rmdir()
    (cell.tree / "pkg").symlink_to(secret)
    (cell.tree / "key").symlink_to(secret / "a.py")
    changes = cell.changes()
    assert changes.files == ("key", "pkg", "pkg/a.py")
    assert "the secret" not in changes.diff.text
    assert found_file(cell.tree, "pkg/a.py") is None


def test_a_secret_is_taken_out_before_anything_is_kept(cell):
    class Redactor:
        def __init__(self):
            self.counts = {"KEY": 1}

        def feed(self, data):
            return data.replace(b"hunter2-hunter2", b"[KEY]")

        def close(self):
            return b""

    (cell.tree / "note").write_text("hunter2-hunter2\n")
    diff = cell.changes(redactor=Redactor()).diff
    assert "hunter2" not in diff.text
    assert "+[KEY]\n" in diff.text


LINES = st.lists(st.sampled_from(["a", "b", "c", "", "dd\r", "e\x0cf", "g\u2028h"]), max_size=30)
TEXTS = st.builds(lambda lines, end: "\n".join(lines) + "\n" * end, LINES, st.booleans())


def patched(before, lines):
    """Apply hunks by the book: an independent reader of what `hunks` writes."""
    old = before.split("\n")
    rest = [f"{line}\n" for line in old[:-1]] + ([old[-1]] if old[-1] else [])
    out, at = [], 0
    pieces = "".join(lines).split("\n")[:-1]
    while pieces:
        header = pieces.pop(0)
        start, count = (int(part) for part in header.split(" ")[1][1:].split(","))
        first = start - 1 if count else start
        out += rest[at:first]
        at, taken = first, 0
        while pieces and not pieces[0].startswith("@@"):
            line = pieces.pop(0)
            bare = bool(pieces) and pieces[0].startswith("\\")
            if bare:
                pieces.pop(0)
            content = line[1:] + ("" if bare else "\n")
            if line[0] in " -":
                assert rest[at] == content
                at, taken = at + 1, taken + 1
            if line[0] in " +":
                out.append(content)
        assert taken == count
    return "".join(out + rest[at:])


@given(TEXTS, TEXTS)
def test_hunks_turn_one_text_into_the_other(before, after):
    assert patched(before, list(hunks(before, after))) == after


@given(TEXTS, TEXTS)
def test_so_do_those_of_texts_that_are_too_long_to_be_compared(before, after):
    from benchctl.workspace import line_diff

    limit, line_diff._MOST_PAIRS = line_diff._MOST_PAIRS, 0
    try:
        assert patched(before, list(hunks(before, after))) == after
    finally:
        line_diff._MOST_PAIRS = limit


def test_equal_texts_have_no_hunk():
    assert list(hunks("a\n", "a\n")) == []
    assert list(hunks("", "")) == []


def test_an_empty_range_lies_after_the_line_before_it():
    assert list(hunks("", "a\n")) == ["@@ -0,0 +1,1 @@\n", "+a\n"]
    assert list(hunks("a\n", "")) == ["@@ -1,1 +0,0 @@\n", "-a\n"]
