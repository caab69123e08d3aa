"""The terms of a run are all there, and what limits its figures is marked."""

from __future__ import annotations

from synthetic_run import DIGEST, Recipe, make_project, record

from benchctl.report.comparability import refusals, terms


def _terms(run, cells=()):
    return {term.name: term for term in terms(run, cells, DIGEST)}


def test_every_term_a_comparison_needs_is_named():
    found = _terms(record(Recipe()))
    assert list(found) == [
        "Run", "Data", "Suite", "Commit", "Plan", "Caps", "Attempts", "Sandbox", "Corpora", "Machine",
        "Failed cells", "Void cells",
    ]  # fmt: skip
    assert "seed 7" in found["Plan"].lines[0]
    assert "2 repetitions" in found["Plan"].lines[0]
    assert found["Caps"].lines == ("wall clock 60.0 s", "output 65,536 B")
    assert found["Corpora"].lines[0] == "click 1.2.3, 10 files, tree abababababab"


def test_what_limits_the_figures_is_marked():
    run = record(Recipe())
    found = _terms(run)
    assert found["Commit"].details == ("with uncommitted changes",)
    assert found["Sandbox"].details == ("open: network",)
    assert {name for name, term in found.items() if term.alarm} == {"Commit", "Sandbox"}
    clean = run.model_copy(update={"project_dirty": False, "probes": {}})
    assert not any(term.alarm for term in terms(clean, (), DIGEST))
    bare = run.model_copy(update={"project_commit": None, "sandbox": "none", "probes": {}})
    assert {term.name for term in terms(bare, (), None) if term.alarm} == {"Commit", "Data", "Sandbox"}


def test_a_cap_or_a_practice_corpus_without_a_word_of_its_own_is_still_shown():
    run = record(Recipe())
    corpus = run.corpora[0].model_copy(update={"practice": True, "version": None})
    found = _terms(run.model_copy(update={"caps": {"calls": 120}, "corpora": (corpus,)}))
    assert found["Caps"].lines == ("calls 120",)
    assert found["Corpora"].lines == ("click, 10 files, tree abababababab, practice only",)


def test_failed_and_void_cells_are_counted_by_outcome(tmp_path):
    project = make_project(tmp_path, Recipe(failed=True, void=True, questions=1))
    run = project.store.run("demo-r1")
    found = _terms(run.record, run.cells())
    assert found["Failed cells"].lines == ("1 of 18, counted with score 0: 1 timeout",)
    assert found["Void cells"].lines == ("1 of 18, left out of every figure: 1 host_stalled",)


def test_required_refusals_come_first():
    assert [refusal.required for refusal in refusals(record(Recipe()))] == [True, False]
