"""The parts of the manual that the code itself knows: written by this script, compared by test_docs.py.

python tests/reference_pages.py        writes site/reference/*.md and the drawing in site/design/architecture.md
"""

import ast
import inspect
import itertools
import json
import re
import sys
import types
import typing
from pathlib import Path

import click
import pydantic

ROOT = Path(__file__).resolve().parent.parent
HEADER = """---
benchctl: none
reason: generated from the code; there is no result on this page
title: {title}
---
# {title}

{intro}
"""
BEGIN, END = "<!-- rooms: begin -->", "<!-- rooms: end -->"


def paragraphs(thing):
    """Return a docstring as markdown: unwrapped, paragraph by paragraph."""
    return [" ".join(part.split()) for part in inspect.getdoc(thing).split("\n\n")]


def cell(text):
    return " ".join(str(text).split()).replace("|", "\\|")


def table(head, rows):
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join(lines + [f"| {' | '.join(cell(value) for value in row)} |" for row in rows])


def leaves(base):
    below = base.__subclasses__()
    return [leaf for child in below for leaf in leaves(child)] if below else [base]


def errors_page():
    from benchctl.claims.verdict import FINDINGS
    from benchctl.errors import BenchctlError, InputError, RefusedError, WrongError

    families = (
        (InputError, "The input is unusable", "exit code 2"),
        (WrongError, "It ran and found something wrong", "exit code 1"),
        (RefusedError, "Refused before anything was spent", "exit code 3"),
    )
    intro = (
        "Every error has a slug, printed behind its message and used as an anchor here, and says where, what was "
        "expected and the next step. Standard error carries the message; standard output carries data only."
    )
    parts = [HEADER.format(title="Errors and findings", intro=intro)]
    assert {type_ for type_, _, _ in families} == set(BenchctlError.__subclasses__())
    for family, title, code in families:
        parts.append(f"## {title}: {code}\n")
        parts += [
            f"### `{leaf.slug}` {{ #{leaf.slug} }}\n\n" + "\n\n".join(paragraphs(leaf)) + "\n"
            for leaf in sorted(leaves(family), key=lambda leaf: leaf.slug)
        ]
    parts.append(
        "## Findings on a page\n\nWhat `benchctl verify-claims` and the mkdocs plugin report about a page; an error "
        "makes them exit with 1, an advisory is printed.\n"
    )
    parts += [
        f"### `{finding.slug}` {{ #{finding.slug} }}\n\n*Verdict `{finding.verdict}`, {finding.severity}.* "
        f"{finding.meaning}\n\nNext: {finding.next_step}\n"
        for finding in FINDINGS
    ]
    return "\n".join(parts)


def metrics_page():
    from benchctl.metrics import METRICS

    intro = (
        "A metric is declared once; tables, charts, claims and this page read the same entry. "
        "Null is always *not measured*; zero is a measurement."
    )
    rows = [
        (f"`{m.name}`", m.title, f"`{m.unit}`" if m.unit else "count", m.better, m.meaning, m.assumption)
        for m in METRICS.values()
    ]
    head = ("metric", "title", "unit", "better", "what it is", "what is assumed")
    return HEADER.format(title="Metrics", intro=intro) + "\n" + table(head, rows) + "\n"


def said_of(module, name):
    """Return the text that stands below a module's constant, unwrapped."""
    body = ast.parse(inspect.getsource(module)).body
    place = next(
        number
        for number, node in enumerate(body)
        if isinstance(node, ast.Assign | ast.AnnAssign)
        and name in [each.id for each in getattr(node, "targets", None) or [node.target]]
    )
    return " ".join(body[place + 1].value.value.split())


def before_since(column, columns):
    """Return what a file from before a column existed reads as; a table that came later has no rows then."""
    if column.since == 1:
        return ""
    if all(each.since > 1 for each in columns if each.name != "run"):
        return "no rows"
    return "null" if column.default == "NULL" else f"`{column.default}`"


def history():
    """Return the versions of everything that is stored, each with what an older file reads as."""
    from benchctl.schema import result, run
    from benchctl.store.disk import manifest
    from benchctl.store.journals import journal

    rows_history = (
        inspect.getdoc(result).split("SCHEMA_VERSION and its history:")[1].split("Columns are only")[0]
    )
    (of_manifests,) = (text for text in paragraphs(manifest) if text.startswith("Schemas: "))
    later = dict.fromkeys(
        (f"`{name}`", "every column" if old == "no rows" else f"`{column.name}`", column.since, old)
        for name, columns in result.VIEWS.items()
        for column in columns
        if column.since > 1 and (old := before_since(column, columns))
    )
    assert later
    return [
        "## History\n",
        f"### Rows: schema {result.SCHEMA_VERSION} (`SCHEMA_VERSION`)\n",
        rows_history.strip() + "\n",
        (
            "A column that a file was written without reads as that column's declared default, in every row; "
            "a null that was written stays null. A table that a run has no file of has no rows.\n"
        ),
        table(("table", "column", "since", "an older file reads as"), later) + "\n",
        f"### Run records: schema {run.RUN_SCHEMA} (`RUN_SCHEMA`, the key `schema` of run.json)\n",
        said_of(run, "RUN_SCHEMA") + "\n",
        "### Manifests: the key `schema` of manifest.json\n",
        of_manifests.removeprefix("Schemas: ") + "\n",
        f"### Journals: schema {journal.JOURNAL_SCHEMA} (`JOURNAL_SCHEMA`, the key `journal` of an `open` event)\n",
        said_of(journal, "JOURNAL_SCHEMA") + "\n",
        "### Older and newer\n",
        (
            "A store that a released version wrote is kept beside the tests and read by them for ever, row by row. "
            "A run of a newer version (a manifest, a record, rows or a journal of a later schema) "
            "is refused with `store-newer`; nothing of it is changed, and the other runs are read.\n"
        ),
    ]


def schema_page():
    from benchctl.schema import result

    intro = (
        "Every column that `benchctl query` and the expression language see. Columns are appended, never renamed; "
        f"this is schema version {result.SCHEMA_VERSION}. Where a column came later than the first version, *before* "
        "says what an older file reads as."
    )
    parts = [HEADER.format(title="Tables and columns", intro=intro)]
    for name, columns in result.VIEWS.items():
        rows = [
            (
                f"`{c.name}`", c.type, c.unit or "", c.meaning, c.null or "never null", c.since, before_since(c, columns)
            )
            for c in columns
        ]  # fmt: skip
        head = ("column", "type", "unit", "meaning", "null means", "since", "before")
        parts.append(f"## `{name}`\n\n" + table(head, rows) + "\n")
    return "\n".join([*parts, *history()]).rstrip() + "\n"


def walk(command, path):
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from walk(command.get_command(context, name), (*path, name))
    else:
        yield path, command


def said_of_fields(model):
    """Return by field the text that stands below it in a model, unwrapped."""
    (body,) = (
        node.body
        for node in ast.parse(inspect.getsource(inspect.getmodule(model))).body
        if isinstance(node, ast.ClassDef) and node.name == model.__name__
    )
    return {
        field.target.id: " ".join(text.value.value.split())
        for field, text in itertools.pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
    }


def bounds(marks):
    """Return what the marks of a number allow, as `, above 0`; nothing of a bound that only the format has."""
    words = {"Gt": "above", "Ge": "at least", "Lt": "below", "Le": "at most"}
    known = [
        (words[name], getattr(mark, name.lower())) for mark in marks if (name := type(mark).__name__) in words
    ]
    return "".join(f", {word} {bound:,}" for word, bound in known if abs(bound) < 2**53)


def in_words(annotation, marks=()):
    """Return a type as people say it; what is in a table stands below its own heading."""
    from benchctl.schema.fields import AgentFolder

    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation == AgentFolder:
        return "a folder inside the suite's own"
    if origin is typing.Annotated:
        return in_words(arguments[0], [*arguments[1:], *marks])
    if origin in (typing.Union, types.UnionType):
        return in_words(next(each for each in arguments if each is not type(None)), marks)
    if origin in (tuple, dict):
        return (
            f"list, each: {in_words(arguments[0])}"
            if origin is tuple
            else f"table, each: {in_words(arguments[1])}"
        )
    return plainly(annotation, marks)


def plainly(annotation, marks):
    from benchctl.schema.written import Written

    marks = [part for mark in marks for part in getattr(mark, "metadata", (mark,))]
    if choices := typing.get_args(annotation):
        return f"{'one of ' if choices[1:] else ''}{', '.join(f'`{each}`' for each in choices)}"
    if isinstance(annotation, type) and issubclass(annotation, pydantic.BaseModel):
        return "table"
    plain = {str: "text", bool: "true or false", int: "whole number", float: "number"}[annotation]
    written = [mark.words.split(": ")[0] for mark in marks if isinstance(mark, Written)]
    return written[0] if written else plain + bounds(marks)


def headed(heading):
    """Return the place of a table as a heading names it."""
    if "[]." in heading:
        outer, inner = heading.split("[].")
        return f"`{inner}` of `[[{outer}]]`"
    return f"`[[{heading.removesuffix('[]')}]]`" if heading.endswith("[]") else f"`[{heading}]`"


def default_of(field):
    if field.is_required():
        return "required"
    default = field.get_default(call_default_factory=True)
    if isinstance(default, pydantic.BaseModel) or default in (None, "", (), {}):
        return ""
    return f"`{json.dumps(default)}`"


def suite_tables(model, heading=""):
    """Yield (heading, model) of every table of a suite file, each above those in it."""
    from benchctl.schema.unknown_key import tables_in

    yield heading, model
    for name, field in model.model_fields.items():
        key = f"{heading}.{name}".lstrip(".")
        many = typing.get_origin(field.annotation)
        if many is dict:
            key += {"Injected": ".VARIABLE"}.get(
                getattr(typing.get_args(field.annotation)[1], "__name__", ""), ".NAME"
            )
        for table_ in tables_in(field.annotation):
            yield from suite_tables(table_, key + ("[]" if many is tuple else ""))


def suite_page():
    from benchctl.schema.suite import Suite

    intro = (
        "`data/suites/NAME/suite.toml`, table by table. A key that is not here is an error, and so is a value of "
        "another type; all mistakes of a file are said at once, each with its line. [Suites](../guide/suites.md) "
        "explains how to write one."
    )
    parts = [HEADER.format(title="Keys of suite.toml", intro=intro)]
    at = {}
    for heading, model in suite_tables(Suite):
        at.setdefault(model, []).append(heading)
    for model, headings in at.items():
        names = [headed(each) for each in headings if each]
        said = said_of_fields(model)
        rows = [
            (
                f"`{field.alias or name}`", in_words(field.annotation, field.metadata), default_of(field), said[name]
            )
            for name, field in model.model_fields.items()
        ]  # fmt: skip
        text = "\n\n".join(paragraphs(model))
        head = ("key", "type", "default", "meaning")
        parts.append(
            f"## {' and '.join(names) or 'The top of the file'}\n\n{text}\n\n" + table(head, rows) + "\n"
        )
    return "\n".join(parts).rstrip() + "\n"


def cli_page():
    from benchctl.cli import cli

    intro = (
        "Every command takes `--project DIR`, prints data on standard output and everything else on standard "
        "error. Exit codes: 0 all is well, 1 it ran and found something wrong, 2 the input is unusable, 3 refused "
        "to run, 130 interrupted.\n\nCompletion for bash, zsh and fish comes from click: "
        '`eval "$(_BENCHCTL_COMPLETE=bash_source benchctl)"`.'
    )
    parts = [HEADER.format(title="Commands", intro=intro)]
    for path, command in walk(cli, ("benchctl",)):
        name = " ".join(path)
        context = click.Context(
            command, info_name=name, terminal_width=100, max_content_width=100, **cli.context_settings
        )
        parts.append(f"## `{name}`\n\n```text\n{command.get_help(context).rstrip()}\n```\n")
    return "\n".join(parts)


def rooms():
    """Return the drawing of the house: every module with the first sentence of its docstring."""
    lines = []
    for path in sorted((ROOT / "benchctl").rglob("*.py")):
        doc = (ast.get_docstring(ast.parse(path.read_text())) or "").split("\n\n")[0]
        assert doc, f"{path} says nothing about itself"
        relative = path.relative_to(ROOT / "benchctl")
        lines.append((relative.as_posix(), " ".join(doc.split())))
    width = max(len(name) for name, _ in lines)
    return "\n".join(f"{name:<{width}}  {doc}" for name, doc in lines)


def architecture_page():
    text = (ROOT / "site/design/architecture.md").read_text()
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n```text\n{rooms()}\n```\n{END}{rest.split(END)[1]}"


PAGES = {
    "site/reference/errors.md": errors_page,
    "site/reference/metrics.md": metrics_page,
    "site/reference/schema.md": schema_page,
    "site/reference/cli.md": cli_page,
    "site/reference/suite.md": suite_page,
    "site/design/architecture.md": architecture_page,
}


def main():
    for path, page in PAGES.items():
        text = re.sub(r"[ \t]+\n", "\n", page())
        (ROOT / path).write_text(text)
        sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()
