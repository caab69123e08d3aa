"""What leaves a run leaves it wholly, is named with its digest, and nothing else goes."""

import json
import os
import shutil

import duckdb
import pytest
from results_file import imported_run
from small_run import AT, evidence, plan, record, run_cell

from benchctl.cli import exit_code
from benchctl.errors import OptionInvalidError, SecretKeptError
from benchctl.schema.canonical import digest
from benchctl.schema.evidence import Stream
from benchctl.schema.grade import Fact, Grade
from benchctl.schema.run import GoldRecord
from benchctl.store.checking.verify import verify_run
from benchctl.store.disk.manifest import newest_manifest
from benchctl.store.reader import Store
from benchctl.store.writing import sighting
from benchctl.store.writing.corrections import append_voids
from benchctl.store.writing.generation import add_generation
from benchctl.store.writing.removal import drop_transcripts, droppable, erase
from benchctl.store.writing.secret import Secret
from benchctl.store.writing.sighting import sightings
from benchctl.store.writing.writer import RunWriter

CELLS = [cell.cell for cell in plan(3)]
KEY = 'sk-"ü\\1/2+3'
"""A secret that JSON, addresses and cell names all write in another way."""

NESTED = json.dumps({"line": json.dumps({"key": KEY})})


def collect(store, *, suite="", gold=("a",)):
    given = (GoldRecord(question="q1", digest=digest(list(gold)), items=len(gold)),)
    with RunWriter.create(
        store,
        record(cells=plan(3), suite=suite, gold=given, arms={"grep": {"argv": ["x", KEY]}}),
        suite_text=suite,
    ) as writer:
        for nth, cell in enumerate(writer.unfinished):
            if nth == 1:
                writer.claim(cell, AT)
                told = evidence(
                    cell,
                    answer=f"the key is {KEY}, really",
                    stdout=Stream(f"{NESTED}\n{KEY}\n", 99, 0, "c" * 64),
                    detail=json.dumps([KEY]),
                )
                facts = (Fact(KEY, "extra", NESTED),)
                writer.finish(told, Grade(0.5, "gold", answered=True, facts=facts, note=KEY))
            else:
                run_cell(writer, cell, 0.5)
        writer.gold("q1", gold)
        writer.close()
    return store.run("r1")


@pytest.fixture(scope="module")
def sealed(tmp_path_factory):
    return collect(
        Store(tmp_path_factory.mktemp("store")),
        suite=f"schema = 1\nkey = {json.dumps(KEY)}\n",
        gold=("a", KEY),
    )


@pytest.fixture
def run(sealed, tmp_path):
    shutil.copytree(sealed.path, tmp_path / "data" / "runs" / "r1")
    (tmp_path / "benchctl.toml").write_text("")
    return Store(tmp_path / "data").run("r1")


def texts(folder):
    """Yield every text of every file: the bytes of each, and every value of every column of a Parquet file."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path, path.read_bytes().decode("utf-8", "replace")
        if path.suffix == ".parquet":
            with duckdb.connect() as connection:
                for row in connection.execute("SELECT * FROM read_parquet(?)", [str(path)]).fetchall():
                    yield from ((path, str(value)) for value in row)
                kept = connection.execute("SELECT * FROM parquet_kv_metadata(?)", [str(path)]).fetchall()
                yield path, str(kept)


def forms(text):
    """Return the ways to write a text that this test knows of, found otherwise than the code finds them."""
    once = json.dumps(text, ensure_ascii=False)[1:-1]
    return {text, once, json.dumps(text)[1:-1], json.dumps(once)[1:-1], text.split("/")[0]}


def holding(folder, text=KEY):
    return sorted({path.name for path, said in texts(folder) if any(form in said for form in forms(text))})


def test_transcripts_go_and_their_digests_stay(run):
    was = run.manifest.files["evidence/transcripts.parquet"]
    made = drop_transcripts(run.layout, "room").after
    assert made.removed["evidence/transcripts.parquet"].sha256 == was.sha256
    assert made.data == run.data_digest  # transcripts are in no data digest
    assert verify_run(run.path, "texts") == []
    again = Store(run.path.parents[1]).run("r1")
    assert [row["stdout_sha256"] for row in again.attempts(CELLS[1])] == ["c" * 64]
    assert again.transcripts(CELLS[1]) == []
    assert again.rows("transcripts") == []
    assert droppable(made) is None
    assert drop_transcripts(run.layout, "room").after == made


def test_the_control_finds_the_secret_everywhere_before_it_is_erased(run):
    assert holding(run.path) == [
        "attempts.parquet",
        "cells.parquet",
        "g0001.parquet",
        "gold.json",
        "run.json",
        "suite.toml",
        "transcripts.parquet",
    ]


def test_after_an_erasure_the_secret_is_nowhere_and_a_tombstone_says_so(run):
    append_voids(run, [{"cell": CELLS[0], "void": True, "why": f"it printed {KEY}", "noted_at": AT}])
    before = newest_manifest(run.layout)
    _, made, found = erase(run.layout, Secret.of(f"{KEY}\n", 'a "leaked" key'))
    assert holding(run.path) == []
    assert {each.name for each in found} == made.removed.keys()
    assert {name: entry.sha256 for name, entry in made.removed.items()} == {
        name: before.files[name].sha256 for name in made.removed
    }
    assert all(entry.why == 'erased: a "leaked" key' for entry in made.removed.values())
    assert made.data != before.data
    assert verify_run(run.path, "texts") == []
    again = Store(run.path.parents[1]).run("r1")
    assert again.cell(CELLS[1])["answer"] == 'the key is [erased: a "leaked" key], really'
    (facts,) = [json.loads(row["facts"]) for row in again.grades(CELLS[1])]
    assert facts[0]["id"] == '[erased: a "leaked" key]'
    assert json.loads(json.loads(facts[0]["note"])["line"])["key"] == '[erased: a "leaked" key]'
    assert again.record.arms == {"grep": {"argv": ["x", '[erased: a "leaked" key]']}}
    assert again.gold() == {"q1": ("a", '[erased: a "leaked" key]')}
    assert again.rows("voids")[0]["why"] == 'it printed [erased: a "leaked" key]'
    assert again.transcripts(CELLS[1])[1]["total_bytes"] == 99
    assert "r1" in again.layout.folder.name
    assert Store(run.path.parents[1]).names() == ("r1",)


def test_an_erased_run_can_be_added_to_and_erased_again(run):
    erase(run.layout, Secret.of(KEY, "one"))
    add_generation(run.layout, {"a": b""})
    append_voids(
        Store(run.path.parents[1]).run("r1"), [{"cell": CELLS[0], "void": True, "why": "x", "noted_at": AT}]
    )
    _, made, found = erase(run.layout, Secret.of("[erased: one]", "two"))
    assert "rows/cells-0005.parquet" in made.files
    assert "rows/cells-0002.parquet" in made.removed
    assert found
    assert verify_run(run.path, "texts") == []
    assert "[erased: two]" in Store(run.path.parents[1]).run("r1").cell(CELLS[1])["answer"]


def test_what_does_not_occur_erases_nothing(run):
    _, made, found = erase(run.layout, Secret.of("not in there", "why"))
    assert (made, found) == (run.manifest, [])
    assert not run.layout.journal.exists()


def test_a_death_before_the_files_are_gone_is_called_what_it_is_and_finished(run):
    kept = (run.path / "rows/cells.parquet").read_bytes()
    erase(run.layout, Secret.of(KEY, "why"))
    (run.path / "rows/cells.parquet").write_bytes(kept)
    (damage,) = verify_run(run.path)
    assert "was removed" in damage.what
    add_generation(run.layout, {"a": b""})
    assert holding(run.path) == []
    assert verify_run(run.path) == []


@pytest.fixture
def imported(tmp_path):
    remarks = [None, "plain", f"used {KEY} here"]
    return imported_run(Store(tmp_path / "data"), "imp", {"remark": ("VARCHAR", remarks)})


def test_the_copy_of_an_imported_file_goes_whole(imported):
    path = imported.path / "evidence/source.csv"
    data = json.loads(imported.layout.record.read_bytes())
    text = f"tool,remark\nrg,used {KEY} here\n".encode()
    path.write_bytes(text)
    from dataclasses import replace

    from benchctl.schema.canonical import sha256_hex
    from benchctl.store.disk.entries import file_entry

    data["imported"] |= {"sha256": sha256_hex(text), "bytes": len(text)}
    imported.layout.record.write_text(json.dumps(data))
    files = {**imported.manifest.files, "evidence/source.csv": file_entry(path)}
    files["run.json"] = file_entry(imported.layout.record)
    imported.layout.manifest().write_bytes(replace(imported.manifest, files=files).to_bytes())
    assert verify_run(imported.path) == []
    _, made, found = erase(imported.layout, Secret.of(KEY, "why"))
    assert {each.name: each.whole for each in found} == {
        "evidence/source.csv": True,
        "rows/foreign.parquet": False,
    }
    assert made.current("evidence/source.csv") is None
    assert made.file_of("foreign") == "rows/foreign-0002.parquet"
    assert holding(imported.path) == []
    assert verify_run(imported.path, "texts") == []


def test_a_column_that_is_called_the_secret_is_refused_and_nothing_changes(tmp_path):
    run = imported_run(Store(tmp_path), "imp", {"secret_name": ("BIGINT", [1])})
    with pytest.raises(SecretKeptError, match="name of a column"):
        erase(run.layout, Secret.of("secret_name", "why"))
    assert newest_manifest(run.layout) == run.manifest
    assert verify_run(run.path) == []


def test_a_file_that_was_changed_is_not_erased_from(run):
    path = run.path / "rows/attempts.parquet"
    path.write_bytes(path.read_bytes()[:-1])
    from benchctl.errors import StoreDamagedError

    with pytest.raises(StoreDamagedError):
        sightings(run.layout, run.manifest, Secret.of(KEY, "why"))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("short", "why"),
        ("      \n", "why"),
        ("long enough", " "),
        ("long enough", "a\nb"),
        ("secret", "my secret"),
        ('a"b"c"d', "it was a%22b%22c%22d"),
        ("erased: x", "erased: x"),
        ("erased", "why"),
        ("timeout", "why"),
        ("stdout", "why"),
        ("contains", "why"),
        ("long enough", "\u200b"),
        ("long enough", "x" * 1001),
    ],
)
def test_a_text_that_cannot_be_meant_is_refused(text, why):
    with pytest.raises(OptionInvalidError):
        Secret.of(text, why)


def benchctl(run, *words):
    return exit_code(["gc", *words, "--project", str(run.path.parents[2])])


def test_the_command_says_what_it_would_do_and_does_it_with_yes(run, capsys):
    assert benchctl(run) == 0
    assert "would drop evidence/transcripts.parquet" in capsys.readouterr().out
    assert newest_manifest(run.layout) == run.manifest
    assert benchctl(run, "r1", "--yes", "--why", "room", "--format", "json") == 0
    output = json.loads(capsys.readouterr().out)
    assert (
        output["runs"][0]["files"][0]["sha256"] == run.manifest.files["evidence/transcripts.parquet"].sha256
    )
    assert output["runs"][0]["generation"] == 2
    assert benchctl(run, "--yes") == 0
    assert capsys.readouterr() == ("", "nothing to remove\n")


def test_readers_say_that_the_transcripts_are_gone(run, capsys):
    root = str(run.path.parents[2])
    assert benchctl(run, "--yes", "--why", "no room") == 0
    capsys.readouterr()
    assert exit_code(["show", "r1", CELLS[1], "--project", root]) == 0
    assert "transcripts of run r1 are gone: no room" in capsys.readouterr().out
    assert exit_code(["query", "select * from transcripts", "--format", "json", "--project", root]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out) == []
    assert "transcripts of run r1 are gone: no room" in err


def test_older_than_counts_from_the_start_of_the_run(run, capsys):
    assert benchctl(run, "--older-than", "36500") == 0
    assert capsys.readouterr().out == ""


def test_the_command_erases_a_text_that_is_read_from_a_file(run, tmp_path, capsys):
    (tmp_path / "secret").write_text(KEY + "\n")
    erasing = ("r1", "--erase", str(tmp_path / "secret"), "--why", "leaked")
    assert benchctl(run, *erasing) == 0
    assert "would replace rows/cells.parquet" in capsys.readouterr().out
    assert holding(run.path) != []
    assert benchctl(run, *erasing, "--yes") == 0
    out, err = capsys.readouterr()
    assert "replaced run.json" in out
    assert "rewrite the history" in err
    assert holding(run.path) == []
    assert benchctl(run, *erasing, "--yes") == 1
    assert "secret-not-found" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("--erase", "FILE", "--why", "x"), "needs the runs to be named"),
        (("r1", "--erase", "FILE"), "needs --why"),
        (("none",), "no run 'none'"),
        (("r1", "--erase", "BINARY", "--why", "x"), "not UTF-8"),
    ],
)
def test_the_command_refuses_half_a_wish(run, tmp_path, capsys, words, what):
    (tmp_path / "FILE").write_text("long enough")
    (tmp_path / "BINARY").write_bytes(b"\xff\xfe\x00long enough")
    named = [str(tmp_path / word) if word in ("FILE", "BINARY") else word for word in words]
    assert benchctl(run, *named) == 2
    assert what in capsys.readouterr().err


def test_an_open_run_is_refused_with_what_to_do(tmp_path, capsys):
    (tmp_path / "benchctl.toml").write_text("")
    (tmp_path / "secret").write_text("long enough")
    with RunWriter.create(Store(tmp_path / "data"), record(cells=plan(2))):
        pass
    for words in (("r1",), ("r1", "--erase", str(tmp_path / "secret"), "--why", "x")):
        assert exit_code(["gc", *words, "--project", str(tmp_path)]) == 3
        assert "closes it" in capsys.readouterr().err.replace("close it first", "closes it")


LINES = "first-half\r\nsecond-half"


@pytest.mark.parametrize("asked", [LINES, LINES.replace("\r\n", "\n"), LINES + "\n", LINES + "\r\n"])
@pytest.mark.parametrize("kept", [LINES, LINES.replace("\r\n", "\n")])
def test_a_secret_of_several_lines_is_found_with_either_line_end(asked, kept):
    secret = Secret.of(asked, "why")
    nested = json.dumps(json.dumps(kept))
    for text in (kept, json.dumps(kept), nested, f'"{kept}"'):
        assert secret.occurrences(text) == 1, text
        assert "half" not in secret.replaced(text)
        assert secret.is_in_bytes(text.encode("utf-16-le"))
    assert json.loads(json.loads(secret.replaced(nested))) == "[erased: why]"


def test_the_bytes_of_the_file_are_the_secret(run, tmp_path, capsys):
    """A reader of text would make one line end of both kinds, and look for another secret."""
    void = {"cell": CELLS[0], "void": True, "why": "x", "noted_at": AT}
    append_voids(run, [{**void, "why": f"it was {KEY}"}])
    (tmp_path / "secret").write_bytes(KEY.encode() + b"\r\n")
    assert benchctl(run, "r1", "--erase", str(tmp_path / "secret"), "--why", "x", "--yes") == 0
    assert holding(run.path) == []
    (tmp_path / "secret").write_bytes(b"carriage\rreturn")
    append_voids(
        Store(run.path.parents[1]).run("r1"), [{**void, "cell": CELLS[1], "why": "a carriage return"}]
    )
    assert benchctl(run, "r1", "--erase", str(tmp_path / "secret"), "--why", "x") == 1
    assert "secret-not-found" in capsys.readouterr().err


def refused(run, text, what, why="why"):
    """An erasure is refused, when it is looked for and when it is done, and not a byte of the run is another."""
    before = {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()}
    newest = newest_manifest(run.layout)
    for attempt in (
        lambda secret: sightings(run.layout, newest, secret),
        lambda secret: erase(run.layout, secret),
    ):
        with pytest.raises(SecretKeptError, match=what) as error:
            attempt(Secret.of(text, why))
        assert "nothing was changed" in error.value.next_step
    assert {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()} == before


def test_a_secret_in_an_earlier_reason_stays_in_the_chain_and_is_refused(run):
    erase(run.layout, Secret.of(KEY, "beside LEAKED-KEY-1"))
    refused(run, "LEAKED-KEY-1", "the text stands in a manifest")
    assert holding(run.path, "LEAKED-KEY-1") != []
    add_generation(run.layout, {"a": b""})
    refused(run, "LEAKED-KEY-1", "the text stands in a manifest")


@pytest.mark.parametrize("text", ["prices", "tables/", "manifest", "sha256:", "generation"])
def test_a_name_of_a_file_or_a_word_of_the_manifest_is_refused(imported, text):
    (imported.path / "tables").mkdir()
    add_generation(imported.layout, {"tables/prices.source.csv": b"x"})
    refused(imported, text, "the text stands in a manifest")


@pytest.mark.parametrize("text", ["created_at", "question", "suite_title"])
def test_what_the_record_is_read_by_is_refused(run, text):
    kept = "name of a column" if text == "question" else "what the run is read by"
    before = newest_manifest(run.layout)
    with pytest.raises(SecretKeptError, match=kept):
        erase(run.layout, Secret.of(text, "why"))
    assert newest_manifest(run.layout) == before
    assert verify_run(run.path) == []


def test_a_file_that_is_not_the_runs_is_looked_into_and_named(run):
    (run.path / "notes.txt").write_text("my LEAKED-KEY-1")
    refused(run, "LEAKED-KEY-1", "a file that is not the run's")


def test_a_number_has_no_place_for_a_tombstone(tmp_path):
    run = imported_run(Store(tmp_path), "imp", {"pin": ("BIGINT", [123456789, None])})
    refused(run, "123456789", "a column of numbers")
    assert sightings(run.layout, run.manifest, Secret.of("12345678", "why")) == []


def test_the_copy_of_a_file_goes_with_its_rows_however_it_writes_them(imported):
    """The copy here holds no form of the secret that anybody could look for, and its rows do."""
    made = erase(imported.layout, Secret.of(KEY, "why"))
    assert {each.name: each.whole for each in made.found} == {
        "evidence/source.csv": True,
        "rows/foreign.parquet": False,
    }


def test_of_several_runs_none_is_changed_where_one_has_to_be_refused(run, tmp_path, capsys):
    other = imported_run(Store(tmp_path / "data"), "imp", {"remark": ("VARCHAR", [KEY])})
    (other.path / "stray").write_text(KEY)
    (tmp_path / "secret").write_text(KEY)
    assert benchctl(run, "r1", "imp", "--erase", str(tmp_path / "secret"), "--why", "x", "--yes") == 3
    assert "[secret-kept]" in capsys.readouterr().err
    assert newest_manifest(run.layout) == run.manifest


def test_what_is_said_to_be_erased_is_what_was_though_somebody_added_meanwhile(
    run, tmp_path, capsys, monkeypatch
):
    real, asked = sighting.sightings, []

    def overtaken(layout, manifest, secret):
        found = real(layout, manifest, secret)
        if not asked:
            asked.append(1)
            void = {"cell": CELLS[0], "void": True, "why": f"it printed {KEY}", "noted_at": AT}
            append_voids(Store(run.path.parents[1]).run("r1"), [void])
        return found

    monkeypatch.setattr(sighting, "sightings", overtaken)
    (tmp_path / "secret").write_text(KEY)
    words = ("r1", "--erase", str(tmp_path / "secret"), "--why", "x", "--yes", "--format", "json")
    assert benchctl(run, *words) == 0
    (said,) = json.loads(capsys.readouterr().out)["runs"]
    assert "rows/voids-0002.parquet" in [each["path"] for each in said["files"]]
    assert said["generation"] == 3
    assert holding(run.path) == []


def test_the_secret_is_read_from_a_regular_file_alone(run, tmp_path, capsys):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "big").write_bytes(b"x" * (1024 * 1024 + 1))
    for name, what in (
        (tmp_path / "pipe", "not a regular file"),
        ("/dev/zero", "not a regular file"),
        (tmp_path / "big", "bytes"),
    ):
        assert benchctl(run, "r1", "--erase", str(name), "--why", "x") == 2
        assert what in capsys.readouterr().err


def test_a_reason_that_says_nothing_drops_nothing(run, capsys):
    assert benchctl(run, "--yes", "--why", "\u200b") == 2
    assert "--why says nothing" in capsys.readouterr().err
    assert newest_manifest(run.layout) == run.manifest
