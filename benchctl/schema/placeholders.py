"""Placeholders in a command line that a suite writes: `{name}` is filled in.

`{{anything}}` is a literal `{anything}`. Braces around something that does not begin with the name of a
placeholder are left alone, so that JSON and globs need no escape.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from benchctl.errors import SuiteInvalidError

__all__ = ["fill", "mistakes", "names"]

_PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}|\{([A-Za-z_]\w*)\}")
_BRACE = re.compile(r"\{(?:([A-Za-z_]\w*)|\})")


def fill(word: str, values: Mapping[str, str]) -> str:
    """Return a word with its placeholders filled in. A value is put in once and not read again.

    Raises SuiteInvalidError for a name that has no value.
    """

    def value(match: re.Match[str]) -> str:
        if match[1] is not None:
            return f"{{{match[1]}}}"
        if match[2] not in values:
            raise SuiteInvalidError(
                f"argv holds the unknown placeholder {{{match[2]}}}",
                expected=f"one of {_listed(values)}",
                next_step=f"write {{{{{match[2]}}}}} where the braces are meant literally",
            )
        return values[match[2]]

    return _PLACEHOLDER.sub(value, word)


def names(word: str) -> frozenset[str]:
    """Return the names of the placeholders that a word holds, known or not."""
    return frozenset(match[2] for match in _PLACEHOLDER.finditer(word) if match[2])


def mistakes(word: str, known: Collection[str]) -> Iterator[str]:
    """Yield what is wrong with the braces of a word: an unknown name, `{}`, a known name that nothing closes."""
    for match in _PLACEHOLDER.finditer(word):
        if match[2] and match[2] not in known:
            yield (
                f"holds the unknown placeholder {{{match[2]}}}; there are {_listed(known)},"
                f" and {{{{{match[2]}}}}} is the literal text"
            )
    for match in _BRACE.finditer(_PLACEHOLDER.sub("", word)):
        if match[1] is None:
            yield "holds {}, which names nothing; {{}} is the literal text"
        elif match[1] in known:
            yield (
                f"holds {{{match[1]} without a closing brace right behind the name;"
                f" the placeholder is {{{match[1]}}}, and doubled braces are literal"
            )


def _listed(names: Collection[str]) -> str:
    return " ".join(f"{{{name}}}" for name in sorted(names))
