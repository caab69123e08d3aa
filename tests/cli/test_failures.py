from __future__ import annotations

import errno
import os

import pytest

from benchctl.cli.failures import not_text, refused, system_failed
from benchctl.errors import OptionInvalidError


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (
            OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/x/y"),
            "/x/y: No space left on device [system-error]",
        ),
        (PermissionError(errno.EACCES, "Permission denied", "/x"), "/x: Permission denied [system-error]"),
        (OSError("odd"), "odd [system-error]"),
        (TimeoutError(), "TimeoutError [system-error]"),
    ],
)
def test_what_the_system_refuses_is_said_with_its_file_and_a_next_step(capsys, error, says):
    assert system_failed(error) == 2
    out, errors = capsys.readouterr()
    assert out == ""
    assert errors.startswith(says)
    assert "\n  next: " in errors


@pytest.mark.parametrize("words", [[], ["plan"], ["--only", "größe"], ["\U0001f600"]])
def test_a_command_line_of_text_is_fine(words):
    assert not_text(words) is None


def test_a_command_line_that_is_not_utf_8_is_an_error_that_can_itself_be_printed(capsys):
    assert refused(not_text(["plan", os.fsdecode(b"a\xff")])) == 2
    assert r"argument 2 is not UTF-8: 'a\udcff'" in capsys.readouterr().err


def test_control_characters_of_an_error_are_written_out(capsys):
    refused(OptionInvalidError("a\x1b[31mb\nc\x07"))
    assert capsys.readouterr().err == "a\\u001b[31mb [option-invalid]\nc\\u0007\n"
