from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from benchctl.planning.order import Draw


def test_the_order_of_a_seed_never_changes():
    # Written down once. If this test fails, every recorded seed has lost its meaning: do not edit the list.
    assert Draw(20261101).shuffled(range(10)) == [2, 9, 5, 6, 8, 0, 4, 3, 1, 7]
    draw = Draw(0)
    assert [draw.shuffled("abcd"), draw.shuffled("abcd")] == [list("bacd"), list("cadb")]


@given(st.integers(), st.lists(st.integers(), max_size=30))
def test_shuffling_loses_nothing_and_repeats_itself(seed, items):
    drawn = Draw(seed).shuffled(items)
    assert sorted(drawn) == sorted(items)
    assert drawn == Draw(seed).shuffled(items)


def test_every_place_is_reached_about_equally_often():
    draw = Draw(1)
    counts = [[0] * 4 for _ in range(4)]
    for _ in range(4000):
        for place, item in enumerate(draw.shuffled(range(4))):
            counts[item][place] += 1
    # 4 sigma of a binomial with n=4000, p=1/4 is 110.
    assert all(abs(count - 1000) < 110 for row in counts for count in row)
