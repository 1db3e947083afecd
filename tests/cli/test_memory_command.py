"""`retinue memory`: what is remembered for everybody."""

from bot.cli import texts
from bot.core.messages import OutboundKind
from bot.core.texts import operators
from tests.support.bench import Bench
from tests.support.memory_bot import ROLES, saves, surroundings
from tests.support.running_bot import bench, shell
from tests.support.shell import Shell

__all__ = ["bench", "shell"]


async def test_a_memory_of_everybody_is_added_told_and_deleted(bench: Bench, shell: Shell) -> None:
    bench.roles = dict(ROLES)
    bench.model.says("lead", saves("Ann is tall"), "noted", "again")
    async with bench.run():
        said = await shell.retinue("memory", "add", "The office closes at five")
        assert (said.status, said.out.strip()) == (0, operators.SAVED_FOR_EVERYBODY(number=1))
        bench.chat.hears("hello", by="Ann", chat="ann")
        assert await bench.chat.said(OutboundKind.REPLY) == "noted"
        listed = (await shell.retinue("memory")).out.strip()
        assert [listed[:3], listed[15:]] == ["1  ", "The office closes at five"]  # and nothing of Ann's
        assert (await shell.retinue("memory", "delete", "2")).status == 1
        assert (await shell.retinue("memory", "delete", "1")).status == 0
    assert "The office closes at five" in surroundings(bench.model.seen[0])
    assert bench.select("text", "memories") == [("Ann is tall",)]


async def test_without_a_running_bot_it_works_too(bench: Bench, shell: Shell) -> None:
    said = await shell.retinue("memory", "list")
    assert said.out.strip() == texts.NOTHING_FOR_EVERYBODY
    said = await shell.retinue("memory", "add", "x" * 2_001)
    assert (said.status, said.err.strip()) == (1, operators.MEMORY_HAS_WRONG_LENGTH(most=2_000))
