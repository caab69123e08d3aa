from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.agents import command
from benchctl.agents.base import Request, Transcript
from benchctl.errors import SuiteInvalidError
from benchctl.schema.suite import AgentSpec

REQUEST = Request(
    spec=AgentSpec(argv=("{python}", "{agent}/{arm}.py")),
    question="q1",
    arm="grep",
    model="none",
    prompt="Who calls {tree}?",
    tree="/cell/tree",
    agent_dir="/cell/agent",
    scratch="/cell/scratch",
    python="/usr/bin/python3",
)


def composed(*argv):
    return command.invocation(replace(REQUEST, spec=AgentSpec(argv=argv))).argv


@pytest.mark.parametrize(
    ("word", "becomes"),
    [
        ("{python}", "/usr/bin/python3"),
        ("{agent}/{arm}.py", "/cell/agent/grep.py"),  # several in one word
        ("{question}:{model}", "q1:none"),
        ("{tree}", "/cell/tree"),
        ("{scratch}/out", "/cell/scratch/out"),
        ("{prompt_file}", "/cell/scratch/prompt.txt"),
        ("{prompt}", "Who calls {tree}?"),  # a value is put in once and not read again
        ("{{tree}}", "{tree}"),  # an escape
        ("{{{tree}}}", "{{tree}}"),  # the escape is the inner pair
        ('{"a": {"b": 1}}', '{"a": {"b": 1}}'),  # JSON is left alone
        ("{}", "{}"),
        ("{1,2}", "{1,2}"),
        ("plain", "plain"),
        ("", ""),
    ],
)
def test_placeholders_are_filled_in(word, becomes):
    assert composed("x", word) == ("x", becomes)


def test_every_placeholder_that_is_named_is_filled():
    assert not any(
        "{" in word
        for word in composed(*(f"{{{name}}}" for name in command.PLACEHOLDERS if name != "prompt"))
    )


def test_a_placeholder_that_nobody_fills_is_refused_with_the_list_of_those_there_are():
    with pytest.raises(SuiteInvalidError) as caught:
        composed("{python}", "--key={api_key}")
    assert "{api_key}" in caught.value.what
    assert "{prompt_file}" in str(caught.value.expected)
    assert "{{api_key}}" in str(caught.value.next_step)


def test_an_agent_without_an_argv_is_refused():
    with pytest.raises(SuiteInvalidError, match="no argv"):
        composed()


def test_the_prompt_is_a_file_under_the_scratch_folder():
    made = command.invocation(REQUEST)
    assert made.files == {"prompt.txt": "Who calls {tree}?"}
    assert made.env == {}


@given(st.text(), st.text(alphabet="{}abtree"))
def test_a_prompt_of_any_text_reaches_the_command_unchanged(prompt, word):
    request = replace(REQUEST, prompt=prompt, spec=AgentSpec(argv=("run", "{prompt}")))
    assert command.invocation(request).argv[1] == prompt
    try:
        composed("run", word)
    except SuiteInvalidError:
        assert "{" in word


@pytest.mark.parametrize(
    ("stdout", "exit_code", "answer"),
    [
        ('["a::b"]\n', 0, '["a::b"]'),
        ("", 0, None),
        (" \n\t", 0, None),
        ('["a"]', 1, '["a"]'),  # kept: the outcome decides whether it counts
        ("half an ans", None, "half an ans"),
    ],
)
def test_standard_output_is_the_answer(stdout, exit_code, answer):
    reply = command.read(Transcript(stdout, "noise", exit_code))
    assert reply.answer == answer
    assert reply.usage.total_tokens is None
    assert reply.tool_calls is None
