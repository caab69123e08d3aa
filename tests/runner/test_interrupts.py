from __future__ import annotations

import os
import signal

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
