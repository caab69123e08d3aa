"""Which SQL reads a Parquet column as what a run can hold: a number, a truth or a text, and nothing lost on the way."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from benchctl.importers.arrow_schema import WIDE_INTEGER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["Expression", "Field", "expressions", "fields_of"]

_PLAIN: Final = {
    "BOOLEAN": "", "VARCHAR": "", "DOUBLE": "", "BIGINT": "",
    "TINYINT": "", "SMALLINT": "", "INTEGER": "", "UTINYINT": "", "USMALLINT": "", "UINTEGER": "",
    "FLOAT": "FLOAT is kept as the DOUBLE of the same value",
}  # fmt: skip
_NAMED: Final = re.compile(r'(?:"(?:[^"]|"")*"|[^\s",()]+)\s*')


@dataclass(frozen=True, slots=True)
class Field:
    """A column, or a field of a struct, under the name that the file itself has for it."""

    name: str
    inner: tuple[Field, ...] = ()


@dataclass(frozen=True, slots=True)
class Expression:
    """One column: its name (dotted inside a struct), the SQL that reads it, and what is to be said of it.

    `number` says that its texts are numbers as written, `wide` that its bytes are a whole number of 128 bits.
    """

    name: str
    sql: str
    number: bool = False
    note: str = ""
    wide: bool = False


def fields_of(schema: Sequence[tuple[str, int | None]]) -> tuple[Field, ...]:
    """Return the file's columns in order, from (name, number of children) of every node of its schema, the root first."""
    nodes = iter(schema)

    def inside(count: int) -> tuple[Field, ...]:
        made = []
        for _ in range(count):
            name, children = next(nodes, ("", 0))
            made.append(Field(name, inside(children or 0)))
        return tuple(made)

    return inside(next(nodes, ("", 0))[1] or 0)


def expressions(
    columns: Sequence[tuple[str, str]], fields: Sequence[Field], peculiar: Mapping[int, str]
) -> list[Expression]:
    """Return one expression a column, or one a field of a struct.

    `columns` are (the name that the SQL knows, DuckDB type) in order, `fields` the file's own names in the
    same order; `peculiar` says of some places what Arrow's schema says. DuckDB renames what is doubled or
    empty, so that a name of the file's may be another column's there: nothing is looked up by it.
    """
    return [
        each
        for place, ((sql, type_), field) in enumerate(zip(columns, fields, strict=True))
        for each in _of(field, _quoted(sql), type_, peculiar.get(place, ""))
    ]


def _of(field: Field, sql: str, type_: str, said: str = "") -> Iterator[Expression]:
    name = field.name
    if type_.startswith("STRUCT(") and type_.endswith(")"):
        types = tuple(_types(type_[len("STRUCT(") : -1]))
        for place, (inner, each) in enumerate(zip(field.inner, types, strict=True), start=1):
            dotted = Field(f"{name}.{inner.name}", inner.inner)
            yield from _of(dotted, f"struct_extract_at({sql}, {place})", each)
    elif type_ == "BLOB" and said == WIDE_INTEGER:
        yield Expression(name, sql, number=True, wide=True)
    elif type_ in _PLAIN:
        yield Expression(name, sql, note=f"a duration in {said}" if said else _PLAIN[type_])
    elif type_ in ("UBIGINT", "HUGEINT", "UHUGEINT") or type_.startswith("DECIMAL("):
        note = f"{type_} is kept as a number of the same value" if type_.startswith("DECIMAL(") else ""
        yield Expression(name, f"CAST({sql} AS VARCHAR)", number=True, note=note)
    elif type_.endswith("]") or type_.startswith("MAP("):
        yield Expression(name, f"CAST(to_json({sql}) AS VARCHAR)", note=f"{type_} is kept as JSON text")
    elif type_ == "BLOB":
        yield Expression(
            name, f"'0x' || lower(hex({sql}))", note="BLOB is kept as hexadecimal digits behind 0x"
        )
    elif type_ == "TIMESTAMP WITH TIME ZONE":
        sql = f"strftime(make_timestamp(epoch_us({sql})), '%Y-%m-%dT%H:%M:%S.%fZ')"
        yield Expression(name, sql, note=f"{type_} is kept as text, in UTC")
    elif type_.startswith("ENUM("):
        yield Expression(name, f"CAST({sql} AS VARCHAR)")
    else:
        yield Expression(name, f"CAST({sql} AS VARCHAR)", note=f"{type_} is kept as text")


def _types(text: str) -> Iterator[str]:
    """Yield the types of a struct's fields, as DuckDB writes a struct: `a INTEGER, "b c" STRUCT(…)`."""
    for part in _split(text):
        if match := _NAMED.match(part):
            yield part[match.end() :].strip()


def _split(text: str) -> Iterator[str]:
    """Yield what stands between the commas that are in no brackets and no quotes."""
    depth, quoted, begin = 0, "", 0
    for index, character in enumerate(text):
        if quoted:
            quoted = "" if character == quoted else quoted
        elif character in "\"'":
            quoted = character
        elif character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif character == "," and depth == 0:
            yield text[begin:index].strip()
            begin = index + 1
    yield text[begin:].strip()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
