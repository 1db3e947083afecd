"""How long this channel waits for what, in seconds, and its rate limits."""

from dataclasses import dataclass

from channels.pacing import RateLimit

CHAT_LIMIT = RateLimit(1, 1.05)
BURST_LIMIT = RateLimit(3, 3.1, reserved_calls=1)
MINUTE_LIMIT = RateLimit(18, 61.0, reserved_calls=6)
EDITS_LIMIT = RateLimit(12, 61.0)
BOT_LIMIT = RateLimit(27, 1.2, reserved_calls=10)
TYPING_LIMIT = RateLimit(1, 3.0)  # people see it for five seconds; a working turn renews it every four


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    poll: float = 25.0  # Telegram holds a request for updates so long if there are none
    connect: float = 10.0
    call: float = 30.0  # from the first byte to the last, for any call but the poll
    cosmetic: float = 5.0  # for a call whose effect nobody has to see
    first_pause: float = 1.0  # after a failed poll; each further failure doubles it
    longest_pause: float = 60.0
    token_pause: float = 60.0  # while the token is refused
    conflict_memory: float = 60.0  # three conflicts with another poller within this time are a fault
    parts_follow: float = 0.5  # after a forward or one picture of an album: the next may be on its way
    paste_follows: float = 1.5  # after a message as long as Telegram's clients cut a paste
    tap: float = 0.2  # once the tap is durable: how long the bot has to answer it with words


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Limits a little below Telegram's own, because calls do not arrive as evenly as they were sent.

    Telegram's documentation says one message a second in a chat, with short bursts, and 30 a second in all. A chat
    takes 20 sends and edits a minute; after that come waits of minutes (tdlib/td issues 2592 and 3034).
    Messages that must be delivered keep to one a second. Cosmetic messages come on top. Their limits are the burst and
    part of the minute, so that no answer waits for the draft before it.
    """

    chat: RateLimit = CHAT_LIMIT
    burst: RateLimit = BURST_LIMIT
    minute: RateLimit = MINUTE_LIMIT  # of a chat: sends and edits
    edits: RateLimit = EDITS_LIMIT  # of a chat
    bot: RateLimit = BOT_LIMIT
    typing: RateLimit = TYPING_LIMIT
