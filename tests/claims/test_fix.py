"""`--fix` rewrites a literal and nothing else, and leaves to a person what only a person can judge."""

import re

import pytest
from claims_page import lookup_value, true_page

from benchctl.claims.answers.lookup import Lookup
from benchctl.claims.examine import Examiner
from benchctl.claims.fixing.text import fix_text
from benchctl.expressions import parse_definitions
from benchctl.quantities.format import format_number

HEAD = "<!-- benchctl: run=r9 also=r8 -->\n\n"
SLOT = re.compile(r"\{([^{}|]+)\|([^{}|]*)(?:\|([^{}]*))?\}")


@pytest.fixture(scope="module")
def examiner(project):
    return Examiner.of(project)


@pytest.fixture(scope="module")
def lookup(project):
    return Lookup(project.store, parse_definitions(project.config.values))


@pytest.fixture
def fill(lookup):
    """Return a function that puts values into `{expr|places|unit}`."""

    def filled(text: str) -> str:
        def value(match):
            number = lookup_value(lookup, match[1].strip())
            number = number * 100 if match[3] == "%" else number / 1000 if match[3] == "k" else number
            return format_number(number, places=int(match[2]))

        return SLOT.sub(value, text)

    return filled


@pytest.fixture
def fix(examiner):
    def fixed(text: str):
        return fix_text(examiner, "page.md", HEAD + text)

    return fixed


# what is printed, what is right in its place, and what binds it (None: each number by itself)
FIXED = [
    ("It read 1,000", "It read {total_tokens.median[arm=grep]|0}", "<!--= total_tokens.median[arm=grep] -->"),
    ("It read 12.1k", "It read {total_tokens.median[arm=grep]|1|k}k", "<!--= total_tokens.median[arm=grep] -->"),
    ("It scored .123", "It scored {score.mean[arm=grep]|3}", "<!--= score.mean[arm=grep] -->"),
    ("It scored **0.123**", "It scored **{score.mean[arm=grep]|3}**", "<!--= score.mean[arm=grep] -->"),
    ("It scored 12.3 %", "It scored {score.mean[arm=grep]|1|%} %", "<!--= score.mean[arm=grep] -->"),
    ("It took `9.9 s`", "It took `{wall_s.mean|1} s`", "<!--= wall_s.mean -->"),
    ('[9.9](x.md "a")', '[{wall_s.mean|1}](x.md "a")', None),
    ("It had 95 cells", "It had {count|0} cells", None),
    ("# After 95 cells", "# After {count|0} cells", None),
    ("- 9.90 s each", "- {wall_s.mean|2} s each", None),
    ("> 95 cells", "> {count|0} cells", None),
    ("!!! note\n    95 cells", "!!! note\n    {count|0} cells", None),
    ("23 of 95", "{count[arm=grep]|0} of {count|0}", "<!--= count[arm=grep]; count -->"),
    ("9.9\u201399.9 s", "{wall_s.min|1}\u2013{wall_s.max|1} s", "<!--= wall_s.min; wall_s.max -->"),
    ("0.111 \u2192 0.222", "{score.mean[arm=grep]|3} \u2192 {score.mean[arm=hybrid]|3}", "<!--= score.mean[arm=grep]; score.mean[arm=hybrid] -->"),
    ("1\u202f000", "{total_tokens.median|0}", "<!--= total_tokens.median -->"),
    ("1 000 tokens", "{total_tokens.median|0} tokens", "<!--= total_tokens.median -->"),
    ("1000", "{total_tokens.median|0}", "<!--= total_tokens.median -->"),
]  # fmt: skip


def _bound(text: str, comment: str | None) -> str:
    if comment:
        return text + comment
    for number in ("9.90", "9.9", "95"):
        if number in text:
            return text.replace(
                number, number + ("<!--= count -->" if number == "95" else "<!--= wall_s.mean -->")
            )
    return re.sub(r"(\{(count|wall_s\.mean)\|\d\})", r"\1<!--= \2 -->", text)


@pytest.mark.parametrize(("wrong", "right", "comment"), FIXED)
def test_the_literal_is_rewritten_in_its_own_clothes(fix, fill, wrong, right, comment):
    expected = fill(_bound(right, comment))
    if "\u202f" in wrong:
        expected = expected.replace(",", "\u202f")
    if "1 000" in wrong:
        expected = expected.replace(",", " ")
    if wrong.startswith("1000"):
        expected = expected.replace(",", "")
    if ".123" in wrong and "0.123" not in wrong:
        expected = expected.replace("0.", ".", 1)
    result = fix(_bound(wrong, comment))
    assert result.text == HEAD + expected
    assert not result.refused
    assert fix(result.text.removeprefix(HEAD)).text == result.text


REFUSED = [
    ("It read 2.0×<!--= ratio(tok(graphify), tok(grep)) * 0 + ratio(score.mean[arm=grep], score.mean[arm=hybrid]) --> more tokens.", "direction"),
    ("## More tokens\n\nIt is 2.0×<!--= ratio(score.mean[arm=grep], score.mean[arm=hybrid]) -->.", "direction"),
    ("A speedup of 2.0×<!--= ratio(score.mean[arm=grep], score.mean[arm=hybrid]) -->.", "direction"),
    ("Grep scored 0.912<!--= score.mean[arm=grep] -->, hybrid less: 0.812<!--= score.mean[arm=hybrid] -->.", "direction"),
    ("It rose from 0.912<!--= score.mean[arm=grep] --> to 0.913<!--= score.mean[arm=grep] -->.", "direction"),
    ("Grep is better than hybrid with 0.999<!--= score.mean[arm=grep] -->.", "direction"),
    ("Both read 40,000<!--= tok(grep) --> and 40,000<!--= tok(index) --> tokens.", "direction"),
    ("The best arm scored 0.999<!--= score.mean[arm=index] -->.", "direction"),
    ("Only 4<!--= count --> cells.", "direction"),
    ("Most of them: 12 %<!--= score.mean[arm=hybrid] -->.", "direction"),
    ("At least 97<!--= count --> cells.", "bound"),
    ("Over 97<!--= count --> cells.", "bound"),
    ("About 50<!--= count --> cells.", "bound"),
    ("97<!--= count --> or more cells.", "bound"),
    ("Ranked 3<!--= repo.distinct -->.", "rank"),
    ("Twice<!--= ratio(tok(graphify), tok(grep)) + 3 --> as many.", "word"),
    ("Half<!--= score.mean + 5 --> of it.", "word"),
    ("Three<!--= question.distinct --> questions.", "word"),
    ("1<!--= question.distinct --> question.", "number"),
    ("An 8<!--= count --> cell run.", "article"),
    ("A change of 9.9 %<!--= change_pct(score.mean[arm=hybrid], score.mean[arm=grep]) * 0 - 100 * score.mean -->.", "sign"),
    ("4.4k<!--= count -->", "magnitude"),
    ("0.5k<!--= count --> cells", "precision"),
    ("1.0M<!--= total_tokens.median --> tokens", "magnitude"),
    ("It failed 0<!--= count --> times.", "zero"),
    ("It took 0.9 h<!--= wall_s.median --> each.", "saturated"),
    ("9**5**<!--= count --> cells", "markup"),
    ("9&#53;<!--= count --> cells", "markup"),
    ("\uff19\uff15<!--= count --> cells", "form"),
    ("95<!--=? count --> cells.", "draft"),
    ("36 s<!--= count -->", "unit"),
    ("9<!--= count[arm=nobody] --> cells.", "expression"),
    ("9<!--= wall.median --> s.", "expression"),
    ("All good.<!--assert: count > 500 --> 96<!--= count --> cells", "assertion"),
    ("It was 96<!--retracted: count -->, 96<!--= count --> now", "retraction"),
    ("95<!--= count / count * 96 -->", "creates"),
    ("Tokens tripled (3.1×<!--= ratio(tok(graphify), tok(grep)) * 0 + ratio(score.mean, score.mean[arm=grep]) -->).", "direction"),
    ("It is an order of magnitude costlier (11.0×<!--= ratio(tok(graphify), tok(grep)) -->).", "direction"),
    ("Nearly all (99 %<!--= 100 * count[agent=codex] / count -->) are of codex.", "direction"),
    ("It passes the 0.99<!--exempt: goal --> goal with 0.995<!--= score.mean -->.", "direction"),
    ("It stays within the budget of 5<!--exempt: budget -->: 4<!--= question.distinct * 10 -->.", "direction"),
    ("A majority, 63<!--= count[agent=claude] --> of 96<!--= count -->, is of claude.", "direction"),
    ("Grep missed one: 23<!--= count[arm=grep] --> of 24<!--= count[arm=grep] -->.", "all"),
    ("All were of claude: 96<!--= count[agent=claude] --> of 96<!--= count -->.", "all"),
    ("All of it, 100 %<!--= 100 * count[agent=codex] / count -->, is of codex.", "all"),
    ("It reads 62<!--= total_tokens.median --> tokens.", "magnitude"),
    ("It has 96,000<!--= count --> cells.", "magnitude"),
    ("| rank | agent | n |\n|---|---|---|\n| 1 | claude | 99<!--= count[agent=claude] --> |\n| 2 | all | 96<!--= count --> |", "order"),
    ("| agent | n |\n|---|---|\n| claude | **99**<!--= count[agent=claude] --> |\n| all | 96<!--= count --> |", "order"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "reason"), REFUSED)
def test_what_only_a_person_can_put_right_is_left(fix, text, reason):
    result = fix(text)
    assert result.text == HEAD + text
    assert reason in [each.reason for each in result.refused], result.refused
    assert all(each.message and each.line >= 3 for each in result.refused)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("It is 2.0×<!--= ratio(score.mean[arm=grep], score.mean[arm=hybrid]) --> the score.", "the score"),
        (
            "Grep scored 0.312<!--= score.mean[arm=grep] -->, hybrid more: 0.912<!--= score.mean[arm=hybrid] -->.",
            "",
        ),
        ("The best arm scored 0.950<!--= score.mean[arm=hybrid] -->.", ""),
        ("Only 95<!--= count --> cells.", ""),
        ("Grep is better than nothing with 0.999<!--= score.mean[arm=grep] -->.", ""),
        ("2<!--= question.distinct --> questions.", ""),
        ("It passes the 0.10<!--exempt: goal --> goal with 0.999<!--= score.mean -->.", ""),
        (
            "A majority, 95<!--= count --> of 96<!--= count + count[void=true] * 0 --> is here.".replace(
                "95<", "90<"
            ).replace("count -->", "count[arm!=grep] -->", 1),
            "",
        ),
        (
            "| rank | agent | n |\n|---|---|---|\n| 1 | all | 99<!--= count --> |\n| 2 | claude | 48<!--= count[agent=claude] --> |",
            "",
        ),
        (
            "| rank | agent | n |\n|---|---|---|\n| 1 | all | 99<!--= count --> |\n| 2 | claude | 98<!--= count[agent=claude] --> |",
            "",
        ),
    ],
)
def test_a_word_that_stays_true_forbids_nothing(fix, wrong, right):
    result = fix(wrong)
    assert result.rewrites
    assert not result.refused, result.refused
    assert right in result.text


def test_a_true_page_stays_as_it_is(examiner, project):
    page = true_page(project)
    for text in (page, page.replace("\n", "\r\n"), "\ufeff" + page):
        result = fix_text(examiner, "page.md", text)
        assert result.text == text
        assert not result.rewrites
        assert not result.blocks


def test_a_list_is_rewritten_with_its_paragraph(fix):
    text = '<!--claims: 23 = count[arm=grep]; 1 000 = count; _ = "a rule" -->\nOf 23 cells 1\u00a0000, by rule 7.\n'
    result = fix(text)
    assert result.text == HEAD + text.replace("23", "24").replace("1 000", "96").replace("1\u00a0000", "96")
    assert [len(each.places) for each in result.rewrites] == [2, 2]


def test_a_list_that_is_wrong_in_itself_is_left(fix):
    text = "<!--claims: 23 = count[arm=grep]; 99 = count -->\nOf 23 cells 95.\n"
    assert fix(text).text == HEAD + text


def test_a_table_is_rewritten_cell_by_cell(fix, fill):
    head = '<!--claims:table by=arm "tokens (k)"=total_tokens.median cells="count[answered=true] of count" -->\n| arm | tokens (k) | cells |\n|--|--|--|\n'
    rows = [
        "| grep | {total_tokens.median[arm=grep]|1|k} | {count[arm=grep, answered=true]|0} of {count[arm=grep]|0} |"
    ]
    rows += [row for arm in ("index", "hybrid", "graphify") for row in [rows[0].replace("grep", arm)]]
    right = fill(head + "\n".join(rows) + "\n")
    wrong = re.sub(r"\| (\d+\.\d) \| (\d+) of (\d+)", r"| 1.1 | 0 of 100", right)
    result = fix(wrong)
    assert len(result.rewrites) == 12
    assert result.text == HEAD + right


def test_a_percent_beside_its_counts_is_rewritten_with_them_or_not_at_all(fix):
    both = "23 of 96 (24 %)<!--= count[arm=grep]; count; 100 * count[arm=grep] / count -->"
    assert fix(both).text == HEAD + both.replace("23", "24").replace("24 %", "25 %")
    alone = "23 of 96<!--= count[arm=grep]; count --> (24 %<!--exempt: as of r7 -->)"
    result = fix(alone)
    assert result.text == HEAD + alone
    assert [each.reason for each in result.refused] == ["beside"]


def test_a_stale_block_is_rendered_as_report_update_does(examiner, project):
    from benchctl.report.stamp import render_block, update_text
    from benchctl.report.tables import named_table

    page = true_page(project)
    edited = page.replace("| grep | ", "| grep | 1", 1) if "| grep | " in page else page
    assert edited != page
    for text, right in ((edited, page), (edited.replace("\n", "\r\n"), page.replace("\n", "\r\n"))):
        result = fix_text(examiner, "page.md", text)
        assert result.text == right
        assert [each.table for each in result.blocks] == ["tokens"]
        updated = update_text(
            text,
            lambda block: render_block(named_table(project.store, block.run, block.table, project.config)),
        )
        assert updated == result.text


def test_a_broken_marker_leaves_every_block(examiner, project):
    edited = true_page(project).replace("| grep | ", "| grep | 1", 1)
    for text in (edited + "\n<!-- benchctl:end -->\n", edited.replace("benchctl:end -->", "benchctl:end-->")):
        assert fix_text(examiner, "page.md", text).text == text


def test_a_block_that_cannot_be_rendered_stays(examiner, project):
    page = true_page(project).replace("table=tokens", "table=nothing")
    assert fix_text(examiner, "page.md", page).text == page


def test_a_heading_says_that_its_anchor_changes(fix):
    assert "anchor" in fix("## After 95<!--= count --> cells\n").rewrites[0].note


def test_a_figure_of_another_run_is_brought_home(fix, fill):
    text = fill(
        "Grep read {total_tokens.median[arm=grep]@r8|0}<!--= total_tokens.median[arm=grep] --> tokens."
    )
    result = fix(text)
    assert result.text == HEAD + fill(
        "Grep read {total_tokens.median[arm=grep]|0}<!--= total_tokens.median[arm=grep] --> tokens."
    )


class TestFiles:
    """What `fix_pages` does to files."""

    @pytest.fixture
    def page(self, tmp_path):
        file = tmp_path / "page.md"
        file.write_bytes((HEAD + "95<!--= count --> cells\r\n").encode())
        return file

    def test_a_file_keeps_its_mode_and_its_bytes(self, project, page):
        from benchctl.claims.fixing.pages import fix_pages

        page.chmod(0o640)
        report = fix_pages(project, [page])
        assert page.read_bytes() == (HEAD + "96<!--= count --> cells\r\n").encode()
        assert page.stat().st_mode & 0o777 == 0o640
        assert report.claims.ok
        assert [each.written for each in report.pages] == [True]
        assert [file.name for file in page.parent.iterdir()] == ["page.md"]
        before = page.stat().st_mtime_ns
        again = fix_pages(project, [page])
        assert page.stat().st_mtime_ns == before
        assert [each.written for each in again.pages] == [False]

    def test_a_link_stays_a_link(self, project, page):
        from benchctl.claims.fixing.pages import fix_pages

        link = page.with_name("link.md")
        link.symlink_to(page.name)
        fix_pages(project, [link])
        assert link.is_symlink()
        assert b"96" in page.read_bytes()

    def test_a_page_out_of_the_project_is_written_where_it_is_named_alone(
        self, project, page, tmp_path_factory
    ):
        from benchctl.claims.fixing.pages import fix_pages

        outside = tmp_path_factory.mktemp("outside") / "text.md"
        outside.write_bytes(page.read_bytes())
        link = page.with_name("link.md")
        page.unlink()
        link.symlink_to(outside)
        (left,) = fix_pages(project, [page.parent]).pages
        assert b"95" in outside.read_bytes()
        assert [each.reason for each in left.fixed.refused] == ["outside"]
        assert not left.written
        fix_pages(project, [link])
        assert b"96" in outside.read_bytes()
        link.unlink()

    def test_a_page_that_changed_meanwhile_is_left(self, project, page, monkeypatch):
        from benchctl.claims.fixing import pages

        def read(file):
            text = file.read_bytes().decode()
            file.write_text(text + "\nmore\n")
            return text

        monkeypatch.setattr(pages, "read_page", read)
        report = pages.fix_pages(project, [page])
        assert "more" in page.read_text()
        assert "95" in page.read_text()
        assert [each.reason for each in report.pages[0].fixed.refused] == ["moved"]

    def test_moved_data_need_a_person(self, project):
        from benchctl.claims.examine import Examiner
        from benchctl.claims.lock import Lock

        examiner = Examiner(project, Examiner.of(project).lookup, Lock({"page.md": {"r9": "sha256:0"}}))
        result = fix_text(examiner, "page.md", HEAD + "95<!--= count --> cells\n")
        assert [each.reason for each in result.refused] == ["accept"]

    def test_what_is_noteworthy_of_the_written_page_is_told(self, project, tmp_path):
        """The trial seeks no help, so the last word is that of a whole verification."""
        from benchctl.claims.fixing.output import to_json
        from benchctl.claims.fixing.pages import fix_pages

        page = tmp_path / "page.md"
        page.write_text(HEAD + "It is 976<!--= 900 + count[arm=grep] --> and 96<!--= count --> cells.\n")
        report = fix_pages(project, [page])
        assert "924<!--=" in page.read_text()
        slugs = [finding.slug for each in report.claims.pages for finding in each.findings]
        assert "expression-mostly-constant" in slugs
        assert "expression-mostly-constant" in str(to_json(report))
