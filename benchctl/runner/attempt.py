"""One attempt of a cell: made ready, asked and perhaps asked on, checked, and what it left read back as evidence."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchctl.agents import AGENTS
from benchctl.runner.contamination import contaminated, contaminated_files
from benchctl.runner.parts import Parts
from benchctl.runner.steps import StepResult, prepared_commands, run_step
from benchctl.runner.turn import run_turn
from benchctl.schema.evidence import HOST_OUTCOMES, Evidence, Outcome, Stream
from benchctl.schema.usage import Usage
from benchctl.workspace.clock import utc_now
from benchctl.workspace.redaction import Redactor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchctl.agents.base import Reply
    from benchctl.runner.setting import Setting
    from benchctl.schema.suite import Step
    from benchctl.workspace.changes import Changes, Mark
    from benchctl.workspace.process import ProcessResult
    from benchctl.workspace.proxy import CellProxy

__all__ = ["run_attempt", "verdict"]

_DETAIL = 300
"""How much of what went wrong is told in a line, in characters."""

_NO_PLACE = "its prepare step left no place for the prompt below {scratch}"

_SHOWN = {"stdout": "standard output", "stderr": "standard error"}


def run_attempt(setting: Setting, attempt: int) -> Evidence:
    """Run one attempt in its folder and return what it left. An interrupt ends it and is raised again."""
    return _Attempt(setting, attempt).run()


def verdict(
    result: ProcessResult, reply: Reply, *, seen: str | None, broken: tuple[str, str] | None
) -> tuple[Outcome, str]:
    """Return how an attempt ended, and what else is known.

    `seen` says why it counts as one that has seen the answer key, `broken` which cap it went beyond. A process
    that went well may still have said nothing, and one that failed may have said that its API did.
    """
    if seen is not None:
        return "contaminated", seen
    if result.outcome not in ("ok", "exit_nonzero"):
        return result.outcome, result.detail
    if broken is not None:
        return "output_cap", broken[1]
    if reply.error is not None:
        return "api_error", reply.error
    if result.outcome == "ok" and reply.answer is None:
        return "no_result", "the agent ended well and gave no answer"
    return result.outcome, result.detail


@dataclass
class _Attempt:
    """One attempt under way."""

    setting: Setting
    number: int
    started_at: str = field(default_factory=utc_now)
    started: float = field(default_factory=time.monotonic)
    kept: dict[str, Stream] = field(default_factory=dict)
    prepare_s: float | None = None
    network_refused: int | None = None
    check_failed: bool | None = None

    def run(self) -> Evidence:
        repo = self.setting.ready.suite.repos[self.setting.planned.repo]
        made: Mark | None = None
        if repo.prepare is not None:
            prepared = self._step("prepare", repo.prepare)
            self.prepare_s = prepared.result.wall_s
            if not prepared.ok:
                host = prepared.result.outcome if prepared.result.outcome in HOST_OUTCOMES else None
                return self._unprepared(host or "prepare_error", prepared.why("prepare"))
            made = self.setting.folder.mark()
        parts = self._parts(repo.prepare)
        if not len(parts):
            return self._unprepared("prepare_error", _NO_PLACE)
        changes = self._changes(made)
        self._check(repo.check, parts)
        return self._evidence(parts, changes)

    def _parts(self, prepare: Step | None) -> Parts:
        """Run the first turn, and further ones of its session while it gave no result and its budget lasts.

        There is none where `prepare`, the step that made the cell ready, left no place for its prompt.
        """
        setting = self.setting
        plan, spec = setting.ready.plan, setting.spec
        resumes = AGENTS[spec.kind].capabilities(spec).resumes_session
        prepared = prepared_commands(prepare, setting.folder.scratch)
        parts = Parts(plan.caps)
        with setting.proxy("agent", spec.network, spec.inject) as proxy:
            fresh = prepare is None
            first = run_turn(setting, plan.caps, session=None, prepared=prepared, proxy=proxy, fresh=fresh)
            if first is None:
                return parts
            parts.add(first)
            while resumes and len(parts) <= plan.continuations and _unresolved(parts):
                left, session = parts.left(), parts.session
                if left is None or session is None:
                    break
                turn = run_turn(setting, left, session=session, prepared=prepared, proxy=proxy)
                if turn is None:
                    break
                parts.add(turn)
            self._keep_network(proxy)
        self._keep_earlier(parts)
        return parts

    def _keep_network(self, proxy: CellProxy | None) -> None:
        if proxy is not None:
            self.network_refused = proxy.refused
            self.kept["network"] = self.setting.kept(proxy.text())

    def _keep_earlier(self, parts: Parts) -> None:
        """Keep what the parts before the last wrote: a digest is over one process's bytes and cannot be added up."""
        for number, part in enumerate(parts.all[:-1], 1):
            for name, stream in (("stdout", part.result.stdout), ("stderr", part.result.stderr)):
                if stream.total_bytes:
                    self.kept[f"{name}_{number}"] = stream

    def _step(self, name: str, step: Step) -> StepResult:
        done = run_step(self.setting, step, "prepare" if name == "prepare" else "check")
        self.kept.update(done.kept)
        return done

    def _changes(self, made: Mark | None) -> Changes:
        """Return what the agent changed, leaving out what was `made` before its clock and is as it was then."""
        redactor = Redactor(self.setting.secrets)
        changes = self.setting.folder.changes(since=made, redactor=redactor)
        self.setting.taken_out.update(redactor.counts)
        if changes.diff.total_bytes:
            self.kept["diff"] = changes.diff
        return changes

    def _check(self, step: Step | None, parts: Parts) -> None:
        """Run the suite's check where the agent came to an end of its own; what the host does to it tells nothing."""
        if step is None or parts.result().outcome in HOST_OUTCOMES:
            return
        done = self._step("check", step)
        if done.result.outcome not in HOST_OUTCOMES:
            self.check_failed = not done.ok

    def _unprepared(self, outcome: Outcome, why: str) -> Evidence:
        """Return the evidence of an attempt whose agent was never started, and so has used nothing."""
        can = AGENTS[self.setting.spec.kind].capabilities(self.setting.spec)
        tokens, cost = (0 if can.reports_tokens else None), (0.0 if can.reports_cost else None)
        return Evidence(
            cell=self.setting.planned.cell,
            attempt=self.number,
            outcome=outcome,
            started_at=self.started_at,
            ended_at=utc_now(),
            wall_s=0.0,
            cpu_s=0.0,
            exit_code=None,
            answer=None,
            usage=Usage(
                tokens,
                tokens,
                tokens,
                cost,
                "benchctl" if can.reports_tokens else None,
                "benchctl" if can.reports_cost else None,
            ),
            tool_calls=0 if can.reports_tool_calls else None,
            sandbox=self.setting.ready.sandbox.level,
            detail=why,
            parts=0,
            total_s=time.monotonic() - self.started,
            prepare_s=self.prepare_s,
            redactions=self._redactions(None),
            kept=self.kept,
        )

    def _evidence(self, parts: Parts, changes: Changes) -> Evidence:
        setting, result, reply = self.setting, parts.result(), parts.reply()
        broken = parts.broken()
        needles = setting.ready.needles
        seen = contaminated(self._texts(result, reply), needles, result.counts) or contaminated_files(
            setting.folder.tree, changes.files, needles
        )
        outcome, detail = verdict(result, reply, seen=seen, broken=broken)
        return Evidence(
            cell=setting.planned.cell,
            attempt=self.number,
            outcome=outcome,
            started_at=result.started_at,
            ended_at=result.ended_at,
            wall_s=result.wall_s,
            cpu_s=result.cpu_s,
            exit_code=result.exit_code,
            answer=reply.answer,
            usage=reply.usage,
            tool_calls=reply.tool_calls,
            stdout=result.stdout,
            stderr=result.stderr,
            stragglers=result.stragglers,
            sandbox=setting.ready.sandbox.level,
            changed_files=len(changes.files),
            detail="; ".join(
                filter(
                    None,
                    [
                        _bounded(setting.said(detail or parts.about(result.cap))),
                        *parts.doubts(),
                        *_lacking(result, reply),
                    ],
                )
            ),
            parts=len(parts),
            total_s=time.monotonic() - self.started,
            cap=result.cap or (broken[0] if outcome == "output_cap" and broken else None),
            events=result.counts.get("events"),
            session=reply.session,
            pipes_held=result.pipes_held,
            max_gap_s=result.max_gap_s,
            suspended_s=result.suspended_s,
            clock_drift_s=result.clock_drift_s,
            stalled_cpu_s=result.stalled_cpu_s,
            stalled_io_s=result.stalled_io_s,
            stalled_memory_s=result.stalled_memory_s,
            network_refused=self.network_refused,
            prepare_s=self.prepare_s,
            check_failed=self.check_failed,
            redactions=self._redactions(result.redactions),
            least_cost_usd=parts.least_usd(),
            kept=self.kept,
        )

    def _texts(self, result: ProcessResult, reply: Reply) -> dict[str, str]:
        """Return all that the agent wrote, by the name that a reader knows it by."""
        own = {_SHOWN["stdout"]: result.stdout.text, _SHOWN["stderr"]: result.stderr.text}
        further = {
            name: stream.text
            for name, stream in self.kept.items()
            if not name.startswith(("prepare", "check"))  # the suite's own words
        }
        return {**own, **further, "answer": reply.answer or ""}

    def _redactions(self, of_processes: Mapping[str, int] | None) -> Mapping[str, int] | None:
        """Return what was taken out of all that is kept; None where there was no secret to look for."""
        if not self.setting.secrets:
            return None
        total = self.setting.taken_out.copy()
        total.update(of_processes or {})
        return dict(total)


def _bounded(detail: str) -> str:
    """Return a detail as long as one may be; all of what an API said is in the transcript."""
    return detail if len(detail) <= _DETAIL else f"{detail[: _DETAIL - 1]}…"


def _lacking(result: ProcessResult, reply: Reply) -> tuple[str, ...]:
    """Return what the agent did not report of what its suite says it reports; of one that was ended, nothing is expected."""
    return reply.lacking if result.outcome == "ok" else ()


def _unresolved(parts: Parts) -> bool:
    """Return whether the last part ended well and gave no result, so that its session may go on."""
    last = parts.all[-1]
    return last.result.outcome == "ok" and last.reply.error is None and last.reply.answer is None
