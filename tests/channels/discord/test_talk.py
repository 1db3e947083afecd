"""The whole bot on Discord, end to end over sockets, with the scripted model: what people there see."""

import asyncio

import pytest

from bot.core import phrases
from bot.core.content_blocks import text_block
from bot.core.model import ModelReply, ModelRequest, ShowTextCallback
from bot.core.texts import people
from bot.engine.commands import COMMAND_HANDLERS, NEW_CHAT_COMMAND
from channels.discord import operator_texts
from tests.stand_ins.discord import Channel, Drop, Fault, Flag, Message, Permission, Route
from tests.support.discord_channel import Town
from tests.support.discord_talk import FAULTS, Talk
from tests.support.fakes import Pause, delegates, last_text, reply, uses


async def echo(request: ModelRequest, show: ShowTextCallback) -> ModelReply:
    """A step of a script that says what it heard."""
    await asyncio.sleep(0)
    heard = last_text(request).split(": ")[-1]  # without the name of who speaks
    return reply(text_block(f"you said: {heard}"))


def of_bot(town: Town, channel: Channel, text: str) -> Message:
    [found] = [one for one in town.server.said(channel) if one.text == text]
    return found


async def test_two_roles_work_side_by_side_and_one_answer_rings_for_who_asked(talk: Talk, town: Town) -> None:
    both = asyncio.Barrier(2)

    async def meets() -> ModelReply:
        await both.wait()
        return reply(uses("message", text="at it"))

    talk.bench.model.says("lead", delegates("researcher", "analyst"), "it is **so**")
    talk.bench.model.says("researcher", meets, "found")
    talk.bench.model.says("analyst", meets, "counted")
    async with talk.run():
        await talk.connected()
        asked = town.ask("why?")
        said = await talk.sees(town.ann, town.general, "it is **so**")
    assert sorted(text for text in said if text.endswith("at it")) == ["[Analyst]: at it", "[Researcher]: at it"]
    assert said[-1] == "it is **so**"
    answer = of_bot(town, town.general, "it is **so**")
    assert (answer.reply_to, answer.mentions) == (asked, [town.ann])
    assert town.has_said(town.ann.private()) == []
    assert town.general.typing, "it was seen to be at work"
    town.server.verify()


async def test_questions_from_many_places_are_answered_where_they_were_asked(talk: Talk, town: Town) -> None:
    places = [town.general, town.server.thread(town.general, "a thread"), town.server.channel(town.home, "other")]
    talk.bench.model.says("lead", *[echo] * 4)
    async with talk.run():
        await talk.connected()
        for number, place in enumerate(places):
            town.ask(f"this in {number}", town.bob, place)
        town.ann.say(town.ann.private(), "this in private")
        for number, place in enumerate(places):
            assert len(await talk.sees(town.bob, place, f"you said: this in {number}")) == 1
        assert len(await talk.sees(town.ann, town.ann.private(), "you said: this in private")) == 1


async def test_only_the_asked_persons_button_answers_a_question(talk: Talk, town: Town) -> None:
    asks = uses("ask_person", question="Which?", options=["red", "blue"])
    talk.bench.model.says("lead", reply(asks), "so be it")
    async with talk.run():
        await talk.connected()
        town.ask("paint it", town.bob)
        await talk.sees(town.bob, town.general, "Which?")
        asked = of_bot(town, town.general, f"{town.bob.mention} Which?\n\n1. red\n2. blue")
        town.ann.tap(asked, asked.buttons[0]["custom_id"])
        refused = await talk.said("%:told")
        await talk.sees(town.ann, town.general, refused)
        assert talk.bench.rows("SELECT answer FROM questions") == [(None,)]
        town.bob.tap(asked, asked.buttons[1]["custom_id"])
        said = await talk.sees(town.bob, town.general, "so be it")
    assert talk.bench.model.heard("lead")[-1:] == ["blue"]
    assert refused not in said, "only Ann was told"


async def test_a_slash_command_is_answered_for_its_person_alone(talk: Talk, town: Town) -> None:
    pause = Pause()
    talk.bench.model.says("lead", pause)
    async with talk.run():
        await talk.connected()
        await town.server.until(lambda: town.server.world.commands)
        town.ask("something long", town.bob)
        await pause.reached.wait()
        town.bob.command(town.general, "status")
        status = await talk.said("%:done")
        assert await talk.sees(town.bob, town.general, status) == [status]
        assert "Bob" in status
        assert "“something long”" in status
        assert await talk.sees(town.ann, town.general) == []
        town.bob.command(town.general, "stop")
        await talk.sees(town.ann, town.general, "Stopped: “something long”")


@pytest.mark.parametrize("name", [name.removeprefix("/") for name in (*COMMAND_HANDLERS, NEW_CHAT_COMMAND)])
async def test_every_slash_command_ends_and_only_its_person_sees_how(talk: Talk, town: Town, name: str) -> None:
    pause = Pause()
    talk.bench.model.says("lead", pause)
    async with talk.run():
        await talk.connected()
        await town.server.until(lambda: town.server.world.commands)
        town.ask("something long", town.bob)
        await pause.reached.wait()
        there = town.general if town.ann.is_offered(town.general, name) else town.ann.private()
        given = town.ann.command(there, name, **dict.fromkeys(town.ann.required_options(name), "x"))
        await town.server.until(lambda: given.original and Flag.LOADING not in given.original.flags)
        assert given.original
        assert given.original.text
        if name != "stop":  # the end of what it stops is told to all
            assert await talk.sees(town.bob, town.general) == [], "nobody else reads it"


async def test_only_the_person_who_asked_hears_of_a_new_conversation(talk: Talk, town: Town) -> None:
    async with talk.run():
        await talk.connected()
        await town.server.until(lambda: town.server.world.commands)
        town.ann.command(town.general, "new")
        await talk.sees(town.ann, town.general, people.NEW_CONVERSATION())
        assert await talk.sees(town.bob, town.general) == []


async def test_after_a_tap_everybody_sees_the_choice_and_the_chooser(talk: Talk, town: Town) -> None:
    asks = uses("ask_person", question="Which?", options=["red", "blue"])
    talk.bench.model.says("lead", reply(asks), "so be it")
    async with talk.run():
        await talk.connected()
        town.ask("paint it", town.bob)
        await talk.sees(town.bob, town.general, "Which?")
        asked = of_bot(town, town.general, f"{town.bob.mention} Which?\n\n1. red\n2. blue")
        tapped = town.bob.tap(asked, asked.buttons[1]["custom_id"])
        await talk.sees(town.ann, town.general, phrases.option_chosen_text("blue", "Bob"))
        await town.server.until(lambda: tapped.answered)
    assert not asked.buttons


async def test_messages_sent_while_the_bot_was_away_are_answered_in_order(talk: Talk, town: Town) -> None:
    talk.bench.model.says("lead", *[echo] * 4)
    async with talk.run():
        await talk.connected()
        town.ask("hello", town.bob)
        await talk.sees(town.bob, town.general, "you said: hello")
    for number in range(3):
        town.ask(f"missed {number}", [town.ann, town.bob][number % 2])
    async with talk.run():
        said = await talk.sees(town.bob, town.general, "you said: missed 2")
    answers = [text for text in said if text.startswith("you said")]
    assert answers == ["you said: hello", *(f"you said: missed {number}" for number in range(3))]


async def test_one_event_that_cannot_be_read_is_told_and_holds_up_nothing(talk: Talk, town: Town) -> None:
    talk.bench.model.says("lead", echo)
    async with talk.run():
        await talk.connected()
        town.server.drops.at("MESSAGE_CREATE", Drop.MALFORMED)
        town.ask("bad", town.bob)
        town.ask("good", town.bob)
        await talk.sees(town.bob, town.general, "you said: good", await talk.said("%:sorry"))
        await talk.sees(town.ann, town.ann.private(), await talk.said("aside:%"))


@pytest.mark.parametrize("faults", FAULTS)
async def test_an_answer_arrives_once_despite_faults_on_the_way(
    talk: Talk, town: Town, faults: tuple[Fault, ...]
) -> None:
    talk.bench.model.says("lead", "the answer", "and another")
    async with talk.run():
        await talk.connected()
        town.server.faults.on(Route.SEND, *faults)
        town.ask("well?", town.bob)
        await talk.sees(town.bob, town.general, "the answer")
        town.ask("and?", town.bob)
        said = await talk.sees(town.bob, town.general, "and another")
    assert said == ["the answer", "and another"]


async def test_the_owner_hears_how_to_mend_a_channel_that_forbids_writing(talk: Talk, town: Town) -> None:
    talk.bench.model.says("lead", "the answer")
    async with talk.run():
        await talk.connected()
        town.general.denied |= Permission.SEND_MESSAGES
        town.ask("well?", town.bob)
        await talk.sees(town.ann, town.ann.private(), operator_texts.MAY_NOT_SEND)
    assert town.has_said() == []


async def test_a_draft_grows_in_private_until_the_answer_takes_its_place(talk: Talk, town: Town) -> None:
    is_seen = asyncio.Event()

    async def slowly(request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        text = "Half an answer"
        while not is_seen.is_set():
            show(text)
            await asyncio.sleep(0.02)
        return reply(text_block(f"{text}, and the rest"))

    talk.bench.model.says("lead", slowly)
    async with talk.run():
        await talk.connected()
        town.ann.say(town.ann.private(), "go")
        await talk.sees(town.ann, town.ann.private(), "Half an answer")
        is_seen.set()
        await talk.sees(town.ann, town.ann.private(), "and the rest")
        await town.server.until(lambda: len(town.ann.sees(town.ann.private())) == 2)
        assert await talk.sees(town.ann, town.ann.private(), "and") == ["Half an answer, and the rest"]
