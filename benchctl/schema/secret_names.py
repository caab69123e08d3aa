"""Which environment variables hold a secret, as far as a name can say: one rule for what a cell needs and what is taken out."""

from __future__ import annotations

import re

__all__ = ["sounds_secret"]

_SECRET = re.compile(
    r"KEY(?!BOARD|MAP|_?FILE|_?PATH|_?NAME)|SECRET|PASSW(?:OR)?D|PASSPHRASE|CREDENTIAL", re.IGNORECASE
)
_TOKEN = re.compile(r"TOKEN(?!IZER)", re.IGNORECASE)
_AMOUNT = re.compile(
    r"(?:^|_)(?:MAX|MIN|NUM)_(?:\w*_)?TOKENS(?:_|$)|TOKENS?_?(?:MAX|MIN|LIMIT|COUNT|BUDGET)(?:_|$)",
    re.IGNORECASE,
)


def sounds_secret(name: str) -> bool:
    """Return whether a variable of this name holds a key, a token or a password.

    One that holds where a key is (`KEY_FILE`), or how many tokens there may be (`MAX_TOKENS`), does not.
    """
    return bool(_SECRET.search(name) or (_TOKEN.search(name) and not _AMOUNT.search(name)))
