"""The file beside a page: its own values, its ratchet, its policy, and everything that can be wrong with it."""

import os

import pytest

from benchctl.claims.examine import Examiner
from benchctl.claims.lock import read_lock, write_lock
from benchctl.claims.verify import accept, verify_pages, verify_text
from benchctl.errors import LockInvalidError
from benchctl.store.project import Project

HEAD = "<!-- benchctl: run=r9 -->\n\n"


@pytest.fixture
def bench(project, tmp_path):
    """A project with the runs of the others, and `page.md` in it."""
    (tmp_path / "benchctl.toml").write_text(
        '[values]\n"tok(a)" = "total_tokens.median[arm=$a]"\ncells = "count"\n'
    )
    (tmp_path / "data").symlink_to(project.root / "data")
    (tmp_path / "page.md").write_text(HEAD)
    return Project.find(tmp_path)


@pytest.fixture
def findings(bench):
    """Return a function from what stands beside a page, and its text, to what is found."""

    def found(beside, text, name="page.claims.toml", **more):
        (bench.root / name).write_bytes(beside if isinstance(beside, bytes) else beside.encode())
        return verify_text(bench, "page.md", HEAD + text, **more).findings

    return found


def slugs(found):
    return [item.slug for item in found]


@pytest.mark.parametrize("name", ["page.claims.toml", "page.md.claims.toml"])
def test_a_page_has_values_of_its_own(findings, name):
    values = (
        '[values]\n"of(a)" = "count[arm=$a]"\nall = { sql = "select count(*) from cells", kind = "count" }\n'
    )
    values = values.replace("all =", "whole =")
    assert (
        findings(values, "24<!--= of(grep) --> of 96<!--= whole -->, in all 96<!--= cells -->.\n", name) == ()
    )


def test_its_values_may_use_the_projects_and_not_the_other_way_round(bench):
    (bench.root / "benchctl.toml").write_text('[values]\ncells = "count"\ndouble = "cells * 2"\n')
    project = Project.find(bench.root)
    (bench.root / "page.claims.toml").write_text(
        '[values]\ncells = "count[arm=grep]"\ntriple = "cells + double"\n'
    )
    text = f"{HEAD}24<!--= cells -->, 192<!--= double -->, 216<!--= triple -->.\n"
    found = verify_text(project, "page.md", text).findings
    assert slugs(found) == ["value-hidden"]  # once, and 192 is twice the project's
    assert found[0].severity == "note"
    assert found[0].message == "page.claims.toml:2: `cells` is another value here than benchctl.toml:2 says"


def test_the_same_value_again_is_not_noted(findings):
    assert findings('[values]\ncells = { expr = "count", note = "all" }\n', "96<!--= cells -->\n") == ()


def test_another_pages_values_are_none_of_this_page(bench):
    (bench.root / "a.claims.toml").write_text('[values]\nown = "count"\n')
    examiner = Examiner.of(bench)
    assert verify_text(bench, "a.md", f"{HEAD}96<!--= own -->\n", examiner=examiner).findings == ()
    found = verify_text(bench, "b.md", f"{HEAD}96<!--= own -->\n", examiner=examiner).findings
    assert slugs(found) == ["column-unknown"]
    assert verify_text(bench, "a.md", f"{HEAD}96<!--= own -->\n", examiner=examiner).findings == ()


@pytest.mark.parametrize(
    ("beside", "places"),
    [
        ("valeus = 1\n", ["page.claims.toml:1: valeus"]),
        ("max_unbound = -1\n", ["page.claims.toml:1: max_unbound"]),
        ("max_unbound = true\n", ["page.claims.toml:1: max_unbound"]),
        ('errors = ["everything"]\n', ["page.claims.toml:1: errors"]),
        ("[values]\nx = 3\ny = { }\n", ["page.claims.toml:2: values.x", "page.claims.toml:3: values.y"]),
        ('[values]\nx = { expr = "count", sql = "select 1" }\n', ["page.claims.toml:2: values.x"]),
        ('[values]\nx = { expr = "count", units = "s" }\n', ["page.claims.toml:2: values.x"]),
        ('[values]\nx = "count +"\n"y(" = "count"\n', ["page.claims.toml:2: the value `x`", "page.claims.toml:3: `y(` does not"]),
        ('[values]\n"x(a)" = { sql = "select 1 from cells" }\n', ["page.claims.toml:2: the value `x`: its SQL does not say $a"]),
        ('[values]\nx = { sql = " " }\n', ["page.claims.toml:2: the value `x`: 0 characters of SQL"]),
        ('[values]\nratio = "count"\n', ["page.claims.toml:2: `ratio` is a word of the language"]),
        ("x = [\n", ["page.claims.toml:1: not TOML"]),
        (b"# \xff\n", ["page.claims.toml:1: not UTF-8"]),
        ("x = " + "[" * 3000, ["page.claims.toml:1: not TOML"]),
    ],
)  # fmt: skip
def test_what_is_wrong_with_the_file_is_a_finding_with_its_line(findings, beside, places):
    found = findings(beside, "96<!--= cells -->\n")
    assert [item.severity for item in found] == ["error"] * len(places)
    for item, place in zip(found, places, strict=True):
        assert item.message.startswith(place)
        assert item.next_step
        assert "\n" not in item.message


def test_two_files_are_one_too_many(findings, bench):
    (bench.root / "page.md.claims.toml").write_text("")
    assert slugs(findings("", "96<!--= cells -->\n")) == ["page-file-invalid"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_a_file_that_cannot_be_read_is_a_finding(bench):
    (bench.root / "page.claims.toml").touch(mode=0)
    assert "cannot be read" in verify_text(bench, "page.md", f"{HEAD}96<!--= cells -->\n").findings[0].message


def test_a_folder_of_that_name_is_a_finding(bench):
    (bench.root / "page.claims.toml").mkdir()
    assert "cannot be read" in verify_text(bench, "page.md", f"{HEAD}96<!--= cells -->\n").findings[0].message


@pytest.mark.parametrize("path", ["nowhere/page.md", "", ".", "a\0b.md", "<stdin>", "../x/page.md"])
def test_a_page_that_is_no_file_has_nothing_beside_it(bench, path):
    assert verify_text(bench, path, f"{HEAD}96<!--= cells -->\n").findings == ()


def test_a_value_that_the_page_does_not_use(findings):
    beside = '[values]\nused = "count"\ninner = "count"\nouter = "inner + 1"\nself = "self"\n'
    found = findings(beside, "96<!--= used -->\n")
    assert [item.message for item in found] == [
        "page.claims.toml:4: nothing on this page uses `outer`",
        "page.claims.toml:5: nothing on this page uses `self`",
    ]
    assert {(item.slug, item.verdict, item.severity) for item in found} == {
        ("value-unused", "vacuous", "error")
    }


def test_a_binding_that_cannot_be_read_may_have_used_it(findings):
    found = findings('[values]\nused = "count"\nother = "count"\n', "96<!--claims: 96 = used -->\n")
    assert "marker-malformed" in slugs(found)
    assert [item.message for item in found if item.slug == "value-unused"] == [
        "page.claims.toml:3: nothing on this page uses `other`"
    ]


def test_a_value_that_is_called_wrongly_is_no_unused_one(findings):
    assert slugs(findings('[values]\n"x(a)" = "count[arm=$a]"\n', "96<!--= x -->\n")) == ["value-invalid"]


def test_its_policy_adds_to_the_projects(findings):
    text = "0.7<!--= score.mean[arm=graphify] --> or "
    found = findings('errors = ["slack"]\n', "at least 3<!--= count -->\n")
    assert [(item.slug, item.severity) for item in found] == [("bound-slack", "error")], text


def test_sql_of_a_changed_page_file_is_not_run(findings, bench, monkeypatch):
    from benchctl.store.measuring import question

    beside = '[values]\nwhole = { sql = "select count(*) from cells" }\n'
    text = "96<!--= whole -->\n"
    assert findings(beside, text) == ()
    examiner = Examiner.of(bench, changed=frozenset({"page.md", "benchctl.toml"}))
    assert findings(beside, text, examiner=examiner) == ()
    monkeypatch.setattr(question, "measure_sql", None)
    examiner = Examiner.of(bench, changed=frozenset({"page.claims.toml"}))
    assert slugs(findings(beside, text, examiner=examiner)) == ["sql-untrusted"]


def test_a_page_that_takes_itself_out_has_nothing_beside_it(bench):
    (bench.root / "page.claims.toml").write_text("max_unbound = 3\n")
    text = "---\nbenchctl: none\nreason: the manual\n---\n# Title\n"
    assert slugs(verify_text(bench, "page.md", text).findings) == ["page-excluded-bound"]


def test_a_page_with_a_file_beside_it_means_to_be_checked(bench):
    (bench.root / "README.md").write_text(f"{HEAD}96<!--= cells -->, {{}}<!--= tok(grep) -->\n")
    (bench.root / "site").mkdir()
    (bench.root / "site" / "x.md").write_text("# 12 things\n")
    assert verify_pages(bench).undeclared == ("site/x.md",)
    (bench.root / "site" / "x.claims.toml").write_text("")
    assert "page-undeclared" in [item.slug for page in verify_pages(bench).pages for item in page.findings]


class TestRatchet:
    TEXT = "1234, 5678 and 91011 things; 96<!--= cells --> cells\n"

    def test_without_one_every_unbound_number_is_an_error(self, findings):
        assert [(item.slug, item.severity) for item in findings("", self.TEXT)] == [
            ("number-unbound", "error")
        ] * 3

    def test_as_many_as_it_allows_are_notes(self, findings):
        found = findings("max_unbound = 3\n", self.TEXT)
        assert [(item.slug, item.severity) for item in found] == [("number-unbound", "note")] * 3

    def test_one_more_and_all_are_errors(self, findings):
        found = findings("max_unbound = 2\n", self.TEXT)
        broken, *unbound = found
        assert [(item.slug, item.severity) for item in unbound] == [("number-unbound", "error")] * 3
        assert (broken.slug, broken.verdict, broken.severity) == ("ratchet-broken", "unbound", "error")
        assert broken.message == "page.claims.toml:1: max_unbound is 2, and the page leaves 3 numbers unbound"
        assert broken.next_step.startswith("bind 1 of them")

    def test_fewer_are_a_warning_that_says_how_few(self, findings):
        (found,) = (item for item in findings("max_unbound = 5\n", self.TEXT) if item.slug == "ratchet-loose")
        assert (found.severity, found.next_step) == ("warning", "lower it to 3")
        assert found.message == "page.claims.toml:1: max_unbound is 5, and the page leaves 3 numbers unbound"
        (found,) = findings("max_unbound = 5\n", "96<!--= cells -->\n")
        assert found.next_step == "remove it"

    def test_benchctl_toml_may_say_it_for_a_page(self, bench):
        (bench.root / "benchctl.toml").write_text(
            '[values]\ncells = "count"\n[claims.max_unbound]\n"page.md" = 3\n'
        )
        project = Project.find(bench.root)
        report = verify_text(project, "page.md", HEAD + self.TEXT)
        assert report.ok
        assert report.max_unbound == 3
        assert not verify_text(project, "other.md", HEAD + self.TEXT).ok
        (bench.root / "page.claims.toml").write_text("max_unbound = 2\n")
        assert not verify_text(project, "page.md", HEAD + self.TEXT).ok

    def accepted(self, bench, limit, text=TEXT):
        (bench.root / "page.claims.toml").write_text(f"max_unbound = {limit}\n" if limit is not None else "")
        (bench.root / "page.md").write_text(HEAD + text)
        report = verify_pages(bench, [bench.root / "page.md"])
        accept(bench, report)
        return report.ok

    def test_it_can_only_fall(self, bench):
        assert self.accepted(bench, 4)
        assert read_lock(bench.root).unbound == {"page.md": 4}
        assert self.accepted(bench, 3)
        assert read_lock(bench.root).unbound == {"page.md": 3}
        assert self.accepted(bench, 3)
        assert not self.accepted(bench, 4)  # raised again, and with it not accepted
        assert read_lock(bench.root).unbound == {"page.md": 3}
        report = verify_pages(bench, [bench.root / "page.md"]).pages[0]
        (found,) = (item for item in report.findings if item.severity == "error")
        assert found.slug == "ratchet-raised"
        assert found.message == "page.claims.toml:1: max_unbound is 4, and 3 was accepted"

    def test_once_removed_it_does_not_come_back(self, bench):
        assert self.accepted(bench, 3)
        assert self.accepted(bench, None, "96<!--= cells -->\n")
        assert read_lock(bench.root).unbound == {"page.md": 0}
        assert not self.accepted(bench, 3)

    def test_a_page_without_one_is_not_in_the_lock(self, bench):
        assert self.accepted(bench, None, "96<!--= cells -->\n")
        assert "unbound" not in (bench.root / "claims.lock").read_text()

    def test_a_page_that_fails_keeps_what_was_accepted(self, bench):
        assert self.accepted(bench, 3)
        assert not self.accepted(bench, 2)
        assert read_lock(bench.root).unbound == {"page.md": 3}

    @pytest.mark.parametrize("unbound", ["[]", '{"x": -1}', '{"x": true}', '{"x": "1"}', "3"])
    def test_a_lock_that_says_something_else_is_refused(self, bench, unbound):
        (bench.root / "claims.lock").write_text(
            f'{{"schema": "benchctl.lock/1", "pages": {{}}, "unbound": {unbound}}}'
        )
        with pytest.raises(LockInvalidError):
            read_lock(bench.root)

    def test_the_lock_never_rises_whoever_writes_it(self, tmp_path):
        write_lock(tmp_path, {}, {"a": 3, "b": 1})
        write_lock(tmp_path, {}, {"a": 5, "c": 2})
        write_lock(tmp_path, {"a": {"r": "d"}})
        assert read_lock(tmp_path).unbound == {"a": 3, "b": 1, "c": 2}


class TestScope:
    @pytest.mark.parametrize(
        ("where", "slug"),
        [
            ("agent=claude", None),
            ("agent=clude", "scope-empty"),
            ("agent=claude, wall_s>99999", "scope-empty"),
            ("agnt=claude", "column-unknown"),
        ],
    )
    def test_a_where_that_no_row_meets(self, bench, where, slug):
        text = f'<!-- benchctl: run=r9 where="{where}" -->\n\n24<!--= count[agent=claude, wall_s>0, arm=grep] --> x\n'
        found = [item for item in verify_text(bench, "page.md", text).findings if item.line == 1]
        assert slugs(found) == ([slug] if slug else [])

    def test_a_section_whose_where_no_row_meets(self, bench):
        text = (
            f'{HEAD}96<!--= cells -->\n\n## Later\n\n<!-- benchctl: run=r8 where="arm=nobody" -->\n\nText.\n'
        )
        (found,) = verify_text(bench, "page.md", text).findings
        assert (found.slug, found.line) == ("scope-empty", 7)
        assert found.message.startswith("run r8 has nothing under `where: arm=nobody`: ")

    def test_a_run_that_nothing_speaks_of_is_listed_with_all(self, bench):
        text = "<!-- benchctl: run=r9 also=r8,r7 -->\n\n96<!--= count@r8 --> is 96<!--= count -->\n"
        assert verify_text(bench, "page.md", text).findings == ()
        found = verify_text(bench, "page.md", text, show_all=True).findings
        assert [item.message for item in found if item.slug == "run-unused"] == [
            "nothing on this page speaks of r7"
        ]
