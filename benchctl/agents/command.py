"""The adapter for any command line that a suite file describes.

The command is the whole agent: its standard output is the answer, unless `reply` says where it reports
more, and it reports no tokens, no dollars and no tool calls that `reply` and `counts` do not name. What a
suite gives it stands in `argv`:

`{python}` this interpreter · `{agent}` the folder of the suite's agent files · `{arm}` ·
`{model}` · `{question}` the question's id · `{tree}` · `{scratch}` a folder to write to ·
`{prompt_file}` a file with the prompt · `{prompt}` the prompt itself · `{indexes}` the folder with the arm's
indexes · `{tools}` those it is granted, separated by commas · `{effort}` · `{instructions_file}` a file
with the arm's instructions · `{servers_file}` a JSON file with its tool servers, `{"mcpServers": {…}}`.

`continue_argv` may hold the same, with `{session}`; the prompt is then the one of a continuation.
How braces are read is said in `schema/placeholders.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from benchctl.agents.base import Capabilities, Invocation, Reply, Request, Transcript
from benchctl.agents.reply_fields import read_reply
from benchctl.errors import SuiteInvalidError
from benchctl.schema import placeholders, pointers
from benchctl.schema.suite import AgentSpec, Arm, ReplyFields

__all__ = [
    "ACCEPTANCE_PLACEHOLDERS",
    "CAPABILITIES",
    "PLACEHOLDERS",
    "acceptance",
    "capabilities",
    "invocation",
    "mistakes",
    "read",
    "reports",
    "unable",
]

CAPABILITIES = Capabilities(
    withholds_tools=False,
    reports_tokens=False,
    reports_cost=False,
    reports_tool_calls=False,
    resumes_session=False,
)

_PROMPT_FILE, _CONTINUE_FILE = "prompt.txt", "continue.txt"
"""The prompt's file, under the scratch folder, and the one of a continuation: the first prompt stays readable."""

_INSTRUCTIONS_FILE, _SERVERS_FILE = "instructions.md", "servers.json"

PLACEHOLDERS = (
    "agent",
    "arm",
    "effort",
    "indexes",
    "instructions_file",
    "model",
    "prompt",
    "prompt_file",
    "python",
    "question",
    "scratch",
    "servers_file",
    "tools",
    "tree",
)

ACCEPTANCE_PLACEHOLDERS = ("agent", "model", "python", "scratch")
"""What `accepts` may hold: nothing of a question or an arm."""

_EMPTY = "is empty, so there is nothing to start"
_EXAMPLE = 'argv = ["{python}", "{agent}/answer.py", "{tree}", "{prompt_file}"]'


def capabilities(spec: AgentSpec) -> Capabilities:
    """Return what this command reports by `reply` and `counts`; what it does not name is not reported."""
    fields = spec.reply or ReplyFields()
    tokens = fields.total_tokens or (fields.input_tokens and fields.output_tokens)
    return Capabilities(
        withholds_tools=CAPABILITIES.withholds_tools,
        reports_tokens=bool(tokens),
        reports_cost=fields.cost_usd is not None,
        reports_tool_calls=fields.tool_calls is not None or "tool_calls" in spec.counts,
        resumes_session=bool(spec.continue_argv),
        counts_tool_calls="tool_calls" in spec.counts,
        counts_events="events" in spec.counts,
    )


def mistakes(spec: AgentSpec) -> tuple[str, ...]:
    """Return what is wrong with an agent's command: nothing to start, a placeholder that is none, a pointer that is none."""
    if not "".join(spec.argv[:1]).strip():
        return (f"{_EMPTY}; an example is {_EXAMPLE}",)
    found = (mistake for word in spec.argv for mistake in placeholders.mistakes(word, PLACEHOLDERS))
    return tuple(
        dict.fromkeys(
            [*found, *_continuation_mistakes(spec), *_reply_mistakes(spec), *_acceptance_mistakes(spec)]
        )
    )


def _continuation_mistakes(spec: AgentSpec) -> Iterator[str]:
    if not spec.continue_argv:
        return
    known = (*PLACEHOLDERS, "session")
    for word in spec.continue_argv:
        for mistake in placeholders.mistakes(word, known):
            yield f"`continue_argv` {mistake}"
    if not any("session" in placeholders.names(word) for word in spec.continue_argv):
        yield "`continue_argv` names no {session}: the last session is not always the right one"
    if spec.reply is None or spec.reply.session is None:
        yield "`continue_argv` needs a session that nobody reports; name it in `reply.session`"


def _acceptance_mistakes(spec: AgentSpec) -> Iterator[str]:
    for word in spec.accepts:
        for mistake in placeholders.mistakes(word, ACCEPTANCE_PLACEHOLDERS):
            yield f"`accepts` {mistake}"


def _reply_mistakes(spec: AgentSpec) -> Iterator[str]:
    if spec.reply is None:
        return
    for name, pointer in spec.reply.model_dump(exclude={"file", "cumulative"}, exclude_none=True).items():
        if mistake := pointers.mistake(pointer):
            yield f"`reply.{name}` {mistake}"
    file = spec.reply.file
    if file is not None and any(part in ("", ".", "..") for part in file.split("/")):
        yield f"`reply.file` {file!r} is no file below {{scratch}}"


def unable(spec: AgentSpec, arm: Arm) -> tuple[str, ...]:
    """Return what of an arm has no placeholder in this agent's argv, so that it would never hear of it.

    Indexes may also stand in the commands of the arm's servers. What the command does with what it is told
    nobody holds it to: it is the suite's own.
    """
    asked = {name for word in spec.argv for name in placeholders.names(word)}
    for server in arm.servers.values():
        asked |= {
            name for word in (*server.argv, *server.env.values()) for name in placeholders.names(word)
        } & {"indexes"}
    given = {
        "effort": arm.effort,
        "indexes": arm.indexes,
        "instructions_file": arm.instructions,
        "servers_file": arm.servers,
        "tools": arm.tools,
    }
    return tuple(
        f"{name.removesuffix('_file')}: its argv has no {{{name}}}, so it would never be told"
        for name, value in given.items()
        if value and name not in asked
    )


def acceptance(request: Request) -> Invocation | None:
    """Return the command of `accepts`, if the suite names one: what models a command takes, only its suite can say."""
    if not request.spec.accepts:
        return None
    return Invocation(
        tuple(placeholders.fill(word, _acceptance_values(request)) for word in request.spec.accepts)
    )


def _acceptance_values(request: Request) -> dict[str, str]:
    values = _values(request, _PROMPT_FILE)
    return {name: values[name] for name in ACCEPTANCE_PLACEHOLDERS}


def reports(spec: AgentSpec) -> tuple[str, ...]:
    """Return the file that `reply` names, if any."""
    return (spec.reply.file,) if spec.reply is not None and spec.reply.file is not None else ()


def invocation(request: Request) -> Invocation:
    """Return the command with its placeholders filled in, and the files that they name.

    Raises SuiteInvalidError where `argv` is empty or holds a placeholder that nobody fills. A value is
    put in once and not read again: a prompt that says `{tree}` keeps saying so.
    """
    goes_on = request.session is not None
    words = request.spec.continue_argv if goes_on else request.spec.argv
    if not words:
        raise SuiteInvalidError(
            "an agent of kind command has no argv, so there is nothing to start",
            next_step=f"give it one, such as {_EXAMPLE}",
        )
    prompt_file = _CONTINUE_FILE if goes_on else _PROMPT_FILE
    argv = tuple(placeholders.fill(word, _values(request, prompt_file)) for word in words)
    return Invocation(argv=argv, files={prompt_file: request.prompt, **_further_files(request)})


def _values(request: Request, prompt_file: str) -> dict[str, str]:
    scratch = request.scratch
    values = {
        "agent": request.agent_dir,
        "arm": request.arm,
        "effort": request.effort,
        "indexes": request.indexes,
        "instructions_file": f"{scratch}/{_INSTRUCTIONS_FILE}",
        "model": request.model,
        "prompt": request.prompt,
        "prompt_file": f"{scratch}/{prompt_file}",
        "python": request.python,
        "question": request.question,
        "scratch": scratch,
        "servers_file": f"{scratch}/{_SERVERS_FILE}",
        "tools": ",".join(request.tools),
        "tree": request.tree,
    }
    return values if request.session is None else {**values, "session": request.session}


def _further_files(request: Request) -> dict[str, str]:
    """Return the files that only those get who ask for them."""
    words = (*request.spec.argv, *request.spec.continue_argv)
    asked = {name for word in words for name in placeholders.names(word)}
    files: dict[str, str] = {}
    if "instructions_file" in asked:
        files[_INSTRUCTIONS_FILE] = request.instructions
    if "servers_file" in asked:
        servers = {
            name: {"command": server.argv[0], "args": list(server.argv[1:]), "env": dict(server.env)}
            for name, server in request.servers.items()
        }
        files[_SERVERS_FILE] = json.dumps({"mcpServers": servers}, indent=1, ensure_ascii=False)
    return files


def read(spec: AgentSpec, transcript: Transcript) -> Reply:
    """Return what `reply` points to; without it, standard output without the blanks around it as the answer.

    The exit status changes nothing here: what was printed before a failure is kept as evidence, and the
    attempt's outcome decides whether it counts. Tool calls are those the command reports, else those counted.
    """
    if spec.reply is None:
        reply = Reply(answer=transcript.stdout.strip() or None)
    else:
        reply = read_reply(spec.reply, transcript)
    if reply.tool_calls is not None or "tool_calls" not in transcript.counts:
        return reply
    return Reply(
        answer=reply.answer,
        usage=reply.usage,
        tool_calls=transcript.counts["tool_calls"],
        session=reply.session,
        error=reply.error,
        cumulative=reply.cumulative - {"tool_calls"},
        lacking=reply.lacking,
    )
