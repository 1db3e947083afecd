"""`retinue health`: the truth about a bot in another process, in one line, as JSON, and as an exit status."""

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from bot.core.access import Access
from bot.core.channel import HealthReport
from bot.core.errors import ModelFailed, NotDelivered
from bot.core.model import ModelReply
from bot.core.rights import EVERY_RIGHT
from bot.core.texts import Text
from bot.ops import texts as ops_texts
from bot.store import texts as store_texts
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import Pause
from tests.support.named_chat import Named
from tests.support.patience import PATIENCE
from tests.support.shell import Shell
from tests.support.troubles import has_row

HEAVY = {"anthropic", "telegram", "discord", "httpx", "httpx2", "aiohttp", "rich", "prompt_toolkit", "markdown_it"}
HEAVY |= {"pydantic_settings", "prometheus_client"}
TRIED = "SELECT 1 FROM outbox WHERE tries > 0"
OPEN = {"telegram": Access(is_public=True, others_rights=EVERY_RIGHT)}


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    shell = Shell(tmp_path)
    shell.config(channels={"telegram": {"enabled": True, "token": "1:x"}})
    return shell


@pytest.fixture
def chat() -> Named:
    return Named("telegram")


@pytest.fixture
def bench(shell: Shell, chat: Named) -> Bench:
    shell.data.mkdir()
    return Bench(shell.data, chat=chat)


async def has(bench: Bench, sql: str) -> None:
    """Wait until a query finds something in a bot that may have only begun."""
    async with asyncio.timeout(PATIENCE):
        while True:
            with suppress(sqlite3.OperationalError):  # there are no tables yet
                await has_row(bench, sql)
                return
            await asyncio.sleep(0.01)


async def has_pulse(bench: Bench, where: str = "good_at IS NOT NULL") -> None:
    await has(bench, f"SELECT 1 FROM channels WHERE {where}")


def begins_with(text: Text, **values: object) -> str:
    """Return a text up to its seconds."""
    return text.partition("{seconds")[0].format(**values)


async def found(shell: Shell) -> tuple[int | None, dict[str, Any]]:
    said = await shell.retinue("health", "--json")
    return said.status, json.loads(said.out)


@pytest.mark.fast
async def test_a_bot_that_is_well_is_told_in_one_line_and_as_json(bench: Bench, shell: Shell) -> None:
    async with bench.run(access=OPEN):
        await has_pulse(bench)
        said = await shell.retinue("health")
        status, condition = await found(shell)
    assert (said.status, status, said.err) == (0, 0, "")
    [line] = said.out.splitlines()
    heard = begins_with(ops_texts.CHANNEL_HEARD, channel="telegram")
    assert line.startswith(ops_texts.HEALTHY(process=os.getpid(), facts=heard))
    assert f"; {ops_texts.NOTHING_WAITS}; " in line
    assert (condition["healthy"], condition["problems"], condition["process"]) == (True, [], str(os.getpid()))
    [telegram] = condition["channels"]
    assert 3 <= telegram["silent_seconds"] < 90
    assert condition["unanswered_seconds"] is condition["outbox_seconds"] is None
    assert condition["disk_free_bytes"] > 0
    assert condition["data_bytes"] >= (shell.data / "bot.db").stat().st_blocks * 512
    assert (condition["version"], condition["warnings"]) == (version("retinue"), [])
    assert condition["last_message_at"] is None
    assert condition["budget"] == {"spent_usd": 0, "reserved_usd": 0, "limit_usd": 20, "is_used_up": False}


async def test_a_channel_is_heard_as_soon_as_it_says_so(bench: Bench, chat: Named) -> None:
    chat.condition = HealthReport()
    async with bench.run(access=OPEN):
        chat.hears("/help")
        await chat.said()
        chat.condition = HealthReport(silent_seconds=0.0)
        await has_pulse(bench)  # which waits for less than the 15 s between two notes


async def test_health_says_that_no_bot_runs(bench: Bench, shell: Shell) -> None:
    said = await shell.retinue("health")
    no_bot = ops_texts.NO_BOT_IN_FOLDER(folder=shell.data)
    assert (said.status, said.out) == (1, f"{ops_texts.UNHEALTHY(problems=no_bot)}\n")
    async with bench.run(access=OPEN):
        await has_pulse(bench)
    status, condition = await found(shell)
    assert (status, condition["process"]) == (1, None)


async def test_a_channel_that_is_silent_or_says_what_is_wrong_is_unhealthy(
    bench: Bench, chat: Named, shell: Shell
) -> None:
    chat.condition = HealthReport()
    async with bench.run(access=OPEN):
        chat.hears("/help")
        await chat.said()
        assert (await found(shell))[1]["problems"] == [ops_texts.CHANNEL_NOT_HEARD_YET(channel="telegram")]
        chat.condition = HealthReport(silent_seconds=100.0, fault="two bots poll")
        await has_pulse(bench, "fault != ''")
        status, condition = await found(shell)
        assert (status, condition["problems"]) == (
            1,
            [ops_texts.CHANNEL_FAILS(channel="telegram", fault="two bots poll")],
        )
        assert condition["channels"][0]["fault_since"]
        chat.condition = HealthReport(silent_seconds=100.0)
        await has_pulse(bench, "fault = ''")
        said = await shell.retinue("health")
    assert said.status == 1
    silent = begins_with(ops_texts.CHANNEL_NOT_HEARD, channel="telegram")
    assert said.out.startswith(ops_texts.UNHEALTHY(problems=f"{silent}1"))


async def test_a_model_that_cannot_answer_is_unhealthy_until_it_answers(bench: Bench, shell: Shell) -> None:
    async def refusing() -> ModelReply:
        raise ModelFailed("not now", "no such key")

    bench.model.says("lead", refusing, "hello again")
    async with bench.run(access=OPEN):
        await has_pulse(bench)
        bench.chat.hears("hello")
        await bench.chat.said()
        status, condition = await found(shell)
        assert (status, condition["problems"]) == (1, [ops_texts.MODEL_FAILS(fault="no such key")])
        bench.chat.hears("hello")
        assert await bench.chat.said() == "hello again"
        assert (await found(shell))[0] == 0


async def test_a_message_that_somebody_is_at_has_hours_and_not_more(bench: Bench, shell: Shell) -> None:
    pause = Pause()
    bench.model.says("lead", pause)
    async with bench.run(access=OPEN):
        bench.chat.hears("a long task")
        await pause.reached.wait()
        await has_pulse(bench)
        age(bench, "inbox", "kept_at", hours=1)
        status, condition = await found(shell)
        assert (status, condition["unattended_seconds"]) == (0, None)
        assert 3600 <= condition["unanswered_seconds"] < 3700
        age(bench, "inbox", "kept_at", hours=1, seconds=1)
        status, condition = await found(shell)
    assert status == 1
    [problem] = condition["problems"]
    assert problem.startswith(f"{begins_with(ops_texts.MESSAGE_UNANSWERED)}720")


async def test_a_message_that_nobody_is_at_is_told_after_a_minute(bench: Bench, shell: Shell) -> None:
    pause = Pause()
    bench.model.says("lead", pause)
    async with bench.run(access=OPEN):
        bench.chat.hears("hello")
        await pause.reached.wait()
        bench.chat.hears("me too", by="Bob")
        await bench.chat.is_taken_in()
    # As it would be if the dispatcher had gone to sleep over it.
    end_turns = "UPDATE turns SET state = 'ended'"
    change(bench, end_turns)
    age(bench, "inbox", "kept_at", minutes=2)
    problems = (await found(shell))[1]["problems"]
    assert any(problem.startswith(f"{begins_with(ops_texts.MESSAGE_UNATTENDED)}1") for problem in problems)


async def test_an_undelivered_answer_is_told_after_ten_minutes(bench: Bench, shell: Shell) -> None:
    bench.model.says("lead", "Hello")
    bench.chat.faults += [NotDelivered("no network")] * 5
    async with bench.run(access=OPEN, **engine_options(delivery_retry_seconds=30)):
        bench.chat.hears("hello")
        await has(bench, TRIED)
        await has_pulse(bench)
        status, condition = await found(shell)
        assert (status, condition["outbox_seconds"] < 60) == (0, True)
    age(bench, "outbox", "said_at", minutes=11)
    problems = (await found(shell))[1]["problems"]
    assert any(problem.startswith(f"{begins_with(ops_texts.ANSWER_UNDELIVERED)}6") for problem in problems)


async def test_messages_waiting_in_the_terminal_do_not_count_for_channels(bench: Bench, shell: Shell) -> None:
    bench.chat = Named("terminal")
    bench.model.says("lead", "Hello")
    bench.chat.faults += [NotDelivered("it is gone")]
    async with bench.run(
        access={"terminal": Access(is_public=True, others_rights=EVERY_RIGHT)},
        **engine_options(delivery_retry_seconds=30),
    ):
        bench.chat.hears("hello")
        await has(bench, TRIED)
    assert (await found(shell))[1]["outbox_seconds"] is None


async def test_a_process_that_does_not_move_is_unhealthy(bench: Bench, shell: Shell) -> None:
    async with bench.run(access=OPEN):
        await has_pulse(bench)
    script = "import fcntl, sys; file = open('data/lock'); fcntl.flock(file, 2); print(flush=True); sys.stdin.read()"
    holder = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", script), cwd=shell.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout
    await holder.stdout.readline()
    os.utime(shell.data / "lock", (0, time.time() - 100))
    said = await shell.retinue("health")
    await holder.communicate(b"")
    assert said.status == 1
    assert f"{begins_with(ops_texts.PROCESS_HAS_NOT_MOVED, process=os.getpid())}10" in said.out


@pytest.mark.parametrize(
    ("content", "text", "why"),
    [("no database" * 1000, store_texts.DAMAGED, "file is not a database"), ("", ops_texts.NO_BOT_IN_FOLDER, "")],
    ids=["damaged", "empty"],
)
async def test_a_broken_file_is_unhealthy_and_no_riddle(shell: Shell, content: str, text: Text, why: str) -> None:
    shell.data.mkdir()
    (shell.data / "bot.db").write_text(content)
    said = await shell.retinue("health")
    assert (said.status, said.err, len(said.out.splitlines())) == (1, "", 1)
    problem = text(path=shell.data / "bot.db", reason=why, mending=store_texts.MEND_DAMAGE, folder=shell.data)
    assert said.out == f"{ops_texts.UNHEALTHY(problems=problem)}\n"


async def test_a_wrong_setting_is_exit_status_two(shell: Shell) -> None:
    shell.config(busy="maybe")
    said = await shell.retinue("health")
    assert (said.status, said.out) == (2, "")


def test_it_imports_nothing_heavy_since_containers_call_it_often(shell: Shell) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "bot", "health"]
    said = subprocess.run(command, cwd=shell.folder, env=shell.environment, capture_output=True, text=True, check=False)
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in said.stderr.splitlines()}
    assert "pydantic" in imported
    assert not imported & HEAVY


def age(bench: Bench, table: str, column: str, **earlier: float) -> None:
    """As if it had been there for so much longer."""
    (moment,) = bench.rows(f"SELECT min({column}) FROM {table}")[0]
    before = datetime.fromisoformat(moment).astimezone(UTC) - timedelta(**earlier)
    change(bench, f"UPDATE {table} SET {column} = ?", (before.isoformat(),))


def change(bench: Bench, sql: str, values: Sequence[object] = ()) -> None:
    with sqlite3.connect(bench.data / "bot.db") as db:
        db.execute(sql, values)
    db.close()
