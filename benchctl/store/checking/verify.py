"""Every byte of a run against its manifest, and its rows against the digest that pages pin."""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Literal

from benchctl.errors import StoreDamagedError, StoreNewerError
from benchctl.store.checking.cross_checks import Contents
from benchctl.store.checking.damage import Damage, from_error
from benchctl.store.checking.kept_files import keepsake_damage, unlisted
from benchctl.store.checking.rows_memory import is_known_sound, remember_sound
from benchctl.store.checking.terms import SUITE, changed_terms
from benchctl.store.disk.entries import FileEntry, file_entry
from benchctl.store.disk.hash_memory import Identity, identity
from benchctl.store.disk.layout import JOURNAL, RECORD, RunLayout, later_generation
from benchctl.store.disk.manifest import newest_manifest
from benchctl.store.disk.record import read_record, refuse_other_suite
from benchctl.store.disk.walk import listed_files
from benchctl.store.journals.following import read_history, refuse_damage
from benchctl.store.journals.journal import journals
from benchctl.store.journals.lock import read_collector
from benchctl.store.journals.state import standing
from benchctl.store.writing.sweeping import noted_files
from benchctl.store.writing.tables import table_entries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from benchctl.store.disk.manifest import Manifest

__all__ = ["Damage", "Depth", "holds_no_run", "or_newer", "table_entries", "verify_run"]

Depth = Literal["files", "rows", "texts"]
"""How far to look: at every byte of every file; also at what the rows say; also at the texts of transcripts."""

_WORKERS = 2
"""Hashing leaves the interpreter free, so a second file is hashed beside the first, or beside the rows."""

_LATE = ("evidence/transcripts", "evidence/source", "evidence/judgements")

Hashes = dict[str, "Future[FileEntry | None]"]
"""File -> what it is now; None for what is no regular file."""


def verify_run(folder: Path, depth: Depth = "rows") -> list[Damage]:
    """Return everything that is wrong with a run's folder; empty where all is sound.

    Of a closed run every file is hashed, and missing and added ones are named. Then, but for `files`, the rows
    of all tables are digested anew and what the run says twice is compared; the texts of transcripts, which
    their file's sha256 covers, are digested anew for `texts` alone. Rows that were found sound under this very
    manifest before need no second look once every byte is what it says. Of an open run the record and the journals are checked: a torn last line is no
    damage. Raises StoreNewerError for a run of a newer benchctl.
    """
    layout = RunLayout(folder)
    try:
        manifest = newest_manifest(layout)
        if manifest is None:
            return list(_open_damage(layout))
        known = depth == "files" or is_known_sound(manifest.digest, depth)
        before = _identities(layout, manifest)
        found = _closed_damage(layout, manifest, "files" if known else depth)
        if not known and not found and before == _identities(layout, manifest):
            remember_sound(manifest.digest, depth)
        after = newest_manifest(layout) if found else manifest
    except StoreDamagedError as error:
        return [from_error(layout, error)]
    if after and after.generation > manifest.generation:  # something was added while we looked
        return verify_run(folder, depth)
    return found


def _identities(layout: RunLayout, manifest: Manifest) -> list[Identity | None]:
    """Return which files stand under the listed names: the ones that were hashed must be those whose rows were read."""
    found: list[Identity | None] = []
    for name in manifest.files:
        try:
            found.append(identity((layout.folder / name).lstat()))
        except OSError:
            found.append(None)
    return found


def _closed_damage(layout: RunLayout, manifest: Manifest, depth: Depth) -> list[Damage]:
    present = listed_files(layout, manifest.generation)
    early = {name: path for name, path in present.items() if not _is_late(name)}
    with ThreadPoolExecutor(_WORKERS) as pool:
        hashes = {name: pool.submit(_hash, path) for name, path in sorted(early.items(), key=_by_size)}
        hashes |= {name: pool.submit(_hash, path) for name, path in present.items() if name not in early}
        found = [*_file_damage(manifest, hashes, late=False), *_added(layout, manifest, hashes)]
        found += _litter(layout)
        contents = None
        if depth != "files" and all(damage.leftover for damage in found):
            wrong, contents = _contents(layout, manifest)
            found += wrong
        if late := list(_file_damage(manifest, hashes, late=True)):
            broken = [damage for damage in found if contents is None]
            return sorted([*broken, *late], key=lambda damage: damage.path)
    if contents:
        found += [*contents.transcripts(deep=depth == "texts"), *keepsake_damage(layout, manifest)]
    return found


def _contents(layout: RunLayout, manifest: Manifest) -> tuple[list[Damage], Contents | None]:
    """Return what the record, the tables and the kept files contradict, and the tables if the record can be held to."""
    try:
        record = read_record(layout)
    except StoreDamagedError as error:
        return [from_error(layout, error)], None
    found = list(unlisted(manifest, record))
    if manifest.record == RECORD and manifest.current(SUITE) == SUITE:  # neither was erased from
        found += changed_terms(layout, record)
    if found:
        return found, None
    contents = Contents(layout, manifest, record)
    return list(contents.contradictions()), contents


def _is_late(name: str) -> bool:
    """Return whether a file is one that rows are checked beside, for it is big and no data."""
    return name.startswith(_LATE) or ".source" in name


def _by_size(item: tuple[str, Path]) -> int:
    try:
        return -item[1].lstat().st_size
    except OSError:
        return 0


def _hash(path: Path) -> FileEntry | None:
    return file_entry(path) if path.is_file() and not path.is_symlink() else None


def _open_damage(layout: RunLayout) -> Iterator[Damage]:
    if standing(layout).state != "open":
        return
    record = read_record(layout)
    refuse_other_suite(layout, record)
    yield from changed_terms(layout, record)
    refuse_damage(layout.journal)
    said = read_history(layout.journal).record_digests
    actual = file_entry(layout.record).sha256
    if said - {actual}:
        yield Damage(RECORD, f"sha256 {actual}", f"sha256 {' or '.join(sorted(said))}, as the journals say")


def _file_damage(manifest: Manifest, hashes: Hashes, *, late: bool) -> Iterator[Damage]:
    """Yield the listed files that are missing or not what they must be, the late ones or the others."""
    for name, wanted in manifest.files.items():
        if _is_late(name) is not late:
            continue
        expected = f"{wanted.bytes} bytes, sha256 {wanted.sha256}"
        if name not in hashes:
            yield Damage(name, "missing", expected)
        elif (actual := hashes[name].result()) is None:
            yield Damage(name, "not a regular file", expected)
        elif actual != wanted:
            yield Damage(name, f"{actual.bytes} bytes, sha256 {actual.sha256}", expected)


def _added(layout: RunLayout, manifest: Manifest, hashes: Hashes) -> Iterator[Damage]:
    """Yield the files that the manifest does not list, and what each of them is."""
    generation, noted = noted_files(layout)
    unfinished: Mapping[str, FileEntry] = noted if generation > manifest.generation else {}
    wanted_by_digest = {entry.sha256: name for name, entry in manifest.files.items()}
    for name, future in hashes.items():
        if name in manifest.files:
            continue
        actual, gone = future.result(), manifest.removed.get(name)
        leftover = actual is not None and actual == unfinished.get(name)
        removed = actual is not None and gone is not None and actual == FileEntry(gone.bytes, gone.sha256)
        if (leftover or removed) and _is_at_work(layout):
            continue
        twin = wanted_by_digest.get(actual.sha256) if actual else None
        if removed and gone:
            what = f"generation {gone.generation} says that it was removed; the next addition finishes that"
        elif leftover:
            what = f"of an unfinished addition, generation {generation}; the next addition sweeps it"
        elif (later := later_generation(name)) and later > manifest.generation:
            what = f"added; it is of generation {later}, and {layout.manifest(later).name} is missing"
        else:
            what = f"added; its bytes are those of {twin}" if twin else "added"
        yield Damage(name, what, "no file of that name", leftover)


def _is_at_work(layout: RunLayout) -> bool:
    """Return whether a living process holds the run's lock: what it has half done is no damage."""
    collector = read_collector(layout.lock)
    return collector is not None and collector.alive


def _litter(layout: RunLayout) -> Iterator[Damage]:
    """Yield the journals' folder of a closed run where nobody is at work: closing it or adding to it was cut short."""
    if os.path.lexists(layout.journal) and not _is_at_work(layout):
        if journals(layout.journal):
            what = "left over by a writer that died while closing the run; resuming the run sweeps it"
        else:
            what = "left over by an addition that was cut short; the next addition sweeps it"
        yield Damage(f"{JOURNAL}/", what, "no journals beside a manifest", leftover=True)


def or_newer(check: Callable[..., list[Damage]], *asked: object) -> list[Damage] | StoreNewerError:
    """Return what a check of one of several runs says; that a newer program wrote the run, where it raises that."""
    try:
        return check(*asked)
    except StoreNewerError as error:
        return error


def holds_no_run(folder: Path) -> bool:
    """Return whether a folder is empty, or holds only what a start leaves that was cut before its record."""
    try:
        return standing(RunLayout(folder)).state == "absent"
    except (StoreDamagedError, StoreNewerError):
        return False
