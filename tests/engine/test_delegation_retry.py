"""`/retry`: the task of an ended delegation once more, as a request of the person who asks for it."""

from dataclasses import replace

import pytest

from bot.core.messages import OutboundKind
from bot.core.rights import GUEST_RIGHTS
from bot.core.texts import model, people
from tests.support.bench import ACCESS, Bench
from tests.support.fakes import Pause, delegates, reply, uses

REPLY, NOTICE = OutboundKind.REPLY, OutboundKind.NOTICE
AGAIN = model.DO_TASK_AGAIN(delegation="t1/2/0", role="researcher")


async def answer(bench: Bench, text: str = "go", by: str = "Ann") -> None:
    bench.chat.hears(text, by=by)
    assert await bench.chat.said(REPLY) == "there"


async def ask(bench: Bench, text: str, by: str = "Ann") -> str:
    bench.chat.hears(text, by=by)
    return await bench.chat.said(NOTICE)


def script_twice(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher"), "there", delegates("researcher"), "there")
    bench.model.says("researcher", "found", "found again")


async def test_retry_asks_the_lead_to_delegate_the_task_again(bench: Bench) -> None:
    script_twice(bench)
    async with bench.run():
        await answer(bench)
        await answer(bench, "/retry 1")
    [told] = bench.model.heard("lead", 2)
    assert AGAIN in told
    assert "> researcher's part" in told
    assert bench.select("status", "turns", "depth = 1") == [("completed",)] * 2
    assert bench.select("written", "inbox", "quotes != '[]'") == [("/retry 1",)]


async def test_a_retry_is_a_turn_of_the_person_who_asks_for_it(bench: Bench) -> None:
    script_twice(bench)
    async with bench.run():
        await answer(bench)
        await answer(bench, "/retry 1", by="Owner")
    assert bench.select("person", "turns", "depth = 0", "rowid") == [("Ann",), ("Owner",)]


async def test_a_retry_that_waits_is_done_after_a_restart(bench: Bench) -> None:
    pause = Pause("to Bob")
    bench.model.says("lead", delegates("researcher"), "there", pause)
    bench.model.says("researcher", "found", "found again")
    async with bench.run():
        await answer(bench)
        bench.chat.hears("and me?", by="Bob")
        await pause.reached.wait()
        bench.chat.hears("/retry 1")
        await bench.chat.is_taken_in()
        bench.crashes()
    bench.model.says("lead", "to Bob", delegates("researcher"), "there")
    async with bench.run():
        assert [await bench.chat.said(REPLY) for _ in range(2)] == ["to Bob", "there"]
    assert bench.count("turns", "depth = 1") == 2


async def test_a_role_that_is_at_work_is_not_begun_again(bench: Bench) -> None:
    pause = Pause("found")
    bench.model.says("lead", delegates("researcher"), "there")
    bench.model.says("researcher", pause)
    async with bench.run():
        bench.chat.hears("go")
        await pause.reached.wait()
        assert await ask(bench, "/retry 1") == people.STILL_AT_WORK(role="Researcher", number=1)
        pause.go_on.set()
        assert await bench.chat.said(REPLY) == "there"


async def test_a_retry_answers_no_open_question(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher"), "there")
    bench.model.says("researcher", "found", "found again")
    async with bench.run():
        await answer(bench)
        bench.model.says("lead", reply(uses("ask_person", question="which?")), delegates("researcher"), "there")
        bench.chat.hears("and now?")
        await bench.chat.part(OutboundKind.QUESTION)
        await answer(bench, "/retry 1")
    assert bench.select("state, answer", "questions") == [("withdrawn", None)]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("/retry", people.RETRY_USAGE()),
        ("/retry now", people.RETRY_USAGE()),
        ("/retry 2", people.NO_DELEGATION_WITH_NUMBER(number=2)),
    ],
)
async def test_a_retry_of_nothing_says_so(bench: Bench, command: str, said: str) -> None:
    async with bench.run():
        assert await ask(bench, command) == said


async def test_another_person_cannot_have_a_task_done_again(bench: Bench) -> None:
    script_twice(bench)
    async with bench.run():
        await answer(bench)
        assert await ask(bench, "/retry 1", by="Bob") == people.RETRY_FOR_ANOTHER()


async def test_somebody_for_whom_no_role_may_work_cannot_retry(bench: Bench) -> None:
    script_twice(bench)
    async with bench.run():
        await answer(bench)
    async with bench.run(access={"fake": replace(ACCESS["fake"], others_rights=GUEST_RIGHTS)}):
        assert await ask(bench, "/retry 1") == people.NO_ROLES()


async def test_the_task_of_a_direct_turn_is_the_message_that_opened_it_whole(bench: Bench) -> None:
    words = "and in winter, when the days are short and the trains run less often than in summer?"
    bench.model.says("lead", delegates("researcher"), "there", "there")
    bench.model.says("researcher", "found", "colder")
    async with bench.run():
        await answer(bench)
        bench.chat.hears(f"/tell 1 {words}")
        assert await bench.chat.said(REPLY) == "[Researcher]: colder"
        log = await ask(bench, "/log 1")
        while people.LOG_TASK(task=words) not in log:  # the notice that the role takes the words up comes first
            log = await bench.chat.said(NOTICE)
        await answer(bench, "/retry 1")
    assert f"> {words}" in bench.model.heard("lead")[-1]
