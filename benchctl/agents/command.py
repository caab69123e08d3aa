"""The adapter for any command line that a suite file describes.

The command is the whole agent: its standard output is the answer, and it reports no
tokens, no dollars and no tool calls. What a suite gives it stands in `argv`:

`{python}` this interpreter · `{agent}` the folder of the suite's agent files · `{arm}` ·
`{model}` · `{question}` the question's id · `{tree}` · `{scratch}` a folder to write to ·
`{prompt_file}` a file with the prompt · `{prompt}` the prompt itself.

`{{name}}` is a literal `{name}`; braces around anything but a name are left alone, so
that JSON and globs need no escape.
"""

from __future__ import annotations

import re

from benchctl.agents.base import Capabilities, Invocation, Reply, Request, Transcript
from benchctl.errors import SuiteInvalidError

__all__ = ["CAPABILITIES", "PLACEHOLDERS", "invocation", "read"]

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

_PLACEHOLDER = re.compile(r"\{\{([A-Za-z_]\w*)\}\}|\{([A-Za-z_]\w*)\}")


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
            next_step='give it one, such as argv = ["{python}", "{agent}/answer.py", "{tree}", "{prompt_file}"]',
        )
    argv = tuple(_filled(word, values) for word in request.spec.argv)
    return Invocation(argv=argv, files={_PROMPT_FILE: request.prompt})


def read(transcript: Transcript) -> Reply:
    """Return standard output without the blanks around it as the answer; None where that is nothing.

    The exit status changes nothing here: what was printed before a failure is kept as evidence, and the
    attempt's outcome decides whether it counts.
    """
    return Reply(answer=transcript.stdout.strip() or None)


def _filled(word: str, values: dict[str, str]) -> str:
    def value(match: re.Match[str]) -> str:
        if match[1] is not None:
            return f"{{{match[1]}}}"
        if match[2] not in values:
            raise SuiteInvalidError(
                f"argv holds the unknown placeholder {{{match[2]}}}",
                expected="one of " + " ".join(f"{{{name}}}" for name in PLACEHOLDERS),
                next_step=f"write {{{{{match[2]}}}}} where the braces are meant literally",
            )
        return values[match[2]]

    return _PLACEHOLDER.sub(value, word)
