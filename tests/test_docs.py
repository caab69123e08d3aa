"""The manual is checked against the code, and every command it shows is executed."""

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
import reference_pages
import yaml

from benchctl.quantities.tokens import NOT_CLAIM_KINDS

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "site").rglob("*.md"))]
BENCHCTL = Path(sys.executable).with_name("benchctl")


def console_commands():
    for page in PAGES:
        for block in re.findall(r"^```console\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE):
            for line in block.splitlines():
                if line.startswith("$ "):
                    yield pytest.param(line[2:], id=f"{page.name}: {line[2:60]}")


COMMANDS = list(console_commands())


@pytest.mark.parametrize("path", reference_pages.PAGES)
def test_a_generated_page_is_what_the_code_says_today(path):
    expected = re.sub(r"[ \t]+\n", "\n", reference_pages.PAGES[path]())
    assert (ROOT / path).read_text() == expected, (
        "run `python tests/reference_pages.py` and read what changed"
    )


def test_the_manual_shows_commands():
    assert len(COMMANDS) >= 8


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_shown_command_works_as_it_is_shown(command):
    assert command.startswith("benchctl ")
    result = subprocess.run(
        ["bash", "-c", f'"$0" {command.removeprefix("benchctl ")}', BENCHCTL],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout


def test_every_option_of_every_command_says_what_it_does():
    from benchctl.cli import cli

    commands = list(reference_pages.walk(cli, ("benchctl",)))
    assert len(commands) >= 10
    for path, command in commands:
        assert command.help, path
        assert "benchctl" in (command.epilog or command.help), f"{path} shows no example"
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help, f"{path} {parameter.name}"


def test_every_page_of_the_site_is_in_the_navigation():
    class Loader(yaml.SafeLoader):
        pass

    Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)
    Loader.add_multi_constructor("!", lambda *_: None)
    text = yaml.dump(yaml.load((ROOT / "mkdocs.yml").read_text(), Loader)["nav"])
    for page in PAGES[1:]:
        assert page.relative_to(ROOT / "site").as_posix() in text


def test_the_manual_names_every_kind_that_is_no_claim():
    kinds = (
        (ROOT / "site" / "guide" / "claims.md")
        .read_text()
        .partition("## Ways to bind")[2]
        .partition("\n## ")[0]
    )
    assert [kind for kind in sorted(NOT_CLAIM_KINDS) if f"`{kind}`" not in kinds] == []


def test_the_readme_shows_the_two_commands():
    text = (ROOT / "README.md").read_text()
    assert len(re.findall(r"<!-- command: (run|test) -->\n```\n.+\n```", text)) == 2


def test_the_changelog_has_something_unreleased_or_this_version():
    from benchctl import __version__

    text = (ROOT / "CHANGELOG.md").read_text()
    assert "## Unreleased" in text or f"## {__version__}" in text
