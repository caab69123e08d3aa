import json
from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.agents import command
from benchctl.agents.base import Request, ServerCommand, Transcript
from benchctl.errors import SuiteInvalidError
from benchctl.schema.suite import AgentSpec, ReplyFields

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
    reply = command.read(REQUEST.spec, Transcript(stdout, "noise", exit_code))
    assert reply.answer == answer
    assert reply.usage.total_tokens is None
    assert reply.tool_calls is None


TALKER = AgentSpec(
    argv=("{python}", "{prompt_file}"),
    continue_argv=("{python}", "--resume", "{session}", "{prompt_file}"),
    reply=ReplyFields(session="/session", answer="/answer"),
)


def test_a_continuation_is_another_command_with_its_own_prompt_beside_the_first():
    made = command.invocation(replace(REQUEST, spec=TALKER, session="s-1", prompt="Go on."))
    assert made.argv == ("/usr/bin/python3", "--resume", "s-1", "/cell/scratch/continue.txt")
    assert made.files == {"continue.txt": "Go on."}
    assert command.invocation(replace(REQUEST, spec=TALKER)).argv == (
        "/usr/bin/python3",
        "/cell/scratch/prompt.txt",
    )


def test_an_agent_that_cannot_go_on_has_no_command_for_it():
    with pytest.raises(SuiteInvalidError, match="nothing to start"):
        command.invocation(replace(REQUEST, session="s-1"))


def test_what_an_arm_gives_reaches_the_agent_that_names_it():
    argv = ("x", "{tools}", "{effort}", "{instructions_file}", "{servers_file}", "{indexes}")
    made = command.invocation(
        replace(
            REQUEST,
            spec=AgentSpec(argv=argv),
            tools=("grep", "graph.callers"),
            effort="high",
            instructions="Read NOTES first.",
            indexes="/indexes",
            servers={"graph": ServerCommand(("graph", "--root", "/cell/tree"), {"QUIET": "1"})},
        )
    )
    assert made.argv == (
        "x", "grep,graph.callers", "high", "/cell/scratch/instructions.md", "/cell/scratch/servers.json", "/indexes",
    )  # fmt: skip
    assert made.files["instructions.md"] == "Read NOTES first."
    assert json.loads(made.files["servers.json"]) == {
        "mcpServers": {"graph": {"command": "graph", "args": ["--root", "/cell/tree"], "env": {"QUIET": "1"}}}
    }


def test_what_nobody_asks_for_is_not_written():
    made = command.invocation(replace(REQUEST, instructions="x", servers={"s": ServerCommand(("s",))}))
    assert set(made.files) == {"prompt.txt"}


@pytest.mark.parametrize(
    ("spec", "mistake"),
    [
        (TALKER.model_copy(update={"continue_argv": ("x", "{sesion}")}), "{sesion}"),
        (TALKER.model_copy(update={"continue_argv": ("x", "--last")}), "names no {session}"),
        (TALKER.model_copy(update={"reply": None}), "reply.session"),
        (TALKER.model_copy(update={"reply": ReplyFields(answer="/a")}), "reply.session"),
        (AgentSpec(argv=("x",), reply=ReplyFields(answer="a.b")), "`reply.answer` 'a.b' is no JSON pointer"),
        (AgentSpec(argv=("x",), reply=ReplyFields(file="../gold.json")), "no file below {scratch}"),
        (AgentSpec(argv=("x",), reply=ReplyFields(file="/etc/passwd")), "no file below {scratch}"),
        (AgentSpec(argv=("x", "{session}")), "{session}"),  # a first turn has no session yet
    ],
)
def test_what_is_wrong_with_a_command_is_said_before_it_is_started(spec, mistake):
    assert any(mistake in each for each in command.mistakes(spec)), command.mistakes(spec)


def test_a_whole_command_has_no_mistake():
    fields = ReplyFields(file="out/usage.json", session="/s", answer="/a", total_tokens="/t")
    assert command.mistakes(TALKER.model_copy(update={"reply": fields})) == ()


@pytest.mark.parametrize(
    ("spec", "can"),
    [
        (AgentSpec(argv=("x",)), set()),
        (AgentSpec(argv=("x",), reply=ReplyFields(total_tokens="/t")), {"reports_tokens"}),
        (AgentSpec(argv=("x",), reply=ReplyFields(input_tokens="/t")), set()),  # half of them is not all
        (
            AgentSpec(argv=("x",), reply=ReplyFields(input_tokens="/t", output_tokens="/o")),
            {"reports_tokens"},
        ),
        (AgentSpec(argv=("x",), reply=ReplyFields(cost_usd="/c")), {"reports_cost"}),
        (AgentSpec(argv=("x",), reply=ReplyFields(tool_calls="/c")), {"reports_tool_calls"}),
        (AgentSpec(argv=("x",), counts={"tool_calls": "c"}), {"reports_tool_calls", "counts_tool_calls"}),
        (AgentSpec(argv=("x",), counts={"events": "e"}), {"counts_events"}),
        (TALKER, {"resumes_session"}),
    ],
)
def test_a_command_can_what_its_suite_names(spec, can):
    assert {name for name, value in asdict(command.capabilities(spec)).items() if value} == can


def test_tool_calls_are_those_that_are_reported_else_those_that_were_counted():
    fields = ReplyFields(tool_calls="/calls")
    said = Transcript('{"calls": 7}', "", 0, counts={"tool_calls": 5})
    assert command.read(AgentSpec(argv=("x",), reply=fields), said).tool_calls == 7
    assert command.read(AgentSpec(argv=("x",)), said).tool_calls == 5
    assert command.read(AgentSpec(argv=("x",)), Transcript("x", "", 0)).tool_calls is None


def test_the_file_it_reports_in_is_asked_for():
    assert command.reports(AgentSpec(argv=("x",), reply=ReplyFields(file="u.json"))) == ("u.json",)
    assert command.reports(TALKER) == command.reports(AgentSpec(argv=("x",))) == ()
