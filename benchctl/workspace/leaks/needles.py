"""What a tree must not hold: the answer key of a suite, as texts to look for."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.schema.canonical import digest
from benchctl.schema.fields import GOLD_FOLDER
from benchctl.schema.names import CANARY_PATTERN

if TYPE_CHECKING:
    from benchctl.schema.suite import Suite

__all__ = ["Needles"]


@dataclass(frozen=True)
class Needles:
    """The texts to look for, by question where they belong to one.

    `canary` marks every file of the key. `prompts` are what is asked, `terms` what only the key's author would
    write, `gold` the items of the answers, `evidence` the files of the tree that an answer rests on, in which
    its items must stand. `paths` are the absolute places of the key: no tree is searched for them, what an
    agent wrote is.
    """

    canary: str = ""
    prompts: Mapping[str, str] = field(default_factory=dict)
    terms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    gold: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    evidence: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    paths: tuple[str, ...] = ()
    canary_name: str = "the canary"

    @classmethod
    def texts(cls, texts: Mapping[str, str]) -> Needles:
        """Return needles of bare texts by name: what has the form of a canary is the canary, all else a prompt."""
        canaries = [name for name, text in texts.items() if re.fullmatch(CANARY_PATTERN, text)]
        return cls(
            canary=texts[canaries[0]] if canaries else "",
            prompts={name: text for name, text in texts.items() if name not in canaries},
            canary_name=canaries[0] if canaries else "the canary",
        )

    @classmethod
    def of(
        cls,
        suite: Suite,
        *,
        repo: str | None = None,
        gold: Mapping[str, tuple[str, ...]] | None = None,
        folder: Path | None = None,
    ) -> Needles:
        """Return the needles of a suite.

        Every prompt and term counts in every tree; `gold`, by question, only in the tree of the question's
        repository `repo` (in every tree without one). `folder` is the suite's.
        """
        own = [question for question in suite.questions if repo in (None, question.repo)]
        return cls(
            canary=suite.canary,
            prompts={question.id: question.prompt for question in suite.questions},
            terms={question.id: question.leak_terms for question in suite.questions if question.leak_terms},
            gold={question.id: gold[question.id] for question in own if gold and gold.get(question.id)},
            evidence={question.id: question.evidence for question in own if question.evidence},
            paths=key_places(folder) if folder else (),
        )

    @functools.cached_property
    def digest(self) -> str:
        """Return `sha256:…` over all that a verdict on the content of a file depends on."""
        return digest(
            {
                "canary": self.canary,
                "prompts": dict(self.prompts),
                "terms": {name: list(terms) for name, terms in self.terms.items()},
                "gold": {name: list(items) for name, items in self.gold.items()},
            }
        )


def key_places(folder: Path) -> tuple[str, ...]:
    """Return where the key of the suite in `folder` lies, as a process may write it."""
    gold = folder / GOLD_FOLDER
    return tuple(dict.fromkeys((str(gold.absolute()), str(gold.resolve()))))
