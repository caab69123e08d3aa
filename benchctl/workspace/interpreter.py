"""What a contained command needs to see of the software around it, and what must stay hidden.

A cell may be given this interpreter, but not what is installed in it: site-packages holds the very
sources that are asked about, and an editable install points into the project.
"""

from __future__ import annotations

import functools
import os
import shutil
import site
import sys
import sysconfig
from pathlib import Path

__all__ = ["command_reads", "interpreter_hides", "interpreter_reads", "search_path", "system_reads"]

_SYSTEM = (
    "/usr/bin",
    "/usr/sbin",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libexec",
    "/usr/share/locale",
    "/usr/share/zoneinfo",
    "/usr/share/terminfo",
    "/usr/share/ca-certificates",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/ssl/certs",
    "/nix/store",
)


def search_path(path: str | None = None) -> str:
    """Return a PATH that starts with this interpreter's commands (where a wheel's `rg` lives), then `path`.

    `path` is the caller's PATH where none is given.
    """
    own = str(Path(sys.executable).parent)
    rest = os.environ.get("PATH", os.defpath) if path is None else path
    return os.pathsep.join(dict.fromkeys([own, *filter(None, rest.split(os.pathsep))]))


@functools.cache
def system_reads() -> tuple[Path, ...]:
    """Return the folders and files of the operating system that exist here; none of them holds a person's data."""
    return tuple(path for path in map(Path, _SYSTEM) if path.exists() or path.is_symlink())


@functools.cache
def interpreter_reads() -> tuple[Path, ...]:
    """Return what `{python} -I -S` needs: the executable by all its names, its standard library, its shared library.

    Works for a virtual environment over a system, pyenv, uv or framework Python; the site-packages that lie
    inside the standard library's folder are hidden by `interpreter_hides`.
    """
    executable = Path(sys.executable)
    names = [executable, *_links(executable)]
    base = Path(sys.base_prefix)
    wanted = [
        *names,
        executable.parent.parent / "pyvenv.cfg",
        Path(sysconfig.get_path("stdlib")),
        Path(sysconfig.get_path("platstdlib")),
        base / "lib" / f"python{sys.version_info.major}{sys.version_info.minor}.zip",
        *_shared_library(),
    ]
    # In a virtual environment platstdlib names a folder of the environment, which holds nothing but site-packages.
    venv = None if sys.prefix == sys.base_prefix else Path(sys.prefix)
    kept = [
        path
        for path in wanted
        if path.exists() and not (venv and path.is_dir() and path.is_relative_to(venv))
    ]
    return tuple(dict.fromkeys(kept))


@functools.cache
def interpreter_hides() -> tuple[Path, ...]:
    """Return the folders with installed packages, here and in the system's Pythons."""
    own = [Path(sysconfig.get_path(key)) for key in ("purelib", "platlib")]
    stdlib = Path(sysconfig.get_path("stdlib"))
    own += [stdlib / "site-packages", stdlib / "dist-packages", *map(Path, site.getsitepackages())]
    own.append(Path(site.getusersitepackages()))
    for root in ("/usr/lib", "/usr/lib64", "/usr/local/lib"):
        for kind in ("site-packages", "dist-packages"):
            own.extend(Path(root).glob(f"python3*/{kind}"))
    real = [path.resolve() for path in own if path.is_dir()]
    return tuple(sorted(dict.fromkeys(real)))


def command_reads(name: str, path: str | None = None) -> tuple[Path, ...]:
    """Return where a command of the PATH lives: its name there and every file its links lead to; empty if absent."""
    found = shutil.which(name, path=search_path(path))
    if found is None:
        return ()
    return tuple(dict.fromkeys([Path(found), *_links(Path(found))]))


def _links(path: Path) -> list[Path]:
    """Return every path that a chain of symbolic links goes through, the real file last."""
    found = []
    seen = path
    for _ in range(40):
        if not seen.is_symlink():
            break
        seen = Path(os.path.normpath(seen.parent / seen.readlink()))
        found.append(seen)
    return [*found, path.resolve()]


def _shared_library() -> list[Path]:
    if not sysconfig.get_config_var("Py_ENABLE_SHARED"):
        return []
    folder = Path(str(sysconfig.get_config_var("LIBDIR")))
    names = {str(sysconfig.get_config_var(key)) for key in ("LDLIBRARY", "INSTSONAME")}
    return [folder / name for name in sorted(names)]
