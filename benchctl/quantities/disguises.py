"""Numbers that a reader sees and a scanner would miss: words split by what does not show, letters of other scripts.

`se\u200bven` with a zero-width space inside and `s\u0435ven` with a Cyrillic letter are seven to whoever reads them. Whether it was
meant cannot be known, so each is a literal that cannot be read: an error upstream.
"""

from __future__ import annotations

import re

from benchctl.quantities.fold import HIDDEN
from benchctl.quantities.tokens import UNREADABLE, Token
from benchctl.quantities.words import is_number_word

__all__ = ["unmasked"]

_LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0455\u0458\u051b\u0501\u03bf\u03b1\u03b5\u03b9\u03bd\u03ba\u03c5\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7",
    "aeopcyxisjqdoaeivkuABEKMHOPCTXABEZHIKMNOPTYX",
)
"""Cyrillic and Greek letters that look like Latin ones."""
_STRANGE = re.compile(rf"{HIDDEN}|[\u0370-\u03ff\u0400-\u052f]")
_WORD = re.compile(rf"[A-Za-z\u0370-\u03ff\u0400-\u052f{HIDDEN}]+")
_ROUND_LETTERS = re.compile(r"[0-9][0-9.,]*[\u041e\u043e\u039f\u03bf][0-9.,\u041e\u043e\u039f\u03bf]*")


def unmasked(text: str, flat: str, tokens: list[Token]) -> list[Token]:
    """Return the tokens, and among them each disguised number as one that cannot be read; `flat` is `text` folded."""
    if not _STRANGE.search(flat):
        return tokens
    known = [_as_read(flat, token) for token in tokens]
    taken = {place for token in known for place in range(token.start, token.end)}
    found = [
        Token(word.start(), word.end(), text[word.start() : word.end()], UNREADABLE)
        for word in _WORD.finditer(flat)
        if word.start() not in taken and _is_disguised(word[0])
    ]
    return sorted([*known, *found], key=lambda token: token.start) if found else known


def _as_read(flat: str, token: Token) -> Token:
    """Return a token of digits and round letters (`1\u041e0`) as one that cannot be read, any other as it is."""
    if token.kind == "ident" and _ROUND_LETTERS.fullmatch(flat, token.start, token.end):
        return Token(token.start, token.end, token.text, UNREADABLE, digits=token.digits)
    return token


def _is_disguised(word: str) -> bool:
    plain = word.strip(HIDDEN).replace(HIDDEN, "").translate(_LOOKALIKES)
    return plain != word.strip(HIDDEN) and is_number_word(plain)
