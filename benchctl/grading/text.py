"""How an answer's text is read: one normalisation for all graders.

Left out on purpose: sentences, denials and who asserts what; they belong to graders that
read prose for facts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

__all__ = ["clip", "fold", "item_text", "normalise_item", "read_list"]

_AROUND_JOINS = re.compile(r"\s*(::|->|\|)\s*")
_FENCE = re.compile(r"^[ \t]*(```|~~~)[^\n]*\n(.*?)^[ \t]*\1[ \t]*$", re.DOTALL | re.MULTILINE)
_RUNS = re.compile(r"[\s\-\u2010-\u2015\u2212]+")
_LONGEST = 200


def read_list(answer: str) -> list[object] | None:
    """Return the JSON list that an answer is, or None.

    The whole text counts first; then the last fenced block that is a list; then the last
    line that is not blank. Prose around a list therefore costs nothing, and a list inside
    a sentence is not an answer.
    """
    candidates = [answer, *(match[2] for match in reversed(list(_FENCE.finditer(answer))))]
    lines = answer.strip().splitlines()
    candidates += lines[-1:]
    for text in candidates:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, list):
            return value
    return None


def item_text(item: object) -> str:
    """Return an item of a JSON list as text that any file can hold: a string as it is, anything else as JSON.

    Half of a surrogate pair, which JSON can spell and UTF-8 cannot, becomes its escape.
    """
    text = item if isinstance(item, str) else json.dumps(item, ensure_ascii=True, sort_keys=True)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def normalise_item(text: str, prefixes: Sequence[str] = ()) -> str:
    """Return an item as it is compared: no blanks outside or around `::`, `->`, `|`; no tree path, no `./`.

    Of several prefixes that fit, the longest is dropped, and only where it ends at a folder.
    """
    text = _AROUND_JOINS.sub(r"\1", text.strip())
    for prefix in sorted((prefix.rstrip("/") for prefix in prefixes), key=len, reverse=True):
        if prefix and text.startswith(f"{prefix}/"):
            text = text[len(prefix) :].lstrip("/")
            break
    while text.startswith("./"):
        text = text[2:].lstrip("/")
    return text


def fold(text: str) -> str:
    """Return text for comparing literals: no `*` and backticks, dashes and blanks as one space, case folded.

    Underscores stay: they are part of names.
    """
    return _RUNS.sub(" ", text.replace("*", "").replace("`", "")).strip().casefold()


def clip(text: str, longest: int = _LONGEST) -> str:
    """Return text of at most `longest` characters, the cut marked."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
