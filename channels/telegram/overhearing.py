"""Messages of group chats that are not addressed to the bot: whether they are meant for somebody else."""

from bot.core.messages import InboundMessage, OverheardMessage
from channels.telegram import message_contents
from channels.telegram.fields import JsonFields

NAMING_ENTITY_TYPES = ("mention", "text_mention")


def make_overheard_message(read: InboundMessage, message: JsonFields) -> OverheardMessage:
    return OverheardMessage(message=read, is_between_people=is_for_somebody_else(read, message))


def is_for_somebody_else(read: InboundMessage, message: JsonFields) -> bool:
    """Return True if a message that does not address the bot replies to somebody else or names somebody."""
    if target := message_contents.replied_message(message):
        writer = str(target.read_object("from").read_integer("id")) if "from" in target else ""
        if writer != read.sender.id:
            return True
    entities = [*message.read_object_list("entities"), *message.read_object_list("caption_entities")]
    kinds = [entity.read_text("type") for entity in entities]
    names_somebody = any(kind in NAMING_ENTITY_TYPES for kind in kinds)
    return names_somebody or read.text.startswith("/")  # a command that names another bot
