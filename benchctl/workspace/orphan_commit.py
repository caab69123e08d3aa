"""A repository for trees whose arm needs git: one commit, and nothing else that a git command could find.

A worktree or a clone of the real repository would bring back every deleted answer (`git show`, the reflog,
unreachable objects, alternates). This one is made from the base alone, by `git fast-import`, with a fixed
author and date, so that the same tree gives the same commit everywhere.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from benchctl.errors import PreflightRefusedError
from benchctl.workspace import git
from benchctl.workspace.source_file import verified

if TYPE_CHECKING:
    from benchctl.workspace.source_file import SourceFile
    from benchctl.workspace.tree import Base

__all__ = ["commit_layer", "objects_of"]

_PREFIX: Final = ".commit-"  # no repository of a suite has such a name
_BRANCH: Final = "main"
_WHO: Final = "cell <cell@localhost> 946684800 +0000"
_MESSAGE: Final = b"The tree\n"
_CONFIG: Final = "[user]\n\tname = cell\n\temail = cell@localhost\n[gc]\n\tauto = 0\n"

_ATTRIBUTES: Final = "* -text -filter -ident !eol !working-tree-encoding\n"
"""The files are the blobs as they are stored, so no conversion may make them look changed, and no filter is started."""


def commit_layer(base: Base) -> Path:
    """Return the folder that holds nothing but the `.git` of a base, made beside it the first time it is asked for.

    Raises PreflightRefusedError without git, and where the commit does not hold the tree to the byte, or the
    repository anything beside it.
    """
    layer = base.root.with_name(f"{_PREFIX}{base.root.name}")
    if not layer.is_dir():
        making = Path(tempfile.mkdtemp(prefix=f"{layer.name}-", dir=layer.parent))
        try:
            _verify(base, making, _write(base, making))
            making.chmod(0o755)
            making.rename(layer)  # complete, or not there at all
        except BaseException:
            shutil.rmtree(making, ignore_errors=True)
            raise
    return layer


def _write(base: Base, layer: Path) -> dict[bytes, tuple[str, str]]:
    """Make the repository and return what its tree must hold: mode and object by path."""
    algorithm = git.algorithm_of(base.tree_oid or "")
    _asked(layer, "init", "--quiet", "--template=", f"--object-format={algorithm}", "-b", _BRANCH, ".")
    repository = layer / ".git"
    with (repository / "config").open("a") as config:
        config.write(_CONFIG)
    (repository / "info").mkdir(exist_ok=True)
    (repository / "info" / "attributes").write_text(_ATTRIBUTES)
    held = _import(base, layer, algorithm)
    _asked(layer, "read-tree", "HEAD")
    return held


def _import(base: Base, layer: Path, algorithm: str) -> dict[bytes, tuple[str, str]]:
    options = ("-c", "fastimport.unpackLimit=1", "-c", "core.logAllRefUpdates=false")
    command = git.command(layer, *options, "fast-import", "--quiet", "--done", "--date-format=raw")
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command,
            env=git.git_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )
        assert process.stdin is not None  # noqa: S101 - it was asked for two lines above
        held: dict[bytes, tuple[str, str]] = {}
        with process:
            try:
                with process.stdin as stream:
                    held = _stream(base, stream, algorithm)
            except BrokenPipeError:  # git ended first, and says why
                process.wait()
        if process.returncode:
            errors.seek(0)
            raise _refused(errors.read().decode(errors="replace").partition("\n")[0])
    return held


def _stream(base: Base, stream: IO[bytes], algorithm: str) -> dict[bytes, tuple[str, str]]:
    who = _WHO.encode()
    stream.write(b"commit refs/heads/%s\nauthor %s\ncommitter %s\n" % (_BRANCH.encode(), who, who))
    stream.write(b"data %d\n%s" % (len(_MESSAGE), _MESSAGE))
    held: dict[bytes, tuple[str, str]] = {}
    for file in base.files:
        data, path = _data(base, file), file.path.encode()
        quoted = path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
        stream.write(b'M %s inline "%s"\ndata %d\n' % (file.mode.encode(), quoted, len(data)))
        stream.write(data)
        stream.write(b"\n")
        held[path] = (file.mode, git.object_name(data, algorithm))
    stream.write(b"done\n")
    return held


def _data(base: Base, file: SourceFile) -> bytes:
    place = base.root / file.path
    data = os.fsencode(place.readlink()) if file.mode == "120000" else place.read_bytes()
    return verified(file, data)[1]


def _verify(base: Base, layer: Path, held: dict[bytes, tuple[str, str]]) -> None:
    listed = {entry.path: (entry.mode, entry.oid) for entry in git.entries(layer, "HEAD")}
    if listed != held:
        raise _refused("its tree is not the one that was written")
    tree = _asked(layer, "rev-parse", "HEAD^{tree}").decode().strip()
    if base.tree_oid is not None and tree != base.tree_oid:
        raise _refused(f"its tree is {tree}, and that of the pinned commit {base.tree_oid}")
    reachable = _asked(layer, "rev-list", "--objects", "--no-object-names", "--all").split()
    if objects_of(layer) != frozenset(reachable):
        raise _refused("it holds objects that its commit does not reach")
    if found := [name for name in _FORBIDDEN if (layer / ".git" / name).exists()]:
        raise _refused(f"it has {', '.join(found)}")


_FORBIDDEN: Final = (
    "hooks",
    "logs",
    "objects/info/alternates",
    "packed-refs",
    "FETCH_HEAD",
    "worktrees",
    "refs/remotes",
)


def objects_of(layer: Path) -> frozenset[bytes]:
    """Return the names of all objects in the repository of `layer`, reachable or not.

    Raises PreflightRefusedError where git cannot list them.
    """
    listing = _asked(layer, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    return frozenset(listing.split())


def _asked(layer: Path, *words: str) -> bytes:
    answer = git.ask(layer, *words)
    if answer is None:
        raise _refused(f"`git {words[0]}` failed, or git is not installed")
    return answer


def _refused(why: str) -> PreflightRefusedError:
    return PreflightRefusedError(
        f"the repository of one commit for this tree cannot be made: {why}",
        next_step="install git 2.30 or later, or leave `git = true` out of the arm",
    )
