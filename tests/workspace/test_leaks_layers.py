"""What is compressed, archived or encoded is opened, within caps, and what stays closed is said."""

import base64
import bz2
import gzip
import io
import json
import lzma
import os
import subprocess
import tarfile
import zipfile
import zlib

import pytest

from benchctl.workspace.leaks import Needles, Scanner, scan_tree
from benchctl.workspace.leaks import budget as caps

CANARY = "benchctl-canary-123e4567-e89b-12d3-a456-426614174000"
KEY = f'{{"id": "timeout", "answer": ["pool.c"], "canary": "{CANARY}"}}\n'.encode()
SCANNER = Scanner(Needles.texts({"the canary": CANARY}))


def zipped(*members, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


def tarred(*members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def pdf(content, *, packed=True, filters=b"/FlateDecode"):
    body = zlib.compress(content) if packed else content
    return b"%%PDF-1.7\n1 0 obj << /Filter %b /Length %d >>\nstream\n%b\nendstream\nendobj\n%%%%EOF" % (
        filters,
        len(body),
        body,
    )


def kerned(text):
    return (
        b"BT ["
        + b" -20 ".join(b"(%b)" % text[at : at + 3].encode() for at in range(0, len(text), 3))
        + b"] TJ ET"
    )


def notebook(data):
    output = {"data": {"application/octet-stream": base64.encodebytes(data).decode()}}
    return json.dumps({"cells": [{"cell_type": "code", "outputs": [output]}]}).encode()


def _with_slashes(data):
    return base64.b64encode(b"\x1b\x3f?>?>?>??????" + data)


def _lines_with_signs(data):
    """Return lines of which one begins with `+` and one with `//`."""
    letters = base64.b64encode(b"~?\xff" * 16 + b"~>~>~>~>~>~>" + data)
    wrapped = (_chunks(letters, size) for size in range(30, 90))
    return next(b"\n".join(lines) for lines in wrapped if any(line[:1] in b"+/" for line in lines[1:]))


def _chunks(data, size):
    return [data[at : at + size] for at in range(0, len(data), size)]


WRAPPINGS = {
    "gzip": gzip.compress,
    "gzip of two members": lambda data: gzip.compress(b"first\n") + gzip.compress(data),
    "gzip with bytes behind it": lambda data: gzip.compress(data) + b"\0" * 100,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "lzma": lambda data: lzma.compress(data, format=lzma.FORMAT_ALONE),
    "zlib": zlib.compress,
    "zip": lambda data: zipped(("a.txt", b"x"), ("b/key.json", data)),
    "stored zip": lambda data: zipped(("key.json", gzip.compress(data)), method=zipfile.ZIP_STORED),
    "zip with bytes before it": lambda data: b"#!/bin/sh\nexec python $0\n" + zipped(("key.json", data)),
    "zip of bzip2": lambda data: zipped(("key.json", data), method=zipfile.ZIP_BZIP2),
    "zip of lzma": lambda data: zipped(("key.json", data), method=zipfile.ZIP_LZMA),
    "name in a zip": lambda _: zipped((f"{CANARY}.txt", b"")),
    "tar": lambda data: tarred(("key.json", data)),
    "tar.gz": lambda data: gzip.compress(tarred(("a", b"x"), ("key.json", data))),
    "gz in a tar": lambda data: tarred(("key.json.gz", gzip.compress(data))),
    "gz in a tar in a zip": lambda data: zipped(("x.tar", tarred(("key.gz", gzip.compress(data))))),
    "base64": base64.b64encode,
    "base64 in lines": base64.encodebytes,
    "URL-safe base64": lambda data: base64.urlsafe_b64encode(b"\xff" * 3 + b"????" + data),
    "base64 without padding": lambda data: base64.b64encode(data).rstrip(b"="),
    "base64 in a program": lambda data: (
        b'KEY = ("' + b'"\n  + "'.join(_chunks(base64.b64encode(data), 60)) + b'")'
    ),
    "base64 in a comment": lambda data: b"// " + b"\n// ".join(_chunks(base64.b64encode(data), 60)) + b"\n",
    "base64, lines that begin with its signs": _lines_with_signs,
    "base64 in JSON with escaped slashes": lambda data: (
        b'{"b": "' + _with_slashes(data).replace(b"/", b"\\/") + b'"}'
    ),
    "data URL": lambda data: (
        b'<a href="data:application/gzip;base64,' + base64.b64encode(gzip.compress(data)) + b'">'
    ),
    "base64 of UTF-16": lambda data: base64.b64encode(data.decode().encode("utf-16-le")),
    "hex": lambda data: data.hex().encode(),
    "hex of gzip": lambda data: gzip.compress(data).hex().encode(),
    "notebook output": lambda data: notebook(gzip.compress(data)),
    "UTF-16 of base64": lambda data: base64.b64encode(data).decode().encode("utf-16"),
    "PDF stream": lambda data: pdf(b"BT (" + data.replace(b"(", b"") + b") Tj ET"),
    "PDF, kerned": lambda _: pdf(kerned(CANARY)),
    "PDF, hex strings": lambda _: pdf(b"BT <" + CANARY.encode().hex().encode() + b"> Tj ET"),
    "PDF, open": lambda _: pdf(kerned(CANARY), packed=False),
    "PDF, in ASCII85": lambda _: pdf(
        base64.a85encode(zlib.compress(kerned(CANARY))) + b"~>",
        packed=False,
        filters=b"[/ASCII85Decode /FlateDecode]",
    ),
}


def found(data):
    return [hit for hit in SCANNER.judged("x", SCANNER.content(data)) if hit.kind == "canary"]


def said(data):
    return [hit.detail for hit in SCANNER.judged("x", SCANNER.content(data)) if hit.kind == "unreadable"]


@pytest.mark.parametrize("wrap", WRAPPINGS.values(), ids=WRAPPINGS)
def test_a_wrapping_hides_no_key(wrap):
    (hit,) = found(wrap(KEY))
    assert hit.decisive
    assert hit.inside or CANARY.encode() in wrap(KEY)


@pytest.mark.parametrize("wrap", WRAPPINGS.values(), ids=WRAPPINGS)
def test_nothing_is_found_in_the_same_wrapping_of_something_else(wrap, monkeypatch):
    monkeypatch.setitem(globals(), "CANARY", CANARY.replace("1", "2"))
    other = KEY.replace(b"1", b"2")
    data = wrap(other)
    hits = SCANNER.judged("x", SCANNER.content(data))
    assert [hit for hit in hits if hit.kind != "unreadable"] == []


def test_the_place_inside_is_told():
    (hit,) = found(zipped(("docs/x.tar", tarred(("key.gz", gzip.compress(KEY))))))
    assert hit.inside == "zip:docs/x.tar > tar:key.gz > gzip"


def git(folder, *words):
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    who = ("-c", "user.name=x", "-c", "user.email=x@x")
    subprocess.run(["git", *who, *words], cwd=folder, env=env, check=True, capture_output=True)


@pytest.fixture
def deleted_key(tmp_path):
    """Give a repository of which the last commit took the key away."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q", ".")
    (folder / "key.json").write_bytes(KEY * 3)
    (folder / "code.c").write_text("int main;\n" * 50)
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")
    git(folder, "rm", "-q", "key.json")
    git(folder, "commit", "-qm", "two")
    return folder


@pytest.mark.parametrize("form", ["loose", "pack", "bundle"])
def test_a_key_deleted_in_the_last_commit_is_found_in_gits_own_files(tmp_path, deleted_key, form):
    tree = tmp_path / "tree"
    if form == "bundle":
        tree.mkdir()
        git(deleted_key, "bundle", "create", str(tree / "history.bundle"), "--all")
    else:
        if form == "pack":
            git(deleted_key, "gc", "-q")
        (deleted_key / ".git").rename(tree)
    hits = scan_tree(tree, {"the canary": CANARY})
    assert [hit.inside for hit in hits if hit.decisive] == ["zlib" if form == "loose" else "git pack"]


def _encrypted():
    data = bytearray(zipped(("key.json", KEY)))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


BOMB = b"\0" * (80 * 1024 * 1024)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (lambda: gzip.compress(BOMB, 1), "than 64 MiB inside"),
        (lambda: bz2.compress(BOMB), "200 to one"),
        (lambda: zipped(("bomb", BOMB)), "200 to one"),
        (lambda: zlib.compress(BOMB, 1), "than 64 MiB inside"),
        (lambda: zipped(*((f"{n}", b"") for n in range(20))), "more than 10 members"),
        (lambda: tarred(*((f"{n}", b"") for n in range(20))), "more than 10 members"),
        (lambda: zipped(*((f"{n}", os.urandom(40_000)) for n in range(5))), "MiB inside"),
        (lambda: tarred(*((f"{n}", os.urandom(40_000)) for n in range(5))), "MiB inside"),
        (lambda: gzip.compress(gzip.compress(gzip.compress(gzip.compress(KEY)))), "more than 3 wrappings"),
        (lambda: gzip.compress(os.urandom(300_000))[:200_000], "the end of a damaged gzip"),
        (lambda: b"\x1f\x8b\x08\0" + b"x" * 50, "a damaged gzip"),
        (lambda: b"PK\x03\x04" + b"x" * 50, "a damaged zip"),
        (lambda: tarred(("a", b"x" * 600))[:700], "a damaged tar"),
        (lambda: b"\x28\xb5\x2f\xfd" + b"x" * 50, "a zstd file"),
        (lambda: b"7z\xbc\xaf\x27\x1c" + b"x" * 50, "a 7z archive"),
        (lambda: b"PAR1" + b"x" * 50, "a Parquet file"),
        (lambda: pdf(b"\x01\x02 no text operator"), "a PDF without readable text"),
        (_encrypted, "an encrypted member of a zip"),
    ],
)
def test_what_is_cut_off_or_closed_is_said(monkeypatch, data, reason):
    monkeypatch.setattr(caps, "MAX_MEMBERS", 10)
    if reason == "MiB inside":
        monkeypatch.setattr(caps, "MAX_BYTES", 100_000)
    (detail,) = said(data())
    assert reason in detail


def test_a_bomb_costs_no_more_memory_than_the_caps():
    import tracemalloc

    nested = zipped(*((f"{n}", gzip.compress(b"\0" * 50_000_000, 1)) for n in range(20)))
    tracemalloc.start()
    assert said(nested)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 300 * 1024 * 1024


def test_what_was_read_before_damage_counts():
    data = gzip.compress(KEY + os.urandom(200_000))
    assert found(data[: len(data) // 2])


@pytest.mark.parametrize(
    "data",
    [
        b"x^2 + y^2 = z^2, and so on for ever",  # begins as a zlib stream does
        b"BZh is no bzip2",
        b"# v2 git bundle, a note",
        b"PACK my box with five dozen liquor jugs",
        b"stream\nof consciousness %PDF-",
        b"A" * 100_000,
        b"[" * 50_000,
        b"(" * 50_000 + b" Tj",
        b"\\" * 100_000,
        b"&" * 100_000,
        b"%" * 100_000,
        b"</a " * 30_000,
        b"deadbeef" * 1000 + b" \xff\xfe",
        b"\xff\xfe",
        b"\0",
        b"",
    ],
)
def test_odd_bytes_are_searched_without_a_hit(data):
    assert found(data) == []


@pytest.mark.parametrize(
    "opener", ["%PDF-1.4\nstream\n" + "[(" * 20_000, "%PDF-1.4\nstream\n[" + "(a)" * 20_000]
)
def test_hostile_pdfs_end(opener):
    assert found(opener.encode()) == []
