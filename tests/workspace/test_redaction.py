from __future__ import annotations

import base64
import html
import json
import random
import re
import shlex
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.workspace import redaction
from benchctl.workspace.redaction import Redactor, redacted_text, secrets_of, substitute
from benchctl.workspace.secret_forms import MIN_LENGTH, forms_of

KEY = "sk-ant-api03-Ab/Cd+Ef=Gh_0123456789-x"
ODD = "p\"a\\s/s w<o>r&d'é`=%"
PEM = (
    "-----BEGIN PRIVATE KEY-----\n"
    + "\n".join(base64.b64encode(bytes(range(n, n + 48))).decode() for n in range(0, 200, 25))
    + "\nMIIEvQ==\n-----END PRIVATE KEY-----\n"
)
SECRETS = {"API_KEY": KEY, "ODD_PASSWORD": ODD, "PEM_KEY": PEM}


def b64(data, encode=base64.b64encode):
    return encode(data.encode()).decode()


FORMS = {
    "as it is": lambda value: value,
    "JSON": json.dumps,
    "JSON, not ASCII": lambda value: json.dumps(value, ensure_ascii=False),
    "JSON in JSON": lambda value: json.dumps(json.dumps(value)),
    "JSON in JSON in JSON": lambda value: json.dumps({"a": json.dumps({"b": json.dumps(value)})}),
    "JSON of PHP": lambda value: json.dumps(value).replace("/", r"\/"),
    "URL": lambda value: quote(value, safe=""),
    "URL with slashes": quote,
    "URL, small letters": lambda value: re.sub(r"%..", lambda found: found[0].lower(), quote(value, safe="")),
    "form": quote_plus,
    "HTML": html.escape,
    "HTML, names": lambda value: (
        html.escape(value, quote=False).replace('"', "&quot;").replace("'", "&apos;")
    ),
    "Base64": b64,
    "Base64 after one byte": lambda value: b64(f"u{value} tail"),
    "Base64 after two bytes": lambda value: b64(f"ux{value}"),
    "Base64 of a login": lambda value: b64(f"user:{value}"),
    "Base64 for URLs": lambda value: b64(f"x{value}", base64.urlsafe_b64encode),
    "hex": lambda value: value.encode().hex(),
    "HEX": lambda value: value.encode().hex().upper(),
    "Python": repr,
    "shell": shlex.quote,
}


def fragments(value, text, length=16):
    """Return the pieces of a value, as it is or in Base64 at any alignment, that a text still holds."""
    data = value.encode()
    encoded = [base64.b64encode(bytes(shift) + data).decode()[4:-4] for shift in range(3)]
    return [
        each[at : at + length]
        for each in (value, *encoded)
        for at in range(len(each) - length + 1)
        if each[at : at + length] in text
    ]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["API_KEY", "ODD_PASSWORD"])
def test_a_secret_is_found_in_every_form(form, name):
    written = FORMS[form](SECRETS[name])
    said, counts = redacted_text(f"before {written} after", SECRETS)
    assert counts == {name: 1}
    assert substitute(name) in said
    assert fragments(SECRETS[name], said, 12) == []
    assert said.startswith("before ")
    assert said.endswith(" after")


@pytest.mark.parametrize("before", ["", "u", "ux"])
@pytest.mark.parametrize("after", ["", "t", "to", " tail"])
def test_of_base64_only_what_others_share_is_left(before, after):
    whole = b64(before + KEY + after)
    said, _ = redacted_text(f"<{whole}>", SECRETS)
    left, _, right = said.partition("[redacted:API_KEY]")
    assert left == f"<{whole[: -(-len(before) * 8 // 6)]}"
    assert len(right.rstrip("=>")) <= len(whole[len(before + KEY) * 8 // 6 :].rstrip("="))


@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be"])
def test_a_secret_of_wide_characters_is_found(name):
    redactor = Redactor(SECRETS)
    said = redactor.feed(b"a" + ODD.encode(name) + b"b") + redactor.close()
    assert said == b"a[redacted:ODD_PASSWORD]b"


@pytest.mark.parametrize("width", [64, 76])
@pytest.mark.parametrize("before", range(0, 70, 7))
def test_of_base64_that_lines_break_no_fragment_of_sixteen_letters_is_left(width, before):
    whole = b64("x" * before + KEY * 2)
    text = "\n".join(whole[at : at + width] for at in range(0, len(whole), width))
    said, counts = redacted_text(text, SECRETS)
    assert counts["API_KEY"] >= 1
    assert fragments(KEY, said) == []


def test_a_secret_that_a_line_break_parts_counts_once():
    whole = b64(KEY)
    assert redacted_text(
        f"{whole[:20]}\n{whole[20:]} and, some way behind it, {whole[:30]}\n{whole[30:]}", SECRETS
    )[1] == {"API_KEY": 2}


@pytest.mark.parametrize("line", [line for line in PEM.splitlines() if len(line) >= 16 and "---" not in line])
def test_each_line_of_a_key_is_a_secret_and_its_first_and_last_are_not(line):
    assert redacted_text(f"> {line}", SECRETS) == ("> [redacted:PEM_KEY]", {"PEM_KEY": 1})
    assert redacted_text("-----BEGIN PRIVATE KEY-----", SECRETS)[1] == {}


@pytest.mark.parametrize("form", [str, json.dumps, b64, repr, lambda value: value.replace("\n", r"\n")])
def test_a_whole_key_counts_once_and_leaves_nothing(form):
    said, counts = redacted_text(form(PEM), SECRETS)
    assert counts == {"PEM_KEY": 1}
    assert all(line not in said for line in PEM.splitlines() if "---" not in line)


def test_a_key_that_a_variable_holds_on_one_line_is_found_on_several():
    said, counts = redacted_text(PEM, {"ONE_LINE": PEM.replace("\n", r"\n")})
    assert counts["ONE_LINE"] >= 8
    assert all(line not in said for line in PEM.splitlines() if len(line) >= 16 and "---" not in line)


def test_json_stays_json():
    document = {"a": KEY, "b": [json.dumps({"c": ODD})], "d": PEM, "e": 1}
    said, counts = redacted_text(json.dumps(document), SECRETS)
    assert json.loads(said) == {
        "a": "[redacted:API_KEY]",
        "b": ['{"c": "[redacted:ODD_PASSWORD]"}'],
        "d": "[redacted:PEM_KEY]",
        "e": 1,
    }
    assert counts == {"API_KEY": 1, "ODD_PASSWORD": 1, "PEM_KEY": 1}


@pytest.mark.parametrize("size", [1, 2, 3, 7, 16, 17, 1000])
def test_a_secret_is_found_across_the_borders_of_what_comes_in(size):
    text = "".join(
        f"line {n} {form(value)}\n" for n, form in enumerate(FORMS.values()) for value in (KEY, ODD)
    ).encode()
    redactor = Redactor(SECRETS)
    said = (
        b"".join(redactor.feed(text[at : at + size]) for at in range(0, len(text), size)) + redactor.close()
    )
    assert said.decode() == redacted_text(text.decode(), SECRETS)[0]
    assert redactor.counts == redacted_text(text.decode(), SECRETS)[1]


@given(
    parts=st.lists(
        st.one_of(
            st.sampled_from(
                [KEY, KEY[:-1], KEY[:9], b64(KEY), b64("x" + KEY), b64(KEY)[:20], "sk-", "[redacted"]
            ),
            st.text("sk-ant01 \n", max_size=9),
        ),
        max_size=12,
    ),
    cuts=st.lists(st.integers(1, 60), max_size=20),
)
def test_how_a_stream_is_cut_changes_nothing(parts, cuts):
    data = "".join(parts).encode()
    redactor, said, at = Redactor(SECRETS), b"", 0
    for cut in cuts:
        said += redactor.feed(data[at : at + cut])
        at += cut
    said += redactor.feed(data[at:]) + redactor.close()
    whole = Redactor(SECRETS)
    assert said == whole.feed(data) + whole.close()
    assert redactor.counts == whole.counts
    assert KEY.encode() not in said


def test_what_cannot_be_a_secret_is_not_held_back():
    redactor = Redactor(SECRETS)
    assert redactor.feed(b"tool call: read\n") == b"tool call: read\n"
    assert redactor.feed(b"so: " + KEY[:20].encode()) == b"so: ", "it may go on"
    assert redactor.feed(b"!\n") == KEY[:20].encode() + b"!\n", "it did not"
    assert redactor.close() == b""


def test_bytes_that_are_no_text_pass_as_they_are():
    noise = random.Random(7).randbytes(100_000)
    redactor = Redactor(SECRETS)
    assert redactor.feed(noise) + redactor.close() == noise
    assert redactor.counts == {}
    assert redacted_text("\ud800 lone", SECRETS) == ("\ud800 lone", {})


def test_a_long_stream_is_searched_as_a_short_one_is(monkeypatch):
    monkeypatch.setattr(redaction, "_WARM_BYTES", 1000)
    redactor = Redactor({"LATE_KEY": KEY})
    said = [redactor.feed(f"{number} {KEY[:5]} {KEY}\n".encode()) for number in range(200)]
    assert b"".join(said).decode() == "".join(
        f"{number} {KEY[:5]} [redacted:LATE_KEY]\n" for number in range(200)
    )
    assert redactor.counts == {"LATE_KEY": 200}


def test_without_secrets_nothing_is_touched_or_held():
    redactor = Redactor({"SHORT": "1234567"})
    assert redactor.feed(b"1234567") == b"1234567"
    assert redactor.close() == b""


def test_of_two_names_with_one_value_the_first_counts_and_of_two_values_the_longer():
    secrets = {"B_KEY": KEY, "A_KEY": KEY, "LONG_KEY": KEY + "-and-more"}
    assert redacted_text(KEY, secrets) == ("[redacted:A_KEY]", {"A_KEY": 1})
    assert redacted_text(KEY + "-and-more", secrets) == ("[redacted:LONG_KEY]", {"LONG_KEY": 1})


def test_what_stands_for_a_secret_breaks_no_json_and_no_page():
    assert substitute('a"b\\c<d>') == "[redacted:a_b_c_d_]"


@pytest.mark.parametrize(
    ("name", "is_secret"),
    [
        ("OPENAI_API_KEY", True),
        ("APIKEY", True),
        ("GITHUB_TOKEN", True),
        ("MY_SECRET_THING", True),
        ("DB_PASSWORD", True),
        ("DB_PASSWD", True),
        ("SSH_PASSPHRASE", True),
        ("GOOGLE_APPLICATION_CREDENTIALS_JSON", True),
        ("secret_lower", True),
        ("KEYBOARD_LAYOUT", False),
        ("TOKENIZERS_PARALLELISM", False),
        ("HOME", False),
        ("EDITOR", False),
        ("NAMED_ONLY", True),
    ],
)
def test_which_variables_are_secrets(name, is_secret):
    assert (name in secrets_of({name: "a-value-of-some-length"}, ("NAMED_ONLY",))) == is_secret


def test_a_short_value_is_no_secret_and_neither_is_the_path_of_a_file(tmp_path):
    short, path = "x" * (MIN_LENGTH - 1), str(tmp_path)
    environ = {"A_KEY": short, "B_KEY": path, "C_KEY": path + "/nowhere", "D_KEY": "/a\0b-and-more"}
    assert secrets_of(environ) == {"C_KEY": path + "/nowhere", "D_KEY": "/a\0b-and-more"}
    assert secrets_of(environ, ("A_KEY", "B_KEY")).keys() == {"B_KEY", "C_KEY", "D_KEY"}, "a named one is one"
    assert forms_of(short) == (frozenset(), frozenset())


def test_a_value_is_found_without_the_line_end_that_a_file_gave_it():
    assert redacted_text(f"a {KEY} b", {"K_KEY": KEY + "\n"}) == ("a [redacted:K_KEY] b", {"K_KEY": 1})


def test_every_planted_secret_of_a_transcript_is_taken_out():
    """The table of the field notes: eleven kinds of secrets, each in every form, among lines of a transcript."""
    dice = random.Random(11)
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    made = {
        f"S{n}_TOKEN": prefix + "".join(dice.choices(letters + extra, k=size))
        for n, (prefix, extra, size) in enumerate(
            [
                ("sk-ant-api03-", "-_", 80), ("sk-or-v1-", "", 64), ("ghp_", "", 36), ("AKIA", "", 16),
                ("xoxb-", "-", 50), ("eyJhbGciOi", "-_.", 120), ("AIza", "-_", 35), ("hf_", "", 34),
                ("", "+/", 44), ("", "!$%&'\"\\<> ", 24), ("postgres://u:", "@:/", 30),
            ]
        )
    }  # fmt: skip
    planted, lines = 0, []
    for number in range(1000):
        name = dice.choice(list(made))
        form = dice.choice(list(FORMS.values()))
        lines.append(json.dumps({"id": dice.randbytes(8).hex(), "n": number}) + f" = {form(made[name])} ;")
        planted += 1
    said, counts = redacted_text("\n".join(lines), made)
    assert sum(counts.values()) == planted
    assert [fragment for value in made.values() for fragment in fragments(value, said)] == []
    assert said.count('{"id": "') == 1000
