"""Edit and delete messages."""

from __future__ import annotations

from tests.stand_ins.telegram.arguments import Arguments
from tests.stand_ins.telegram.chats import Chat, Standing
from tests.stand_ins.telegram.errors import Json, bad
from tests.stand_ins.telegram.keyboards import Buttons, buttons_of
from tests.stand_ins.telegram.members import member
from tests.stand_ins.telegram.messages import Message
from tests.stand_ins.telegram.methods.sending import preview_of, refuse_unsupported, words_of
from tests.stand_ins.telegram.world import World

DELETABLE_SECONDS = 48 * 3600.0
MOST_DELETED = 100
SAME = (
    "message is not modified: specified new message content and reply markup are exactly the same as a current content "
    "and reply markup of the message"
)


def edit_message_text(world: World, arguments: Arguments) -> Json:
    text, entities = words_of(arguments, too_long="MESSAGE_TOO_LONG")
    buttons, preview = buttons_of(arguments), preview_of(arguments)
    message = message_of(world, arguments)
    if message.media:
        raise bad("there is no text in the message to edit")
    changed(world, message, text, entities, buttons)
    message.preview = preview
    return message.as_json()


def edit_message_reply_markup(world: World, arguments: Arguments) -> Json:
    buttons = buttons_of(arguments)
    message = message_of(world, arguments)
    changed(world, message, message.text, message.entities, buttons)
    return message.as_json()


def changed(world: World, message: Message, text: str, entities: list[Json], buttons: Buttons) -> None:
    """Change a message. What the call does not name is removed: an edit of the text alone removes the buttons."""
    if (text, entities, buttons) == (message.text, message.entities, message.buttons):
        raise bad(SAME)
    message.change(text, entities, buttons, world.now())


def message_of(world: World, arguments: Arguments) -> Message:
    """Return the bot's message to edit. Raise Refusal."""
    refuse_unsupported(arguments, "inline_message_id", "business_connection_id")
    chat = world.chat(arguments.text("chat_id"))
    if not arguments.has("message_id"):
        raise bad("message identifier is not specified")
    chat.check_writable(world.bot.id)
    message = chat.find(arguments.number("message_id"))
    if message is None:
        raise bad("message to edit not found")
    if message.sender is not world.bot or message.service:
        raise bad("message can't be edited")
    return message


def delete_message(world: World, arguments: Arguments) -> bool:
    chat = world.chat(arguments.text("chat_id"))
    if not arguments.has("message_id"):
        raise bad("message identifier is not specified")
    chat.check_known(world.bot.id)
    message = chat.find(arguments.number("message_id"))
    if message is None:
        raise bad("message to delete not found")
    check_deletable(world, chat, message)
    message.deleted_at = world.now()
    return True


def delete_messages(world: World, arguments: Arguments) -> bool:
    """Delete messages, and ignore missing ones. If one must not be deleted, delete none."""
    numbers = arguments.parsed("message_ids", "message identifiers")
    if not isinstance(numbers, list) or not all(isinstance(number, int) for number in numbers):
        raise bad("message identifiers are not specified")
    if not 1 <= len(numbers) <= MOST_DELETED:
        raise bad("too many message identifiers specified" if numbers else "message identifiers are not specified")
    chat = world.chat(arguments.text("chat_id"))
    chat.check_known(world.bot.id)
    found = [message for message in map(chat.find, numbers) if message]
    for message in found:
        check_deletable(world, chat, message)
    for message in found:
        message.deleted_at = world.now()
    return True


def check_deletable(world: World, chat: Chat, message: Message) -> None:
    if chat.is_group and chat.standings[world.bot.id] is Standing.ADMINISTRATOR:
        return
    if chat.is_group and message.sender is not world.bot:
        raise bad("message can't be deleted")
    if world.now() - message.at >= DELETABLE_SECONDS:
        raise bad("message can't be deleted for everyone")


def set_message_reaction(world: World, arguments: Arguments) -> bool:
    """Set the bot's reaction. A bot may have one, of a fixed set of emoji; a chat may permit fewer. An empty list
    removes it. Bots may not react to service messages."""
    chat = world.chat(arguments.text("chat_id"))
    if not arguments.has("message_id"):
        raise bad("message identifier is not specified")
    chat.check_known(world.bot.id)
    given = arguments.parsed("reaction", "reaction types") or []
    if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
        raise bad("expected an Array of ReactionType")
    message = chat.find(arguments.number("message_id"))
    if message is None:
        raise bad("message to react not found")
    if len(given) > 1:
        raise bad("REACTIONS_TOO_MANY")
    for each in given:
        if each.get("type") != "emoji" or each.get("emoji") not in chat.reactions or message.service:
            raise bad("REACTION_INVALID")
    if given:
        message.reactions[world.bot.id] = given[0]["emoji"]
    else:
        message.reactions.pop(world.bot.id, None)
    return True


def leave_chat(world: World, arguments: Arguments) -> bool:
    """Leave a group. The bot is told of it like of any other change of its standing."""
    chat = world.chat(arguments.text("chat_id"))
    chat.check_known(world.bot.id)
    if not chat.is_group:
        raise bad("method is available only for groups and channels")  # in the platform's words: "can't leave"
    old = chat.standings[world.bot.id]
    chat.standings[world.bot.id] = Standing.LEFT
    told = {"chat": chat.as_json(), "from": world.bot.as_json(), "date": int(world.now())}
    told |= {"old_chat_member": member(world.bot, old), "new_chat_member": member(world.bot, Standing.LEFT)}
    world.updates.add("my_chat_member", told)
    return True


CHANGING = {
    "leaveChat": leave_chat,
    "setMessageReaction": set_message_reaction,
    "editMessageText": edit_message_text,
    "editMessageReplyMarkup": edit_message_reply_markup,
    "deleteMessage": delete_message,
    "deleteMessages": delete_messages,
}
