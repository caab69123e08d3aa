"""Everything benchctl can refuse or find wrong, as one tree.

    BenchctlError
    ├── InputError            exit 2: the input is unusable
    ├── WrongError            exit 1: it ran, and found something wrong
    └── RefusedError          exit 3: refused before anything was spent

Each leaf has one slug, which is its anchor in site/reference/errors.md; each
error says where, what, what was expected and the next step. What cannot be
told from the place of the mistake stays None, never an empty phrase.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Where:
    """A place in a user's file: 1-based line and column, counted in code points; None where unknown."""

    file: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        """Return `file`, `file:line` or `file:line:column`."""
        parts = [self.file, *(str(part) for part in (self.line, self.column) if part is not None)]
        return ":".join(parts)


class BenchctlError(Exception):
    """The base of every error this program raises on purpose.

    `what` is one sentence without a full stop. `expected` and `next_step` are
    None where the sentence already says all there is to say.
    """

    slug: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 2

    def __init__(
        self,
        what: str,
        *,
        where: Where | None = None,
        expected: str | None = None,
        next_step: str | None = None,
    ) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.expected = expected
        self.next_step = next_step

    def at(self, where: Where) -> BenchctlError:
        """Return this error placed at `where`, unless it already names a place."""
        if self.where is None:
            self.where = where
        return self

    def __str__(self) -> str:
        """Return the message as the terminal shows it, slug included."""
        place = f"{self.where}: " if self.where else ""
        first, *listed = self.what.split("\n")
        lines = [f"{place}{first} [{self.slug}]", *listed]
        if self.expected:
            lines.append(f"  expected: {self.expected}")
        if self.next_step:
            lines.append(f"  next: {self.next_step}")
        return "\n".join(lines)


class InputError(BenchctlError):
    """The input is unusable (exit 2)."""

    slug = "input-unusable"
    exit_code = 2


class WrongError(BenchctlError):
    """It ran and found something wrong (exit 1)."""

    slug = "found-wrong"
    exit_code = 1


class RefusedError(BenchctlError):
    """Refused to run, before anything was spent (exit 3)."""

    slug = "refused"
    exit_code = 3


# Input: files, names and options.
class ProjectNotFoundError(InputError):
    """No benchctl.toml in this folder or above it."""

    slug = "project-not-found"


class ProjectInvalidError(InputError):
    """benchctl.toml cannot be read as one."""

    slug = "project-invalid"


class SuiteNotFoundError(InputError):
    """No suite of that name."""

    slug = "suite-unknown"


class SuiteInvalidError(InputError):
    """suite.toml breaks a rule of its format."""

    slug = "suite-invalid"


class OptionInvalidError(InputError):
    """An option's value names nothing that exists (an arm, an agent, a cell count)."""

    slug = "option-invalid"


class BackfillInvalidError(InputError):
    """A file of late token counts has a row that cannot be used; nothing of the file was written."""

    slug = "backfill-invalid"


# Import: other people's files.
class ImportUnreadableError(InputError):
    """A file to be imported is not what its format says: its text, its quotes, its JSON, its nesting."""

    slug = "import-unreadable"


class ImportRaggedError(InputError):
    """A row of a file to be imported has more or fewer fields than its header."""

    slug = "import-ragged"


class ImportEmptyError(InputError):
    """A file to be imported has no header or no row, so nothing would be imported."""

    slug = "import-empty"


class ImportMappingError(InputError):
    """A column is to be mapped, keyed or renamed that is not there, or that cannot be what it is asked to be."""

    slug = "import-mapping"


class ImportDomainError(InputError):
    """A value that its metric cannot have, such as a score of 87.5."""

    slug = "import-domain"


class ImportKeyError(InputError):
    """Two rows of a file to be imported have one key, or a row has none."""

    slug = "import-key"


class SystemFailedError(InputError):
    """The system refused something that was asked of it: a full disk, a missing permission, an output that is closed."""

    slug = "system-error"


class RunIdInvalidError(InputError):
    """A run id has a character that a run id may not have."""

    slug = "run-id-invalid"


class RunUnknownError(InputError):
    """No run of that id in this store."""

    slug = "run-unknown"


class CellUnknownError(InputError):
    """No cell of that name in this run."""

    slug = "cell-unknown"


class GenerationUnknownError(InputError):
    """No run has grades of that generation."""

    slug = "generation-unknown"


class NoPagesError(InputError):
    """No page was named or found, so nothing would be checked."""

    slug = "no-pages"


class PageUnreadableError(InputError):
    """A page that was named cannot be read as UTF-8 text."""

    slug = "page-unreadable"


class PageChangedError(InputError):
    """A page became another one on disk while it was worked on, so nothing was written."""

    slug = "page-changed"


class RunNotNamedError(InputError):
    """Bindings are to be suggested for a page that declares no run, and no other run is named for it."""

    slug = "run-not-named"


class ClaimUnknownError(InputError):
    """`--explain` names a claim that no page makes."""

    slug = "claim-unknown"


class PageFileInvalidError(InputError):
    """The `.claims.toml` beside a page cannot be read as one."""

    slug = "page-file-invalid"


class QueryRefusedError(InputError):
    """The SQL is not one read-only statement over the store's tables."""

    slug = "query-refused"


class StoreNewerError(InputError):
    """The store was written by a newer benchctl."""

    slug = "store-newer"


class StoreUrlInvalidError(InputError):
    """A store's URL that cannot be used: no scheme that is known, no place, or a password in it."""

    slug = "store-url-invalid"


class RemoteExtraMissingError(InputError):
    """The extra that opens a store's URL is not installed."""

    slug = "remote-extra-missing"


class RemoteUnreachableError(InputError):
    """A store's URL does not answer: the network, the address or the credentials."""

    slug = "remote-unreachable"


class MergeSourceError(InputError):
    """What is to be merged is no project, no store and no run, or holds no run."""

    slug = "merge-source"


class StoreExistsError(InputError):
    """A file that is written once is already there with other content."""

    slug = "store-exists"


class StoreUnwritableError(WrongError):
    """A file of the store cannot be written (disk full, no permission, a failing disk)."""

    slug = "store-unwritable"


class JournalOrderError(WrongError):
    """An event that the events before it rule out: a cell finished twice, an attempt ended that never started."""

    slug = "journal-order"


class StoreNotFoundError(InputError):
    """What was to be opened is no project, no store and no store's address."""

    slug = "store-not-found"


class FrameLibraryMissingError(InputError):
    """pandas, polars or pyarrow was asked for, and the extra that brings them is not installed."""

    slug = "frame-library-missing"


class ExportExistsError(InputError):
    """A file stands where an export would go; it is replaced only by name, with `--force`."""

    slug = "export-exists"


class ExportClashError(InputError):
    """A column is of one type in one run and of another in the next: one file for both would have to change values."""

    slug = "export-clash"


class FrameTypeError(InputError):
    """A library has no type for a column of an answer; a cast in the query gives it one."""

    slug = "frame-type"


class ChartRendererMissingError(InputError):
    """The extra that renders charts is not installed."""

    slug = "chart-renderer-missing"


class ChartRefusedError(InputError):
    """A chart's specification names an address, so drawing it could reach another host."""

    slug = "chart-refused"


class PageExistsError(InputError):
    """A file that benchctl did not write stands where a page would go."""

    slug = "page-exists"


class ChangesUnknownError(InputError):
    """What changed since the base of `--changed` cannot be known: no git, no such commit, or a clone too shallow."""

    slug = "changes-unknown"


class LockInvalidError(InputError):
    """claims.lock cannot be read as one."""

    slug = "lock-invalid"


class StampInvalidError(InputError):
    """A generated block's markers are malformed, nested, doubled or never end."""

    slug = "stamp-invalid"


class TableUnknownError(InputError):
    """No table or chart of that name, neither built in nor in benchctl.toml."""

    slug = "table-unknown"


class TableRowlessError(InputError):
    """A table that was asked for by name has no row of this run: nothing has a value in the columns that its rows are made of."""

    slug = "table-rowless"


class NumeralInvalidError(InputError):
    """A digit-bearing word that cannot be read as a number."""

    slug = "numeral-unreadable"


class UnitUnknownError(InputError):
    """A unit that no family knows, or two units of different families."""

    slug = "unit-unknown"


# Expressions: parsing, and evaluation over rows.
class ExpressionInvalidError(InputError):
    """An expression that does not parse; `position` is the 0-based offset in its text."""

    slug = "expression-invalid"

    def __init__(self, what: str, *, text: str, position: int, expected: str | None = None) -> None:
        super().__init__(f"{what} at position {position + 1} of `{text}`", expected=expected)
        self.text = text
        self.position = position


class EvaluationError(InputError):
    """An expression that parses but has no value over these rows."""

    slug = "expression-no-value"


class ColumnUnknownError(EvaluationError):
    """No metric and no column of that name."""

    slug = "column-unknown"


class NoRowsError(EvaluationError):
    """No row matches."""

    slug = "no-rows"


class FilterValueUnknownError(EvaluationError):
    """A filter compares with a value that occurs nowhere in the run."""

    slug = "filter-value-unknown"


class NullResultError(EvaluationError):
    """Rows match, but none of them was measured."""

    slug = "null-result"


class DivisionByZeroError(EvaluationError):
    """A divisor is zero."""

    slug = "division-by-zero"


class AmbiguousRowError(EvaluationError):
    """A reference without a statistic matches more than one row."""

    slug = "ambiguous-row"


class KindMismatchError(EvaluationError):
    """A number, a text or a truth stands where another of these is needed."""

    slug = "kind-mismatch"


class NotFiniteError(EvaluationError):
    """The result is too large to be a number."""

    slug = "not-finite"


class ValueUnknownError(EvaluationError):
    """No function and no named value of that name."""

    slug = "value-unknown"


class ValueInvalidError(EvaluationError):
    """A named value is defined or called wrongly: its parameters, a circle, or its text."""

    slug = "value-invalid"


class SqlRefusedError(EvaluationError):
    """The SQL of a named value is not one SELECT of one value over the run's tables, or did not come to an end."""

    slug = "sql-refused"


class SqlUntrustedError(EvaluationError):
    """The SQL of a named value stands in a file that differs from the base of `--changed`; it was not run."""

    slug = "sql-untrusted"


class RunsNotComparableError(EvaluationError):
    """Runs are to be pooled whose terms differ."""

    slug = "runs-not-comparable"


class RunNotDeclaredError(EvaluationError):
    """An expression names a run that its page does not declare."""

    slug = "run-not-declared"


class SampleInvalidError(EvaluationError):
    """Values that no statistic is defined for: none at all, doubled, or outside of what it assumes."""

    slug = "sample-invalid"


# Found wrong.
class StoreDamagedError(WrongError):
    """A file of the store is not what its manifest says."""

    slug = "store-damaged"


class SecretNotFoundError(WrongError):
    """A text that is to be erased occurs nowhere, so nothing was erased."""

    slug = "secret-not-found"


class CellsFailedError(WrongError):
    """The run ended, and some of its cells have no valid result."""

    slug = "cells-failed"


class ClaimsFailedError(WrongError):
    """A page says something that its run does not."""

    slug = "claims-failed"


class MutantSurvivedError(WrongError):
    """A bound number of a page, or a number behind it, was changed on purpose, and the checker did not find it."""

    slug = "mutant-survived"


class NothingMutatedError(WrongError):
    """`--mutate` had nothing to change: no number of the pages is bound or generated."""

    slug = "nothing-mutated"


class BaseChangedError(WrongError):
    """The tree that every cell of a run is made from was written to while the run was under way."""

    slug = "base-changed"


class MarkupRefusedError(WrongError):
    """The built HTML holds a script, handler or link that benchctl did not write."""

    slug = "markup-refused"


# Refused.
class PreflightRefusedError(RefusedError):
    """A check before the first cell failed."""

    slug = "preflight-refused"


class CombinationRefusedError(RefusedError):
    """A combination that the suite does not call optional was refused; the rest ran."""

    slug = "combination-refused"


class CorpusChangedError(RefusedError):
    """A corpus is not what its RECORD, its digest or the run's record says."""

    slug = "corpus-changed"


class SourceRefusedError(RefusedError):
    """A git source is an address that is not used: credentials in it, or a way of reaching it that could start a program."""

    slug = "source-refused"


class SourceUnreachableError(RefusedError):
    """A git source could not be fetched, or has not been fetched yet."""

    slug = "source-unreachable"


class FloorUnmeasuredError(WrongError):
    """Every empty run of an arm, agent and model failed, so that nobody knows its floor of tokens."""

    slug = "floor-unmeasured"


class RunStoppedError(WrongError):
    """A run stopped although cells are left: it spent in vain, or it has spent what it may."""

    slug = "run-stopped"


class SandboxUnavailableError(RefusedError):
    """This machine cannot give the containment that was asked for."""

    slug = "sandbox-unavailable"


class WorkerUnavailableError(RefusedError):
    """No process for a cell could be started."""

    slug = "worker-unavailable"


class LeakFoundError(RefusedError):
    """What a cell would see holds part of the answer key: its canary, a prompt, a leak term, items of an answer."""

    slug = "leak-found"


class PlanDiffersError(RefusedError):
    """The run exists and was planned otherwise."""

    slug = "plan-differs"


class RunDiffersError(RefusedError):
    """A run of this id is there with another content; nothing of any run was merged."""

    slug = "run-differs"


class StoreReadOnlyError(RefusedError):
    """A store that can be read and not written: one behind a URL, or one that would replace what is written once."""

    slug = "store-read-only"


class CellsUnfinishedError(RefusedError):
    """A run is to be closed while planned cells have no result."""

    slug = "cells-unfinished"


class RunClosedError(RefusedError):
    """A closed run is never written to again."""

    slug = "run-closed"


class ImportDiffersError(RefusedError):
    """The run, or its further table, is there already and is not an import of this file on these terms."""

    slug = "import-differs"


class RunBusyError(RefusedError):
    """Another process is collecting this run."""

    slug = "run-busy"


class MachineBusyError(RefusedError):
    """Another run is being collected on this machine; two at once would measure each other."""

    slug = "machine-busy"


class LockFolderUnsafeError(RefusedError):
    """The folder of this machine's lock belongs to others, or others can write to it."""

    slug = "lock-folder-unsafe"


class RunOpenError(RefusedError):
    """A run that can still grow: it has its rows before it has corrections, and is exported only with `--open`."""

    slug = "run-not-closed"


class PromptChangedError(RefusedError):
    """A question is asked otherwise today than when the run was collected, so its answers answer something else."""

    slug = "prompt-changed"


class QuestionsLostError(RefusedError):
    """The questions of a run cannot be recovered: neither its own copy of the suite nor the project's says them."""

    slug = "questions-lost"


class KeyMissingError(RefusedError):
    """There is no answer key to grade a question by, it is not the one of the run, or it is about another tree."""

    slug = "key-missing"


class EvidenceMissingError(RefusedError):
    """What a grader reads of a cell is not in the run: it was imported without answers, or they were erased or dropped."""

    slug = "evidence-missing"


class SecretKeptError(RefusedError):
    """A text that is to be erased stands where it cannot be replaced, so nothing was erased."""

    slug = "secret-kept"


class NothingToRunError(RefusedError):
    """After selection and refusals no cell is left."""

    slug = "nothing-to-run"
