"""The mkdocs plugin: events only. What they put into a site is made in the other files of this room.

    plugins:
      - search
      - benchctl

Run and cell pages are generated as one placeholder line each and filled in after
markdown and search, which is both the safe and the fast way. Hand-written pages are
checked before anything is written: `mkdocs build` fails once, with every problem;
`mkdocs serve` says so in the log and on the page.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal, ParamSpec, TypeVar
from urllib.parse import urlsplit

from mkdocs.config import config_options
from mkdocs.config.base import Config
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, InclusionLevel

from benchctl.errors import BenchctlError
from benchctl.publish.guard import check_site, content_security_policy
from benchctl.publish.site import Site
from benchctl.publish.theme import theme_script_hashes, with_policy
from benchctl.report.escaping import inert, visible
from benchctl.store.disk.verified_file import hash_anew
from benchctl.store.project import Project

if TYPE_CHECKING:
    from collections.abc import Callable

    from jinja2 import Environment
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

__all__ = ["BenchctlPlugin"]

# The theme prints notices about other projects' plans when it is imported, in every build and every log.
os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
os.environ.setdefault("DISABLE_MKDOCS_2_WARNING", "true")

_log = logging.getLogger("benchctl.publish")
_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")
_STYLE = "assets/benchctl/benchctl.css"
_SCRIPT = "assets/benchctl/benchctl.js"


class BenchctlConfig(Config):  # type: ignore[no-untyped-call]
    """Options under `plugins: benchctl:` in mkdocs.yml.

    `store` is the folder of runs and suites, relative to the project; empty takes benchctl.toml's.
    (An option named `data` would hide a field of mkdocs' own class and never load.)
    `guard` adds the Content Security Policy and checks the built pages; `allow_scripts` lists
    further inline scripts by hash, such as those of a theme override.
    """

    store = config_options.Type(str, default="")
    guard = config_options.Type(bool, default=True)
    allow_scripts = config_options.ListOfItems(config_options.Type(str), default=[])


class BenchctlPlugin(BasePlugin[BenchctlConfig]):  # type: ignore[no-untyped-call]
    """Puts runs into a mkdocs site, and fails a build whose pages say what the runs do not."""

    def __init__(self) -> None:
        self._serving = False
        self._site: Site | None = None
        self._allowed: frozenset[str] = frozenset()

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:  # noqa: ARG002 - mkdocs names it
        """Remember whether a person is looking at a draft.

        Warnings about a draft go to mkdocs' own handlers, but not through its logger: under `strict` it
        counts them, aborts the rebuild, and the page with the banner would never be served.
        """
        self._serving = command == "serve"
        for handler in logging.getLogger("mkdocs").handlers:
            if handler not in _log.handlers:
                _log.addHandler(handler)

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Find the project, watch its runs, and name the style and script that pages need."""
        hash_anew()
        project = _project(config, self.config.store)
        self._site = Site(project, Path(config.docs_dir))
        config.watch.extend(str(path) for path in self._site.watched() if str(path) not in config.watch)
        config.extra_css.append(_STYLE)
        config.extra_javascript.append(_SCRIPT)
        # Without a fixed scope one of the theme's inline scripts differs from page to page, and no list could hold it.
        config.extra.setdefault("scope", urlsplit(config.site_url or "").path or "/")
        return config

    def on_files(self, files: Files, /, *, config: MkDocsConfig) -> Files:
        """Add the generated pages, which no navigation lists, their downloads, and the assets."""
        site = self._opened()
        _raising(site.verify)
        generated = _raising(site.generated, {_STYLE: "benchctl.css", _SCRIPT: "benchctl.js"})
        for path, made in generated.items():
            # A page of the same path in docs_dir was written by a person, and stays.
            if files.get_file_from_path(path) is None:
                inclusion = InclusionLevel.INCLUDED if made.listed else InclusionLevel.NOT_IN_NAV
                files.append(File.generated(config, path, content=made.content, inclusion=inclusion))
        return files

    def on_page_markdown(self, markdown: str, /, *, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG002
        """Put slots where charts and verified blocks stand."""
        if page.file.abs_src_path is None:
            return markdown
        return _raising(self._opened().with_slots, page.file.src_uri, markdown)

    def on_env(self, env: Environment, /, *, config: MkDocsConfig, files: Files) -> Environment:  # noqa: ARG002
        """Stop here, before anything is written, if any page has a problem."""
        problems = self._opened().problems
        if problems and not self._serving:
            listed = inert("\n".join(map(visible, problems)))
            raise PluginError(f"benchctl: {len(problems)} problem(s) on the pages of this site\n{listed}")
        for problem in problems:
            _log.warning("benchctl: %s", inert(visible(problem)))
        self._allowed = theme_script_hashes(env, config) | frozenset(self.config.allow_scripts)
        return env

    def on_post_page(self, output: str, /, *, page: Page, config: MkDocsConfig) -> str:  # noqa: ARG002
        """Fill the slots, say under `serve` what is wrong with a page, and give it its policy."""
        output = _raising(self._opened().filled, page.file.src_uri, output)
        return self._with_policy(output)

    def on_post_template(self, output_content: str, /, *, template_name: str, config: MkDocsConfig) -> str:  # noqa: ARG002
        """Give pages without markdown, such as 404.html, the same policy."""
        return self._with_policy(output_content) if template_name.endswith(".html") else output_content

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Check the built site: nothing in it runs or loads but what is on the list."""
        if self.config.guard:
            site_url = urlsplit(config.site_url or "")
            origin = f"{site_url.scheme}://{site_url.netloc}" if site_url.netloc else ""
            _raising(check_site, Path(config.site_dir), allowed=self._allowed, own_origin=origin)

    def _opened(self) -> Site:
        if self._site is None:
            raise PluginError("benchctl: mkdocs never announced its configuration")
        return self._site

    def _with_policy(self, html: str) -> str:
        return with_policy(html, content_security_policy(self._allowed)) if self.config.guard else html


def _raising(
    call: Callable[_Arguments, _Result], *args: _Arguments.args, **kwargs: _Arguments.kwargs
) -> _Result:
    """Return what `call` returns; our errors become the one kind that mkdocs prints without a traceback."""
    try:
        return call(*args, **kwargs)
    except BenchctlError as error:
        raise PluginError(f"benchctl: {inert(visible(str(error), keep=chr(10)))}") from error


def _project(config: MkDocsConfig, store: str) -> Project:
    start = Path(config.config_file_path).parent if config.config_file_path else Path.cwd()
    project = _raising(Project.find, start)
    if not store:
        return project
    return Project(project.root, project.config.model_copy(update={"store": store}))
