import pytest

from benchctl.workspace.globs import matches


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("**", "a", True),
        ("**", "a/b/c.py", True),
        ("a/**", "a/b/c.py", True),
        ("a/**", "ab/c.py", False),  # a folder's name is whole
        ("a/**", "a", False),  # everything below a, not a itself
        ("**/*.py", "c.py", True),  # ** may be no folder at all
        ("**/*.py", "a/b/c.py", True),
        ("a/**/c.py", "a/c.py", True),
        ("a/**/c.py", "a/x/y/c.py", True),
        ("*.py", "a/c.py", False),  # * stays inside its folder
        ("a/*.py", "a/c.py", True),
        ("a/?.py", "a/cc.py", False),
        ("a.py", "axpy", False),  # a dot is a dot
        ("a[b].py", "a[b].py", True),  # brackets are letters
        ("**", "a\nb", True),
    ],
)
def test_a_pattern_fits_or_not(pattern, path, fits):
    assert matches(path, pattern) is fits
