import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from walls import REASONS, WALLS, every_level, skip_without

from benchctl.errors import SandboxUnavailableError
from benchctl.schema.sandbox import SANDBOX_LEVELS, satisfies
from benchctl.workspace import sandbox as sandbox_module
from benchctl.workspace.cells import cell_root
from benchctl.workspace.interpreter import command_reads, interpreter_hides, interpreter_reads, search_path
from benchctl.workspace.probes import probe
from benchctl.workspace.process import run_process
from benchctl.workspace.proxy import CellProxy
from benchctl.workspace.sandbox import Sandbox, choose, landlock, none

EVERY_WALL = pytest.mark.parametrize("level", every_level())
BWRAP = pytest.mark.parametrize("level", [pytest.param("bwrap", marks=skip_without("bwrap"))])


class Cell:
    """A command runner inside one wall, with a writable folder."""

    def __init__(self, wall, root):
        self.wall = wall
        self.root = root
        self.env = {"PATH": search_path("/usr/bin:/bin"), "HOME": str(root), "TMPDIR": str(root)}

    def run(self, *argv, reads=(), env=None, **options):
        env = {**self.env, **(env or {})}
        wrapped = self.wall.wrap(
            argv, reads=[*interpreter_reads(), *reads], writes=[self.root], cwd=self.root, env=env
        )
        defaults = {"wall_s": 60.0, "output_bytes": 1 << 22}
        return run_process(wrapped, cwd=self.root, env=env, **{**defaults, **options})

    def python(self, code, **options):
        return self.run(sys.executable, "-I", "-S", "-c", code, **options)


@pytest.fixture
def cell(level):
    with cell_root() as root:
        yield Cell(WALLS[level], root)


@EVERY_WALL
def test_a_command_runs_and_its_end_and_output_are_its_own(cell):
    result = cell.python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(7)")
    assert (result.outcome, result.exit_code) == ("exit_nonzero", 7)
    assert (result.stdout.text, result.stderr.text) == ("out\n", "err\n")
    assert cell.run("sh", "-c", "kill -9 $$").exit_code == 137


@EVERY_WALL
def test_a_command_works_in_its_folder_and_writes_there_alone(cell):
    assert cell.run("sh", "-c", "pwd; echo kept > file").stdout.text == f"{cell.root}\n"
    assert (cell.root / "file").read_text() == "kept\n"
    for place in ("/usr/lib/forged", "/etc/forged", str(Path(__file__).parent / "forged")):
        assert cell.run("sh", "-c", f"echo x > {place}").outcome == "exit_nonzero"
        assert not Path(place).exists()


@EVERY_WALL
def test_the_environment_is_the_given_one_and_stays_off_the_command_line(cell):
    secret = {"API_KEY": "very-secret-value"}
    words = cell.wall.wrap(["true"], reads=[], writes=[], cwd=cell.root, env={**cell.env, **secret})
    assert not any("very-secret-value" in word for word in words)
    result = cell.python("import os, json; print(json.dumps(dict(os.environ)))", env=secret)
    found = json.loads(result.stdout.text)
    assert found["API_KEY"] == "very-secret-value"
    assert set(found) <= {"API_KEY", "BENCHCTL_CELL", "HOME", "LC_CTYPE", "PATH", "PWD", "TMPDIR"}


@EVERY_WALL
def test_what_is_installed_here_is_not_importable_inside(cell):
    code = "import sys, json, sqlite3\ntry:\n    import click\nexcept ImportError:\n    print('hidden')"
    assert cell.run(sys.executable, "-I", "-c", code).stdout.text == "hidden\n"
    import click

    sources = Path(click.__file__)
    assert cell.run("cat", str(sources)).outcome == "exit_nonzero"
    assert cell.run("cat", str(sources), reads=[sources.parent]).stdout.text == sources.read_text()


@EVERY_WALL
def test_no_hidden_folder_can_be_read(cell):
    hidden = [
        next((str(file) for file in folder.rglob("*.py")), f"{folder}/README.txt")
        for folder in interpreter_hides()
    ]
    assert hidden
    for file in hidden:
        assert cell.run("cat", file).outcome == "exit_nonzero", file


@EVERY_WALL
def test_no_capability_is_left(cell):
    status = cell.python("print(open('/proc/self/status').read())").stdout.text
    capabilities = {
        line.split(":")[0]: int(line.split()[1], 16) for line in status.splitlines() if line[:3] == "Cap"
    }
    for kind in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
        assert capabilities[kind] == 0, kind
    assert "NoNewPrivs:\t1" in status


@EVERY_WALL
def test_site_packages_can_be_asked_for(cell):
    import click

    site_packages = Path(click.__file__).parent.parent
    code = f"import sys; sys.path.append({str(site_packages)!r}); import click; print(click.__name__)"
    result = cell.python(code, reads=[site_packages])
    assert result.stdout.text == "click\n", result.stderr.text


@EVERY_WALL
@pytest.mark.skipif(not command_reads("rg"), reason="ripgrep is not installed")
def test_a_command_of_the_wheel_is_found_and_works(cell):
    (cell.root / "x.py").write_text("needle = 1\n")
    result = cell.run("rg", "--no-config", "needle", ".", reads=command_reads("rg"))
    assert result.stdout.text == "./x.py:needle = 1\n"


@EVERY_WALL
def test_the_project_this_test_belongs_to_is_not_there(cell):
    for path in (__file__, os.fspath(Path(__file__).parents[2] / "pyproject.toml")):
        assert cell.run("cat", path).outcome == "exit_nonzero"


@EVERY_WALL
def test_a_missing_command_is_a_spawn_error_and_not_the_walls(cell):
    assert cell.run("no-such-command").outcome == "spawn_error"
    assert cell.run("./no-such-file").outcome == "spawn_error"


@EVERY_WALL
def test_a_command_that_cannot_be_executed_is_a_spawn_error_and_not_the_walls(cell, tmp_path_factory):
    """Its interpreter is missing: the file is found and is executable, and only starting it says so."""
    lame = cell.root / "lame"
    lame.write_text("#!/no/such/interpreter\n")
    lame.chmod(0o755)
    result = cell.run("./lame")
    assert (result.outcome, result.exit_code) == ("spawn_error", None)
    assert "No such file" in result.detail
    outside = tmp_path_factory.mktemp("proxy")
    with CellProxy((), {}, {}, outside, tcp=cell.wall.shares_network) as proxy:
        words = cell.wall.wrap(
            ["./lame"],
            reads=interpreter_reads(),
            writes=[cell.root],
            cwd=cell.root,
            env=cell.env,
            proxy=proxy.socket,
        )
        result = run_process(words, cwd=cell.root, env=cell.env, wall_s=30.0, output_bytes=1 << 20)
    assert (result.outcome, result.exit_code) == ("spawn_error", None)


@BWRAP
def test_a_launcher_that_is_not_there_is_the_walls_fault(cell, tmp_path_factory):
    with CellProxy((), {}, {}, tmp_path_factory.mktemp("proxy")) as proxy:
        words = cell.wall.wrap(
            ["true"], reads=[], writes=[cell.root], cwd=cell.root, env=cell.env, proxy=proxy.socket
        )
        result = run_process(words, cwd=cell.root, env=cell.env, wall_s=30.0, output_bytes=1 << 20)
    if result.outcome != "ok":  # where this interpreter is not one of the system's
        assert result.outcome == "sandbox_error"


@EVERY_WALL
def test_a_wall_that_cannot_be_built_is_a_sandbox_error(cell):
    gone = cell.root / "gone"
    gone.mkdir()
    words = cell.wall.wrap(["true"], reads=[], writes=[], cwd=gone, env=cell.env)
    gone.rmdir()
    result = run_process(words, cwd=cell.root, env=cell.env, wall_s=30.0, output_bytes=1 << 20)
    assert result.outcome == "sandbox_error"
    assert result.detail


@EVERY_WALL
def test_a_cell_cannot_make_its_failure_the_walls(cell):
    forged = (
        "import os\nfor fd in range(3, 64):\n    try: os.write(fd, b'failed')\n    except OSError: pass\n"
    )
    result = cell.python(forged + "os.write(2, b'bwrap: no\\nlandlock: no\\n'); os._exit(125)")
    assert (result.outcome, result.exit_code) == ("exit_nonzero", 125)


@EVERY_WALL
def test_a_path_that_does_not_exist_is_said_before_anything_starts(cell):
    with pytest.raises(SandboxUnavailableError, match="does not exist"):
        cell.run("true", reads=[cell.root / "gone"])


@EVERY_WALL
def test_time_is_up_inside_too_and_a_term_arrives(cell):
    code = "trap 'echo leaving; exit 0' TERM; sleep 60 & wait"
    result = cell.run("sh", "-c", code, wall_s=1.0)
    assert (result.outcome, result.stdout.text) == ("timeout", "leaving\n")


@EVERY_WALL
def test_nothing_outlives_the_cell(cell):
    result = cell.run("sh", "-c", "setsid sleep 60 & sleep 60 & echo started", marker="m-walled")
    assert (result.outcome, result.stdout.text) == ("ok", "started\n")
    for environ in Path("/proc").glob("[0-9]*/environ"):
        try:
            assert b"BENCHCTL_CELL=m-walled" not in environ.read_bytes()
        except OSError:
            continue


@BWRAP
def test_memory_that_looks_like_a_disk_is_limited(cell):
    code = "import os; s = os.statvfs('{}'); print(s.f_blocks * s.f_frsize)"
    for place in ("/tmp", "/dev/shm"):
        assert 0 < int(cell.python(code.format(place)).stdout.text) <= 512 * 1024 * 1024
        assert cell.run("sh", "-c", f"echo x > {place}/file").outcome == "ok"
    for place in ("/file", "/etc/file", "/usr/file", "/dev/file", "/root/file"):
        result = cell.run("sh", "-c", f"echo x > {place}")
        assert result.outcome == "exit_nonzero", place


@BWRAP
def test_a_read_only_folder_inside_a_writable_one_stays_read_only(cell):
    (cell.root / "tree" / "kept").mkdir(parents=True)
    result = cell.run(
        "sh", "-c", "echo x > tree/new; echo x > tree/kept/new", reads=[cell.root / "tree" / "kept"]
    )
    assert result.outcome == "exit_nonzero"
    assert [path.name for path in sorted((cell.root / "tree").rglob("*"))] == ["kept", "new"]


@EVERY_WALL
def test_cpu_seconds_of_the_command_are_counted(cell):
    result = cell.python("import time\nwhile time.process_time() < 0.2: pass")
    assert result.cpu_s >= 0.2


@EVERY_WALL
def test_the_folders_order_does_not_matter(cell):
    inner = cell.root / "agent"
    inner.mkdir()
    (inner / "file").write_text("x")
    assert cell.run("sh", "-c", "cat agent/file && echo y > agent/file", reads=[inner]).stdout.text == "x"


def test_the_levels_are_ordered_and_a_minimum_is_held():
    assert [satisfies(name, "landlock") for name in SANDBOX_LEVELS] == [False, False, True, True, True, True]
    assert all(satisfies(name, None) for name in SANDBOX_LEVELS)


@pytest.fixture
def ladder(monkeypatch):
    """A ladder of levels that are no walls at all, or not there."""

    def of(**levels):
        rungs = tuple((name, none.wrap, lambda missing=missing: missing) for name, missing in levels.items())
        monkeypatch.setattr(sandbox_module, "_LADDER", rungs)

    return of


def test_a_level_that_lets_an_attack_through_is_not_used_whatever_its_name(ladder):
    ladder(bwrap=None, landlock="not here")
    with pytest.raises(
        SandboxUnavailableError, match=r"a cell would reach: .*gold_by_path.*landlock: not here"
    ):
        choose(None, allow_none=False, forced_none=False)


def test_a_level_that_does_not_work_is_passed_over_with_its_own_words(monkeypatch):
    def broken(argv, **_):
        return ["sh", "-c", "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1", *argv]

    monkeypatch.setattr(sandbox_module, "_LADDER", (("bwrap", broken, lambda: None),))
    chosen = choose(None, allow_none=True, forced_none=False)
    assert chosen.level == "none"
    assert "setting up uid map" in chosen.passed_over["bwrap"]
    assert chosen.probes["gold_by_path"] == "open"


def test_none_is_only_for_those_who_ask(ladder):
    ladder(bwrap="not here")
    assert choose(None, allow_none=True, forced_none=False).level == "none"
    assert choose(None, allow_none=False, forced_none=True).level == "none"
    with pytest.raises(SandboxUnavailableError, match="bwrap: not here"):
        choose(None, allow_none=False, forced_none=False)


def test_a_minimum_is_never_undercut(ladder):
    ladder(landlock=None)
    with pytest.raises(SandboxUnavailableError, match="of the level bwrap or stronger"):
        choose("bwrap", allow_none=True, forced_none=True)
    with pytest.raises(SandboxUnavailableError, match="weaker than bwrap"):
        choose("bwrap", allow_none=True, forced_none=False)


def test_a_real_folder_that_is_reachable_makes_a_level_unusable(tmp_path):
    bare = Sandbox("none", none.wrap)
    (tmp_path / "key").write_text("x")
    assert probe(bare, protected=[tmp_path])["protected_read"] == "open"
    assert probe(bare)["protected_read"] == "absent"


def test_the_strongest_level_that_holds_is_chosen():
    usable = [name for name, reason in REASONS.items() if reason is None]
    if not usable:
        pytest.skip("no level with a wall works on this machine")
    chosen = choose(None, allow_none=False, forced_none=False, protected=[Path(__file__).parents[2]])
    assert chosen.level == usable[0]
    assert chosen.probes["protected_read"] == "blocked"


def test_landlock_says_why_it_cannot_be_used(monkeypatch):
    from benchctl.workspace.sandbox import landlock_exec

    monkeypatch.setattr(landlock_exec, "abi", lambda: 2)
    assert "version 2" in landlock.unavailable()
    monkeypatch.setattr(sys, "platform", "darwin")
    assert landlock.unavailable() == "Landlock is a part of Linux"


def test_bubblewrap_says_when_it_is_missing(monkeypatch):
    from benchctl.workspace.sandbox import bwrap

    monkeypatch.setenv("PATH", "/nowhere")
    assert bwrap.unavailable() == "bwrap is not installed"


@BWRAP
def test_an_older_or_forbidden_option_is_left_out(level, monkeypatch, tmp_path):
    from benchctl.workspace.sandbox import bwrap

    def words():
        return WALLS[level].wrap(
            ["true"], reads=[], writes=[tmp_path], cwd=tmp_path, env={"PATH": "/usr/bin:/bin"}
        )

    monkeypatch.setattr(bwrap, "_options", frozenset)
    assert not {"--disable-userns", "--size", "--json-status-fd"} & set(words())
    env = {"PATH": "/usr/bin:/bin"}
    assert run_process(words(), cwd=tmp_path, env=env, wall_s=30.0, output_bytes=1 << 20).outcome == "ok"
    monkeypatch.undo()
    monkeypatch.setattr(bwrap, "_works", lambda *_: False)
    assert "--disable-userns" not in bwrap._options.__wrapped__()


def test_hidden_folders_leave_their_siblings_readable(tmp_path):
    for folder in ("lib/site-packages/secret", "lib/json", "lib/email"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "lib" / "os.py").write_text("")
    (tmp_path / "lib" / "link").symlink_to("site-packages")
    whole, split = landlock._without(tmp_path / "lib", (tmp_path / "lib" / "site-packages",))
    assert sorted(path.name for path in whole) == ["email", "json", "os.py"]
    assert split == [tmp_path / "lib"]
    assert landlock._without(tmp_path / "lib" / "site-packages" / "secret", interpreter_hides()) == (
        [tmp_path / "lib" / "site-packages" / "secret"],
        [],
    )


def test_an_environment_inside_the_project_is_no_leak_but_its_neighbours_are(tmp_path, monkeypatch):
    from benchctl.workspace import arena

    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / "data").mkdir()
    python = tmp_path / ".venv" / "bin" / "python"
    python.write_text("")
    monkeypatch.setattr(arena, "interpreter_reads", lambda: (python,))
    assert arena.hidden_names(tmp_path) == ["data"]
    assert arena.hidden_names(tmp_path, tmp_path / "data" / "cells") == []
    assert arena.hidden_names(tmp_path / "nowhere") == []
    assert arena.hidden_names(tmp_path / ".venv") == []


FOLLOWED = """
import pathlib, sys
from benchctl.workspace.process import run_process
from benchctl.workspace.sandbox import landlock
here = pathlib.Path(sys.argv[1])
env = {"PATH": "/usr/bin:/bin"}
argv = landlock.wrap(["sleep", "86397"], reads=[], writes=[here], cwd=here, env=env)
run_process(argv, cwd=here, env=env, wall_s=60, output_bytes=1000)
"""


@skip_without("landlock")
def test_a_command_behind_landlock_dies_with_its_supervisor(tmp_path):
    def asleep():
        return [path for path in Path("/proc").glob("[0-9]*/cmdline") if _is_sleep(path)]

    supervisor = subprocess.Popen([sys.executable, "-c", FOLLOWED, str(tmp_path)])
    _until(asleep)
    supervisor.kill()
    supervisor.wait()
    _until(lambda: not asleep())


def _is_sleep(path):
    try:
        command, *words = path.read_bytes().split(
            b"\0"
        )  # the launcher's own command line holds these words too
    except OSError:
        return False
    return command.endswith(b"/sleep") and words[:1] == [b"86397"]


def _until(condition):
    until = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < until, "it never happened"
        time.sleep(0.02)
