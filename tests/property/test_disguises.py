"""Laws of the leak scan: what does not change the words changes no verdict, in any order and any number."""

import base64
import gzip
import html
import json
import textwrap
import urllib.parse

from disguises import PROMPTS
from hypothesis import given
from hypothesis import strategies as st

from benchctl.workspace.leaks import Needles, Scanner, normalise, scan_text, windows

CANARY = "benchctl-canary-123e4567-e89b-12d3-a456-426614174000"
NEEDLES = {**PROMPTS, "the canary": CANARY}
SCANNER = Scanner(Needles.texts(NEEDLES))

texts = st.text(st.characters(codec="utf-8"), max_size=300)
prompts = st.sampled_from(sorted(PROMPTS))

WRITTEN = (
    str.upper,
    str.title,
    lambda text: textwrap.fill(text, 50),
    lambda text: textwrap.indent(textwrap.fill(text, 50), "# "),
    "\u200b".join,
    lambda text: text.replace(" ", "\u00a0\t"),
    lambda text: text.replace(" ", " ** "),
)
"""What may be done to a text any number of times."""

MARKED = (
    lambda text: f"<p>{text}</p>".replace(" ", "&nbsp;"),
    lambda text: f"<P>{text}</P>".replace(" ", "&NBSP;<b></b>"),
    lambda text: text.replace(" ", "\\n"),
)
"""What may be done once, on top of that."""

ESCAPED = (json.dumps, html.escape, urllib.parse.quote)
"""What may be done once, on top of all that: the reader undoes one escape, and one that stands in another."""

WRAPPED = (
    gzip.compress,
    base64.b64encode,
    base64.encodebytes,
    lambda data: data.hex().encode(),
)
"""What may be done three times."""


def needles_of(data):
    return {hit.needle for hit in SCANNER.judged("x", SCANNER.content(data)) if hit.decisive}


@given(
    prompts,
    st.lists(st.sampled_from(WRITTEN), max_size=3),
    st.lists(st.sampled_from(MARKED), max_size=1),
    st.lists(st.sampled_from(ESCAPED), max_size=1),
    st.lists(st.sampled_from(WRAPPED), max_size=3),
)
def test_disguises_on_top_of_each_other_hide_no_prompt_and_no_canary(name, written, marked, escaped, wrapped):
    text = f"{PROMPTS[name]} {CANARY}"
    for disguise in (*written, *marked, *escaped):
        text = disguise(text)
    data = text.encode()
    for wrapping in wrapped:
        data = wrapping(data)
    assert needles_of(data) == {name, "the canary"}


@given(prompts, texts, texts)
def test_a_text_around_it_hides_no_prompt(name, before, after):
    hits = scan_text("x", f"{before}\n{PROMPTS[name]}\n{after}", NEEDLES)
    assert name in {hit.needle for hit in hits if hit.decisive}


@given(texts)
def test_a_text_of_its_own_is_no_prompt(text):
    assert needles_of(text.encode()) == set()


@given(st.binary(max_size=2000))
def test_any_bytes_are_judged(data):
    assert needles_of(data) == set()


@given(
    st.sampled_from(
        (b"\x1f\x8b\x08", b"PK\x03\x04", b"BZh9", b"x\x9c", b"%PDF-1.4 stream\n", b"PACK\0\0\0\x02")
    ),
    st.binary(),
)
def test_any_bytes_behind_the_sign_of_a_format_are_judged(sign, data):
    assert needles_of(sign + data) == set()


@given(texts)
def test_normalising_leaves_words_in_single_spaces(text):
    plain = normalise(text)
    assert plain.startswith(" ")
    assert plain.endswith(" ")
    assert "  " not in plain.strip()
    assert normalise(plain) == plain


@given(texts)
def test_the_windows_of_a_prompt_stand_in_it(text):
    plain = normalise(text)
    assert all(window in plain for window in windows(text))
