"""A percent beside its own counts: `44 of 48 (92 %)`, `44/48, 92 %`, `92 % (44 of 48)`, `92.3 % of 48 cells`."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

from benchctl.claims.judging.denominator import NEXT_STEP, denominator_of
from benchctl.claims.prose.prose import Prose, is_count, is_signed, may_say, printed, whole
from benchctl.claims.prose.wording import CHANGING, MEASURED, ROUGHLY, clause, counts
from benchctl.claims.sheet import Sheet
from benchctl.claims.tables.topics import SHARES
from benchctl.quantities.format import format_number
from benchctl.quantities.tokens import Token
from benchctl.stats.possible import means_around, share_possible

__all__ = ["check"]

_THE = r"(?:(?:its|the|their|all|our|these|those)\s+)*"
_OF = re.compile(rf"(?:\s+|\s+[a-z]+s\s+(?=out\s))(?:out\s+)?of\s+{_THE}")
_SLASH = re.compile(r"\s?/\s?")
_IN = re.compile(r"\s+in\s+(?:every\s+)?")
_HEDGE = rf"(?:(?:{ROUGHLY}|above|below|fewer than),?\s*)*[~\u2248=<>\u2264\u2265]*\s*"
_COUNTS_FIRST = re.compile(
    r"(?P<words>(?:\s+[A-Za-z-]+){0,3}?)"
    r"(?P<joint>\s*\(\s*|\s*[,;]\s+|\s*[=\u2248]\s*|\s+[\u2014\u2013-]\s+|\s+(?:is|are|was|were|makes)\s+|,?\s+(?=or\s))"
    rf"{_HEDGE}"
)
_PERCENT_FIRST = re.compile(
    r"(?:\s+(?:of\s+(?:the\s+|all\s+|its\s+)?(?:[a-z]+s|them|all)|answered|passed|passing|solved|correct|success|accuracy|pass rate|success rate"
    rf"|failed|completed?|Pass Rate|Success Rate))?(?:(?P<paren>\s*\(\s*)|(?P<other>,?\s+(?:or|i\.e\.,?)\s+)|[;,]\s*){_HEDGE}"
)
_PAREN = re.compile(rf"\s*\(\s*{_HEDGE}")
_OF_BEHIND = re.compile(rf"\)\s+(?:out\s+)?of\s+{_THE}")
_OF_WHICH = re.compile(r"(?P<words>(?:\s+[A-Za-z-]+){0,3}),\s+(?:only\s+|just\s+)?")
_OPENING_OF = re.compile(r"\b[Oo]f\s+(?:(?:the|its|all|these|our)\s+)*\Z")
_SIBLING = re.compile(
    r"\s*(?:[\u2013\u2014/\u00d7*\u2192-]|->|\+|\bto\b|\band\b|\bor\b|\bvs\.?|\bversus\b|\bof\b)\s*(?:the\s+)?"
)
_LISTED = re.compile(r"\s*(?:[,;/]|and|or)\s*(?:and\s+)?")
_CLOSED = re.compile(
    r"(?:\s+(?:answered|passed|solved|correct|success|(?:pass|success|failure|completion) rate))?\s*\)",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"\s*(?:[;,\[\u00b1])")
_ENDED = re.compile(
    r"\s*(?:[;:)\]]|\.(?=\s|$)|$|\s[\u2014\u2013]\s|,\s+(?:and|but|which|while|so|were|was|are|is|have|had)\s+[A-Za-z])"
)
_OR = re.compile(r",?\s+or\s")
_PAUSES = re.compile(r"\s*(?:[,.;:)](?!\d)|\Z)")
_OPERATES = re.compile(r"\s*[-+\u2212\u00d7*/=]")
_PAIR_OF_WORDS = re.compile(r"[A-Za-z]\w*\s?/\s?[A-Za-z]\w*")
_MEASURED_ON = re.compile(
    rf"{MEASURED.pattern}\s+(?:\w+\s+)?(?:on|over|for|across|in|from|with|of)\s+{_THE}$", re.IGNORECASE
)
_LEGEND = re.compile(rf"\([^()\d]*{MEASURED.pattern}[^()\d]*\)", re.IGNORECASE)
_PARTS = re.compile(r"[(),;/&\u00b7+]|\band\b")
_SHARE_WORD = re.compile(rf"%|\b(?:{'|'.join(sorted(SHARES))}|total|all|of|n|cells)\b", re.IGNORECASE)
_UNITS = re.compile(r"\s+(?:[a-z-]+\s+)?(?:cells|runs|trials|attempts|rows|samples)(?![\w'\u2019-])")
_ON_AVERAGE = re.compile(r"\b(?:averag\w*|means?|median|typical\w*|each|per|macro|weighted)\b", re.IGNORECASE)
_HUNDRED = 100


def check(sheet: Sheet) -> None:
    """Find percents that are not those of the counts they stand beside."""
    prose = sheet.prose
    for index, item in enumerate(prose.items):
        if item.token.unit != "%" or not prose.usable(index) or is_signed(item.token):
            continue
        counted = _counts_before(prose, index) or _counts_behind(prose, index) or _counts_around(prose, index)
        if counted:
            _compare(sheet, index, *counted)
        else:
            _attainable(sheet, index)


def _compare(sheet: Sheet, index: int, part: int, total: int) -> None:
    prose = sheet.prose
    percent, some, all_of = prose.token(index), prose.token(part), prose.token(total)
    if _is_plainly_so(percent, some, all_of):
        return
    share = whole(some).over(whole(all_of))
    if (
        share is None
        or (some.value or 0) > (all_of.value or 0)
        or may_say(share, percent, sheet.about, _HUNDRED)
    ):
        return
    is_what = _shown(share.middle, percent)
    said, one, other = (prose.items[at] for at in (index, part, total))
    message = f"{one.literal} of {other.literal} is {is_what}"
    step = None
    if sheet.holds(said, one, other):
        # Each is true of the run, and together they are not of one number of cells: the reader is misled all the same.
        step, of_what = NEXT_STEP, denominator_of(sheet, said, one, other)
        message += (
            f"; {of_what.said(said.literal)}" if of_what else f"; the {said.literal} is of something else"
        )
    else:
        message += f", not {said.literal}"
    sheet.record.find("percent-impossible", said.start, said.end, message, next_step=step)


def _is_plainly_so(percent: Token, some: Token, all_of: Token) -> bool:
    """Whether a percent is that of two whole numbers: what nearly every one is, told without fractions."""
    part, whole_number, said = (token.value or Decimal(0) for token in (some, all_of, percent))
    is_plain = some.place == all_of.place == 1 and percent.cmp == "="
    return is_plain and 2 * abs(_HUNDRED * part - said * whole_number) <= (percent.place or 0) * whole_number


def _shown(share: Fraction, percent: Token) -> str:
    places = max(0, -int((percent.place or Decimal(1)).adjusted())) + 1
    value = Decimal((share * _HUNDRED).numerator) / Decimal((share * _HUNDRED).denominator)
    return format_number(value, places=min(places, 9)) + " %"


def _pair(prose: Prose, part: int) -> bool:
    """Whether the item and the next are `A of B`, two counts alone: no item of a range, a list or a product."""
    total = part + 1
    if not _two_counts(prose, part, total):
        return False
    some, all_of = prose.token(part), prose.token(total)
    joint = prose.gap(total)
    if _SLASH.fullmatch(joint):
        if _PAIR_OF_WORDS.search(prose.before(part)) or not (is_count(some) and is_count(all_of)):
            return False
    elif not (_OF.fullmatch(joint) or (_IN.fullmatch(joint) and some.value == 1)):
        return False
    return not _SIBLING.fullmatch(prose.gap(part))


def _two_counts(prose: Prose, part: int, total: int) -> bool:
    """Whether both may be computed with, and each is a count: no bound, no measure."""
    if not (prose.usable(part) and prose.usable(total)):
        return False
    some, all_of = prose.token(part), prose.token(total)
    return _countable(some) and _countable(all_of) and some.cmp == all_of.cmp == "="


def _countable(token: Token) -> bool:
    """Whether it counts, in thousands perhaps: "44", "nine", "44k"; no measure, no half."""
    place = token.place or Decimal(0)
    return (
        token.unit in ("", "tokens")
        and place >= 1
        and not (token.word and place > 1)
        and (token.value or 0) >= 0
    )


def _counts_before(prose: Prose, index: int) -> tuple[int, int] | None:
    """Return the counts of `44 of 48 cells (92 %)`."""
    found = _COUNTS_FIRST.fullmatch(prose.gap(index))
    part, total = index - 2, index - 1
    if not found or not counts(found["words"]) or part < 0 or not _pair(prose, part):
        return None
    behind, joint = prose.after(index), found["joint"].strip()
    if joint == "(":
        fits = _CLOSED.match(behind) or (_GOES_ON.match(behind) and not _more_percents(prose, index))
    elif joint in ("=", "\u2248"):  # `44/48 = 92 %` is an equation
        fits = not _OPERATES.match(behind) and not _SLASH.fullmatch(prose.gap(total))
    elif _OR.search(prose.gap(index)):
        fits = _PAUSES.match(behind)
    else:
        fits = _ENDED.match(behind) and not _LISTED.fullmatch(prose.gap(part))
    before = prose.before(part)
    if not fits or _MEASURED_ON.search(before) or _LEGEND.search(before) or _of_two(prose.header(index)):
        return None
    return part, total


def _more_percents(prose: Prose, index: int) -> bool:
    """Whether another percent follows in a list: then nobody knows which is of the counts."""
    follows = _LISTED.fullmatch(prose.gap(index + 1)) and prose.usable(index + 1)
    return bool(follows) and prose.token(index + 1).unit == "%" and prose.token(index + 1).kind == "number"


def _of_two(header: str) -> bool:
    """Whether a column's header names a second quantity: under `answered (F1)` the percent is the F1."""
    parts = [part for part in _PARTS.split(header) if part.strip()]
    return len(parts) > 1 and not _SHARE_WORD.search(parts[-1])


def _counts_behind(prose: Prose, index: int) -> tuple[int, int] | None:
    """Return the counts of `92 % (44 of 48 cells)`."""
    part, total = index + 1, index + 2
    found = _PERCENT_FIRST.fullmatch(prose.gap(part))
    if not found or not _pair(prose, part):
        return None
    before, behind = prose.before(index), prose.after(total)
    words = re.match(r"(?:\s+[A-Za-z-]+){0,3}", behind)
    rest = behind[words.end() if words else 0 :]
    is_end = (_ENDED if found["other"] else _CLOSED).match(rest)
    in_parens = found["paren"] or found["other"] or before.rstrip().endswith("(")
    said = clause(before)
    if not is_end or not in_parens or not counts(words[0] if words else ""):
        return None
    if MEASURED.search(said) or CHANGING.search(said) or _of_two(prose.header(index)):
        return None
    return part, total


def _counts_around(prose: Prose, index: int) -> tuple[int, int] | None:
    """Return the counts of `44 (92 %) of 48`, and of `Of 48 cells, 44 (92 %)`."""
    part, behind = index - 1, index + 1
    if not _PAREN.fullmatch(prose.gap(index)) or not _CLOSED.match(prose.after(index)):
        return None
    if _OF_BEHIND.fullmatch(prose.gap(behind)):
        return (
            (part, behind)
            if _two_counts(prose, part, behind) and not _SIBLING.fullmatch(prose.gap(part))
            else None
        )
    total = index - 2
    found = _OF_WHICH.fullmatch(prose.gap(part))
    if not found or total < 0 or not counts(found["words"]) or not _OPENING_OF.search(prose.before(total)):
        return None
    return (part, total) if _two_counts(prose, part, total) else None


def _attainable(sheet: Sheet, index: int) -> None:
    """Find `92.3 % of 48 cells`, which is no whole number of cells."""
    prose = sheet.prose
    total = index + 1
    if not _OF.fullmatch(prose.gap(total)) or not prose.usable(total):
        return
    percent, all_of = prose.token(index), prose.token(total)
    if not is_count(all_of) or not percent.cmp == all_of.cmp == "=" or not _UNITS.match(prose.after(total)):
        return
    around = prose.before(index) + prose.after(total)
    if _ON_AVERAGE.search(around) or CHANGING.search(clause(prose.before(index))):
        return
    share, n = printed(percent).times(Fraction(1, _HUNDRED)), int(all_of.value or 0)
    if n < 1 or share_possible(share, n):
        return
    below, above = means_around(share.middle, n)
    known = " and ".join(
        f"{count * n} are {_shown(count, percent)}" for count in (below, above) if 0 <= count <= 1
    )
    item = prose.items[index]
    message = f"no whole number of {n} is {item.literal}" + (f": {known}" if known else "")
    sheet.record.find("percent-impossible", item.start, item.end, message)
