"""claims.lock: read strictly, written where it is, and what it leaves out is said."""

import json
import os

import pytest

from benchctl.claims import lock as lock_file
from benchctl.claims.lock import Lock, read_lock, write_lock
from benchctl.claims.result import ClaimsReport, PageReport
from benchctl.claims.verify import accept, verify_pages
from benchctl.errors import LockInvalidError

PINS = {"a.md": {"r9": "sha256:0"}}
GOOD = json.dumps({"schema": "benchctl.lock/1", "pages": PINS})


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (f"<<<<<<< HEAD\n{GOOD}\n=======\n{GOOD}\n>>>>>>> other\n", "marks of a merge conflict"),
        ('{"schema": "benchctl.lock/1", "pages": {"a.md": {"r9": "x"}}, "pages": {}}', "'pages' is there twice"),
        ('{"schema": "benchctl.lock/1", "pages": {"a.md": {"r9": "x"}, "a.md": {}}}', "'a.md' is there twice"),
        ('{"schema": "benchctl.lock/1", "pages": {"a.md": {"r9": "x", "r9": "y"}}}', "'r9' is there twice"),
        ('{"schema": "benchctl.lock/1", "pages": {"\\ud800": {}}}', "half a character"),
        ("[" * 200_000, "nested too deeply"),
        (GOOD.encode("utf-16"), "cannot be read"),
        ("", "cannot be read"),
    ],
)  # fmt: skip
def test_what_is_no_lock_is_refused_with_a_way_out_that_works(tmp_path, text, what):
    file = tmp_path / "claims.lock"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    for work in (lambda: read_lock(tmp_path), lambda: write_lock(tmp_path, PINS)):
        with pytest.raises(LockInvalidError, match=what) as caught:
            work()
        assert "git checkout --theirs claims.lock" in caught.value.next_step
        assert "or delete it, and then" in caught.value.next_step
    file.unlink()
    write_lock(tmp_path, PINS)
    assert read_lock(tmp_path) == Lock(PINS)


def test_a_byte_order_mark_is_no_obstacle(tmp_path):
    (tmp_path / "claims.lock").write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert read_lock(tmp_path) == Lock(PINS)


def _pipe(file):
    os.mkfifo(file)


def _device(file):
    file.symlink_to("/dev/zero")


def _huge(file):
    with file.open("wb") as opened:
        opened.truncate(lock_file.MOST_BYTES + 1)


def _dangling(file):
    file.symlink_to("nowhere")


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (_pipe, "not a regular file"),
        (_device, "not a regular file"),
        (_huge, "more than 67,108,864 bytes"),
        (lambda file: file.mkdir(), "directory"),
        (_dangling, "a link that leads to nothing"),
    ],
)
def test_what_is_no_file_is_not_waited_for(tmp_path, make, what):
    make(tmp_path / "claims.lock")
    for work in (lambda: read_lock(tmp_path), lambda: write_lock(tmp_path, PINS)):
        with pytest.raises(LockInvalidError, match=what):
            work()


def test_a_lock_behind_a_link_stays_there(tmp_path):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared/the.lock").write_text(GOOD)
    (tmp_path / "claims.lock").symlink_to("shared/the.lock")
    write_lock(tmp_path, {"b.md": {"r9": "sha256:1"}})
    assert (tmp_path / "claims.lock").is_symlink()
    assert set(json.loads((tmp_path / "shared/the.lock").read_bytes())["pages"]) == {"a.md", "b.md"}


def test_a_page_whose_name_no_json_can_say_is_left_out(tmp_path):
    write_lock(tmp_path, {**PINS, os.fsdecode(b"\xff.md"): {"r9": "sha256:1"}}, {os.fsdecode(b"\xff.md"): 2})
    assert read_lock(tmp_path) == Lock(PINS)


class TestNotes:
    PAGE = "<!-- benchctl: run=r9 also=r8 -->\n\n96<!--= count --> and 96<!--= count@r8 --> cells\n"

    @pytest.fixture
    def notes(self, project, tmp_path):
        """Return a function from what the lock says of the page to the notes of a report on it."""
        from dataclasses import replace

        (tmp_path / "data").symlink_to(project.data)
        (tmp_path / "benchctl.toml").write_text("")
        (tmp_path / "a.md").write_text(self.PAGE)
        here = replace(project, root=tmp_path)
        report = verify_pages(here, [tmp_path / "a.md"])
        assert report.ok
        accept(here, report)
        whole = json.loads((tmp_path / "claims.lock").read_bytes())

        def said(change):
            pages = {"a.md": dict(whole["pages"]["a.md"])}
            change(pages)
            (tmp_path / "claims.lock").write_text(json.dumps({**whole, "pages": pages}))
            return verify_pages(here, [tmp_path / "a.md"]).notes

        return said

    def test_a_pin_left_out_is_said(self, notes):
        assert notes(len) == ()
        for change, what in (
            (lambda pages: pages["a.md"].pop("r8"), "runs that claims.lock does not pin for their page: a.md (r8);"),
            (lambda pages: pages["a.md"].clear(), "runs that claims.lock does not pin for their page: a.md (r8, r9);"),
            (lambda pages: pages.clear(), "not in claims.lock: a.md;"),
        ):  # fmt: skip
            (note,) = notes(change)
            assert note.startswith(what)


def test_a_run_that_cannot_be_pinned_is_no_note():
    from benchctl.claims.verify import _notes

    page = PageReport("a.md", "r9", None, {"r9": None}, 0, 0, 0, 0, 0, {}, ())
    assert _notes(Lock({"a.md": {}}), [page]) == ()
    assert ClaimsReport((page,)).pins == {"a.md": {}}
