import pytest

from benchctl.grading import path
from benchctl.grading.base import Key

KEY = Key(expected=("lib/a/b.py",), prefixes=("/cell/tree",))


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ("lib/a/b.py", 1.0),
        ("`./lib/a/b.py`", 1.0),
        ('"/lib/a/b.py"', 1.0),
        ("/cell/tree/lib/a/b.py", 1.0),
        ("src/lib/a/b.py", 1.0),  # at the end of a longer path
        ("lib/a/b.py:12", 1.0),
        ("lib/a/b.py:12:3.", 1.0),
        ("The file is lib/a/b.py", 1.0),  # a sentence names it as well as a bare path does
        ("It is in (lib/a/b.py), since v2.0 and 1.5.", 1.0),  # a version is no path
        ("lib/a/b.py, again lib/a/b.py", 1.0),
        ("other/b.py", 0.5),
        ("The file is other/b.py.", 0.5),
        ("other/c.py", 0.0),
        ("xlib/a/b.py", 0.5),  # not the path, only its name
        ("lib/a/b.py or lib/a/c.py", 0.5),  # two guesses are worth half
        ("other/b.py other/c.py", 0.25),
        ("no idea", 0.0),
        ("", 0.0),
        (None, 0.0),
    ],
)
def test_the_one_expected_path(answer, score):
    assert path.grade(KEY, answer).score == score


def test_a_name_without_extension_counts_where_it_is_expected():
    key = Key(expected=("bin/run", "Makefile"))
    assert path.grade(key, "see bin/run").score == 1.0
    assert path.grade(key, "the Makefile").score == 1.0  # any of the expected paths will do
    assert path.grade(key, "run").answered is False


def test_a_grade_says_which_paths_were_named():
    grade = path.grade(KEY, "x/b.py")
    assert [(fact.id, fact.state) for fact in grade.facts] == [("x/b.py", "extra"), ("lib/a/b.py", "missed")]
    assert grade.note == "its file name only; 1 path named"
    assert path.grade(KEY, "c.py").note == "not the expected path; 1 path named"
    assert path.grade(KEY, "lib/a/b.py").note == "the expected path; 1 path named"
    assert path.grade(KEY, "c.py d.py").note == "not the expected path; 2 paths named"
    assert path.grade(KEY, "hm").note == "no path named"
