"""Translators: a command out, a transcript in. Nothing here starts a process or reads a file.

An adapter is a module with the names of `base.Agent`; this table is the only place
that knows which there are.
"""

from __future__ import annotations

from benchctl.agents import command
from benchctl.agents.base import Agent

__all__ = ["AGENTS"]

AGENTS: dict[str, Agent] = {"command": command}
"""Every agent adapter by the `kind` that a suite file names."""
