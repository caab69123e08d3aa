import time

import pytest

from benchctl.workspace import host
from benchctl.workspace.host import HostFacts, HostWatch


def later(monkeypatch, before, after, pressure=(None, None)):
    """Return what a watch says whose clocks read (wall, boot time, monotonic) first `before`, then `after`."""
    readings = iter([before, after])
    waits = iter([*[pressure[0]] * 3, *[pressure[1]] * 3])
    monkeypatch.setattr(host, "_clocks", lambda: next(readings))
    monkeypatch.setattr(host, "_pressure", lambda _: next(waits))
    return HostWatch().facts()


@pytest.mark.parametrize(
    ("after", "suspended_s", "clock_drift_s"),
    [
        ((110.0, 510.0, 310.0), 0.0, 0.0),
        ((3710.0, 4110.0, 310.0), 3600.0, 0.0),  # an hour of sleep is no drift
        ((-3490.0, 510.0, 310.0), 0.0, -3600.0),  # a clock set back by an hour
        ((3710.0, 510.0, 310.0), 0.0, 3600.0),
        ((110.0004, 510.0, 310.0002), 0.0, 0.0),  # read one after the other
        ((10.0, 4110.0, 310.0), 3600.0, -3700.0),  # both at once
    ],
)
def test_sleep_and_drift_are_told_apart(monkeypatch, after, suspended_s, clock_drift_s):
    facts = later(monkeypatch, (100.0, 500.0, 300.0), after)
    assert (facts.suspended_s, facts.clock_drift_s) == (suspended_s, pytest.approx(clock_drift_s, abs=0.001))


def test_pressure_is_a_difference(monkeypatch):
    facts = later(monkeypatch, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), pressure=(7.5, 9.0))
    assert (facts.stalled_cpu_s, facts.stalled_io_s, facts.stalled_memory_s) == (1.5, 1.5, 1.5)


def test_pressure_is_none_where_the_kernel_does_not_tell(monkeypatch):
    monkeypatch.setattr(host.os, "open", lambda *_: (_ for _ in ()).throw(FileNotFoundError()))
    facts = HostWatch().facts()
    assert (facts.stalled_cpu_s, facts.stalled_io_s, facts.stalled_memory_s) == (None, None, None)


def test_without_a_boot_clock_sleep_is_unknown(monkeypatch):
    monkeypatch.delattr(time, "CLOCK_BOOTTIME", raising=False)
    facts = HostWatch().facts()
    assert facts.suspended_s is None
    assert facts.clock_drift_s == pytest.approx(0.0, abs=1.0)


def test_the_facts_of_this_machine_are_numbers_or_none():
    facts = HostWatch().facts()
    assert isinstance(facts, HostFacts)
    assert facts.clock_drift_s is not None
