"""A host that stood still: told from a slow agent, every time, wherever in a cell it happened."""

import os
import signal
import threading
import time

import pytest
from families import wait_for

from benchctl.workspace import stragglers
from benchctl.workspace.workers import Workers

pytestmark = pytest.mark.skipif(not stragglers.SUBREAPER, reason="this system has no child subreaper")
ENV = {"PATH": os.environ["PATH"]}
STALLS = int(os.environ.get("BENCHCTL_STALLS", "4"))


def stalled(root, argv, *, wall_s, stopped_s, after_s=0.2, whole=False, **options):
    """Run STALLS cells beside each other, stop their workers (and the cells, if `whole`) together; return the results."""
    results = [None] * STALLS
    with Workers() as crew:

        def work(n):
            results[n] = crew.run(argv, cwd=root, env=ENV, wall_s=wall_s, output_bytes=1 << 20, **options)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(STALLS)]
        for thread in threads:
            thread.start()

        def workers():
            found = stragglers._children(crew._nursery.pid) if crew._nursery else []
            return [pid for pid in found if stragglers._children(pid)]

        wait_for(lambda: len(workers()) == STALLS)
        time.sleep(after_s)
        stopped = workers()
        if whole:
            stopped += [child for pid in stopped for child in stragglers.descendants(pid)]
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        time.sleep(stopped_s)
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)
        for thread in threads:
            thread.join()
    return results


@pytest.mark.parametrize("whole", [False, True])  # the supervisor alone, or all that runs
@pytest.mark.parametrize(
    ("wall_s", "stopped_s", "after_s"),
    [
        (1.0, 3.0, 0.2),  # the cap falls into the stall, and the timer comes late
        (5.0, 2.5, 0.2),  # the cap is on time, long after the stall: only the gap tells
        (3.5, 2.6, 0.5),
    ],
)
def test_a_cap_that_fired_in_or_after_a_stall_is_the_hosts_fault(tmp_path, wall_s, stopped_s, after_s, whole):
    results = stalled(
        tmp_path, ["sleep", "60"], wall_s=wall_s, stopped_s=stopped_s, after_s=after_s, whole=whole
    )
    assert [result.outcome for result in results] == ["host_stalled"] * STALLS
    assert all(result.max_gap_s >= 2.0 and "stood still" in result.detail for result in results)
    assert all(result.cap == "wall_s" for result in results)


def test_a_short_pause_is_no_stall(tmp_path):
    results = stalled(tmp_path, ["sleep", "60"], wall_s=2.0, stopped_s=0.5)
    assert [result.outcome for result in results] == ["timeout"] * STALLS
    assert all(result.detail == "" for result in results)


def test_an_agent_that_gave_up_after_a_stall_is_not_blamed(tmp_path):
    argv = ["sh", "-c", "sleep 1; exit 1"]
    results = stalled(tmp_path, argv, wall_s=30.0, stopped_s=1.5, whole=True, stall_s=1.0)
    assert [result.outcome for result in results] == ["host_stalled"] * STALLS


def test_an_answer_that_came_in_spite_of_a_stall_is_kept_and_says_so(tmp_path):
    results = stalled(tmp_path, ["sh", "-c", "sleep 1; echo yes"], wall_s=30.0, stopped_s=1.5, stall_s=1.0)
    assert [(result.outcome, result.stdout.text) for result in results] == [("ok", "yes\n")] * STALLS
    assert all("stood still" in result.detail for result in results)
