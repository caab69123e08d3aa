"""What a suite's folder may show to an agent, and what is found in it all the same."""

from __future__ import annotations

import os

import pytest

from benchctl.runner.agent_files import copy_agent_files, folder_digest, folder_mistakes
from benchctl.schema.suite import AgentSpec, Suite


@pytest.fixture
def folder(tmp_path):
    for name, text in {"agents/a.py": "1", "agents/lib/b.py": "2", "gold/k.txt": "key"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_plain_folder_and_links_inside_it_are_fine(folder):
    (folder / "agents" / "link.py").symlink_to("lib/b.py")
    (folder / "agents" / "__pycache__").mkdir()
    assert folder_mistakes(folder, "agents") == []


LINKS = {
    "the key": "../gold/k.txt",
    "a folder of keys": "../gold",
    "anywhere": "/etc/hostname",
    "a folder of its own": "lib",
    "nothing": "gone",
}


@pytest.mark.parametrize("case", LINKS)
def test_a_link_that_leads_to_no_file_of_the_folder_is_a_mistake(folder, case):
    (folder / "agents" / "link").symlink_to(LINKS[case])
    (mistake,) = folder_mistakes(folder, "agents")
    assert "the symbolic link link leads to no file of this folder" in mistake


@pytest.mark.parametrize("target", ["gold", ".", "..", "/etc"])
def test_a_folder_that_is_really_another_one_is_a_mistake(folder, target):
    (folder / "shown").symlink_to(target)
    (mistake,) = folder_mistakes(folder, "shown")
    assert "leads out of the suite's folder or to its gold" in mistake


def test_what_is_not_there_or_no_file_is_a_mistake(folder):
    assert folder_mistakes(folder, "nope") == ["no folder 'nope' beside the suite"]
    os.mkfifo(folder / "agents" / "pipe")
    assert folder_mistakes(folder, "agents") == ["pipe is neither a file nor a folder"]


def test_a_copy_holds_contents_and_no_links_and_has_the_same_digest(folder):
    (folder / "agents" / "link.py").symlink_to("lib/b.py")
    (folder / "agents" / "a.py").chmod(0o755)
    suite = Suite.model_construct(agents={"x": AgentSpec(files="agents"), "y": AgentSpec()})
    copied = copy_agent_files(suite, folder, ("x", "y"), folder / "into")
    assert list(copied) == ["x"]
    assert (copied["x"] / "link.py").read_text() == "2"
    assert not (copied["x"] / "link.py").is_symlink()
    assert os.access(copied["x"] / "a.py", os.X_OK)
    assert folder_digest(copied["x"]) == folder_digest(folder / "agents")
