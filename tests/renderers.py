"""The two renderers of a page: GitHub's own library, and Python-Markdown with the extensions of the project's mkdocs.yml."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent


def github(text: str) -> str:
    """Return a page as GitHub's renderer makes it, before its sanitizer, which would hide what is let through."""
    import cmarkgfm
    from cmarkgfm.cmark import Options

    return cmarkgfm.github_flavored_markdown_to_html(text, options=Options.CMARK_OPT_UNSAFE)


def mkdocs(text: str) -> str:
    """Return a page as the site's renderer makes it."""
    return site().convert(text)


def site():
    """Return Python-Markdown with the extensions of the project's own mkdocs.yml."""
    import markdown

    configs = _extensions()
    return markdown.Markdown(extensions=list(configs), extension_configs=configs)


@lru_cache(maxsize=1)
def _extensions():
    listed = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["markdown_extensions"]
    named = [next(iter(item.items())) if isinstance(item, dict) else (item, {}) for item in listed]
    return {name: config or {} for name, config in named}
