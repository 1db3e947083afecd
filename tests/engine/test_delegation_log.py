"""`/log`: what one delegation has done, as text that fits in a chat."""

from bot.core.messages import OutboundKind
from bot.core.texts import people
from bot.engine.delegation_log import MAX_REPORT_CHARACTERS, MAX_STEPS, MAX_TASK_CHARACTERS
from tests.support.bench import Bench
from tests.support.fakes import Pause, delegates, reply, uses

REPLY, NOTICE = OutboundKind.REPLY, OutboundKind.NOTICE


async def ask(bench: Bench, text: str, by: str = "Ann") -> list[str]:
    bench.chat.hears(text, by=by)
    return (await bench.chat.said(NOTICE)).splitlines()


async def answer(bench: Bench) -> None:
    bench.chat.hears("go")
    assert await bench.chat.said(REPLY) == "there"


async def test_log_tells_task_calls_updates_and_report_in_order(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher"), "there")
    bench.model.says("researcher", reply(uses("read", path="a.md"), uses("message", text="looking")))
    bench.model.says("researcher", reply(uses("dance")), "found")
    async with bench.run():
        await answer(bench)
        said = await ask(bench, "/log 1")
    using = people.ACTIVITIES["other"]
    assert said[0].startswith("#1 Researcher, done, ")
    assert said[1:] == [
        people.LOG_TASK(task="researcher's part"),
        people.LOG_STEP(activity=using(things="read")),
        people.LOG_STEP(activity=people.LOG_UPDATE(text="looking")),
        people.LOG_STEP_FAILED(activity=using(things="dance")),
        people.LOG_REPORT(report="found"),
    ]


async def test_log_tells_what_a_role_has_done_so_far(bench: Bench) -> None:
    pause = Pause("found")
    bench.model.says("lead", delegates("researcher"), "there")
    bench.model.says("researcher", reply(uses("read")), pause)
    async with bench.run():
        bench.chat.hears("go")
        await pause.reached.wait()
        said = await ask(bench, "/log #1")
    assert said[2:] == [people.LOG_STEP(activity=people.ACTIVITIES["other"](things="read")), people.LOG_NO_REPORT_YET()]


async def test_log_says_why_a_role_has_ended_early(bench: Bench) -> None:
    pause = Pause("found")
    bench.model.says("lead", delegates("researcher"), "there")
    bench.model.says("researcher", pause)
    async with bench.run():
        bench.chat.hears("go")
        await pause.reached.wait()
        bench.chat.hears("/stop 1")
        assert await bench.chat.said(REPLY) == "there"
        said = await ask(bench, "/log 1")
    assert said[0].startswith("#1 Researcher, stopped (stopped by Ann), ")
    assert said[-1] == people.LOG_NO_REPORT()


async def test_a_long_task_and_report_are_cut_and_say_so(bench: Bench) -> None:
    bench.model.says("lead", reply(uses("delegate", role="writer", task="t" * 2_000)), "there")
    bench.model.says("writer", "r" * 20_000)
    async with bench.run():
        await answer(bench)
        await ask(bench, "/log 1")
    [(text,)] = bench.select("text", "outbox", "kind = 'notice'")
    said = text.splitlines()
    cut = people.LOG_CUT(2_000 - MAX_TASK_CHARACTERS, text="t" * MAX_TASK_CHARACTERS)
    assert said[1] == people.LOG_TASK(task=cut)
    cut = people.LOG_CUT(20_000 - MAX_REPORT_CHARACTERS, text="r" * MAX_REPORT_CHARACTERS)
    assert said[2] == people.LOG_REPORT(report=cut)


async def test_of_many_steps_the_first_and_the_last_are_shown(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher"), "there")
    bench.model.says("researcher", reply(*(uses(f"tool{number}") for number in range(50))), "found")
    async with bench.run():
        await answer(bench)
        said = await ask(bench, "/log 1")
    assert len(said) == MAX_STEPS + 4
    assert people.LOG_STEPS_LEFT_OUT(50 - MAX_STEPS) in said
    assert "tool0" in said[2]
    assert "tool49" in said[-2]


async def test_a_number_means_the_newest_that_has_had_it(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher"), "there", delegates("writer"), "there")
    bench.model.says("researcher", "found")
    bench.model.says("writer", "written")
    async with bench.run():
        await answer(bench)
        await answer(bench)
        assert (await ask(bench, "/log 1"))[-1] == people.LOG_REPORT(report="written")


async def test_only_its_person_and_the_owner_read_a_log(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher"), "there")
    bench.model.says("researcher", "found")
    async with bench.run():
        await answer(bench)
        assert await ask(bench, "/log 1", by="Bob") == [people.LOG_FOR_ANOTHER()]
        assert (await ask(bench, "/log 1", by="Owner"))[-1] == people.LOG_REPORT(report="found")


async def test_a_linked_account_reads_what_works_for_the_person(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher"), "there")
    bench.model.says("researcher", "found")
    async with bench.run():
        await answer(bench)
        code = (await ask(bench, "/link", by="Ann"))[0].split("/link ")[1].split()[0]
        await ask(bench, f"/link {code}", by="Bob")
        while not bench.chat.sent.empty():
            bench.chat.sent.get_nowait()
        assert (await ask(bench, "/log 1", by="Bob"))[-1] == people.LOG_REPORT(report="found")


async def test_log_without_a_known_number_says_how_it_is_used(bench: Bench) -> None:
    async with bench.run():
        for command in ("/log", "/log two", "/log 1 2", "/log 99999999999"):
            assert await ask(bench, command) == [people.LOG_USAGE()]
        assert await ask(bench, "/log 1") == [people.NO_DELEGATION_WITH_NUMBER(number=1)]
