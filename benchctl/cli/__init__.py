"""The door: the command group, the exit codes, and the only try/except around commands.

Importing this module loads click and nothing else of weight, so that `--version` and
`--help` answer at once; a command's module is imported when that command is asked for.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from benchctl import __version__

__all__ = ["COMMANDS", "cli", "exit_code", "main"]

COMMANDS: dict[str, tuple[str, str]] = {
    "plan": ("benchctl.cli.plan", "Show what a run would do; start nothing, write nothing."),
    "run": ("benchctl.cli.run", "Check everything, then collect a run."),
    "status": ("benchctl.cli.status", "Say what is running, done, failed and left."),
    "runs": ("benchctl.cli.runs", "List the runs of this project."),
    "show": ("benchctl.cli.show", "Show one run, or one cell with its answer and grade."),
    "regrade": ("benchctl.cli.regrade", "Grade a closed run anew; the old grades stay."),
    "baselines": ("benchctl.cli.baselines", "Measure what each arm and agent reads before it is asked."),
    "backfill": ("benchctl.cli.backfill", "Fill in token counts and costs that arrived late."),
    "void": ("benchctl.cli.void", "Take cells out of every denominator, with the reason."),
    "import": ("benchctl.cli.import_", "Make a run of results that somebody else collected."),
    "report": ("benchctl.cli.report", "Print a run's tables."),
    "query": ("benchctl.cli.query", "Ask the store one read-only SQL question."),
    "export": ("benchctl.cli.export", "Write tables as Parquet, CSV, JSON Lines or a DuckDB file."),
    "verify-claims": ("benchctl.cli.verify_claims", "Check every number of the pages against the runs."),
    "claims": ("benchctl.cli.claims", "Draft bindings for the numbers of a page."),
    "merge": ("benchctl.cli.merge", "Put other stores' runs, and a run's shards, into this store."),
    "verify-store": ("benchctl.cli.verify_store", "Check every byte of the runs against its sha256."),
    "gc": ("benchctl.cli.gc", "Drop transcripts, keeping digests, or erase a leaked secret."),
    "site": ("benchctl.cli.site", "Render the site's run pages."),
    "doctor": ("benchctl.cli.doctor", "Say what this machine can run and enforce."),
}
"""Command -> (its module, its line in --help), in the order of the work."""


class _LazyGroup(click.Group):
    """A group that knows its commands by name and imports one only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the commands in the order of the work."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return a command, imported now; None for an unknown name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(COMMANDS[cmd_name][0]).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of the first word; an unknown one is answered with the near ones."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], list(COMMANDS), n=2)
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            ctx.fail(f"No such command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group("benchctl", cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="benchctl %(version)s")
def cli() -> None:
    """Run benchmarks in contained trees, keep every row, and hold every published number to it.

    \b
    Example:
      benchctl run              collect the project's default suite
      benchctl verify-claims    fail where a page says what its run does not
    """


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit: 0 well, 1 found wrong, 2 unusable input, 3 refused, 130 interrupted."""
    sys.exit(exit_code(args))


def exit_code(args: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code. Only programming errors raise."""
    from benchctl.cli.failures import (
        broken_pipe,
        interrupted,
        not_text,
        refusals,
        refused,
        system_failed,
        unusable,
    )

    try:
        if failure := not_text(sys.argv[1:] if args is None else args):
            raise failure
        code: Any = cli.main(args=args, prog_name="benchctl", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        return unusable(error)
    except (KeyboardInterrupt, click.Abort) as error:
        return interrupted(error)
    except BrokenPipeError:
        return broken_pipe()
    except OSError as error:
        return system_failed(error)
    except refusals() as error:
        return refused(error)
    return code if isinstance(code, int) else 0
