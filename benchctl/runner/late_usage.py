"""A file of late token counts: one row a cell, every row checked before any is used.

`cell`, then `input_tokens`, `output_tokens`, `total_tokens` and `cost_usd` as far as they are
known, and `source`, who counted. Blank is not measured.
"""

from __future__ import annotations

import csv
import io
import json
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchctl.errors import BackfillInvalidError, Where
from benchctl.schema.usage import LARGEST_COUNT, figure_problem
from benchctl.store.disk.given_file import read_given
from benchctl.store.disk.untrusted import parse_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = ["COUNTS", "FORMATS", "LateUsage", "read_late_usage", "refuse_rows"]

FORMATS = ("csv", "jsonl")
COUNTS = ("input_tokens", "output_tokens", "total_tokens")
_FIELDS = ("cell", *COUNTS, "cost_usd", "source")
_MOST_BYTES = 256 * 1024 * 1024
"""More than a row for each of a million cells."""


@dataclass(frozen=True, slots=True)
class LateUsage:
    """One usable row; `line` is where it stands in its file, from 1. None is not measured."""

    line: int
    cell: str
    source: str
    input_tokens: int | None
    output_tokens: int | None
    total_tokens: int | None
    cost_usd: float | None

    @property
    def row(self) -> dict[str, Any]:
        """Return it as the columns of `USAGE_GROUPS`: the source stands for each group that has a figure."""
        counts = {name: getattr(self, name) for name in COUNTS}
        return {
            **counts,
            "token_source": self.source if any(each is not None for each in counts.values()) else None,
            "cost_usd": self.cost_usd,
            "cost_source": None if self.cost_usd is None else self.source,
        }


def read_late_usage(path: Path, form: str | None = None) -> list[LateUsage]:
    """Return the rows of a file, `-` for standard input; `form` is one of `FORMATS`, by default what the name's ending says.

    Raises OptionInvalidError for what is no regular file or too big to be one of counts, BackfillInvalidError
    with every row that cannot be used, line by line.
    """
    chosen = form or path.suffix.removeprefix(".").lower()
    if chosen not in FORMATS:
        raise BackfillInvalidError(
            "the name's ending does not say what the file is",
            where=Where(str(path)),
            expected="a name that ends in .csv or .jsonl, or `--as csv` or `--as jsonl`",
        )
    try:
        text = read_given(str(path), _MOST_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BackfillInvalidError("not UTF-8 text", where=Where(str(path))) from error
    records = list((_csv if chosen == "csv" else _jsonl)(path, text))
    rows: list[LateUsage] = []
    problems: list[tuple[int, str]] = []
    for line, record in records:
        if isinstance(record, str):
            problems.append((line, record))
            continue
        try:
            rows.append(_row(line, record))
        except ValueError as error:
            problems.append((line, str(error)))
    refuse_rows(path, problems)
    if not rows:
        raise BackfillInvalidError("there is no row in it", where=Where(str(path)))
    return rows


def refuse_rows(path: Path, problems: Sequence[tuple[int, str]]) -> None:
    """Raise BackfillInvalidError that names every line and what is wrong with it; nothing where none is."""
    if problems:
        each = "\n".join(f"  {path}:{line}: {what}" for line, what in sorted(problems))
        rows = "1 row" if len(problems) == 1 else f"{len(problems)} rows"
        raise BackfillInvalidError(
            f"{rows} cannot be used, and nothing of the file was written\n{each}",
            where=Where(str(path), min(problems)[0]),
            next_step="correct them, or take them out of the file",
        )


def _csv(path: Path, content: str) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """Yield (line, record) of each row; where a row is none, what is wrong with it in place of the record."""
    reader = csv.reader(io.StringIO(content, newline=""), strict=True)
    begins = 1
    try:
        header = next(reader, [])
        _refuse_header(path, header)
        begins = reader.line_num + 1
        for values in reader:
            if values and len(values) != len(header):
                yield begins, f"{len(values)} values under {len(header)} columns"
            elif values:
                yield begins, {name: text.strip() or None for name, text in zip(header, values, strict=True)}
            begins = reader.line_num + 1
    except csv.Error as error:
        raise BackfillInvalidError(f"not a row of CSV: {error}", where=Where(str(path), begins)) from error


def _refuse_header(path: Path, header: list[str]) -> None:
    strange = [name for name in header if name not in _FIELDS]
    missing = [name for name in ("cell", "source") if name not in header]
    if strange or missing or len(set(header)) < len(header):
        what = f"no column of it: {', '.join(strange)}" if strange else f"missing: {', '.join(missing)}"
        raise BackfillInvalidError(
            f"the header is not that of late counts; {what if strange or missing else 'a column twice'}",
            where=Where(str(path), 1),
            expected=f"{', '.join(_FIELDS)}; only cell and source are needed, and one figure",
        )


def _jsonl(_path: Path, content: str) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """Yield as `_csv` does."""
    for number, line in enumerate(content.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = parse_json(line)
            doubled = _doubled_key(line)
        except ValueError as error:
            yield number, f"not JSON: {error}"
        else:
            if doubled is not None:
                yield number, f"the key {doubled!r} stands twice in one object"
            else:
                yield number, record if isinstance(record, dict) else "not a JSON object"


def _doubled_key(line: str) -> str | None:
    """Return a key that stands twice in one object of a JSON text, of which a parser would keep the last silently."""
    doubled: list[str] = []

    def note(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        doubled.extend(name for name in set(names) if names.count(name) > 1)
        return dict(pairs)

    json.loads(line, object_pairs_hook=note)
    return min(doubled, default=None)


def _row(line: int, record: dict[str, Any]) -> LateUsage:
    """Return a record as a row. Raises ValueError that says what is wrong with it."""
    if strange := [name for name in record if name not in _FIELDS]:
        raise ValueError(f"no column {strange[0]!r}; the columns are {', '.join(_FIELDS)}")
    cell, source = (_text(record, name) for name in ("cell", "source"))
    counts = [_count(record, name) for name in COUNTS]
    cost = _cost(record)
    if cost is None and counts == [None] * len(counts):
        raise ValueError("no figure")
    given, output, total = counts
    if given is not None and output is not None:
        if total not in (None, given + output):
            raise ValueError(f"total_tokens is {total}, and its parts add up to {given + output}")
        total = given + output
    elif total is not None and max(given or 0, output or 0) > total:
        raise ValueError(f"total_tokens is {total}, which is less than a part of it")
    return LateUsage(line, cell, source, given, output, total, cost)


def _text(record: dict[str, Any], name: str) -> str:
    value = record.get(name)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"no {name}")
    return value.strip()


def _count(record: dict[str, Any], name: str) -> int | None:
    value = record.get(name)
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value) if len(value) <= len(str(LARGEST_COUNT)) else LARGEST_COUNT + 1
    return _checked(name, value, record[name]) if value is not None else None


def _cost(record: dict[str, Any]) -> float | None:
    value = record.get("cost_usd")
    cost = value
    if isinstance(value, str) and value.isascii() and "_" not in value:
        with suppress(ValueError):
            cost = float(value)
    return float(_checked("cost_usd", cost, value)) if value is not None else None


def _checked(name: str, value: Any, written: object) -> Any:
    """Return a figure. Raises ValueError that quotes it as it is written."""
    if figure_problem(name, value):
        raise ValueError(figure_problem(name, written))
    return value
