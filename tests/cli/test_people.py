"""`retinue people`: who has written, and what is deleted of one person."""

from bot.cli import texts
from bot.core.messages import OutboundKind
from tests.support.bench import Bench
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
