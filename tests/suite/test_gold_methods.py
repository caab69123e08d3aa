"""Both gold methods on a tree made of the cases that make callers hard to find."""

import sys
import sysconfig

import pytest
from callers_suite import FOLDER, derive, derived, write

METHODS = ("by_ast", "by_jedi")
each_method = pytest.mark.parametrize("method", METHODS)

TREE = {
    "pkg/__init__.py": "from .tools import send as send\nfrom .tools import send as post\nfrom . import tools\n",
    "pkg/tools.py": '''
import functools


def send(x):
    """Call send(1) to send."""
    return send(x - 1) if x else 0


dispatch = send
other = functools.partial(send)


def unrelated():
    return "send(1)"  # send(2)
''',
    "pkg/calls.py": """
import pkg
import pkg.tools
import pkg.tools as t
from pkg import post
from pkg import send
from pkg.tools import dispatch, send as rename
from .tools import *


def by_name():
    return send(1)


def by_new_name():
    return rename(1) + post(2)


def by_module():
    return pkg.tools.send(1)


def by_module_alias():
    return t.send(1)


def by_package():
    return pkg.send(1)


def by_assignment():
    return dispatch(1)


def imports_inside():
    from .tools import send as inner
    return inner(1)


async def awaited():
    yield send(1)


def outer():
    def nested():
        return send(1)
    return nested


def in_lambda():
    return lambda: send(1)


def in_comprehension():
    return [send(x) for x in range(3)]


def in_fstring():
    return f"{send(1)}"


class Box:
    size = send(1)

    def method(self):
        return send(self.size)

    class Inner:
        def deep(self):
            return send(2)


def local_class():
    class Local:
        def go(self):
            return send(1)
    return Local


send(0)
""",
    "pkg/decoys.py": """
from pkg.tools import send, unrelated
from os import path as other_send


def parameter(send):
    return send(1)


def local():
    send = len
    return send("x")


def local_def():
    def send():
        return 1
    return send()


def hands_over():
    return map(send, [1])


def loop():
    for send in (len, str):
        send("x")


def text():
    # send(1)
    return "send(1)"


class Mailer:
    def send(self, x):
        return x

    def go(self):
        return self.send(1)


def methods(mailer, m: Mailer):
    mailer.send(1)
    m.send(1)
    Mailer().send(2)
    return unrelated()
""",
    "pkg/edges.py": """
from pkg.tools import send


def default(x=send(1)):
    return x


@send(2)
def decorated():
    return 1


class Holder:
    @send(3)
    def method(self, y=send(4)):
        return y


def rebinds_a_global():
    global alias
    alias = send


class Named:
    send = len

    def method(self):
        return send(3)
""",
}

CALLERS = [
    "pkg/calls.py::<module>",
    "pkg/calls.py::Box.Inner.deep",
    "pkg/calls.py::Box.method",
    "pkg/calls.py::awaited",
    "pkg/calls.py::by_assignment",
    "pkg/calls.py::by_module",
    "pkg/calls.py::by_module_alias",
    "pkg/calls.py::by_name",
    "pkg/calls.py::by_new_name",
    "pkg/calls.py::by_package",
    "pkg/calls.py::imports_inside",
    "pkg/calls.py::in_comprehension",
    "pkg/calls.py::in_fstring",
    "pkg/calls.py::in_lambda",
    "pkg/calls.py::local_class.Local.go",
    "pkg/calls.py::outer.nested",
    "pkg/edges.py::<module>",
    "pkg/edges.py::Named.method",
    "pkg/tools.py::send",
]

METHOD_TREE = {
    "m.py": """
class Base:
    def run(self):
        return 1

    def twice(self):
        return self.run() + self.run()

    @classmethod
    def make(cls):
        return cls.run(cls())


class Child(Base):
    def extra(self):
        return super().run() + self.run()


class Other:
    def run(self):
        return 2

    def own(self):
        return self.run()


class Override(Base):
    def run(self):
        return 3

    def mine(self):
        return self.run()


def annotated(b: Base):
    return b.run()


def quoted(b: "Child"):
    return b.run()


def made():
    b = Base()
    return b.run()


def direct():
    return Child().run()


def other(o: Other):
    return o.run() + Other().run()


def unknown(x):
    return x.run()
""",
}

METHOD_CALLERS = [
    "m.py::Base.make",
    "m.py::Base.twice",
    "m.py::Child.extra",
    "m.py::annotated",
    "m.py::direct",
    "m.py::made",
    "m.py::quoted",
]


@each_method
def test_a_function_is_followed_through_imports_names_and_scopes(method, tmp_path):
    assert derived(method, write(tmp_path, TREE), "pkg.tools:send") == CALLERS


def test_the_methods_can_differ_which_is_why_there_are_two(tmp_path):
    """jedi does not see through a `global` below a function that hides the name; such a question is refused."""
    code = """
def send(x):
    return x


def hides():
    send = len

    def asks_for_the_global():
        global send
        return send(1)

    return asks_for_the_global, send("x")
"""
    tree = write(tmp_path, {"m.py": code})
    assert derived("by_ast", tree, "m:send") == ["m.py::hides.asks_for_the_global"]
    assert derived("by_jedi", tree, "m:send") == []


@each_method
def test_a_method_is_found_where_the_source_says_whose_it_is(method, tmp_path):
    assert derived(method, write(tmp_path, METHOD_TREE), "m:Base.run") == METHOD_CALLERS


@each_method
@pytest.mark.parametrize(
    "target",
    ["pkg.tools:absent", "pkg.absent:send", "pkg.tools:send.inner", "pkg.calls:Box", "pkg.tools", ""],
)
def test_a_target_that_the_tree_does_not_define_is_an_error(method, target, tmp_path):
    done = derive(method, write(tmp_path, TREE), target)
    assert done.returncode == 2
    assert "defines no function" in done.stderr
    assert done.stdout == ""


@each_method
def test_the_tree_is_read_and_not_the_installed_package(method, tmp_path):
    """The wrong-tree defect: a tree that is called like an installed package and holds other code."""
    tree = write(
        tmp_path,
        {
            "click/__init__.py": "from .utils import echo as echo\n",
            "click/utils.py": "\n\ndef echo(message):\n    return message\n",
            "click/mine.py": "import click\n\n\ndef only_here():\n    click.echo(1)\n",
            "app.py": "from click import echo as say\n\n\ndef main():\n    say(2)\n",
        },
    )
    assert derived(method, tree, "click.utils:echo") == ["app.py::main", "click/mine.py::only_here"]
    missing = derive(method, tree, "click.termui:style")  # the installed package has it, the tree has not
    assert missing.returncode == 2


def test_jedi_with_the_installed_packages_on_its_path_would_read_the_wrong_tree(tmp_path):
    """What the explicit search path is for: with the usual one the tree's callers lead somewhere else."""
    jedi = pytest.importorskip("jedi")
    tree = write(
        tmp_path / "tree",
        {
            "click/__init__.py": "from click.utils import echo as echo\n",
            "click/utils.py": "\n\ndef echo(message):\n    return message\n",
            "app.py": "import click\n\n\ndef main():\n    click.echo(2)\n",
        },
    )
    site = sysconfig.get_paths()["purelib"]
    usual = jedi.Project(tree, sys_path=[site, str(tree)], smart_sys_path=False)
    [found] = jedi.Script(path=tree / "app.py", project=usual).goto(5, 10, follow_imports=True)
    assert str(found.module_path).startswith(site)
    assert derived("by_jedi", tree, "click.utils:echo") == ["app.py::main"]


def test_jedi_leaves_nothing_in_the_home_folder(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    tree = write(tmp_path / "tree", TREE)
    done = derive("by_jedi", tree, "pkg.tools:send", HOME=str(home), XDG_CACHE_HOME=str(home / "cache"))
    assert done.returncode == 0
    assert list(home.iterdir()) == []


def test_without_jedi_the_second_method_says_so(tmp_path):
    import subprocess

    command = [
        sys.executable,
        "-I",
        "-S",
        FOLDER / "gold" / "by_jedi.py",
        "--tree",
        tmp_path,
        "--target",
        "a:f",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install" in done.stderr


QUICK = ("click-echo", "jinja2-codegenerator-fail", "mkdocs-load-config")
"""Those that every test run derives; CI derives them all."""


def _agree(trees, question):
    one, other = (derived(method, trees[question.repo], question.gold.target) for method in METHODS)
    assert one == other
    assert len(one) >= question.gold.minimum


@pytest.mark.parametrize("name", QUICK)
def test_the_methods_agree_on_an_installed_corpus(name, suite, trees):
    _agree(trees, next(question for question in suite.questions if question.id == name))


@pytest.mark.slow
def test_at_least_four_of_five_questions_survive_on_the_installed_versions(suite, trees):
    refused = []
    for question in suite.questions:
        try:
            _agree(trees, question)
        except AssertionError:
            refused.append(question.repo)
    assert all(refused.count(repo) <= 1 for repo in suite.repos), refused
