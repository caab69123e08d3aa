"""Where everything stands inside one run's folder. Names only: nothing here touches a file but `generations`.

run.json                      the record, written once before the first cell
evidence/suite.toml           the suite as it was read
journal/lock                  who collects the run; flocked for the writer's life
journal/w0001.jsonl           one journal a writer process     (an open run only)
rows/{cells,attempts}.parquet
grades/g0001.parquet          one file a grading generation
evidence/transcripts.parquet  what the agents wrote
evidence/gold.json            the answer key, question by question
evidence/unstarted.json       the planned cells that were never started; only where the run was closed without them
manifest.json                 sha256 of every file above; later generations manifest-0002.json …
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["FOLDED", "JOURNAL", "REQUIRED", "RunLayout"]

JOURNAL = "journal"

REQUIRED = (
    "rows/cells.parquet",
    "rows/attempts.parquet",
    "grades/g0001.parquet",
    "evidence/transcripts.parquet",
    "evidence/gold.json",
)
"""What every closed run has beside its record and manifest."""

FOLDED = (*REQUIRED, "evidence/unstarted.json")
"""What closing a run writes, and what an unfinished closing leaves unreferenced."""

_MANIFEST = re.compile(r"manifest(?:-(\d{4}))?\.json")


@dataclass(frozen=True, slots=True)
class RunLayout:
    """The paths of one run; `folder` is `<store>/runs/<run-id>`."""

    folder: Path

    @property
    def record(self) -> Path:
        """Return the path of the run record."""
        return self.folder / "run.json"

    @property
    def suite(self) -> Path:
        """Return the path of the suite's copy."""
        return self.folder / "evidence" / "suite.toml"

    @property
    def gold(self) -> Path:
        """Return the path of the answer key."""
        return self.folder / "evidence" / "gold.json"

    @property
    def unstarted(self) -> Path:
        """Return the path of the list of cells that a run was closed without."""
        return self.folder / "evidence" / "unstarted.json"

    @property
    def journal(self) -> Path:
        """Return the folder of the journals, which exists from before `run.json` until after the manifest."""
        return self.folder / JOURNAL

    @property
    def lock(self) -> Path:
        """Return the path of the run's lock."""
        return self.journal / "lock"

    def table(self, name: str) -> Path:
        """Return the file of a table; grades by the first generation."""
        places = {"grades": "grades/g0001.parquet", "transcripts": "evidence/transcripts.parquet"}
        return self.folder / places.get(name, f"rows/{name}.parquet")

    def manifest(self, generation: int = 1) -> Path:
        """Return the path of a manifest generation, from 1."""
        return self.folder / ("manifest.json" if generation == 1 else f"manifest-{generation:04d}.json")

    def generations(self) -> tuple[int, ...]:
        """Return the manifest generations that exist, ascending; empty for an open run or no run."""
        if not self.folder.is_dir():
            return ()
        found = (_MANIFEST.fullmatch(path.name) for path in self.folder.iterdir())
        return tuple(sorted(int(match[1] or 1) for match in found if match))
