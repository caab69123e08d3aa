"""The list of inline scripts comes from the theme's own files and is the same for every page."""

from __future__ import annotations

import pytest
from mkdocs.config import load_config

from benchctl.publish.guard import script_hash
from benchctl.publish.theme import theme_script_hashes, with_policy


def _hashes(tmp_path, **extra):
    (tmp_path / "docs").mkdir(exist_ok=True)
    (tmp_path / "mkdocs.yml").write_text("site_name: x\ntheme:\n  name: material\n  font: false\n")
    config = load_config(str(tmp_path / "mkdocs.yml"))
    config.extra.update(extra)
    return theme_script_hashes(config.theme.get_env(), config)


def test_the_list_is_fixed_by_the_scope_alone(tmp_path):
    root, base = _hashes(tmp_path, scope="/"), _hashes(tmp_path, scope="/base/")
    assert _hashes(tmp_path, scope="/") == root
    assert len(root - base) == 1, "one script names the scope"
    assert root & base


def test_nothing_else_is_on_it(tmp_path):
    assert script_hash("alert(1)") not in _hashes(tmp_path, scope="/")


@pytest.mark.parametrize("html", ["<p>no head</p>", ""])
def test_a_fragment_is_left_alone(html):
    assert with_policy(html, "default-src 'none'") == html


def test_the_policy_comes_first_in_the_head():
    page = with_policy("<html><head><script>x</script></head></html>", "default-src 'none'")
    assert page.startswith(
        '<html><head><meta http-equiv="Content-Security-Policy" content="default-src \'none\'">'
    )
