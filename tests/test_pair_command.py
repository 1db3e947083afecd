"""`retinue pair`, beside a bot that runs and where none does."""

import re
import time

import pytest

from bot import people_phrases
from bot.access import Access
from bot.messages import PersonId, Sender
from bot.rights import GUEST
from tests.beside import bench, shell
from tests.conftest import Bench
from tests.shell import Shell

__all__ = ["bench", "shell"]

CODE = re.compile(r"[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}")
SAM = Sender(id=PersonId("Sam"), name="Sam")
OPEN = {"fake": Access(may_knock=True)}


async def knock(bench: Bench, by: str = "Sam") -> str:
    """Somebody asks to be let in; gives the code that they are shown."""
    bench.chat.hears("let me in", by=by, chat=by.lower())
    found = CODE.search(await bench.chat.said())
    assert found
    return found[0]


async def test_a_running_bot_lets_in_whom_the_operator_names_and_greets_them(bench: Bench, shell: Shell) -> None:
    async with bench.run(access=OPEN):
        code = await knock(bench)
        assert f"  {code}  fake  Sam  Sam, until " in (await shell.retinue("pair", "--list")).out
        said = await shell.retinue("pair", code.lower())
        assert (said.status, said.out) == (0, f"{people_phrases.let_in(SAM, 'fake', GUEST)}\n")
        assert (await bench.chat.said()).startswith("You are let in")
        listed = await shell.retinue("pair", "--list")
        assert re.search(r"Let in:\n  fake  Sam  Sam, by the operator, since 20\d\d-", listed.out)
        assert "Nobody asks to be let in." in listed.out
        said = await shell.retinue("pair", "--revoke", "Sam")
        assert (said.status, said.out) == (0, "Sam is sent away on fake.\n")
    assert "Sent away:\n  fake  Sam" in (await shell.retinue("pair", "--list")).out


async def test_without_a_bot_the_same_is_done_and_he_is_greeted_at_the_next_start(bench: Bench, shell: Shell) -> None:
    async with bench.run(access=OPEN):
        code = await knock(bench)
    said = await shell.retinue("pair", code)
    assert (said.status, said.out) == (0, f"{people_phrases.let_in(SAM, 'fake', GUEST)}\n")
    bench.model.says("lead", "Hello Sam")
    async with bench.run(access=OPEN):
        assert (await bench.chat.said()).startswith("You are let in")
        bench.chat.hears("hello", by="Sam", chat="sam")
        assert await bench.chat.said() == "Hello Sam"
    said = await shell.retinue("pair", "--revoke", "Sam")
    assert (said.status, said.out) == (0, "Sam is sent away on fake.\n")


async def test_the_bot_still_knows_afterwards_how_long_it_was_away(bench: Bench, shell: Shell) -> None:
    async with bench.run(access=OPEN):
        code = await knock(bench)
    lock = bench.data / "lock"
    before = (lock.stat().st_mtime_ns, lock.read_text())
    await shell.retinue("pair", code)
    assert (lock.stat().st_mtime_ns, lock.read_text()) == before
    assert time.time_ns() > before[0]


@pytest.mark.parametrize("is_running", [True, False])
async def test_a_code_or_a_person_that_is_not_known_is_exit_status_one(
    bench: Bench, shell: Shell, is_running: bool
) -> None:
    async def refused() -> None:
        said = await shell.retinue("pair", "AAAA-AAAA")
        assert (said.status, said.out, said.err[:36]) == (1, "", "No request is open under that code; ")
        said = await shell.retinue("pair", "--revoke", "Zoe")
        assert (said.status, said.err) == (1, "Nobody with the id Zoe was let in.\n")

    async with bench.run(access=OPEN):
        await knock(bench)
        if is_running:
            await refused()
    if not is_running:
        await refused()


async def test_where_no_bot_has_run_nothing_is_made(shell: Shell) -> None:
    said = await shell.retinue("pair", "AAAA-AAAA")
    assert (said.status, said.out) == (2, "")
    assert said.err == f"retinue: {shell.data}: no bot has run there yet, so nobody has asked to be let in\n"
    said = await shell.retinue("pair", "--list")
    assert (said.status, said.out.splitlines()[-1]) == (0, "Nobody asks to be let in.")
    assert not shell.data.exists()


@pytest.mark.parametrize("words", [(), ("AAAA-AAAA", "--list"), ("--list", "--revoke", "7")])
async def test_one_thing_at_a_time(shell: Shell, words: tuple[str, ...]) -> None:
    said = await shell.retinue("pair", *words)
    assert said.status == 2
    assert "give a code, or --list, or --revoke ID" in said.err
