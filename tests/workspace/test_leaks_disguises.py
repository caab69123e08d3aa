"""The table of disguises, and no hit in trees that have nothing to do with the prompts."""

import json
import os
import sysconfig
from itertools import islice
from pathlib import Path

import pytest
from disguises import DISGUISES, PROMPTS, disguised

from benchctl.workspace.leaks import Needles, Scanner

CANARY = "benchctl-canary-123e4567-e89b-12d3-a456-426614174000"
SCANNER = Scanner(Needles.texts({**PROMPTS, "the canary": CANARY}))


def found(data):
    return {hit.needle for hit in SCANNER.judged("x", SCANNER.content(data)) if hit.decisive}


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_disguise_hides_no_more_prompts_than_it_may(disguise):
    least = DISGUISES[disguise][1]
    hits = {name: found(disguised(disguise, prompt)) for name, prompt in PROMPTS.items()}
    share = 100 * sum(name in hit for name, hit in hits.items()) / len(PROMPTS)
    assert share >= least, f"{share:.0f} % of the prompts"
    assert [(name, hit) for name, hit in hits.items() if hit - {name}] == [], "another prompt was found"


def test_there_are_as_many_prompts_as_the_table_was_measured_with():
    assert len(PROMPTS) == 29
    lengths = sorted(len(prompt.split()) for prompt in PROMPTS.values())
    assert lengths[0] >= 12
    assert lengths[-1] >= 40


def files_below(*roots):
    for root in roots:
        for folder, folders, names in os.walk(root):
            folders.sort()
            for name in sorted(names):
                path = Path(folder, name)
                if not path.is_symlink() and path.is_file():
                    yield path


TREES = {
    "what is installed": (sysconfig.get_path("stdlib"), sysconfig.get_path("purelib")),
    "what a system shares": ("/usr/share",),
}


@pytest.mark.slow
@pytest.mark.parametrize("roots", TREES.values(), ids=TREES)
def test_an_unrelated_tree_has_no_decisive_hit(roots):
    """The first 10,000 files; BENCHCTL_UNRELATED_FILES=0 reads them all. What is over 2 MB is left to the long loop."""
    wanted = int(os.environ.get("BENCHCTL_UNRELATED_FILES", "10000")) or None
    largest = 2_000_000 if wanted else 64_000_000
    paths = list(islice((path for path in files_below(*roots) if path.stat().st_size <= largest), wanted))
    if len(paths) < 1000:
        pytest.skip(f"only {len(paths)} files below {roots}")
    decisive = [
        f"{path}: {hit}"
        for path in paths
        for hit in SCANNER.judged(path.name, SCANNER.content(path.read_bytes()))
        if hit.decisive
    ]
    assert decisive == []


_WORDS = [
    "Which",
    "functions",
    "of",
    "this",
    "small",
    "tree",
    "call",
    "the",
    "function",
    "named",
    "target,",
    "wherever",
    "they",
    "stand?",
]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"{n + 1:4}  {' '.join(_WORDS[n * 3 : n * 3 + 3])}" for n in range(5)),
        "".join(
            f"{n}\n00:00:0{n},000 --> 00:00:0{n + 1},000\n{' '.join(_WORDS[n * 3 : n * 3 + 3])}\n\n"
            for n in range(5)
        ),
        "\n".join(f"{word},{len(word)}" for word in _WORDS),
        "\n".join(
            f"2026-01-01 10:00:0{n} INFO bench: {' '.join(_WORDS[n * 3 : n * 3 + 3])}" for n in range(5)
        ),
        json.dumps([{"i": n, "t": word} for n, word in enumerate(_WORDS)]),
    ],
)
def test_numbers_between_the_words_of_a_prompt_hide_nothing(text):
    (hit,) = Scanner(Needles(prompts={"q": " ".join(_WORDS)})).text("x", text)
    assert hit.decisive
