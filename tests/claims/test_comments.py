"""A comment hides its numbers only where every renderer takes it for one; any other that holds some is a problem."""

import pytest

from benchctl.claims.reading.page import Page

DISPUTED = [
    "It ran <!-- x --!> 777 things <!-- -->.",  # a browser ends a comment at `--!>`
    "<!-- x --!>\n\n777 things\n\n<!-- -->",
    "<!-- x -- > 777 things -->",  # and an older parser at `-- >`
    "a <!-- 777 -- x --> b",  # no comment of a paragraph on GitHub
    '<a title="<!--">777 things</a> -->',
    "<a title='<!--'>777 things</a> -->",
    "<div <!-- > 777 things -->",
    '<div\ntitle="<!--">777 things -->',
    "<div>\n\n<span <!-- > 777 things -->\n</div>",
    'x <a title="\n<!--\n\n777 things\n\n-->">',
    "<![CDATA[<!--]]> 777 things -->",
    "<![CDATA[\n<b>x</b>\n<span <!-- > 777 -->",
    "<?<!--?> 777 things -->",
    "<!X <!-- > 777 -->",
    "para <!-- x\n\n777 things\n\n-->",
    "para <!-- x\n# 777 things -->",
    "para <!-- x\n#777 things -->",
    "para <!-- x\n- 777 things -->",
    "a <!--\n***\n777 -->",
    "- a <!-- x\n- 777 things\n- -->",
    "# <!--\n\n777 things\n\n-->",
    "# a <!--\n777 things -->",
    "para\n\n    <!--\n\n777 things\n\n    -->",
    "\t<!--\n777 things -->",
    "> <!--\n\n777 things\n\n-->",
    "> <!--\n>\n> 777 things\n>\n> -->",
    "- <!--\n\n777 things\n\n-->",
    "- x\n  <!--\n777 things\n-->",
    "<div>\n<!--\n\n777 things\n\n-->\n</div>",
    "<!--\n777 things\n```\n-->\n```",
    '=== "a <!-- b"\n\n    777 things\n\n-->',
    '!!! note "<!--"\n    777 things -->',
    "[^<!--]: x\n\n777 -->",
    "[a](<!--) 777 things -->",
    "[a](x (<!--) 777 things -->",
    "[<!--](x) 777 things -->",
    "![<!--](x.png) 777 things -->",
    "[<!--] 777 things -->\n\n[<!--]: x",
    "a <!-- 777 [ --> x](y)",
    "a <!-- 777 [x](y --> b)",
    "a <!-- 777 ` --> b ` c",
    "a <!-- 777 \\--> b",
    "a <!-- 777 <!-- b --> c",
    "<script>/*<!--*/</script> 777 things -->",
    "<textarea><!--</textarea> 777 things -->",
    "<title><!--</title> 777 things -->",
    "<style><!-- </style> 777 things -->",
    "<!-->\n\n777 things\n\n<!-- -->",
    "para <!-- x\n\nseven things\n\n-->",
    "para <!-- x\n\nse**ve**n things\n\n-->",
    "para <!-- x\n\n&#55; things\n\n-->",
    "para <!-- = count\n\n-->",  # a marker of ours
]


@pytest.mark.parametrize("text", DISPUTED)
def test_a_disputed_comment_with_a_number_is_a_problem(text):
    whats = [problem.what for problem in Page("p.md", f"It ran.\n\n{text}\n").problems]
    assert any("renderers disagree whether this is a comment" in what for what in whats)


AGREED = [
    "24.0<!--= count[arm=grep] --> cells",
    "| 24<!--= count[arm=grep, wall_s>3] --> | [24<!--= count -->](x.md) |",
    "**7<!--exempt: half open [0, 7) -->** and (0, 7]<!--exempt: closed (0, 7] --> [x](y)",
    "a < 3, p<n and 7<!--= count --> x > 2",
    "if a <b then 7<!--= count --> x",
    '<td title="a">7<!-- 7 --></td>',
    "<p align=center>\n7<!-- 7 -->\n</p>",
    "<!-- 7 -- 7 -->",
    "<!-- ----- 2026 ----- -->",
    "<!--\n\n7 things\n\n-->",
    "   <!-- 7\n\n   7 -->",
    "para\n<!--\n\n7\n\n-->\npara",
    "<!--\n```\n7\n```\n-->",
    "- x\n  <!-- 7\n  7 -->\n",
    "- x <!-- 7 -->\n- <!-- 7 --> y",
    "- <!-- x\n  7 -->",
    "> 7<!-- 7 -->\n> <!-- x\n> 7 -->",
    "text <!-- x\n7 --> more",
    "!!! note\n\n    7<!-- 7 --> x\n\n    <!--claims: 7 = count;\n    8 = count -->\n    7 and 8\n",
    '!!! note "It ran 7<!-- 7 --> cells"\n    x',
    "# Head 7<!-- 7 -->",
    "`<!--` 7 `-->`",
    "```\n<script>\n<!--\n```\n\n7<!-- 7 -->",
    "`<script>` and 7<!-- 7 -->",
    "<!-- <script> <![CDATA[ <? -->\n\n7<!-- 7 -->",
    "<!DOCTYPE html>\n<script>x</script>\n\n7<!-- 7 -->",
    "<!-- ` -->\n\n7<!-- 7 -->",
    "\ufeff<!-- benchctl: run=r9 -->",
    "[a](b) f[x](y z) 7<!-- 7 -->",
    "[x](unclosed and\n\n7<!-- 7 -->",
    "<!--[if IE]> 7 <![endif]-->",
]


@pytest.mark.parametrize("text", AGREED)
def test_what_every_renderer_hides_is_no_problem(text):
    assert Page("p.md", f"{text}\n").problems == []


@pytest.mark.parametrize(
    "text",
    ["para <!-- x\n\none thing\n\n-->", '<a title="<!--">a</a> -->', "> <!--\n\nx\n\n-->", "# <!--\n-->"],
)
def test_a_disputed_comment_without_a_number_says_nothing(text):
    assert Page("p.md", text).problems == []
