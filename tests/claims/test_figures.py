"""Another value in the same clothes: one line a form."""

from decimal import Decimal

import pytest

from benchctl.claims.fixing.durations import duration_with_value
from benchctl.claims.fixing.figures import with_value
from benchctl.claims.fixing.reasons import Refused
from benchctl.claims.fixing.separators import separator_of
from benchctl.quantities.numerals import scan

FORMS = [
    # the page, the value, the figures instead
    ("2.0×", "2.14", "2.1"),
    ("16.2", "16.25", "16.2"),  # a tie goes to the even digit
    ("16.2", "16.35", "16.4"),
    ("3", "2.5", "2"),
    ("36.65", "36.645", "36.64"),
    ("161,322 tokens", "44812.5", "44,812"),
    ("161,322 tokens", "12345678", "12,345,678"),
    ("161\u00a0322", "1999", "1\u00a0999"),
    ("161\u202f322", "999.4", "999"),
    ("161 322", "2000", "2 000"),
    ("1'000", "2500", "2'500"),
    ("161322", "44812", "44812"),
    ("987", "1012", "1,012"),
    ("44.8k", "51234", "51.2k"),
    ("1.5 million", "2300000", "2.3 million"),
    ("0.5k", "400", "0.4k"),
    ("\u22120.029", "-0.0315", "\u22120.032"),  # the tie again
    ("-3 %", "-4.2", "-4"),
    ("+0.30", "0.2825", "+0.28"),
    ("$0.60", "0.715", "0.72"),
    (".812", "0.7455", ".746"),
    ("0.812", "0.05", "0.050"),
    ("007", "9", "009"),
    ("1.2e-4", "0.00015", "1.5e-4"),
    ("3 × 10\u207b\u2074", "0.0005", "5 × 10\u207b\u2074"),
    ("0", "5", "5"),
    ("8m30s", "571.4", "9m31s"),
    ("8m30s", "545", "9m5s"),
    ("8m05s", "547", "9m07s"),
    ("17:10", "905", "15:05"),
    ("1:02:03", "7384", "2:03:04"),
    ("1m 32s", "151", "2m 31s"),
    ("1h 5m", "9000", "2h 30m"),
    ("2m 30.5s", "151.26", "2m 31.3s"),
]
LEFT = [
    ("44.8k", "1234567", "magnitude"),
    ("44.8k", "12", "magnitude"),
    ("1.2e-4", "0.0035", "magnitude"),
    (".812", "1.2", "magnitude"),
    ("1m 32s", "10", "magnitude"),
    ("8m30s", "9000", "magnitude"),
    ("-3 %", "2", "sign"),
    ("3 %", "-2", "sign"),
    ("0", "-5", "sign"),
    ("10\u207b\u2074", "0.0005", "form"),
    ("\uff11\uff12", "9", "form"),
    ("\u0661\u0662", "9", "form"),
    ("2\u00bd", "3", "form"),
    ("\u00bd", "0.3", "form"),
    ("12,5", "9.3", "form"),
    ("1.234,5", "9.3", "form"),
    ("1 minute 5 seconds", "125", "number"),
]


def rewritten(text, value):
    token = next(token for token in scan(text) if token.is_claim)
    figures = text[slice(*token.digits)]
    result = with_value(figures, token, Decimal(value))
    if isinstance(result, Refused) and result.reason == "form":
        result = duration_with_value(figures, token, Decimal(value))
    return result


@pytest.mark.parametrize(("text", "value", "figures"), FORMS)
def test_the_form_stays(text, value, figures):
    assert rewritten(text, value) == figures


@pytest.mark.parametrize(("text", "value", "reason"), LEFT)
def test_what_does_not_fit_its_form_is_left(text, value, reason):
    result = rewritten(text, value)
    assert isinstance(result, Refused)
    assert result.reason == reason
    assert str(result)


def test_thousands_are_parted_as_the_page_does():
    class Atom:
        def __init__(self, token):
            self.token = token

    for text, separator in (
        ("1,234 and 12", ","),
        ("1\u202f234, 2\u202f345 and 3,456", "\u202f"),
        ("12", ","),
        ("1234 s", ""),
    ):
        assert separator_of(text, [Atom(token) for token in scan(text)]) == separator
