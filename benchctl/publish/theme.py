"""What the site's theme itself puts inline: its scripts, rendered from its own templates and nothing else.

No page takes part in making this list, so nothing that a page holds can get onto it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchctl.publish.guard import inline_scripts, script_hash

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["theme_script_hashes", "with_policy"]

_PARTIALS = "partials/javascripts/"
_DEEPEST = 16


def theme_script_hashes(env: Environment, config: Any) -> frozenset[str]:
    """Return the hashes of Material's inline scripts under this configuration; empty for a theme without such partials.

    `extra.scope` must be set: without it one of them differs from page to page.
    """
    depths = [".", *("/".join([".."] * depth) for depth in range(1, _DEEPEST))]
    hashes: set[str] = set()
    for name in env.list_templates(filter_func=lambda name: name.startswith(_PARTIALS)):
        template = env.get_template(name)
        for base_url in depths:
            html = template.render(
                config=config, base_url=base_url, features=config.theme.get("features", [])
            )
            hashes.update(script_hash(script) for script in inline_scripts(html))
    return frozenset(hashes)


def with_policy(html: str, policy: str) -> str:
    """Return a page whose head begins with its Content Security Policy and a referrer policy.

    First in the head, because a policy does not bind what stands before it.
    """
    meta = (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="referrer" content="no-referrer">'
    )
    start = html.find("<head>")
    if start < 0:
        return html
    at = start + len("<head>")
    return f"{html[:at]}{meta}{html[at:]}"
