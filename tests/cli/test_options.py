from __future__ import annotations

import pytest

from benchctl.cli.options import caps_of, selection_of
from benchctl.errors import OptionInvalidError
from benchctl.schema.suite import Caps, Suite


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ((), None),
        (("a",), ("a",)),
        (("a,b", " c "), ("a", "b", "c")),
        (("a,,b,",), ("a", "b")),
        (("a,b", "a"), ("a", "b")),
    ],
)
def test_names_are_split_at_commas_and_gathered(given, names):
    assert selection_of((), given, (), (), practice=False).arms == names


def test_an_option_that_names_nothing_is_an_error():
    for place, option in enumerate(("--only", "--arms", "--agents", "--models")):
        given = [()] * 4
        given[place] = (",",)
        with pytest.raises(OptionInvalidError, match=f"{option} names nothing"):
            selection_of(*given, practice=False)


SUITE = Suite.model_construct(caps=Caps(wall_s=5, output_bytes=100))


@pytest.mark.parametrize(
    ("given", "caps"),
    [
        ((), Caps(wall_s=5, output_bytes=100)),
        (("wall_s=0.5",), Caps(wall_s=0.5, output_bytes=100)),
        (("wall_s=7,output_bytes=9",), Caps(wall_s=7, output_bytes=9)),
        (("wall_s=1", "wall_s=2"), Caps(wall_s=2, output_bytes=100)),
    ],
)
def test_caps_change_by_name(given, caps):
    assert caps_of(SUITE, given) == caps


@pytest.mark.parametrize(
    "given", ["wall", "wall=3", "wall_s", "wall_s=", "wall_s=0", "wall_s=x", "output_bytes=1.5", "="]
)
def test_a_cap_that_does_not_exist_or_has_no_value_is_an_error(given):
    with pytest.raises(OptionInvalidError, match="--caps"):
        caps_of(SUITE, (given,))
