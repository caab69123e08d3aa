"""An index is of the run's tree or of no use: built in a copy of it, or given with a proof."""

from __future__ import annotations

import hashlib
import json
import sys

import pytest

from benchctl.errors import BenchctlError
from benchctl.runner.coverage import IndexUnusableError, covered
from benchctl.runner.indexes import Indexes, index_digests
from benchctl.runner.trials import Trials
from benchctl.schema.suite import Arm, Index, parse_suite
from benchctl.workspace.corpus import resolve_corpus
from benchctl.workspace.sandbox import Sandbox, bwrap, none
from benchctl.workspace.tree import write_base

SUITE = """
schema = 1
name = "s"
title = "S"
canary = "benchctl-canary-11111111-2222-4333-8444-555555555555"
[repos.tree]
kind = "directory"
source = "tree"
exclude = ["key/**"]
[arms.a]
title = "A"
[agents.x]
argv = ["x"]
[[questions]]
id = "q"
repo = "tree"
class = "c"
prompt = "What?"
gold = { items = ["i"] }
evidence = ["notes.txt"]
"""

FILES = {"a.py": "one\n", "b/b.py": "two\n", "b/__init__.py": "", "notes.txt": "n\n", "key/answers.py": "k\n"}


@pytest.fixture
def place(tmp_path):
    for name, text in FILES.items():
        (tmp_path / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / name).write_text(text)
    return tmp_path


@pytest.fixture
def suite():
    return parse_suite(SUITE, "suite.toml")


@pytest.fixture
def corpus(place, suite):
    return resolve_corpus("tree", suite.repos["tree"], place)


def facts(place, value, name="facts.json"):
    folder = place / "index"
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(value if isinstance(value, str) else json.dumps(value))
    return folder


GIVEN = {"repo": "tree", "files": "index", "facts": "facts.json", "covers": "/files"}

# What a given index says of its files, and what is said of that: None where it will do.
COVERS = {
    "all that ends alike, and the evidence": (["a.py", "b/b.py", "notes.txt"], None),
    "an empty file as well": (["a.py", "b/b.py", "b/__init__.py", "notes.txt"], None),
    "with dots": (["./a.py", "b//b.py", "notes.txt"], None),
    "nulls between": (["a.py", None, "b/b.py", "notes.txt"], None),
    "an excluded file": (
        ["a.py", "b/b.py", "notes.txt", "key/answers.py"],
        "it covers key/answers.py, which the tree does not hold",
    ),
    "a file of another tree": (["a.py", "b/b.py", "notes.txt", "c.py"], "covers c.py"),
    "an absolute path": (["/home/me/a.py"], "covers /home/me/a.py"),
    "one file is missing": (["a.py", "notes.txt"], "it does not cover b/b.py of the tree"),
    "the evidence is missing": (["a.py", "b/b.py"], "it does not cover notes.txt of the tree"),
    "nothing": ([], "leads to no list of files"),
    "no names": ([1, 2], "leads to no list of files"),
    "no list": ("a.py", "it does not cover"),
}


@pytest.mark.parametrize("case", COVERS)
def test_a_given_index_covers_the_tree_and_nothing_else(place, suite, corpus, case):
    files, wrong = COVERS[case]
    folder = facts(place, {"files": files})
    index = Index(**GIVEN)
    if wrong is None:
        assert covered(suite, index, folder, corpus).files == len([path for path in files if path])
    else:
        with pytest.raises(IndexUnusableError, match=wrong):
            covered(suite, index, folder, corpus)


def test_the_suite_may_say_what_an_index_has_to_cover(place, suite, corpus):
    folder = facts(place, {"files": ["a.py"]})
    assert covered(suite, Index(**GIVEN, over=("*.py",)), folder, corpus).files == 1
    with pytest.raises(IndexUnusableError, match=r"b/__init__.py, b/b.py"):
        covered(suite, Index(**GIVEN, over=("**/*.py",)), folder, corpus)


def test_what_is_given_without_a_proof_is_refused(place, suite, corpus):
    folder = facts(place, {})
    with pytest.raises(IndexUnusableError, match="says nothing of the files it covers"):
        covered(suite, Index(repo="tree", files="index"), folder, corpus)


COMMITS = {
    "of the tree, as a whole": ("c1", {}, None),
    "of the tree, with an exclusion": (
        "c1",
        {"exclude": ("key/**",)},
        "holds files that the tree leaves out",
    ),
    "of another tree": ("c2", {}, "it was made at c2, and the tree is c1"),
    "no commit": (7, {}, "leads to no commit"),
}


@pytest.mark.parametrize("case", COMMITS)
def test_a_commit_is_a_proof_where_the_tree_is_that_commits_as_a_whole(place, suite, corpus, case):
    import dataclasses

    commit, fields, wrong = COMMITS[case]
    repo = suite.repos["tree"].model_copy(update={"kind": "git", "exclude": (), **fields})
    suite = suite.model_copy(update={"repos": {"tree": repo}})
    corpus = dataclasses.replace(corpus, version="c1")
    folder = facts(place, {"at": commit})
    index = Index(repo="tree", files="index", facts="facts.json", commit="/at")
    if wrong is None:
        assert covered(suite, index, folder, corpus).commit == "c1"
    else:
        with pytest.raises(IndexUnusableError, match=wrong):
            covered(suite, index, folder, corpus)


@pytest.mark.parametrize(
    ("text", "name", "wrong"),
    [
        ("{", "facts.json", "are no JSON"),
        ("[" * 100000, "facts.json", "are no JSON"),
        ("{}", "other.json", "cannot be read: No such file"),
        ("{}", "../suite.toml", "lie outside of it"),
    ],
)
def test_facts_that_cannot_be_read_are_said(place, suite, text, name, wrong):
    corpus, folder = resolve_corpus("tree", suite.repos["tree"], place), facts(place, text)
    with pytest.raises(IndexUnusableError, match=wrong):
        covered(suite, Index(**{**GIVEN, "facts": name}), folder, corpus)


BUILDER = """
import json, pathlib, sys
tree, index = map(pathlib.Path, sys.argv[1:3])
files = sorted(str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_file())
(index / "facts.json").write_text(json.dumps({"files": files, "paths": [str(tree) + "/" + name for name in files]}))
print(len(files))
"""


@pytest.fixture
def make(place, suite, corpus, request):
    root = place / "root"
    root.mkdir()
    wall = getattr(request, "param", Sandbox("none", none.wrap))
    base = write_base(corpus, place / "base")
    made = Indexes(suite, place, root / "indexes", Trials(wall, root), {"python": sys.executable})

    def go(*indexes, name="a"):
        arm = Arm(title="A", indexes={f"i{number}": index for number, index in enumerate(indexes)})
        return made.make(name, arm, corpora={"tree": corpus}, bases={"tree": base})

    go.made = made
    return go


def built(source=BUILDER, **more):
    return Index(repo="tree", argv=("{python}", "-I", "-S", "-c", source, "{tree}", "{index}"), **more)


@pytest.mark.parametrize("make", [Sandbox("none", none.wrap), Sandbox("bwrap", bwrap.wrap)], indirect=True)
def test_an_index_is_built_in_a_copy_of_the_tree(make, place):
    (record,), reason = make(built(facts="facts.json", covers="/files"))
    assert reason is None
    assert (record.built, record.files, record.covers) == (True, 1, 4)
    folder = make.made.folders["a", "tree"]
    assert (folder / "i0" / "facts.json").is_file()
    assert not any(path.name == "facts.json" for path in (place / "base").rglob("*"))


def test_paths_of_the_copy_that_it_was_built_in_are_paths_of_the_tree(make):
    (record,), reason = make(built(facts="facts.json", covers="/paths"))
    assert reason is None
    assert record.covers == 4


def test_two_arms_share_the_work_and_not_the_folder(make):
    once = "import os, sys; open(f'{sys.argv[2]}/x', 'w').write(os.urandom(8).hex())"
    (one,), _ = make(built(once), name="a")
    (two,), _ = make(built(once), name="b")
    assert one.digest == two.digest, "it was built once"
    assert make.made.folders["a", "tree"] != make.made.folders["b", "tree"]


# How a build goes wrong, and what is said.
BROKEN = {
    "it fails": (
        "import sys; sys.exit('no grammar')",
        {},
        r"ended with exit_nonzero \(exit status 1\): no grammar",
    ),
    "it takes too long": ("import time; time.sleep(60)", {"wall_s": 0.5}, "ended with timeout"),
    "it writes nothing": ("pass", {}, "it holds no file"),
    "it leaves a link": (
        "import os, sys; os.symlink('/etc/passwd', sys.argv[2] + '/x')",
        {},
        "x is a link or no file",
    ),
    "it leaves a pipe": ("import os, sys; os.mkfifo(sys.argv[2] + '/x')", {}, "x is a link or no file"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_build_that_goes_wrong_refuses_the_arm(make, case):
    import re

    source, more, wrong = BROKEN[case]
    records, reason = make(built(source, **more))
    assert records == ()
    assert re.search(f"its index i0 of tree is of no use: .*{wrong}", reason.why), reason.why


def test_a_given_index_is_copied_and_digested(make, place, suite):
    facts(place, {"files": ["a.py", "b/b.py", "notes.txt"]})
    (record,), reason = make(Index(**GIVEN))
    assert reason is None
    assert (record.built, record.covers) == (False, 3)
    arm = Arm(title="A", indexes={"i": Index(**GIVEN)})
    suite = suite.model_copy(update={"arms": {"a": arm}})
    assert index_digests(suite, place) == {("a", "i"): record.digest}


def test_an_index_of_a_repository_that_nobody_is_asked_about_is_left_alone(make):
    assert make(Index(repo="other", argv=("{python}", "{index}"))) == ((), None)


def test_an_index_with_a_link_is_no_file_of_the_suite(place, suite):
    from benchctl.planning.selection import Selection
    from benchctl.runner.suite_problems import check_suite

    facts(place, {})
    (place / "index" / "k").symlink_to("/etc/passwd")
    suite = suite.model_copy(update={"arms": {"a": Arm(title="A", indexes={"i": Index(**GIVEN)})}})
    file = place / "x.toml"
    file.write_text(SUITE)
    with pytest.raises(BenchctlError, match="the symbolic link k leads to no file"):
        check_suite(suite, file, Selection())


A, B, NOTES = (hashlib.sha256(FILES[name].encode()).hexdigest() for name in ("a.py", "b/b.py", "notes.txt"))

# What a given index says of its files' content, and what is said of that: None where it will do.
DIGESTS = {
    "those of the tree": ([A, f"sha256:{B.upper()}", NOTES], None),
    "another content": ([A, "0" * 64, NOTES], "made of another content of b/b.py"),
    "one too few": ([A, B], "no sha256 for each of the 3 files"),
    "no digest": ([A, B, 7], "no sha256 for each of the 3 files"),
    "of another kind": ([A, B, "d" * 40], "no sha256 for each of the 3 files"),
}


@pytest.mark.parametrize("case", DIGESTS)
def test_the_digests_that_an_index_tells_are_those_of_the_tree(place, suite, corpus, case):
    said, wrong = DIGESTS[case]
    folder = facts(place, {"files": ["a.py", "b/b.py", "notes.txt"], "sha256": said})
    index = Index(**GIVEN, digests="/sha256")
    if wrong is None:
        assert covered(suite, index, folder, corpus).files == 3
    else:
        with pytest.raises(IndexUnusableError, match=wrong):
            covered(suite, index, folder, corpus)


def test_facts_that_name_a_key_twice_say_two_things(place, suite, corpus):
    folder = facts(place, '{"files": ["secret.py"], "files": ["a.py", "b/b.py", "notes.txt"]}')
    with pytest.raises(IndexUnusableError, match="name 'files' twice"):
        covered(suite, Index(**GIVEN), folder, corpus)
