"""Questions about code as long as real ones are, and the ways in which a copy of one looks like something else."""

import base64
import gzip
import html
import io
import json
import random
import textwrap
import urllib.parse
import zipfile

PROMPTS = dict(
    enumerate(
        (
            "Which function decides that an idle connection is closed, and which configuration key changes that time?",
            "Where are uploaded pictures checked for their size before they are stored on the disk?",
            "List every class that implements the retry protocol, with the path of its file.",
            "What happens to a queued job when its worker loses the lease in the middle of the work?",
            "Name all callers of parse_header outside of the test folder, one qualified name a line.",
            "Which environment variables does the scheduler read at start, and which of them have no default?",
            "How does the cache know that an entry of another shard has become stale?",
            "Find the code that turns a failed payment into a mail to the customer.",
            "Which modules import the deprecated settings object, directly or through a re-export?",
            "In which order are the middlewares applied to a request that carries no session cookie?",
            "Which database migrations cannot be undone, and what does each of them delete?",
            "Where is the rate limit for anonymous users enforced, and what status does it answer with?",
            "Which public methods of the storage client may raise a timeout that nobody catches?",
            "Trace how a webhook gets from the router to the table that records its delivery.",
            "What does the importer do with a row whose currency is missing or unknown?",
            "Which two places must be edited so that a new export format appears in the menu?",
            "Who writes to the audit log when an administrator impersonates another account?",
            "Which feature flags are read in templates rather than in views, and by which name?",
            "How many levels of nesting may a comment have, and where is the limit written down?",
            "Which tests would fail if the tokenizer stopped folding the case of hostnames?",
            "Why can two workers never pick up the same message, and which lock makes sure of that?",
            (
                "The billing service rounds an invoice in three places. Name each of them by file and function, say which "
                "rounding rule it applies, and state which one wins when a discount and a tax are both in force."
            ),
            (
                "Which functions must be called, in which order, from the moment that a user presses the button to cancel "
                "a subscription until the moment that the last reminder mail is taken out of the queue? Answer with one "
                "qualified name per line and nothing else."
            ),
            (
                "List every place in this repository where a file handle is opened without a context manager and not closed "
                "on all paths. Answer with a JSON list of strings of the form path::function, sorted, without duplicates."
            ),
            (
                "A search for a phrase with an umlaut finds nothing although the document is indexed. Explain which step of "
                "the analysis chain is responsible, which setting turns it off, and which existing test shows the behaviour."
            ),
            (
                "Suppose that the clock of the primary jumps back by ten minutes. Which of the background tasks would then "
                "run twice, which would not run at all, and which one has a guard against exactly that? Name functions."
            ),
            (
                "Which of the adapters silently drops the time zone of a date when it writes to the legacy interface, and "
                "which constant would have to change so that the zone is kept for customers of the southern region?"
            ),
            (
                "Find all methods that override `serialize` without calling the method of their base class, and for each of "
                "them name the field that gets lost because of it. Leave out classes that are marked as abstract."
            ),
            (
                "When the command line tool is started with both a profile and an explicit endpoint, which of the two is used "
                "for uploads, which for downloads, and in which function is the difference made?"
            ),
        )
    )
)
PROMPTS = {f"question-{number:02}": prompt for number, prompt in PROMPTS.items()}

_SYNONYMS = {
    "list": "enumerate",
    "name": "give",
    "find": "locate",
    "function": "routine",
    "functions": "routines",
    "file": "document",
    "class": "type",
    "classes": "types",
    "method": "operation",
    "methods": "operations",
    "called": "invoked",
    "callers": "users",
    "settings": "options",
    "setting": "option",
    "places": "spots",
    "answer": "reply",
    "repository": "project",
    "customer": "client",
    "happens": "occurs",
    "decides": "determines",
    "user": "person",
    "users": "people",
    "tests": "checks",
    "test": "check",
}


def _notebook(text):
    cells = [{"cell_type": "markdown", "source": textwrap.fill(text, 60).splitlines(keepends=True)}]
    return json.dumps({"cells": cells, "nbformat": 4}, indent=1)


def _concatenated(text):
    return " +\n    ".join(json.dumps(line + " ") for line in textwrap.wrap(text, 30))


def _docx(text):
    """Return a document as an editor writes it: a run ends wherever a proof-reader or a cursor was."""
    runs = [text[at : at + 17] for at in range(0, len(text), 17)]
    body = "".join(
        f'<w:r><w:rPr><w:lang w:val="en-US"/></w:rPr><w:t xml:space="preserve">{html.escape(run)}</w:t></w:r>'
        for run in runs
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", f"<w:document><w:body><w:p>{body}</w:p></w:body></w:document>")
    return out.getvalue()


def _clauses_reordered(text):
    for mark in (";", ". ", ", "):
        if mark in text:
            parts = text.split(mark)
            return mark.join([*parts[1:], parts[0]])
    words = text.split()
    return " ".join(words[len(words) // 2 :] + words[: len(words) // 2])


def _dropped(share):
    def drop(text):
        dice = random.Random(text)
        return " ".join(word for word in text.split() if dice.random() >= share)

    return drop


def _quotation(text):
    words = text.split()
    start = (len(words) - 8) // 2
    return f'He asked: "{" ".join(words[start : start + 8])}", more or less.'


def _paraphrase(text):
    return " ".join(_SYNONYMS.get(word.strip(",.?").lower(), word) for word in text.split())


def _wrapped(prefix, width=60):
    return lambda text: textwrap.fill(text, width, initial_indent=prefix, subsequent_indent=prefix)


DISGUISES = {
    # name: (how, the least share of the prompts that must be found, per cent)
    "verbatim": (str, 100),
    "wrapped at 40 columns": (lambda text: textwrap.fill(text, 40), 100),
    "line comments": (_wrapped("// "), 100),
    "block comment": (lambda text: "/*\n" + _wrapped(" * ")(text) + "\n */", 100),
    "hash comments": (_wrapped("    # ", 50), 100),
    "quoted mail": (_wrapped("> > "), 100),
    "concatenated strings": (_concatenated, 100),
    "upper case": (str.upper, 100),
    "curly quotes and hard spaces": (lambda text: f"“{text}”".replace(" ", "\u00a0"), 100),
    "zero-width letters": ("\u200b".join, 100),
    "full width": (lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text), 100),
    "UTF-16": (lambda text: text.encode("utf-16"), 100),
    "UTF-16 without a mark": (lambda text: text.encode("utf-16-be"), 100),
    "UTF-32": (lambda text: text.encode("utf-32-le"), 100),
    "UTF-16 in a binary": (
        lambda text: b"\x7fELF\x02\x01" + bytes(range(200)) * 40 + text.encode("utf-16-le"),
        100,
    ),
    "JSON": (lambda text: json.dumps({"prompt": text}), 100),
    "JSON in JSON": (lambda text: json.dumps({"body": json.dumps({"prompt": text})}), 100),
    "JSON, every letter escaped": (lambda text: "".join(f"\\u{ord(c):04x}" for c in text), 100),
    "HTML entities": (html.escape, 100),
    "HTML with marks": (lambda text: " ".join(f"<b>{w[:2]}</b>{w[2:]}" for w in text.split()), 100),
    "notebook": (_notebook, 100),
    "markdown bold": (lambda text: " ".join(f"**{word}**" for word in text.split()), 100),
    "markdown code": (lambda text: " ".join(f"`{word}`" for word in text.split()), 100),
    "URL": (lambda text: "https://x.example/?q=" + urllib.parse.quote(text), 100),
    "URL form": (lambda text: urllib.parse.urlencode({"q": text}), 100),
    "gzip": (lambda text: gzip.compress(text.encode()), 100),
    "docx": (_docx, 100),
    "base64": (lambda text: base64.b64encode(text.encode()), 100),
    "base64 in lines": (lambda text: base64.encodebytes(text.encode()), 100),
    "base64 in JSON": (lambda text: json.dumps({"b": base64.encodebytes(text.encode()).decode()}), 100),
    "base64 of gzip": (lambda text: b"data: " + base64.b64encode(gzip.compress(text.encode())), 100),
    "hex": (lambda text: text.encode().hex(), 100),
    "first half": (lambda text: " ".join(text.split()[: len(text.split()) // 2]), 86),
    "one quotation of 8 words": (_quotation, 68),
    "clauses reordered": (_clauses_reordered, 100),
    "10 % of the words dropped": (_dropped(0.10), 93),
    "25 % of the words dropped": (_dropped(0.25), 86),
    "synonyms": (_paraphrase, 86),
}


def disguised(name, prompt):
    """Return the bytes of a file that holds a prompt in a disguise."""
    made = DISGUISES[name][0](prompt)
    if isinstance(made, bytes):
        return made
    return f"Some text that stands before.\n{made}\nAnd some that stands behind it.\n".encode()
