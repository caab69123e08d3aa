"""Front matter: the YAML head of a page, read without resolving types, with the place of every key.

A run id such as `2026-08` stays the text it is, and a key written twice is an error instead of
the last one winning.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from benchctl.claims.reading.inline import Problem

__all__ = ["Entry", "FrontMatter", "read_front_matter"]

_HEAD = re.compile(r"\ufeff?---[ \t]*\r?\n")
_FOOT = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE)
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Entry:
    """A value with its place on the page: a text, a list of entries, or a mapping of entries."""

    start: int
    end: int
    value: str | list[Entry] | dict[str, Entry]


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The head of a page; `end` is where the page's own text begins. No front matter: `end` 0 and no entries."""

    end: int
    entries: dict[str, Entry]
    problems: tuple[Problem, ...]


def read_front_matter(text: str) -> FrontMatter:
    """Return the front matter of a page. What is wrong with it becomes a problem, never an exception."""
    head = _HEAD.match(text)
    foot = _FOOT.search(text, head.end()) if head else None
    if head is None or foot is None:
        return FrontMatter(0, {}, ())
    end = min(foot.end() + 1, len(text))
    import yaml  # type: ignore[import-untyped]

    try:
        node = yaml.compose(text[head.end() : foot.start()], Loader=yaml.SafeLoader)
        root = _Reader(head.end()).entry(node) if node else None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        place = getattr(getattr(error, "problem_mark", None), "index", 0) + head.end()
        what = f"the front matter is no YAML: {getattr(error, 'problem', None) or 'it cannot be read'}"
        # Renderers show a head they cannot read as text, so its numbers are read too.
        return FrontMatter(
            0, {}, (Problem(place, place + 1, what, "correct it; a text with `: ` needs quotes"),)
        )
    if root is None or isinstance(root.value, dict):
        entries = root.value if root and isinstance(root.value, dict) else {}
        return FrontMatter(end, entries, ())
    problem = Problem(head.end(), foot.start(), "the front matter is no mapping", "write `key: value` lines")
    return FrontMatter(0, {}, (problem,))


class _Reader:
    """Nodes of YAML to entries; `offset` is where the YAML begins on the page."""

    def __init__(self, offset: int) -> None:
        self.offset = offset
        self.depth = 0

    def entry(self, node: object) -> Entry:
        import yaml

        if not isinstance(node, yaml.Node):
            raise TypeError(type(node))
        start, end = self.offset + node.start_mark.index, self.offset + node.end_mark.index
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ValueError("nested too deeply")
        value: str | list[Entry] | dict[str, Entry]
        if isinstance(node, yaml.MappingNode):
            value = {}
            for key, item in node.value:
                name = str(key.value)
                if name in value:
                    raise yaml.MarkedYAMLError(None, None, f"the key `{name}` stands twice", key.start_mark)
                value[name] = self.entry(item)
        elif isinstance(node, yaml.SequenceNode):
            value = [self.entry(item) for item in node.value]
        else:
            value = str(node.value)
        self.depth -= 1
        return Entry(start, end, value)
