"""Secrets taken out of 100 MB of transcripts as they come in, against a regular expression that names the usual shapes."""

import base64
import json
import random
import re
import time
from urllib.parse import quote

from benchctl.workspace.redaction import Redactor

SIZE = 100_000_000
CHUNK = 65_536
PLANTED = 1015
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
SHAPES = re.compile(
    rb"sk-ant-[\w-]{20,}|sk-[\w-]{20,}|gh[pousr]_\w{36}|AKIA[0-9A-Z]{16}|xox[bpars]-[\w-]{10,}"
    rb"|eyJ[\w-]{10,}|-----BEGIN [A-Z ]*PRIVATE KEY-----|AIza[\w-]{35}|hf_\w{34}"
)
KINDS = (
    ("sk-ant-api03-", 80), ("sk-or-v1-", 64), ("ghp_", 36), ("AKIA", 16), ("xoxb-", 50), ("eyJhbGciOi", 120),
    ("AIza", 35), ("hf_", 34), ("", 44), ("", 24),
)  # fmt: skip
FORMS = (
    lambda value: value,
    json.dumps,
    lambda value: json.dumps(json.dumps(value)),
    lambda value: quote(value, safe=""),
    lambda value: base64.b64encode(value.encode()).decode(),
    lambda value: base64.b64encode(f"u{value}".encode()).decode(),
    lambda value: base64.b64encode(f"ux{value}".encode()).decode(),
)


def secrets(dice):
    made = {
        f"S{n}_KEY": prefix + "".join(dice.choices(LETTERS, k=size)) for n, (prefix, size) in enumerate(KINDS)
    }
    lines = [base64.b64encode(dice.randbytes(48)).decode() for _ in range(25)]
    return made | {
        "PEM_KEY": "\n".join(["-----BEGIN PRIVATE KEY-----", *lines, "-----END PRIVATE KEY-----", ""])
    }


def transcripts(dice, made):
    """Return SIZE bytes of JSON Lines, PLANTED of which hold a secret in one of its forms."""
    words = [
        json.dumps({"n": n, "text": dice.randbytes(200).hex() + " read the file and found " * 20})
        for n in range(997)
    ]
    lines = [dice.choice(words) for _ in range(SIZE // 900)]
    for at in dice.sample(range(len(lines)), PLANTED):
        lines[at] += f" {dice.choice(FORMS)(made[dice.choice(list(made))])} ;"
    return "\n".join(lines).encode()


def passed(redactor, data):
    parts = [redactor.feed(data[at : at + CHUNK]) for at in range(0, len(data), CHUNK)]
    return b"".join([*parts, redactor.close()])


def fragments(made, data):
    """Return how many pieces of 16 letters of the secrets, as they are or in Base64, the data still hold."""
    pieces = set()
    for value in made.values():
        for line in [value] if "\n" not in value else [line for line in value.split("\n") if line[:1] != "-"]:
            texts = [
                line,
                *(base64.b64encode(bytes(shift) + line.encode()).decode()[4:-4] for shift in range(3)),
            ]
            pieces.update(
                text[at : at + 16].encode() for text in texts for at in range(0, len(text) - 15, 16)
            )
    return sum(piece in data for piece in pieces)


def main():
    dice = random.Random(5)
    made = secrets(dice)
    data = transcripts(dice, made)
    few = dict(list(made.items())[:2])
    for name, known in (("two keys", few), ("eleven kinds, one of them PEM", made)):
        began = time.perf_counter()
        redactor = Redactor(known)
        built, began = time.perf_counter() - began, time.perf_counter()
        said = passed(redactor, data)
        took = time.perf_counter() - began
        print(
            f"{name}: {len(data) / took / 1e6:.0f} MB/s, {1000 * built:.0f} ms to prepare, {sum(redactor.counts.values())} taken out"
        )
    print(
        f"of {PLANTED} planted secrets {sum(redactor.counts.values())} taken out, {fragments(made, said)} fragments left"
    )
    began = time.perf_counter()
    found = len(SHAPES.findall(data))
    print(
        f"a regular expression of known shapes: {len(data) / (time.perf_counter() - began) / 1e6:.0f} MB/s, {found} found"
    )


if __name__ == "__main__":
    main()
