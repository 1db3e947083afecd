"""`retinue chat -m TEXT --json`: one object on stdout, for scripts, no matter what became of the message."""

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bot.cli import texts
from bot.models.demo.rules import ABOUT_DEMO_REPLY, NOBODY_ANSWERED_REPLY
from tests.stand_ins.claude import ClaudeStandIn, Fault
from tests.support.shell import PATIENCE, Said, Shell

COMPARE = "compare the README and the design page"
KEYS = {
    *("reply", "updates", "status", "reason", "session", "seconds", "tokens", "usage", "cost_usd", "delegations"),
}


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


async def ask(shell: Shell, text: str) -> tuple[Said, dict[str, Any]]:
    said = await shell.retinue("chat", "-m", text, "--json")
    assert said.out.count("\n") == 1
    found = json.loads(said.out)
    assert found.keys() == KEYS
    return said, found


@pytest.mark.fast
async def test_the_object_holds_the_reply_and_the_roles_behind_it(shell: Shell) -> None:
    said, found = await ask(shell, COMPARE)
    assert (said.status, found["status"], found["reason"]) == (0, "completed", "")
    assert found["reply"].startswith("`docs/architecture.md` is")
    assert found["reply"] not in said.err
    first, second = found["delegations"]
    assert (first["role"], second["role"], first["status"]) == ("reader", "analyst", "completed")
    assert first["report"].startswith("README.md")
    assert first["task"].startswith("Read README.md and report")
    assert found["usage"]["requests"] == first["usage"]["requests"] + second["usage"]["requests"] + 2
    assert found["seconds"] >= first["seconds"] > 0
    shown = await shell.retinue("sessions", "show", found["session"])
    assert all(f"  {each['id']}  " in shown.out for each in found["delegations"])


async def test_a_missing_answer_is_told_by_reason_and_exit_status(shell: Shell) -> None:
    shell.settings["RETINUE_LIMITS__TURN_ITERATIONS"] = "1"
    said, found = await ask(shell, COMPARE)
    assert (said.status, found["status"]) == (1, "budget")
    assert found["reason"] == "the limit of 1 step is reached"
    assert found["reply"].startswith("`docs/architecture.md` is")  # its last words


async def test_a_commands_output_is_the_reply(shell: Shell) -> None:
    said, found = await ask(shell, "/status")
    with closing(sqlite3.connect(shell.folder / "home" / "retinue" / "data" / "demo" / "bot.db")) as db:
        told = db.execute("SELECT text FROM outbox WHERE kind = 'notice'").fetchone()
    assert (said.status, found["reply"], found["status"]) == (0, *told, "completed")
    assert (found["session"], found["delegations"], found["cost_usd"]) == (None, [], 0)


async def test_an_earlier_runs_open_work_is_not_in_the_object(shell: Shell) -> None:
    async with shell.begun("chat", "-m", "ask me something") as process:
        assert process.stderr
        while b"Which colour" not in await process.stderr.readline():
            pass
        process.kill()
        await process.wait()
    said, found = await ask(shell, "help")
    assert found["reply"] == ABOUT_DEMO_REPLY
    assert NOBODY_ANSWERED_REPLY(command="retinue chat") in said.err


async def test_any_reply_is_one_line_of_json(shell: Shell) -> None:
    reply = 'a "quoted"\nline, \x1b[2J, ünïcode 🦊'
    async with ClaudeStandIn() as server:
        server.script.read([{"replies": [{"text": reply}]}])
        shell.settings.update(ANTHROPIC_API_KEY=server.api_key, RETINUE_MODEL__BASE_URL=server.base_url)
        said, found = await ask(shell, "Hello")
    assert (said.status, found["reply"], said.err) == (0, reply, "")
    assert found["cost_usd"] > 0
    assert "\x1b" not in said.out


async def test_asked_to_end_in_the_middle_it_says_how_far_it_came(shell: Shell) -> None:
    async with ClaudeStandIn() as server:
        server.faults.append(Fault.STALL)
        shell.settings.update(ANTHROPIC_API_KEY=server.api_key, RETINUE_MODEL__BASE_URL=server.base_url)
        async with shell.begun("chat", "-m", "Hello", "--json") as process:
            await server.until(lambda: bool(server.answering))
            process.terminate()
            async with asyncio.timeout(PATIENCE):
                out, _ = await process.communicate()
    found = json.loads(out)
    assert (process.returncode, found["reply"], found["status"], found["seconds"]) == (1, None, "running", None)


@pytest.mark.parametrize("words", [("--json",), ("--json", "--continue")])
async def test_without_a_message_there_is_nothing_to_tell(shell: Shell, words: tuple[str, ...]) -> None:
    said = await shell.retinue("chat", *words)
    assert (said.status, said.out) == (2, "")
    assert texts.JSON_NEEDS_A_MESSAGE in said.err


async def test_a_wrong_setting_is_a_line_on_stderr_alone(shell: Shell) -> None:
    shell.settings["RETINUE_BUSY"] = "maybe"
    said = await shell.retinue("chat", "-m", "help", "--json")
    assert (said.status, said.out) == (2, "")
