"""A group that is asked from one platform and lives on the other, over sockets to the last."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from bot.core.prices import Micros
from bot.core.texts import model, people, reasons
from tests.stand_ins.claude import Asked, Hold, Reply, Thinking, ToolUse, reply
from tests.support.bench import Bench
from tests.support.both_platforms import BEN, Together, chat_of, together
from tests.support.engine_options import limits_with
from tests.support.groups_across_platforms import (
    ASKED,
    ASKS,
    AT_HOME,
    CALENDAR,
    FURTHER,
    NOTES,
    WAYS,
    Crossing,
    asks,
    private_to_channel,
    reads,
)
from tests.support.places.telegram import ANN
from tests.support.troubles import Ahead

ANSWER, UPDATE = "Alice has written: at noon.", "[Gmail-reader]: looking"
OWNERS = people.COMMAND_USE(command="/groups", use=people.COMMANDS["/groups"]())
LOOKS = reply(Thinking(), ToolUse("message", {"text": "looking"}), ToolUse("read_file", {"path": NOTES}))


@pytest.fixture
async def both(bench: Bench) -> AsyncIterator[Together]:
    async with together(bench) as there:
        yield there


@pytest.fixture(params=WAYS, ids=lambda way: way.__name__)
def crossing(request: pytest.FixtureRequest, both: Together) -> Crossing:
    made: Crossing = request.param(both)
    return made


async def test_a_group_asked_from_elsewhere_answers_there_and_is_silent_at_home(
    crossing: Crossing,
) -> None:
    crossing.says(ASKS, reads(), asks(), ANSWER)
    crossing.says(ASKED, LOOKS, "Alice wrote at noon.")
    async with crossing.run():
        crossing.asking.ask("has Alice written?")
        assert await crossing.asking.has(ANSWER) == [UPDATE, ANSWER]
    assert crossing.home.shown() == []
    assert crossing.at_home() == [], "no message, no edit, no typing"
    assert crossing.requests(ASKS)[1].asked.results == [f"the mail of {crossing.asker}\n"]
    assert crossing.requests(ASKED)[1].asked.results == ["posted", "the mail of gmail-reader\n"]
    [report] = crossing.requests(ASKS)[-1].asked.results
    assert "<untrusted>\n[Gmail-reader]: Alice wrote at noon.\n</untrusted>" in report
    crossing.verify()


async def test_asked_while_its_own_chat_is_in_use_neither_knows_of_the_other(crossing: Crossing) -> None:
    go_on = asyncio.Event()
    crossing.says(AT_HOME, reply(Hold(go_on), "for Bob"), "for Bob again")
    crossing.says(ASKS, asks(), ANSWER)
    crossing.says(ASKED, LOOKS, "Alice wrote at noon.")
    async with crossing.run():
        crossing.home.ask("is there a letter?")
        await crossing.at_the_model(AT_HOME)
        await crossing.is_seen_at_work(crossing.home)
        at_home = crossing.at_home()
        crossing.asking.ask("has Alice written?")
        assert await crossing.asking.has(ANSWER) == [UPDATE, ANSWER]
        assert crossing.at_home() == at_home
        go_on.set()
        assert await crossing.home.has("for Bob") == ["for Bob"]
        crossing.home.ask("and another?")
        assert await crossing.home.has("for Bob again") == ["for Bob", "for Bob again"]
    crossing.verify()
    for who, own, others in ((ASKED, "Alice", "letter"), (AT_HOME, "letter", "Alice")):
        assert own in written(crossing, who)
        assert others not in written(crossing, who)


def written(crossing: Crossing, who: str) -> str:
    """What stands in the last request of somebody: all that the conversation has had."""
    return json.dumps(crossing.requests(who)[-1].body["messages"])


async def test_only_who_asked_can_stop_it(crossing: Crossing) -> None:
    go_on = asyncio.Event()
    crossing.says(ASKS, asks(), asks(), "It was stopped.")
    crossing.says(ASKED, reply(Hold(go_on), "late"), reply(Hold(go_on), "late"))
    clock = Ahead()  # in a group chat the same command is answered once a minute
    async with crossing.run(now=clock):
        crossing.asking.ask("has Alice written?")
        await crossing.at_the_model(ASKED)
        for words, said in (
            ("/stop", people.NOTHING_TO_STOP()),
            ("/stop all", people.NOTHING_TO_STOP()),
            ("/stop gmail-reader", people.NO_SUCH_ROLE(role="gmail-reader")),
            ("/stop 1", people.NO_SUCH_NUMBER(number=1)),
            ("/status", people.NOTHING_AT_WORK()),
        ):
            assert await crossing.hears(crossing.home, words) == said
            clock.by += timedelta(minutes=1)
        assert not crossing.requests(ASKED)[0].over.is_set()
        assert "\n#1 Gmail-reader, working, " in await crossing.hears(crossing.asking, "/status")
        assert await crossing.hears(crossing.asking, "/stop") == people.STOPPED(messages="“has Alice written?”")
        await crossing.hung_up(crossing.requests(ASKED)[0])

        crossing.asking.ask("ask once more")
        await crossing.at_the_model(ASKED, 2)
        crossing.asking.ask("/stop gmail-reader")
        assert people.ROLES_STOPPED(roles="Gmail-reader") in await crossing.asking.has("It was stopped.")
        await crossing.hung_up(crossing.requests(ASKED)[1])
    [told] = crossing.requests(ASKS)[-1].asked.results
    assert f"cancelled ({reasons.STOPPED_BY(person='')}" in told
    crossing.verify()


async def test_the_asker_hears_of_a_group_out_of_time_and_the_turn_goes_on(crossing: Crossing) -> None:
    crossing.says(ASKS, asks(timeout_seconds=1), ANSWER)
    crossing.says(ASKED, LOOKS, reply(Hold(asyncio.Event())), "As far as I came: at noon.")
    async with crossing.run():
        crossing.asking.ask("has Alice written?")
        assert await crossing.asking.has(ANSWER) == [UPDATE, ANSWER]
    assert crossing.at_home() == []
    [result] = crossing.requests(ASKS)[-1].asked.last
    assert result["is_error"]
    assert f"timeout ({reasons.SECONDS_USED(seconds=1)})" in result["content"]
    assert "As far as I came: at noon." in result["content"]
    assert is_told_that_it_is_the_last(crossing.requests(ASKED)[-1].asked)
    crossing.verify()


async def test_a_question_goes_to_the_asker_and_nobody_else_answers_it(crossing: Crossing) -> None:
    which = {"question": "Which Alice?", "options": ["Alice Bell", "Alice Dee"]}
    crossing.says(ASKS, asks(), ANSWER)
    crossing.says(ASKED, reply(ToolUse("ask_person", which)), "Alice Dee wrote at noon.")
    crossing.says(AT_HOME, "You say so.")
    question = "[Gmail-reader]: Which Alice?\n\n1. Alice Bell\n2. Alice Dee"
    async with crossing.run():
        crossing.asking.ask("has Alice written?")
        assert await crossing.asking.has(question) == [question]
        assert crossing.at_home() == []
        crossing.home.ask("Alice Bell")  # to them it is a message like any other
        assert await crossing.home.has("You say so.") == ["You say so."]
        [(id,)] = crossing.both.bench.rows("SELECT id FROM questions WHERE state = 'open'")
        crossing.home.forge(f"1:{id}")
        await crossing.told(crossing.home, people.NO_SUCH_QUESTION())
        if crossing.bystander:
            crossing.bystander.tap("Alice Bell")
            await crossing.told(crossing.asking, people.QUESTION_FOR_ANOTHER())
        assert len(crossing.requests(ASKED)) == 1
        crossing.asking.tap("Alice Dee")
        assert (await crossing.asking.has(ANSWER))[-1] == ANSWER
    assert crossing.requests(ASKED)[-1].asked.results == ["Alice Dee"]
    crossing.verify()


async def test_a_hop_spends_from_the_asking_turn_and_stops_at_its_end(crossing: Crossing) -> None:
    crossing.spends = limits_with(cost=Micros(170_000))
    crossing.says(ASKS, asks(), ANSWER)
    crossing.says(ASKED, *[looks_on] * 20)
    async with crossing.run():
        crossing.asking.ask("has Alice written?")
        assert (await crossing.asking.has(ANSWER))[0] == UPDATE
        here, at_home = [await crossing.hears(chat, "/usage") for chat in (crossing.asking, crossing.home)]
    assert at_home.startswith(people.CHAT_TODAY(total=people.TOTAL(tokens=0, cost="$0.00")))
    assert not here.startswith(people.CHAT_TODAY(total="0 tokens"))
    turns = crossing.both.bench.select("status, reason", "turns", "role = 'gmail-reader'")
    assert turns == [("budget", reasons.TURN_BUDGET_USED())]
    [(spent,)] = crossing.both.bench.select("cost", "turns", "depth = 0")
    assert spent == crossing.billed() <= 170_000
    [report] = crossing.requests(ASKS)[-1].asked.results
    assert f"budget ({reasons.TURN_BUDGET_USED()})" in report
    assert "[Gmail-reader]: No more can be read." in report


async def test_one_that_works_in_the_background_reports_where_it_was_asked(crossing: Crossing) -> None:
    go_on = asyncio.Event()
    crossing.says(ASKS, asks(background=True), "I have asked.", ANSWER)
    crossing.says(ASKED, LOOKS, reply(Hold(go_on), "Alice wrote at noon."))
    async with crossing.run():
        crossing.asking.ask("has Alice written?")
        await crossing.asking.has("I have asked.")
        await crossing.at_the_model(ASKED, 2)
        go_on.set()
        assert sorted(await crossing.asking.has(ANSWER)) == sorted([UPDATE, "I have asked.", ANSWER])
    assert crossing.at_home() == []
    report = "<untrusted>\n[Gmail-reader]: Alice wrote at noon.\n</untrusted>"
    assert report in crossing.requests(ASKS)[-1].asked.last_text
    crossing.verify()


def looks_on(asked: Asked) -> Reply:
    """Asks for more as long as it is let."""
    if is_told_that_it_is_the_last(asked):
        return reply("No more can be read.")
    if len(asked.messages) == 1:
        return LOOKS
    return reply(Thinking(), ToolUse("read_file", {"path": NOTES, "limit": 100 + len(asked.messages)}))


def is_told_that_it_is_the_last(asked: Asked) -> bool:
    return model.LAST_WORDS.partition("{reason}")[2] in str(asked.messages)


async def test_only_the_owner_is_told_in_private_which_groups_may_ask_others(crossing: Crossing) -> None:
    asker, home = (chat.address.as_typed for chat in (crossing.asking, crossing.home))
    reader = people.GROUP_THAT_ASKS_NOBODY(group="gmail-reader", addresses=home)
    known = f"{reader}\n{people.MAIN_GROUP(group='main', addresses=asker)}"
    async with crossing.run():
        is_private = crossing.bystander is None
        assert await crossing.hears(crossing.asking, "/groups") == (known if is_private else OWNERS)
        assert await crossing.hears(crossing.home, "/groups") == OWNERS
    crossing.verify()


async def test_a_group_asked_from_both_platforms_at_once_tells_each_its_own(both: Together) -> None:
    crossing, go_on = private_to_channel(both), asyncio.Event()
    crossing.asking_too = both.in_channel(both.town.ann.private())
    here, there = crossing.asking, crossing.asking_too

    def passes_on(asked: Asked) -> Reply:
        if not asked.step:
            return asks(f"Is it so for {chat_of(asked)}?")
        return reply(asked.results[0].partition("[Gmail-reader]: ")[2].partition("\n")[0])

    def knows(asked: Asked) -> Reply:
        return reply(Hold(go_on), f"It is so for {chat_of(asked)}.")

    crossing.says(ASKS, *[passes_on] * 4)
    crossing.says(ASKED, *[knows] * 2)
    async with crossing.run():
        for chat in (here, there):
            chat.ask("is it so?")
        await crossing.at_the_model(ASKED, 2)
        go_on.set()
        for chat in (here, there):
            said = f"It is so for {chat.name}."
            assert await chat.has(said) == [said]
    for request in crossing.requests(ASKED):
        assert json.dumps(request.body["messages"]).count("Is it so for") == 1
    assert crossing.home.shown() == []
    crossing.verify()


async def test_a_third_group_asked_by_an_asked_one_obeys_the_same_person(both: Together) -> None:
    crossing, go_on = private_to_channel(both), asyncio.Event()
    ben = both.telegram.person(BEN, "Ben")
    crossing.further = both.in_room(both.telegram.supergroup("Calendar", ben), by=BEN, mention="@retinue_bot ")
    when = {"question": "Which day?", "options": ["Monday", "Tuesday"]}
    crossing.says(ASKS, asks(), ANSWER)
    crossing.says(ASKED, *[asks("When?", CALENDAR)] * 2, "Alice wrote on Monday.")
    crossing.says(FURTHER, reads(), reply(ToolUse("ask_person", when)), "It was Monday.", reply(Hold(go_on)))
    question = f"[Calendar]: Which day?\n\n{people.NO_SECRETS()}\n\n1. Monday\n2. Tuesday"
    async with crossing.run():
        crossing.asking.ask("has Alice written?")
        assert await crossing.asking.has(question) == [question]
        crossing.asking.tap("Monday")
        await crossing.at_the_model(FURTHER, 4)
        for chat in (crossing.home, crossing.further):
            assert await crossing.hears(chat, "/stop calendar") == people.NO_SUCH_ROLE(role="calendar")
        assert await crossing.hears(crossing.asking, "/stop calendar") == people.ROLES_STOPPED(roles="Calendar")
        await crossing.asking.has(ANSWER)
    assert crossing.requests(FURTHER)[1].asked.results == ["the mail of calendar\n"]
    assert "[Calendar]: It was Monday." in crossing.requests(ASKED)[1].asked.results[0]
    assert f"cancelled ({reasons.STOPPED_BY(person='Ann')})" in crossing.requests(ASKED)[2].asked.results[0]
    crossing.verify()


async def test_a_chat_that_moves_while_its_group_asks_hears_all_in_its_new_place(both: Together) -> None:
    friends = both.telegram.group("Friends", both.telegram.person(ANN, "Ann"))
    asking, home = both.in_room(friends, mention="@retinue_bot "), both.in_channel(both.town.general)
    crossing, go_on = Crossing(both, asking=asking, home=home, asker="desk"), asyncio.Event()
    crossing.says(ASKS, asks(), ANSWER, "Still here.")
    crossing.says(
        ASKED, LOOKS, reply(Hold(go_on), ToolUse("ask_person", {"question": "Which?", "options": ["A", "B"]}))
    )
    crossing.says(ASKED, "Alice wrote at noon.")
    async with crossing.run():
        asking.ask("has Alice written?")
        await crossing.at_the_model(ASKED, 2)
        await asking.has(UPDATE)
        moved = both.in_room(friends.migrate(friends.chat.people[ANN]), mention="@retinue_bot ")
        go_on.set()
        await moved.has(f"[Gmail-reader]: Which?\n\n{people.NO_SECRETS()}\n\n1. A\n2. B")
        moved.tap("B")
        await moved.has(ANSWER)
        assert await crossing.hears(moved, "and you?") == "Still here."
    assert crossing.requests(ASKED)[-1].asked.results == ["B"]
    assert crossing.at_home() == []
    both.claude.verify()
    crossing.all_is_said()
    # Before the bot knew of the move; and of the board, which stays in the chat that was left.
    known = ("upgraded to a supergroup", "message can't be edited")
    refused = [call.refusal for call in both.telegram.calls if call.refusal]
    assert [why for why in refused if not any(each in why for each in known)] == []
