"""Secrets taken out of whatever is kept, by their values, while it comes in.

What is looked for are the values themselves, in every form of `secret_forms`: a key has no shape that all keys
have. Deliberately left out: a secret that is compressed, encrypted, or spelt letter by letter.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache, partial
from typing import Final

from benchctl.schema.secret_names import sounds_secret
from benchctl.workspace.secret_forms import MIN_LENGTH, PIECE, forms_of
from benchctl.workspace.spelt_secrets import spelt_secrets

__all__ = ["Redactor", "redacted_text", "secrets_of", "substitute"]

_TAIL: Final = 3
"""How many last bytes are too few to be looked up as the begin of a form, and are compared one by one."""

_DFA_BYTES: Final = 1 << 18
"""Up to how many bytes of forms the search is a table of all states: thrice as fast, and some megabytes of memory."""

_WARM_BYTES: Final = 1 << 22
"""How much is looked through before that table is worth making: it takes as long as a few megabytes do without it."""

_PARTED: Final = PIECE + 8
"""How far apart two pieces of one secret may be that a line break has parted; they count once, as two do that stand so close."""


def secrets_of(environ: Mapping[str, str], named: Collection[str] = ()) -> dict[str, str]:
    """Return the variables whose values are taken out of all that is kept, by name.

    Those that are `named`, and those whose names sound like a secret (KEY, TOKEN, SECRET, PASSWORD …), unless the
    value is the path of a file that is there. Values below 8 characters are left out: they stand in common words.
    """
    return {
        name: value
        for name, value in sorted(environ.items())
        if len(value) >= MIN_LENGTH and (name in named or (sounds_secret(name) and not _is_path(value)))
    }


def _is_path(value: str) -> bool:
    return value.startswith("/") and "\0" not in value and os.path.lexists(value)


def substitute(name: str) -> str:
    """Return what stands for a secret that was taken out: in JSON, in a URL and in HTML it is as good as any word."""
    return f"[redacted:{re.sub(r'[^A-Za-z0-9_.-]', '_', name)}]"


class _Search:
    """What finds the forms of some secrets. `names` and `whole` belong to the forms, one by one.

    It begins as a search that is quickly made, for most streams are short, and becomes one that is quick.
    """

    def __init__(self, secrets: Iterable[tuple[str, str]]) -> None:
        from ahocorasick_rs import BytesAhoCorasick, Implementation, MatchKind

        forms = _named_forms(secrets)
        self.forms = tuple(forms)
        self.names = tuple(name for name, _ in forms.values())
        self.whole = tuple(whole for _, whole in forms.values())
        self._leftmost = partial(BytesAhoCorasick, self.forms, matchkind=MatchKind.LeftmostLongest)
        self._found = self._leftmost(implementation=Implementation.ContiguousNFA)
        self._quick = Implementation.DFA
        self._until_quick = _WARM_BYTES if sum(map(len, self.forms)) <= _DFA_BYTES else None
        self._begins = BytesAhoCorasick(
            {form[: _TAIL + 1] for form in self.forms}, implementation=Implementation.ContiguousNFA
        )
        self._heads = frozenset(form[:size] for form in self.forms for size in range(1, _TAIL + 1))
        self._longest = max(map(len, self.forms))

    def find(self, data: bytes) -> list[tuple[int, int, int]]:
        """Return (form, start, end) of what is found, the leftmost and then the longest, none inside another."""
        if self._until_quick is not None:
            self._until_quick -= len(data)
            if self._until_quick < 0:
                self._found, self._until_quick = self._leftmost(implementation=self._quick), None
        return self._found.find_matches_as_indexes(data)

    def held_from(self, data: bytes) -> int:
        """Return from where on `data` may be the begin of a form that has not all come yet; its length if nowhere."""
        end = len(data)
        start = max(0, end - self._longest + 1)
        tail = data[start:]
        for _, at, _ in self._begins.find_matches_as_indexes(tail, overlapping=True):
            rest = tail[at:]
            if any(len(form) > len(rest) and form.startswith(rest) for form in self.forms):
                return start + at
        shorts = (size for size in range(min(_TAIL, len(tail)), 0, -1) if tail[-size:] in self._heads)
        return end - next(shorts, 0)


def _named_forms(secrets: Iterable[tuple[str, str]]) -> dict[bytes, tuple[str, bool]]:
    """Return each form with the secret it is of, and whether it is a whole one; the first name has what two share."""
    told = [(name, forms_of(value)) for name, value in secrets]
    named: dict[bytes, tuple[str, bool]] = {}
    for at, is_whole in enumerate((True, False)):
        for name, forms in told:
            for form in forms[at]:
                named.setdefault(form, (name, is_whole))
    return named


@lru_cache(maxsize=8)
def _search(secrets: tuple[tuple[str, str], ...]) -> _Search:
    return _Search(secrets)


class Redactor:
    """Takes secrets out of a stream of bytes as it comes, in whatever pieces.

    `counts` says how often each was found, by name; a secret that a line break parts counts once. What may be the
    begin of a secret is held back until more comes, or until `close`. `filler` is one byte that stands for each byte
    of a secret, for streams whose length is said beforehand; without it a secret's name stands for it.
    """

    def __init__(self, secrets: Mapping[str, str], *, filler: bytes = b"") -> None:
        self._filler = filler
        known = tuple(sorted((name, value) for name, value in secrets.items() if len(value) >= MIN_LENGTH))
        self._search = _search(known) if known else None
        self._held = b""
        self._gone = 0
        self._last: tuple[str, int] | None = None
        self.counts: dict[str, int] = {}

    def feed(self, data: bytes) -> bytes:
        """Take the next bytes and return those that are sure to hold nothing, or what stands for it."""
        if self._search is None:
            return bytes(data)
        data = self._held + data
        return self._passed(self._search, data, self._search.held_from(data))

    def close(self) -> bytes:
        """Return the rest. What comes after it begins anew."""
        if self._search is None:
            return b""
        rest = self._passed(self._search, self._held, len(self._held))
        self._held, self._last = b"", None
        return rest

    def _passed(self, search: _Search, data: bytes, sure: int) -> bytes:
        """Return `data` up to `sure`, what was found put out of it, and hold the rest.

        What begins before `sure` has all come, so that no later byte can make an earlier or a longer find of it.
        """
        parts: list[bytes] = []
        at = 0
        for form, start, end in search.find(data):
            if start >= sure:
                break
            self._count(search, form, start, end)
            instead = self._filler * (end - start) or substitute(search.names[form]).encode()
            parts += (data[at:start], instead)
            at = end
        cut = max(at, sure)
        self._held = data[cut:]
        self._gone += cut
        return b"".join([*parts, data[at:cut]]) if parts else data[:cut]

    def _count(self, search: _Search, form: int, start: int, end: int) -> None:
        name, last = search.names[form], self._last
        if not search.whole[form]:
            self._last = (name, self._gone + end)
            if last and last[0] == name and self._gone + start - last[1] <= _PARTED:
                return
        self.counts[name] = self.counts.get(name, 0) + 1


def redacted_text(text: str, secrets: Mapping[str, str]) -> tuple[str, dict[str, int]]:
    """Return a text without the secrets, spelt with escapes or not, and how often each was in it, by name."""
    redactor = Redactor(secrets)
    data = text.encode("utf-8", "surrogatepass")
    clean = (redactor.feed(data) + redactor.close()).decode("utf-8", "surrogatepass")
    parts, at, counts = [], 0, Counter(redactor.counts)
    for start, end, name in spelt_secrets(clean, secrets):
        parts += [clean[at:start], substitute(name)]
        at, counts[name] = end, counts[name] + 1
    return "".join([*parts, clean[at:]]), dict(counts)
