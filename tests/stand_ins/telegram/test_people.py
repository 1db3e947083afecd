"""What people do at the stand-in for Telegram, what the bot hears of it, and what people see."""

from typing import Any

import pytest
from telegram import Bot, InlineKeyboardButton, InlineKeyboardMarkup, LinkPreviewOptions, Message, Update

from tests.stand_ins.telegram import Clock, Person, Room, Standing, TelegramStandIn, document, photo, sticker, voice


@pytest.fixture
def ann(server: TelegramStandIn) -> Person:
    return server.person(7, "Ann", "ann")


@pytest.fixture
def bob(server: TelegramStandIn) -> Person:
    return server.person(8, "Bob")


async def last(bot: Bot) -> Update:
    return (await bot.get_updates(offset=-1))[0]


async def message(bot: Bot) -> Message:
    found = (await last(bot)).effective_message
    assert isinstance(found, Message)
    return found


async def test_a_message_arrives_with_its_author_and_time(bot: Bot, ann: Person, room: Room, clock: Clock) -> None:
    said = room.say(ann, "hello")
    heard = await message(bot)
    assert (heard.message_id, heard.text, heard.chat.type) == (said.id, "hello", "private")
    assert heard.from_user
    assert (heard.from_user.id, heard.from_user.username, heard.date.timestamp()) == (7, "ann", clock())


async def test_commands_mentions_and_links_are_marked(bot: Bot, ann: Person, room: Room) -> None:
    room.say(ann, "😀 /stop@retinue_bot now, @bob: https://example.org/a a/b")
    heard = await message(bot)
    assert heard.parse_entities() == {
        heard.entities[0]: "/stop@retinue_bot",
        heard.entities[1]: "@bob",
        heard.entities[2]: "https://example.org/a",
    }
    assert [entity.type for entity in heard.entities] == ["bot_command", "mention", "url"]


async def test_entities_of_their_own_are_kept(bot: Bot, ann: Person, room: Room) -> None:
    room.say(ann, "hello", entities=[{"type": "bold", "offset": 0, "length": 2}])
    heard = await message(bot)
    assert heard.parse_entities() == {heard.entities[0]: "he"}


async def test_a_reply_and_a_forward_name_their_message(bot: Bot, ann: Person, bob: Person, room: Room) -> None:
    first = room.say(ann, "first")
    room.say(ann, "second", reply_to=first)
    heard = await message(bot)
    assert heard.reply_to_message
    assert heard.reply_to_message.text == "first"
    room.say(ann, "his words", forward_from=bob)
    assert (await message(bot)).to_dict()["forward_origin"]["sender_user"]["id"] == 8
    room.say(ann, "her words", forward_from="Cleo")
    assert (await message(bot)).to_dict()["forward_origin"]["sender_user_name"] == "Cleo"


@pytest.mark.parametrize(
    ("media", "kind"), [(photo(), "photo"), (voice(), "voice"), (document(), "document"), (sticker(), "sticker")]
)
async def test_media_come_with_a_caption(bot: Bot, ann: Person, room: Room, media: dict[str, Any], kind: str) -> None:
    room.say(ann, "look @bob", media=media)
    heard = await message(bot)
    assert (heard.caption, heard.text, [entity.type for entity in heard.caption_entities]) == (
        "look @bob",
        None,
        ["mention"],
    )
    assert getattr(heard, kind)


async def test_an_album_is_a_message_each_and_one_has_the_caption(bot: Bot, ann: Person, room: Room) -> None:
    room.album(ann, photo("a"), photo("b"), caption="both")
    heard = [update.message for update in await bot.get_updates()]
    assert [one.caption for one in heard if one] == ["both", None]
    assert len({one.media_group_id for one in heard if one}) == 1


async def test_an_edit_arrives_as_one(bot: Bot, ann: Person, room: Room, clock: Clock) -> None:
    said = room.say(ann, "helo")
    clock.advance(5)
    room.edit(said, "hello")
    update = await last(bot)
    assert update.edited_message
    assert update.edited_message.text == "hello"
    assert update.edited_message.edit_date
    assert update.edited_message.edit_date.timestamp() == clock()
    assert [version.text for version in said.versions] == ["helo"]


async def test_a_tap_arrives_with_the_buttons_data(bot: Bot, ann: Person, room: Room) -> None:
    keys = InlineKeyboardMarkup(
        [[InlineKeyboardButton("Yes", callback_data="a:1:y"), InlineKeyboardButton("No", callback_data="n")]]
    )
    await bot.send_message(7, "Shall I?", reply_markup=keys)
    (asked,) = room.answers()
    assert asked.labels == ["Yes", "No"]
    with pytest.raises(AssertionError, match="no button 'Maybe'"):
        room.tap(ann, asked, "Maybe")
    tap = room.tap(ann, asked, "Yes")
    query = (await last(bot)).callback_query
    assert query
    assert (query.id, query.data, query.from_user.id) == (tap.id, "a:1:y", 7)
    assert query.message
    assert query.message.message_id == asked.id
    await bot.answer_callback_query(query.id, "Noted.")
    assert tap.heard == "Noted."
    await bot.edit_message_reply_markup(7, asked.id)
    assert asked.labels == []
    with pytest.raises(AssertionError, match="no button 'Yes'"):
        room.tap(ann, asked, "Yes")


async def test_edits_and_deletions_show_at_once_and_the_former_text_is_kept(bot: Bot, room: Room, clock: Clock) -> None:
    keys = InlineKeyboardMarkup([[InlineKeyboardButton("Stop", callback_data="s")]])
    board = await bot.send_message(7, "0 of 2", disable_notification=True, reply_markup=keys)
    gone = await bot.send_message(7, "draft", link_preview_options=LinkPreviewOptions(is_disabled=True))
    clock.advance(5)
    await bot.edit_message_text("1 of 2", 7, board.message_id)
    await bot.delete_message(7, gone.message_id)
    (seen,) = room.seen()
    assert (seen.text, seen.labels, seen.is_silent, seen.edited_at) == ("1 of 2", [], True, clock())
    assert [(version.text, version.until) for version in seen.versions] == [("0 of 2", clock())]
    erased = room.chat.messages[gone.message_id]
    assert (erased.deleted_at, erased.preview, erased.is_silent) == (clock(), {"is_disabled": True}, False)


async def test_typing_is_seen_where_it_is(server: TelegramStandIn, bot: Bot, ann: Person, room: Room) -> None:
    forum = server.supergroup("Team", ann, forum=True)
    topic = forum.topic(ann, "News")
    await bot.send_chat_action(7, "typing")
    await bot.send_chat_action(forum.id, "typing", message_thread_id=topic.id)
    assert [(action.action, action.thread) for action in room.typing] == [("typing", 0)]
    assert [action.thread for action in forum.typing] == [topic.id]


ADDRESSED = {
    "hello": False,
    "hello @bob": False,
    "/stop": True,
    "/stop@retinue_bot": True,
    "/stop@other_bot": False,
    "say, @retinue_bot": True,
    "say, @Retinue_Bot": True,
    "an address: me@retinue_bot": False,
}


@pytest.mark.parametrize(("text", "is_heard"), ADDRESSED.items())
async def test_in_a_group_the_bot_hears_what_is_meant_for_it(
    server: TelegramStandIn, bot: Bot, ann: Person, text: str, is_heard: bool
) -> None:
    group = server.group("Team", ann)
    group.say(ann, text)
    assert bool(await bot.get_updates()) is is_heard
    assert group.texts() == [text]


async def test_in_a_group_it_hears_replies_to_itself(
    server: TelegramStandIn, bot: Bot, ann: Person, bob: Person
) -> None:
    group = server.supergroup("Team", ann, bob)
    await bot.send_message(group.id, "hello")
    hers = group.say(ann, "who is that?")
    group.say(bob, "no idea", reply_to=hers)
    group.say(ann, "and you?", reply_to=group.answers()[0])
    named = {"type": "text_mention", "offset": 0, "length": 7, "user": server.world.bot.as_json()}
    group.say(bob, "Retinue?", entities=[named])
    assert [one.message.text for one in await bot.get_updates() if one.message] == ["and you?", "Retinue?"]


@pytest.mark.parametrize("why", ["privacy mode is off", "it is an admin"])
async def test_without_privacy_mode_it_hears_all(server: TelegramStandIn, bot: Bot, ann: Person, why: str) -> None:
    group = server.group("Team", ann)
    if why == "it is an admin":
        group.change_bot(ann, Standing.ADMINISTRATOR)
    else:
        server.world.reads_all = True
    group.say(ann, "hello")
    assert (await message(bot)).text == "hello"
    assert (await bot.get_me()).can_read_all_group_messages is (why == "privacy mode is off")


async def test_out_of_a_group_it_hears_nothing(server: TelegramStandIn, bot: Bot, ann: Person, bob: Person) -> None:
    group = server.group("Team", ann)
    group.change_bot(ann, Standing.KICKED)
    group.say(ann, "/stop")
    assert [list(one.update)[1] for one in server.world.updates.waiting] == ["my_chat_member"]
    group.change_bot(ann, Standing.MEMBER)
    group.join(bob)
    heard = await message(bot)
    assert [person.id for person in heard.new_chat_members] == [8]


async def test_a_topics_messages_answer_its_first_one(server: TelegramStandIn, bot: Bot, ann: Person) -> None:
    server.world.reads_all = True
    forum = server.supergroup("Team", ann, forum=True)
    topic = forum.topic(ann, "News")
    said = forum.say(ann, "hello", thread=topic.id)
    heard = await message(bot)
    assert (heard.message_thread_id, heard.is_topic_message, heard.chat.is_forum) == (topic.id, True, True)
    assert heard.reply_to_message
    assert heard.reply_to_message.forum_topic_created
    forum.say(ann, "again", reply_to=said)
    assert (await message(bot)).message_thread_id == topic.id
    forum.say(ann, "in General")
    assert (await message(bot)).message_thread_id is None
    with pytest.raises(AssertionError, match="there is no topic 99"):
        forum.say(ann, "where?", thread=99)


async def test_a_private_chat_may_have_topics(server: TelegramStandIn, bot: Bot, ann: Person, room: Room) -> None:
    assert (await bot.get_me()).has_topics_enabled is False
    room.let_topics()
    topic = room.topic(ann, "News")
    room.say(ann, "hello", thread=topic.id)
    heard = await message(bot)
    assert (heard.message_thread_id, heard.is_topic_message, heard.chat.is_forum) == (topic.id, True, None)
    answer = await bot.send_message(room.id, "hi", message_thread_id=topic.id)
    assert (answer.message_thread_id, room.texts(topic.id)[-1]) == (topic.id, "hi")
    assert (await bot.get_me()).has_topics_enabled is True


async def test_answers_in_a_plain_supergroup_have_a_thread_that_is_no_topic(
    server: TelegramStandIn, bot: Bot, ann: Person
) -> None:
    server.world.reads_all = True
    group = server.supergroup("Team", ann)
    first = group.say(ann, "first")
    second = group.say(ann, "second", reply_to=first)
    group.say(ann, "third", reply_to=second)
    heard = await message(bot)
    assert (heard.message_thread_id, heard.is_topic_message) == (first.id, None)


async def test_chats_number_their_messages_as_the_platform_does(
    server: TelegramStandIn, ann: Person, bob: Person, room: Room
) -> None:
    other, group, large = server.private(bob), server.group("Team", ann), server.supergroup("All", ann)
    said = [room.say(ann, "a"), other.say(bob, "b"), group.say(ann, "c"), large.say(ann, "d"), large.say(ann, "e")]
    # Private chats and small groups share one row of numbers, each supergroup has its own.
    assert [one.id for one in said] == [1, 2, 3, 2, 3]
    assert group.id < 0
    assert str(large.id).startswith("-100")


async def test_chats_and_members_can_be_asked_for(server: TelegramStandIn, bot: Bot, ann: Person, bob: Person) -> None:
    group = server.supergroup("Team", ann, forum=True)
    group.chat.username, group.chat.admins = "team", {ann.id}
    chat = await bot.get_chat("@team")
    assert (chat.id, chat.title, chat.type, chat.is_forum) == (group.id, "Team", "supergroup", True)
    standings = [(await bot.get_chat_member(group.id, number)).status for number in (7, 8, 123_456)]
    assert standings == ["administrator", "left", "member"]
    group.change_bot(ann, Standing.RESTRICTED)
    assert (await bot.get_chat_member(group.id, 123_456)).status == "restricted"
    group.change_bot(ann, Standing.ADMINISTRATOR)
    admins = await bot.get_chat_administrators(group.id)
    assert [admin.user.id for admin in admins] == [7, 123_456]


async def test_only_who_is_there_can_speak(server: TelegramStandIn, ann: Person, bob: Person, room: Room) -> None:
    with pytest.raises(AssertionError, match="Bob is not in this chat"):
        server.group("Team", ann).say(bob, "hello")
    room.block()
    with pytest.raises(AssertionError, match="unblock it first"):
        room.say(ann, "hello")


async def test_people_and_private_chats_are_there_once(server: TelegramStandIn, ann: Person, room: Room) -> None:
    assert server.person(7, "Ann") is ann
    assert server.private(ann).chat is room.chat
