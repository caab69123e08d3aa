"""Which entry of a column is wrong: only what a reading says that fits nearly all of it, and hardly by accident."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.quantities.majority import Odd, Trial, odd_ones

FIT, WEAK, OFF = Trial(fits=True, chance=0.01), Trial(fits=True, chance=0.9), Trial(fits=False, chance=1.0)


@pytest.mark.parametrize(
    ("readings", "expected"),
    [
        ({}, None),
        ({"a": [None, None]}, None),  # nothing can be tried
        ({"a": [FIT, FIT, FIT]}, None),  # nothing is wrong
        ({"a": [FIT, FIT, OFF]}, Odd("a", (2,))),
        ({"a": [FIT, OFF]}, Odd("a", (1,))),  # one strong fit against one
        ({"a": [WEAK, OFF]}, None),  # it fits by accident as well
        ({"a": [WEAK, WEAK, OFF]}, None),
        ({"a": [OFF, OFF, OFF]}, None),  # computed from something else
        ({"a": [FIT, OFF, OFF]}, None),  # more against it than for it
        ({"a": [FIT, FIT, FIT, OFF, OFF]}, None),  # too many for a slip
        ({"a": [*[FIT] * 8, OFF, OFF]}, Odd("a", (8, 9))),
        ({"a": [FIT, FIT, OFF], "b": [OFF, OFF, OFF]}, Odd("a", (2,))),
        ({"a": [FIT, FIT, OFF], "b": [FIT, FIT, FIT]}, None),  # another reading explains them all
        ({"a": [FIT, FIT, OFF], "b": [OFF, FIT, FIT]}, None),  # two readings blame two rows
        ({"a": [FIT, FIT, FIT, OFF], "b": [None, None, None, FIT]}, Odd("a", (3,))),  # tried on too little
        ({"a": [FIT, FIT, FIT, OFF], "b": [None, None, FIT, FIT]}, None),
        ({"a": [None, FIT, OFF, FIT]}, Odd("a", (2,))),
        ({"a": [*[FIT] * 50, *[OFF] * 9]}, None),  # nine wrong rows are another column
        ({"a": [*[FIT] * 50, *[OFF] * 8]}, Odd("a", tuple(range(50, 58)))),
    ],
)
def test_the_odd_rows_of_a_column(readings, expected):
    assert odd_ones(readings) == expected


def test_many_readings_make_an_accident_likely():
    readings = {"a": [Trial(fits=True, chance=0.1), Trial(fits=True, chance=0.1), OFF]}
    assert odd_ones(readings) == Odd("a", (2,))
    assert odd_ones(readings | {index: [OFF] * 3 for index in range(10)}) is None


TRIALS = st.lists(st.one_of(st.none(), st.builds(Trial, st.booleans(), st.floats(0, 1))), max_size=12)


@given(st.dictionaries(st.integers(0, 5), TRIALS, max_size=4))
def test_a_verdict_names_rows_that_its_reading_does_not_fit(readings):
    odd = odd_ones(readings)
    if odd:
        assert odd.rows
        assert all(trial and not trial.fits for trial in (readings[odd.reading][row] for row in odd.rows))


@given(st.dictionaries(st.integers(0, 5), TRIALS, max_size=4), st.integers(1, 12))
def test_a_reading_that_fits_every_row_silences_all_others(readings, size):
    rows = max([size, *(len(trials) for trials in readings.values())])
    assert odd_ones({**readings, "true": [FIT] * rows}) is None


def test_a_generator_is_read_no_further_than_needed():
    def endless():
        while True:
            yield OFF

    assert odd_ones({"a": endless()}) is None
