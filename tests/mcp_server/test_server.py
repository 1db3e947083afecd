"""The tools of the MCP server, called by the official client; the bot is behind its control socket."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import mcp
import pytest

from bot.core.rights import EVERY_RIGHT
from bot.core.texts import clients as refusals
from bot.core.texts import reasons
from bot.mcp_server import texts
from bot.ops.control.delegations import RunningBot
from tests.support.bench import Bench
from tests.support.client_bench import CLIENTS, Connected, connected, running_for_clients, text_of
from tests.support.fakes import Pause, delegates, reply, role, uses
from tests.support.patience import PATIENCE
from tests.support.troubles import wait_for_row

Connect = Callable[..., AbstractAsyncContextManager[Connected]]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture
def connect(bench: Bench) -> Connect:
    """Run a bot and connect a client to it."""

    @asynccontextmanager
    async def connect(name: str = "editor", **options: Any) -> AsyncIterator[Connected]:
        async with running_for_clients(bench, **options) as bot, connected(bot, name) as client:
            yield client

    return connect


async def test_the_list_of_tools_names_the_roles_that_may_work(connect: Connect) -> None:
    async with connect() as editor:
        tools = {tool.name: tool for tool in (await editor.client.list_tools()).tools}
    assert tools.keys() == {"delegate_task", "list_sub_agents", "get_delegation_result", "cancel_delegation"}
    assert "- researcher: " in str(tools["delegate_task"].description)
    assert "- lead: " not in str(tools["delegate_task"].description)


@pytest.mark.fast
async def test_a_client_that_begins_with_initialize_has_the_tools_too(bench: Bench) -> None:
    """As all clients did until the protocol of 2026."""
    bench.model.says("writer", "written")
    async with running_for_clients(bench) as bot, connected(bot, mode="legacy") as editor:
        assert "delegate_task" in {tool.name for tool in (await editor.client.list_tools()).tools}
        found = await editor.delegation("delegate_task", role="writer", task="write")
    assert found["result"] == "written"


@pytest.mark.fast
@pytest.mark.parametrize("named", ["role", "profile"])
async def test_a_task_is_delegated_and_its_report_returned(bench: Bench, connect: Connect, named: str) -> None:
    bench.model.says("researcher", reply(uses("message", text="I look")), "it is found")
    async with connect() as editor:
        found = await editor.call("delegate_task", task="find it", **{named: "researcher"})
    assert found.structured_content["status"] == "completed"
    assert found.structured_content["result"] == "it is found"
    assert found.structured_content["profile"] == "researcher"
    assert found.structured_content["tokenUsage"]["prompt"] > 0
    assert text_of(found).endswith("it is found")
    assert any("I look" in text for text in editor.told)


async def test_what_roles_delegate_further_stands_below_with_its_cost(bench: Bench, connect: Connect) -> None:
    bench.roles[role("writer").name] = role("writer", "delegate", delegates_to=["researcher"])
    bench.model.says("writer", delegates("researcher"), "written")
    bench.model.says("researcher", "found")
    async with connect(swarm__max_depth=2) as editor:
        found = await editor.delegation("delegate_task", role="writer", task="write it")
    [below] = found["subDelegations"]
    assert (below["profile"], below["status"], below["result"]) == ("researcher", "completed", "found")
    assert 0 < below["tokenUsage"]["cost"] < found["tokenUsage"]["cost"]
    assert below["delegationId"].startswith(found["delegationId"] + "/")


async def test_a_client_that_goes_away_leaves_its_delegation_running(bench: Bench, connect: Connect) -> None:
    pause = Pause("found at last")
    bench.model.says("researcher", pause)
    async with connect() as editor:
        calling = asyncio.create_task(editor.call("delegate_task", role="researcher", task="find it"))
        await pause.reached.wait()
        calling.cancel()
        await asyncio.wait([calling])
        [listed] = (await editor.call("list_sub_agents")).structured_content["delegations"]
        assert (listed["status"], listed["task"]) == ("running", "find it")
        pause.go_on.set()
        await wait_for_row(bench, "turns", state="ended")
        found = await editor.delegation("get_delegation_result", delegationId=listed["delegationId"])
    assert (found["status"], found["result"]) == ("completed", "found at last")


async def test_while_nothing_is_said_the_client_hears_that_the_work_goes_on(bench: Bench, connect: Connect) -> None:
    pause = Pause()
    bench.model.says("researcher", pause)
    async with connect(client_heartbeat_seconds=0.02) as editor:
        calling = asyncio.create_task(editor.call("delegate_task", role="researcher", task="find it"))
        async with asyncio.timeout(PATIENCE):
            while editor.told.count(texts.WORKS(role="researcher")) < 3:
                await editor.has_heard.wait()
                editor.has_heard.clear()
        pause.go_on.set()
        await calling


async def test_only_cancel_delegation_ends_a_delegation(bench: Bench, connect: Connect) -> None:
    pause = Pause()
    bench.model.says("researcher", pause)
    async with connect() as editor:
        calling = asyncio.create_task(editor.delegation("delegate_task", role="researcher", task="find it"))
        await pause.reached.wait()
        [listed] = (await editor.call("list_sub_agents")).structured_content["delegations"]
        cancelled = await editor.delegation("cancel_delegation", delegationId=listed["delegationId"])
        assert await calling == cancelled
    assert (cancelled["status"], cancelled["reason"]) == ("cancelled", reasons.STOPPED_BY(person="editor"))


@pytest.mark.fast
async def test_a_client_knows_nothing_of_anothers_delegations(bench: Bench) -> None:
    bench.model.says("researcher", "found")
    async with running_for_clients(bench) as bot, connected(bot, "editor") as editor, connected(bot, "script") as other:
        found = await editor.delegation("delegate_task", role="researcher", task="find it")
        assert (await other.call("list_sub_agents")).structured_content == {"delegations": []}
        for tool in ("get_delegation_result", "cancel_delegation"):
            refused = await other.refusal(tool, delegationId=found["delegationId"])
            assert refused == refusals.NO_SUCH_DELEGATION(id=found["delegationId"])


WRONG_CALLS: list[tuple[dict[str, Any], str]] = [
    ({"role": "nobody"}, refusals.NO_SUCH_ROLE(role="nobody", roles="analyst, researcher, writer")),
    ({"role": "lead"}, refusals.NO_SUCH_ROLE(role="lead", roles="analyst, researcher, writer")),
    ({"role": "writer", "profile": "writer"}, texts.PROFILE_OR_ROLE),
    ({}, texts.PROFILE_OR_ROLE),
    ({"role": "writer", "task": " "}, refusals.NO_TASK),
    ({"role": "writer", "task": "x" * 20_001}, refusals.TOO_LONG(name="task", length=20_001, most=20_000)),
    ({"role": "writer", "context": "x" * 200_001}, "`context` has 200,001 characters"),
    ({"role": "writer", "maxTokens": 0}, "maxTokens: "),
    ({"role": "writer", "depth": 9}, "depth: "),
]


async def test_a_wrong_call_says_what_is_wrong(connect: Connect) -> None:
    async with connect() as editor:
        for arguments, why in WRONG_CALLS:
            assert (await editor.refusal("delegate_task", **{"task": "x", **arguments})).startswith(why)


@pytest.mark.parametrize("name", ["reader", "mute", "unknown"])
async def test_without_the_right_no_role_works(connect: Connect, name: str) -> None:
    async with connect(name) as client:
        refused = await client.refusal("delegate_task", role="writer", task="x")
        assert texts.NO_ROLES in str((await client.client.list_tools()).tools[0].description)
    assert refused == refusals.MAY_NOT_DELEGATE(client=name)


async def test_a_delegation_is_paid_by_the_budget_of_its_client(bench: Bench, connect: Connect) -> None:
    bench.model.says("writer", "written")
    poor = {**CLIENTS, "editor": CLIENTS["editor"].model_copy(update={"day_usd": 0.000001, "rights": EVERY_RIGHT})}
    async with connect(clients=poor) as editor:
        ended = await editor.delegation("delegate_task", role="writer", task="x")
        assert (ended["status"], ended["reason"]) == ("failed", reasons.NO_MONEY["chat"](time_zone="UTC"))


async def test_a_front_of_another_version_is_refused(bench: Bench) -> None:
    async with running_for_clients(bench) as bot, connected(RunningBot(bot.data, "0"), "editor") as editor:
        refused = await editor.refusal("list_sub_agents")
        with pytest.raises(mcp.MCPError, match=refused):
            await editor.client.list_tools()
    assert refused == refusals.OTHER_VERSION(running="1", own="0")
