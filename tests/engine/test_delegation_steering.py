"""`/tell`: words to a role at work, by its number."""

import pytest

from bot.core.messages import OutboundKind, RoleName
from bot.core.role import Role
from bot.core.texts import model, people
from tests.support.bench import Bench
from tests.support.delegation_calls import begin_work, says
from tests.support.engine_options import DELEGATION_LIMITS, engine_options
from tests.support.fakes import Pause, delegates, reply, uses

REPLY, NOTICE = OutboundKind.REPLY, OutboundKind.NOTICE
RESEARCHER = RoleName("researcher")
WORDS = "leave out the prices"
READS_NEXT = people.ROLE_READS_NEXT(number=1, role="Researcher")


def looks() -> Pause:
    """Return a step in which a role waits, and then reads a file."""
    return Pause(reply(uses("read")))


def script(bench: Bench, *steps: Pause | str) -> None:
    bench.model.says("lead", delegates("researcher"), "it is found")
    bench.model.says("researcher", *steps)


async def test_tell_reaches_the_role_with_that_number(bench: Bench) -> None:
    at_work = looks()
    script(bench, at_work, "found")
    async with bench.run():
        await begin_work(bench, at_work)
        bench.chat.hears(f"/tell 1 {WORDS}")
        assert await bench.chat.said(NOTICE) == READS_NEXT
        at_work.go_on.set()
        await bench.chat.said(REPLY)
    head, told = bench.model.heard("researcher")[-2:]
    assert head == model.WRITTEN_TO_YOU
    assert told.endswith(WORDS)
    assert "> researcher's part" in told


async def test_the_owner_may_direct_anybodys_role_and_others_may_not(bench: Bench) -> None:
    at_work = looks()
    script(bench, at_work, "found")
    async with bench.run():
        await begin_work(bench, at_work)
        bench.chat.hears(f"/tell 1 {WORDS}", by="Bob")
        assert await bench.chat.said(NOTICE) == people.TELL_FOR_ANOTHER()
        bench.chat.hears(f"/tell 1 {WORDS}", by="Owner")
        assert await bench.chat.said(NOTICE) == READS_NEXT
        at_work.go_on.set()
        await bench.chat.said(REPLY)
    assert WORDS in bench.model.heard("researcher")[-1]


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("/tell", people.TELL_USAGE()),
        ("/tell 1", people.TELL_USAGE()),
        ("/tell me more", people.TELL_USAGE()),
        (f"/tell 7 {WORDS}", people.NO_DELEGATION_WITH_NUMBER(number=7)),
    ],
)
async def test_a_tell_that_reaches_nobody_says_why(bench: Bench, said: str, answer: str) -> None:
    script(bench, "found")
    async with bench.run():
        bench.chat.hears("go")
        await bench.chat.said(REPLY)
        bench.chat.hears(said)
        assert await bench.chat.said(NOTICE) == answer


async def test_a_tell_to_a_role_that_is_being_stopped_says_so(bench: Bench) -> None:
    at_work = looks()
    script(bench, at_work)
    async with bench.run():
        await begin_work(bench, at_work)
        bench.chat.hears("/stop 1")
        bench.chat.hears(f"/tell 1 {WORDS}")
        said = [await bench.chat.said(NOTICE) for _ in range(2)]
    assert said[1] == people.ROLE_IS_STOPPING(role="Researcher", number=1)


async def test_names_in_the_words_of_a_tell_are_not_written_by_its_sender(bench: Bench) -> None:
    at_work = looks()
    script(bench, at_work, "found")
    async with bench.run():
        await begin_work(bench, at_work)
        bench.chat.hears("/tell 1 thank Send it to Eve", written="/tell 1 thank <@12>")
        assert await bench.chat.said(NOTICE) == READS_NEXT
        at_work.go_on.set()
        await bench.chat.said(REPLY)
    assert bench.select("text, written", "inbox", "written IS NOT NULL") == [("thank Send it to Eve", "thank <@12>")]


async def test_tell_answers_what_the_role_asks(bench: Bench) -> None:
    asks = Pause(reply(uses("ask_person", question="Which?", options=["red", "blue"])))
    script(bench, asks, "blue, then")
    async with bench.run():
        await begin_work(bench, asks)
        asks.go_on.set()
        await bench.chat.said(OutboundKind.QUESTION)
        bench.chat.hears("/tell 1 2", by="Owner")  # who was not asked
        assert await bench.chat.said(NOTICE) == READS_NEXT
        bench.chat.hears("/tell 1 2")
        assert await bench.chat.said(NOTICE) == READS_NEXT
        await bench.chat.said(REPLY)
    assert bench.rows("SELECT answer FROM questions") == [("blue",)]
    assert bench.model.heard("researcher")[0] == "blue"


async def test_tell_answers_a_free_question_in_other_words(bench: Bench) -> None:
    asks = Pause(reply(uses("ask_person", question="Which?")))
    script(bench, asks, "green, then")
    async with bench.run():
        await begin_work(bench, asks)
        asks.go_on.set()
        await bench.chat.said(OutboundKind.QUESTION)
        bench.chat.hears("/tell 1 the green one")
        await bench.chat.said(REPLY)
    assert bench.rows("SELECT answer FROM questions") == [("the green one",)]


@pytest.mark.parametrize(("words", "begun"), [("yes", 2), ("No, thanks.", 1)])
async def test_tell_answers_by_yes_or_no_whether_costly_roles_start(bench: Bench, words: str, begun: int) -> None:
    bench.roles[RESEARCHER] = Role(name=RESEARCHER, prompt="researcher", limits=DELEGATION_LIMITS)
    bench.model.says("lead", delegates("analyst"), "first", delegates("researcher"), "done")
    bench.model.says("analyst", "analysed", "analysed again")
    bench.model.says("researcher", delegates("analyst"), "found")
    async with bench.run(**engine_options(swarm__max_depth=2, swarm__ask_above_usd=0.000_001)):
        assert await says(bench, "go") == "first"
        bench.chat.hears("more")
        assert (await bench.chat.part(OutboundKind.QUESTION)).message.role == "researcher"
        bench.chat.hears(f"/tell 1 {words}")
        assert await bench.chat.said(REPLY) == "done"
    assert bench.count("questions", "state = 'answered'") == 1
    assert bench.count("turns", "role = 'analyst'") == begun
