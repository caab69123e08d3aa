"""Words that make a name of the number behind them, words that number counts, and the shapes names have."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = [
    "ABBREVIATED",
    "COUNTED",
    "LABELS",
    "LIBRARIES",
    "LIBRARY",
    "MACHINES",
    "MODEL",
    "MODELS",
    "MODEL_NUMBER",
    "MONTHS",
    "NAMING",
    "OPENING",
    "PRODUCT",
    "PRODUCTS",
    "QUANTIFIED",
    "QUARTER",
    "RELEASES",
    "SMALL",
    "SMALL_PRODUCTS",
    "STATUS",
    "VERBS",
    "YEAR",
    "YEAR_WORDS",
    "Label",
]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SMALL = re.compile(r"[0-9]{1,3}")
_PLACE = re.compile(r"[0-9]{1,6}")
_OUTLINE = re.compile(r"[0-9]{1,3}|[1-9][0-9]?(?:\.[0-9]{1,2}){1,2}")
_RELEASE = re.compile(r"[1-9][0-9]?(?:\.[0-9]{1,2})?|0\.[0-9]{1,2}")
PRODUCT = re.compile(r"[1-9][0-9]?(?:\.[0-9]{1,2})?")
MODEL = re.compile(r"[1-9](?:\.[0-9])?")
_SEED = re.compile(r"[0-9]{1,10}")
_SHARE = re.compile(r"[0-2](?:\.[0-9]{1,2})?")
LIBRARY = re.compile(r"[1-9]\.[0-9]{1,2}")
MODEL_NUMBER = re.compile(r"[0-9]{1,5}|[0-9]{4}\.[0-9]{4,5}")


@dataclass(frozen=True, slots=True)
class Label:
    """What a word makes of the number behind it.

    `capital` words name only as `Question 3`, or in small letters behind see, in, of.
    """

    kind: str
    shape: re.Pattern[str]
    capital: bool = False


def _labels() -> dict[str, Label]:
    groups: tuple[tuple[str, Label], ...] = (
        ("section sections sec chapter chapters appendix figure figures fig eq equation theorem lemma algorithm", Label("section", _OUTLINE)),
        ("listing volume vol phase phases", Label("section", _OUTLINE)),
        ("page pages footnote", Label("section", SMALL)),
        ("table tables", Label("section", _OUTLINE, capital=True)),
        ("step steps stage layer level tier part day week month question row column option example", Label("section", SMALL, capital=True)),
        ("rule rules note point floor experiment type generation defect defects task", Label("section", SMALL, capital=True)),
        ("requirement milestone scenario study", Label("section", SMALL, capital=True)),
        ("line lines", Label("fileline", _PLACE)),
        ("issue issues pr prs bug ticket gh discussion", Label("issue", _PLACE)),
        ("port ports", Label("port", _PLACE)),
        ("rank ranked", Label("rank", SMALL)),
        ("number", Label("rank", SMALL, capital=True)),
        ("version versions release", Label("version", _RELEASE)),
        ("ref refs reference references", Label("footnote", SMALL)),
        ("seed", Label("param", _SEED)),
        ("temperature top_p", Label("param", _SHARE)),
        ("top_k code exit status", Label("param", SMALL)),
        ("job run build id uid pid sha", Label("ident", re.compile(r"[0-9]{10,}"))),
    )  # fmt: skip
    return {word: label for words, label in groups for word in words.split()}


LABELS = _labels()
PRODUCTS = _words(
    "ubuntu debian fedora macos ios windows android java node ruby php perl kernel linux postgres postgresql mysql"
    " sqlite duckdb gcc clang llvm cuda apache gpl agpl html css http tls sarif utf"
    " x64 amd64 arm64 aarch64 x86_64"
)  # fmt: skip
LIBRARIES = _words("django numpy pandas polars pytest pydantic scipy duckdb mkdocs transformers")


def _releases() -> dict[str, re.Pattern[str]]:
    """Return what a release of each product looks like: "Go 1.23" is one, "Go 9.3" a result."""
    shapes = {
        r"[23](?:\.[0-9]{1,2})?": "python cpython pypy",
        r"1\.[12][0-9]": "go",
        r"1\.[3-9][0-9]": "rust",
        r"(?:1[0-9]|2[0-9])(?:\.[0-9]{1,2})?": "node js",
        r"[12]\.[0-9]{1,2}": "pytorch torch tensorflow",
        r"2\.[0-9]{2}": "glibc git",
        r"[345]\.[0-9]{1,2}": "typescript cmake",
    }
    return {word: re.compile(shape) for shape, words in shapes.items() for word in words.split()}


RELEASES = _releases()
MODELS = _words("claude opus sonnet haiku gemini llama qwen mistral mixtral gemma deepseek grok phi glm kimi")
MACHINES = _words(
    "rtx gtx rx sam xeon ryzen epyc core tesla gpt iso ieee rfc pep cve arxiv titan iphone pixel apollo boeing"
)
SMALL_PRODUCTS = frozenset({"x64", "amd64", "arm64", "js"})
MONTHS = _words(
    "january february march april may june july august september october november december"
    " jan feb mar apr jun jul aug sep sept oct nov dec"
)
YEAR_WORDS = _words(
    "in since until by during from year copyright early mid late spring summer autumn fall winter \u00a9 (c)"
)
QUARTER = re.compile(r"[QH][1-4]")
YEAR = re.compile(r"(?:19|20)[0-9]{2}")
STATUS = re.compile(r"[45][0-9]{2}")
ABBREVIATED = _words("fig sec eq no nr ref refs vol p pp") | MONTHS
NAMING = frozenset().union(
    LABELS,
    PRODUCTS,
    LIBRARIES,
    RELEASES,
    MODELS,
    MACHINES,
    MONTHS,
    YEAR_WORDS,
    ("no", "nr", "p", "pp", "error"),
)
"""Every word that may make a name of the number behind it."""
QUANTIFIED = _words(
    "per each every this that an a any few some these those many all both mean absolute relative squared standard"
)
OPENING = frozenset({"see", "in", "of"})
COUNTED = frozenset(
    word + ending
    for ending in ("", "s")
    for word in _words("cell question arm row token task repo file item rep second minute hour week case time word byte failure timeout"
    " attempt sample request agent model user record entrie session trial turn step test quer")
) | {"repositories", "entries", "queries", "days", "calls", "runs", "points", "percent", "hits", "errors", "commits"}  # fmt: skip
VERBS = _words(
    "is was has does shows lists gives describes explains reports compares contains holds says presents summarises summarizes plots"
    " covers defines uses asks needs reads names tells sets applies adds means makes takes follows begins starts ends fails closes"
    " fixes tracks sums requires notes deals treats discusses details introduces outlines provides returns supports allows removes"
    " serializes serialises focuses concludes illustrates demonstrates proves derives states argues evaluates analyses analyzes examines"
    " considers addresses surveys reviews motivates becomes comes goes this its as plus thus always perhaps"
)
