"""/ask: a question by a slash command, with files. What is asked and answered is for the whole chat."""

from bot.core.messages import InboundKind
from channels.discord import people_texts
from tests.stand_ins.discord import Upload
from tests.stand_ins.discord.interactions import Answered
from tests.support.discord_channel import Town, at
from tests.support.discord_talk import Talk
from tests.support.fakes import Pause


async def test_ask_is_heard_as_a_message_with_its_files(town: Town) -> None:
    async with town.at_work():
        await town.server.until(lambda: town.server.world.commands)
        files = {"file": Upload("plan.txt", b"a plan"), "file3": Upload("map.png", b"pixels")}
        town.ann.command_with_files(town.general, "ask", files, text="what is this?")
        [heard] = await town.door.messages(1)
    assert (heard.kind, heard.text, heard.address) == (InboundKind.TEXT, "what is this?", at(town.general))
    assert [file.name for file in heard.files] == ["plan.txt", "map.png"]
    assert heard.is_unseen_by_others


async def test_ask_is_acknowledged_in_time_and_finished_with_a_line(town: Town) -> None:
    async with town.at_work():
        await town.server.until(lambda: town.server.world.commands)
        done = town.ann.command(town.general, "ask", text="hello")
        await town.server.until(lambda: done.original and done.original.text == people_texts.HAS_ARRIVED())
    assert done.answered is Answered.DEFERRED
    assert town.bob.sees(town.general) == [], "the acknowledgement is for the one who asked"
    town.server.verify()


async def test_everybody_sees_who_asked_what_and_the_answer(talk: Talk, town: Town) -> None:
    talk.bench.model.says("lead", "It is a plan.")
    async with talk.run():
        await talk.connected()
        await town.server.until(lambda: town.server.world.commands)
        files = {"file": Upload("plan.txt", b"a plan")}
        town.ann.command_with_files(town.general, "ask", files, text="what is this?")
        seen = await talk.sees(town.bob, town.general, "It is a plan.")
    assert seen == ["Ann asks: what is this? (plan.txt)", f"{town.ann.mention} It is a plan."]
    assert [each.rings for each in town.ann.sees(town.general) if each.text in seen] == [False, True]
    assert not any(each.rings for each in town.bob.sees(town.general))
    town.server.verify()


async def test_a_stranger_who_asks_gets_no_answer_and_nothing_is_shown(talk: Talk, town: Town) -> None:
    eve = town.server.person("Eve")
    elsewhere = town.server.guild("Elsewhere", eve)
    square = town.server.channel(elsewhere, "square")
    async with talk.run():
        await talk.connected()
        await town.server.until(lambda: town.server.world.commands)
        done = eve.command(square, "ask", text="hello")
        await town.server.until(lambda: done.original and done.original.text == people_texts.HAS_ARRIVED())
    assert town.server.said(square) == [done.original]


async def test_ask_is_answered_where_the_mode_is_off(talk: Talk, town: Town) -> None:
    talk.bench.model.says("lead", "Here.")
    async with talk.run():
        await talk.connected()
        await town.server.until(lambda: town.server.world.commands)
        off = town.ann.command(town.general, "mode", mode="off")
        await town.server.until(lambda: off.original and "off" in off.original.text)
        town.ann.command(town.general, "ask", text="are you there?")
        await talk.sees(town.bob, town.general, "Here.")


async def test_a_kill_after_the_acknowledgement_loses_no_question(talk: Talk, town: Town) -> None:
    pause = Pause()
    talk.bench.model.says("lead", pause, "Hello again.")
    async with talk.run():
        await talk.connected()
        await town.server.until(lambda: town.server.world.commands)
        done = town.ann.command(town.ann.private(), "ask", text="hello")
        await town.server.until(lambda: done.answered)
        await pause.reached.wait()
        talk.bench.crashes()
    async with talk.run():
        seen = await talk.sees(town.ann, town.ann.private(), "Hello again.")
    assert [text for text in seen if "asks" in text] == ["Ann asks: hello"]
