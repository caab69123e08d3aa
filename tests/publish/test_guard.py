"""Built HTML: what may stand, and everything that may not."""

from __future__ import annotations

import pytest

from benchctl.errors import MarkupRefusedError
from benchctl.publish.guard import (
    check_html,
    check_site,
    content_security_policy,
    inline_scripts,
    script_hash,
)

KNOWN = "var known=1"
ALLOWED = frozenset({script_hash(KNOWN)})


@pytest.mark.parametrize(
    "html",
    [
        f"<script>{KNOWN}</script>",
        '<script src="assets/x.js"></script><script src="../x.js"></script><script src="/base/x.js"></script>',
        '<script id="__config" type="application/json">{"base": "."}</script>',
        '<a href="https://example.org">out</a><a href="#x">here</a><a href="../y/">there</a>',
        '<a href="mailto:a@example.org">write</a>',
        '<link rel="canonical" href="https://example.org/"><link rel="next" href="https://example.org/2">',
        '<link rel="stylesheet" href="assets/main.css"><link rel="icon" href="data:image/png;base64,AA==">',
        '<img src="x.png" srcset="a.png 1x, b.png 2x"><img src="data:image/png;base64,AA==">',
        '<style>:root{--x:url("data:image/svg+xml;utf8,x")} a{fill:url(#clip)}</style><p style="color: red">x</p>',
        "<p>&lt;script&gt;alert(1)&lt;/script&gt; onerror=alert(1) javascript:alert(1)</p>",
        '<form name="search"></form><p data-on="x">not a handler</p>',
        "<pre>&lt;img src=x onerror=1&gt;</pre>",
    ],
)
def test_what_may_stand(html):
    assert check_html(html, allowed=ALLOWED) == []


@pytest.mark.parametrize(
    ("html", "word"),
    [
        ("<script>var other=1</script>", "not on the list"),
        (f"<script>{KNOWN} </script>", "not on the list"),  # one blank more is another script
        ("<script type='module'>import 'x'</script>", "not on the list"),
        ("<script type='importmap'>{}</script>", "not on the list"),
        ("<script/>alert(1)</script>", "not on the list"),
        ("<svg><script>alert(1)</script></svg>", "not on the list"),
        ("<script>never ends", "never ends"),
        ("<script src='//evil.example/x.js'></script>", "loads"),
        ("<script src='https://evil.example/x.js'></script>", "loads"),
        ("<script src='data:text/javascript,alert(1)'></script>", "loads"),
        ("<img src=x onerror=alert(1)>", "handler"),
        ("<IMG SRC=x ONERROR=alert(1)>", "handler"),
        ("<img/src='x'/onerror=alert(1)>", "handler"),
        ("<details ontoggle=alert(1) open>", "handler"),
        ("<svg onload=alert(1)>", "handler"),
        ("<a href='javascript:alert(1)'>x</a>", "javascript:"),
        ("<a href=' \tjava\nscript:alert(1)'>x</a>", "javascript:"),
        ("<a href='&#106;avascript:alert(1)'>x</a>", "javascript:"),
        ("<a href='data:text/html,<script>'>x</a>", "data:"),
        ("<a href='vbscript:x'>x</a>", "vbscript:"),
        ("<svg><a xlink:href='javascript:alert(1)'>x</a></svg>", "javascript:"),
        ("<svg><set attributeName=href to='javascript:alert(1)'/></svg>", "javascript:"),
        ("<img src='https://evil.example/p.png'>", "loads"),
        ("<img src='\\\\evil.example/p.png'>", "loads"),
        ("<img srcset='a.png 1x, https://evil.example/p.png 2x'>", "loads"),
        ("<link rel='stylesheet' href='https://fonts.example/x.css'>", "loads"),
        ("<link rel='preconnect' href='https://fonts.example'>", "loads"),
        ("<iframe src='https://evil.example'></iframe>", "loads"),
        ("<iframe srcdoc='x'></iframe>", "loads"),
        ("<object data='https://evil.example/x.swf'></object>", "loads"),
        ("<video poster='//evil.example/p.png'></video>", "loads"),
        ("<form action='https://evil.example'></form>", "loads"),
        ("<button formaction='javascript:alert(1)'>x</button>", "loads"),
        ("<svg><image href='https://evil.example/p.png'/></svg>", "loads"),
        ("<svg><use href='https://evil.example/p.svg#x'/></svg>", "loads"),
        ("<p style='background:url(https://evil.example/p.png)'>x</p>", "style"),
        ("<style>@import '//evil.example/x.css';</style>", "style"),
        ("<base href='https://evil.example/'>", "base"),
        ("<meta http-equiv='Refresh' content='0;url=https://evil.example'>", "redirect"),
    ],
)
def test_what_may_not(html, word):
    problems = check_html(f"<p>\n{html}", allowed=ALLOWED)
    assert problems
    assert word in problems[0]
    assert problems[0].startswith("2: ") or "\n" in html


def test_the_sites_own_address_may_be_written_out():
    html = "<img src='https://me.example/x.png'><img src='https://me.example.evil/x.png'>"
    assert len(check_html(html, allowed=ALLOWED, own_origin="https://me.example")) == 1


def test_a_page_cannot_authorise_its_own_script():
    page = f"<script>{KNOWN}</script><script>alert(1)</script>"
    assert inline_scripts(page) == (KNOWN, "alert(1)")
    assert len(check_html(page, allowed=ALLOWED)) == 1


def test_every_problem_of_every_page_is_named_once(tmp_path):
    (tmp_path / "a.html").write_text("<p onclick=x>\n<script>1</script>")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "index.html").write_text("<iframe src=//x></iframe>")
    with pytest.raises(MarkupRefusedError) as caught:
        check_site(tmp_path, allowed=ALLOWED)
    for place in ("a.html:1:", "a.html:2:", "b/index.html:1:"):
        assert str(caught.value).count(place) == 1


def _findings(tmp_path):
    with pytest.raises(MarkupRefusedError) as caught:
        check_site(tmp_path, allowed=ALLOWED)
    return caught.value, caught.value.what.splitlines()[1:]


def test_what_a_theme_puts_on_every_page_is_one_finding_and_never_hides_a_pages_own(tmp_path):
    for number in range(30):
        folder = tmp_path.joinpath(*["deep"] * (number % 4), f"p{number:02}")
        folder.mkdir(parents=True)
        up = "/".join([".."] * (number % 4 + 1))
        (folder / "index.html").write_text(
            f"<link rel=stylesheet href=https://fonts.example/x.css>\n<script>var base_url = '{up}'</script>"
        )
    (tmp_path / "z.html").write_text("<p onclick=x></p><script>one()</script>")
    error, lines = _findings(tmp_path)
    assert len(lines) == 4
    assert lines[0].startswith("  z.html:1: <p onclick=…>")
    assert lines[1].endswith(script_hash("one()")), "what `allow_scripts` takes"
    assert all("(30 times, here first)" in line for line in lines[2:])
    assert sum("deep/deep/deep/p03/index.html:" in line for line in lines[2:]) == 2
    for way in ("`theme: material` with `font: false`", "`allow_scripts`", "`guard: false`"):
        assert way in error.next_step


@pytest.mark.parametrize(("kinds", "shown"), [(10, 10), (11, 10), (40, 10)])
def test_no_more_than_ten_lines_are_said(tmp_path, kinds, shown):
    (tmp_path / "a.html").write_text("".join(f"<script>s{number}()</script>" for number in range(kinds)))
    _, lines = _findings(tmp_path)
    assert len(lines) == shown
    assert (lines[-1] == f"  and {kinds - 9} more kinds of finding, {kinds - 9} in all") == (kinds > 10)


def test_a_site_without_pages_is_no_clean_site(tmp_path):
    with pytest.raises(MarkupRefusedError, match="no built page"):
        check_site(tmp_path, allowed=ALLOWED)


def test_a_clean_site_is_counted(tmp_path):
    (tmp_path / "a.html").write_text(f"<script>{KNOWN}</script>")
    assert check_site(tmp_path, allowed=ALLOWED) == 1


def test_the_policy_allows_nothing_by_default_and_no_unsafe_script():
    policy = content_security_policy(ALLOWED)
    directives = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert directives["default-src"] == "'none'"
    assert directives["script-src"] == f"'self' '{script_hash(KNOWN)}'"
    for name in ("object-src", "base-uri", "form-action"):
        assert directives[name] == "'none'"
    assert "http" not in policy
    assert '"' not in policy
