"""What a run's arms, agents and other keys are called, so that a page's words can be told to mean them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from benchctl.claims.markers.scope import Scope
from benchctl.claims.sheet import Sheet
from benchctl.claims.suggesting.vocabulary import COUNTED, Word, words_in
from benchctl.claims.wording.bound import PEOPLE
from benchctl.expressions import Probe

__all__ = ["KEYS", "Names", "names_of"]

KEYS = (*PEOPLE, "repo", "class", "question")
"""The columns that rows of a table and parts of a sentence are about, the likeliest first."""

_MOST_VALUES = 60
_COMMON = frozenset(
    {"none", "all", "no", "the", "a", "an", "of", "in", "on", "and", "it", "ok", "true", "false", "default"}
)


@dataclass(frozen=True, slots=True)
class Names:
    """The values of each key column in a scope, and what a page may call each; `runs` are declared beside its own."""

    values: Mapping[str, tuple[str, ...]]
    titles: Mapping[tuple[str, str], str]
    run: str = ""
    runs: tuple[str, ...] = ()

    def said(self, text: str) -> list[tuple[str, str, Word]]:
        """Return (column, value, words) for each value that a text names, in order; a column of one value tells nothing."""
        found: list[tuple[str, str, Word]] = []
        for column, values in self.values.items():
            if len(values) < 2:
                continue
            table = {value: self._pattern(column, value) for value in values if _is_telling(value)}
            found += [(column, word.name, word) for word in words_in(text, table)]
        return sorted(found, key=lambda item: item[2].start)

    def runs_said(self, text: str) -> list[tuple[str, str]]:
        """Return (run, words) for each declared run that a text names as one: `in july`, `july's`, `run july`."""
        found: list[tuple[str, str]] = []
        for run in (self.run, *self.runs) if self.runs else ():
            name = re.escape(run)
            told = re.search(
                rf"\b(?:in|of|from|at|since|for|to|than|vs\.?|by|run)\s+(?:run\s+)?({name})(?![\w-])|(?<![\w-])({name})(?:['\u2019]s|\s+run)\b",
                text,
                re.IGNORECASE,
            )
            if told:
                found.append((run, told[1] or told[2]))
        return found

    def columns_said(self, text: str) -> list[tuple[str, str]]:
        """Return (key column, noun) for each column of several values that a text names by its noun: `across agents`."""
        nouns = {name.partition(".")[0]: pattern for name, pattern in COUNTED.items() if "." in name}
        known = {column: nouns[column] for column, values in self.values.items() if len(values) > 1}
        return [(word.name, word.text) for word in words_in(text, known)]

    def value_of(self, column: str, label: str) -> str | None:
        """Return the value that a row's label stands for: called so, titled so, or the only one that it names."""
        plain = " ".join(label.split()).casefold()
        for value in self.values[column]:
            if plain in (value.casefold(), self.titles.get((column, value), value).casefold()):
                return value
        named = {
            word.name
            for word in words_in(
                label,
                {value: self._pattern(column, value) for value in self.values[column] if _is_telling(value)},
            )
        }
        return named.pop() if len(named) == 1 else None

    def _pattern(self, column: str, value: str) -> str:
        spellings = {value, self.titles.get((column, value), value)}
        return "|".join(r"[ _-]".join(map(re.escape, re.split(r"[ _-]", each))) for each in sorted(spellings))


def _is_telling(value: str) -> bool:
    return len(value) > 1 and not value.isdigit() and value.lower() not in _COMMON


def names_of(sheet: Sheet, scope: Scope) -> Names:
    """Return the names of a scope's run, asked of the store in one call; of a run that cannot be asked none."""
    asked = {column: Probe(("count",), scope.filters, group_by=column) for column in KEYS}
    if not sheet.try_measure(scope, asked.values()):
        return Names({}, {})
    known = sheet.lookup.measured(scope.run)
    values = {
        column: tuple(name for name in known[probe].groups if name is not None)[:_MOST_VALUES]
        for column, probe in asked.items()
        if known[probe].error is None
    }
    titles: dict[tuple[str, str], str] = {}
    stored = sheet.lookup.runs.get(scope.run)
    for column, told in (("arm", stored.record.arms), ("agent", stored.record.agents)) if stored else ():
        for value, fields in told.items():
            title = fields.get("title") if isinstance(fields, dict) else None
            if isinstance(title, str) and title.strip():
                titles[column, value] = title
    return Names(values, titles, scope.run, tuple(sorted(scope.declared - {scope.run} - sheet.unusable)))
