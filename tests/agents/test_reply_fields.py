"""What a command reports of itself: read where a pointer leads, and nowhere else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.agents.base import Reply, Transcript
from benchctl.agents.reply_fields import SESSION, read_reply
from benchctl.schema.suite import ReplyFields
from benchctl.schema.usage import Usage


def read(stdout="", *, files=None, **fields):
    return read_reply(ReplyFields(**fields), Transcript(stdout, "", 0, files or {}))


EVERYTHING = {
    "result": "[1]",
    "session_id": "a-b_C.1",
    "usage": {"in": 10, "out": 2, "all": 12},
    "usd": 0.25,
    "calls": 3,
    "failed": False,
}
POINTERS = {
    "answer": "/result",
    "session": "/session_id",
    "error": "/failed",
    "input_tokens": "/usage/in",
    "output_tokens": "/usage/out",
    "total_tokens": "/usage/all",
    "cost_usd": "/usd",
    "tool_calls": "/calls",
}


def test_everything_that_is_named_is_read():
    assert read(json.dumps(EVERYTHING), **POINTERS) == Reply(
        answer="[1]",
        usage=Usage(10, 2, 12, 0.25, "agent", "agent"),
        tool_calls=3,
        session="a-b_C.1",
        error=None,
    )


def test_what_is_not_named_is_not_reported():
    assert read(json.dumps(EVERYTHING), answer="/result") == Reply(answer="[1]")


@pytest.mark.parametrize(
    ("stdout", "answer", "session"),
    [
        ('{"s": "one"}', None, "one"),  # the object alone: nothing was said beside it
        ('[1]\n{"s": "one"}\n', "[1]", "one"),  # the object's line is no part of the answer
        ('{"s": "one"}\nnoise\n', "noise", "one"),  # what comes after it is
        ('{"s": "one"}\n{"s": "two"}\n', '{"s": "one"}', "two"),  # the last object counts
        ('{"s": "one"}\n{"s": "tw', '{"s": "tw', "one"),  # a line that was cut is no object
        ('{"s": "one"}\n[{"s": "two"}]\n', '[{"s": "two"}]', "one"),  # neither is a list
        ("", None, None),
    ],
)
def test_the_object_is_the_last_line_that_is_one(stdout, answer, session):
    reply = read(stdout, session="/s")
    assert (reply.answer, reply.session) == (answer, session)


def test_a_file_is_read_instead_and_standard_output_stays_the_answer():
    files = {"out/usage.json": '{\n "s": "one"\n}'}
    reply = read('{"s": "two"}\n', files=files, file="out/usage.json", session="/s")
    assert (reply.answer, reply.session) == ('{"s": "two"}', "one")
    nothing = Reply("x", lacking=("reply.session: nothing at /s",))
    assert read("x", files={}, file="out/usage.json", session="/s") == nothing
    assert read("x", files={"out/usage.json": "[]"}, file="out/usage.json", session="/s") == nothing


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        ("x", "x"),
        (" x ", "x"),
        ("", None),
        ("  ", None),
        (None, None),
        (["a"], '["a"]'),  # a list is the answer as JSON
        ({"a": "ü"}, '{"a": "ü"}'),
        (0, "0"),
        (False, "false"),
    ],
)
def test_an_answer_is_text_or_json(value, answer):
    assert read(json.dumps({"a": value}), answer="/a").answer == answer


@pytest.mark.parametrize(
    ("value", "tokens", "cost"),
    [
        (0, 0, 0.0),  # 0 is a measurement
        (5, 5, 5.0),
        (2.5, None, 2.5),
        (-1, None, None),
        (True, None, None),
        ("5", None, None),
        (None, None, None),
        (2**53 + 1, None, None),  # beyond what JSON counts exactly, and no price
        (1e15, None, 1e15),
        (1.7e308, None, None),  # two of them would be no number any more
        (10**400, None, None),
    ],
)
def test_a_figure_that_is_none_is_not_measured_and_never_zero(value, tokens, cost):
    usage = read(json.dumps({"v": value}), input_tokens="/v", cost_usd="/v").usage
    assert (usage.input_tokens, usage.source) == (tokens, None if tokens is None else "agent")
    assert (usage.cost_usd, usage.cost_source) == (cost, None if cost is None else "agent")


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ("429 too many", "429 too many"),
        ({"code": 429}, '{"code": 429}'),
        (True, "the agent says that it failed"),
        (False, None),
        (None, None),
        ("", None),
        (0, None),
        ([], None),
    ],
)
def test_an_error_is_the_apis_own_words(value, error):
    assert read(json.dumps({"e": value}), error="/e").error == error


@pytest.mark.parametrize(
    ("value", "session"),
    [
        ("0192-a:b", "0192-a:b"),
        ("--dangerous", None),  # it becomes a word of a command line
        ("a b", None),
        ("a\nb", None),
        ("", None),
        ("x" * 201, None),
        (7, None),
        (None, None),
    ],
)
def test_a_session_never_looks_like_an_option(value, session):
    assert read(json.dumps({"s": value}), session="/s").session == session


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("/a/b", 1),
        ("/a/list/1", 20),
        ("/a/list/01", None),  # RFC 6901: no leading zero
        ("/a/list/-", None),
        ("/a/list/2", None),
        ("/a~1b", 2),
        ("/~0", 3),
        ("/", 4),  # the empty key
        ("/a/b/c", None),
        ("/none", None),
    ],
)
def test_pointers_are_those_of_rfc_6901(pointer, value):
    found = {"a": {"b": 1, "list": [10, 20]}, "a/b": 2, "~": 3, "": 4}
    assert read(json.dumps(found), tool_calls=pointer).tool_calls == value


_ODD = {
    "a line separator inside a string": "\u2028",
    "a next line inside a string": "\u0085",
    "a form feed, escaped": "\\f",
}


@pytest.mark.parametrize("odd", _ODD)
def test_only_line_feeds_and_carriage_returns_part_lines(odd):
    for stdout in (
        f'x\n{{"a": "y", "usd": 5, "note": "x{_ODD[odd]}y"}}\n',
        f'5 %\r{{"a": "y", "usd": 5, "b": "{_ODD[odd]}"}}',
    ):
        reply = read(stdout, answer="/a", cost_usd="/usd")
        assert (reply.answer, reply.usage.cost_usd) == ("y", 5.0)


@pytest.mark.parametrize(
    "odd",
    ["9" * 5000, "-" + "9" * 5000, "[" * 3000 + "]" * 3000, '{"a":' * 900 + "1" + "}" * 900, "1e999", "NaN", "-Infinity",
     "[" * 300 + '"]"' + "]" * 300],
)  # fmt: skip
def test_one_odd_value_costs_itself_alone(odd):
    stdout = f'{{"odd": [{odd}, {odd}], "a": ["y"], "usd": 5, "in": {odd}, "out": 7}}\n'
    reply = read(stdout, answer="/a", cost_usd="/usd", input_tokens="/in", output_tokens="/out")
    assert (reply.answer, reply.usage.cost_usd) == ('["y"]', 5.0)
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (None, 7)
    assert read(stdout, answer="/in", cost_usd="/usd").usage.cost_usd == 5.0


def test_an_answer_too_deep_to_be_had_whole_is_none():
    deep = "[" * 975 + "]" * 975
    reply = read(f'{{"a": {deep}, "b": [NaN], "usd": 5}}', answer="/a", cost_usd="/usd")
    assert (reply.answer, reply.usage.cost_usd) == (None, 5.0)
    assert read(f'{{"a": {deep}, "b": [NaN]}}', answer="/b").answer == "[NaN]"
    assert read(f'{{"a": {"[" * 199}{"]" * 199}}}', answer="/a").answer == "[" * 199 + "]" * 199
    assert read(f'{{"a": {"[" * 999}\n[1]', answer="/a").answer is None  # nothing closes it


def test_quotes_that_nothing_closes_take_no_longer_than_their_length():
    hostile = '{"a": ' + "[" * 300 + '"' + '\\"' * 1_000_000
    assert read(hostile, answer="/a").answer is None


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["a", "b", "c"]), _JSON), st.text())
def test_no_object_makes_it_raise_and_what_it_reads_is_usable(found, noise):
    fields = dict.fromkeys(("answer", "session", "error", "input_tokens", "cost_usd", "tool_calls"), "/a")
    reply = read(noise + "\n" + json.dumps(found), **fields)
    assert reply.answer is None or reply.answer.strip()
    assert reply.session is None or SESSION.fullmatch(reply.session)
    assert reply.usage.input_tokens is None or reply.usage.input_tokens >= 0
    assert reply.usage.cost_usd is None or reply.usage.cost_usd >= 0


@pytest.mark.parametrize(
    ("said", "lacking"),
    [
        ({"v": 3}, ()),
        ({}, ("reply.cost_usd: nothing at /v",)),
        ({"v": None}, ("reply.cost_usd: nothing at /v",)),
        ({"v": "3"}, ("reply.cost_usd: a text, no number, at /v",)),
        ({"v": True}, ("reply.cost_usd: true or false, no number, at /v",)),
        ({"v": [3]}, ("reply.cost_usd: a list, no number, at /v",)),
        ({"v": -1}, ("reply.cost_usd: no such number at /v",)),
    ],
)
def test_a_figure_that_was_to_be_reported_and_was_not_is_told(said, lacking):
    assert read(json.dumps(said), cost_usd="/v").lacking == lacking


@pytest.mark.parametrize(
    ("said", "lacking"),
    [
        ('{"s": "id-1"}', ()),
        ('{"s": "--id"}', ("reply.session: no id of a session at /s",)),
        ("no object", ("reply.session: nothing at /s",)),
    ],
)
def test_a_session_that_was_to_be_reported_and_was_not_is_told(said, lacking):
    assert read(said, session="/s", error="/e").lacking == lacking, (
        "that there is no error is as it should be"
    )
