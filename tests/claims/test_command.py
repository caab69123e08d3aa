"""`benchctl verify-claims` as CI calls it: what goes where, and with which exit code."""

import json
import subprocess
from pathlib import Path

import pytest
from lxml import etree

from benchctl.cli import exit_code

FALSE = "<!-- benchctl: run=r9 -->\n\n::error::{}<!--= count --> cells, ##[stop-commands]x.\n"
TRUE = "<!-- benchctl: run=r9 -->\n\n96<!--= count --> cells.\n"


@pytest.fixture
def bench(project, tmp_path, monkeypatch):
    """A project in a folder of a repository, with a false page and a true one, and the runs of the others."""
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    root = tmp_path / "bench"
    (root / "site").mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    (root / "benchctl.toml").write_text('title = "Claims"\n')
    (root / "data").symlink_to(project.root / "data")
    (root / "site" / "false.md").write_text(FALSE.format(97))
    (root / "site" / "true.md").write_text(TRUE)
    monkeypatch.chdir(root)
    return root


def call(*words):
    return exit_code(["verify-claims", *words])


@pytest.mark.usefixtures("bench")
def test_every_form_prints_one_whole_document(capsys):
    for form, read in {"json": json.loads, "sarif": json.loads, "junit": lambda text: etree.fromstring(text.encode())}.items():  # fmt: skip
        assert call("--format", form) == 1
        said = capsys.readouterr()
        read(said.out)
        assert said.err == "1 error on 1 page [claims-failed]\n"


def test_several_forms_are_written_in_one_verification(bench, capsys):
    files = {"sarif": "out/claims.sarif", "junit": "junit.xml", "json": "claims.json"}
    code = call("--format", "github", *(f"--write={form}={file}" for form, file in files.items()))
    assert code == 1
    out = capsys.readouterr().out
    assert out.startswith("::error file=bench/site/false.md,line=3,col=10,endColumn=12,title=number-false::")
    results = json.loads((bench / files["sarif"]).read_text())["runs"][0]["results"]
    assert [result["ruleId"] for result in results] == ["number-false"]
    assert json.loads((bench / files["json"]).read_text())["ok"] is False
    assert len(list(etree.parse(bench / files["junit"]).iter("failure"))) == 1
    assert sorted(path.name for path in bench.rglob(".*")) == []


@pytest.mark.usefixtures("bench")
def test_only_githubs_form_writes_the_summary_of_a_step(capsys, monkeypatch, tmp_path):
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    call("--format", "sarif")
    assert summary.read_text() == "before\n"
    call("--format", "github")
    assert summary.read_text().startswith("before\n### verify-claims: 1 error: 2 numbers on 2 pages\n")
    assert "the summary of this step" not in capsys.readouterr().err
    summary.write_text("x" * (1024 * 1024 - 100))
    call("--format", "github")
    assert len(summary.read_text()) == 1024 * 1024 - 100


@pytest.mark.usefixtures("bench")
def test_a_quiet_call_says_nothing_of_what_is_true(capsys):
    assert call("-q", "site/true.md") == 0
    assert capsys.readouterr().out == ""
    assert call("-q", "site/true.md", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["ok"] is True


@pytest.mark.usefixtures("bench")
def test_a_summary_that_cannot_be_written_fails_nothing(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))
    assert call("site/true.md", "--format", "github") == 0
    assert "the summary of this step cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["text", "json", "github", "sarif", "junit"])
def test_what_stops_the_command_is_a_whole_document_or_nothing(bench, capsys, form):
    (bench / "benchctl.toml").write_text("nonsense")
    old = bench / "old"
    old.write_text("of an earlier call")
    assert call("--format", form, f"--write={form}={old}") == 2
    said = capsys.readouterr()
    assert "[project-invalid]" in said.err
    if form in ("text", "json"):
        assert said.out == ""
        assert not old.exists()
    else:
        assert old.read_text() == said.out != ""
    if form == "github":
        assert said.out.startswith("::error title=verify-claims%3A project-invalid::")
        assert said.out.count("\n") == 1


STOPS = [
    (["--nope"], "option-invalid"),
    (["--project", "nope"], "option-invalid"),
    (["--project", "https://u:p@example.org/x"], "option-invalid"),
    (["--explain"], "option-invalid"),
    (["--fix", "--mutate"], "option-invalid"),
    (["--fix"], "option-invalid"),
    (["--write", "pdf=x"], "option-invalid"),
    (["--write", "text=benchctl.toml/x"], "system-error"),
]


@pytest.mark.parametrize(("words", "slug"), STOPS)
@pytest.mark.parametrize("after", [True, False])
def test_whatever_stops_the_command_is_said_in_every_form_that_was_asked_for(
    bench, capsys, monkeypatch, tmp_path, *, words, slug, after
):
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    (bench / "y.json").write_text("of an earlier call")
    asked = ["--format=github", "--write", "sarif=y.sarif", "--write=junit=y.xml", "--write", "json=y.json"]
    assert call(*([*asked, *words] if after or words[-1] == "--explain" else [*words, *asked])) == 2
    said = capsys.readouterr()
    assert f"[{slug}]" in said.err
    assert said.out.startswith(f"::error title=verify-claims%3A {slug}::")
    assert said.out.count("\n") == 1
    (run,) = json.loads((bench / "y.sarif").read_text())["runs"]
    assert run["invocations"][0]["toolExecutionNotifications"][0]["descriptor"] == {"id": slug}
    assert [error.get("type") for error in etree.parse(bench / "y.xml").iter("error")] == [slug]
    assert not (bench / "y.json").exists()
    assert summary.read_text().startswith("### verify-claims: not done")


@pytest.mark.usefixtures("bench")
def test_a_word_behind_the_last_option_is_no_option(capsys):
    assert call("--nope", "--", "--format", "github") == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("mode", [["--fix"], ["--mutate"], ["--explain", "97"]])
@pytest.mark.parametrize("form", ["github", "sarif", "junit"])
@pytest.mark.usefixtures("bench")
def test_a_mode_refuses_what_it_does_not_do(capsys, mode, form):
    assert call(*mode, "--format", form) == 2
    assert f"{mode[0]} prints no {form} [option-invalid]" in capsys.readouterr().err
    for words in (["--all"], ["--changed", "HEAD"], ["--touched"], ["--write", "json=x"]):
        assert call(*mode, *words) == 2
        assert f"{mode[0]} does not go with {words[0]} [option-invalid]" in capsys.readouterr().err


BAD_OPTIONS = [
    (["--write", "sarif"], "no form and file"),
    (["--write", "pdf=x"], "no form and file"),
    (["--write", "json="], "no form and file"),
    (["--write", "json=site"], "is a folder"),
    (["--write", "json=x", "--write", "sarif=x"], "is named twice"),
    (["--changed", "HEAD", "--touched", "site/true.md"], "both say what changed"),
    (["--touched"], "without a file"),
    (["--changed", "HEAD"], "is in no git work tree"),
    (["--format", "pdf"], "'pdf' is not one of"),
]


@pytest.mark.parametrize(("words", "what"), BAD_OPTIONS)
def test_options_that_cannot_be_meant_are_refused(bench, capsys, words, what):
    assert call(*words) == 2
    said = capsys.readouterr()
    assert what in said.err
    assert said.out == ""
    assert {path.name for path in bench.iterdir()} == {"benchctl.toml", "data", "site"}


TOUCHED = [
    # the edited files that a hook hands over, exit code, the pages that are checked
    (["site/true.md"], 0, ["site/true.md"]),
    (["site/false.md", "../README.md"], 1, ["site/false.md"]),
    (["../README.md", "CHANGELOG.md"], 0, []),  # no page of the policy, so nobody's business
    (["site/true.claims.toml"], 0, ["site/true.md"]),
    (["benchctl.toml"], 1, ["site/false.md", "site/true.md"]),
    (["claims.lock"], 1, ["site/false.md", "site/true.md"]),
    (["data/runs/r9/manifest.json"], 1, ["site/false.md", "site/true.md"]),
    (["data/runs/r8/manifest.json"], 0, []),
]


@pytest.mark.parametrize(("files", "code", "checked"), TOUCHED)
@pytest.mark.usefixtures("bench")
def test_a_hook_hands_over_what_was_edited(capsys, files, code, checked):
    for file in ("../README.md", "CHANGELOG.md"):
        Path(file).write_text("7 things\n")
    if "site/true.claims.toml" in files:
        Path(files[0]).write_text("")
    assert call("--touched", "--format", "json", *files) == code
    assert [page["path"] for page in json.loads(capsys.readouterr().out)["pages"]] == checked


@pytest.mark.usefixtures("bench")
def test_where_nothing_is_affected_every_form_says_so(capsys):
    for form in ("text", "json", "github", "sarif", "junit"):
        assert call("--touched", "CHANGELOG.md", "--format", form) == 0
        assert (
            "no page is affected by what changed since the last commit: 2 pages passed over"
            in capsys.readouterr().out
        )


@pytest.mark.usefixtures("bench")
def test_a_page_is_named_like_an_option_and_stays_a_page(capsys):
    Path("-q.md").write_text(TRUE)
    assert call("--", "-q.md") == 0
    assert "-q.md: run r9" in capsys.readouterr().out


@pytest.mark.usefixtures("bench")
def test_an_error_of_a_hostile_name_is_no_command(capsys):
    assert call("::error::x.md") == 2
    assert capsys.readouterr().err.startswith("\\u003a:error::x.md: cannot be read")


@pytest.mark.usefixtures("bench")
def test_a_document_has_the_time_of_its_source_where_one_is_given(capsys, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1764486000")
    call("--format", "junit")
    first = capsys.readouterr().out
    call("--format", "junit")
    assert capsys.readouterr().out == first
    assert 'timestamp="2025-11-30T07:00:00"' in first


def test_a_verification_since_a_commit(bench, capsys, tmp_path):
    (tmp_path / ".git").rmdir()
    for words in (["init", "-q"], ["add", "bench"], ["-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "x"]):  # fmt: skip
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    assert call("--changed", "HEAD") == 0
    (bench / "site" / "true.md").write_text(TRUE + "\nAnd more.\n")
    capsys.readouterr()
    assert call("--changed", "HEAD", "--format", "json") == 0
    assert [page["path"] for page in json.loads(capsys.readouterr().out)["pages"]] == ["site/true.md"]
    (bench / "site" / "true.md").write_text(TRUE.replace("96", "95"))
    assert call("--changed", "HEAD") == 1
