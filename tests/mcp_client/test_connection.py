"""The connection to an MCP server that is a program: calls, and all that such a server can do wrong."""

import asyncio
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr, ValidationError

from bot.core.errors import ToolError
from bot.core.guarded_fetch import FetchPolicy, GuardedFetcher
from bot.core.guarded_fetch.addresses import parse_networks
from bot.core.host_proxy import HostProxy
from bot.core.mcp_settings import McpServerSettings
from bot.core.sandbox import sandbox_fault
from bot.core.texts import setting_values
from bot.mcp_client import texts
from bot.mcp_client.connection import ConnectionTimings
from bot.mcp_client.results import MediaWithWords
from bot.mcp_client.sandboxing import BUBBLEWRAP, NO_SANDBOX, Sandbox
from bot.mcp_client.stdio_transport import FLOOD_SECONDS, MAX_FLOOD_MESSAGES, FloodGuard, LineReader
from tests.fetching.conftest import Names
from tests.stand_ins.pages import Pages, answer
from tests.support.mcp_bench import QUICK, RawServer, connect, listed
from tests.support.patience import PATIENCE

SYSTEM_PYTHON = shutil.which("python3", path="/usr/bin:/bin")
ENDED = texts.PROGRAM_ENDED_SAYING(status=3, text="out of memory")


@pytest.fixture
def server(tmp_path: Path) -> RawServer:
    made = RawServer(tmp_path)
    made.lists(listed("echo"), listed("change"))
    return made


def quick(server: RawServer, **fields: Any) -> McpServerSettings:
    """Return settings with less patience than an operator can set."""
    return server.settings(**fields).model_copy(update={"call_seconds": 0.3})


async def failure(watched: Any, tool: str, **arguments: Any) -> str:
    with pytest.raises(ToolError) as error:
        await watched.call(tool, arguments)
    return str(error.value)


async def test_a_call_has_its_result(server: RawServer) -> None:
    async with connect(server.settings(), server.folder) as watched:
        assert await watched.call("echo", {"to": "Ann"}) == '{"to": "Ann"}'
        [offered] = watched.listings
        assert [tool.name for tool in offered] == ["echo", "change"]
        assert watched.faults == [""]


async def test_a_program_has_a_small_environment_with_its_secrets(server: RawServer, tmp_path: Path) -> None:
    os.environ["RETINUE_TEST_KEY"] = "not for servers"
    env = {"TOKEN": None, "token": SecretStr("from-a-secret-file")}
    settings = server.settings(env=env, public_env={"MODE": "quiet"})
    try:
        async with connect(settings, tmp_path / "work") as watched:
            found = json.loads(str(await watched.call("environment", {})))
    finally:
        del os.environ["RETINUE_TEST_KEY"]
    assert found.keys() <= {"PATH", "LANG", "TZ", "HOME", "MODE", "TOKEN", "LC_CTYPE"}
    assert (found["TOKEN"], found["MODE"]) == ("from-a-secret-file", "quiet")
    assert found["HOME"] == str(tmp_path / "work")


async def test_each_bad_answer_is_a_clear_failure(server: RawServer) -> None:
    settings = quick(server, calls_at_once=9)
    async with connect(settings, server.folder) as watched:
        slow = [asyncio.create_task(failure(watched, name)) for name in ("hang", "other_id")]
        assert await failure(watched, "fail") == texts.CALL_FAILED(text="the thing is broken")
        assert await failure(watched, "refuse") == texts.CALL_REFUSED(reason="no such order")
        assert await failure(watched, "no_result") == texts.NOT_A_RESULT
        assert await asyncio.gather(*slow) == [texts.CALL_TOO_SLOW(seconds=0.3)] * 2
        assert await watched.call("rubbish", {}) == "clean"
        assert watched.faults == [""], "none of it ends the connection"


async def test_the_progress_of_a_call_is_reported(server: RawServer) -> None:
    steps = [{"progress": 1, "total": 4}, {"progress": 2.5}, {"progress": 3, "message": "three of four"}]
    reported: list[str] = []
    async with connect(server.settings(), server.folder) as watched:
        found = await watched.connection.call("progress", {"steps": steps}, reported.append)
        assert found.content == "all done"
    assert reported == ["1/4", "2.5", "three of four"]


async def test_a_result_that_is_too_large_ends_nothing_else(server: RawServer) -> None:
    async with connect(server.settings(result_kilobytes=50), server.folder) as watched:
        reason = texts.ANSWER_TOO_LARGE(most=50_000)
        assert await failure(watched, "huge", bytes=10_000_000) == texts.RESULT_TOO_LARGE(reason=reason)
        assert len(str(await watched.call("huge", {"bytes": 40_000}))) < 31_000
        assert watched.faults == [""]


async def test_a_server_that_dies_in_a_call_is_started_again(server: RawServer) -> None:
    async with connect(server.settings(), server.folder) as watched:
        assert await failure(watched, "die") == texts.CALL_CUT_OFF(fault=ENDED)
        assert await watched.call("echo", {}) == "{}"
        assert watched.faults == ["", ENDED, ""]
        assert server.called == ["die", "echo"], "the call is not repeated"


async def test_a_flood_ends_the_connection_and_starts_it_again(server: RawServer) -> None:
    async with connect(server.settings(), server.folder) as watched:
        assert await failure(watched, "flood") == texts.CALL_CUT_OFF(fault=texts.FLOODED)
        assert await watched.call("echo", {}) == "{}"


async def test_a_server_that_is_away_fails_calls_at_once(server: RawServer) -> None:
    settings = server.settings(command="/no/such/program")
    fault = texts.PROGRAM_NOT_STARTED(command="/no/such/program", reason="No such file or directory")
    async with connect(settings, server.folder) as watched:
        assert await failure(watched, "echo") == texts.SERVER_AWAY(fault=fault)
        await watched.has_told(fault)
        assert await failure(watched, "echo") == texts.SERVER_AWAY(fault=fault)
        await watched.has_told(fault)  # the same fault is told once


@pytest.mark.parametrize(
    ("lists", "fault"), [("silent", texts.CONNECT_TOO_SLOW(seconds=0.3)), ("never", texts.LISTS_TOO_MANY_PAGES)]
)
async def test_a_server_that_never_lists_its_tools_is_a_fault(server: RawServer, lists: str, fault: str) -> None:
    server.lists(lists)
    timings = ConnectionTimings(connect=0.3, first_retry=60)
    async with connect(server.settings(), server.folder, timings) as watched:
        await watched.has_told(fault)


async def test_ten_thousand_tools_are_read_only_so_far(server: RawServer) -> None:
    server.lists(*[listed(f"tool{number}") for number in range(10_000)])
    async with connect(server.settings(), server.folder) as watched:
        fault = texts.ANSWER_TOO_LARGE(most=1_000_000)
        assert fault in await failure(watched, "echo")


async def test_calls_beyond_those_at_once_wait_and_then_fail(server: RawServer) -> None:
    async with connect(quick(server, calls_at_once=1), server.folder) as watched:
        calls = [asyncio.create_task(failure(watched, "hang")) for _ in range(2)]
        said = await asyncio.gather(*calls)
        assert sorted(said) == sorted([texts.CALL_TOO_SLOW(seconds=0.3), texts.CALLS_ALL_BUSY(seconds=0.3)])
        assert server.called == ["hang"]


async def test_a_call_that_is_cancelled_leaves_the_connection_usable(server: RawServer) -> None:
    async with connect(server.settings(calls_at_once=2), server.folder) as watched:
        call = asyncio.create_task(watched.call("hang", {}))
        await watched.has_told("")
        await watched.call("echo", {})  # the server reads in order, so it has read the other call too
        call.cancel()
        await asyncio.wait([call])
        assert await watched.call("echo", {}) == "{}"


async def test_announced_changes_are_read_again_but_not_without_end(server: RawServer) -> None:
    timings = replace(QUICK, shortest_relist=0.2)
    async with connect(server.settings(), server.folder, timings) as watched:
        for _ in range(5):
            assert await watched.call("change", {}) == "changed"
        while len(watched.listings) < 2:
            watched.told.clear()
            await watched.told.wait()
        await asyncio.sleep(0.05)
        assert len(watched.listings) == 2


async def test_a_change_that_is_told_right_after_the_list_counts(server: RawServer) -> None:
    lists = {"now": [listed("echo")], "then": [listed("echo"), listed("new")]}
    (server.folder / "tools.json").write_text(json.dumps(lists))
    async with connect(server.settings(), server.folder) as watched, asyncio.timeout(PATIENCE):
        while len(watched.listings) < 2:
            watched.told.clear()
            await watched.told.wait()
    assert [len(each) for each in watched.listings] == [1, 2]


async def test_a_list_that_changes_all_the_time_is_read_less_and_less_often(server: RawServer) -> None:
    clock = asyncio.get_running_loop().time
    timings = replace(QUICK, shortest_relist=0.2)
    async with connect(server.settings(), server.folder, timings) as watched, asyncio.timeout(PATIENCE):
        await watched.has_told("")
        seen = [clock()]
        for count in (2, 3):
            await watched.call("change", {})
            while len(watched.listings) < count:
                watched.told.clear()
                await watched.told.wait()
            seen.append(clock())
    assert seen[2] - seen[1] > 0.35  # at least twice the shortest: no busy machine makes it less


async def test_a_picture_is_shown_with_its_words(server: RawServer) -> None:
    async with connect(server.settings(), server.folder) as watched:
        shown = await watched.call("picture", {})
        assert isinstance(shown, MediaWithWords)
        assert (shown.type, shown.words) == ("image/png", "a dot")
        assert str(shown).startswith("a dot\n")
        reason = texts.NOT_SHOWN_HERE
        left_out = texts.RESULT_PART_LEFT_OUT(kind="image", size=3, reason=reason)
        assert await watched.call("no_picture", {}) == left_out


async def test_a_structured_result_is_told_once(server: RawServer) -> None:
    async with connect(server.settings(), server.folder) as watched:
        told = await watched.call("structured", {})
        assert json.loads(str(told)) == {"from": "anna@example.org", "subject": "hello"}


async def test_without_a_sandbox_no_program_starts(server: RawServer) -> None:
    async with connect(server.settings(sandbox=True), server.folder, sandbox=NO_SANDBOX) as watched:
        fault = texts.NO_SANDBOX(fault=texts.NO_SANDBOX_AT_ALL)
        assert await failure(watched, "echo") == texts.SERVER_AWAY(fault=fault)
        assert not (server.folder / "calls").exists()


async def test_a_program_is_started_by_the_sandbox(server: RawServer, tmp_path: Path) -> None:
    seen: list[Any] = []

    def wrap(command: Any, **given: Any) -> list[str]:
        seen.append((list(command), given))
        return ["env", *command]

    settings = server.settings(sandbox=True, network=True, read_only=[tmp_path])
    sandbox = Sandbox(wrap, lambda: None)
    async with connect(settings, tmp_path / "own", sandbox=sandbox) as watched:
        assert await watched.call("echo", {}) == "{}"
    [(command, given)] = seen
    assert command == [settings.command, *settings.args]
    assert given == {"folder": tmp_path / "own", "read_only": (tmp_path,), "network": True, "listener": None}


needs_sandbox = pytest.mark.skipif(bool(sandbox_fault()) or not SYSTEM_PYTHON, reason="no sandbox can start here")


def sandboxed(server: RawServer, folder: Path, **fields: Any) -> McpServerSettings:
    """Return the settings of a server that can look around in its sandbox."""
    server.lists(listed("look"))
    usual = server.settings()
    script = folder / "server.py"  # not in the checkout: that may lie at the sandbox's own place, /work
    shutil.copy(usual.args[2], script)
    args = (*usual.args[:2], str(script), *usual.args[3:])
    return server.settings(command=SYSTEM_PYTHON, args=args, sandbox=True, read_only=args[2:4], **fields)


@needs_sandbox
async def test_a_sandboxed_program_sees_its_secret_and_nothing_else(server: RawServer, tmp_path: Path) -> None:
    settings = sandboxed(server, tmp_path, env={"TOKEN": SecretStr("a-secret-word")})
    (tmp_path / "private").write_text("x")
    async with connect(settings, tmp_path / "own", sandbox=BUBBLEWRAP) as watched:
        found = json.loads(str(await watched.call("environment", {})))
        assert (found["TOKEN"], found["HOME"]) == ("a-secret-word", "/work")
        seen = json.loads(
            str(await watched.call("look", {"paths": [str(tmp_path / "private"), "/etc/shadow", "/usr"]}))
        )
        assert seen == ["/usr"]
        assert json.loads(str(await watched.call("look", {"address": "1.1.1.1"}))) == "no network"


@needs_sandbox
async def test_a_sandboxed_program_reaches_its_named_hosts(server: RawServer, tmp_path: Path) -> None:
    names = Names()
    names.answers = {name: [["127.0.0.1"]] for name in ("named.example", "other.example")}
    async with Pages(answers={"/": answer(b"a page")}).open() as pages:
        policy = FetchPolicy(allowed_networks=parse_networks(["127.0.0.1/32"]))
        proxy = HostProxy(GuardedFetcher(policy=policy, resolve=names.resolve))
        settings = sandboxed(server, tmp_path, hosts=[f"named.example:{pages.port}"])
        async with connect(settings, tmp_path / "own", sandbox=BUBBLEWRAP, proxy=proxy) as watched:
            found = [
                json.loads(str(await watched.call("look", {"url": f"http://{name}.example:{pages.port}/"})))
                for name in ("named", "other")
            ]
            assert json.loads(str(await watched.call("look", {"address": "1.1.1.1"}))) == "no network"
    assert found[0] == "a page"
    assert "mcp.servers.raw.hosts" in found[1]
    assert pages.asked == [f"named.example:{pages.port} /"]


@pytest.mark.parametrize("others", [{"network": True}, {"sandbox": False}])
def test_hosts_are_for_a_sandbox_without_a_network(others: dict[str, bool]) -> None:
    with pytest.raises(ValidationError, match=setting_values.HOSTS_WITHOUT_SANDBOX):
        McpServerSettings.model_validate({"command": "cat", "hosts": ["a.example"], **others})


async def test_a_variable_without_a_value_is_named(server: RawServer) -> None:
    async with connect(server.settings(env={"TOKEN": None}), server.folder) as watched:
        assert texts.NO_VALUE(key="mcp.servers.raw.env.TOKEN") in await failure(watched, "echo")


async def test_nothing_of_a_program_is_left_when_the_connection_ends(server: RawServer, tmp_path: Path) -> None:
    script = tmp_path / "parent.sh"
    script.write_text(f'sleep 600 & echo $! > {tmp_path}/child\nexec "$@"\n')
    usual = server.settings()
    settings = server.settings(command="sh", args=(str(script), str(usual.command), *usual.args))
    async with connect(settings, server.folder) as watched:
        await watched.call("echo", {})
        child = int((tmp_path / "child").read_text())
    async with asyncio.timeout(PATIENCE):
        while is_alive(child):  # noqa: ASYNC110 -- nothing tells when the kernel has ended it
            await asyncio.sleep(0.01)


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_long_lines_are_dropped_and_the_next_ones_kept() -> None:
    reader = LineReader(10)
    assert reader.feed(b"one\n" + b"x" * 11) == [b"one", -1]
    assert reader.feed(b"x" * 100) == []
    assert reader.feed(b"\ntwo\nthr") == [b"two"]
    assert reader.feed(b"ee\n") == [b"three"]
    assert len(reader.kept) == 0


def test_a_long_answer_names_its_request() -> None:
    assert LineReader(30).feed(b'{"jsonrpc": "2.0", "id": 17, "result": {"content"') == [17]
    assert LineReader(10).feed(b'{"result": {"id": 17, "x": ""}}') == [-1]


def test_a_flood_is_many_messages_in_a_short_time() -> None:
    guard = FloodGuard()
    assert guard.count(MAX_FLOOD_MESSAGES, 1, 100.0)
    assert guard.count(1, 1, 101.0 + FLOOD_SECONDS)
    assert not guard.count(MAX_FLOOD_MESSAGES, 1, 102.0 + FLOOD_SECONDS)
