"""The run record: the terms under which a run was collected, written before its first cell.

It is written once. What becomes known later (grades, voids, digests) is in later files.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from benchctl.schema.imported import ImportRecord
from benchctl.schema.names import Name

__all__ = [
    "LATER_TERMS",
    "RUN_SCHEMA",
    "CorpusRecord",
    "GoldRecord",
    "IndexRecord",
    "MachineRecord",
    "PlannedCell",
    "ProgramRecord",
    "RefusalRecord",
    "RunRecord",
    "ServerRecord",
    "ToolRecord",
]

RUN_SCHEMA = 3
"""1 is a collected run, 2 an imported one, 3 a collected one that says what its cells were given and may spend: an older program then says that the store is newer, not damaged."""


_TERMS = ("seed", "reps", "attempts", "sandbox", "machine")
"""What of a collected run is always known, and of an imported one perhaps nobody knows."""


LATER_TERMS = (
    "programs", "servers", "indexes", "continuations", "stop_after", "spend_usd", "baseline_reps", "allow_refused",
    "leak_terms",
)  # fmt: skip
"""The fields that came with record schema 3; a record of an earlier one does not hold them."""


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


class ProgramRecord(_Record):
    """A program that cells or preflight start, under the name that the suite gives it.

    `version` is the first line that it prints for `--version`, None where it prints none; `sha256` is that of
    its file, by which two builds of one version differ.
    """

    name: str
    version: str | None = None
    sha256: str | None = None


class ToolRecord(_Record):
    """A tool as its server describes it to an agent; `schema_digest` is that of its parameters' JSON Schema."""

    name: str
    description: str = ""
    schema_digest: str = ""


class ServerRecord(_Record):
    """A server of tools as preflight found it, in the trees of `repos`.

    `tools` are those that the arm grants, `withheld` the names of the others that it offers; `digest` is over
    the descriptions and parameters of the granted ones. Where a server describes its tools by the tree that
    it stands in, it has one record for each description.
    """

    arm: str
    server: str
    repos: tuple[str, ...]
    protocol: str
    name: str
    version: str
    tools: tuple[ToolRecord, ...]
    withheld: tuple[str, ...] = ()
    digest: str


class IndexRecord(_Record):
    """An index that an arm's cells read: `built` here, or given. `covers` is how many of the tree's files it says it covers, None where it does not say."""

    arm: str
    index: str
    repo: str
    built: bool
    digest: str
    files: int
    bytes: int
    covers: int | None = None
    commit: str | None = None


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
    empty; of a collected run `imported` alone is None. `programs` and what follows are of record schema 3:
    `continuations` is how many more turns a session may get, `stop_after` how many errors or stalls in a row
    end the run, `spend_usd` what it may spend; None where that is not limited, or not recorded. `baseline_reps` is
    how many empty runs measure each floor, None where that is not recorded, and `allow_refused` whether whoever
    began it took refused combinations for granted; `leak_terms` the digest of what gives its questions away, None
    where the suite names nothing.
    """

    schema_version: Annotated[Literal[1, 2, 3], Field(alias="schema")] = 1
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
    programs: tuple[ProgramRecord, ...] = ()
    servers: tuple[ServerRecord, ...] = ()
    indexes: tuple[IndexRecord, ...] = ()
    continuations: int = 0
    stop_after: int | None = None
    spend_usd: float | None = None
    baseline_reps: int | None = None
    allow_refused: bool = False
    leak_terms: str | None = None

    @model_validator(mode="after")
    def _of_one_kind(self) -> Self:
        """Refuse a record that is of a collected run without its terms, or of an imported one with terms of a plan."""
        unknown = [name for name in _TERMS if getattr(self, name) is None]
        if self.imported is None and (unknown or self.schema_version == 2):
            raise ValueError(
                f"a collected run of record schema {self.schema_version} without {unknown or 'import'}"
            )
        if self.imported is not None and (self.cells or self.schema_version != 2):
            raise ValueError("an imported run has a record of schema 2 and no planned cells")
        return self
