"""The command group itself: what it loads, what it says, and how it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import click
import pytest

from benchctl import __version__, cli
from benchctl.errors import OptionInvalidError, RefusedError, Where, WrongError

HEAVY = ("duckdb", "altair", "pydantic", "jinja2", "mkdocs", "git", "pyromark", "vl_convert")
LEAVES = [*(name for name in cli.COMMANDS if name not in ("site", "claims")), "claims suggest", "site render"]


def loaded_by(*words):
    script = (
        "import sys, json\nfrom benchctl.cli import exit_code\n"
        f"code = exit_code({list(words)!r})\n"
        "print('\\n' + json.dumps([code, sorted(name.partition('.')[0] for name in sys.modules)]))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    code, modules = json.loads(done.stdout.splitlines()[-1])
    return code, set(modules) & set(HEAVY), done.stdout


@pytest.mark.parametrize(
    "words", [["--version"], ["--help"], *([*name.split(), "--help"] for name in LEAVES)]
)
def test_help_and_version_load_nothing_heavy(words):
    code, heavy, _ = loaded_by(*words)
    assert (code, heavy) == (0, set())


def test_checking_claims_draws_nothing(tmp_path):
    (tmp_path / "benchctl.toml").write_text("")
    (tmp_path / "page.md").write_text("---\nbenchctl:\n  run: nope\n---\n\n42 is a number.\n")
    code, heavy, _ = loaded_by("verify-claims", str(tmp_path / "page.md"), "--project", str(tmp_path))
    assert code == 1
    assert not heavy & {"altair", "jinja2", "git", "mkdocs", "vl_convert"}


def test_a_shell_can_complete_commands():
    env = {
        **os.environ,
        "_BENCHCTL_COMPLETE": "bash_complete",
        "COMP_WORDS": "benchctl ver",
        "COMP_CWORD": "1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "benchctl"], env=env, capture_output=True, text=True, check=False
    )
    assert [line.partition(",")[2] for line in done.stdout.splitlines()] == ["verify-claims", "verify-store"]


def test_the_version_is_the_packages(capsys):
    assert cli.exit_code(["--version"]) == 0
    assert capsys.readouterr().out == f"benchctl {__version__}\n"


@pytest.mark.parametrize("name", LEAVES)
def test_every_command_has_an_example_and_the_shared_options(name, capsys):
    assert cli.exit_code([*name.split(), "--help"]) == 0
    text = capsys.readouterr().out
    assert "Example:" in text
    assert f"benchctl {name}" in text
    for option in ("--project DIR", "-q, --quiet", "-v, --verbose"):
        assert option in text
    if name != "site render":
        assert "--format" in text


def test_help_lists_every_command_in_the_order_of_the_work(capsys):
    cli.exit_code(["--help"])
    text = capsys.readouterr().out
    places = [text.index(f"\n  {name} ") for name in cli.COMMANDS]
    assert places == sorted(places)
    assert all(line in text for _, line in cli.COMMANDS.values())


def test_every_name_of_the_table_is_a_command():
    context = click.Context(cli.cli)
    assert cli.cli.list_commands(context) == list(cli.COMMANDS)
    for name in cli.COMMANDS:
        command = cli.cli.get_command(context, name)
        assert command is not None
        assert command.name == name
    assert cli.cli.get_command(context, "nope") is None


@pytest.fixture
def ends(monkeypatch):
    """Run a command that does what it is told."""

    def go(does):
        @click.command("runs")
        def command():
            if isinstance(does, BaseException):
                raise does
            return does

        monkeypatch.setattr("benchctl.cli.runs.command", command)
        return cli.exit_code(["runs"])

    return go


class Interrupted(KeyboardInterrupt):
    pass


ENDS = {
    "well": (None, 0, ""),
    "unusable": (
        OptionInvalidError("no arm 'x'", where=Where("f", 3), next_step="look"),
        2,
        "f:3: no arm 'x' [option-invalid]\n  next: look\n",
    ),
    "wrong": (WrongError("a page lies"), 1, "a page lies [found-wrong]\n"),
    "refused": (RefusedError("no"), 3, "no [refused]\n"),
    "interrupted": (KeyboardInterrupt(), 130, "\ninterrupted\n"),
    "interrupted, with words": (Interrupted("run x is interrupted"), 130, "\nrun x is interrupted\n"),
}


@pytest.mark.parametrize("case", ENDS)
def test_every_end_has_its_exit_code_and_its_words_on_standard_error(ends, capsys, case):
    does, code, errors = ENDS[case]
    assert ends(does) == code
    assert capsys.readouterr() == ("", errors)


def test_a_programming_error_is_not_hidden(ends):
    with pytest.raises(ZeroDivisionError):
        ends(ZeroDivisionError())


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["rnus"], "No such command 'rnus'. Did you mean runs"),
        (["runs", "--nope"], "--nope"),
        (["runs", "--format", "xml"], "xml"),
        (["query"], "SQL"),
        (["--nope"], "--nope"),
    ],
)
def test_what_click_cannot_read_is_an_error_of_ours(capsys, words, says):
    assert cli.exit_code(words) == 2
    out, errors = capsys.readouterr()
    assert out == ""
    assert says in errors
    assert "[option-invalid]" in errors
    assert "next: see `benchctl" in errors


def test_a_reader_that_has_enough_is_no_complaint():
    script = (
        "import sys, click\nfrom benchctl import cli\nimport benchctl.cli.runs as runs\n"
        "runs.command = click.command('runs')(lambda: [print('x' * 100) for _ in range(100000)])\n"
        "cli.main(['runs'])"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.read(10)
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert (process.wait(), errors) == (1, b"")


def test_a_command_without_a_subcommand_shows_its_help():
    done = subprocess.run([sys.executable, "-m", "benchctl"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Commands:" in done.stdout + done.stderr
