"""How a run comes to be and how it goes on: its terms are written once, before the first cell, and held to ever after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchctl.errors import PlanDiffersError, RunClosedError, StoreExistsError, Where
from benchctl.store.disk.durable import create_once, unwritable
from benchctl.store.disk.record import read_record, record_bytes, refuse_other_suite
from benchctl.store.journals.fold import sweep_journal, sweep_unfinished_fold
from benchctl.store.journals.following import read_history, refuse_damage
from benchctl.store.journals.state import standing
from benchctl.store.writing.sweeping import sweep_addition

if TYPE_CHECKING:
    from benchctl.schema.run import RunRecord
    from benchctl.store.disk.layout import RunLayout

__all__ = ["closed", "refuse_existing", "resumable", "write_terms"]


def resumable(layout: RunLayout, plan_digest: str | None, *, alone: bool) -> RunRecord:
    """Return the record of a run that may go on; whoever comes alone sweeps away what a dead writer left half done."""
    found = standing(layout)
    if found.manifest:
        sweep_addition(layout, found.manifest)
        sweep_journal(layout)
        raise closed(layout)
    record = read_record(layout)
    if plan_digest not in (None, record.plan_digest):
        raise _differs(layout, record.plan_digest, str(plan_digest))
    refuse_other_suite(layout, record)
    refuse_damage(layout.journal)
    if alone:
        sweep_unfinished_fold(layout, read_history(layout.journal))
    return record


def withdraw(layout: RunLayout) -> None:
    """Take back the journals' folder that taking the lock has made in a run that was closed meanwhile; the caller holds it.

    A folder that holds more is somebody's, and stays.
    """
    left = set(layout.journal.iterdir()) if layout.journal.is_dir() else set()
    if left and layout.generations() and left <= {layout.lock, layout.turn}:
        sweep_journal(layout)


def closed(layout: RunLayout) -> RunClosedError:
    """Return the error for a run that cannot go on."""
    return RunClosedError(f"run {layout.folder.name} is closed", next_step="`benchctl show` prints it")


def _differs(layout: RunLayout, recorded: str, wanted: str) -> PlanDiffersError:
    return PlanDiffersError(
        f"run {layout.folder.name} was planned as {recorded}, and this plan is {wanted}",
        where=Where(str(layout.record)),
        next_step="choose another run id, or repeat the command that started the run",
    )


def refuse_existing(layout: RunLayout, record: RunRecord) -> None:
    """Raise where the folder is anything but no run; what is damaged is not begun anew."""
    if standing(layout).state != "absent":
        recorded = read_record(layout).plan_digest
        if recorded != record.plan_digest:
            raise _differs(layout, recorded, record.plan_digest)
        raise StoreExistsError(
            f"run {record.run} exists",
            where=Where(str(layout.record)),
            next_step="resume it, or choose another run id",
        )


def write_terms(layout: RunLayout, record: RunRecord, suite_text: str | None) -> None:
    """Write the suite's copy, then the record: it is the record that makes the run exist."""
    with unwritable(layout.folder):
        layout.suite.unlink(missing_ok=True)  # of a start that was cut before its record
        for leftover in layout.journal.glob("*.tmp"):
            leftover.unlink()
    if suite_text is not None:
        create_once(layout.suite, suite_text.encode(), layout.journal)
    create_once(layout.record, record_bytes(record), layout.journal)
