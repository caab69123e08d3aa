import pytest

from benchctl.schema.source import TomlLines

TEXT = '''title = "x"
[repos.click]
kind = "package"

[[questions]]
id = "a"
prompt = """
id = "not a key"
"""
gold = { items = ["x"] }
[[questions]]
id = "b"
[questions.gold]
target = "m:f"
[arms."grep.2"]
"odd key" = 1
text = \'\'\'one line\'\'\'
a.b = 2
# [commented]
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), 1),
        (("title",), 1),
        (("repos", "click", "kind"), 3),
        (("repos", "click", "absent"), 2),  # the nearest table above
        (("questions", 0), 5),
        (("questions", 0, "id"), 6),
        (("questions", 0, "prompt"), 7),
        (("questions", 0, "gold", "items"), 10),  # an inline table has its key's line
        (("questions", 1, "id"), 12),
        (("questions", 1, "gold", "target"), 14),  # a table inside the last element of an array
        (("arms", "grep.2", "odd key"), 16),
        (("arms", "grep.2", "text"), 17),
        (("arms", "grep.2", "a", "b"), 18),
        (("nowhere",), 1),
    ],
)
def test_a_key_has_the_line_it_stands_on(path, line):
    assert TomlLines(TEXT).line(path) == line


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ((), (1, 1)),
        (("repos", "click"), (2, 2)),
        (("arms", "grep.2", "odd key"), (16, 1)),
        (("arms", "grep.2", "a", "b"), (18, 1)),
        (("nowhere", 3), (1, 1)),
    ],
)
def test_a_key_has_its_column_too(path, place):
    assert TomlLines(TEXT).place(path) == place


def test_a_text_in_quotes_has_a_place_below_its_key():
    lines = TomlLines('[claims]\npages = [\n  "a.md", \'b.md\',\n]\n[other]\n  x = "c.md"\n')
    assert lines.place_of(("claims", "pages"), "a.md") == (3, 3)
    assert lines.place_of(("claims", "pages"), "b.md") == (3, 11)
    assert lines.place_of(("other", "x"), "a.md") == (6, 3)
