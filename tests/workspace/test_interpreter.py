import os
import sys
import sysconfig
from pathlib import Path

import pytest

from benchctl.workspace.interpreter import (
    command_reads,
    interpreter_hides,
    interpreter_reads,
    search_path,
    system_reads,
)
from benchctl.workspace.machine import found, machine_facts


def test_the_interpreter_and_its_library_are_readable():
    reads = interpreter_reads()
    assert Path(sys.executable) in reads
    assert Path(sys.executable).resolve() in reads
    assert Path(sysconfig.get_path("stdlib")) in reads
    assert all(path.exists() for path in reads)


def test_no_folder_of_installed_packages_is_among_what_is_readable():
    packages = Path(sysconfig.get_path("purelib")).resolve()
    assert packages in interpreter_hides()
    for path in interpreter_reads():
        assert not path.resolve().is_relative_to(packages)
        # What lies above it, as the standard library does without a virtual environment, is hidden again.
        assert packages in interpreter_hides() or not packages.is_relative_to(path.resolve())


def test_the_folders_of_the_system_hold_no_persons_files():
    homes = [
        Path("/home"),
        Path("/root"),
        Path("/srv"),
        Path("/var"),
        Path("/opt"),
        Path("/tmp"),
        Path("/etc/passwd"),
    ]
    for path in system_reads():
        assert not any(path.is_relative_to(home) or home.is_relative_to(path) for home in homes)


def test_commands_beside_the_interpreter_come_first():
    assert search_path("/usr/bin").split(os.pathsep) == [str(Path(sys.executable).parent), "/usr/bin"]
    assert search_path("").split(os.pathsep) == [str(Path(sys.executable).parent)]


def test_a_command_is_every_link_on_the_way_to_its_file(tmp_path):
    real = tmp_path / "real"
    real.write_text("#!/bin/sh\n")
    real.chmod(0o755)
    (tmp_path / "bin").mkdir()
    (tmp_path / "middle").symlink_to("real")
    (tmp_path / "bin" / "tool").symlink_to("../middle")
    found_at = command_reads("tool", str(tmp_path / "bin"))
    assert found_at == (tmp_path / "bin" / "tool", tmp_path / "middle", real)
    assert command_reads("no-such-tool", str(tmp_path)) == ()


def test_a_chain_of_links_without_end_is_no_command(tmp_path):
    (tmp_path / "tool").symlink_to("tool")
    assert command_reads("tool", str(tmp_path)) == ()


def tool(folder, script):
    place = folder / "tool"
    place.write_text(f"#!/bin/sh\n{script}\n")
    place.chmod(0o755)
    return place


@pytest.mark.parametrize(
    ("script", "version"),
    [
        ("echo tool 1.2.3", "1.2.3"),
        ("echo 'tool 14.1.0-rc.1 (rev 4649aa9700)' >&2", "14.1.0-rc.1"),
        ("echo v2.0", "2.0"),
        ("echo tool", None),
        ("echo 1.2.3; exit 2", None),  # what failed did not tell its version
        ("cat", None),  # waits for input that never comes
    ],
)
def test_a_command_is_found_with_its_version(tmp_path, script, version):
    place = tool(tmp_path, script)
    assert found("tool", path=f"{tmp_path}:/usr/bin:/bin") == (place, version)


def test_a_command_that_is_not_there_is_none(tmp_path):
    assert found("no-such-tool", path=str(tmp_path)) is None


def test_the_machine_is_described_without_its_name():
    import platform

    facts = machine_facts()
    assert facts.cpus >= 1
    assert facts.python == platform.python_version()
    assert platform.node() not in {facts.system, facts.release, facts.architecture}


def test_processors_are_counted_where_affinity_is_unknown(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert machine_facts().cpus == (os.cpu_count() or 1)
