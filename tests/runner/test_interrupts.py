from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from benchctl.runner.interrupts import Interrupts


def send(number=signal.SIGINT):
    os.kill(os.getpid(), number)


@pytest.fixture
def interrupts():
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    with Interrupts() as interrupts:
        yield interrupts
    assert {number: signal.getsignal(number) for number in before} == before, "the old handlers come back"


@pytest.mark.usefixtures("interrupts")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_interrupts_at_once_where_nothing_is_held(number):
    with pytest.raises(KeyboardInterrupt):
        send(number)


def test_a_hangup_that_is_ignored_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup leaves it
    try:
        with Interrupts():
            send(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_signal_waits_for_the_end_of_what_is_held(interrupts):
    reached = []
    with pytest.raises(KeyboardInterrupt), interrupts.held():  # noqa: PT012 - the block's end is what raises
        send()
        reached.append("written")
    assert reached == ["written"]


def test_a_second_signal_does_not_wait(interrupts):
    with pytest.raises(KeyboardInterrupt), interrupts.held():  # noqa: PT012
        send()
        send()
        pytest.fail("the second one must have ended this")


def test_after_a_second_one_a_third_ends_the_process_where_it_stands(interrupts):
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            send()
    assert signal.getsignal(signal.SIGINT) == signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    with interrupts.held():
        pass  # nothing waits any more: both have been heard


BURST = """
import os, signal
from benchctl.runner.interrupts import Interrupts
numbers = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
with Interrupts() as interrupts:
    signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    for number in numbers:
        os.kill(os.getpid(), number)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, numbers)
"""


def test_of_three_that_come_together_the_third_is_not_complained_of():
    done = subprocess.run([sys.executable, "-c", BURST], capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
    assert done.stderr.rstrip().endswith("KeyboardInterrupt")
    assert "race condition" not in done.stderr


def test_what_else_cannot_be_raised_is_told_as_ever(interrupts, monkeypatch):
    told = []
    monkeypatch.setattr(interrupts, "_unraisable", told.append)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            send()

    class Broken:
        def __del__(self):
            raise ValueError("lost")

    Broken()
    assert [str(each.exc_value) for each in told] == ["lost"]


def test_a_second_one_is_heard_while_the_first_is_being_written_down(interrupts):
    with pytest.raises(KeyboardInterrupt), interrupts.held():  # noqa: PT012
        with pytest.raises(KeyboardInterrupt), interrupts.released():
            send()
        send(signal.SIGTERM)
        pytest.fail("twice ends at once")


def test_a_signal_that_waited_interrupts_what_may_be_interrupted(interrupts):
    with interrupts.held():
        send()
        with pytest.raises(KeyboardInterrupt), interrupts.released():
            pytest.fail("must not start")
        # It has been heard: what follows inside `held` is done in peace, and nothing is raised twice.


def test_inside_released_a_signal_interrupts_and_what_follows_is_held_again(interrupts):
    with interrupts.held():
        with pytest.raises(KeyboardInterrupt), interrupts.released():
            send()
        reached = True
    assert reached
