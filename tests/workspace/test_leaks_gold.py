"""Items of an answer decide in forms that a tree has no reason to hold, and nowhere else."""

import json

import pytest

from benchctl.workspace.leaks import Needles, scan_tree

JOINED = ("src/app/core.py::Context.exit", "src/app/core.py::Context.close", "src/app/util.py::<module>")
DOTTED = ("app.core:Context.exit", "app.core:Context.close", "app.util:flush_all")
FILES = ("src/app/core.py", "src/app/util.py", "src/app/io.py")
NAMES = ("exit", "close", "flush_all")
GOLD = {
    "who-closes-it": JOINED,
    "dotted-names": DOTTED,
    "which-files": FILES,
    "bare-names": NAMES,
    "q1": DOTTED,
}


def answer(question, items):
    return json.dumps({"id": question, "answer": list(items), "score": 1.0})


def hits(tmp_path, path, text, gold=GOLD, **needles):
    place = tmp_path / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    found = scan_tree(tmp_path, Needles(gold=gold, **needles))
    return {hit.needle: hit.decisive for hit in found}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("results.jsonl", answer("x", JOINED[:1])),
        ("results.jsonl", answer("x", JOINED).replace("/", "\\/")),
        ("notes.md", f"- `{JOINED[0]}`\n"),
        ("notes.md", f"see {JOINED[1]}."),
        ("notes.md", f"see /tmp/cell/tree/{JOINED[2]}, and so on"),
        ("notes.md", JOINED[0].upper()),
        # in another notation it takes three of them
        ("list.csv", "\n".join(item.replace("::", ",") for item in JOINED)),
        ("list.md", "\n".join(f"| {item.replace('::', ' | ')} |" for item in JOINED)),
        ("list.py", str([tuple(item.split("::")) for item in JOINED])),
        # the second file of an answer, beside the first
        ("src/app/util.py", f"# {JOINED[0]}"),
    ],
)
def test_a_joined_item_outside_of_its_own_file_decides(tmp_path, path, text):
    assert hits(tmp_path, path, text, {"who-closes-it": JOINED}) == {"who-closes-it": True}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("src/app/core.py", f"# {JOINED[0]} and {JOINED[1]}"),  # the file that they name
        ("checkout/src/app/core.py", f"# {JOINED[0]}"),
        ("notes.md", "src/app/core.py, Context.exit and src/app/core.py, Context.close"),  # two are too few
        ("notes.md", JOINED[0] + "_code"),  # the beginning of another name
        ("notes.md", JOINED[0] + ".inner"),
        ("notes.md", "old" + JOINED[0]),  # the end of another path
        ("src/app/other.py", "from app.core import Context\nContext.exit()\nContext.close()\n"),
        (
            "trace.txt",
            '  File "src/app/core.py", line 3, in exit\n  File "src/app/core.py", line 9, in close\n',
        ),
    ],
)
def test_what_a_tree_holds_of_its_own_names_is_no_hit(tmp_path, path, text):
    assert hits(tmp_path, path, text, {"who-closes-it": JOINED}) == {}


def test_evidence_may_hold_the_items_of_its_question(tmp_path):
    text = "\n".join(JOINED)
    needles = {"evidence": {"who-closes-it": ("tests/skipped.txt",)}}
    assert hits(tmp_path, "tests/skipped.txt", text, **needles) == {}
    assert hits(tmp_path, "tests/copy.txt", text, **needles) == {"who-closes-it": True}


@pytest.mark.parametrize("question", ["dotted-names", "which-files"])
def test_three_items_beside_the_questions_id_decide(tmp_path, question):
    assert hits(tmp_path, "results.jsonl", answer(question, GOLD[question])).get(question) is True


@pytest.mark.parametrize(
    ("text", "decisive"),
    [
        (json.dumps(DOTTED), True),  # the whole list and nothing else
        ("\n".join(reversed(DOTTED)), True),
        ("\n".join((DOTTED[0], "app.core:Context.open", *DOTTED[1:])), False),  # a list of the tree's own
        (" and then ".join(DOTTED), False),
        (answer("q1", DOTTED).replace(",", " or "), False),  # an id that says nothing
    ],
)
def test_a_whole_list_decides_and_a_mention_of_each_is_weak(tmp_path, text, decisive):
    assert hits(tmp_path, "x.txt", text, {"q1": DOTTED}) == {"q1": decisive}


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(FILES),  # a manifest
        "".join(f"{path},sha256=0123abcd,2210\n" for path in FILES),
    ],
)
def test_a_manifest_of_the_tree_is_weak_at_most(tmp_path, text):
    assert hits(tmp_path, "RECORD", text).get("which-files") is False


@pytest.mark.parametrize(
    "text", [json.dumps(NAMES), "__all__ = ['exit', 'close', 'flush_all']", answer("x", NAMES)]
)
def test_bare_names_are_looked_for_nowhere(tmp_path, text):
    assert hits(tmp_path, "x.py", text) == {}


def test_two_items_say_nothing_but_one_is_enough_in_source_of_the_benchmark(tmp_path):
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench/x.py").write_text(f"EXPECTED = {DOTTED[0]!r}")
    needles = Needles(gold={"dotted-names": DOTTED})
    assert scan_tree(tmp_path, needles) == []
    (hit,) = scan_tree(tmp_path, needles, harness=("bench/**",))
    assert hit.decisive
    assert "source of the benchmark" in hit.detail


NODES = (
    "tests/test_utils.py::test_echo",
    "tests/test_utils.py::TestStrip.test_strip",
    "tests/test_io.py::test_tty",
)


@pytest.mark.parametrize(
    ("path", "text", "decisive"),
    [
        ("CHANGES.md", f"- deflake {NODES[0]} on Windows\n", None),
        ("tox.ini", f"commands = pytest --deselect {NODES[0]} --deselect {NODES[1]}\n", None),
        ("notes.md", "\n".join(NODES), True),
        ("results.jsonl", answer("which-tests", NODES), True),
    ],
)
def test_names_of_tests_decide_where_a_large_part_of_the_list_stands(tmp_path, path, text, decisive):
    assert hits(tmp_path, path, text, {"which-tests": NODES}).get("which-tests") is decisive


def test_the_durations_of_all_tests_are_no_key(tmp_path):
    every = {**dict.fromkeys(NODES, 1.5), **{f"tests/test_{n}.py::test_{n}": 0.1 for n in range(20)}}
    text = json.dumps(every, indent=1)
    assert hits(tmp_path, ".test_durations", text, {"which-tests": NODES}) == {"which-tests": False}


def test_a_report_on_every_function_is_no_key(tmp_path):
    rows = [f"{path} {name} 3 0 100%" for path, name in PAIRS]
    rows += [f"src/shop/{path}.py other_{n} 9 1 80%" for path in ("core", "util", "tax") for n in range(9)]
    assert hits(tmp_path, "coverage.txt", "\n".join(sorted(rows)), {"who-rounds": SHOP}) == {
        "who-rounds": False
    }


def test_three_of_very_many_names_of_tests_are_a_setting_of_the_tree(tmp_path):
    many = {"which-tests": (*NODES, *(f"tests/test_{n}.py::test_{n}" for n in range(20)))}
    assert hits(tmp_path, "tox.ini", " --deselect ".join(NODES), many) == {"which-tests": False}


METHODS = ("Context.exit", "Context.fail", "Context.abort")


@pytest.mark.parametrize(
    ("text", "decisive"),
    [
        # the id is only the words of the tree's own name
        (
            ".. autofunction:: click.echo\n\n:meth:`Context.exit`, :meth:`Context.fail` and :meth:`Context.abort`",
            False,
        ),
        ("see click-echo, which Context.exit, Context.fail and Context.abort call", False),
        (
            '{"click-echo": "it is said, as ever, that some of the methods", "of": ["Context.exit", "Context.fail", "Context.abort"]}',
            False,
        ),
        (f"click-echo,{','.join(METHODS)}\n", True),
        (f"question: click-echo\nitems:\n  - {METHODS[0]}\n  - {METHODS[1]}\n  - {METHODS[2]}\n", True),
        (json.dumps({"gold": METHODS, "id": "click-echo"}), True),
    ],
)
def test_an_id_counts_as_it_is_written_in_a_record(tmp_path, text, decisive):
    assert hits(tmp_path, "x", text, {"click-echo": METHODS}).get("click-echo") in (
        decisive,
        decisive or None,
    )


LIST = ("compute_totals", "render_invoice", "apply_discount", "ship_order")
WORD = ("SHOP_NO_DISCOUNT_AT_ALL",)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"EXPECTED = {list(LIST)!r}\n", {"q-names": True}),
        ("EXPECTED = frozenset({{{}}})\n".format(", ".join(map(repr, LIST))), {"q-names": True}),
        ("\n".join(LIST), {"q-names": True}),
        (answer("q-names", LIST), {"q-names": True}),
        (f"id,answers\nq-names,{','.join(LIST)}\n", {"q-names": True}),
        (json.dumps({"id": "q-word", "answer": WORD[0], "score": 1}), {"q-word": True}),
        (f"q-names,x\nq-word,{WORD[0]}\n", {"q-word": True}),
        # what a tree has of its own
        (f"__all__ = {list(LIST)!r}\n", {}),
        (f"CALLS = {[*LIST, 'main']!r}\n", {}),
        (f"from shop import ({', '.join(LIST)})\n", {}),
        (f"q-word = {WORD[0]}\n", {}),  # a setting of that name
        (f'{{"q-word": "{WORD[0]}"}}', {}),
        (json.dumps({"id": "q-names", "answer": LIST[:2]}), {}),
        (f"of {LIST[0]}, {LIST[1]}, {LIST[2]} and {LIST[3]}", {}),
    ],
)
def test_bare_names_decide_beside_the_id_as_written_or_as_a_list_of_strings(tmp_path, text, found):
    assert hits(tmp_path, "x.py", text, {"q-names": LIST, "q-word": WORD}) == found


SHOP = (
    "src/shop/core.py::Cart.total",
    "src/shop/core.py::Cart.checkout",
    "src/shop/util.py::round_up",
    "src/shop/tax.py::rate_for",
)
PAIRS = [item.split("::") for item in SHOP]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([{"file": a, "symbol": b} for a, b in PAIRS]),
        json.dumps({"expected": [{"path": a, "line": 3, "symbol": b} for a, b in PAIRS]}, indent=1),
        "".join(f"- file: {a}\n  function: {b}\n" for a, b in PAIRS),
        "".join(f"{a},12,{b}\n" for a, b in PAIRS),
        "".join(f"{b},{a}\n" for a, b in PAIRS),
        "C = 'src/shop/core.py'\nX = [(C, 'Cart.total'), (C, 'Cart.checkout'), ('src/shop/util.py', 'round_up')]",
        "\n".join(f"[{b}]({a}#L12)" for a, b in PAIRS),
        "\n".join(f"{a}:12: def {b}" for a, b in PAIRS),
        "\n".join(SHOP).replace("/", "\\"),
        "\n".join(a[4:-3].replace("/", ".") + "." + b for a, b in PAIRS),
        "\0".join(a + b for a, b in PAIRS),
        "`Cart.total` and `Cart.checkout` in src/shop/core.py, `round_up` in src/shop/util.py and `rate_for` in src/shop/tax.py",
    ],
)
def test_path_and_name_near_each_other_decide_for_three_items(tmp_path, text):
    assert hits(tmp_path, "notes.txt", text, {"who-rounds": SHOP}) == {"who-rounds": True}


@pytest.mark.parametrize(
    "text",
    [
        # a listing of the whole tree holds the answer among all else
        "\n".join(f"src/shop/m{n}.py:{n}: def helper_{n}()" for n in range(9))
        + "\n".join(
            f"\n{a}:3: def {b}\nsrc/shop/x_{n}.py:4: def other_{n}()\nsrc/shop/y_{n}.py:4: def more_{n}()"
            for n, (a, b) in enumerate(PAIRS)
        ),
        "".join(f'  File "{a}", line 12, in {b}\n    call()\n' for a, b in PAIRS),
        "\n".join(sorted({a for a, _ in PAIRS})) + "\n" * 5 + "\n".join(b for _, b in PAIRS[:2]),
    ],
)
def test_a_listing_of_the_tree_and_a_traceback_are_none(tmp_path, text):
    assert hits(tmp_path, "tags", text, {"who-rounds": SHOP}).get("who-rounds") is not True


def test_names_and_the_targets_of_links_are_searched(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/app.py::Context.exit_all").write_text("x")
    (tmp_path / "link").symlink_to("app/core.py::Context.exit_all and more")
    (tmp_path / "folder").symlink_to(tmp_path / "sub")
    (tmp_path / "sub/plain").symlink_to("app.py")
    gold = {"q": ("app.py::Context.exit_all", "app/core.py::Context.exit_all")}
    assert [str(hit).partition(" holds")[0] for hit in scan_tree(tmp_path, Needles(gold=gold))] == [
        "link (the link's target)",
        "sub/app.py::Context.exit_all (its name)",
    ]


def test_gold_is_looked_for_in_the_tree_of_its_question_alone():
    from benchctl.schema.suite import parse_suite

    suite = parse_suite(SUITE, "suite.toml")
    gold = {"a": JOINED, "b": DOTTED}
    assert set(Needles.of(suite, repo="one", gold=gold).gold) == {"a"}
    assert set(Needles.of(suite, gold=gold).gold) == {"a", "b"}
    assert set(Needles.of(suite, repo="one").prompts) == {"a", "b"}


SUITE = """
schema = 1
name = "s"
title = "S"
canary = "benchctl-canary-00000000-0000-4000-8000-000000000001"
arms.plain.title = "Plain"

[repos.one]
kind = "directory"
source = "one"

[repos.two]
kind = "directory"
source = "two"

[agents.script]
kind = "command"
title = "S"
argv = ["true"]

[[questions]]
id = "a"
repo = "one"
class = "c"
prompt = "Who?"
gold = { items = ["x"] }

[[questions]]
id = "b"
repo = "two"
class = "c"
prompt = "Where?"
gold = { items = ["y"] }
"""
