"""run.json, the record of a run's terms, and the suite's copy beside it: how both are written, read, and held to each other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from benchctl.errors import StoreDamagedError, StoreNewerError, Where
from benchctl.schema.canonical import sha256_hex
from benchctl.schema.run import LATER_TERMS, RUN_SCHEMA, RunRecord
from benchctl.store.disk.untrusted import parse_json, read_regular

if TYPE_CHECKING:
    from pathlib import Path

    from benchctl.store.disk.layout import RunLayout

__all__ = ["NO_SUITE", "read_record", "record_bytes", "refuse_other_suite"]

NO_SUITE = f"sha256:{sha256_hex(b'')}"
"""The suite digest of a run that kept no suite."""


def record_bytes(record: RunRecord) -> bytes:
    """Return the bytes of run.json: sorted and indented, so that people and git can read it."""
    unsaid = set() if record.imported else {"imported"}
    if record.schema_version < 3:
        unsaid |= set(LATER_TERMS)
    data = record.model_dump(mode="json", by_alias=True, exclude=unsaid)
    return (json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()


def read_record(layout: RunLayout, path: Path | None = None) -> RunRecord:
    """Return a run's record as its file says it, by default the one that is there.

    Raises StoreDamagedError, or StoreNewerError for a later schema.
    """
    from pydantic import ValidationError

    path = path or layout.record
    try:
        data: dict[str, Any] = parse_json(read_regular(path))
        if isinstance(data.get("schema"), int) and data["schema"] > RUN_SCHEMA:
            raise StoreNewerError(
                f"the run was started by a newer benchctl (record schema {data['schema']})",
                where=Where(str(path)),
                next_step="update benchctl; nothing has been changed",
            )
        return RunRecord.model_validate(data)
    except (OSError, ValueError, AttributeError, RecursionError, ValidationError) as error:
        raise StoreDamagedError(
            f"the run record cannot be read: {str(error).splitlines()[0]}",
            where=Where(str(path)),
            next_step="restore the file from a copy; `benchctl verify-store` checks every file",
        ) from error


def refuse_other_suite(layout: RunLayout, record: RunRecord) -> None:
    """Raise StoreDamagedError where the suite's copy of a collected run is not the one that its record names."""
    path = layout.suite
    try:
        found = f"sha256:{sha256_hex(read_regular(path))}"
    except FileNotFoundError:
        found = NO_SUITE
    except OSError as error:
        raise StoreDamagedError(f"cannot be read: {error.strerror}", where=Where(str(path))) from error
    if found != record.suite_digest:
        raise StoreDamagedError(
            "missing" if found == NO_SUITE else found,
            where=Where(str(path)),
            expected=f"{record.suite_digest}, as run.json says",
            next_step="restore the file from a copy; nothing has been changed, and the run stays open",
        )
