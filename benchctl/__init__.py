"""benchctl: benchmark runs whose published numbers are checked against their rows.

    import benchctl

    store = benchctl.open_store("data")
    store.cells("callers-v1-demo").df()

The package's rooms are drawn in site/design/architecture.md. Importing this module loads nothing
heavy: the command line must start as fast as click does, so each public name is loaded when it is
first asked for (PEP 562).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchctl.errors import BenchctlError
    from benchctl.schema.result import Column
    from benchctl.store.frames.frame import Frame
    from benchctl.store.frames.opened import OpenedRun, OpenedStore, open_store

__version__ = "0.1.0"
__all__ = [
    "BenchctlError",
    "Column",
    "Frame",
    "OpenedRun",
    "OpenedStore",
    "__version__",
    "open_store",
]

_HOMES = {
    "BenchctlError": "benchctl.errors",
    "Column": "benchctl.schema.result",
    "Frame": "benchctl.store.frames.frame",
    "OpenedRun": "benchctl.store.frames.opened",
    "OpenedStore": "benchctl.store.frames.opened",
    "open_store": "benchctl.store.frames.opened",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
