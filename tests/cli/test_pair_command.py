"""`retinue pair`, beside a bot that runs and where none does."""

import json
import re
import time
from contextlib import closing
from pathlib import Path

import pytest

from bot.cli import texts
from bot.cli.order_client import terms_with_default_settings
from bot.core import phrases
from bot.core.access import Access
from bot.core.exit_status import ExitStatus
from bot.core.messages import PersonId, Sender
from bot.core.rights import GUEST_RIGHTS
from bot.journal import pairing
from tests.stand_ins.telegram import TelegramStandIn
from tests.support.backup_bot import connection
from tests.support.bench import Bench
from tests.support.running_bot import bench, shell
from tests.support.shell import Shell

__all__ = ["bench", "shell"]

CODE = re.compile(r"[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}")
SAM = Sender(id=PersonId("Sam"), name="Sam")
ANSWERS = "SELECT answer FROM orders ORDER BY id"
OPEN = {"fake": Access(may_strangers_pair=True)}


async def knock(bench: Bench, by: str = "Sam") -> str:
    """Somebody asks to be let in; return the code that they are shown."""
    bench.chat.hears("let me in", by=by, chat=by.lower())
    found = CODE.search(await bench.chat.said())
    assert found
    return found[0]


@pytest.mark.fast
async def test_a_running_bot_lets_a_named_person_in_and_greets_them(bench: Bench, shell: Shell) -> None:
    async with bench.run(access=OPEN):
        code = await knock(bench)
        listed = await shell.retinue("pair", "--list")
        request = texts.REQUEST_TO_BE_LET_IN(code=code, channel="fake", person="Sam", name="Sam", time="20")
        assert request in listed.out
        said = await shell.retinue("pair", code.lower())
        assert (said.status, said.out) == (0, f"{phrases.guest_let_in_text(SAM, 'fake', GUEST_RIGHTS)}\n")
        assert (await bench.chat.part()).message.id.endswith(":welcome")
        listed = await shell.retinue("pair", "--list")
        guest = texts.GUEST(channel="fake", person="Sam", name="Sam", granter="the operator", time="20")
        assert f"{texts.LET_IN}\n{guest}" in listed.out
        assert texts.NOBODY_ASKS_TO_BE_LET_IN in listed.out
        said = await shell.retinue("pair", "--revoke", "Sam")
        assert (said.status, said.out) == (0, f"{json.loads(bench.rows(ANSWERS)[-1][0])[0]}\n")
    assert f"{texts.SENT_AWAY}\n{guest}" in (await shell.retinue("pair", "--list")).out


async def test_without_a_bot_pairing_works_and_the_next_start_greets_the_person(bench: Bench, shell: Shell) -> None:
    async with bench.run(access=OPEN):
        code = await knock(bench)
    said = await shell.retinue("pair", code)
    assert (said.status, said.out) == (0, f"{phrases.guest_let_in_text(SAM, 'fake', GUEST_RIGHTS)}\n")
    bench.model.says("lead", "Hello Sam")
    async with bench.run(access=OPEN):
        assert (await bench.chat.part()).message.id.endswith(":welcome")
        bench.chat.hears("hello", by="Sam", chat="sam")
        assert await bench.chat.said() == "Hello Sam"
    said = await shell.retinue("pair", "--revoke", "Sam")
    assert (said.status, said.err) == (0, "")
    assert [name in said.out for name in ("Sam", "fake")] == [True, True]
    listed = await shell.retinue("pair", "--list")
    assert texts.SENT_AWAY in listed.out


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
        with closing(connection(bench.data / "bot.db")) as db:
            no_request = pairing.let_in_stranger_by_code(
                db, "AAAA-AAAA", "the operator", terms_with_default_settings()
            ).text
            no_guest = pairing.send_away(db, PersonId("Zoe"), terms_with_default_settings()).text
        assert (said.status, said.out, said.err) == (1, "", f"{no_request}\n")
        said = await shell.retinue("pair", "--revoke", "Zoe")
        assert (said.status, said.err) == (1, f"{no_guest}\n")

    async with bench.run(access=OPEN):
        await knock(bench)
        if is_running:
            await refused()
    if not is_running:
        await refused()


async def test_without_a_former_bot_nothing_is_made(shell: Shell) -> None:
    said = await shell.retinue("pair", "AAAA-AAAA")
    assert (said.status, said.out) == (2, "")
    assert said.err == f"retinue: {texts.NOBODY_HAS_ASKED(folder=shell.data)}\n"
    said = await shell.retinue("pair", "--list")
    assert (said.status, said.out.splitlines()[-1]) == (0, texts.NOBODY_ASKS_TO_BE_LET_IN)
    assert not shell.data.exists()


@pytest.mark.parametrize("words", [(), ("AAAA-AAAA", "--list"), ("--list", "--revoke", "7")])
async def test_one_thing_at_a_time(shell: Shell, words: tuple[str, ...]) -> None:
    said = await shell.retinue("pair", *words)
    assert said.status == 2
    assert texts.GIVE_CODE_OR_OPTION in said.err


async def test_an_invitation_names_a_link_for_telegram(tmp_path: Path, shell: Shell) -> None:
    async with TelegramStandIn() as telegram:
        account = {"enabled": True, "base_url": telegram.base_url, "token": telegram.token}
        (tmp_path / "data").mkdir()
        shell.config(channels={"telegram": account})
        with closing(connection(tmp_path / "data" / "bot.db")):
            pass
        said = await shell.retinue("pair", "--invite")
    found = re.search(r"https://t\.me/retinue_bot\?start=pair_([A-Z2-9]{8}) ", said.out)
    assert found, said
    assert texts.INVITATION in said.out
    assert f"/pair {found[1][:4]}-{found[1][4:]}" in said.out


async def test_an_invitation_without_a_link_is_told_in_words(tmp_path: Path, shell: Shell) -> None:
    (tmp_path / "data").mkdir()
    assert (await shell.retinue("pair", "--invite")).status == ExitStatus.WRONG_CONFIG
    account = {
        "enabled": True,
        "base_url": "http://127.0.0.1:9",
        "token": "123456:abcdefghijklmnopqrstuvwxyz0123456789",
    }
    shell.config(channels={"telegram": account})
    with closing(connection(tmp_path / "data" / "bot.db")):
        pass
    said = await shell.retinue("pair", "--invite")
    assert "no link" in said.out
    assert CODE.search(said.out)
