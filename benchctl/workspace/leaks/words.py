"""A text as its bare words: what a writer or a format adds around words is gone.

Most of what is read is ASCII, and goes through tables of bytes; only the runs of other letters are looked at one by one.
"""

from __future__ import annotations

import codecs
import functools
import html
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

__all__ = ["normalise", "unescaped", "without_numbers", "words_of"]

_CODE = re.compile(r"u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_PERCENT = re.compile(r"%[0-9a-fA-F]{2}(?:%[0-9a-fA-F]{2})*")
_PART = 8192
_FEW = 2
_NUMBER = re.compile(rb" [0-9]+(?= )")
_APART = re.compile(r"\W")

_WORD_BYTES = bytes(
    code + 32 if chr(code).isupper() and code < 128 else code if code >= 128 or chr(code).isalnum() else 32
    for code in range(256)
)
"""ASCII letters in lower case, digits as they are, all else of ASCII a space; bytes of UTF-8 stay."""

_SHAPELESS = frozenset(
    {0x034F, 0x115F, 0x1160, 0x3164, 0xFFA0, *range(0x180B, 0x180F), *range(0xFE00, 0xFE10)}
)
"""Letters without a shape outside of category Cf: joiners, fillers, variation selectors (Default_Ignorable)."""


def normalise(text: str) -> str:
    """Return the words of a text, folded and parted by one space, with a space at either end.

    Decoration, quotes, line breaks and the escapes of JSON, HTML and URLs are gone; so are case, width and
    letters without a shape.
    """
    return words_of(text).decode(errors="replace")


def words_of(text: str) -> bytes:
    """Return the same as UTF-8."""
    text = unescaped(text)
    if not text.isascii() and not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
    return b" %b " % b" ".join(_encoded(text).translate(_WORD_BYTES).split())


def without_numbers(plain: bytes) -> Iterator[bytes]:
    """Yield words without the numbers between them: of lines, of subtitles, of a column beside each word.

    Then also without the words that stand again and again between the others, as the names of fields and what a
    log begins its lines with do. Nothing where not every tenth word is a number, as in most texts: what stands
    there is read as it is.
    """
    bare, count = _NUMBER.subn(b"", plain)
    if count <= _FEW or count * 10 < plain.count(b" "):
        return
    yield bare
    words = bare.split()
    often = {word for word, times in Counter(words).items() if times > _FEW and times * 8 >= len(words)}
    if often:
        yield b" %b " % b" ".join(word for word in words if word not in often)


def _encoded(text: str) -> bytes:
    if text.isascii():
        return text.encode()
    # In parts: the encoder moves all that it has written for each run of other letters.
    parts = (text[at : at + _PART] for at in range(0, len(text), _PART))
    return b"".join(part.encode("ascii", errors=_FOLD) for part in parts)


def _foreign(error: UnicodeError) -> tuple[bytes, int]:
    """Return a run of letters outside ASCII as UTF-8: the encoder finds the runs faster than any pattern."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return _folded(error.object[error.start : error.end]).encode(errors="replace"), error.end


_FOLD = "benchctl-words"
codecs.register_error(_FOLD, _foreign)


@functools.lru_cache(maxsize=8192)
def _folded(run: str) -> str:
    wide = unicodedata.normalize("NFKC", run)
    shaped = "".join(
        letter for letter in wide if unicodedata.category(letter) != "Cf" and ord(letter) not in _SHAPELESS
    )
    return _APART.sub(" ", shaped.casefold())


def unescaped(text: str) -> str:
    r"""Return a text without the escapes of strings (`\n`, `\u0041`, at any depth), HTML and URLs.

    An escape inside another one is undone as well, once.
    """
    twice = _nested(text)
    text = _undone(text)
    return _undone(text) if twice else text


def _nested(text: str) -> bool:
    """Say whether a text may hold the escape of a sign that begins an escape."""
    return (
        "\\u00" in text
        or ("&" in text and ("&amp;" in text or "&#" in text))
        or ("%" in text and ("%2" in text or "%5" in text))
    )


def _undone(text: str) -> str:
    if "\\" in text:
        first, *rest = text.split("\\")
        text = first + "".join(map(_after_backslash, rest))
    if "&" in text:
        text = _ENTITY.sub(_entity, text)
    if "%" in text:
        text = _PERCENT.sub(lambda found: unquote_to_bytes(found[0]).decode(errors="replace"), text)
    return text


def _entity(found: re.Match[str]) -> str:
    """Return the letter of an entity, in whatever case its name was put."""
    letter = html.unescape(found[0])
    return html.unescape(found[0].lower()) if letter == found[0] else letter


def _after_backslash(part: str) -> str:
    """Return what follows a backslash, without its escape; of several backslashes the last one counts."""
    if not part:
        return ""
    if part[0] in "ntrbf":
        return f" {part[1:]}"
    code = _CODE.match(part) if part[0] in "ux" else None
    if code:
        return chr(int(code[1] or code[2], 16)) + part[code.end() :]
    return part
