"""When two values are one."""

import pytest

from benchctl.expressions import same_value


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (48, 48.0, True),
        (0.1 + 0.2, 0.3, True),
        (77394.0, 77394.000000001, True),
        (0.0, 1e-12, True),  # what is left of a sum that comes to nothing
        (1e-6, 2e-6, False),
        (2e-8, 3e-8, False),  # dollars a token
        (48, 49, False),
        ("48", "48", True),
        ("48", 48, False),
        (True, True, True),
        (True, False, False),
        (None, None, True),
        (None, 0.0, False),
    ],
)
def test_values_are_one_but_for_the_order_of_a_sum(one, other, same):
    assert same_value(one, other) is same
    assert same_value(other, one) is same
