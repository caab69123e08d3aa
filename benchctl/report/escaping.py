"""Text of unknown origin, made safe to show: in HTML, in markdown, in a terminal, in CSV, in JSON.

An answer, a transcript, even a question's id may hold markup, escape sequences or
characters that turn the line around. Every renderer goes through these functions.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Callable

__all__ = ["as_json", "csv_text", "entities", "html_text", "inert", "prose", "visible"]

_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})

# Words that no markdown dialect reads as anything but themselves: no character that could open
# emphasis, a link, an entity or a cell. `www.` is left out because GitHub makes a link of it.
_PLAIN_WORDS = re.compile(r"[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*(?: [A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*)*")

# GitHub looks for addresses in the text it has already unescaped, so an entity does not stop it; a comment does.
_AUTOLINK = re.compile(r"(?<=&#58;)(?=&#47;)|(?=&#64;)|(?i:(?<=www))(?=&#46;)")
_COMMENT = "<!-- -->"

_PROSE_WORD = re.compile(r"\(?(?:[A-Za-z0-9]+(?:[._/-][A-Za-z0-9]+)*|%)\)?[.,;:?]?")

# GitHub's runner obeys `::word` at a line's start and `##[word]` anywhere, Azure's `##vso[word]`, TeamCity's
# `##teamcity[word]`; all of them read standard output and standard error alike.
_COMMAND = re.compile(r"^([^\S\n]*):(?=:)|#(?=#\w*\[)", re.MULTILINE)

_FORMULA_START = ("=", "+", "-", "@", "\t", "\r")


def visible(text: str, *, keep: str = "") -> str:
    r"""Return `text` with control, zero-width and direction characters written out as `\u202e`.

    Characters in `keep` (such as a newline in a transcript) stay as they are.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        char
        if char in keep or unicodedata.category(char) not in _INVISIBLE_CATEGORIES
        else _written_out(char)
        for char in text
    )


def _written_out(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def inert(text: str) -> str:
    r"""Return `text` as lines that no CI runner takes for its commands: their first sign written out, as `\u003a:error`."""
    if "::" not in text and "##" not in text:
        return text
    return _COMMAND.sub(_unheard, text)


def _unheard(found: re.Match[str]) -> str:
    return r"\u0023" if found[0] == "#" else rf"{found[1]}\u003a"


def as_json(document: object, *, default: Callable[[object], object] | None = None) -> str:
    r"""Return a document as ASCII text, ending in a line end, in which no CI runner finds a command (`##[`).

    What JSON has no word for goes through `default`; without it that raises TypeError.
    """
    return json.dumps(document, indent=1, default=default).replace("##", "#\\u0023") + "\n"


def html_text(text: str, *, keep: str = "") -> str:
    """Return `text` for an element's content or a double-quoted attribute."""
    return html.escape(visible(text, keep=keep), quote=True)


def entities(text: str) -> str:
    """Return `text` for a markdown table: every character that is no letter or digit as `&#NN;`.

    Plain words (ids, names, versions) are left readable, since no dialect interprets them.
    `html.escape` is not enough here: markdown links, pipes and line ends would survive it. An
    address is parted by an empty comment, so that no dialect makes a link of it.
    """
    shown = visible(text)
    if _PLAIN_WORDS.fullmatch(shown) and "www." not in shown.lower():
        return shown
    return _AUTOLINK.sub(_COMMENT, "".join(map(_entity, shown)))


def _entity(char: str) -> str:
    return char if char.isascii() and char.isalnum() else f"&#{ord(char)};"


def prose(text: str) -> str:
    """Return a title or a note for markdown, readable in the source: only words that a dialect might interpret change.

    For sentences of this program and of a project's own files; agents' text goes through `entities`.
    """
    return " ".join(word if _PROSE_WORD.fullmatch(word) else entities(word) for word in text.split())


def csv_text(text: str) -> str:
    """Return `text` for a CSV column of text: one that a spreadsheet would take for a formula gets a leading `'`."""
    return f"'{text}" if text.startswith(_FORMULA_START) else text
