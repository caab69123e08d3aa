"""A tree searched for the answer key: bytes a second of one processor, beside ripgrep's search for the same windows.

The tree is the installed packages of this interpreter, up to 10,000 files of at most 2 MB: the text files alone, and
all of them. ripgrep looks for the windows as they are written (`rg -F -f`, one thread), which is what a scan costs
that finds verbatim copies only; both are told to read hidden, ignored and binary files. The second scan of an
unchanged tree takes its verdicts from the cache.
"""

import os
import resource
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from disguises import PROMPTS

from benchctl.workspace.leaks import Needles, VerdictCache, scan_tree, windows

FILES = 10_000
LARGEST = 2_000_000
CANARY = "benchctl-canary-123e4567-e89b-12d3-a456-426614174000"
NEEDLES = Needles.texts({**PROMPTS, "the canary": CANARY})


def copied(into, *, binary):
    """Copy the first files of what is installed; return their number and bytes."""
    count = size = 0
    for folder, folders, names in os.walk(sysconfig.get_path("purelib")):
        folders.sort()
        for name in sorted(names):
            source = Path(folder, name)
            if count == FILES or not source.is_file():
                continue
            data = source.read_bytes()
            if len(data) > LARGEST or (not binary and b"\0" in data[:8192]):
                continue
            (into / f"{count:05}-{name}").write_bytes(data)
            count, size = count + 1, size + len(data)
    return count, size


def spent(work):
    """Return the processor time of work in this process and in its children."""
    before = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    work()
    after = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(b.ru_utime + b.ru_stime - a.ru_utime - a.ru_stime for a, b in zip(before, after, strict=True))


def ripgrep(tree, patterns, *options):
    command = ["rg", "-j1", "-lFuuua", *options, "-f", str(patterns), str(tree)]
    return lambda: subprocess.run(command, stdout=subprocess.DEVNULL, check=False)


def cached(tree, folder):
    def scan():
        with VerdictCache(folder, NEEDLES.digest) as cache:
            scan_tree(tree, NEEDLES, cache=cache)

    return scan


def tree_of(root, *, binary):
    tree = root / ("all" if binary else "text")
    tree.mkdir()
    count, size = copied(tree, binary=binary)
    print(f"{count:,} files, {size / 1e6:.0f} MB, {'all kinds' if binary else 'text alone'}")
    patterns = root / "patterns"
    written = (window.strip() for prompt in PROMPTS.values() for window in windows(prompt))
    patterns.write_text("".join(f"{window}\n" for window in written))
    ways = {
        "scan": lambda: scan_tree(tree, NEEDLES),
        "scan, filling a cache": cached(tree, root / f"cache-{binary}"),
        "scan, unchanged tree": cached(tree, root / f"cache-{binary}"),
        "read alone": lambda: [path.read_bytes() for path in tree.iterdir()],
    }
    if shutil.which("rg"):
        ways |= {"rg -F -f": ripgrep(tree, patterns), "rg -i -F -f": ripgrep(tree, patterns, "-i")}
    seconds = {name: spent(work) for name, work in ways.items()}
    for name, took in seconds.items():
        floor = f", {took / seconds['rg -F -f']:.1f} times rg -F -f" if "rg -F -f" in seconds else ""
        print(f"  {name:24}{took:8.2f} s {size / 1e6 / max(took, 1e-9):9.1f} MB/s{floor}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        started = time.monotonic()
        for binary in (False, True):
            tree_of(Path(folder), binary=binary)
        print(f"took {time.monotonic() - started:.0f} s of wall time")


if __name__ == "__main__":
    main()
