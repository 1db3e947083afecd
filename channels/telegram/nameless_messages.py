"""Messages in the name of a group or channel. Nobody can tell who wrote them, so they are not obeyed."""

from bot.core.messages import NamelessKind
from channels.telegram.fields import JsonFields


def nameless_kind(message: JsonFields, chat: JsonFields) -> NamelessKind | None:
    """Return in whose name a message is written; None if that is a person or a bot."""
    if "sender_chat" not in message:
        return None
    if message.is_true("is_automatic_forward") or chat.read_text("type") == "channel":
        return NamelessKind.CHANNEL_POST
    is_own = message.read_object("sender_chat").read_integer("id") == chat.read_integer("id")
    return NamelessKind.ANONYMOUS_ADMIN if is_own else NamelessKind.AS_CHANNEL
