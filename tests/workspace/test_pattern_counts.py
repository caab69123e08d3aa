import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.workspace import pattern_counts
from benchctl.workspace.pattern_counts import PatternCounts


def counted(patterns, *chunks):
    counts = PatternCounts(patterns)
    for chunk in chunks:
        counts.feed(chunk)
    counts.close()
    return counts.counts


@pytest.mark.parametrize(
    ("pattern", "stream", "count"),
    [
        ('"type":"tool_use"', b'{"type":"tool_use"}\n{"type":"text"}\n{"type":"tool_use"}', 2),
        ("^tool", b"tool tool\nno tool\ntool", 2),
        ("tool$", b"tool\ntool x\nx tool\n", 2),
        ("a.*b", b"a1b\na\nb\naab b\n", 2),  # a dot is no newline
        (r"a\s*", b"a\na \n\n a", 3),  # and nothing else is one either
        ("[^x]+", b"one\ntwo\nxx\n", 2),
        ("aa", b"aaaaa", 2),  # matches do not overlap
        ("a*", b"bab\n", 1),  # an empty match is none
        (r"(?<!b)a", b"a\nba\n", 1),
        (r"a\Z", b"xa\na \na", 2),  # the end of a line, since each is searched by itself
        ("é", "né\n".encode(), 1),
        (r"\xff", b"\xff\n\xff", 2),  # what is no UTF-8 can be counted too
    ],
)
def test_each_line_is_searched_by_itself(pattern, stream, count):
    assert counted({"n": pattern}, stream) == {"n": count}
    assert counted({"n": pattern}, *(bytes([byte]) for byte in stream)) == {"n": count}


PATTERNS = {
    "word": "ab",
    "line": "^a.*$",
    "spaces": r"b\s+",
    "not": "[^a]",
    "behind": r"(?<=a)b",
    "end": "a$",
}


@given(st.lists(st.text("ab \n", max_size=8).map(str.encode), max_size=12))
def test_the_cuts_do_not_matter(chunks):
    whole = b"".join(chunks)
    by_line = {
        name: sum(len(re.findall(pattern.encode(), line)) for line in whole.split(b"\n"))
        for name, pattern in PATTERNS.items()
    }
    assert counted(PATTERNS, *chunks) == by_line


@given(st.integers(0, 2**32), st.integers(1, 300))
def test_a_line_without_end_is_counted_in_pieces_and_none_is_lost(seed, step):
    import random

    dice = random.Random(seed)
    stream = b"".join(dice.choice([b"<tool>", b"x", b"to", b"<", b"<tool"]) for _ in range(3000))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pattern_counts, "_PIECE_BYTES", 200)
        patch.setattr(pattern_counts, "_OVERLAP_BYTES", 50)
        chunks = [stream[at : at + step] for at in range(0, len(stream), step)]
        found = counted({"tool": "<tool>", "start": "^."}, *chunks)
    assert found == {"tool": stream.count(b"<tool>"), "start": 1}


def test_matches_across_the_pieces_of_a_line_do_not_overlap():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pattern_counts, "_PIECE_BYTES", 200)
        patch.setattr(pattern_counts, "_OVERLAP_BYTES", 50)
        found = counted({"pairs": "aa", "threes": "aaa"}, *[b"a" * 7] * 1000)
    assert found == {"pairs": 3500, "threes": 2333}


def test_memory_is_bounded_in_a_line_without_end():
    counts = PatternCounts({"zero": r"\x00{8}y"})
    for _ in range(100):
        counts.feed(bytes(65536))
        assert len(counts._rest) < 2 * pattern_counts._PIECE_BYTES


def test_lines_are_counted_while_they_come():
    counts = PatternCounts({"n": "x"})
    counts.feed(b"x\nx")
    assert counts.counts == {"n": 1}
    counts.close()
    assert counts.counts == {"n": 2}


def test_without_patterns_nothing_is_held_back():
    counts = PatternCounts({})
    counts.feed(b"x" * 1000)
    assert not counts._rest


def test_what_is_no_pattern_is_refused_at_once():
    with pytest.raises(re.error):
        PatternCounts({"n": "("})
