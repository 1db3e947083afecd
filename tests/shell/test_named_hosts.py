"""Commands that may reach named hosts: those that the role and the operator name, by the proxy, and nothing else."""

import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.core.acts import Effect
from bot.core.group import NO_GROUPS, find_role_of_turn
from bot.core.guarded_fetch import FetchPolicy, GuardedFetcher
from bot.core.guarded_fetch.addresses import parse_networks
from bot.core.host_proxy import HostProxy
from bot.core.messages import OutboundKind
from bot.core.named_hosts import NamedHosts, parse_named_hosts
from bot.core.sandbox import sandboxed_command
from bot.core.sandbox.listener import ListenerChannel
from bot.core.settings import ShellSettings
from bot.core.texts import people_holds
from bot.tools import Tool, texts
from bot.tools.shell import ShellNetwork, shell_tools
from tests.fetching.conftest import Names
from tests.shell.test_sandbox import needs_sandbox
from tests.stand_ins.pages import Pages, answer
from tests.support.bench import Bench
from tests.support.fakes import reply, role, uses

APPROVAL, REPLY = OutboundKind.APPROVAL, OutboundKind.REPLY


@pytest.fixture
async def pages() -> AsyncIterator[Pages]:
    async with Pages(answers={"/": answer(b"a page")}).open() as pages:
        yield pages


def tools(bench: Bench, folder: Path, hosts: NamedHosts) -> list[Tool]:
    names = Names()
    names.answers = {name: [["127.0.0.1"]] for name in ("both.example", "role.example", "operator.example")}
    guard = GuardedFetcher(policy=FetchPolicy(allowed_networks=parse_networks(["127.0.0.1/32"])), resolve=names.resolve)
    network = ShellNetwork(
        hosts=hosts, find_role=lambda turn: find_role_of_turn(turn, bench.roles, NO_GROUPS), proxy=HostProxy(guard)
    )
    return list(shell_tools(ShellSettings(enabled=True), [], network=network)(folder))


def hosts_at(port: int, *names: str) -> NamedHosts:
    return parse_named_hosts(f"{name}:{port}" for name in names)


@needs_sandbox
async def test_a_command_reaches_what_the_role_and_the_operator_name(
    bench: Bench, tmp_path: Path, pages: Pages
) -> None:
    bench.roles["lead"] = role("lead", "shell", hosts=hosts_at(pages.port, "both.example", "role.example"))
    ask = " ; ".join(f"curl -sS http://{name}.example:{pages.port}/" for name in ("both", "role", "operator"))
    bench.model.says("lead", reply(uses("shell", command=ask)), "Done.")
    operators = hosts_at(pages.port, "both.example", "operator.example")
    async with bench.run(tools=tools(bench, tmp_path, operators)):
        bench.chat.hears("go", by="Owner")
        assert await bench.chat.said(REPLY) == "Done."
    [said] = bench.model.heard("lead", 1)
    places = f"role.example:{pages.port}, operator.example:{pages.port}"
    assert texts.HOSTS_REFUSED(places=places) in said
    assert "a page" in said
    assert pages.asked == [f"both.example:{pages.port} /"]


@needs_sandbox
async def test_a_role_that_names_no_host_has_no_proxy(bench: Bench, tmp_path: Path, pages: Pages) -> None:
    bench.roles["lead"] = role("lead", "shell")
    ask = f"env | grep -ic proxy; curl -sS --noproxy '*' http://127.0.0.1:3128/; curl -sS http://both.example:{pages.port}/"
    bench.model.says("lead", reply(uses("shell", command=ask)), "Done.")
    async with bench.run(tools=tools(bench, tmp_path, hosts_at(pages.port, "both.example"))):
        bench.chat.hears("go", by="Owner")
        assert await bench.chat.said(REPLY) == "Done."
    lines = str(bench.model.heard("lead", 1)[0]).splitlines()[1:]
    assert lines[0] == "0"
    assert "Failed to connect to 127.0.0.1 port 3128" in lines[1]
    assert "Could not resolve host" in lines[2]


@needs_sandbox
async def test_after_private_things_a_person_is_asked_once_and_told_the_hosts(bench: Bench, tmp_path: Path) -> None:
    bench.roles["lead"] = role("lead", "shell", hosts=parse_named_hosts(["both.example", "*.cdn.example"]))
    commands = [reply(uses("shell", command=f"echo {number}")) for number in (1, 2, 3)]
    bench.model.says("lead", *commands, "Done.")
    async with bench.run(tools=tools(bench, tmp_path, parse_named_hosts(["both.example", "*.cdn.example"]))):
        bench.chat.hears("Run echo 2", by="Owner")
        asked = (await bench.chat.part(APPROVAL)).message
        assert people_holds.REACHES_HOSTS(value="both.example, *.cdn.example") in asked.text
        bench.chat.taps(asked.id, people_holds.ALLOW_IN_CONVERSATION(), by="Owner")
        assert await bench.chat.said(REPLY) == "Done."
    assert [str(bench.model.heard("lead", number)[0])[-1] for number in (1, 2, 3)] == ["1", "2", "3"]


def test_the_tool_sends_out_and_names_its_hosts_only_if_the_operator_names_some(bench: Bench, tmp_path: Path) -> None:
    [without], [with_hosts] = (tools(bench, tmp_path, parse_named_hosts(names)) for names in ([], ["a.example"]))
    assert (Effect.SENDS_OUT in without.effects, Effect.SENDS_OUT in with_hosts.effects) == (False, True)
    assert texts.NO_NETWORK in without.description
    assert texts.NETWORK_BY_PROXY(hosts="a.example") in with_hosts.description


@needs_sandbox
def test_a_command_behaves_as_without_a_proxy(tmp_path: Path) -> None:
    """Python, which opens the socket, ignores signals that commands rely on."""
    look = "ls /proc/self/fd | wc -l; ls / /proc/1/fd; grep Sig /proc/self/status; yes | head -1; echo ${PIPESTATUS[0]}"
    said = []
    for has_proxy in (False, True):
        with ListenerChannel() as channel:
            listener = channel.descriptor if has_proxy else None
            command = sandboxed_command(["bash", "-c", look], folder=tmp_path, env={}, listener_descriptor=listener)
            descriptors = [listener] if listener else []
            done = subprocess.run(
                command, pass_fds=descriptors, stdin=subprocess.DEVNULL, capture_output=True, timeout=30
            )
            said.append(done.stdout.decode())
    assert said[0] == said[1]
    assert said[0].endswith("y\n141\n")
