"""Whoever shows the key has seen it; whoever repeats the question or answers it has not."""

import base64
import gzip
import io
import json
import zipfile

import pytest

from benchctl.runner.contamination import canary_counts, contaminated, contaminated_files
from benchctl.workspace.capture import Capture
from benchctl.workspace.leaks import Needles

CANARY = "benchctl-canary-11111111-2222-4333-8444-555555555555"
PROMPT = "Which function decides that an idle connection is closed, and which setting changes that time?"
NEEDLES = Needles(
    canary=CANARY,
    prompts={"timeout": PROMPT},
    gold={"timeout": ("src/pool.c::reap_idle", "src/pool.c::arm_timer", "src/conf.c::idle_s")},
    paths=("/home/me/bench/suites/s/gold",),
)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"# {CANARY}", "holds the canary"),
        (CANARY.upper(), "holds the canary"),
        (
            json.dumps({"type": "tool_result", "content": json.dumps({"text": f"x\n{CANARY}\n"})}),
            "holds the canary",
        ),
        (
            base64.b64encode(f"key: {CANARY}".encode()).decode(),
            "holds the canary of the answer key (in base64)",
        ),
        (base64.b64encode(gzip.compress(CANARY.encode() * 3, mtime=0)).decode(), "(in base64 > gzip)"),
        (CANARY[:25] + "\n" + CANARY[25:], "holds the canary"),
        ("$ cat /home/me/bench/suites/s/gold/by_ast.py", "names the place"),
        ('{"command": "ls \\/home\\/me\\/bench\\/suites\\/s\\/gold"}', "names the place"),
        ("/HOME/ME/BENCH/SUITES/S/GOLD", "names the place"),
    ],
)
def test_the_key_in_what_a_cell_left_is_told_with_its_place(text, reason):
    said = contaminated({"standard error": "nothing", "standard output": f"before\n{text}\nafter"}, NEEDLES)
    assert said is not None
    assert said.startswith("its standard output ")
    assert reason in said


@pytest.mark.parametrize(
    "text",
    [
        "",
        PROMPT,  # it was given the question
        json.dumps({"answer": NEEDLES.gold["timeout"], "id": "timeout"}),  # and is asked for the answer
        CANARY.replace("1", "3"),  # another suite's
        "/home/me/bench/suites/s/golden/x and /home/me/bench/suites/t/gold",
        "suites/s/gold",  # a page of the tree may say so
        "\ud800 no letter at all",
    ],
)
def test_a_question_and_its_answer_are_no_contamination(text):
    assert contaminated({"standard output": text, "answer": text}, NEEDLES) is None


def test_without_a_key_nothing_is_contaminated():
    assert contaminated({"standard output": f"{CANARY} /home/me"}, Needles()) is None


def zipped(text):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", text)
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "inside"),
    [
        (zipped(CANARY), " (in zip:a)"),
        (b"\0\1" + CANARY.encode(), ""),
        (b"q\n" * (1 << 20) + CANARY.encode(), ""),  # longer than what a difference shows
    ],
)
def test_the_key_in_a_file_that_no_difference_shows(tmp_path, data, inside):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/k.bin").write_bytes(data)
    said = contaminated_files(tmp_path, ["gone", "sub/k.bin"], NEEDLES)
    assert said == f"its file sub/k.bin holds the canary of the answer key{inside}"


def test_a_link_that_leads_to_the_key_is_not_followed_and_its_name_counts(tmp_path):
    (tmp_path / "key").write_text(CANARY)
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/link").symlink_to(tmp_path / "key")
    (tmp_path / "tree/folder").symlink_to(tmp_path)
    assert contaminated_files(tmp_path / "tree", ["link", "folder/key"], NEEDLES) is None
    (tmp_path / f"tree/{CANARY}").write_text("x")
    assert contaminated_files(tmp_path / "tree", [CANARY], NEEDLES) is not None


def test_the_canary_counts_in_the_part_of_an_output_that_is_not_kept():
    capture = Capture(1000, counts=canary_counts(NEEDLES))
    capture.add(b"x" * 5000 + b"\n" + CANARY.encode() + b"\n" + b"y" * 5000)
    stream = capture.stream()
    assert contaminated({"standard output": stream.text}, NEEDLES) is None
    said = contaminated({"standard output": stream.text}, NEEDLES, capture.counts)
    assert said == "its standard output holds the canary of the answer key, in the part that is not kept"
    assert canary_counts(Needles()) == {}
