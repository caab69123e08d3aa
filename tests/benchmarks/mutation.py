"""What mutating a page costs: every change of its numbers against verifying it once.

One by one, each change would cost what verifying does: `mutants` times the first line.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from big_page import write_page
from big_store import write_store
from command import best

BENCHCTL = str(Path(sys.executable).with_name("benchctl"))
TIMES = 2


def main():
    os.environ["XDG_CACHE_HOME"] = "/proc/self"  # where nobody can keep anything: once is the first time
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "benchctl.toml").write_text('title = "Large"\n')
        store, _ = write_store(folder / "data", rows=100_000, runs=1)
        for numbers, size in ((60, 8_000), (600, 60_000)):
            page = folder / f"{numbers}.md"
            page.write_text(write_page(store, numbers=numbers, size=size))
            said = [BENCHCTL, "verify-claims", page.name, "--mutate", "--format", "json"]
            document = json.loads(subprocess.check_output(said, cwd=folder))["pages"][0]
            once = best([BENCHCTL, "verify-claims", "-q", page.name], times=TIMES, cwd=folder)
            run = best(said, times=TIMES, cwd=folder)
            print(f"{document['numbers']:,} bound numbers over 100,000 rows")
            print(f"  verify-claims           {once.cpu_s:6.2f} s CPU")
            print(f"  verify-claims --mutate  {run.cpu_s:6.2f} s CPU  {run.cpu_s / once.cpu_s:5.1f}x")
            print(
                f"  {document['mutants']:,} mutants in {document['examinations']} examinations, "
                f"{document['survived']} survived"
            )


if __name__ == "__main__":
    main()
