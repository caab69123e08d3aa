"""What is wrong with no page, once all of a project's are checked: values that none uses, patterns that name none.

Each is said of the place in benchctl.toml, or of the file, that it stands in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.claims.files import BESIDE, read_page, shown_path
from benchctl.claims.finding import Finding
from benchctl.claims.result import PageReport
from benchctl.claims.values.project_names import project_lines, project_names
from benchctl.claims.verdict import SLUGS
from benchctl.errors import BenchctlError, PageUnreadableError
from benchctl.expressions import names_in, parse
from benchctl.store.project import PROJECT_FILE

if TYPE_CHECKING:
    from benchctl.schema.project import ProjectFile
    from benchctl.schema.source import TomlLines
    from benchctl.store.project import Project

__all__ = ["project_reports"]

_UNREAD = frozenset({"page-malformed", "marker-malformed", "page-undeclared", "page-unreadable"})


def project_reports(project: Project, pages: Sequence[PageReport], files: Sequence[Path]) -> list[PageReport]:
    """Return a report of benchctl.toml, and of each `.claims.toml` beside no page, as far as there is something to say.

    `pages` are the reports of every page of the policy, `files` where these are.
    """
    lines = project_lines(project)
    own = [*_unused(project, pages, lines), *_empty(project, lines)]
    reports = [_report(PROJECT_FILE, sorted(own, key=lambda item: (item.line, item.column)))] if own else []
    for file in _orphans(project, files):
        message = f"no page stands beside {shown_path(project, file)}"
        reports.append(_report(shown_path(project, file), [_finding("glob-empty", (1, 1), "", message)]))
    return reports


def _report(path: str, findings: Sequence[Finding]) -> PageReport:
    return PageReport(
        path=path, run=None, data=None, runs={}, numbers=0, bound=0, generated=0, exempt=0, unbound=0,
        kinds={}, findings=tuple(findings), is_page=False,
    )  # fmt: skip


def _finding(slug: str, place: tuple[int, int], literal: str, message: str) -> Finding:
    kind, (line, column) = SLUGS[slug], place
    return Finding(
        line=line,
        column=column,
        end_column=column + max(1, len(literal)),
        verdict=kind.verdict,
        severity=kind.severity,
        slug=slug,
        message=message,
        next_step=kind.next_step,
        literal=literal,
    )


def _unused(project: Project, pages: Sequence[PageReport], lines: TomlLines) -> Iterator[Finding]:
    """Yield the named values that no page, no table and no other value uses."""
    names = project_names(project)
    used = {name for page in pages for name in page.values} | _of_tables(project.config)
    used |= {other for name, value in names.items() for other in names_in(value.node) - {name}}
    unread = [page.path for page in pages if any(finding.slug in _UNREAD for finding in page.findings)]
    for (key, _), name in zip(project.config.values.items(), names, strict=True):
        if name not in used and not any(_says(project, path, name) for path in unread):
            message = f"no page, table or other value uses `{name}`"
            yield _finding("value-unused", lines.place(("values", key)), key, message)


def _of_tables(config: ProjectFile) -> set[str]:
    """Return the names that the project's tables use; what does not parse is said where the table is shown."""
    names: set[str] = set()
    texts = [
        text for spec in config.tables.values() for each in spec.columns for text in (each.value, each.of)
    ]
    for text in filter(None, texts):
        try:
            names |= names_in(parse(text))
        except BenchctlError:
            names |= set(re.findall(r"[^\W\d]\w*", text))
    return names


def _says(project: Project, path: str, name: str) -> bool:
    """Whether a page that could not be read in full has the name somewhere, or cannot be read at all."""
    try:
        text = read_page(project.root / path)
    except PageUnreadableError:
        return True
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


def _empty(project: Project, lines: TomlLines) -> Iterator[Finding]:
    """Yield the patterns and pages that are written in benchctl.toml and name no file."""
    policy = project.config.claims
    for pattern in policy.pages if "pages" in policy.model_fields_set else ():
        if not any(file.is_file() for file in project.root.glob(pattern)):
            place = lines.place_of(("claims", "pages"), pattern)
            yield _finding("glob-empty", place, f'"{pattern}"', f"`{pattern}` matches no file")
    for page in policy.max_unbound:
        if not (project.root / page).is_file():
            place = lines.place(("claims", "max_unbound", page))
            yield _finding("glob-empty", place, page, f"max_unbound: there is no page `{page}`")


def _orphans(project: Project, files: Sequence[Path]) -> list[Path]:
    """Return the `.claims.toml` in the folders of pages that stand beside none."""
    folders = sorted({file.parent for file in files} | {project.root})
    found = (file for folder in folders for file in sorted(folder.glob(f"*{BESIDE}")))
    return [file for file in found if not _has_page(file)]


def _has_page(file: Path) -> bool:
    """Whether there is a page of a file's name: of `x.claims.toml` any `x.*`, of `x.md.claims.toml` `x.md`."""
    name = file.name.removesuffix(BESIDE)
    return any(name in (other.name, other.stem) for other in file.parent.iterdir() if other != file)
