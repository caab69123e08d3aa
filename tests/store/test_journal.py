import json
import os
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.errors import StoreDamagedError, StoreUnwritableError
from benchctl.store.history import refuse_damage
from benchctl.store.journal import (
    Journal,
    decode,
    encode,
    journals,
    lines_after_damage,
    read_line,
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
    monkeypatch.setattr("benchctl.store.journal.journals", lambda _folder: ())
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
