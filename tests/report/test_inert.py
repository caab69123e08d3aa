"""No line that is printed is a command to the CI runner that reads it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.report.escaping import inert

CASES = [
    # what a page holds, what is printed
    ("::error::x", r"\u003a:error::x"),
    ("  \t::warning file=a::b", "  \t\\u003a:warning file=a::b"),
    ("\u2003::group::", "\u2003\\u003a:group::"),  # the runner trims every kind of space
    ("a\n::set-env name=x::y", "a\n\\u003a:set-env name=x::y"),
    ("a ##[stop-commands]b", r"a \u0023#[stop-commands]b"),
    ("##vso[task.complete]", r"\u0023#vso[task.complete]"),
    ("##teamcity[message]", r"\u0023#teamcity[message]"),
    ("###[x]", r"#\u0023#[x]"),
    # what is no command stays as it is
    ("std::vector", "std::vector"),
    ("a ::error::", "a ::error::"),
    ("## [2.0](x)", "## [2.0](x)"),
    ("### Title", "### Title"),
    (": a", ": a"),
]


@pytest.mark.parametrize(("text", "printed"), CASES)
def test_a_command_is_written_out(text, printed):
    assert inert(text) == printed


@given(
    st.lists(st.sampled_from(["::", "##[", "##", "[", "vso", "error", " ", "\n", ":", "#", "\u00a0"])).map(
        "".join
    )
)
def test_nothing_is_left_to_obey_and_a_second_time_changes_nothing(text):
    shown = inert(text)
    assert not any(line.lstrip().startswith("::") for line in shown.split("\n"))
    assert "##[" not in shown
    assert "##vso[" not in shown
    assert inert(shown) == shown
