"""A secret that is spelt with JSON's escapes, in any mixture, is as good as one in clear to whoever decodes it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.workspace.redaction import redacted_text
from benchctl.workspace.spelt_secrets import spelt_secrets

KEY = "sk-live-9f8e7d6c5b4a39281706"


def spelt(text, *, hexadecimal="04x"):
    units = text.encode("utf-16-be", "surrogatepass")
    return "".join(
        f"\\u{int.from_bytes(units[at : at + 2], 'big'):{hexadecimal}}" for at in range(0, len(units), 2)
    )


@pytest.mark.parametrize(
    "written",
    [
        spelt(KEY),
        spelt(KEY, hexadecimal="04X"),
        KEY[:-1] + spelt(KEY[-1]),
        KEY.replace("-", spelt("-", hexadecimal="04X")),
        KEY.replace("-", "\\-"),
        json.dumps(spelt(KEY))[1:-1],
        json.dumps(json.dumps(spelt(KEY)))[3:-3],
    ],
)
def test_a_secret_that_is_spelt_is_taken_out_and_counted(written):
    assert redacted_text(f"< {written} >", {"A_KEY": KEY}) == ("< [redacted:A_KEY] >", {"A_KEY": 1})


def test_both_ways_of_writing_are_counted_together():
    said, counts = redacted_text(f"{KEY} {spelt(KEY)} {KEY}", {"A_KEY": KEY})
    assert (said, counts) == ("[redacted:A_KEY] [redacted:A_KEY] [redacted:A_KEY]", {"A_KEY": 3})


def test_what_holds_another_is_found_whole_and_short_values_are_none():
    secrets = {"INNER": KEY, "OUTER": f"{KEY}/more", "SHORT": "abc"}
    assert [name for *_, name in spelt_secrets(spelt(f"{KEY}/more"), secrets)] == ["OUTER"]
    assert not list(spelt_secrets(spelt("abc"), secrets))
    assert not list(spelt_secrets(f"\\ {KEY[:-1]}\\u0000", secrets))


@given(st.data(), st.text(min_size=8, max_size=12))
def test_whatever_is_spelt_is_found(data, secret):
    each = st.sampled_from((spelt, lambda one: json.dumps(one)[1:-1], lambda one: json.dumps(one, ensure_ascii=False)[1:-1]))  # fmt: skip
    written = "".join(data.draw(each)(one) for one in secret)
    assert json.loads(f'"{written}"') == secret
    clean, _ = redacted_text(f'"{written}"', {"A_KEY": secret})
    assert json.loads(clean) == "[redacted:A_KEY]"


def test_texts_of_backslashes_are_searched_in_linear_time():
    secrets = {"A_KEY": KEY, "SLASHES": "////////", "BACKSLASHES": "\\" * 12, "SAME": "s" * 40}
    for hostile in (
        "\\" * 300_000 + "x",
        "\\u0073" * 50_000 + "x",
        "\\/" * 100_000,
        "/" * 7 + "\\" * 300_000,
    ):
        list(spelt_secrets(hostile, secrets))
