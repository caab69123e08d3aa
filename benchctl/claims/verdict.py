"""Everything that can be said of a place on a page, and what to do next, as one table.

site/reference/errors.md is written from it. A finding about an expression that has no value
carries the slug of that error instead.
"""

from __future__ import annotations

from benchctl.claims.finding import FindingKind

__all__ = ["FINDINGS", "SLUGS"]

FINDINGS: tuple[FindingKind, ...] = (
    FindingKind(
        "number-true", "true", "The value lies in the interval that the printed number stands for.", "nothing"
    ),
    FindingKind(
        "number-false",
        "false",
        "The value does not round to the printed number.",
        "correct the number, or what it is bound to",
    ),
    FindingKind(
        "number-stale-run",
        "stale-run",
        "The number is false of the page's run and true of another run of the store, which is named.",
        "write the page's own number, or declare the run it comes from",
    ),
    FindingKind(
        "number-tie",
        "tie",
        "The value lies exactly half way between this number and its neighbour; both would pass.",
        "nothing, or print one more digit",
    ),
    FindingKind(
        "bound-slack",
        "slack",
        "The bound holds, but the value is far from it.",
        "tighten the bound if that is what is meant",
    ),
    FindingKind(
        "bound-at-its-end",
        "slack",
        "The value is the printed number itself, and `over`, `under`, `above` or `below` before it says a bound.",
        "write *across* or *in* for the preposition, *more than* or *less than* for the bound",
    ),
    FindingKind(
        "bound-unclear",
        "error",
        "What a bound says cannot be decided: it may stand under a negation (*not all took over 10 s*, *hardly more than*), "
        "a negated `over` may be no bound, or *better* may be more or less.",
        "write *at most*, *at least*, *more than* or *less than* right before the number, and no negation in its clause",
    ),
    FindingKind(
        "interval-level",
        "false",
        "The level beside an interval (`99 % CI`) is not the one that the run's interval has, which is 95 %.",
        "write the level of the interval",
    ),
    FindingKind(
        "printed-saturated",
        "slack",
        "A printed 0, 1.00 or 100 % is not exactly so.",
        "print more digits, or write `~`",
        advice="warning",
    ),
    FindingKind(
        "printed-two-ways",
        "contradiction",
        "One value is printed as two different numbers of the same unit.",
        "print it one way",
    ),
    FindingKind(
        "percent-impossible",
        "impossible",
        "A percent is not that of the counts beside it, or of no whole number of them.",
        "correct the percent, or the counts",
    ),
    FindingKind(
        "mean-impossible",
        "impossible",
        "A mean that this many values of their kind cannot have.",
        "correct the mean, or the number of values",
    ),
    FindingKind(
        "arithmetic-wrong",
        "impossible",
        "The two sides of an `=` on the page are not equal, however their numbers were rounded.",
        "correct the number that is wrong",
    ),
    FindingKind(
        "change-impossible",
        "impossible",
        "A change, ratio or difference that the two numbers beside it do not give, whichever of them it is of.",
        "correct the change, or the numbers",
    ),
    FindingKind(
        "order-impossible",
        "impossible",
        "Statistics of one sample out of their order: a least value above the median, a p50 above the p90.",
        "correct the number that is wrong, or say that they are of different things",
    ),
    FindingKind(
        "interval-impossible",
        "impossible",
        "An estimate that lies outside of the interval printed with it.",
        "correct the estimate, or the interval",
    ),
    FindingKind(
        "interval-backwards",
        "impossible",
        "A range or an interval that begins with its greater end.",
        "print the smaller end first",
    ),
    FindingKind(
        "value-impossible",
        "impossible",
        "A number that nothing of its kind can be: a share above 100 %, a p-value above 1, a metric outside of its domain.",
        "correct the number, or say what it is relative to",
    ),
    FindingKind(
        "statistic-hidden",
        "true",
        "A column that was imported has the name of a statistic, and is what the expression means.",
        "nothing if the column is meant; else import the file again with `--map NAME=OTHER`",
        advice="warning",
    ),
    FindingKind(
        "assertion-false",
        "false",
        "What the sentence asserts is not so in the run.",
        "correct the sentence or its assertion",
    ),
    FindingKind(
        "number-unbound",
        "unbound",
        "A number that nothing binds.",
        "bind it (`2.0x<!--= expr -->`), generate it, or exempt it with a reason (`7<!--exempt: reason -->`)",
    ),
    FindingKind(
        "number-unreadable",
        "error",
        "Something with digits that cannot be read as a number.",
        "write it as a number or in a code span",
    ),
    FindingKind(
        "marker-malformed",
        "error",
        "A comment that begins like a binding and is none; it is never ignored.",
        "correct the comment; the guide's page on claims shows every form",
    ),
    FindingKind(
        "page-malformed",
        "error",
        "Renderers would disagree about what is on the page.",
        "close what was opened",
    ),
    FindingKind(
        "page-undeclared",
        "error",
        "A page that was named declares no run.",
        "declare one (`benchctl: run: ID`), or `benchctl: none` with a reason",
    ),
    FindingKind(
        "page-run-unknown",
        "error",
        "The page declares a run that the store does not have.",
        "name a run of the store; `benchctl runs` lists them",
    ),
    FindingKind(
        "page-vacuous",
        "vacuous",
        "A page that declares a run and holds no number: nothing was checked.",
        "bind a number, or `benchctl: none`",
    ),
    FindingKind(
        "page-without-claims",
        "vacuous",
        "A page that declares a run, and no number of it is bound or generated: nothing was checked.",
        "bind a number, or `benchctl: none`",
    ),
    FindingKind(
        "binding-detached",
        "error",
        "A binding that stands behind no number.",
        "put it right behind the number, without a space",
    ),
    FindingKind(
        "binding-draft",
        "unbound",
        "A binding with a `?` behind its marker's word: a draft, which binds nothing until somebody accepts it.",
        "check that it says what the sentence says, and delete the `?`",
    ),
    FindingKind("number-bound-twice", "error", "Two bindings claim the same number.", "keep one of them"),
    FindingKind(
        "group-count",
        "error",
        "A group of numbers with more or fewer expressions than numbers.",
        "write one expression for each number, parted by `;`",
    ),
    FindingKind(
        "paragraph-differs",
        "error",
        "A paragraph list does not name exactly the numbers of the paragraph below it, in order.",
        "list every number as it is printed, in order",
    ),
    FindingKind(
        "table-detached",
        "error",
        "A table binding with no table below it.",
        "put the comment right above the table",
    ),
    FindingKind(
        "table-header-unknown",
        "error",
        "A table binding names a header that its table does not have.",
        "write the header as the table does",
    ),
    FindingKind(
        "table-row-unknown",
        "error",
        "A row's label is no value of its key column in the run.",
        'map the label, as in `by=arm{"Plain grep"=grep}`; for a total, write `rows=subset` and bind its numbers inline',
    ),
    FindingKind(
        "table-row-missing",
        "error",
        "The run has a row that the table leaves out.",
        "add the row, or write `rows=subset` into the binding",
    ),
    FindingKind(
        "table-row-renamed",
        "error",
        "A row's label is one value of its key column, and the map of `by=` makes it another.",
        "call the row what it is",
    ),
    FindingKind(
        "table-column-renamed",
        "error",
        "A header is one value of a column of the run, and its expression asks for another.",
        "call the column what it is, or bind what it says",
    ),
    FindingKind("table-row-doubled", "error", "Two rows of a table have the same key.", "keep one of them"),
    FindingKind(
        "table-cell-empty",
        "error",
        "A bound cell without a number, although the run has one.",
        "print the number",
    ),
    FindingKind(
        "table-cell-escapes",
        "error",
        "A cell of a bound column whose numbers are all exempt or retracted: the column says what it is.",
        "print the column's number, or leave the column unbound",
    ),
    FindingKind(
        "table-empty",
        "vacuous",
        "A bound table without a row: nothing was checked.",
        "add its rows, or remove the table",
    ),
    FindingKind(
        "unit-mismatch",
        "error",
        "The number is printed in a unit that the value's own unit cannot become, or as time, size, money or "
        "percent where it is a count.",
        "print the value's unit, or give the value its unit under [values]",
    ),
    FindingKind(
        "value-no-number",
        "error",
        "The expression is a text or a truth, where a number is printed.",
        "bind the number to a number",
    ),
    FindingKind(
        "value-unused",
        "vacuous",
        "A named value under [values] that nothing uses: it is checked against nothing, and may be wrong for years.",
        "use it, or remove it",
    ),
    FindingKind(
        "value-hidden",
        "true",
        "A page's own named value has the name of one of the project's, and says something else.",
        "nothing if the page's own is meant; else give it another name",
        advice="note",
    ),
    FindingKind(
        "scope-empty",
        "vacuous",
        "No row of the run meets what the page declares: nothing can be checked against it.",
        "correct `where`, or name the run that has such rows",
    ),
    FindingKind(
        "run-unused",
        "vacuous",
        "A run under `also` that nothing on the page speaks of; listed with `--all` alone.",
        "nothing, or remove it",
        advice="note",
    ),
    FindingKind(
        "ratchet-raised",
        "error",
        "A page's `max_unbound` is higher than what claims.lock accepted before, or claims.lock no longer says so: it may only fall.",
        "bind what is new, and lower it again",
    ),
    FindingKind(
        "ratchet-broken",
        "unbound",
        "A page has more unbound numbers than its `max_unbound` allows; every one of them is an error then.",
        "bind what is new",
    ),
    FindingKind(
        "ratchet-loose",
        "vacuous",
        "A page has fewer unbound numbers than its `max_unbound` allows, so that new ones would pass.",
        "lower it",
        advice="warning",
    ),
    FindingKind(
        "glob-empty",
        "vacuous",
        "A pattern or a page in benchctl.toml, or a `.claims.toml`, that no page answers to: it checks nothing.",
        "correct it, or remove it",
    ),
    FindingKind(
        "expression-vacuous",
        "vacuous",
        "The expression's value does not depend on the run's data.",
        "refer to a column of the run",
    ),
    FindingKind(
        "expression-mostly-constant",
        "vacuous",
        "More of the expression's value is a written number than comes from the run.",
        "refer to a column of the run for the greater part, or exempt the number with a reason",
        advice="note",
    ),
    FindingKind(
        "page-excluded-bound",
        "error",
        "A page that `benchctl: none` takes out, and that binds numbers or shows a chart all the same.",
        "declare the run, or remove the bindings; an example stands in a code span or a fence",
    ),
    FindingKind(
        "exemption-dead",
        "dead-exemption",
        "An exemption that exempts nothing.",
        "remove it, or put it right behind its number",
    ),
    FindingKind(
        "retraction-live",
        "retracted-live",
        "A retracted number is true of today's data.",
        "unretract it, or say which value was meant",
    ),
    FindingKind(
        "fix-refused",
        "false",
        "`--fix` left a number or a block as it is, and says why.",
        "correct it by hand",
    ),
    FindingKind(
        "stamp-malformed",
        "error",
        "A marker of a generated block is malformed, nested, doubled or unclosed.",
        "restore the marker, or render the block anew",
    ),
    FindingKind(
        "block-other-run",
        "stale-block",
        "A generated block belongs to a run that the page does not speak of here.",
        "`benchctl report --update PAGE`, or declare the run",
    ),
    FindingKind(
        "block-old-data",
        "stale-block",
        "The run's data changed since the block was rendered.",
        "`benchctl report --update PAGE`",
    ),
    FindingKind(
        "block-edited",
        "stale-block",
        "The block's body was edited by hand since it was rendered.",
        "`benchctl report --update PAGE`",
    ),
    FindingKind(
        "block-outdated",
        "stale-block",
        "The block is as it was rendered, and its table renders otherwise today.",
        "`benchctl report --update PAGE`",
    ),
    FindingKind(
        "chart-malformed",
        "error",
        "A comment that begins like a chart's line and is none: nothing would be drawn.",
        "write `<!-- benchctl:chart chart=NAME run=ID -->` alone on its line",
    ),
    FindingKind(
        "chart-unknown", "error", "A chart's line names a chart that there is not.", "name a chart there is"
    ),
    FindingKind(
        "chart-run-unknown",
        "error",
        "A chart's line names a run that the store does not have.",
        "name a run of the store; `benchctl runs` lists them",
    ),
    FindingKind(
        "chart-run-undeclared",
        "error",
        "A chart shows a run that the page does not declare there.",
        "name the page's run, or declare the other one (`also: ID`)",
    ),
    FindingKind(
        "total-differs",
        "impossible",
        "A total that its rows do not come to, or an overall figure that lies outside of them.",
        "correct the total, or the row that is wrong",
    ),
    FindingKind(
        "average-differs",
        "impossible",
        "A mean, median, least or greatest value that the rows it sums up cannot have.",
        "correct it, or say how it is weighted (a row called `overall` may lie anywhere between its rows)",
    ),
    FindingKind(
        "parts-differ",
        "impossible",
        "A column is the sum (or mean) of others in the other rows, and not in this one.",
        "correct the number that is wrong",
    ),
    FindingKind(
        "share-differs",
        "impossible",
        "A percentage that the counts of its row deny, or shares of a whole that come to more or less.",
        "correct the percentage or the counts",
    ),
    FindingKind(
        "ratio-differs",
        "impossible",
        "A ratio or change that its row and the baseline deny, while the other rows of its column agree.",
        "correct the ratio, or the number it was computed from",
    ),
    FindingKind(
        "rank-differs",
        "contradiction",
        "A table ranks its rows by a column, and one row stands out of its order.",
        "move the row, or correct its number",
    ),
    FindingKind(
        "bold-differs",
        "contradiction",
        "A number printed bold as the best of its column, as in the other columns, and another one is better.",
        "print the best one bold",
    ),
    FindingKind(
        "universal-denied",
        "impossible",
        "A sentence says all, none, only or a superlative, and the table beside it says otherwise.",
        "correct the sentence, or say what it is limited to",
    ),
    FindingKind(
        "universal-unasserted",
        "unbound",
        "A sentence says all, none, never or a superlative of what the run holds, and nothing checks it.",
        "assert it behind the sentence (`<!--assert: all question: … -->`)",
        advice="note",
    ),
    FindingKind(
        "direction-false",
        "false",
        "A sentence or heading says that one thing is more, less, better or faster than another, that it rose or fell, "
        "and what is bound there says the opposite.",
        "correct the word, or the binding",
    ),
    FindingKind(
        "direction-denied",
        "contradiction",
        "A sentence or heading says that one thing is more, less, better or faster than another, and the table "
        "beside it, or the run, says the opposite.",
        "correct the word, or say what it is limited to",
    ),
    FindingKind(
        "direction-reversed",
        "impossible",
        "A rise to a smaller number, or a fall to a greater one.",
        "correct the word, or the order of the numbers",
    ),
    FindingKind(
        "data-moved",
        "stale-data",
        "The data digest of a declared run is not the one in claims.lock.",
        "read the page against the new data, then `benchctl verify-claims --accept`",
    ),
    FindingKind(
        "run-open",
        "error",
        "The page declares a run that is still being collected.",
        "finish it with `benchctl run --run-id ID`",
    ),
)
"""Every kind of finding, in the order of the manual."""

SLUGS: dict[str, FindingKind] = {kind.slug: kind for kind in FINDINGS}
"""The same by slug."""
