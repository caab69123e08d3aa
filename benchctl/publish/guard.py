"""Built HTML holds nothing that runs or loads, except what is on a fixed list.

The list is never made from the page itself: hashing "the scripts found in the page"
would authorise the attacker's script along with the theme's. Links to other hosts are
allowed; loading anything from one is not.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path

from benchctl.errors import MarkupRefusedError

__all__ = ["check_html", "check_site", "content_security_policy", "inline_scripts", "script_hash"]

_LOADING = {
    "audio": ("src",),
    "embed": ("src",),
    "feimage": ("href", "xlink:href"),
    "form": ("action",),
    "frame": ("src",),
    "iframe": ("src", "srcdoc"),
    "image": ("href", "xlink:href"),
    "img": ("src", "srcset"),
    "input": ("src", "formaction"),
    "button": ("formaction",),
    "object": ("data", "codebase"),
    "script": ("src", "href", "xlink:href"),
    "source": ("src", "srcset"),
    "track": ("src",),
    "use": ("href", "xlink:href"),
    "video": ("src", "poster"),
    "body": ("background",),
    "table": ("background",),
}
_FORBIDDEN = frozenset({"base", "applet", "frameset"})
# A `link` with another relation (canonical, next, alternate) tells something and loads nothing.
_LOADING_RELS = frozenset(
    {
        "apple-touch-icon", "dns-prefetch", "icon", "manifest", "mask-icon", "modulepreload", "preconnect",
        "prefetch", "preload", "prerender", "shortcut", "stylesheet",
    }
)  # fmt: skip
_DATA_TYPES = frozenset({"application/json", "application/ld+json", "text/plain"})
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_BLANK = re.compile(r"[\x00-\x20]+")
_CSS_LOAD = re.compile(r"@import|url\(\s*['\"]?\s*(?!data:|#)(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)
_LINKING = frozenset({"href", "xlink:href", "to", "from", "values"})
# What differs between two pages that hold the same thing: how far up their assets are, and so a script's hash.
_CLIMB = re.compile(r"(?:\.\./)*\.\.?(?=['\"/])")
_HASH = re.compile(r" sha256-[A-Za-z0-9+/=]+$")
_MOST_LINES = 10
_SAFE = frozenset({None, "http", "https", "mailto"})


def script_hash(script: str) -> str:
    """Return an inline script's `sha256-…` as a Content Security Policy writes it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def inline_scripts(html: str) -> tuple[str, ...]:
    """Return the text of each inline script that a browser would run, in order."""
    reader = _Reader(frozenset())
    reader.feed(html)
    reader.close()
    return tuple(reader.scripts)


def content_security_policy(hashes: Iterable[str], *, scripts: str = "'self'") -> str:
    """Return the policy of a page: nothing from elsewhere, and no inline script but those with these hashes."""
    allowed = " ".join([scripts, *(f"'{value}'" for value in sorted(hashes))]).strip()
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        "font-src 'self'; connect-src 'self'; worker-src 'self' blob:; manifest-src 'self'; base-uri 'none'; "
        "form-action 'none'; object-src 'none'"
    )


def check_html(html: str, *, allowed: frozenset[str], own_origin: str = "") -> list[str]:
    """Return what a page holds that it must not, as sentences with their line; empty is clean.

    `allowed` are the hashes of inline scripts that may stand. `own_origin` (such as
    `https://example.org`) may be named in full where the page loads from itself.
    """
    reader = _Reader(allowed, own_origin)
    reader.feed(html)
    reader.close()
    return reader.problems


def check_site(
    site_dir: Path, *, allowed: frozenset[str], own_origin: str = "", only: Iterable[Path] | None = None
) -> int:
    """Check every page under `site_dir` and return how many there were.

    Raises MarkupRefusedError with the problems of all pages, grouped by what was found, and where no page was found:
    a check of nothing would be no check.
    """
    pages = sorted(only if only is not None else site_dir.rglob("*.html"))
    if not pages:
        raise MarkupRefusedError(f"{site_dir}: no built page was found", expected="pages to check")
    problems = [
        (page.relative_to(site_dir).as_posix(), problem)
        for page in pages
        for problem in check_html(page.read_text(encoding="utf-8"), allowed=allowed, own_origin=own_origin)
    ]
    if problems:
        raise MarkupRefusedError(
            "the built pages hold what benchctl did not write:\n"
            + "\n".join(f"  {line}" for line in _grouped(problems)),
            expected="no inline script outside the fixed list, no handler, nothing loaded from another host",
            next_step="take it out of the page; where the theme brings it, use `theme: material` with `font: false`, "
            "or list further scripts under `allow_scripts`, or set `guard: false`",
        )
    return len(pages)


def _grouped(problems: Iterable[tuple[str, str]]) -> list[str]:
    """Return one line a kind of finding, with its count and first place; at most ten lines.

    The rarest come first: a theme's own are on every page, and must not push a page's off the list.
    """
    groups: dict[str, list[str]] = {}
    for page, problem in problems:
        line, _, what = problem.partition(": ")
        groups.setdefault(_HASH.sub("", _CLIMB.sub("..", what)), []).append(f"{page}:{line}: {what}")
    ranked = sorted(groups.values(), key=len)
    shown = ranked if len(ranked) <= _MOST_LINES else ranked[: _MOST_LINES - 1]
    lines = [found[0] + (f" ({len(found)} times, here first)" if len(found) > 1 else "") for found in shown]
    if rest := ranked[len(shown) :]:
        lines.append(f"and {len(rest)} more kinds of finding, {sum(map(len, rest))} in all")
    return lines


class _Reader(HTMLParser):
    """Walks one page and collects problems as `line: sentence`."""

    def __init__(self, allowed: frozenset[str], own_origin: str = "") -> None:
        super().__init__(convert_charrefs=True)
        self.problems: list[str] = []
        self.scripts: list[str] = []
        self._allowed = allowed
        self._own_origin = own_origin.rstrip("/")
        self._text: list[str] | None = None
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = [(name.lower(), value or "") for name, value in attrs]
        values = dict(reversed(attributes))
        if tag in _FORBIDDEN:
            self._problem(f"<{tag}> is not allowed")
        if tag == "meta" and values.get("http-equiv", "").lower() == "refresh":
            self._problem("a page must not redirect by <meta http-equiv=refresh>")
        for name, value in attributes:
            self._attribute(tag, name, value)
        if tag == "link" and _LOADING_RELS & set(values.get("rel", "").lower().split()):
            self._load(tag, "href", values.get("href", ""))
        if tag == "style" or (
            tag == "script" and "src" not in values and not _is_data(values.get("type", ""))
        ):
            self._text, self._inside = [], tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # A browser does not know self-closing elements in HTML, so `<script/>` opens one.
        self.handle_starttag(tag, attrs)

    def handle_data(self, data: str) -> None:
        if self._text is not None:
            self._text.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == self._inside and self._text is not None:
            self._end_of_text("".join(self._text))

    def close(self) -> None:
        super().close()
        if self._text is not None:
            self._problem(f"<{self._inside}> never ends")

    def _end_of_text(self, text: str) -> None:
        inside, self._text, self._inside = self._inside, None, ""
        if inside == "style":
            self._style(text)
        else:
            self.scripts.append(text)
            if script_hash(text) not in self._allowed:
                self._problem(
                    f"an inline script that is not on the list: {text.strip()[:60]!r} {script_hash(text)}"
                )

    def _attribute(self, tag: str, name: str, value: str) -> None:
        if name.startswith("on"):
            self._problem(f"<{tag} {name}=…> is an event handler")
        elif name == "style":
            self._style(value)
        elif name in _LOADING.get(tag, ()):
            self._load(tag, name, value)
        elif tag != "link" and name in _LINKING and (scheme := _scheme(value)) not in _SAFE:
            self._problem(f"<{tag} {name}=…> is a {scheme}: address")

    def _load(self, tag: str, name: str, value: str) -> None:
        candidates = (
            [part.split()[0] for part in value.split(",") if part.strip()] if name == "srcset" else [value]
        )
        for address in candidates:
            plain = _BLANK.sub("", address).replace("\\", "/")
            if plain.startswith("data:image/") and tag in {"img", "link", "source"}:
                continue
            if self._own_origin and (plain == self._own_origin or plain.startswith(f"{self._own_origin}/")):
                continue
            if name == "srcdoc" or plain.startswith("//") or _SCHEME.match(plain):
                self._problem(f"<{tag} {name}=…> loads {address[:80]!r}")

    def _style(self, text: str) -> None:
        if found := _CSS_LOAD.search(text):
            self._problem(f"a style loads from elsewhere: {found[0]!r}")

    def _problem(self, what: str) -> None:
        self.problems.append(f"{self.getpos()[0]}: {what}")


def _is_data(kind: str) -> bool:
    return kind.partition(";")[0].strip().lower() in _DATA_TYPES


def _scheme(value: str) -> str | None:
    """Return the scheme of an address as a browser reads it: blanks and control characters do not hide one."""
    found = _SCHEME.match(_BLANK.sub("", value))
    return found[0][:-1].lower() if found else None
