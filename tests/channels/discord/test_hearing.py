"""What the Discord channel publishes of what people do there."""

from datetime import UTC, datetime

import pytest

from bot.core.messages import Address, Quote
from channels.discord import operator_texts
from tests.stand_ins.discord import Drop
from tests.support.discord_channel import Town, at, private


async def test_a_private_message_is_heard(town: Town) -> None:
    async with town.at_work():
        written = town.ann.say(town.ann.private(), "hello")
        [heard] = await town.door.messages(1)
    assert heard.id == f"discord:{town.server.bot.id}:{town.ann.private().id}:{written.id}"
    assert (heard.text, heard.sender.id, heard.sender.name) == ("hello", str(town.ann.id), "Ann")
    assert (heard.address, heard.group_chat, heard.cursor) == (private(town.ann), None, str(written.id))
    assert abs((heard.sent_at - datetime.now(UTC)).total_seconds()) < 60


async def test_in_a_server_only_what_is_meant_for_the_bot_is_heard(town: Town) -> None:
    async with town.at_work():
        town.ann.say(town.general, "nobody needs to know")
        town.ask("what is this?")
        town.ann.say(town.general, "/stop researcher")
        town.ann.say(town.general, "/shrug so what")
        town.ask("the last")
        heard = await town.door.messages(3)
    assert [each.text for each in heard] == ["what is this?", "/stop researcher", "the last"]
    assert {each.address for each in heard} == {at(town.general)}
    assert {each.group_chat for each in heard} == {str(town.home.id)}


async def test_a_thread_is_an_address_of_its_own(town: Town) -> None:
    thread = town.server.thread(town.general, "details")
    async with town.at_work():
        town.ask("in here", channel=thread)
        late = town.server.thread(town.general, "made while it listens")
        town.ask("and here", channel=late)
        heard = await town.door.messages(2)
    assert [each.address for each in heard] == [at(thread), at(late)]
    assert heard[0].address == Address(channel="discord", chat=str(town.general.id), thread=str(thread.id))


async def test_a_private_thread_is_a_chat_of_its_own(town: Town) -> None:
    thread = town.server.thread(town.general, "between us", is_private=True)
    async with town.at_work():
        town.ask("in here", channel=thread)
        late = town.server.thread(town.general, "made while it listens", is_private=True)
        town.ask("and here", channel=late)
        await town.server.until(lambda: town.server.world.commands)
        town.bob.command(thread, "status")
        heard = await town.door.messages(3)
    assert [each.address.chat for each in heard] == [str(thread.id), str(late.id), str(thread.id)]
    assert [each.address for each in heard] == [at(thread), at(late), at(thread)]


async def test_bots_and_webhooks_are_not_heard(town: Town) -> None:
    async with town.at_work():
        for other in (town.server.other_bot("Beep"), town.server.webhook("News")):
            other.say(town.general, "buy!", mentions=[town.server.bot])
        town.ask("hello")
        assert [each.text for each in await town.door.messages(1)] == ["hello"]
    assert town.door.texts == ["hello"]


async def test_a_reply_to_the_bot_is_meant_for_it_and_brings_the_words_along(town: Town) -> None:
    async with town.at_work():
        first = town.ask("hello")
        town.bob.say(town.general, "and to me?", reply_to=first)  # no business of the bot's
        town.bob.say(town.general, "what does she say?", reply_to=first, mentions=[town.server.bot])
        heard = await town.door.messages(2)
    assert [each.text for each in heard] == ["hello", "what does she say?"]
    assert heard[1].quotes == (Quote(author="Ann", text="hello"),)
    assert heard[1].reply_to == str(first.id)


async def test_people_are_called_by_name_and_files_by_what_they_are(town: Town) -> None:
    async with town.at_work():
        town.ask(f"is {town.bob.mention} in <#{town.general.id}>? <:wave:123>", attachments=["cat.png", "a b.pdf"])
        [heard] = await town.door.messages(1)
    assert heard.text == "is @Bob in #general? :wave:"
    assert [(file.kind, file.name) for file in heard.files] == [("photo", "cat.png"), ("file", "a_b.pdf")]


async def test_an_edit_has_the_id_of_the_edited_message(town: Town) -> None:
    async with town.at_work():
        written = town.ask("helo")
        town.ann.edit(written, f"{town.server.bot.mention} hello")
        talk = town.ann.say(town.general, "hm")
        town.ann.edit(talk, f"{town.server.bot.mention} to you, I mean")
        heard = await town.door.messages(3)
    assert [(each.text, each.is_edit) for each in heard] == [("helo", False), ("hello", True), ("to you, I mean", True)]
    assert heard[0].id == heard[1].id
    assert [bool(each.cursor) for each in heard] == [True, False, False]


async def test_two_hundred_messages_at_once_are_heard_in_order(town: Town) -> None:
    async with town.at_work():
        for number in range(200):
            town.ask(f"message {number}")
        await town.door.messages(200)
    assert town.door.texts == [f"message {number}" for number in range(200)]


@pytest.mark.parametrize("spoiled", [Drop.MALFORMED, Drop.BODY_IS_A_LIST, Drop.PAYLOAD_IS_A_LIST, Drop.NOT_JSON])
async def test_an_unreadable_message_is_set_aside_and_the_rest_is_heard(town: Town, spoiled: Drop) -> None:
    async with town.at_work():
        town.ask("before")
        town.server.drops.at("MESSAGE_CREATE", None, spoiled, None, spoiled)
        for text in ("good", "bad", "good too", "bad too", "after"):
            town.ask(text)
        await town.door.messages(4)
    assert town.door.texts == ["before", "good", "good too", "after"]
    assert len(town.door.aside) == 2
    assert len(town.readies) == 1, "the connection has gone on"


async def test_six_that_cannot_be_read_cost_no_sign_in(town: Town) -> None:
    async with town.at_work():
        for spoiled in (
            Drop.MALFORMED,
            Drop.BODY_IS_A_LIST,
            Drop.PAYLOAD_IS_A_LIST,
            Drop.NOT_JSON,
            *[Drop.MALFORMED] * 2,
        ):
            town.server.drops.at("MESSAGE_CREATE", spoiled, None)
        for number in range(6):
            town.ask(f"bad {number}")
            town.ask(f"good {number}")
        await town.door.messages(6)
    assert town.door.texts == [f"good {number}" for number in range(6)]
    assert len(town.door.aside) == 6
    assert {each.parse_error for each in town.door.aside} == {
        operator_texts.FIELD_MISSING(field="author"),
        f"MalformedDiscordData: {operator_texts.NOT_AN_OBJECT}",
    }
    assert len(town.readies) == 1


async def test_talk_of_others_moves_the_cursor_of_a_known_chat_now_and_then(town: Town) -> None:
    async with town.at_work():
        asked = town.ask("hello")
        await town.door.messages(1)
        talk = town.ann.say(town.general, "one")
        town.bob.say(town.general, "two")
        await town.door.until(lambda: town.door.seen)
        town.ask("again")
        await town.door.messages(2)
    assert [(each.address, each.cursor) for each in town.door.seen] == [(at(town.general), str(talk.id))]
    assert town.door.heard[0].cursor == str(asked.id)


async def test_talk_where_nobody_spoke_to_the_bot_leaves_no_trace(town: Town) -> None:
    async with town.at_work():
        town.ann.say(town.general, "one")
        town.ann.say(town.ann.private(), "hello")
        await town.door.messages(1)
    assert town.door.seen == []
