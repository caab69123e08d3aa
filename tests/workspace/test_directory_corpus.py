import os

import pytest

from benchctl.errors import CorpusChangedError, PreflightRefusedError
from benchctl.schema.suite import Repo
from benchctl.workspace.corpus import resolve_corpus


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "folder"
    (root / "a").mkdir(parents=True)
    (root / "a" / "x.py").write_text("x")
    (root / "run").write_text("#!")
    (root / "run").chmod(0o755)
    (root / "link").symlink_to("a/x.py")
    (root / "linked").symlink_to("a")
    for place in (root / ".git", root / "a" / ".git"):
        place.mkdir()
        (place / "HEAD").write_text("ref")
    return root


def resolved(folder, **options):
    return resolve_corpus("it", Repo(kind="directory", source="folder", **options), folder.parent)


def test_every_file_and_link_is_in_it_and_no_history(folder):
    found = [(file.path, file.mode) for file in resolved(folder).files]
    assert found == [("a/x.py", "100644"), ("link", "120000"), ("linked", "120000"), ("run", "100755")]


def test_the_pinned_digest_is_held(folder):
    pinned = resolved(folder).tree_digest
    assert resolved(folder, digest=pinned).version is None
    (folder / "run").chmod(0o644)  # the executable bit is content
    with pytest.raises(CorpusChangedError, match="has the tree digest"):
        resolved(folder, digest=pinned)


def test_a_link_that_leaves_is_refused(folder):
    (folder / "out").symlink_to("..")
    with pytest.raises(CorpusChangedError, match="out leaves the tree"):
        resolved(folder)


def test_what_is_no_file_is_refused(folder):
    os.mkfifo(folder / "pipe")
    with pytest.raises(CorpusChangedError, match="neither a file nor"):
        resolved(folder)


def test_a_name_that_is_no_text_is_refused(folder):
    (folder / os.fsdecode(b"\xff.py")).write_text("x")
    with pytest.raises(CorpusChangedError, match="cannot be written safely"):
        resolved(folder)


def test_a_directory_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(PreflightRefusedError, match="no directory"):
        resolve_corpus("it", Repo(kind="directory", source="gone"), tmp_path)


@pytest.mark.parametrize("gone", ["x.py", None])
def test_a_file_that_vanishes_or_changes_is_noticed(folder, gone):
    corpus = resolved(folder)
    if gone:
        (folder / "a" / "x.py").unlink()
    else:
        (folder / "a" / "x.py").write_text("y")
    with pytest.raises(CorpusChangedError, match=r"x\.py"):
        list(corpus.contents())
