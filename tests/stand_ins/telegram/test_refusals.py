"""What the stand-in for Telegram refuses: each rule broken alone, over the socket, in the platform's words."""

from typing import Any

import pytest
from telegram import Bot, InlineKeyboardButton, InlineKeyboardMarkup, MessageEntity, ReplyParameters
from telegram.error import BadRequest

from tests.stand_ins.telegram import Clock, Limits, Person, Room, Standing, TelegramStandIn, photo
from tests.stand_ins.telegram.raw import call

HOUR = 3600.0
SOME = {"chat_id": 7, "text": "hello"}


def button(**given: Any) -> dict[str, Any]:
    return {**SOME, "reply_markup": {"inline_keyboard": [[given]]}}


def entity(**given: Any) -> dict[str, Any]:
    whole = {"type": "bold", "offset": 0, "length": 1, **given}
    return {**SOME, "entities": [{name: value for name, value in whole.items() if value is not ...}]}


def reacting(*emoji: str) -> dict[str, Any]:
    return {"chat_id": 7, "message_id": 1, "reaction": [{"type": "emoji", "emoji": each} for each in emoji]}


CASES: list[tuple[str, dict[str, Any], str]] = [
    ("sendMessage", {"text": "hello"}, "chat_id is empty"),
    ("sendMessage", {"chat_id": 8, "text": "hello"}, "chat not found"),
    ("sendMessage", {"chat_id": "@nobody", "text": "hello"}, "chat not found"),
    ("sendMessage", {"chat_id": 7}, "message text is empty"),
    ("sendMessage", {"chat_id": 7, "text": " \n\u200b"}, "text must be non-empty"),
    ("sendMessage", {"chat_id": 7, "text": "x" * 4097}, "message is too long"),
    ("sendMessage", {"chat_id": 7, "text": "😀" * 2049}, "message is too long"),
    ("sendMessage", {**SOME, "parse_mode": "HTML"}, "parse_mode is unsupported by this stand-in"),
    ("sendMessage", {**SOME, "parse_mode": "MarkdownV2"}, "parse_mode is unsupported by this stand-in"),
    ("sendMessage", {**SOME, "business_connection_id": "b"}, "business_connection_id is unsupported"),
    ("sendMessage", {**SOME, "message_thread_id": 3}, "message thread not found"),
    ("sendMessage", {**SOME, "link_preview_options": "{"}, "can't parse link preview options JSON object"),
    ("sendMessage", {**SOME, "link_preview_options": []}, "object expected as link preview options"),
    ("sendMessage", {**SOME, "reply_parameters": {"message_id": 99}}, "message to be replied not found"),
    ("sendMessage", {**SOME, "reply_to_message_id": 99}, "message to be replied not found"),
    ("sendMessage", {**SOME, "reply_parameters": {}}, "can't parse reply parameters: Can't find field \"message_id\""),
    ("sendMessage", {**SOME, "reply_parameters": 9}, "object expected as reply parameters"),
    ("sendMessage", {**SOME, "reply_parameters": {"message_id": 1, "chat_id": 9}}, "a reply to another chat is unsupp"),
    ("sendMessage", {**SOME, "entities": {}}, "expected an Array of MessageEntity"),
    ("sendMessage", {**SOME, "entities": [1]}, "can't parse MessageEntity: expected an Object"),
    ("sendMessage", entity(type=...), "can't parse MessageEntity: Can't find field \"type\""),
    ("sendMessage", entity(offset=...), "can't parse MessageEntity: Can't find field \"offset\""),
    ("sendMessage", entity(length="1"), 'can\'t parse MessageEntity: Field "length" must be of type Number'),
    ("sendMessage", entity(type="poem"), "can't parse MessageEntity: Unsupported type specified"),
    ("sendMessage", entity(offset=-1), "receive an entity with incorrect offset -1"),
    ("sendMessage", entity(length=-1), "receive an entity with incorrect length -1"),
    ("sendMessage", entity(offset=6), "entity begins after the end of the text at UTF-16 offset 6"),
    (
        "sendMessage",
        entity(offset=3, length=3),
        "entity beginning at UTF-16 offset 3 ends after the end of the text at UTF-16 offset 6",
    ),
    ("sendMessage", {**entity(offset=1), "text": "😀a"}, "entity begins in a middle of a UTF-16 symbol"),
    ("sendMessage", {**entity(length=1), "text": "😀a"}, "entity beginning at UTF-16 offset 0 ends in a middle of a"),
    ("sendMessage", entity(type="text_link"), "entity URL '' is invalid: URL host is empty"),
    ("sendMessage", entity(type="text_link", url=1), 'can\'t parse MessageEntity: Field "url" must be of type String'),
    ("sendMessage", entity(type="text_link", url="javascript:x"), "is invalid: Unsupported URL protocol"),
    ("sendMessage", entity(type="text_link", url="notes"), "entity URL 'notes' is invalid: Wrong HTTP URL"),
    ("sendMessage", entity(type="text_link", url="http://[x"), "entity URL 'http://[x' is invalid: Wrong HTTP URL"),
    ("sendMessage", entity(type="text_mention"), "can't parse MessageEntity: Can't find field \"user\""),
    ("sendMessage", entity(type="custom_emoji", custom_emoji_id="x"), "must be a valid Number"),
    ("sendMessage", {**SOME, "reply_markup": "{"}, "can't parse reply keyboard markup JSON object"),
    ("sendMessage", {**SOME, "reply_markup": []}, "object expected as reply markup"),
    ("sendMessage", {**SOME, "reply_markup": {"keyboard": []}}, "reply_markup of keyboard is unsupported"),
    ("sendMessage", {**SOME, "reply_markup": {"inline_keyboard": [1]}}, '"inline_keyboard" must be of type Array'),
    ("sendMessage", {**SOME, "reply_markup": {"inline_keyboard": [[1]]}}, "InlineKeyboardButton must be an Object"),
    ("sendMessage", button(callback_data="a"), "can't parse inline keyboard button: Can't find field \"text\""),
    ("sendMessage", button(text=" ", callback_data="a"), "Text buttons are unallowed in the inline keyboard"),
    ("sendMessage", button(text="Yes"), "Text buttons are unallowed in the inline keyboard"),
    ("sendMessage", button(text="Yes", callback_data=""), "BUTTON_DATA_INVALID"),
    ("sendMessage", button(text="Yes", callback_data="x" * 65), "BUTTON_DATA_INVALID"),
    ("sendMessage", button(text="Yes", callback_data="ü" * 33), "BUTTON_DATA_INVALID"),
    (
        "sendMessage",
        {**SOME, "reply_markup": {"inline_keyboard": [[{"text": "a", "callback_data": "a"}] * 101]}},
        "reply markup is too long",
    ),
    ("sendChatAction", {"chat_id": 7, "action": "yawn"}, "wrong parameter action in request"),
    ("sendChatAction", {"chat_id": 7, "action": "typing", "message_thread_id": 3}, "message thread not found"),
    ("editMessageText", {**SOME}, "message identifier is not specified"),
    ("editMessageText", {**SOME, "message_id": 99}, "message to edit not found"),
    ("editMessageText", {**SOME, "message_id": 1}, "message can't be edited"),
    ("editMessageText", {"chat_id": 7, "message_id": 2, "text": "x" * 4097}, "MESSAGE_TOO_LONG"),
    ("editMessageText", {"inline_message_id": "x", "text": "x"}, "inline_message_id is unsupported"),
    ("editMessageText", {"chat_id": 7, "message_id": 2, "text": "mine"}, "message is not modified: specified new"),
    ("editMessageReplyMarkup", {"chat_id": 7, "message_id": 2}, "message is not modified: specified new"),
    ("deleteMessage", {"chat_id": 7}, "message identifier is not specified"),
    ("deleteMessage", {"chat_id": 7, "message_id": 99}, "message to delete not found"),
    ("deleteMessages", {"chat_id": 7}, "message identifiers are not specified"),
    ("deleteMessages", {"chat_id": 7, "message_ids": []}, "message identifiers are not specified"),
    ("deleteMessages", {"chat_id": 7, "message_ids": [1] * 101}, "too many message identifiers specified"),
    ("setMessageReaction", {"chat_id": 7}, "message identifier is not specified"),
    ("setMessageReaction", {"chat_id": 7, "message_id": 99, "reaction": []}, "message to react not found"),
    ("setMessageReaction", reacting("🦄", "👀"), "REACTIONS_TOO_MANY"),
    ("setMessageReaction", reacting("🦕"), "REACTION_INVALID"),
    ("answerCallbackQuery", {"callback_query_id": "5"}, "query is too old and response timeout expired or query ID is"),
    ("getChat", {"chat_id": 8}, "chat not found"),
    ("getChatMember", {"chat_id": 7}, "invalid user_id specified"),
    ("getChatMember", {"chat_id": 7, "user_id": 99}, "user not found"),
    ("getChatAdministrators", {"chat_id": 7}, "there are no administrators in the private chat"),
    ("setMyCommands", {"commands": {}}, "expected an Array of BotCommand"),
    ("setMyCommands", {"commands": [{"command": "a", "description": "a"}] * 101}, "BOT_COMMANDS_TOO_MUCH"),
    ("setMyCommands", {"commands": ["a"]}, "can't parse BotCommand: Can't find field \"command\""),
    ("setMyCommands", {"commands": [{"command": "Help", "description": "x"}]}, "BOT_COMMAND_INVALID"),
    ("setMyCommands", {"commands": [{"command": "help"}]}, "BOT_COMMAND_DESCRIPTION_INVALID"),
    ("setMyCommands", {"commands": [], "language_code": "pt-br"}, "invalid language code specified"),
    ("setMyCommands", {"commands": [], "language_code": "fil"}, "invalid language code specified"),
    ("setMyCommands", {"commands": [], "scope": {}}, "can't parse BotCommandScope: Can't find field \"type\""),
    (
        "setMyCommands",
        {"commands": [], "scope": {"type": "chat_member"}},
        "a command scope of type 'chat_member' is uns",
    ),
]


@pytest.fixture
def limits() -> Limits:
    return Limits.none()


@pytest.mark.parametrize(("method", "given", "reason"), CASES, ids=[f"{m} {r[:40]}" for m, _, r in CASES])
async def test_it_is_refused(
    server: TelegramStandIn, ann: Person, room: Room, method: str, given: dict[str, Any], reason: str
) -> None:
    room.say(ann, "hers")
    assert (await call(server, "sendMessage", chat_id=7, text="mine")).status == 200
    answer = await call(server, method, **given)
    assert answer.status == answer.json["error_code"] == 400
    assert answer.json["description"].startswith("Bad Request: ")
    assert reason in answer.json["description"]
    # And it changed nothing.
    assert room.texts() == ["hers", "mine"]
    assert len(server.accepted()) == 1
    assert server.calls[-1].refusal == f"400 {answer.json['description']}"


async def test_the_longest_text_is_taken(bot: Bot, room: Room) -> None:
    await bot.send_message(7, "😀" * 2048)
    await bot.send_message(7, "x" * 4096)
    assert [len(text) for text in room.texts()] == [2048, 4096]


async def test_the_longest_button_is_taken_and_others_go_to_pages(bot: Bot, room: Room) -> None:
    long = InlineKeyboardButton("Yes", callback_data="x" * 64)
    page = InlineKeyboardButton("Page", url="https://example.org")
    await bot.send_message(7, "?", reply_markup=InlineKeyboardMarkup([[long], [page]]))
    assert room.answers()[0].labels == ["Yes", "Page"]


async def test_a_reply_to_what_is_not_there_goes_without_if_it_may(bot: Bot, ann: Person, room: Room) -> None:
    room.erase(gone := room.say(ann, "hers"))
    with pytest.raises(BadRequest, match="Message to be replied not found"):
        await bot.send_message(7, "a", reply_parameters=ReplyParameters(gone.id))
    await bot.send_message(7, "b", reply_parameters=ReplyParameters(gone.id, allow_sending_without_reply=True))
    (sent,) = room.answers()
    assert (sent.text, sent.reply_to) == ("b", None)


async def test_a_message_without_text_has_none_to_edit(server: TelegramStandIn, bot: Bot, room: Room) -> None:
    message = await bot.send_message(7, "a")
    room.seen()[-1].media = photo()
    with pytest.raises(BadRequest, match="There is no text in the message to edit"):
        await bot.edit_message_text("b", 7, message.message_id)


async def test_after_two_days_nothing_can_be_deleted(bot: Bot, ann: Person, room: Room, clock: Clock) -> None:
    early = await bot.send_message(7, "a")
    clock.advance(HOUR)
    late = await bot.send_message(7, "b")
    clock.advance(47 * HOUR)
    await bot.delete_message(7, late.message_id)
    for deleting in (bot.delete_message(7, early.message_id), bot.delete_messages(7, [early.message_id])):
        with pytest.raises(BadRequest, match="Message can't be deleted for everyone"):
            await deleting
    assert room.texts() == ["a"]


async def test_in_a_group_only_an_admin_deletes_what_others_wrote(
    server: TelegramStandIn, bot: Bot, ann: Person, room: Room
) -> None:
    group = server.group("Team", ann)
    await bot.delete_message(7, room.say(ann, "to the bot").id)
    hers = group.say(ann, "to all")
    with pytest.raises(BadRequest, match="Message can't be deleted"):
        await bot.delete_message(group.id, hers.id)
    group.change_bot(ann, Standing.ADMINISTRATOR)
    await bot.delete_messages(group.id, [hers.id, hers.id + 99])
    assert not room.seen()
    assert not group.seen()


async def test_a_tap_is_answered_once(bot: Bot, ann: Person, room: Room) -> None:
    await bot.send_message(
        7, "?", reply_markup=InlineKeyboardMarkup([[InlineKeyboardButton("Yes", callback_data="y")]])
    )
    tap = room.tap(ann, room.answers()[0], "Yes")
    with pytest.raises(BadRequest, match="Message_too_long"):
        await bot.answer_callback_query(tap.id, "x" * 201)
    await bot.answer_callback_query(tap.id, "Noted.")
    assert tap.heard == "Noted."
    with pytest.raises(BadRequest, match="Query is too old"):
        await bot.answer_callback_query(tap.id)


async def test_a_tap_is_answered_soon(bot: Bot, ann: Person, room: Room, clock: Clock) -> None:
    await bot.send_message(
        7, "?", reply_markup=InlineKeyboardMarkup([[InlineKeyboardButton("Yes", callback_data="y")]])
    )
    tap = room.tap(ann, room.answers()[0], "Yes")
    clock.advance(15.1)
    with pytest.raises(BadRequest, match="Query is too old"):
        await bot.answer_callback_query(tap.id)


async def test_only_the_first_hundred_entities_are_kept(bot: Bot, room: Room) -> None:
    text = "a " * 150
    entities = [MessageEntity("bold" if place % 4 else "italic", place, 1) for place in range(0, 300, 2)]
    await bot.send_message(7, text, entities=entities)
    kept = room.answers()[0].entities
    assert [one["offset"] for one in kept] == list(range(0, 200, 2))
