"""Items of an answer in a record of data: beside the question's id, as one list of strings, path and name side by side.

All of it is looked for in a text that keeps its lines, in lower case and without escapes, and only where the one
pass over every file found a first sign of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from benchctl.workspace.leaks.gold_items import SEVERAL, Item, bounded, is_telling, large_part

__all__ = ["beside_id", "is_listed", "side_by_side"]

_REACH = 400
_CLOSE = 200
_GAP = 300
_MOST_SPOTS = 2_000
_FEWEST_NAMES = 4
_OPEN = rb"[\"',;|\t\[{:=>]"
_SHUT = rb"[\"',;|\t:=\]})<]"
_PROSE = re.compile(rb"(?<![a-z])(?:[a-z]{2,} ){3}[a-z]{2,}")
_SETTING = re.compile(rb"[\"'\]]?[ \t]*[:=]")
_QUOTED = re.compile(rb"\"([^\"\n]*)\"|'([^'\n]*)'")
_OWN_LISTS = re.compile(rb"__(?:all|slots|match_args)__|\bimport\b")
_TRACEBACK = re.compile(rb"file \"[^\"\n]+\", line \d+, in ")
_CODE = re.compile(
    rb"[a-z_][a-z0-9_]*(?:[./\\]+[a-z0-9_]+)+|[a-z0-9]*_[a-z0-9_]*"
    rb"|(?<=[\"'`])[a-z0-9_]+(?=[\"'`(])|[a-z0-9_]+(?=\()"
)
_BEFORE_NAME = re.compile(rb"(?:[\"'`,;|:\[({>=.\t]|\b(?:def|class|func|function|fn|in))[ \t]*$")


def beside_id(text: bytes, question: bytes, items: Sequence[Item]) -> tuple[int, ...]:
    """Return the numbers of the items in a record of data that has the question's id, as it is written, in a field.

    Three of them, or all of a shorter list where each says something and the id is no key of a setting
    (`max-line-length = 120`); nothing where there are fewer, or where words of prose stand between.
    """
    reach = _REACH + sum(len(item.name) + 40 for item in items)
    field = re.compile(
        rb"(?:^|%b)[ \t-]{0,40}(%b)[ \t]{0,40}(?=%b|$)" % (_OPEN, re.escape(question), _SHUT), re.MULTILINE
    )
    for _, spot in zip(range(_most(items)), field.finditer(text), strict=False):
        found = _fields(text, spot.end(), spot.end() + reach, items)
        if len(items) < SEVERAL:
            if len(found) == len(items) and _is_answer(text, spot.end(), max(found.values()), items):
                return tuple(sorted(found))
            continue
        before = _fields(text, max(0, spot.start() - reach), spot.start(), items)
        if len(found) >= SEVERAL and not _PROSE.search(text, spot.end(), max(found.values())):
            return tuple(sorted(found))
        if len(before) >= SEVERAL and not _PROSE.search(text, min(before.values()), spot.start()):
            return tuple(sorted(before))
    return ()


def _most(items: Sequence[Item]) -> int:
    """Return how many places of a text are looked at, so that a long list and a long text cost a bounded moment."""
    return max(10, _MOST_SPOTS // max(1, len(items) // 10))


def _is_answer(text: bytes, start: int, end: int, items: Sequence[Item]) -> bool:
    """Say whether one or two items behind an id are its answer, and not the value of a setting of that name."""
    setting = _SETTING.match(text, start, start + 8)
    near = end - start <= _CLOSE + sum(len(item.name) for item in items)
    telling = all(is_telling(item.name) for item in items)
    return not setting and near and telling and not _PROSE.search(text, start, end)


def _fields(text: bytes, start: int, end: int, items: Sequence[Item]) -> dict[int, int]:
    """Return where items stand as fields between two places: quoted, or between the signs that part fields."""
    found = {}
    for number, item in enumerate(items):
        for form in filter(None, (item.exact, item.name)):
            for at in _places(text, form, start, end):
                own = form is item.exact or _is_field(text, at, at + len(form))
                if own:
                    found[number] = at + len(form)
                    break
            if number in found:
                break
    return found


def _is_field(text: bytes, start: int, end: int) -> bool:
    before = text[max(0, start - 40) : start].rstrip(b" ")
    after = text[end : end + 40].lstrip(b" ")
    return (not before or before[-1:] in b"\"',;|[({:=\t\n-") and (
        not after or after[:1] in b"\"',;|])}\t\r\n"
    )


def _places(text: bytes, form: bytes, start: int, end: int) -> Iterator[int]:
    at = text.find(form, start, end)
    while at >= 0:
        if bounded(text, at, at + len(form)):
            yield at
        at = text.find(form, at + 1, end)


def is_listed(text: bytes, anchor: bytes, items: Sequence[Item]) -> bool:
    """Say whether the names of all items, and nothing else, are one list of strings or all lines of a text.

    Four of them at least, of which three say something; what a module lists of its own (`__all__`) is none.
    """
    names = {item.name for item in items}
    if len(names) < _FEWEST_NAMES or sum(map(is_telling, names)) < SEVERAL:
        return False
    if (
        len(text) < 2 * sum(len(name) + 40 for name in names)
        and {line.strip(b" \t-*\"',;") for line in text.splitlines()} - {b""} == names
    ):
        return True
    return any(
        _is_list(text, at, names)
        for _, at in zip(range(_most(items)), _places(text, anchor, 0, len(text)), strict=False)
    )


def _is_list(text: bytes, at: int, names: set[bytes]) -> bool:
    room = _REACH + 4 * sum(len(name) + 40 for name in names)
    start = max(text.rfind(sign, max(0, at - room), at) for sign in (b"[", b"(", b"{"))
    ends = [end for sign in (b"]", b")", b"}") if (end := text.find(sign, at, at + room)) >= 0]
    if start < 0 or not ends or _OWN_LISTS.search(text, max(0, start - 60), start):
        return False
    inner = text[start + 1 : min(ends)]
    strings = {one or two for one, two in _QUOTED.findall(inner)}
    return strings == names and not _QUOTED.sub(b"", inner).strip(b" \t\r\n,;")


def side_by_side(text: bytes, items: Sequence[Item]) -> tuple[int, ...]:
    """Return the numbers of joined items whose path and name stand near each other, three of them in one place.

    A place that also tells many other names is a listing of the tree, and a traceback is none of a key.
    """
    joined = [(number, item) for number, item in enumerate(items) if item.path is not None]
    if sum(item.name in text for _, item in joined) < SEVERAL:
        return ()
    paths = {str(item.path).casefold().encode() for _, item in joined}
    spots = sorted((at, at + len(path), path) for path in paths for at in _few_places(text, path))
    places: dict[int, list[int]] = {}
    for place, (start, end, path) in enumerate(spots[:_MOST_SPOTS]):
        left = max(start - _CLOSE, spots[place - 1][1] if place else 0)
        right = min(end + _CLOSE, spots[place + 1][0] if place + 1 < len(spots) else len(text))
        for number, item in joined:
            if str(item.path).casefold().encode() != path:
                continue
            for low, high in ((end, right), (left, start)):
                found = next(
                    (at for at in _places(text, item.name, low, high) if _is_name(text, at, item)), None
                )
                if found is not None:
                    places.setdefault(found, []).append(number)
                    break
    return _densest(text, places, items)


def _few_places(text: bytes, path: bytes) -> Iterator[int]:
    for _, at in zip(range(_MOST_SPOTS), _places(text, path, 0, len(text)), strict=False):
        yield at


def _is_name(text: bytes, at: int, item: Item) -> bool:
    return is_telling(item.name) or _BEFORE_NAME.search(text[max(0, at - 16) : at]) is not None


def _densest(text: bytes, places: dict[int, list[int]], items: Sequence[Item]) -> tuple[int, ...]:
    run: list[int] = []
    best: tuple[int, ...] = ()
    for at in [*sorted(places), None]:
        if run and (at is None or at - run[-1] > _GAP):
            found = {number for place in run for number in places[place]}
            if len(found) > len(best) and _tells(text[max(0, run[0] - _CLOSE // 4) : run[-1]], found, items):
                best = tuple(sorted(found))
            run = []
        if at is not None:
            run.append(at)
    return best


def _tells(place: bytes, found: set[int], items: Sequence[Item]) -> bool:
    if len(found) < SEVERAL or not large_part(len(found), len(items)) or _TRACEBACK.search(place):
        return False
    own = b" ".join(item.name + b" " + str(item.path).casefold().encode() for item in items)
    others = {code for code in set(_CODE.findall(place)) if code not in own}
    return len(others) <= len(found)
