"""Where the bot may not write, at the stand-in for Telegram: chats that are closed to it, and how it hears of that."""

import pytest
from telegram import Bot
from telegram.error import BadRequest, ChatMigrated, Forbidden

from tests.stand_ins.telegram import Limits, Person, Room, Standing, TelegramStandIn


@pytest.fixture
def limits() -> Limits:
    return Limits.none()


async def test_a_person_who_never_wrote_is_not_written_to(server: TelegramStandIn, bot: Bot, ann: Person) -> None:
    room = server.private(ann, started=False)
    with pytest.raises(Forbidden, match="can't initiate conversation with a user"):
        await bot.send_message(7, "hello")
    room.say(ann, "/start")
    await bot.send_message(7, "hello")


async def test_a_person_who_blocked_the_bot_is_not_written_to(bot: Bot, ann: Person, room: Room) -> None:
    message = await bot.send_message(7, "hello")
    room.block()
    for forbidden in (bot.send_message(7, "a"), bot.edit_message_text("a", 7, message.message_id), bot.get_chat(7)):
        with pytest.raises(Forbidden, match="bot was blocked by the user"):
            await forbidden
    room.unblock()
    await bot.send_message(7, "hello again")
    updates = [update.my_chat_member for update in await bot.get_updates()]
    standings = [(told.old_chat_member.status, told.new_chat_member.status) for told in updates if told]
    assert standings == [("member", "kicked"), ("kicked", "member")]


async def test_a_closed_account_is_not_written_to(bot: Bot, ann: Person, room: Room) -> None:
    ann.is_deactivated = True
    with pytest.raises(Forbidden, match="user is deactivated"):
        await bot.send_message(7, "hello")


@pytest.mark.parametrize(
    ("standing", "kind", "words"),
    [
        (Standing.KICKED, "group", "bot was kicked from the group chat"),
        (Standing.KICKED, "supergroup", "bot was kicked from the supergroup chat"),
        (Standing.LEFT, "group", "bot is not a member of the group chat"),
        (Standing.LEFT, "supergroup", "bot is not a member of the supergroup chat"),
    ],
)
async def test_out_of_a_group_nothing_can_be_sent_to_it(
    server: TelegramStandIn, bot: Bot, ann: Person, standing: Standing, kind: str, words: str
) -> None:
    room = (server.group if kind == "group" else server.supergroup)("Team", ann)
    room.change_bot(ann, standing)
    with pytest.raises(Forbidden, match=words):
        await bot.send_message(room.id, "hello")
    with pytest.raises(Forbidden, match=words):
        await bot.send_chat_action(room.id, "typing")


@pytest.mark.parametrize("words", ["not enough rights to send text messages to the chat", "CHAT_WRITE_FORBIDDEN"])
async def test_without_the_right_to_write_it_may_look_only(
    server: TelegramStandIn, bot: Bot, ann: Person, words: str
) -> None:
    room = server.supergroup("Team", ann)
    room.change_bot(ann, Standing.RESTRICTED, words if words.isupper() else "")
    with pytest.raises(BadRequest) as refused:
        await bot.send_message(room.id, "hello")
    assert words.lower() in str(refused.value).lower()
    assert (await bot.get_chat(room.id)).title == "Team"


async def test_a_group_that_became_a_supergroup_names_its_new_number(
    server: TelegramStandIn, bot: Bot, ann: Person
) -> None:
    old = server.group("Team", ann)
    new = old.migrate(ann)
    with pytest.raises(ChatMigrated) as refused:
        await bot.send_message(old.id, "hello")
    assert refused.value.new_chat_id == new.id
    assert "upgraded to a supergroup" in server.calls[-1].refusal
    await bot.send_message(new.id, "hello")
    told = [update.message for update in await bot.get_updates()]
    assert [(m.chat_id, m.migrate_to_chat_id, m.migrate_from_chat_id) for m in told if m] == [
        (old.id, new.id, None),
        (new.id, None, old.id),
    ]


async def test_a_chat_that_is_gone_is_not_found(bot: Bot, room: Room) -> None:
    room.vanish()
    with pytest.raises(BadRequest, match="Chat not found"):
        await bot.send_message(7, "hello")


async def test_topics_are_there_open_or_closed(server: TelegramStandIn, bot: Bot, ann: Person) -> None:
    room = server.supergroup("Team", ann, forum=True)
    topic = room.topic(ann, "News")
    await bot.send_message(room.id, "a", message_thread_id=topic.id)
    with pytest.raises(BadRequest, match="Message thread not found"):
        await bot.send_message(room.id, "b", message_thread_id=topic.id + 99)
    # The General topic has a number, which is good for typing only.
    await bot.send_chat_action(room.id, "typing", message_thread_id=1)
    with pytest.raises(BadRequest, match="Message thread not found"):
        await bot.send_message(room.id, "c", message_thread_id=1)
    topic.is_closed = True
    with pytest.raises(BadRequest, match="Topic_closed"):
        await bot.send_message(room.id, "d", message_thread_id=topic.id)
    room.change_bot(ann, Standing.ADMINISTRATOR)
    await bot.send_message(room.id, "e", message_thread_id=topic.id)
    assert [message.text for message in room.answers(topic.id)] == ["a", "e"]
