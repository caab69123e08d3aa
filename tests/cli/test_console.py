from __future__ import annotations

import pytest

from benchctl.cli.console import Console, columns, duration, refusal_lines
from benchctl.schema.run import RefusalRecord


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.4, "0 s"),
        (59.4, "59 s"),
        (59.5, "1 min 00 s"),
        (185, "3 min 05 s"),
        (3599.9, "1 h 00 min"),
        (7620, "2 h 07 min"),
    ],
)
def test_a_duration_reads_as_people_say_it(seconds, shown):
    assert duration(seconds) == shown


def test_columns_are_aligned_and_hostile_text_is_shown_and_not_obeyed():
    shown = columns([("a", None), ("\x1b[31mred", 12)], ("name", "n"))
    assert shown.splitlines() == ["name           n", "a              \N{EN DASH}", r"\u001b[31mred  12"]


def test_a_refusal_says_what_why_and_what_to_do():
    lines = refusal_lines(
        [
            RefusalRecord(
                arm="graph", reason="rg not found", next_step="pip install ripgrep", required=False
            ),
            RefusalRecord(arm="grep", reason="rg not found"),
            RefusalRecord(question="q", reason="too few", required=False),
        ]
    )
    assert lines == [
        "  arm graph (optional): rg not found\n      next: pip install ripgrep",
        "  arm grep: rg not found",
        "  question q: too few",
    ]


def test_what_is_said_of_hostile_things_is_shown_and_not_obeyed(capsys):
    console = Console(verbose=True)
    console.say("a\x1b]0;b\x07\nc")
    console.detail("\u202ed")
    assert capsys.readouterr().err == "a\\u001b]0;b\\u0007\nc\n\\u202ed\n"
    refusal = RefusalRecord(question="q\x1b", reason="r\nnext: none", next_step="\x9b", required=False)
    assert refusal_lines([refusal]) == ["  question q\\u001b: r\\u000anext: none\n      next: \\u009b"]
