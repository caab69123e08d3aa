"""The run record: the terms under which a run was collected, written before its first cell.

It is written once. What becomes known later (grades, voids, digests) is in later files.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from benchctl.schema.imported import ImportRecord
from benchctl.schema.names import Name

__all__ = [
    "RUN_SCHEMA",
    "CorpusRecord",
    "GoldRecord",
    "MachineRecord",
    "PlannedCell",
    "RefusalRecord",
    "RunRecord",
]

RUN_SCHEMA = 2
"""1 is a collected run, 2 an imported one: an older program then says that the store is newer, not damaged."""


_TERMS = ("seed", "reps", "attempts", "sandbox", "machine")
"""What of a collected run is always known, and of an imported one perhaps nobody knows."""


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class CorpusRecord(_Record):
    """One tree as it was: `version` is the distribution's, or the commit; `files` counts the tree's files."""

    repo: Name
    kind: str
    version: str | None
    tree_digest: str
    files: int
    bytes: int
    practice: bool = False


class GoldRecord(_Record):
    """One question's gold: its digest and size here, its items beside the evidence.

    `methods` names the independent methods that agreed; empty for a hand-written list.
    """

    question: Name
    digest: str
    items: int
    methods: tuple[str, ...] = ()


class RefusalRecord(_Record):
    """One thing that was not run, and why. `question` or (`arm`, `agent`, `model`) says what.

    `required` is false where the suite calls the arm or agent optional, or where a question was
    refused by a rule of the suite's own method; such refusals do not change the exit code. A question
    whose gold method broke is refused and required.
    """

    reason: str
    next_step: str = ""
    question: str | None = None
    arm: str | None = None
    agent: str | None = None
    model: str | None = None
    required: bool = True


class MachineRecord(_Record):
    """The machine, as far as it explains a time; nothing that names a person or a host."""

    system: str
    release: str
    architecture: str
    cpus: int
    python: str


class PlannedCell(_Record):
    """A cell of the plan: its place in the recorded order, and its content key."""

    cell: str
    key: str
    order: int
    question: str
    question_class: Annotated[str, Field(alias="class")]
    repo: str
    arm: str
    agent: str
    model: str
    rep: int


class RunRecord(_Record):
    """Everything that was fixed before the first cell. Digests are `sha256:…`, instants UTC ISO 8601.

    Of an imported run, `imported` says where it came from, and the terms that nobody recorded are None or
    empty; of a collected run `imported` alone is None.
    """

    schema_version: Annotated[Literal[1, 2], Field(alias="schema")] = 1
    run: Name
    suite: Name
    suite_title: str
    suite_digest: str
    canary: str
    created_at: str
    benchctl: str
    seed: int | None
    reps: int | None
    attempts: int | None
    caps: dict[str, float | int]
    sandbox: str | None
    probes: dict[str, str]
    machine: MachineRecord | None
    project_commit: str | None
    project_dirty: bool | None
    arms: dict[str, dict[str, object]]
    agents: dict[str, dict[str, object]]
    corpora: tuple[CorpusRecord, ...]
    gold: tuple[GoldRecord, ...]
    prompts: dict[str, str]
    goals: tuple[dict[str, str], ...]
    refusals: tuple[RefusalRecord, ...]
    cells: tuple[PlannedCell, ...]
    plan_digest: str
    comparability: dict[str, str]
    practice: bool = False
    imported: ImportRecord | None = None

    @model_validator(mode="after")
    def _of_one_kind(self) -> Self:
        """Refuse a record that is of a collected run without its terms, or of an imported one with terms of a plan."""
        unknown = [name for name in _TERMS if getattr(self, name) is None]
        if self.imported is None and (unknown or self.schema_version != 1):
            raise ValueError(
                f"a collected run of record schema {self.schema_version} without {unknown or 'import'}"
            )
        if self.imported is not None and (self.cells or self.schema_version != RUN_SCHEMA):
            raise ValueError("an imported run has a record of schema 2 and no planned cells")
        return self
