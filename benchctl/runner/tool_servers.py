"""The servers of tools that arms grant, each started as a cell would start it and asked what it offers.

An agent that is granted a tool which no server offers works without it and says nothing: its arm would be
measured as something that it is not. So a server that does not start, or does not offer each granted
tool, refuses its arm; and what it tells an agent of its tools is published and compared.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchctl import __version__
from benchctl.agents.base import ServerCommand
from benchctl.planning.invocations import Places, server_command
from benchctl.planning.world import Reason
from benchctl.runner import tool_client
from benchctl.runner.trials import Ended, ending
from benchctl.schema.canonical import digest
from benchctl.schema.placeholders import names
from benchctl.schema.run import ServerRecord, ToolRecord
from benchctl.schema.suite import AgentSpec, Arm, ToolServer

if TYPE_CHECKING:
    from benchctl.runner.grants import Grant
    from benchctl.runner.trials import Trials
    from benchctl.workspace.tree import Base

__all__ = ["Taker", "check_servers"]

_CLIENT = "tool_client.py"
_PROOF = "tool_client.proof"


@dataclass(frozen=True, slots=True)
class Taker:
    """An agent that takes an arm: `spec` says what its cells get, `folder` holds a copy of its files, if it has any."""

    spec: AgentSpec
    folder: Path | None = None

    def alike(self) -> str:
        """Return what two agents share between whose cells a server sees no difference."""
        return digest(self.spec.model_dump(mode="json", include={"env", "network", "inject", "secrets"}))


def check_servers(
    name: str,
    arm: Arm,
    *,
    trials: Trials,
    grant: Grant,
    bases: Mapping[str, Base],
    agents: Sequence[Taker],
    indexes: Mapping[tuple[str, str], Path],
) -> tuple[tuple[ServerRecord, ...], Reason | None]:
    """Start each server of the arm `name` in a tree of every repository, and return what they offer.

    The second value says why the arm cannot be used; None where it can. `agents` are those that take the
    arm: a server gets the variables and the network of each of them, as it does in a cell, and its files
    where its command names `{agent}`. In the first tree it is started twice, since what it tells
    agents may not change from cell to cell.
    """
    records: list[ServerRecord] = []
    for server_name, server in arm.servers.items():
        takers = _takers(server, agents)
        for number, (repo, base) in enumerate(bases.items()):
            for taker in takers:
                start = partial(
                    _record, name, server_name, arm, repo,
                    trials=trials, grant=grant, base=base, taker=taker, indexes=indexes.get((name, repo)),
                )  # fmt: skip
                record = start()
                again = start() if number == 0 and isinstance(record, ServerRecord) else record
                if isinstance(again, ServerRecord) and again != record:
                    again = "what it says of itself and its tools differs from one start to the next"
                if isinstance(again, str):
                    return (), _reason(server_name, repo, again)
                records.append(again)
    return tuple(_joined(records)), None


@cache
def _client() -> str:
    return Path(tool_client.__file__).read_text(encoding="utf-8")


def _takers(server: ToolServer, agents: Sequence[Taker]) -> tuple[Taker, ...]:
    """Return one agent of each kind of cell that the server is started in."""
    asked = {word for each in (*server.argv, *server.env.values()) for word in names(each)}
    shown = [taker if "agent" in asked else Taker(taker.spec) for taker in agents]
    return tuple({(taker.alike(), taker.folder): taker for taker in shown}.values())


def _asked(server: ToolServer, places: Places) -> ServerCommand:
    """Return the command that starts a server as an agent does, with our client in the agent's place."""
    own = server_command(server, places)
    client, proof = (f"{places.scratch}/{each}" for each in (_CLIENT, _PROOF))
    return ServerCommand((places.python, "-I", "-S", client, __version__, proof, "--", *own.argv), own.env)


def _answer(ended: Ended, proof: str) -> dict[str, Any] | str:
    """Return what a server said of itself, or why it said nothing. What does not hold our proof, it has made up."""
    result = ended.result
    said = None
    if result.outcome in ("ok", "exit_nonzero"):
        try:
            said = json.loads(ended.placeless(result.stdout.text))
        except (ValueError, RecursionError):
            said = None
    if not isinstance(said, dict) or said.get("proof") != proof:
        return f"it did not answer: {ending(ended)}"
    if "error" not in said:
        return said
    lines = ended.placeless(result.stderr.text).strip().splitlines()
    return f"{said['error']}{f' ({lines[-1][:300]})' if lines else ''}"


def _by_name(said: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return {tool["name"]: tool for tool in said["tools"]}


def _reason(server: str, repo: str, why: str) -> Reason:
    return Reason(
        f"its server {server} is of no use in a tree of {repo}: {why}",
        "start it by hand, or mend `servers` of the arm",
    )


def _record(
    arm_name: str,
    name: str,
    arm: Arm,
    repo: str,
    *,
    trials: Trials,
    grant: Grant,
    base: Base,
    taker: Taker,
    indexes: Path | None,
) -> ServerRecord | str:
    """Start a server once and return what it offers, or why it is of no use."""
    server, proof = arm.servers[name], secrets.token_hex(16)
    ended = trials.run(
        partial(_asked, server),
        wall_s=server.wall_s,
        grant=grant,
        base=base,
        git=arm.git,
        agent_dir=taker.folder,
        indexes=indexes,
        files={_CLIENT: _client(), _PROOF: proof},
        agent=taker.spec,
    )
    said = _answer(ended, proof)
    if isinstance(said, str):
        return said
    if missing := [tool for tool in server.tools if tool not in _by_name(said)]:
        offered = ", ".join(sorted(_by_name(said))) or "none"
        return f"it does not offer {', '.join(missing)}; it offers {offered}"
    return _recorded(arm_name, name, server, repo, said)


def _recorded(arm: str, name: str, server: ToolServer, repo: str, said: Mapping[str, Any]) -> ServerRecord:
    offered = _by_name(said)
    tools = tuple(
        ToolRecord(
            name=tool,
            description=str(offered[tool].get("description") or ""),
            schema_digest=digest(offered[tool].get("inputSchema")),
        )
        for tool in server.tools
    )
    return ServerRecord(
        arm=arm,
        server=name,
        repos=(repo,),
        protocol=said["protocol"],
        name=said["name"],
        version=said["version"],
        tools=tools,
        withheld=tuple(sorted(set(offered) - set(server.tools))),
        digest=digest([tool.model_dump(mode="json") for tool in tools]),
    )


def _joined(records: Iterable[ServerRecord]) -> Iterator[ServerRecord]:
    """Yield one record for all the repositories in which a server said the same."""
    alike: dict[str, list[ServerRecord]] = {}
    for record in records:
        same = record.model_dump(mode="json", exclude={"repos"})
        alike.setdefault(digest(same), []).append(record)
    for group in alike.values():
        repos = tuple(dict.fromkeys(repo for record in group for repo in record.repos))
        yield group[0].model_copy(update={"repos": repos})
