"""The places of delegations: how many there are for all chats, and that the time in front of them is no work."""

from bot.core.role import LEAD_ROLE_NAME, Role
from tests.support.bench import Bench
from tests.support.delegation_calls import GET, LIST, REPLY, asked, says
from tests.support.engine_options import DELEGATION_LIMITS, engine_options
from tests.support.fakes import Pause, delegates
from tests.support.troubles import Clock, wait_for_row


async def test_there_are_so_many_for_all_chats_together(bench: Bench) -> None:
    first, second = Pause("found"), Pause("analysed")
    bench.model.says("lead", delegates("researcher"))
    bench.model.says("researcher", first)
    async with bench.run(**engine_options(swarm__max_running=1)):
        bench.chat.hears("go")
        await first.reached.wait()
        bench.model.says("lead", delegates("analyst"))
        bench.model.says("analyst", second)
        bench.chat.hears("go", chat="another")
        await wait_for_row(bench, "turns", role="analyst")
        bench.model.says("lead", "hello", "it is found", "it is analysed")
        assert await says(bench, "hello", chat="a third") == "hello"  # a root turn needs none
        assert not second.reached.is_set()
        first.go_on.set()
        assert await bench.chat.said(REPLY) == "it is found"
        await second.reached.wait()
        second.go_on.set()
        assert await bench.chat.said(REPLY) == "it is analysed"


async def test_the_wait_for_a_slot_does_not_count_as_work(bench: Bench) -> None:
    bench.roles[LEAD_ROLE_NAME] = Role(name=LEAD_ROLE_NAME, prompt="lead", limits=DELEGATION_LIMITS)
    clock, pause = Clock(), Pause("found")
    bench.model.says("lead", delegates("researcher", "analyst"), "done")
    bench.model.says("researcher", pause)
    bench.model.says("analyst", "analysed")
    async with bench.run(now=clock, **engine_options(swarm__max_concurrent=1)):
        bench.chat.hears("go")
        await pause.reached.wait()
        clock.passes(seconds=60)
        pause.go_on.set()
        assert await bench.chat.said(REPLY) == "done"
        listed, _ = await asked(bench, LIST)
        found, _ = await asked(bench, GET, id="t1/2/1")
    assert [line.split(" · ")[2] for line in [*listed.splitlines(), found]] == ["0 s", "60 s", "0 s"]
