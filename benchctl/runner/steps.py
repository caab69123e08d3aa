"""The suite's own steps in a cell: what makes its tree ready before the clock starts, what checks it afterwards.

A step runs behind the same wall as the agent, with a home and a temporary folder of its own, with none of
the agent's files, commands and keys, and reaches what its own list of hosts names.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from benchctl.planning.invocations import Places
from benchctl.runner.environment import own_environment
from benchctl.schema import placeholders
from benchctl.workspace import python_tests
from benchctl.workspace.interpreter import interpreter_reads

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchctl.runner.setting import Setting
    from benchctl.schema.evidence import Stream
    from benchctl.schema.suite import Step
    from benchctl.workspace.process import ProcessResult

__all__ = [
    "StepResult",
    "local_links",
    "prepared_commands",
    "run_step",
    "step_argv",
    "step_variables",
    "venv_of",
]

_KEEP_BYTES = 256 * 1024
_PIP = ("PIP_INDEX_URL", "PIP_NO_INDEX", "PIP_FIND_LINKS")
"""What a step that installs takes over from the caller: where packages come from."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """What a step did. `kept` is what it wrote, as further streams of the evidence."""

    result: ProcessResult
    kept: Mapping[str, Stream]

    @property
    def ok(self) -> bool:
        """Whether it ended well."""
        return self.result.outcome == "ok"

    def why(self, name: str) -> str:
        """Return how the step of this name ended, in a line."""
        result = self.result
        said = result.detail or next((line for line in reversed(self._lines()) if line.strip()), "")
        ended = f"status {result.exit_code}" if result.outcome == "exit_nonzero" else result.outcome
        return f"its {name} step ended with {ended}{': ' if said else ''}{said.strip()[:300]}"

    def _lines(self) -> list[str]:
        return (self.result.stderr.text or self.result.stdout.text).splitlines()


def venv_of(scratch: str) -> str:
    """Return where a step of kind python-tests puts the virtual environment."""
    return f"{scratch}/venv"


def prepared_commands(step: Step | None, scratch: Path) -> Path | None:
    """Return the folder of commands that a step makes for the agent; None where it makes none."""
    return Path(venv_of(str(scratch))) / "bin" if step and step.kind == "python-tests" else None


def step_argv(
    step: Step, name: Literal["prepare", "check"], places: Places, question: str
) -> tuple[str, ...]:
    """Return the command of a step; `name` says what one of kind python-tests is to do."""
    if step.kind == "python-tests":
        return (places.python, "-I", "-S", "-c", _program(), name, places.tree, venv_of(places.scratch))
    values = {
        "python": places.python,
        "question": question,
        "scratch": places.scratch,
        "tree": places.tree,
    }
    return tuple(placeholders.fill(word, values) for word in step.argv)


@cache
def _program() -> str:
    """Return the text of the program that a step of kind python-tests starts, the same for every cell of a run."""
    return Path(python_tests.__file__).read_text(encoding="utf-8")


def run_step(setting: Setting, step: Step, name: Literal["prepare", "check"]) -> StepResult:
    """Run a step in the cell of `setting` and return what it did. An interrupt ends it and is raised again."""
    folder = setting.folder
    own = [folder.root / f"{name}-{each}" for each in ("home", "tmp")]
    for each in own:
        each.mkdir(mode=0o700)
    with setting.proxy(name, step.network, {}) as proxy:
        env = own_environment(home=str(own[0]), tmp=str(own[1])) | step_variables(step)
        env |= proxy.environment if proxy else {}
        argv = setting.walled(
            step_argv(step, name, setting.places(), setting.planned.question),
            env,
            reads=[*interpreter_reads(), *local_links(env)],
            writes=(folder.tree, folder.scratch, *own),
            proxy=proxy,
        )
        result = setting.start(
            argv,
            cwd=Path(folder.tree),
            env=env,
            wall_s=step.wall_s,
            output_bytes=setting.ready.plan.caps.output_bytes,
            keep_bytes=_KEEP_BYTES,
            marker=setting.marker,
            secrets=setting.secrets,
        )
        setting.taken_out.update(result.redactions or {})
        kept = {name: result.stdout, f"{name}_stderr": result.stderr}
        if proxy and proxy.log():
            kept[f"{name}_network"] = setting.kept(proxy.text())
    return StepResult(result, {key: stream for key, stream in kept.items() if stream.total_bytes})


def step_variables(step: Step) -> dict[str, str]:
    """Return where the caller lets pip look, for a step that installs; no address with a password enters a cell."""
    if step.kind != "python-tests":
        return {}
    return {
        name: os.environ[name]
        for name in _PIP
        if os.environ.get(name) and "@" not in urlsplit(os.environ[name]).netloc
    }


def local_links(env: Mapping[str, str]) -> Sequence[Path]:
    """Return the folders among PIP_FIND_LINKS: a wall hides them otherwise."""
    return [Path(word) for word in env.get("PIP_FIND_LINKS", "").split() if Path(word).is_dir()]
