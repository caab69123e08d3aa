"""What preflight makes of the leak scan: errors that name the file, and lines for all that is not sure."""

import gzip
import os

import pytest

from benchctl.errors import PreflightRefusedError
from benchctl.planning.questions import GoldOutcome
from benchctl.runner import leak_check
from benchctl.runner.leak_check import (
    agent_leaks,
    git_leaks,
    given_leaks,
    gold_leaks,
    index_leaks,
    tree_leaks,
)
from benchctl.schema.run import ServerRecord, ToolRecord
from benchctl.schema.suite import parse_suite
from benchctl.workspace import git
from benchctl.workspace.corpus import resolve_corpus
from benchctl.workspace.orphan_commit import commit_layer
from benchctl.workspace.tree import write_base

CANARY = "benchctl-canary-11111111-2222-4333-8444-555555555555"
PROMPT = "Which function decides that an idle connection is closed, and which setting changes that time?"
OTHER = "List every class that implements the retry protocol, and give the path of the file of each."
SUITE = f"""
schema = 1
name = "s"
title = "S"
canary = "{CANARY}"

[repos.corpus]
kind = "directory"
source = "corpus"
harness = ["bench/**", "gone/**"]

[arms.plain]
title = "Plain"

[arms.git]
title = "With git"
git = true

[agents.script]
kind = "command"
title = "S"
argv = ["true"]

[[questions]]
id = "idle-time"
repo = "corpus"
class = "c"
prompt = "{PROMPT}"
gold = {{ items = ["src/pool.c::reap_idle", "src/conf.c::idle_s"] }}
leak_terms = ["reaped by the keeper thread"]
evidence = ["tests/cases.txt"]

[[questions]]
id = "retry"
repo = "corpus"
class = "c"
prompt = "{OTHER}"
gold = {{ items = ["src/retry.c::Retry"] }}
"""
GOLD = {
    "idle-time": GoldOutcome("idle-time", ("src/pool.c::reap_idle", "src/conf.c::idle_s")),
    "retry": GoldOutcome("retry", ("src/retry.c::Retry",)),
}


class Heard:
    def __init__(self):
        self.lines = []

    def note(self, text):
        self.lines.append(text)


@pytest.fixture
def said():
    return Heard()


@pytest.fixture
def make_base(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))

    def make(**files):
        suite = parse_suite(SUITE, "suite.toml")
        source = tmp_path / "suite" / "corpus"
        for name, data in {"src/pool.c": "int main;", "bench/run.py": "pass", **files}.items():
            place = source / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data if isinstance(data, bytes) else data.encode())
        corpus = resolve_corpus("corpus", suite.repos["corpus"], tmp_path / "suite")
        return suite, write_base(corpus, tmp_path / "bases" / "corpus")

    return make


def test_a_clean_tree_has_no_problem_and_a_pattern_of_no_use_is_said(make_base, said):
    suite, base = make_base()
    assert list(tree_leaks(suite, "corpus", base, said)) == []
    assert list(gold_leaks(suite, {"corpus": base}, GOLD, said)) == []
    assert said.lines == ["repos.corpus: the harness pattern 'gone/**' matches no file"]


def test_each_file_and_each_kind_is_one_error(make_base, said):
    suite, base = make_base(
        **{
            "a.md": f"{CANARY}\n{PROMPT}\n{OTHER}",
            "b.md.gz": gzip.compress(PROMPT.encode()),
            "c.md": "It is **reaped**, by the keeper-thread.",
        }
    )
    errors = [str(error) for error in tree_leaks(suite, "corpus", base, said)]
    told = "\n".join(errors)
    assert len(errors) == 4
    assert "repos.corpus: a.md holds the canary" in told
    assert "repos.corpus: a.md holds the prompt of idle-time (and of 1 more)" in told
    assert "repos.corpus: b.md.gz (gzip) holds the prompt of idle-time" in told
    assert "repos.corpus: c.md holds a leak term of idle-time" in told


def test_a_weak_match_is_said_and_decides_in_source_of_the_benchmark(make_base, said):
    line = " ".join(PROMPT.split()[:6])
    suite, base = make_base(**{"notes.md": line, "bench/x.py": f"# {line}"})
    (error,) = tree_leaks(suite, "corpus", base, said)
    assert "bench/x.py" in str(error)
    assert "source of the benchmark" in str(error)
    assert [line for line in said.lines if "notes.md" in line and line.endswith(": weak")]


def test_what_stays_closed_is_counted_in_one_line(make_base, said):
    suite, base = make_base(**{f"{n}.zst": b"\x28\xb5\x2f\xfd" + bytes([n]) for n in range(5)})
    assert list(tree_leaks(suite, "corpus", base, said)) == []
    (line,) = (line for line in said.lines if "searched" in line)
    assert "5 files could not be searched" in line
    assert line.endswith("; and 2 more")
    said.lines.clear()
    list(gold_leaks(suite, {"corpus": base}, GOLD, said))
    assert said.lines == []  # it was said before


def test_an_item_of_an_answer_is_an_error_where_the_answer_does_not_rest_on_it(make_base, said):
    suite, base = make_base(
        **{
            "src/pool.c": "/* src/pool.c::reap_idle */",
            "tests/cases.txt": "src/conf.c::idle_s\n",
            "results.jsonl": '{"id": "idle-time", "answer": ["src/pool.c::reap_idle"]}',
        }
    )
    (error,) = gold_leaks(suite, {"corpus": base}, GOLD, said)
    assert "results.jsonl holds 1 item of the answer to idle-time" in str(error)


def test_a_refused_gold_is_looked_for_nowhere(make_base, said):
    suite, base = make_base(**{"x.txt": "src/retry.c::Retry"})
    refused = {"retry": GoldOutcome("retry", refused="the methods differ")}
    assert list(gold_leaks(suite, {"corpus": base}, refused, said)) == []


def test_a_second_scan_reads_no_file_again(make_base, said, monkeypatch):
    suite, base = make_base(**{"a.md": CANARY})
    first = [str(error) for error in tree_leaks(suite, "corpus", base, said)]
    from benchctl.workspace.leaks import scan

    monkeypatch.setattr(scan, "_bytes", lambda path: pytest.fail(f"{path} was read"))
    assert [str(error) for error in tree_leaks(suite, "corpus", base, said)] == first


def test_an_index_and_the_files_of_an_agent_are_searched(tmp_path, said):
    suite = parse_suite(SUITE, "suite.toml")
    (tmp_path / "index.db").write_bytes(b"SQLite\0" + PROMPT.encode() + b"\0\1")
    (tmp_path / "grep.py").write_text(f"# reaped by the keeper thread\n# {PROMPT}")
    (error,) = (index_leaks(suite, "arms.x.indexes.y", tmp_path, said),)
    assert "index.db" in "".join(map(str, error))
    (error,) = agent_leaks(
        suite, {"script": tmp_path}, said
    )  # an agent may know the wording of its questions
    assert "agents.script.files: grep.py holds a leak term" in str(error)


def test_the_repository_of_an_arm_that_is_given_git_is_searched_too(make_base, said):
    suite, base = make_base()
    assert list(git_leaks(suite, {"corpus": base}, said)) == []
    layer = commit_layer(base)
    os.system(f"cd {layer} && echo '{CANARY}' | git hash-object -w --stdin > /dev/null")
    (error,) = git_leaks(suite, {"corpus": base}, said)
    assert "repos.corpus: git object " in str(error)
    assert "holds the canary" in str(error)


def test_objects_that_git_cannot_list_are_no_clean_repository(make_base, said, monkeypatch):
    suite, base = make_base()
    commit_layer(base)
    monkeypatch.setattr(git, "ask", lambda *_: None)
    (error,) = git_leaks(suite, {"corpus": base}, said)
    assert isinstance(error, PreflightRefusedError)
    assert "`git cat-file` failed" in str(error)


def test_the_whole_text_of_every_error_names_a_next_step(make_base, said):
    suite, base = make_base(**{"a.md": CANARY})
    (error,) = tree_leaks(suite, "corpus", base, said)
    assert error.next_step == leak_check._EXCLUDE


KEY = "src/pool.c::reap_idle, src/conf.c::idle_s"


def given(suite, said, *, agents=None, indexes=None, servers=()):
    leaks = given_leaks(
        suite, GOLD, agents=agents or {}, indexes=indexes or {}, servers=servers, progress=said
    )
    return [str(error).partition(" [")[0] for error in leaks]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"{PROMPT}\n{KEY}", "agents.script.files: x.txt holds 2 items of the answer to idle-time"),
        (f"idle-time, {KEY}", "agents.script.files: x.txt holds 2 items of the answer to idle-time"),
        (KEY, None),  # a scripted agent has to know what it says
        (PROMPT, None),
        (f"{OTHER}\n{KEY}", None),
    ],
)
def test_an_answer_beside_its_question_in_the_files_of_an_agent(tmp_path, said, text, told):
    (tmp_path / "x.txt").write_text(text)
    errors = given(parse_suite(SUITE, "suite.toml"), said, agents={"script": tmp_path})
    assert [each.startswith(str(told)) for each in errors] == ([True] if told else [])


def test_an_answer_beside_its_id_in_an_index(tmp_path, said):
    suite = parse_suite(SUITE, "suite.toml")
    (tmp_path / "symbols.txt").write_text(
        KEY.replace(", ", "\n")
    )  # its work is to hold names with their files
    assert given(suite, said, indexes={("plain", "corpus"): tmp_path}) == []
    (tmp_path / "key.json").write_text(
        '{"id": "idle-time", "gold": ["src/pool.c::reap_idle", "src/conf.c::idle_s"]}'
    )
    (error,) = given(suite, said, indexes={("plain", "corpus"): tmp_path})
    assert error.startswith("arms.plain.indexes: key.json holds 2 items of the answer to idle-time")


def test_an_answer_in_what_an_arm_and_a_server_say(said):
    told = f'title = "Plain"\nprompt = "{{prompt}} ({KEY})"\ninstructions = "It is {KEY}. {CANARY}"'
    suite = parse_suite(SUITE.replace('title = "Plain"', told), "suite.toml")
    tool = ToolRecord(name="find", description=f"{PROMPT} {KEY} {CANARY}")
    server = ServerRecord(
        arm="plain",
        server="s",
        repos=("corpus",),
        protocol="",
        name="n",
        version="1",
        tools=(tool,),
        digest="",
    )
    errors = given(suite, said, servers=[server])
    assert [error.partition(" holds ")[::2] for error in errors] == [
        (
            "arms.plain: the text of `prompt`",
            "2 items of the answer to idle-time as it is written in the key",
        ),
        ("arms.plain: the text of `instructions`", "the canary"),
        (
            "arms.plain: the text of `instructions`",
            "2 items of the answer to idle-time as it is written in the key",
        ),
        ("arms.plain.servers.s: what it tells of its tools", "the canary"),
        ("arms.plain.servers.s: what it tells of its tools", "the prompt of idle-time"),
        (
            "arms.plain.servers.s: what it tells of its tools",
            "2 items of the answer to idle-time as it is written in the key",
        ),
    ]
