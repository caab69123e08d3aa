import json
import os
import zlib
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.errors import StoreDamagedError, StoreUnwritableError
from benchctl.store.journals import lines as lines_module
from benchctl.store.journals.following import refuse_damage
from benchctl.store.journals.journal import Journal, journals
from benchctl.store.journals.lines import (
    decode,
    encode,
    lines_after_damage,
    read_line,
    read_texts,
    read_valid_prefix,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
EVENTS = st.dictionaries(st.text(st.characters(codec="utf-8")), JSON, max_size=4)


def events(path):
    return [line.event for line in read_valid_prefix(path)]


@pytest.fixture
def journal(tmp_path):
    with Journal(tmp_path) as journal:
        for number in range(5):
            journal.append({"n": number, "text": "é\n\0"})
    return journal.path


@given(EVENTS)
def test_an_event_reads_back_as_it_was(event):
    try:
        line = encode(event)
    except UnicodeEncodeError:  # a lone surrogate: rows.evidence_json has replaced those
        return
    assert line.count(b"\n") == 1
    assert decode(line) == json.loads(json.dumps(event))


@given(EVENTS, st.data())
def test_a_line_with_one_flipped_bit_is_no_line(event, data):
    try:
        line = bytearray(encode(event))
    except UnicodeEncodeError:
        return
    bit = data.draw(st.integers(0, len(line) * 8 - 1))
    line[bit // 8] ^= 1 << bit % 8
    assert decode(bytes(line)) is None


def test_every_flip_of_every_bit_of_a_line_is_seen():
    line = encode({"event": "end", "n": 1.5, "text": "é"})
    for bit in range(len(line) * 8):
        damaged = bytearray(line)
        damaged[bit // 8] ^= 1 << bit % 8
        assert decode(bytes(damaged)) is None, bit


def test_a_journal_cut_at_any_byte_gives_its_whole_lines(journal):
    whole = journal.read_bytes()
    ends = [index + 1 for index, byte in enumerate(whole) if byte == ord("\n")]
    for cut in range(len(whole) + 1):
        journal.write_bytes(whole[:cut])
        assert len(events(journal)) == sum(end <= cut for end in ends), cut


@pytest.mark.parametrize(
    "tail",
    [
        b"\0" * 4096,
        b"\n",
        b"\n\n\n",
        bytes(range(128, 228)),
        b'{"c":"00000000","r":{}}\n',
        b"{}\n",
        b'{"n": 5}\n',
        b"\xff",
    ],
    ids=["zeroes", "newline", "newlines", "dice", "wrong sum", "no sum", "bare event", "byte"],
)
def test_a_tail_that_is_no_line_is_dropped(journal, tail):
    with journal.open("ab") as file:
        file.write(tail)
    assert [event["n"] for event in events(journal)] == [0, 1, 2, 3, 4]


def test_a_torn_tail_is_never_glued_to_what_a_resumed_writer_appends(journal, tmp_path):
    journal.write_bytes(journal.read_bytes()[:-3])
    with Journal(tmp_path) as resumed:
        resumed.append({"n": 9})
    assert [[event["n"] for event in events(path)] for path in journals(tmp_path)] == [[0, 1, 2, 3], [9]]


def test_a_line_with_a_right_sum_of_what_is_no_event_is_no_line():
    for body in (b"{", b"[]", b"1", b"\xff"):
        assert decode(b'{"c":"%08x","r":%b}\n' % (zlib.crc32(body), body)) is None


def test_places_lead_back_to_the_events(journal):
    lines = list(read_valid_prefix(journal))
    assert [read_line(line.place) for line in lines] == [line.event for line in lines]
    journal.write_bytes(journal.read_bytes().replace(b'"n":3', b'"n":7'))
    with pytest.raises(StoreDamagedError, match="changed while it was read"):
        read_line(lines[3].place)


def test_append_returns_the_place(tmp_path):
    with Journal(tmp_path) as journal:
        places = [journal.append({"n": n, "text": "x" * n}) for n in range(4)]
    assert [read_line(place)["n"] for place in places] == [0, 1, 2, 3]


def test_each_writer_has_a_journal_of_its_own(tmp_path):
    with Journal(tmp_path) as a, Journal(tmp_path) as b:
        assert (a.path.name, b.path.name) == ("w0001.jsonl", "w0002.jsonl")
    (tmp_path / "w0003.jsonl.bak").touch()
    (tmp_path / "lock").touch()
    assert journals(tmp_path) == (a.path, b.path)
    assert journals(tmp_path / "nowhere") == ()


def test_a_number_taken_by_a_racing_writer_is_passed_over(tmp_path, monkeypatch):
    (tmp_path / "w0001.jsonl").touch()
    monkeypatch.setattr("benchctl.store.journals.journal.journals", lambda _folder: ())
    with Journal(tmp_path) as journal:
        assert journal.path.name == "w0002.jsonl"


def test_the_ten_thousandth_journal_comes_last(tmp_path):
    for number in (9999, 10000):
        (tmp_path / f"w{number:04d}.jsonl").touch()
    assert journals(tmp_path)[-1].name == "w10000.jsonl"


def test_a_journal_that_failed_once_takes_nothing_more(tmp_path, monkeypatch):
    with Journal(tmp_path) as journal:
        journal.append({"n": 1})
        with monkeypatch.context() as patch:
            patch.setattr(
                os, "fsync", lambda _descriptor: (_ for _ in ()).throw(OSError(28, "No space left"))
            )
            with pytest.raises(StoreUnwritableError, match="No space left"):
                journal.append({"n": 2})
        with pytest.raises(StoreUnwritableError, match="closed"):
            journal.append({"n": 3})
    assert [event["n"] for event in events(journal.path)][:1] == [1]


def test_short_writes_are_finished(tmp_path, monkeypatch):
    whole = os.write
    with Journal(tmp_path) as journal:
        monkeypatch.setattr(os, "write", lambda descriptor, data: whole(descriptor, bytes(data[:3])))
        journal.append({"n": 1})
        journal.append({"n": 2})
    assert [event["n"] for event in events(journal.path)] == [1, 2]


def test_nothing_that_json_cannot_say_reaches_the_disk(tmp_path):
    with Journal(tmp_path) as journal:
        for value in (float("nan"), float("inf"), object()):
            with pytest.raises(ValueError, match=r"Out of range float|not JSON serializable"):
                journal.append({"n": value})
        journal.append({"n": 1})
    assert [event["n"] for event in events(journal.path)] == [1]


def test_damage_before_sound_lines_is_refused_and_not_dropped(journal, tmp_path):
    assert lines_after_damage(journal) == (0, 0)
    refuse_damage(tmp_path)
    whole = journal.read_bytes()
    journal.write_bytes(whole.replace(b'"n":2', b'"n":3'))
    assert lines_after_damage(journal) == (3, 2)
    with pytest.raises(
        StoreDamagedError, match=r"w0001\.jsonl:3: line 3 fails its checksum and 2 sound lines"
    ):
        refuse_damage(tmp_path)
    journal.write_bytes(whole[:-5])
    refuse_damage(tmp_path)  # a torn last line is how writers die


TEXTS = st.fixed_dictionaries({"stderr": st.text(), "stdout": st.text()})


def whole(text):
    """Return a text as UTF-8 can say it."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@given(st.lists(TEXTS, max_size=4))
def test_texts_beside_events_read_back_as_they_were(tmp_path_factory, each):
    with Journal(tmp_path_factory.mktemp("journal")) as journal:
        for number, texts in enumerate(each):
            journal.append({"n": number}, texts)
            journal.append({"n": "between"})
    lines = [line for line in read_valid_prefix(journal.path) if line.event["n"] != "between"]
    assert [line.event["n"] for line in lines] == list(range(len(each)))
    assert [read_texts(line) for line in lines] == [
        {name: whole(text) for name, text in texts.items()} for texts in each
    ]


@pytest.fixture
def beside(tmp_path):
    """A journal of three events, the second with texts beside it, and its lines."""
    with Journal(tmp_path) as journal:
        journal.append({"n": 0})
        journal.append({"n": 1}, {"stdout": "said \ud83d\ude00 é " * 100, "stderr": ""})
        journal.append({"n": 2}, {"stdout": "other", "stderr": ""})
    return journal.path, journal.path.read_bytes().splitlines(keepends=True)


def test_an_event_and_its_texts_are_one_write_and_one_flush(tmp_path, monkeypatch):
    calls = []
    for name in ("write", "fsync"):
        real = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *a, name=name, real=real: (calls.append(name), real(*a))[1])
    with Journal(tmp_path) as journal:
        calls.clear()
        journal.append({"n": 1}, {"stdout": "x" * 100_000})
    assert calls == ["write", "fsync"]


def test_texts_are_not_parsed_to_read_events(beside, monkeypatch):
    path, lines = beside
    real = lines_module.parse_json
    monkeypatch.setattr(
        lines_module, "parse_json", lambda body: real(body) if len(body) < 200 else pytest.fail("parsed")
    )
    assert [event["n"] for event in events(path)] == [0, 1, 2]
    assert len(lines) == 5


def test_neither_a_text_nor_its_event_counts_without_the_other(beside):
    path, lines = beside
    for cut in range(len(lines[0]), len(b"".join(lines)) + 1):
        path.write_bytes(b"".join(lines)[:cut])
        whole_events = [event["n"] for event in events(path)]
        ends = [len(b"".join(lines[:number])) for number in (1, 3, 5)]
        assert whole_events == [n for n, end in enumerate(ends) if end <= cut], cut
        assert lines_after_damage(path)[1] == 0, cut


@pytest.mark.parametrize(
    ("order", "damaged"),
    [
        ((0, 2, 3, 4), 2),  # the text is gone
        ((0, 3, 2, 4), 3),  # another's text, right in itself: it stands behind the second event's place
        ((0, 1, 4), 3),  # two texts' events swapped for one
        ((0, 1, 1, 2, 3, 4), 4),  # a text doubled
    ],
)
def test_an_event_without_the_very_text_it_names_is_damage(beside, tmp_path, order, damaged):
    path, lines = beside
    path.write_bytes(b"".join(lines[number] for number in order))
    assert [event["n"] for event in events(path)] == [0]
    assert lines_after_damage(path)[0] == damaged
    if lines_after_damage(path)[1]:
        with pytest.raises(StoreDamagedError):
            refuse_damage(tmp_path)


def test_a_text_with_one_flipped_bit_ends_the_valid_prefix(beside):
    path, lines = beside
    whole_file = b"".join(lines)
    for place in range(len(lines[0]), len(lines[0]) + len(lines[1]), 7):
        damaged = bytearray(whole_file)
        damaged[place] ^= 4
        path.write_bytes(damaged)
        assert [event["n"] for event in events(path)] == [0], place
    path.write_bytes(whole_file)
    line = list(read_valid_prefix(path))[1]
    path.write_bytes(whole_file.replace(b"said", b"sadi"))
    with pytest.raises(StoreDamagedError, match="changed while it was read"):
        read_texts(line)


def test_reading_goes_on_where_it_ended(beside):
    path, lines = beside
    whole_file = b"".join(lines)
    path.write_bytes(whole_file[: len(whole_file) - 3])
    read = list(read_valid_prefix(path))
    path.write_bytes(whole_file)
    assert [line.event["n"] for line in read_valid_prefix(path, read[-1].place.end)] == [2]


def test_a_line_that_grows_while_it_is_checked_is_no_damage(beside):
    path, lines = beside
    whole_file = b"".join(lines)
    path.write_bytes(whole_file[:-3])
    found = lines_module._judged(path)
    kinds = [kind for _, kind in (next(found) for _ in range(5))]
    assert kinds[-1] is None
    path.write_bytes(whole_file + whole_file[:10])
    assert list(found) == []


def test_the_journals_of_a_program_of_schema_1_read_as_they_did():
    from benchctl.store.reader import Store

    run = Store(Path(__file__).parents[1] / "vectors" / "stores" / "schema-1").run("open")
    history = run.history()
    assert (len(history.finished), sum(map(len, history.starts.values()))) == (5, 7)
    rows = [(table, row["cell"]) for table, row in history.rows(run.record, closing=False)]
    assert Counter(table for table, _ in rows) == {"cells": 5, "attempts": 6, "grades": 5, "transcripts": 12}
    texts = [row["text"] for table, row in history.rows(run.record, closing=False, tables=("transcripts",))]
    assert texts
    assert all(text.startswith(("out", "err")) for text in texts)
    refuse_damage(run.layout.journal)
