"""Fuzz the checker for a while, guided by coverage (atheris), and print what it cost.

    python tests/fuzz/pages.py SECONDS [FOLDER]

FOLDER keeps what was learned from one time to the next. It ends with an error, and names the input, for a
traceback or for more than a second of CPU time on one input.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import atheris

with atheris.instrument_imports(include=["benchctl"], enable_loader_override=False):
    from hostile_input import Hostile

from project_of_runs import make_project_of_runs

MOST_S = 1.0
LONGEST = 4096


def main():
    seconds = int(sys.argv[1])
    corpus = Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp(prefix="fuzz-"))
    corpus.mkdir(exist_ok=True)
    hostile = Hostile(make_project_of_runs(Path(tempfile.mkdtemp(prefix="fuzz-project-"))))
    ends = time.monotonic() + seconds

    def one(data):
        hostile.put(data)
        if hostile.longest_s > MOST_S:
            raise TimeoutError(f"{hostile.longest_s:.2f} s of CPU time")
        if time.monotonic() > ends:
            print(
                f"{hostile.tried:,} inputs, none raised; the costliest took {hostile.longest_s:.3f} s of CPU time"
            )
            sys.stdout.flush()
            os._exit(0)

    atheris.Setup(
        [sys.argv[0], str(corpus), f"-max_len={LONGEST}", "-print_final_stats=0", "-verbosity=0"], one
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()
