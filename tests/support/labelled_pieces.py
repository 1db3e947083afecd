"""Cut messages into labelled pieces, for chats without a renderer."""

from bot.core.messages import OutboundMessage
from channels.formatting import role_label


def cut_into_labelled_pieces(message: OutboundMessage, length: int) -> list[str]:
    """Return the message in pieces of at most `length` characters. Each piece begins with the label."""
    opening, text = role_label(message), message.text
    room = max(1, length - len(opening))
    return [opening + text[start : start + room] for start in range(0, len(text), room)] or [opening]
