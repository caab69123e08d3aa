"""A store behind a URL, read as if it were a folder: what is needed is fetched once, verified, and kept.

The copy is a store of the usual layout under `$XDG_CACHE_HOME/benchctl/remote/`, so everything that
reads a folder reads it too. Manifests and records are fetched when a run is looked at, many at once;
every other file when `trusted` asks for it, and it gets its name only once its bytes are what the
manifest says. A run exists there once its first manifest does, which an upload writes last.

With BENCHCTL_OFFLINE=1 nothing is asked of the network: what was fetched before can be read.
"""

from __future__ import annotations

import os
import re
import time
from collections import defaultdict
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchctl.errors import (
    BenchctlError,
    RemoteUnreachableError,
    StoreDamagedError,
    StoreReadOnlyError,
    Where,
)
from benchctl.schema.canonical import sha256_hex
from benchctl.schema.names import RUN_ID, check_run_id
from benchctl.store.disk.entries import FileEntry, file_entry
from benchctl.store.disk.layout import RunLayout
from benchctl.store.disk.manifest import newest_manifest
from benchctl.store.reader import Store
from benchctl.store.remote.address import check_url, local_path
from benchctl.store.remote.bucket import Bucket, Listed
from benchctl.store.remote.fetched import Fetched, remote_cache

if TYPE_CHECKING:
    from collections.abc import Collection

    from benchctl.store.reader import StoredRun

__all__ = ["RUNS", "RemoteStore", "at_url", "open_store_at"]

RUNS: Final = "runs"
_TERMS: Final = re.compile(r"(?:run|manifest)(?:-\d{4,})?\.json")
"""What is fetched of a run before anybody asks: its record and its manifests."""

_FRESH_S: Final = 30.0
"""How long a listing counts as how things are: a command looks once, a server that lives on looks again."""

Listing = dict[str, dict[str, Listed]]
"""Run -> file -> what the listing says of it."""


def open_store_at(place: str | Path) -> Store:
    """Return the store at a path or a URL.

    Raises StoreUrlInvalidError, RemoteExtraMissingError, StoreUnwritableError where the cache is not the user's own.
    """
    if isinstance(place, Path):
        return Store(place)
    if (path := local_path(place)) is not None:
        return Store(Path(path))
    environment = tuple(
        os.environ.get(name) for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_PROFILE")
    )
    return _opened(check_url(place), remote_cache(), environment)


@lru_cache(maxsize=8)
def _opened(url: str, cache: Path, environment: tuple[str | None, ...]) -> RemoteStore:
    """Return one store a URL: a project asks for its store again and again, and need not list it again."""
    said = "\n".join((url, *(value or "" for value in environment[:2])))
    return RemoteStore(Bucket(url), cache / sha256_hex(said.encode())[:32])


def _offline() -> bool:
    return os.environ.get("BENCHCTL_OFFLINE", "") not in {"", "0"}


def _asked_offline(what: str, url: str) -> RemoteUnreachableError:
    return RemoteUnreachableError(
        f"{what}, and BENCHCTL_OFFLINE is set",
        where=Where(url),
        next_step="unset BENCHCTL_OFFLINE while the network is there, and run it again",
    )


class RemoteStore(Store):
    """A store behind a URL; `path` is the folder of what was fetched of it."""

    def __init__(self, bucket: Bucket, cache: Path) -> None:
        super().__init__(cache)
        self.bucket = bucket
        self._listings: dict[str | None, tuple[float, Listing]] = {}
        self._fetched = Fetched(cache)

    def __repr__(self) -> str:
        """Return the store's URL."""
        return f"Store({self.place!r})"

    @property
    def place(self) -> str:
        """Return the store's URL."""
        return self.bucket.url

    def layout(self, run_id: str) -> RunLayout:
        """Return where a run's copy is or would be; its missing files come when they are asked for."""
        return RunLayout(self.runs_dir / check_run_id(run_id), source=self)

    def folders(self) -> list[Path]:
        """Return the folder of every run, sorted, its terms fetched."""
        if _offline():
            return self._fetched_runs()
        listing = _complete(self.listing())
        self._fetch_terms(listing)
        return [self.runs_dir / run for run in sorted(listing)]

    def find(self, run_id: str) -> StoredRun | None:
        """Return one run, None where there is none. Raises what `Store.find` raises, and RemoteUnreachableError."""
        layout = self.layout(run_id)
        if _offline():
            known = layout.folder in self._fetched_runs()
        else:
            listing = _complete(self.listing(run_id))
            self._fetch_terms(listing)
            known = run_id in listing
        try:
            return super().find(run_id) if known else None
        except BenchctlError as error:
            at_url(error, layout)
            raise

    def _fetched_runs(self) -> list[Path]:
        """Return the folders of the runs that were fetched before. Raises RemoteUnreachableError where none was."""
        found = [folder for folder in super().folders() if RunLayout(folder).manifest().exists()]
        if not found:
            raise _asked_offline("nothing was fetched before", self.place)
        return found

    def listing(self, run_id: str | None = None) -> Listing:
        """Return what there is now, of every run or of one, not older than half a minute. Raises RemoteUnreachableError."""
        if _offline():
            raise _asked_offline("what is there now would have to be asked for", self.place)
        now = time.monotonic()
        for key in (None, run_id):
            kept = self._listings.get(key)
            if kept and now - kept[0] < _FRESH_S:
                files = kept[1].get(run_id or "")
                return kept[1] if run_id is None else {run_id: files} if files else {}
        found: Listing = defaultdict(dict)
        for name, listed in self.bucket.listing(RUNS if run_id is None else f"{RUNS}/{run_id}").items():
            _, run, *inside = name.split("/")
            found[run]["/".join(inside)] = listed
        self._listings[run_id] = now, dict(found)
        self._fetched.forget()
        return dict(found)

    def forget(self) -> None:
        """Look again the next time: something was written."""
        self._listings.clear()

    def refuse_writing(self, what: str) -> None:
        """Raise StoreReadOnlyError: a run behind a URL is written by `merge` alone, whole."""
        raise StoreReadOnlyError(
            f"{what} cannot be written in the store {self.place}: it is behind a URL",
            next_step="do it in a store that is a folder (`store` in benchctl.toml, or leave it out), then"
            f" `benchctl merge FOLDER --into {self.place}`",
        )

    def bring(self, path: Path, name: str, wanted: FileEntry) -> None:
        """See to it that a file of a run is in its folder with the bytes that its manifest says.

        Raises StoreDamagedError where the object is missing or another, RemoteUnreachableError.
        """
        if self._fetched.holds(path, wanted):
            return
        run = path.parents[name.count("/")].name
        key = f"{RUNS}/{run}/{name}"
        if _offline():
            raise _asked_offline("the file was not fetched before", self.bucket.shown(key))
        said = self.listing(run).get(run, {}).get(name)
        if said and said.bytes is not None and said.bytes != wanted.bytes:  # not worth its way
            raise self._another(key, f"the object is {said.bytes} bytes", wanted)
        with self._fetched.arriving(path) as part:
            try:
                self.bucket.download(key, part)
            except FileNotFoundError as error:
                raise self._another(key, "missing", wanted) from error
            actual = file_entry(part)
            if actual != wanted:
                raise self._another(
                    key, f"the object is {actual.bytes} bytes, sha256 {actual.sha256}", wanted
                )

    def _another(self, key: str, what: str, wanted: FileEntry) -> StoreDamagedError:
        return StoreDamagedError(
            what,
            where=Where(self.bucket.shown(key)),
            expected=f"{wanted.bytes} bytes, sha256 {wanted.sha256}",
            next_step="put the object back from a copy; `benchctl verify-store` checks every one",
        )

    def _fetch_terms(self, listing: Listing) -> None:
        """Fetch the records and manifests that are not here as the listing has them, and drop what is gone there."""
        terms = {
            run: {name: f"{RUNS}/{run}/{name}" for name in files if _TERMS.fullmatch(name)}
            for run, files in listing.items()
        }
        stale = {
            key: run
            for run, keys in terms.items()
            for name, key in keys.items()
            if not self._fetched.has_term(key, listing[run][name])
        }
        for key, content in self.bucket.read(list(stale)):
            self._fetched.keep_term(key, content)
        for run, keys in terms.items():
            _drop_unlisted(RunLayout(self.runs_dir / run), keys)
        for run in set(stale.values()):
            _drop_removed(RunLayout(self.runs_dir / run))


def _drop_unlisted(layout: RunLayout, names: Collection[str]) -> None:
    """Remove fetched records and manifests that the run does not have any more."""
    for path in layout.folder.glob("*.json"):
        if _TERMS.fullmatch(path.name) and path.name not in names:
            path.unlink()


def _drop_removed(layout: RunLayout) -> None:
    """Remove fetched files that a later manifest says are gone."""
    try:
        manifest = newest_manifest(layout)
    except BenchctlError:  # whoever reads the run says what is wrong with it
        return
    for name in manifest.removed if manifest else ():
        (layout.folder / name).unlink(missing_ok=True)


def at_url(error: BenchctlError, layout: RunLayout) -> BenchctlError:
    """Return an error that names a file of a run by its URL, where the file is a copy of what is there."""
    folder = str(layout.folder)
    if error.where and error.where.file.startswith(folder):
        error.where = replace(error.where, file=layout.shown + error.where.file.removeprefix(folder))
    return error


def _complete(listing: Listing) -> Listing:
    """Return the runs of a listing that are there: others are uploads that have not ended, or no runs."""
    return {
        run: files for run, files in listing.items() if RUN_ID.fullmatch(run) and "manifest.json" in files
    }
