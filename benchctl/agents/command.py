"""The adapter for any command line that a suite file describes.

The command is the whole agent: its standard output is the answer, and it reports no
tokens, no dollars and no tool calls. What a suite gives it stands in `argv`:

`{python}` this interpreter · `{agent}` the folder of the suite's agent files · `{arm}` ·
`{model}` · `{question}` the question's id · `{tree}` · `{scratch}` a folder to write to ·
`{prompt_file}` a file with the prompt · `{prompt}` the prompt itself.

How braces are read is said in `schema/placeholders.py`.
"""

from __future__ import annotations

from benchctl.agents.base import Capabilities, Invocation, Reply, Request, Transcript
from benchctl.errors import SuiteInvalidError
from benchctl.schema import placeholders
from benchctl.schema.suite import AgentSpec

__all__ = ["CAPABILITIES", "PLACEHOLDERS", "invocation", "mistakes", "read"]

CAPABILITIES = Capabilities(
    withholds_tools=False,
    reports_tokens=False,
    reports_cost=False,
    reports_tool_calls=False,
    resumes_session=False,
)

_PROMPT_FILE = "prompt.txt"
"""The prompt's file, under the scratch folder."""

PLACEHOLDERS = (
    "agent",
    "arm",
    "model",
    "prompt",
    "prompt_file",
    "python",
    "question",
    "scratch",
    "tree",
)

_EMPTY = "is empty, so there is nothing to start"
_EXAMPLE = 'argv = ["{python}", "{agent}/answer.py", "{tree}", "{prompt_file}"]'


def mistakes(spec: AgentSpec) -> tuple[str, ...]:
    """Return what is wrong with an agent's `argv`: nothing to start, or a placeholder that is none."""
    if not "".join(spec.argv[:1]).strip():
        return (f"{_EMPTY}; an example is {_EXAMPLE}",)
    found = (mistake for word in spec.argv for mistake in placeholders.mistakes(word, PLACEHOLDERS))
    return tuple(dict.fromkeys(found))


def invocation(request: Request) -> Invocation:
    """Return the command with its placeholders filled in, and the prompt's file.

    Raises SuiteInvalidError where `argv` is empty or holds a placeholder that nobody fills. A value is
    put in once and not read again: a prompt that says `{tree}` keeps saying so.
    """
    values = {
        "agent": request.agent_dir,
        "arm": request.arm,
        "model": request.model,
        "prompt": request.prompt,
        "prompt_file": f"{request.scratch}/{_PROMPT_FILE}",
        "python": request.python,
        "question": request.question,
        "scratch": request.scratch,
        "tree": request.tree,
    }
    if not request.spec.argv:
        raise SuiteInvalidError(
            "an agent of kind command has no argv, so there is nothing to start",
            next_step=f"give it one, such as {_EXAMPLE}",
        )
    argv = tuple(placeholders.fill(word, values) for word in request.spec.argv)
    return Invocation(argv=argv, files={_PROMPT_FILE: request.prompt})


def read(transcript: Transcript) -> Reply:
    """Return standard output without the blanks around it as the answer; None where that is nothing.

    The exit status changes nothing here: what was printed before a failure is kept as evidence, and the
    attempt's outcome decides whether it counts.
    """
    return Reply(answer=transcript.stdout.strip() or None)
