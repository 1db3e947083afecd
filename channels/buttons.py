"""The buttons below a question, and the taps on them, as far as platforms do not differ."""

from bot.core.messages import OutboundMessage

ACKNOWLEDGEMENT_PREFIX = "ack:"  # prefix of an acknowledgement's id: it is no message, and cannot be edited


def option_ids(message: OutboundMessage) -> list[str]:
    """Return the id of each option of a question: `2:t7/4/0` is the second option of `t7/4/0`. A tap brings it back."""
    return [f"{number}:{message.id}" for number in range(1, len(message.options) + 1)]
