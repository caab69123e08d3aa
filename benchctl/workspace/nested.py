"""Whether an agent's own sandbox still works inside ours: most do not, and then they have to be switched off.

Claude Code and Codex put bubblewrap around what they start. Where that fails, the agent's tools fail, and the
row would say something about the sandbox and nothing about the agent.
"""

from __future__ import annotations

import shutil
import sys

from benchctl.workspace.cells import cell_root
from benchctl.workspace.interpreter import command_reads, interpreter_reads
from benchctl.workspace.process import run_process
from benchctl.workspace.sandbox import landlock_exec
from benchctl.workspace.wall import Sandbox

__all__ = ["nested_sandboxes"]

_CREATES = (
    "import sys; sys.path.insert(0, sys.argv[1]); import landlock_exec; sys.exit(landlock_exec.abi() < 1)"
)


def nested_sandboxes(sandbox: Sandbox) -> dict[str, str]:
    """Return for each kind of sandbox that agents bring, "works" or what it said inside of `sandbox`."""
    found: dict[str, str] = {}
    with cell_root() as root:
        shutil.copy(landlock_exec.__file__, root)
        for name, argv in (
            ("bwrap", ["bwrap", "--ro-bind", "/", "/", "true"]),
            (
                "bwrap --proc --unshare-net",
                ["bwrap", "--unshare-net", "--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc", "true"],
            ),
            ("landlock", [sys.executable, "-I", "-S", "-c", _CREATES, str(root)]),
        ):
            if argv[0] == "bwrap" and shutil.which("bwrap") is None:
                continue
            env = {"PATH": "/usr/bin:/bin"}
            reads = [*interpreter_reads(), *command_reads("bwrap")]
            walled = sandbox.wrap(argv, reads=reads, writes=[root], cwd=root, env=env)
            ended = run_process(walled, cwd=root, env=env, wall_s=20.0, output_bytes=1 << 16)
            said = ended.stderr.text.strip().splitlines()
            found[name] = "works" if ended.outcome == "ok" else (said[-1] if said else ended.outcome)[:200]
    return found
