"""A shard is every N-th cell of the recorded order."""

import pytest
from small_run import plan

from benchctl.errors import OptionInvalidError
from benchctl.runner.shard import Shard


@pytest.mark.parametrize("parts", [1, 2, 3, 7])
def test_the_shards_of_a_run_are_all_its_cells_each_once(parts):
    cells = plan(7)
    taken = [cell.cell for part in range(parts) for cell in cells if Shard(part + 1, parts).takes(cell)]
    assert sorted(taken) == sorted(cell.cell for cell in cells)
    assert [cell.order for cell in cells if Shard(1, parts).takes(cell)] == list(range(0, 7, parts))


def test_a_shard_is_read_as_it_is_written():
    assert Shard.read("2/5") == Shard(2, 5)
    assert str(Shard(2, 5)) == "2/5"


@pytest.mark.parametrize(
    "text", ["", "1", "0/2", "3/2", "1/0", "-1/2", "1/2/3", " 1/2", "a/b", "1/1000000000"]
)
def test_what_is_no_shard_is_refused(text):
    with pytest.raises(OptionInvalidError, match=r"--shard: .* is no shard"):
        Shard.read(text)
