"""What every agent adapter must do. A new adapter adds its own recorded transcripts to RECORDED."""

import dataclasses
import inspect
import types

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.agents import AGENTS
from benchctl.agents.base import Capabilities, Invocation, Reply, Request, Transcript
from benchctl.schema.suite import AgentSpec

RECORDED = {
    # kind: what the process left -> the answer in it
    "command": {
        "an answer": (Transcript('["a.py::f"]\n', "", 0), '["a.py::f"]'),
        "an answer after prose": (Transcript('Looking.\n["a.py::f"]\n', "", 0), 'Looking.\n["a.py::f"]'),
        "an empty answer": (Transcript("\n", "", 0), None),
        "an error": (Transcript("", "no such file", 2), None),
        "ended from outside": (Transcript("", "", None), None),
        "a cut stream": (Transcript('["a.py::f", "b', "", None), '["a.py::f", "b'),
    }
}
SPECS = {"command": AgentSpec(argv=("{python}", "{agent}/{arm}.py", "{tree}", "{prompt_file}"))}

each_agent = pytest.mark.parametrize("kind", sorted(AGENTS))


def request(kind):
    return Request(
        spec=SPECS[kind],
        question="q1",
        arm="a",
        model="none",
        prompt="Where?",
        tree="/cell/tree",
        agent_dir="/cell/agent",
        scratch="/cell/scratch",
        python="/usr/bin/python3",
    )


def test_every_adapter_has_recorded_transcripts_and_a_spec():
    assert set(RECORDED) == set(AGENTS) == set(SPECS)
    assert all(RECORDED.values())


@each_agent
def test_an_adapter_is_a_module_that_says_what_it_can_honour(kind):
    adapter = AGENTS[kind]
    assert isinstance(adapter, types.ModuleType)
    assert inspect.getdoc(adapter)
    assert isinstance(adapter.CAPABILITIES, Capabilities)
    assert all(isinstance(value, bool) for value in dataclasses.astuple(adapter.CAPABILITIES))


@each_agent
def test_an_adapter_says_what_is_wrong_with_a_spec_before_anything_is_composed(kind):
    assert AGENTS[kind].mistakes(SPECS[kind]) == ()
    broken = SPECS[kind].model_copy(update={"argv": (*SPECS[kind].argv, "{no_such_placeholder}")})
    (mistake,) = AGENTS[kind].mistakes(broken)
    assert "{no_such_placeholder}" in mistake


@each_agent
def test_equal_requests_give_equal_commands(kind):
    one, other = AGENTS[kind].invocation(request(kind)), AGENTS[kind].invocation(request(kind))
    assert isinstance(one, Invocation)
    assert one == other
    assert one.argv
    assert all(isinstance(word, str) for word in one.argv)


@each_agent
def test_files_stay_below_the_scratch_folder_and_the_prompt_arrives(kind):
    made = AGENTS[kind].invocation(request(kind))
    assert not any(name.startswith("/") or ".." in name.split("/") for name in made.files)
    assert "Where?" in (*made.argv, *made.files.values())


@pytest.mark.parametrize(
    ("kind", "case"), [(kind, case) for kind, cases in sorted(RECORDED.items()) for case in cases]
)
def test_a_recorded_transcript_reads_as_what_it_says(kind, case):
    transcript, answer = RECORDED[kind][case]
    assert AGENTS[kind].read(SPECS[kind], transcript).answer == answer


@each_agent
def test_what_an_adapter_cannot_report_stays_unmeasured(kind):
    capabilities = AGENTS[kind].capabilities(SPECS[kind])
    for transcript, _ in RECORDED[kind].values():
        reply = AGENTS[kind].read(SPECS[kind], transcript)
        if not capabilities.reports_tokens:
            assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.source) == (
                None,
                None,
                None,
            )
        if not capabilities.reports_cost:
            assert (reply.usage.cost_usd, reply.usage.cost_source) == (None, None)
        if not capabilities.reports_tool_calls:
            assert reply.tool_calls is None
        if not capabilities.resumes_session:
            assert reply.session is None


@each_agent
@given(stdout=st.text(), stderr=st.text(), exit_code=st.none() | st.integers(-64, 255))
def test_no_transcript_makes_an_adapter_raise(kind, stdout, stderr, exit_code):
    reply = AGENTS[kind].read(SPECS[kind], Transcript(stdout, stderr, exit_code))
    assert isinstance(reply, Reply)
    assert reply.answer is None or reply.answer.strip()


@each_agent
def test_what_one_agent_can_is_at_least_what_its_kind_can(kind):
    own = dataclasses.asdict(AGENTS[kind].capabilities(SPECS[kind]))
    assert all(own[name] for name, can in dataclasses.asdict(AGENTS[kind].CAPABILITIES).items() if can)


@each_agent
def test_the_files_it_reports_in_lie_below_the_scratch_folder(kind):
    assert not any(
        name.startswith("/") or ".." in name.split("/") for name in AGENTS[kind].reports(SPECS[kind])
    )
