"""A number word or a figure in disguise is never passed over: it is one that cannot be read."""

import pytest

from benchctl.quantities.numerals import scan

DISGUISED = [
    "se\u200bven", "t\u2060en", "do\u200bzen", "ha\u00adlf", "twi\u200bce", "s\u0435ven", "nin\u0435ty", "tw\u03bf", "1\u041e0",
    "1\u03bf\u03bf",
]  # fmt: skip
PLAIN = [
    "\u0441\u043e\u0440\u043e\u043a \u0441\u043b\u043e\u0432", "\u03b1\u03b2\u03b3", "co\u00adop\u00aderate", "\u03bc-law", "se\u200bt", "\u041e0x", "\u200bonly",
    "a \u0430 b",
]  # fmt: skip


@pytest.mark.parametrize("word", DISGUISED)
def test_a_disguised_number_cannot_be_read(word):
    text = f"It found {word} things"
    [token] = scan(text)
    assert (token.kind, token.text, text[token.start : token.end]) == ("unreadable", word, word)


@pytest.mark.parametrize("text", PLAIN)
def test_other_scripts_and_hidden_characters_are_no_fault(text):
    assert [token.kind for token in scan(text) if token.kind == "unreadable"] == []


def test_what_is_read_in_spite_of_hidden_characters_stays_as_it_is():
    assert [(token.kind, token.text) for token in scan("\u200bseven of 12\u200b \u0435")] == [
        ("word", "seven"),
        ("number", "12"),
    ]


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("A third failed.", "0.333", "word"),
        ("less than a third were", "0.333", "word"),
        ("nearly a quarter timed out", "0.25", "word"),
        ("cut by a third", "0.333", "word"),
        ("The cost doubled.", "2", "word-one"),
        ("Time was halved", "0.5", "word-one"),
        ("it tripled", "3", "word-one"),
    ],
)
def test_shares_and_multiples_without_a_noun(text, value, kind):
    [token] = scan(text)
    assert (f"{token.value:.3f}".rstrip("0").rstrip("."), token.kind) == (value, kind)


@pytest.mark.parametrize(
    "text", ["a third party", "a fifth attempt", "a third run", "a third option", "third-party"]
)
def test_ordinals_are_no_shares(text):
    assert scan(text) == []
