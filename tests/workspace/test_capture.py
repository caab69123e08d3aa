import hashlib

from hypothesis import given
from hypothesis import strategies as st

from benchctl.workspace.capture import Capture


@given(st.lists(st.binary(max_size=50)), st.integers(0, 64))
def test_counts_and_digest_are_over_every_byte_and_the_kept_is_head_and_tail(chunks, keep):
    capture = Capture(keep)
    for chunk in chunks:
        capture.add(chunk)
    whole = b"".join(chunks)
    stream = capture.stream()
    assert stream.total_bytes == len(whole)
    assert stream.sha256 == hashlib.sha256(whole).hexdigest()
    assert stream.dropped_bytes == max(0, len(whole) - keep)
    if len(whole) <= keep:
        assert stream.text == whole.decode(errors="replace")


def test_what_was_dropped_is_said_where_it_was():
    capture = Capture(8)
    capture.add(b"abcdefghijkl")
    assert capture.stream().text == "abcd\n[benchctl: 4 bytes dropped here]\nijkl"


def test_memory_is_bounded_under_a_flood():
    capture = Capture(1000)
    for _ in range(1000):
        capture.add(b"x" * 65536)
    assert len(capture._head) + len(capture._tail) < 200_000
    assert capture.stream().dropped_bytes == 65536 * 1000 - 1000


def test_the_chunks_do_not_matter():
    one, many = Capture(10), Capture(10)
    one.add(b"0123456789abcdefghij")
    for byte in b"0123456789abcdefghij":
        many.add(bytes([byte]))
    assert one.stream() == many.stream()
