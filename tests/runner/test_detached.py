from __future__ import annotations

import json
import os
import signal
import sys
from dataclasses import asdict, replace

import pytest

from benchctl.errors import RunBusyError, StoreUnwritableError
from benchctl.runner import keeper
from benchctl.runner.detached import Detached, Launcher, Places, every_detached, launch, read_detached
from benchctl.workspace.living import Living, this_process

LAUNCHER = Launcher(1, "bash", 1, "/user.slice")


@pytest.fixture
def places(tmp_path):
    return Places(tmp_path / "detached", "r1")


@pytest.fixture(autouse=True)
def _handlers():
    before = {number: signal.getsignal(number) for number in keeper._INTERRUPTING}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def order(places, code, restarts=2):
    return {
        "folder": str(places.folder),
        "run": places.run,
        "argv": [sys.executable, "-c", code],
        "cwd": "/",
        "restarts": restarts,
        "launcher": asdict(LAUNCHER),
    }


def kept(places, code, restarts=2, monkeypatch=None):
    """Return what a keeper has written down in the end, which this process was, and how it paused."""
    places.folder.mkdir(exist_ok=True)
    pauses = []
    if monkeypatch:
        monkeypatch.setattr(keeper, "_sleep", lambda seconds, _: pauses.append(seconds))
    held = keeper._Keeper.locked(order(places, code, restarts))
    assert held.keep() == 0
    held.lock.close()
    return read_detached(places), pauses


def counting(places, last):
    """Return a program that kills itself twice, and then does what `last` says."""
    count = places.folder / "count"
    return (
        f"import os, pathlib, signal, sys; path = pathlib.Path({str(count)!r});"
        " n = len(path.read_text()) if path.exists() else 0; path.write_text('x' * (n + 1));"
        f" os.kill(os.getpid(), signal.SIGKILL) if n < 2 else ({last})"
    )


@pytest.mark.parametrize(
    ("last", "code", "why"),
    [
        ("sys.exit(0)", 0, "the collector ended"),
        ("sys.exit(1)", 1, "the collector ended"),  # failed cells, a stop rule, or our own mistake
        ("sys.exit(3)", 3, "the collector ended"),  # refused: it would be refused again
        ("sys.exit(130)", 130, "interrupted"),
        ("os.kill(os.getpid(), signal.SIGTERM)", -15, "interrupted"),
        ("os.kill(os.getpid(), signal.SIGINT) or signal.pause()", 1, "the collector ended"),
        (
            "os.kill(os.getpid(), signal.SIGKILL)",
            -9,
            "killed (SIGKILL), and begun again 2 of at most 2 times",
        ),
        (
            "os.kill(os.getpid(), signal.SIGSEGV)",
            -11,
            "killed (SIGSEGV), and begun again 2 of at most 2 times",
        ),
    ],
)
def test_what_is_begun_again_and_what_is_not(places, monkeypatch, last, code, why):
    places.folder.mkdir()
    known, pauses = kept(places, counting(places, last), monkeypatch=monkeypatch)
    if "SIGINT" in last:
        assert known.code in (-2, 1)  # Python says KeyboardInterrupt and dies of the signal
    else:
        assert (known.code, known.why) == (code, why)
    assert known.restarted == 2
    assert not known.kept
    assert not known.at_work
    assert pauses == [0.5, 1.0], (
        "each pause is longer, so that what is killed at once is not begun in a whirl"
    )


def test_none_is_begun_again_where_nobody_asks_for_it(places):
    known, _ = kept(places, "import os; os.kill(os.getpid(), 9)", restarts=0)
    assert (known.restarted, known.code) == (0, -9)


def test_after_a_signal_nothing_is_begun(places):
    places.folder.mkdir()
    held = keeper._Keeper.locked(order(places, "raise SystemExit('begun')"))
    os.kill(os.getpid(), signal.SIGTERM)
    assert held.keep() == 0
    assert (read_detached(places).why, read_detached(places).collector) == ("interrupted", None)
    held.lock.close()


def test_a_signal_is_handed_on_once_and_a_second_one_too(places):
    places.folder.mkdir()
    heard = places.folder / "heard"
    code = (
        "import os, pathlib, signal, time\n"
        f"path = pathlib.Path({str(heard)!r})\n"
        "def note(*_):\n    path.write_text(path.read_text() + 'x')\n    os._exit(130) if len(path.read_text()) == 2 else os.kill(os.getppid(), signal.SIGINT)\n"
        "signal.signal(signal.SIGTERM, note)\n"
        "path.write_text('')\n"
        "os.kill(os.getppid(), signal.SIGTERM)\n"
        "time.sleep(60)\n"
    )
    known, _ = kept(places, code)
    assert heard.read_text() == "xx"
    assert (known.code, known.why) == (130, "interrupted")


def test_a_run_has_one_keeper(places):
    places.folder.mkdir()
    first = keeper._Keeper.locked(order(places, ""))
    assert keeper._Keeper.locked(order(places, "")) is None
    with pytest.raises(RunBusyError, match=f"kept by process {os.getpid()}"):
        launch(places, [sys.executable, "-c", ""], places.folder, 1)
    first.lock.close()


def test_a_folder_that_cannot_be_written_is_named(places, tmp_path):
    (tmp_path / "detached").write_text("x")
    with pytest.raises(StoreUnwritableError):
        launch(places, ["true"], tmp_path, 1)
    (tmp_path / "detached").unlink()
    (tmp_path / "detached").mkdir()
    places.log.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreUnwritableError):
        launch(places, ["true"], tmp_path, 1)
    assert not (tmp_path / "elsewhere").exists()


def test_what_is_launched_says_who_launched_it(places):
    known = launch(places, [sys.executable, "-c", "print('at work')"], places.folder.parent, 1)
    assert known.launcher == Launcher.here()
    assert known.launcher.pid == os.getpid()
    assert known.launcher.session == os.getsid(0)
    assert known.keeper.pid not in (os.getpid(), known.launcher.pid)
    assert known.log == str(places.log)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "null",
        "1",
        '{"run": "r1"}',
        '{"keeper": {"pid": 1, "started": 1, "boot": "b"}, "collector": null}',
    ],
)
def test_what_cannot_be_read_is_unknown(places, content):
    places.folder.mkdir()
    places.record.write_text(content)
    assert read_detached(places) is None
    assert every_detached(places.folder) == []
    assert read_detached(Places(places.folder, "r2")) is None


def test_who_keeps_and_who_is_at_work_is_told_by_what_lives(places):
    me, dead = this_process(), Living(2**22 + 1, 1, "b")
    known = Detached(
        "r1", "log", ("x",), "2026-11-30T07:00:00Z", LAUNCHER, keeper=me, restarts=8, collector=dead
    )
    places.folder.mkdir()
    places.record.write_text(json.dumps(asdict(known)))
    assert every_detached(places.folder) == [known]
    assert (known.kept, known.at_work) == (True, False)
    assert (replace(known, keeper=dead).kept, replace(known, collector=me).at_work) == (False, True)
    assert not replace(known, ended_at="2026-11-30T08:00:00Z").kept
    assert not replace(known, collector=None).at_work
