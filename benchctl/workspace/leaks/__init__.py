"""Is the answer key in a tree that a cell would see, or in what an agent wrote.

A canary is exact: whatever holds it was written by this suite. A prompt is looked for in parts, an answer by its
items; all after normalisation, so that wrapping, comment signs, quoting, case, width, letters without a shape
and the escapes of JSON, HTML and URLs do not hide them, and with what is compressed, archived or encoded opened.
Left out: a paraphrase that shares no four words in a row with a quarter of the prompt, ciphers, pictures, sound.
"""

from __future__ import annotations

from benchctl.workspace.leaks.cache import VerdictCache, cache_folder
from benchctl.workspace.leaks.hit import Hit
from benchctl.workspace.leaks.needles import Needles
from benchctl.workspace.leaks.prompts import DECISIVE_WINDOWS, windows
from benchctl.workspace.leaks.scan import Scanner, scan_objects, scan_text, scan_tree
from benchctl.workspace.leaks.search import Search
from benchctl.workspace.leaks.verdict import Verdict, examine
from benchctl.workspace.leaks.words import normalise

__all__ = [
    "DECISIVE_WINDOWS",
    "Hit",
    "Needles",
    "Scanner",
    "Search",
    "Verdict",
    "VerdictCache",
    "cache_folder",
    "examine",
    "normalise",
    "scan_objects",
    "scan_text",
    "scan_tree",
    "windows",
]
