import base64
import csv
import hashlib
import importlib.metadata
from pathlib import Path

import pytest

from benchctl.errors import CorpusChangedError, PreflightRefusedError
from benchctl.schema.suite import Repo
from benchctl.workspace.corpus import resolve_corpus


def recorded(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


class Installed:
    """A distribution `toy` in a site-packages of its own."""

    def __init__(self, site):
        self.site = site
        self.info = site / "toy-1.2.dist-info"
        self.info.mkdir(parents=True)
        (self.info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy\nVersion: 1.2\n")
        self.rows = [("toy-1.2.dist-info/METADATA", "", ""), ("../../../bin/toy", recorded(b""), "0")]
        for path, data in (
            ("toy/__init__.py", b"one = 1\n"),
            ("toy/deep/more.py", b""),
            ("toy_single.py", b"x"),
        ):
            self.add(path, data)
        self.add("toy/__pycache__/x.pyc", b"compiled", digest="")
        (site / "toy" / "not_recorded.py").write_text("somebody put this here")

    def add(self, path, data, digest=None):
        place = self.site / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        self.rows.append((path, recorded(data) if digest is None else digest, str(len(data))))
        self.write_record()

    def write_record(self):
        with (self.info / "RECORD").open("w", newline="") as file:
            csv.writer(file).writerows(self.rows)


@pytest.fixture
def toy(tmp_path, monkeypatch):
    site = tmp_path / "lib" / "site-packages"
    monkeypatch.syspath_prepend(str(site))
    return Installed(site)


def resolved(**options):
    return resolve_corpus("toy", Repo(kind="package", distribution="toy", **options), Path())


def paths(corpus):
    return [file.path for file in corpus.files]


@pytest.mark.usefixtures("toy")
def test_the_corpus_is_the_recorded_source_of_the_import_packages():
    corpus = resolved()
    assert paths(corpus) == ["toy/__init__.py", "toy/deep/more.py", "toy_single.py"]
    assert (corpus.version, corpus.bytes, corpus.unmatched) == ("1.2", 9, ())
    assert [(file.path, data) for file, data in corpus.contents()] == [
        ("toy/__init__.py", b"one = 1\n"),
        ("toy/deep/more.py", b""),
        ("toy_single.py", b"x"),
    ]


@pytest.mark.usefixtures("toy")
def test_globs_choose_and_a_pattern_without_a_file_is_said():
    corpus = resolved(include=("toy/**",), exclude=("toy/deep/**", "toy/dep/**"))
    assert paths(corpus) == ["toy/__init__.py"]
    assert corpus.unmatched == ("toy/dep/**",)


def test_the_digest_is_of_paths_and_contents_and_not_of_the_installers_modes(toy):
    before = resolved().tree_digest
    (toy.site / "toy_single.py").chmod(0o755)
    assert resolved().tree_digest == before
    assert resolved(exclude=("toy_single.py",)).tree_digest != before
    assert resolved(digest=before).tree_digest == before
    with pytest.raises(CorpusChangedError, match="has the tree digest"):
        resolved(digest="sha256:" + "0" * 64)


def test_an_altered_file_is_named(toy):
    (toy.site / "toy" / "deep" / "more.py").write_bytes(b"altered")
    with pytest.raises(CorpusChangedError, match=r"toy/deep/more\.py is not the file"):
        resolved()
    resolved(exclude=("toy/deep/**",))  # what is not asked about does not matter


def test_a_missing_file_is_named(toy):
    (toy.site / "toy" / "deep" / "more.py").unlink()
    with pytest.raises(CorpusChangedError, match=r"toy/deep/more\.py of toy cannot be read"):
        resolved()


def test_a_file_that_changes_after_it_was_resolved_is_noticed(toy):
    corpus = resolved()
    (toy.site / "toy_single.py").write_bytes(b"y")
    with pytest.raises(CorpusChangedError, match=r"toy_single\.py changed"):
        list(corpus.contents())


def test_a_file_without_a_digest_is_refused(toy):
    toy.add("toy/unpinned.py", b"", digest="")
    with pytest.raises(CorpusChangedError, match=r"toy/unpinned\.py has no sha256"):
        resolved()


def test_a_file_that_leads_outside_is_refused(toy, tmp_path):
    (tmp_path / "outside.py").write_bytes(b"x")
    (toy.site / "toy_single.py").unlink()
    (toy.site / "toy_single.py").symlink_to(tmp_path / "outside.py")
    with pytest.raises(CorpusChangedError, match="lies outside"):
        resolved()


def test_a_path_that_climbs_is_refused(toy):
    toy.rows.append(("toy/../../up.py", recorded(b""), "0"))
    toy.write_record()
    with pytest.raises(CorpusChangedError, match="cannot be written safely"):
        resolved()


def test_an_editable_install_is_refused(toy):
    (toy.info / "direct_url.json").write_text('{"url": "file:///x", "dir_info": {"editable": true}}')
    with pytest.raises(CorpusChangedError, match="editable"):
        resolved()


def test_an_install_from_a_local_wheel_is_not_editable(toy):
    (toy.info / "direct_url.json").write_text('{"url": "file:///x.whl", "archive_info": {}}')
    assert resolved().version == "1.2"


def test_an_install_without_a_record_is_refused(toy):
    (toy.info / "RECORD").unlink()
    with pytest.raises(CorpusChangedError, match="without a RECORD"):
        resolved()


@pytest.mark.usefixtures("toy")
def test_another_version_than_the_suites_is_refused():
    assert resolved(version="1.2").version == "1.2"
    with pytest.raises(CorpusChangedError, match=r"installed in version 1\.2") as caught:
        resolved(version="1.3")
    assert caught.value.expected == "1.3"


def test_a_distribution_that_is_not_installed_is_refused():
    repo = Repo(kind="package", distribution="benchctl-no-such-distribution")
    with pytest.raises(PreflightRefusedError, match="not installed"):
        resolve_corpus("x", repo, Path())


@pytest.mark.usefixtures("toy")
def test_an_empty_tree_is_refused():
    with pytest.raises(PreflightRefusedError, match="no file after include and exclude"):
        resolved(include=("nothing/**",))


@pytest.mark.parametrize("name", ["click", "jinja2", "mkdocs", "gitpython"])
def test_the_default_suites_corpora_are_what_their_records_say(name):
    corpus = resolve_corpus(name, Repo(kind="package", distribution=name), Path())
    assert corpus.version == importlib.metadata.version(name)
    assert any(file.path.endswith("/__init__.py") for file in corpus.files)
    assert not any(".dist-info" in file.path or file.path.endswith(".pyc") for file in corpus.files)
