"""Waiting times of the Telegram channel, in seconds, and its rate limits."""

from dataclasses import dataclass

from channels.file_streams import DEFAULT_DOWNLOAD_TIMING, DownloadTiming
from channels.pacing import RateLimit


@dataclass(frozen=True, slots=True, kw_only=True)
class TelegramTiming:
    poll_seconds: float = 25.0  # how long Telegram holds a request for updates if there are none
    connect_timeout_seconds: float = 10.0
    call_timeout_seconds: float = 30.0  # from the first byte to the last, for any call but the poll
    cosmetic_call_timeout_seconds: float = 5.0  # for a call whose effect nobody has to see
    first_retry_seconds: float = 1.0  # after a failed poll; each further failure doubles it
    max_retry_seconds: float = 60.0
    refused_token_retry_seconds: float = 60.0  # while the token is refused
    conflict_memory_seconds: float = 60.0  # three conflicts with another poller within this time are a fault
    next_part_wait_seconds: float = 0.5  # after a forward: the next one, or its comment, may be on its way
    next_album_part_wait_seconds: float = 1.0  # after one picture of an album
    next_paste_part_wait_seconds: float = 1.5  # after a message as long as Telegram's clients cut a paste
    tap_answer_wait_seconds: float = 0.2  # how long the bot has to answer a tap with words, once it is durable
    download: DownloadTiming = DEFAULT_DOWNLOAD_TIMING


@dataclass(frozen=True, slots=True, kw_only=True)
class TelegramRateLimits:
    """Limits a little below Telegram's own, because calls do not arrive as evenly as they were sent.

    Telegram's documentation says one message a second in a chat, with short bursts, and 30 a second in all. A chat
    takes 20 sends and edits a minute; after that come waits of minutes (tdlib/td issues 2592 and 3034). What must be
    delivered keeps to one a second. Cosmetic messages come on top, so that no answer waits for the draft before it."""

    chat_delivery_limit: RateLimit = RateLimit(1, 1.05)
    chat_burst_limit: RateLimit = RateLimit(3, 3.1, reserved_calls=1)
    chat_minute_limit: RateLimit = RateLimit(18, 61.0, reserved_calls=6)  # of a chat: sends and edits
    chat_edit_limit: RateLimit = RateLimit(12, 61.0)  # of a chat
    all_calls_limit: RateLimit = RateLimit(27, 1.2, reserved_calls=10)
    draft_limit: RateLimit = RateLimit(1, 1.0)  # of Telegram's own drafts; Telegram publishes no number
    reaction_limit: RateLimit = RateLimit(8, 8.0)  # of one chat, apart from its messages
    typing_limit: RateLimit = RateLimit(1, 3.0)  # people see it for five seconds; a working turn renews it every four
