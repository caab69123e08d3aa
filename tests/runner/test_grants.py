from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

from benchctl.runner.grants import make_grant, needs_of


def script(path, first):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{first}\nprint()\n")
    path.chmod(0o755)
    return path


def test_an_arm_gets_links_to_its_commands_and_to_nothing_beside_them(tmp_path):
    script(tmp_path / "bin" / "tool", "#!/bin/sh")
    script(tmp_path / "bin" / "other", "#!/bin/sh")
    grant = make_grant(tmp_path / "granted", ["tool"], {"tool": str(tmp_path / "bin" / "tool")})
    assert [path.name for path in grant.commands.iterdir()] == ["tool"]
    assert (grant.commands / "tool").resolve() == tmp_path / "bin" / "tool"
    assert grant.reads[0] == grant.commands
    assert tmp_path / "bin" not in grant.reads


def test_a_command_of_a_virtual_environment_needs_that_environment(tmp_path):
    venv = tmp_path / "venv"
    tool = script(venv / "bin" / "tool", f"#!{venv}/bin/python3")
    assert needs_of(tool) == (), "without a pyvenv.cfg it is no environment"
    (venv / "pyvenv.cfg").write_text("home = /opt/python/bin\nversion = 3.12\n")
    assert needs_of(tool) == (venv, Path("/opt/python"))
    (venv / "pyvenv.cfg").write_text("home = /usr/bin\n")
    assert needs_of(tool) == (venv,)


def test_a_command_of_our_own_environment_needs_its_packages(tmp_path):
    tool = script(tmp_path / "tool", f"#!{sys.prefix}/bin/python")
    assert Path(sysconfig.get_path("purelib")).resolve() in needs_of(tool)


def test_a_node_script_needs_its_modules(tmp_path):
    real = script(tmp_path / "lib" / "node_modules" / "@x" / "codegraph" / "bin.js", "#!/usr/bin/env node")
    link = tmp_path / "bin" / "codegraph"
    link.parent.mkdir()
    link.symlink_to(real)
    assert needs_of(link) == (tmp_path / "lib" / "node_modules",)


def test_a_binary_needs_nothing_more(tmp_path):
    (tmp_path / "rg").write_bytes(b"\x7fELF")
    assert needs_of(tmp_path / "rg") == ()
    assert needs_of(tmp_path / "gone") == ()
