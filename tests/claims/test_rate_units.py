"""A rate is no unit of a value that is none, and counting words are no rates."""

import pytest


def errors(report):
    return [item.slug for item in report.findings if item.severity == "error"]


@pytest.mark.parametrize(
    "text",
    [
        "{} cells/s{}", "{}{} cells/s", "{} cells/min{}", "{}{} per second", "{}{} cells per hour", "{}QPS{}", "{}{} / s", "{}{} runs per MB",
        "{}{} times each second", "{}{} cells/s of it",
    ],
)  # fmt: skip
def test_a_count_is_no_rate(verify, text):
    n = verify("12345<!--= count -->\n").findings[0].actual
    assert errors(verify(text.format(f"{n:.0f}", "<!--= count -->") + " in all.\n")) == ["unit-mismatch"]


@pytest.mark.parametrize(
    "text", ["{} s/query{}", "{} s{} per cell", "{} s{}", "{} s/cell{}", "{} s/run{}", "{} s{} per arm"]
)
def test_what_is_counted_behind_a_stroke_is_no_rate(verify, text):
    value = verify("12345 s<!--= wall_s.mean -->\n").findings[0].actual
    assert errors(verify(text.format(f"{value:.1f}", "<!--= wall_s.mean -->") + ".\n")) == []


def test_a_quotient_may_be_a_rate(verify):
    value = verify("12345.5<!--= total_tokens.sum / wall_s.sum -->\n").findings[0].actual
    assert errors(verify(f"{value:.1f} tokens/s<!--= total_tokens.sum / wall_s.sum -->.\n")) == []


def test_a_header_that_is_a_rate(verify):
    value = verify("12345<!--= total_tokens.median[arm=grep] -->\n").findings[0].actual
    table = '<!--claims:table by=arm "tokens/s"=total_tokens.median rows=subset -->\n| arm | tokens/s |\n|---|---|\n| grep | {:.0f} |\n'
    assert errors(verify(table.format(value))) == ["unit-mismatch"]
