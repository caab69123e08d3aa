import pytest
from correctable import SUITE

from benchctl.runner.grade import grade_answer, trees_in
from benchctl.schema.suite import parse_suite

QUESTIONS = {question.id: question for question in parse_suite(SUITE, "suite.toml").questions}
TREE = "/tmp/benchctl-abcd_123/cell-wxyz_789/tree"
SPACED = "/tmp/my files/benchctl-abcd_123/cell-wxyz_789/tree"


@pytest.mark.parametrize(
    ("answer", "trees"),
    [
        (None, ()),
        ("", ()),
        ('["a.py::one"]', ()),
        (f'["{TREE}/a.py::one", "b.py::two"]', (TREE,)),
        (f"It stands in `{TREE}/src/b.py`.", (TREE,)),
        (f"({TREE}/a.py,{TREE}/b.py)", (TREE,)),  # twice is once
        (f'["{SPACED}/a.py::one"]', (SPACED, "files/benchctl-abcd_123/cell-wxyz_789/tree")),  # a folder with a space
        (f"{TREE}", ()),  # the tree itself is no path in it
        (f"{TREE}s/a.py", ()),
        ("/tmp/benchctl-abcd_12/cell-wxyz_789/tree/a.py", ()),  # a name that no cell has
        ("/tmp/benchctl-ABCD_123/cell-wxyz_789/tree/a.py", ()),
        ('["/benchctl-abcd_123/cell-wxyz_789/tree/a.py"]', ("/benchctl-abcd_123/cell-wxyz_789/tree",)),
        ("x" * 100_000 + f" {TREE}/a.py", (TREE,)),
        ("[1, null, [2]]", ()),
    ],
)  # fmt: skip
def test_the_trees_of_cells_that_an_answer_names(answer, trees):
    assert trees_in(answer) == trees


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("callers", f'["{TREE}/a.py::one", "./a.py::two"]'),
        ("callers", f'["{SPACED}/a.py::one", "a.py::two"]'),
        ("where", f"{TREE}/src/b.py"),
        ("where", f"`{TREE}/src/b.py:12`"),
    ],
)
def test_an_answer_is_graded_years_later_as_it_was_graded_then(question, answer):
    items = {"callers": ("a.py::one", "a.py::two"), "where": ("src/b.py",)}[question]
    tree = SPACED if SPACED in answer else TREE
    then = grade_answer(QUESTIONS[question], items, answer, (tree,))
    assert grade_answer(QUESTIONS[question], items, answer, trees_in(answer)) == then
    assert then.score == 1.0


@pytest.mark.parametrize(
    ("question", "items", "score"), [("callers", ("a", "b"), 1.0), ("words", ("a", "zz"), 0.5)]
)
def test_the_items_go_where_the_grader_looks_for_them(question, items, score):
    assert grade_answer(QUESTIONS[question], items, '["a", "b"]', ()).score == score


def test_a_long_word_costs_no_more_than_it_is_long():
    assert trees_in("/a" * 1_000_000) == ()


def test_the_pattern_is_that_of_the_folders_that_cells_get(tmp_path):
    import tempfile
    from types import SimpleNamespace

    from benchctl.workspace.cells import cell_root, fresh_cell

    base = SimpleNamespace(root=tmp_path, folders=(), files=(), layered=False, check=lambda: None)
    with pytest.MonkeyPatch.context() as patch, cell_root() as root, fresh_cell(base, root) as folder:
        patch.setattr(tempfile, "tempdir", None)
        assert trees_in(f'["{folder.tree}/a.py::one"]') == (str(folder.tree),)
