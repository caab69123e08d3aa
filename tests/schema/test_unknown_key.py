"""What a wrong key is answered with: the near one, and all that its table has."""

from __future__ import annotations

import pytest

from benchctl.schema.suite import Suite
from benchctl.schema.unknown_key import unknown_key


@pytest.mark.parametrize(
    ("path", "near", "also"),
    [
        (("run", "rep"), "reps", "spend_usd"),
        (("caps", "usd"), "cost_usd", "wall_s"),
        (("repos", "shop", "exclud"), "exclude", "kind"),
        (("repos", "prepare", "exclud"), "exclude", "kind"),
        (("repos", "shop", "prepare", "arg"), "argv", "network"),
        (("questions", 3, "golds"), "gold", "class"),
        (("questions", 3, "gold", "item"), "items", "target"),
        (("arms", "mcp", "servers", "find", "tool"), "tools", "argv"),
        (("agents", "bot", "inject", "API_URL", "secrets"), "secret", "upstream"),
        (("agents", "bot", "reply", "sesion"), "session", "cost_usd"),
    ],
)
def test_the_near_key_and_all_others_of_the_same_table_are_named(path, near, also):
    said = unknown_key(Suite, path)
    assert f"did you mean `{near}`?" in said
    assert also in said.split("one of ")[1].split(", ")


def test_a_key_that_is_like_none_gets_the_list_alone():
    assert unknown_key(Suite, ("goals", 0, "zzz")) == "is no key of this table; one of assertion, id, title"
    assert "one of assertion, id, title" not in unknown_key(Suite, ("nowhere", "zzz"))
