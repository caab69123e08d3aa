"""One run that several `benchctl run --shard` collect: at once, killed and resumed, and on copies that are merged."""

import re
import shutil
import signal
from dataclasses import replace

import pytest

ONCE = (
    "select count(*) as cells, count(distinct cell) as distinct_cells, count(*) filter (outcome = 'ok') as ok,"
    " sum(attempts) as attempts from cells"
)
RUN = ("run", "tiny", "--run-id", "both", "--no-sandbox")


def ended(process, code=0):
    """Return what a process said on standard error until it ended."""
    _, errors = process.communicate(timeout=120)
    assert process.returncode == code, errors
    return errors


def ends(bench):
    return sum(event["event"] == "end" for event in bench.events("both"))


def test_two_shards_at_once_collect_each_cell_once_and_the_last_closes_the_run(bench):
    bench.write_slow(reps=10)
    shards = [bench.start(*RUN, "--shard", f"{part}/2") for part in (1, 2)]
    bench.wait_for(lambda: ends(bench) >= 2, *shards)
    shared = bench("status", "both").stderr
    assert "both is shared by the processes " in shared
    assert {str(each.pid) for each in shards} == set(re.findall(r"\d+", shared))
    said = [ended(each) for each in shards]
    assert sorted("done; " in each for each in said) == [False, True], "the first to end leaves the rest"
    assert sum("next  benchctl show both" in each for each in said) == 1, "the last one ends as any run does"
    assert bench.query(ONCE) == [{"cells": 20, "distinct_cells": 20, "ok": 20, "attempts": 20}]
    assert bench.status("both")["state"] == "done"
    bench("verify-store")
    assert "nothing to do" in bench(*RUN, "--shard", "2/2").stderr


def test_a_shard_that_is_killed_goes_on_beside_the_other(bench):
    """Whoever comes back ends what the dead one left, and nothing of the living one."""
    bench.write_slow(reps=10)
    one, other = (bench.start(*RUN, "--shard", f"{part}/2") for part in (1, 2))
    bench.wait_for(lambda: ends(bench) >= 2, one, other)
    one.send_signal(signal.SIGKILL)
    one.communicate()
    assert bench.status("both")["pids"] == [other.pid]
    said = [ended(each) for each in (bench.start(*RUN, "--shard", "1/2"), other)]
    assert sum("next  benchctl show both" in each for each in said) == 1
    (found,) = bench.query(ONCE)
    assert (found["cells"], found["distinct_cells"], found["ok"]) == (20, 20, 20)
    cut = bench.query("select cell, attempt from attempts where outcome = 'interrupted'")
    assert found["attempts"] == 20 + len(cut)
    assert len(cut) <= 1, "what the other was at was not disturbed"


def test_a_shard_without_the_others_leaves_the_rest_and_says_how_to_go_on(bench):
    bench.write(reps=5)
    done = bench(*RUN, "--shard", "1/3")
    assert "shard 1/3 done; 6 cells of the run are left to others" in done.stderr
    assert done.stdout == ""
    assert "`benchctl run tiny --no-sandbox --run-id both` continues it" in bench("status").stderr
    assert "shard 2/3 done; 3 cells" in bench(*RUN, "--shard", "2/3").stderr
    bench(*RUN)
    assert bench.query(ONCE) == [{"cells": 10, "distinct_cells": 10, "ok": 10, "attempts": 10}]


def test_more_shards_than_cells(bench):
    for part in (5, 1, 2, 3, 4):
        bench(*RUN, "--shard", f"{part}/5")
    assert bench.query(ONCE) == [{"cells": 4, "distinct_cells": 4, "ok": 4, "attempts": 4}]


def test_a_failed_cell_of_a_shard_fails_that_shard(bench):
    bench.write(agent="bad.py", source="raise SystemExit(1)\n", reps=1)
    for part, said in (("1/2", "of 1 cell 1 failed"), ("2/2", "of 2 cells 2 failed")):
        assert said in bench(*RUN, "--shard", part, code=1).stderr


def test_a_run_that_is_collected_alone_is_not_joined_and_a_shard_names_its_run(bench):
    bench.write_slow(reps=10)
    alone = bench.start(*RUN)
    bench.wait_for(lambda: ends(bench) >= 1, alone)
    assert "[run-busy]" in bench(*RUN, "--shard", "1/2", code=3).stderr
    alone.send_signal(signal.SIGINT)
    ended(alone, code=130)
    assert "--shard without --run-id" in bench("run", "tiny", "--shard", "1/2", code=2).stderr
    assert "is no shard" in bench(*RUN, "--shard", "3/2", code=2).stderr


def test_an_interrupted_shard_says_how_to_go_on(bench):
    bench.write_slow(reps=10)
    one = bench.start(*RUN, "--shard", "1/2")
    bench.wait_for(lambda: ends(bench) >= 1, one)
    one.send_signal(signal.SIGTERM)
    said = ended(one, code=130)
    assert "shard 1/2 of run both is interrupted" in said
    assert "of 10 cells are done" in said
    assert "next: benchctl run tiny --no-sandbox --shard 1/2 --run-id both" in said


def test_shards_collected_on_copies_of_the_started_run_are_merged(bench, tmp_path_factory):
    bench.write_slow(reps=4)
    first = bench.start(*RUN, "--shard", "1/2")
    bench.wait_for(lambda: ends(bench) >= 1, first)
    copy = replace(bench, root=tmp_path_factory.mktemp("copy") / "project")
    shutil.copytree(bench.root, copy.root)
    second = copy.start(*RUN, "--shard", "2/2")
    assert "cells of the run are left to others" in ended(first)
    assert "cells of the run are left to others" in ended(second)
    bench("merge", str(copy.root), "--close")
    assert bench.query(ONCE) == [{"cells": 8, "distinct_cells": 8, "ok": 8, "attempts": 8}]
    bench("verify-store")


@pytest.mark.parametrize(
    "options",
    [
        ("--only", "q-target", "--reps", "24", "--seed", "5"),
        ("--caps", "wall_s=30", "--caps", "output_bytes=2000000", "--reps", "12"),
    ],
)
def test_what_continues_a_stopped_run_is_the_command_that_began_it(bench, options):
    bench.write_slow(reps=2)
    begun = bench.start(*RUN, *options)
    bench.wait_for(lambda: ends(bench) >= 1, begun)
    begun.send_signal(signal.SIGKILL)
    begun.communicate()
    said = bench("status", "both").stderr
    hint = said[said.index("`benchctl ") + 1 : said.rindex("`")].split()
    bench.write(agent="slow.py", source="print('[]')\n")
    assert "[plan-differs]" in bench(*hint[1:], code=3).stderr, "it is another agent now"
    bench.write_slow(reps=2)
    going = bench.start(*hint[1:])
    bench.wait_for(lambda: len(list((bench.root / "data/runs/both/journal").glob("*.jsonl"))) > 1, going)
    going.send_signal(signal.SIGKILL)
    going.communicate()
