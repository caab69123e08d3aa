import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.errors import RunIdInvalidError
from benchctl.schema.names import RUN_ID, check_run_id, path_safe


@pytest.mark.parametrize("run_id", ["r9", "coding-v1-r8", "2026-08", "A", "a.b_c-d", "x" * 100])
def test_a_usable_run_id_is_returned_as_it_is(run_id):
    assert check_run_id(run_id) == run_id


@pytest.mark.parametrize(
    "run_id",
    [
        "",
        ".",  # a folder's own name
        "..",  # its parent's
        "-r9",  # would read as an option
        "a/b",
        "a b",
        "r9\n",  # `$` of a regular expression would let it pass
        "x" * 101,
        "räv",
    ],
)
def test_an_unusable_run_id_is_refused(run_id):
    with pytest.raises(RunIdInvalidError):
        check_run_id(run_id)


@given(st.text(min_size=1), st.text(min_size=1))
def test_path_safe_is_injective_and_never_leaves_its_folder(one, other):
    assert (path_safe(one) == path_safe(other)) == (one == other)
    assert "/" not in path_safe(one)
    assert path_safe(one) not in {".", ".."}


@given(st.from_regex(RUN_ID, fullmatch=True))
def test_path_safe_leaves_a_name_alone(name):
    assert path_safe(name) == name
