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
