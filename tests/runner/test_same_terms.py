from __future__ import annotations

import pytest
from small_run import plan, record

from benchctl.runner.same_terms import moved_terms
from benchctl.schema.run import ProgramRecord


def made(*, sandbox="bwrap", servers="sha256:a", programs=(), schema=3, of=None, **terms):
    cells = tuple(cell.model_copy(update={"question_class": of}) for cell in plan(2)) if of else plan(2)
    return record(
        cells=cells,
        **terms,
        sandbox=sandbox,
        schema_version=schema,
        comparability={"servers": servers} if servers else {},
        programs=tuple(
            ProgramRecord(name=name, version=version, sha256=sha) for name, version, sha in programs
        ),
    )


# What was when the run was begun, what is now, and whether it may go on.
MOVES = {
    "nothing": ({}, {}, None),
    "the sandbox": ({}, {"sandbox": "none"}, "begun under sandbox bwrap, and this machine now gives none"),
    "the canary": ({}, {"canary": "benchctl-canary-2"}, "its canary was benchctl-canary-0"),
    "the seed": ({"seed": 7}, {"seed": 8}, "its seed was 7, and is 8"),
    "the seed of a record that has none": ({"seed": 7, "schema": 1}, {"seed": 8}, "its seed was 7, and is 8"),
    "the class": ({"of": "one"}, {"of": "two"}, " was one, and is two"),
    "what gives it away": ({}, {"leak_terms": "sha256:b"}, "the `leak_terms` of its questions were others"),
    "what nobody recorded": ({"schema": 1}, {"leak_terms": "sha256:b"}, None),
    "the first arm": ({"arms": {"a": {}}}, {"arms": {"a": {"first": True}}}, "`first` of arm a was false"),
    "an arm of an earlier version": (
        {"arms": {"a": {}}},
        {"arms": {"a": {"first": False}, "b": {"first": True}}},
        None,
    ),
    "the descriptions": ({}, {"servers": "sha256:b"}, "described the granted tools otherwise"),
    "a version": (
        {"programs": [("rg", "rg 14", "a")]},
        {"programs": [("rg", "rg 15", "b")]},
        "rg was rg 14 when it was begun, and is rg 15",
    ),
    "a build of the same version": (
        {"programs": [("rg", "rg 14", "a")]},
        {"programs": [("rg", "rg 14", "b")]},
        None,  # another machine's package
    ),
    "a mute program": (
        {"programs": [("x", None, "a")]},
        {"programs": [("x", None, "b")]},
        "x is another file",
    ),
    "a program that fell silent": (
        {"programs": [("x", "x 1", "a")]},
        {"programs": [("x", None, "a")]},
        "and is a program without a version",
    ),
    "a program that is new here": ({}, {"programs": [("x", "x 1", "a")]}, None),
    "a record of an earlier version": (
        {"schema": 1, "servers": None},
        {"programs": [("x", "x 1", "a")]},
        None,
    ),
}


@pytest.mark.parametrize("case", MOVES)
def test_a_run_goes_on_as_it_was_begun_or_not_at_all(case):
    begun, now, wrong = MOVES[case]
    found = list(moved_terms(made(**begun), made(**now)))
    assert len(found) == (wrong is not None)
    assert all(wrong in each for each in found)
