"""What the cells of a run were given beside their trees: programs, tools with their descriptions, indexes, instructions.

Two arms that differ in what they were told are two things; whoever reads a figure has to see what.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchctl.quantities.format import counted
from benchctl.report.shape import short_digest
from benchctl.report.term import Term
from benchctl.schema.run import IndexRecord, ProgramRecord, RunRecord, ServerRecord

__all__ = ["equipment"]


def equipment(record: RunRecord) -> Iterator[Term]:
    """Yield a term for each kind of thing that the run's cells were given; nothing where they were given nothing."""
    if record.programs:
        yield Term("Programs", tuple(_program(each) for each in record.programs))
    told = tuple(_told(record))
    if told:
        yield Term("Told", told)
    if record.servers:
        yield Term(
            "Tools",
            tuple(_server(each) for each in record.servers),
            tuple(
                f"{each.server}.{tool.name}: {tool.description}"
                for each in record.servers
                for tool in each.tools
                if tool.description
            ),
        )
    if record.indexes:
        yield Term("Indexes", tuple(_index(each) for each in record.indexes))


def _program(program: ProgramRecord) -> str:
    said = program.version or "says no version"
    return f"{program.name}: {said}" if program.name not in said else said


def _told(record: RunRecord) -> Iterator[str]:
    """Yield what each arm of the run tells its agents beside the question."""
    for name in dict.fromkeys(cell.arm for cell in record.cells):
        arm = record.arms.get(name, {})
        if arm.get("prompt", "{prompt}") != "{prompt}":
            yield f"{name}: the wording {arm['prompt']}"
        if arm.get("effort"):
            yield f"{name}: effort {arm['effort']}"
        if arm.get("instructions"):
            yield f"{name}: the instructions {arm['instructions']}"
        if arm.get("git"):
            yield f"{name}: a repository of one commit, without a history"


def _server(server: ServerRecord) -> str:
    tools = ", ".join(tool.name for tool in server.tools)
    withheld = f"; withheld {', '.join(server.withheld)}" if server.withheld else ""
    who = " ".join(filter(None, (server.name, server.version)))
    return f"{server.arm}: {server.server} ({who}) offers {tools}{withheld}, {short_digest(server.digest)}"


def _index(index: IndexRecord) -> str:
    origin = "built over the tree" if index.built else "given with the suite"
    covers = "" if index.covers is None else f", covers {counted(index.covers, 'file')}"
    return f"{index.arm}: {index.index} of {index.repo}, {origin}{covers}, {short_digest(index.digest)}"
