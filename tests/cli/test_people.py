"""`retinue people`: who has written, and what is deleted of one person."""

from contextlib import closing

from bot.cli import texts
from bot.core.messages import OutboundKind
from bot.core.texts import people_access, people_accounts
from bot.store import group_starts, inbox
from bot.store.group_starts import GroupDecision
from bot.store.schema import migrate
from tests.people.accounts import CODE, written
from tests.support.backup_bot import connection
from tests.support.bench import Bench
from tests.support.rows import NOW
from tests.support.running_bot import bench, shell
from tests.support.shell import Shell

__all__ = ["bench", "shell"]


async def talk(bench: Bench, by: str) -> None:
    bench.model.says("lead", f"hello {by}")
    bench.chat.hears(f"I am {by}", by=by, chat=by.lower())
    assert await bench.chat.said(OutboundKind.REPLY) == f"hello {by}"


async def test_people_lists_and_deletes_beside_a_bot_that_runs(bench: Bench, shell: Shell) -> None:
    async with bench.run():
        await talk(bench, "Ann")
        await talk(bench, "Bob")
        listed = (await shell.retinue("people")).out.splitlines()
        assert [line.split(":")[0] for line in listed] == ["fake  Ann  Ann", "fake  Bob  Bob"]
        said = await shell.retinue("people", "delete", "Ann", "--yes")
        assert (said.status, said.err) == (0, "")
        assert [line[0] for line in bench.rows("SELECT DISTINCT person FROM turns")] == ["Bob"]
        assert (await shell.retinue("people", "delete", "Ann", "--yes")).status == 1


async def test_people_says_what_is_wrong_with_an_id(bench: Bench, shell: Shell) -> None:
    said = await shell.retinue("people")
    assert said.out.strip() == texts.NOBODY_KNOWN
    said = await shell.retinue("people", "delete", "Zoe", "--yes")
    assert (said.status, said.err.strip()) == (1, texts.NO_SUCH_PERSON(id="Zoe"))


async def test_without_a_bot_the_owner_is_deleted_with_all_accounts(shell: Shell) -> None:
    shell.data.mkdir()
    shell.config(channels={"telegram": {"owner": 1}, "discord": {"owner": 2}})
    with closing(connection(shell.data / "bot.db")) as db:
        migrate(db)
        for channel, account in (("telegram", "1"), ("discord", "2"), ("discord", "3")):
            message = written(f"I am {account}", channel, account)
            inbox.add_inbound_message(db, message, NOW)
            inbox.mark_message_done(db, message.id)
    listed = (await shell.retinue("people")).out.splitlines()
    assert [line.split(":")[0] for line in listed] == ["discord  2  Name2", "  the same person", "discord  3  Name3"]
    said = await shell.retinue("people", "delete", "1", "--yes")
    assert (said.status, said.err) == (0, "")
    with closing(connection(shell.data / "bot.db")) as db:
        assert [row["text"] for row in db.fetch_rows("SELECT text FROM inbox WHERE text != ''")] == ["I am 3"]


async def test_the_operator_sees_links_and_open_groups_and_ends_them(bench: Bench, shell: Shell) -> None:
    async with bench.run():
        bench.chat.hears("/link", by="Ann", chat="ann")
        code = CODE.search(await bench.chat.said())
        bench.chat.hears(f"/link {code and code[0]}", by="Zoe", chat="zoe")
        await bench.chat.said()
        await bench.chat.said()
        with closing(connection(bench.data / "bot.db")) as db:
            group_starts.add_group_start(db, "fake", "-5", None, "Team", NOW)
            group_starts.save_group_decision(db, "fake", "-5", GroupDecision.EVERYBODY, NOW)
        listed = await shell.retinue("pair", "--list")
        assert "  fake  Zoe  Zoe, by a code of fake Ann, 20" in listed.out
        assert "  fake -5 “Team”: everybody there may talk" in listed.out
        said = await shell.retinue("pair", "--revoke", "-5")
        assert (said.status, said.out.strip()) == (0, people_access.GROUP_CLOSED(title="Team"))
        said = await shell.retinue("people", "unlink", "Zoe")
        assert (said.status, said.out.strip()) == (0, people_accounts.LINKS_CUT(accounts="Zoe (fake Zoe)"))
        assert await bench.chat.said() == people_accounts.UNLINKED_HERE()
        assert (await shell.retinue("people", "unlink", "Zoe")).status == 1
    assert bench.count("linked_accounts") == bench.count("group_starts", "decision = 'everybody'") == 0
