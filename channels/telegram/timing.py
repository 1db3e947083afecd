"""Waiting times of the Telegram channel, in seconds, and its rate limits."""

from dataclasses import dataclass

from channels.pacing import RateLimit


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    poll: float = 25.0  # how long Telegram holds a request for updates if there are none
    connect: float = 10.0
    call: float = 30.0  # from the first byte to the last, for any call but the poll
    cosmetic: float = 5.0  # for a call whose effect nobody has to see
    first_pause: float = 1.0  # after a failed poll; each further failure doubles it
    longest_pause: float = 60.0
    token_pause: float = 60.0  # while the token is refused
    conflict_memory: float = 60.0  # three conflicts with another poller within this time are a fault
    parts_follow: float = 0.5  # after a forward or one picture of an album: the next may be on its way
    paste_follows: float = 1.5  # after a message as long as Telegram's clients cut a paste
    tap: float = 0.2  # how long the bot has to answer a tap with words, once it is durable


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Limits a little below Telegram's own, because calls do not arrive as evenly as they were sent.

    Telegram's documentation says one message a second in a chat, with short bursts, and 30 a second in all. A chat
    takes 20 sends and edits a minute; after that come waits of minutes (tdlib/td issues 2592 and 3034). What must be
    delivered keeps to one a second. Cosmetic messages come on top, so that no answer waits for the draft before it."""

    chat: RateLimit = RateLimit(1, 1.05)
    burst: RateLimit = RateLimit(3, 3.1, reserved_calls=1)
    minute: RateLimit = RateLimit(18, 61.0, reserved_calls=6)  # of a chat: sends and edits
    edits: RateLimit = RateLimit(12, 61.0)  # of a chat
    bot: RateLimit = RateLimit(27, 1.2, reserved_calls=10)
    typing: RateLimit = RateLimit(1, 3.0)  # people see it for five seconds; a working turn renews it every four
