"""An installed distribution as a corpus: the files of its own import packages, each against RECORD.

Left out: the distribution's metadata folder (no source), scripts and data outside site-packages, and
compiled bytecode, which RECORD does not pin. Modes are not taken from the disk: installers differ in
them, and the same wheel must have the same digest everywhere.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from importlib import metadata
from pathlib import Path

from benchctl.errors import CorpusChangedError, PreflightRefusedError
from benchctl.schema.suite import Repo
from benchctl.workspace.source_file import EXCLUDE_IT, SourceFile, Tree, check_path, content_sha256, verified

__all__ = ["resolve"]


def resolve(repo: Repo, base: Path, wanted: Callable[[str], bool]) -> Tree:  # noqa: ARG001 - sources share a shape
    """Return the tree of a `package` repository. Raises CorpusChangedError naming the first file that is not RECORD's."""
    name = str(repo.distribution)
    distribution = _find(name)
    _refuse_editable(name, distribution)
    if repo.version is not None and distribution.version != repo.version:
        raise CorpusChangedError(
            f"{name} is installed in version {distribution.version}",
            expected=repo.version,
            next_step=f"pip install {name}=={repo.version}",
        )
    root = Path(str(distribution.locate_file(""))).resolve()
    files = [
        _checked(root, path, recorded, name)
        for path, recorded in _record(name, distribution)
        if _is_source(path) and wanted(path)
    ]

    def contents(order: Sequence[SourceFile]) -> Iterator[tuple[SourceFile, bytes]]:
        for file in order:
            yield verified(file, _read(root, file.path, name))

    return Tree(distribution.version, tuple(files), contents)


def _find(name: str) -> metadata.Distribution:
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError as error:
        raise PreflightRefusedError(
            f"the distribution {name} is not installed", next_step=f"pip install {name}"
        ) from error


def _refuse_editable(name: str, distribution: metadata.Distribution) -> None:
    origin = json.loads(distribution.read_text("direct_url.json") or "{}")
    if origin.get("dir_info", {}).get("editable"):
        raise CorpusChangedError(
            f"{name} is installed in editable mode, so nothing pins its files",
            next_step=f"pip install --force-reinstall {name} from a wheel",
        )


def _record(name: str, distribution: metadata.Distribution) -> list[tuple[str, str]]:
    """Return (path, recorded hash) of each line of RECORD, paths relative to site-packages."""
    text = distribution.read_text("RECORD")
    if not text:
        raise CorpusChangedError(
            f"{name} was installed without a RECORD, so its files cannot be checked",
            next_step=f"pip install --force-reinstall {name}",
        )
    return [(row[0], row[1]) for row in csv.reader(text.splitlines()) if len(row) >= 2]


def _is_source(path: str) -> bool:
    top = path.partition("/")[0]
    return not (
        path.startswith(("/", "../"))
        or top.endswith((".dist-info", ".data"))
        or path.endswith((".pyc", ".pyo", ".pth"))
    )


def _checked(root: Path, path: str, recorded: str, name: str) -> SourceFile:
    data = _read(root, check_path(path), name)
    algorithm, _, expected = recorded.partition("=")
    if algorithm != "sha256" or not expected:
        raise CorpusChangedError(f"{path} has no sha256 in the RECORD of {name}", next_step=EXCLUDE_IT)
    found = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    if found != expected.rstrip("="):
        raise CorpusChangedError(
            f"{path} is not the file that the RECORD of {name} names",
            next_step=f"pip install --force-reinstall {name}",
        )
    return SourceFile(path, "100644", content_sha256(data), len(data))


def _read(root: Path, path: str, name: str) -> bytes:
    place = root / path
    try:
        if not place.resolve(strict=True).is_relative_to(root):
            raise CorpusChangedError(f"{path} of {name} lies outside {root}", next_step=EXCLUDE_IT)
        return place.read_bytes()
    except OSError as error:
        raise CorpusChangedError(
            f"{path} of {name} cannot be read: {error.strerror}",
            next_step=f"pip install --force-reinstall {name}",
        ) from error
