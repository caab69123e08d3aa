"""The one way in which an instant of the wall clock is written down."""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["utc_now"]


def utc_now(timespec: str = "milliseconds") -> str:
    """Return the instant as UTC ISO 8601 with a `Z`, to the milliseconds or to what `timespec` says."""
    return datetime.now(UTC).isoformat(timespec=timespec).replace("+00:00", "Z")
