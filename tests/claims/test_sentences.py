"""Where a sentence ends, the same for every part that asks."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from benchctl.claims.numbers import Numbers
from benchctl.claims.prose.prose import Prose
from benchctl.claims.reading.page import Page
from benchctl.claims.reading.sentences import Sentences, sentence_around, sentence_at, sentence_so_far
from benchctl.claims.recorder import Recorder
from benchctl.claims.wording.passages import passage_at

WHOLE = [
    "It took approx. 5 s vs. 7 s in both arms, e.g. 12 cells, 9 more.",
    "In it (cf. fig. 3 of Doe et al. and no. 12) i.e. all, 9 more.",
    "Approx. 5 s (Fig. 2), E.g. 12 cells of v1.2.3, 9 more.",
]
CUT = [
    ("Its p95 was 41.8 s. Then 9 more.", "Then 9 more."),
    ("Its p95 was 41.8\u00a0s. Then 9 more.", "Then 9 more."),
    ("All of it. Then 9 more.", "Then 9 more."),
    ("Did it? (So it was.) Then 9 more.", "Then 9 more."),
    ("It said \u201cno.\u201d Then 9 more.", "Then 9 more."),
    ("Was it faster? no. Then 9 more.", "Then 9 more."),
    ("**All of it.** Then 9 more.", "Then 9 more."),
    ("- all of it\n- then 9 more", "then 9 more"),
    ("# All of it\nthen 9 more", "then 9 more"),
    ("> all of it\n>\n> then 9 more", "then 9 more"),
]


def said(page, at):
    """Return the sentence around a visible offset, as each of those that ask is told it."""
    begin, end = sentence_at(page, at)
    prose = Prose(page, Numbers(page), ())
    index = next(index for index, item in enumerate(prose.items) if item.token.start == at)
    tail = page.visible[at:]
    found = {
        "sentence_at": page.visible[begin:end],
        "recorder": Recorder(page).sentence(page.raw(at)),
        "prose": prose.before(index, 200) + tail,
        "passages": passage_at(SimpleNamespace(page=page), at).text,
        "so far": sentence_so_far(page.visible[:at]) + tail,
    }
    return {name: text.strip("\u2029\n ").removeprefix("- ") for name, text in found.items()}


@pytest.mark.parametrize(("text", "sentence"), [*((text, text) for text in WHOLE), *CUT])
def test_everybody_reads_the_same_sentence(text, sentence):
    page = Page("p.md", text)
    found = said(page, page.visible.rindex("9 more"))
    assert found == dict.fromkeys(found, sentence)


def test_a_verb_is_doubted_in_front_of_an_abbreviation(verify):
    report = verify("It did not, approx. as in the other arm, drop from 0.82 to 0.91.")
    assert "direction-reversed" not in {finding.slug for finding in report.findings}
    report = verify("It did not. Then it drops from 0.82 to 0.91.")
    assert "direction-reversed" in {finding.slug for finding in report.findings}


@pytest.mark.parametrize(
    "text", [*WHOLE, *(text for text, _ in CUT), "a. b! " * 9, "no end here " * 9, "x\n\ny. z"]
)
def test_a_text_asked_often_ends_its_sentences_where_one_asked_once_does(text):
    longest = 600
    sentences = Sentences(text)
    starts = [at for at in range(len(text)) if text[at : at + 1].isalnum()]
    assert [sentences.around(at, longest) for at in starts] == [
        sentence_around(text, at, longest) for at in starts
    ]
