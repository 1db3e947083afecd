"""sendMessage and sendChatAction."""

from __future__ import annotations

from typing import Any

from tests.stand_ins.telegram.arguments import Arguments
from tests.stand_ins.telegram.chats import Action, Chat, Kind, ShownDraft
from tests.stand_ins.telegram.errors import Json, Refusal, bad, unsupported
from tests.stand_ins.telegram.keyboards import buttons_of
from tests.stand_ins.telegram.messages import Buttons, Message
from tests.stand_ins.telegram.people import BOT_ID
from tests.stand_ins.telegram.texts import formatted
from tests.stand_ins.telegram.world import World

ACTIONS = frozenset(
    {
        *("typing", "upload_photo", "record_video", "upload_video", "record_voice", "upload_voice"),
        *("upload_document", "choose_sticker", "find_location", "record_video_note", "upload_video_note"),
    }
)
SINGLE = ("business_connection_id", "direct_messages_topic_id", "suggested_post_parameters", "message_effect_id")


def send_message(world: World, arguments: Arguments) -> Json:
    refuse_unsupported(arguments, *SINGLE)
    text, entities = words_of(arguments)
    message = new_message(world, arguments, text, entities, buttons=buttons_of(arguments))
    message.preview = preview_of(arguments)
    return message.chat.keep(message).as_json()


def new_message(world: World, arguments: Arguments, text: str, entities: list[Json], *, buttons: Buttons) -> Message:
    """Return a message of the bot that is not in its chat yet. Raise Refusal if it may not be there."""
    chat = world.chat(arguments.text("chat_id"))
    chat.check_writable(world.bot.id)
    if world.bot.id != BOT_ID and chat.kind is not Kind.SUPERGROUP:  # each bot has its own numbers of messages there
        raise unsupported("a second bot in a chat that is no supergroup")
    thread = arguments.number("message_thread_id")
    chat.check_thread(thread, world.bot.id)
    reply_to, thread = chat.placed(reply_of(chat, arguments), thread)
    return Message(
        id=next(chat.numbers),
        chat=chat,
        sender=world.bot,
        at=world.now(),
        text=text,
        entities=entities,
        buttons=buttons,
        reply_to=reply_to,
        thread=thread,
        is_silent=arguments.flag("disable_notification"),
    )


def send_chat_action(world: World, arguments: Arguments) -> bool:
    refuse_unsupported(arguments, "business_connection_id")
    action = arguments.text("action")
    if action not in ACTIONS:
        raise bad("wrong parameter action in request")
    chat = world.chat(arguments.text("chat_id"))
    chat.check_writable(world.bot.id)
    thread = arguments.number("message_thread_id")
    chat.check_thread(thread, world.bot.id, for_typing=True)
    chat.actions.append(Action(action, thread, world.now()))
    return True


def refuse_unsupported(arguments: Arguments, *names: str) -> None:
    for name in names:
        if arguments.has(name):
            raise unsupported(name)


def words_of(arguments: Arguments, too_long: str = "message is too long") -> tuple[str, list[Json]]:
    refuse_unsupported(arguments, "parse_mode")
    return formatted(arguments.text("text"), arguments.parsed("entities", "entities"), too_long=too_long)


def preview_of(arguments: Arguments) -> Json:
    found = arguments.parsed("link_preview_options", "link preview options")
    if found is None and arguments.flag("disable_web_page_preview"):
        return {"is_disabled": True}
    if found is not None and not isinstance(found, dict):
        raise bad("object expected as link preview options")
    return found or {}


def reply_of(chat: Chat, arguments: Arguments) -> Message | None:
    """Return the message to answer. Raise Refusal if it is missing, unless the call permits that."""
    found: Any = arguments.parsed("reply_parameters", "reply parameters")
    if found is None and arguments.has("reply_to_message_id"):  # the older form
        found = {"message_id": arguments.number("reply_to_message_id")}
        found["allow_sending_without_reply"] = arguments.flag("allow_sending_without_reply")
    if found is None:
        return None
    if not isinstance(found, dict):
        raise bad("object expected as reply parameters")
    if not isinstance(found.get("message_id"), int):
        raise bad("can't parse reply parameters: Can't find field \"message_id\"")
    if str(found.get("chat_id", chat.id)) != str(chat.id):
        raise unsupported("a reply to another chat")
    message = chat.find(found["message_id"])
    if message is None and not found.get("allow_sending_without_reply"):
        raise bad("message to be replied not found")
    return message


def send_message_draft(world: World, arguments: Arguments) -> bool:
    """Show a draft (Bot API 9.3; the button since 10.3). Not known, and not played: how many drafts are accepted in a
    minute, and what is shown of a draft in a topic that is closed."""
    refuse_unsupported(arguments, "business_connection_id")
    if not world.has_drafts:
        raise Refusal(404, "Not Found: method not found")
    text = arguments.text("text")
    entities: list[Json] = []
    if text:
        text, entities = words_of(arguments)
    chat = world.chat(arguments.text("chat_id"))
    chat.check_writable(world.bot.id)
    if chat.is_group:
        raise bad("TEXTDRAFT_PEER_INVALID")
    number = arguments.number("draft_id")
    if not number:
        raise bad("RANDOM_ID_INVALID")
    thread = arguments.number("message_thread_id")
    shown = ShownDraft(number, text, entities, thread, world.now(), can_stop=arguments.flag("can_stop"))
    chat.drafts.append(shown)
    return True


SENDING = {"sendMessage": send_message, "sendMessageDraft": send_message_draft, "sendChatAction": send_chat_action}
