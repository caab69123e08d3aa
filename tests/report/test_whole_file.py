"""A file is there whole as it was or whole as it is now, and nothing that waits beside it is written through."""

import os
import stat

import pytest

from benchctl.report import whole_file
from benchctl.report.whole_file import replace_file, rewrite_file


@pytest.fixture
def page(tmp_path):
    file = tmp_path / "site" / "page.md"
    file.parent.mkdir()
    file.write_bytes(b"old")
    return file


@pytest.mark.parametrize("write", [replace_file, rewrite_file])
def test_no_link_under_the_name_of_a_draft_is_written_through(page, tmp_path, monkeypatch, write):
    victim = tmp_path / "victim"
    victim.write_bytes(b"private")
    page.with_name(f".{page.name}.{os.getpid()}").symlink_to(victim)
    monkeypatch.setattr(whole_file.secrets, "token_hex", lambda _: "foreseen")
    page.with_name(".foreseen.part").symlink_to(victim)
    with pytest.raises(FileExistsError):
        write(page, b"new")
    assert (victim.read_bytes(), page.read_bytes()) == (b"private", b"old")
    monkeypatch.undo()
    write(page, b"new")
    assert (victim.read_bytes(), page.read_bytes(), page.is_symlink()) == (b"private", b"new", False)


@pytest.mark.parametrize("write", [replace_file, rewrite_file])
def test_the_longest_name_that_a_file_may_have_can_be_written(tmp_path, write):
    file = tmp_path / ("n" * 252 + ".md")
    file.touch()
    write(file, b"new")
    assert file.read_bytes() == b"new"


def test_one_behind_a_link_is_written_where_it_is_and_keeps_its_mode(page, tmp_path):
    real = tmp_path / "real" / "text.md"
    real.parent.mkdir()
    real.write_bytes(b"old")
    real.chmod(0o640)
    page.unlink()
    page.symlink_to(real)
    rewrite_file(page, b"new")
    assert page.is_symlink()
    assert (real.read_bytes(), stat.S_IMODE(real.stat().st_mode)) == (b"new", 0o640)
    assert [file.name for file in (*page.parent.iterdir(), *real.parent.iterdir())] == ["page.md", "text.md"]


def test_a_new_file_has_the_mode_of_any_other(tmp_path):
    other = tmp_path / "other"
    other.touch()
    replace_file(tmp_path / "a" / "b.svg", b"x")
    assert (tmp_path / "a" / "b.svg").stat().st_mode == other.stat().st_mode


def test_what_fails_leaves_nothing(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="directory"):
        replace_file(tmp_path / "folder", b"x")
    with pytest.raises(FileNotFoundError):
        rewrite_file(tmp_path / "nothing.md", b"x")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["folder"]
