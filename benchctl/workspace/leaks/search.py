"""One pass over a text for all needles at once, with two automata: one over words, one over items as they stand."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from benchctl.workspace.leaks.gold_items import (
    SEVERAL,
    Item,
    bounded,
    data_text,
    item_text,
    telling_id,
    whole_list,
)
from benchctl.workspace.leaks.needles import Needles
from benchctl.workspace.leaks.prompts import Prompt, decisive_shingles, shingles, windows
from benchctl.workspace.leaks.records import beside_id, is_listed, side_by_side
from benchctl.workspace.leaks.words import normalise, without_numbers, words_of

if TYPE_CHECKING:
    from ahocorasick_rs import BytesAhoCorasick

__all__ = ["Found", "Search"]

_Part = Literal["window", "shingle", "term", "words", "canary"]
_Sign = Literal["item", "dotted", "glued", "path", "id", "anchor"]
_LISTING = 4
"""A file with four times as many items of the key's form as of the key lists the tree, such as the durations of all tests."""

_WINDOWS_PATH = re.compile(r"[A-Za-z0-9_]\\{1,2}[\w-]{1,80}\.[A-Za-z]")
_BACKSLASH = re.compile(r"(?<=[\w.-])\\+(?=[\w.-])")


@dataclass(slots=True)
class Found:
    """The parts of one question's needles (of the canary: of question "") that one text holds, by their number."""

    canary: bool = False
    windows: set[int] = field(default_factory=set)
    shingles: set[int] = field(default_factory=set)
    in_order: int = 0
    terms: set[int] = field(default_factory=set)
    words: set[int] = field(default_factory=set)
    exact: set[int] = field(default_factory=set)
    beside: tuple[int, ...] = ()
    near: set[int] = field(default_factory=set)
    whole: bool = False
    listing: bool = False


class Search:
    """The needles, compiled. Building costs a moment and is done once for many files."""

    def __init__(self, needles: Needles) -> None:
        self._canary = normalise(needles.canary).strip().encode()
        self._parts: dict[bytes, list[tuple[_Part, str, int]]] = defaultdict(list)
        self.items = {name: tuple(map(Item.of, items)) for name, items in needles.gold.items()}
        self.gold = needles.gold
        self.prompts = {name: Prompt(prompt) for name, prompt in needles.prompts.items()}
        self.shingles = {name: len(shingles(prompt)) for name, prompt in needles.prompts.items()}
        self._order = list(dict.fromkeys(("", *needles.prompts, *needles.terms, *needles.gold)))
        self._add_words(needles)
        self._exact: dict[bytes, list[tuple[_Sign, str, int]]] = defaultdict(list)
        for name, items in self.items.items():
            for sign, pattern, number in _signs(name, items):
                self._exact[pattern].append((sign, name, number))
        self._word_patterns, self._exact_patterns = list(self._parts), list(self._exact)
        self._word_automaton = _automaton(self._word_patterns)
        self._exact_automaton = _automaton(self._exact_patterns)

    def order(self, question: str) -> int:
        """Return a question's place in the suite; the canary comes first."""
        return self._order.index(question)

    def _add_words(self, needles: Needles) -> None:
        pieces = _canary_pieces(self._canary)
        self._always = bool(self._canary) and not pieces
        for piece in pieces:
            self._parts[piece].append(("canary", "", 0))
        for name, prompt in needles.prompts.items():
            if self.shingles[name] == 0:
                continue  # a prompt of three words is in any text
            self._add("window", name, (window.encode() for window in windows(prompt)))
            self._add("shingle", name, sorted(shingles(prompt)))
        for name, terms in needles.terms.items():
            self._add("term", name, (words_of(term) for term in terms))
        for name, items in self.items.items():
            self._add("words", name, (item.words or b"" for item in items))

    def _add(self, part: _Part, name: str, patterns: Iterable[bytes]) -> None:
        for number, pattern in enumerate(patterns):
            if pattern.strip():
                self._parts[pattern].append((part, name, number))

    def __call__(self, text: str) -> dict[str, Found]:
        """Return what a text holds, by question."""
        found: dict[str, Found] = defaultdict(Found)
        plain = words_of(text)
        if self._always:
            self._count(found, "canary", "", 0, plain)
        self._search_words(found, plain)
        for unnumbered in without_numbers(plain) if self.prompts else ():
            self._search_words(found, unnumbered)
        if self._exact_automaton is not None:
            self._search_items(found, text)
            if "\\" in text and _WINDOWS_PATH.search(text):
                self._search_items(found, _BACKSLASH.sub("/", text))
        return dict(found)

    def _search_words(self, found: dict[str, Found], plain: bytes) -> None:
        seen = _matched(self._word_automaton, plain)
        for pattern in seen:
            for part, name, number in self._parts[self._word_patterns[pattern]]:
                self._count(found, part, name, number, plain)
        self._compare(found, seen, plain)
        for name, known in found.items():
            if len(known.words) >= SEVERAL:
                paths = {words_of(str(item.path)) for item in self.items[name] if item.path is not None}
                known.listing = sum(map(plain.count, paths)) > _LISTING * len(known.words)

    def _count(self, found: dict[str, Found], part: _Part, name: str, number: int, plain: bytes) -> None:
        if part == "canary":
            # Without spaces, since a line may be broken inside one of its groups.
            if ("" not in found) and self._canary.replace(b" ", b"") in plain.replace(b" ", b""):
                found[""].canary = True
        else:
            parts: Mapping[str, set[int]] = {
                "window": found[name].windows,
                "shingle": found[name].shingles,
                "term": found[name].terms,
                "words": found[name].words,
            }
            parts[part].add(number)

    def _compare(self, found: dict[str, Found], seen: Mapping[int, int], plain: bytes) -> None:
        """Compare word by word where a part of a prompt stands, unless so many of its parts do that they decide."""
        for pattern, at in sorted(seen.items(), key=lambda spot: spot[1]):
            for part, name, _ in self._parts[self._word_patterns[pattern]]:
                known = found[name]
                if part == "shingle" and not decisive_shingles(len(known.shingles), self.shingles[name]):
                    known.in_order = max(known.in_order, self.prompts[name].in_order(plain, at))

    def _search_items(self, found: dict[str, Found], text: str) -> None:
        flat = item_text(text)
        spots: dict[str, dict[int, list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))
        signs: dict[str, set[_Sign]] = defaultdict(set)
        for pattern, start, end in _spots(self._exact_automaton, flat):
            stands = bounded(flat, start, end)
            for sign, name, number in self._exact[self._exact_patterns[pattern]]:
                if sign == "glued":
                    found[name].near.add(number)
                elif stands:
                    signs[name].add(sign)
                    if sign in ("item", "dotted"):
                        spots[name][number].append((start, end))
                    if sign == "item":
                        found[name].exact.add(number)
        for name, places in spots.items():
            nodes = [number for number in found[name].exact if self.items[name][number].node]
            found[name].listing |= bool(nodes) and flat.count(b".py::") > _LISTING * len(nodes)
            found[name].whole |= whole_list(flat, places, self.gold[name])
        if any(seen & {"id", "path", "anchor"} for seen in signs.values()):
            self._search_records(found, signs, data_text(text))

    def _search_records(self, found: dict[str, Found], signs: Mapping[str, set[_Sign]], text: bytes) -> None:
        for name, seen in signs.items():
            items = self.items[name]
            if "id" in seen and (beside := beside_id(text, telling_id(name) or b"", items)):
                found[name].beside = beside
            if "path" in seen and (near := side_by_side(text, items)):
                found[name].near.update(near)
            if "anchor" in seen and is_listed(text, _anchor(items), items):
                found[name].whole = True


def _signs(question: str, items: tuple[Item, ...]) -> Iterator[tuple[_Sign, bytes, int]]:
    """Yield what is looked for of one answer, and the number of the item that it is of."""
    paths = {str(item.path).casefold().encode() for item in items if item.path is not None}
    for number, item in enumerate(items):
        if item.exact:
            yield "item", item.exact, number
        if item.glued:
            yield "glued", item.glued, number
        if len(paths) > 1:  # the names of one file stand one after the other in any list of them
            yield from (("dotted", form, number) for form in item.forms)
    if len(items) >= SEVERAL:
        yield from (("path", path, 0) for path in sorted(paths))
        yield "anchor", _anchor(items), 0
    if (written := telling_id(question)) is not None:
        yield "id", written, 0


def _anchor(items: tuple[Item, ...]) -> bytes:
    """Return the longest name of a list: where that is not, the list is not."""
    return max((item.name for item in items), key=len)


def _canary_pieces(canary: bytes) -> tuple[bytes, ...]:
    """Return parts of the canary of which a text that holds it has one, wherever one line of it is broken.

    None of a canary that somebody made up of one digit: it would be found everywhere.
    """
    words = canary.split()
    pieces = (words[2], words[-1][:6], words[-1][6:]) if len(words) > 2 else ()
    return tuple(dict.fromkeys(piece for piece in pieces if len(set(piece)) > 2))


def _automaton(patterns: list[bytes]) -> BytesAhoCorasick | None:
    from ahocorasick_rs import BytesAhoCorasick

    return BytesAhoCorasick(patterns) if patterns else None


def _spots(automaton: BytesAhoCorasick | None, text: bytes) -> list[tuple[int, int, int]]:
    return automaton.find_matches_as_indexes(text, overlapping=True) if automaton is not None else []


def _matched(automaton: BytesAhoCorasick | None, text: bytes) -> dict[int, int]:
    """Return the first place of each pattern that a text holds."""
    places: dict[int, int] = {}
    for number, start, _ in _spots(automaton, text):
        places.setdefault(number, start)
    return places
