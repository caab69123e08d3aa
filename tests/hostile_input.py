"""Pages, expressions and numerals out of any bytes, put through the checker as a pull request may put them.

Nothing may raise but what the room says it raises, and nothing may be costly.
"""

import time
from dataclasses import dataclass, field

from claims_page import TEMPLATE, true_page

from benchctl.claims.examine import Examiner
from benchctl.claims.outputs.document import to_document
from benchctl.claims.outputs.text import to_text
from benchctl.claims.result import ClaimsReport
from benchctl.claims.tally import page_report
from benchctl.errors import BenchctlError
from benchctl.expressions import expand, parse, parse_filters, probes, show
from benchctl.quantities.numerals import scan

__all__ = ["KINDS", "Hostile"]

HEAD = "<!-- benchctl: run=r9 also=r8 -->\n\n"
PIECES = [
    *" \n|`*_[]()<>#-~=:;,.0123456789%\u00d7\u2192\u2013\"'&$\\\t\r", "<!--", "-->", "<!--= ", "<!--=? ", "<!--exempt: ",
    "<!--claims: ", "<!--claims:table by=arm ", "<!--assert: ", "<!--retracted -->", "<!-- benchctl: run=r9 -->\n",
    "<!-- benchctl: run=r8 -->\n", "<!-- benchctl:begin table=arms run=r9 ", "<!-- benchctl:end -->", "---\n",
    "benchctl:\n  run: r9\n", "benchctl: none\n", "# T\n", "```\n", "    ", "| arm | n |\n|---|---|\n", "grep", "graphify", "count",
    "score.mean[arm=grep]", "score.macro", "tok(grep)", "/ 0", "@r8", " of ", "1e999", "at least ", "\u0661\u0662", "{", "}",
    "all question: ", "> 0", "\U0001f600", "\x00", "\ufeff", "ratio(", "count over question: ", "lo(delta(score.macro, arm=grep, arm=index))",
    "44 of 48 (92 %)", "16 \u00d7 4 \u00d7 3 = 192", "every", "never", "faster", " 2.0x fewer ", "mean", "median", "total", "1,234.5", "8m30s",
    "0.82 [0.84, 0.90]", "&times;", "<sup>12</sup>", "$3 \\times 10^{-4}$", "\u8fbe\u5230+1e4\u6216-1e-3", "\uff11\uff12", "nine of its nine",
]  # fmt: skip


@dataclass
class Hostile:
    """A project to put input to, and what the input has cost so far, in seconds of CPU time."""

    project: object
    tried: int = 0
    longest_s: float = 0.0
    costliest: bytes = b""
    examiner: Examiner = field(init=False)
    page: str = field(init=False)

    def __post_init__(self):
        self.examiner = Examiner.of(self.project)
        self.page = true_page(self.project)
        assert len(TEMPLATE) > 1000

    def put(self, data):
        """Put one input to the rooms; its first byte says as what. Raises what no room should raise."""
        started = time.process_time()
        try:
            KINDS[data[0] % len(KINDS)](self, data[1:]) if data else None
        finally:
            spent = time.process_time() - started
            self.tried += 1
            if spent > self.longest_s:
                self.longest_s, self.costliest = spent, bytes(data)

    def _examine(self, text):
        report = page_report(self.examiner.examine("page.md", text))
        assert report.numbers == report.bound + report.generated + report.exempt + report.unbound
        whole = ClaimsReport((report,))
        assert to_text(whole)
        to_document(whole)

    def raw_page(self, data):
        self._examine(HEAD + data.decode("utf-8", "replace"))

    def page_of_pieces(self, data):
        self._examine(HEAD + "".join(PIECES[byte % len(PIECES)] for byte in data))

    def spliced_page(self, data):
        """Cut a true page at places that the bytes say, and put pieces in between."""
        text = self.page
        for n in range(0, len(data) - 3, 4):
            at = (data[n] << 8 | data[n + 1]) % (len(text) + 1)
            length = data[n + 2] % 40
            text = text[:at] + PIECES[data[n + 3] % len(PIECES)] + text[at + length :]
        self._examine(text)

    def changed_page(self, data):
        """Change single characters of a true page."""
        text = list(self.page)
        for n in range(0, len(data) - 2, 3):
            text[(data[n] << 8 | data[n + 1]) % len(text)] = chr(data[n + 2] % 128)
        self._examine("".join(text))

    def expression(self, data):
        text = (
            "".join(PIECES[byte % len(PIECES)] for byte in data[1:])
            if data[:1] < b"\x80"
            else data.decode("utf-8", "replace")
        )
        try:
            node = expand(parse(text), self.examiner.lookup.definitions)
            probes(node, filters=parse_filters("agent=claude"))
            assert parse(show(node)) is not None
        except BenchctlError:
            pass
        self._examine(f"{HEAD}5<!--= {text} --> and <!--assert: {text} -->\n")

    def numerals(self, data):
        text = data.decode("utf-8", "replace")
        tokens = list(scan(text))
        for token in tokens:
            assert text[token.start : token.end] == token.text


KINDS = [
    Hostile.raw_page,
    Hostile.page_of_pieces,
    Hostile.spliced_page,
    Hostile.changed_page,
    Hostile.expression,
    Hostile.numerals,
]
