"""How long things take and may take, and how many calls may be made in a while."""

from dataclasses import dataclass

from channels.pacing import RateLimit

BOT_WINDOW = RateLimit(
    8, 0.2, reserved_calls=2
)  # of the 50 requests a second that Discord lets a bot make: spread, and some come late
CHANNEL_WINDOW = RateLimit(4, 5.0, reserved_calls=1)  # of 5: after the fifth, the library would sit on the answer
HISTORY_WINDOW = RateLimit(10, 1.0)  # pages of all chats
TYPING_WINDOW = RateLimit(1, 4.0)  # it shows for ten seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """All in seconds, but for the windows."""

    first_wait: float = 1.0  # before something is tried again; each time twice as long
    longest_wait: float = 60.0
    sign_in: float = 30.0  # for signing in
    request: float = 20.0  # for one attempt at a request
    apart: float = 5.0  # between two sessions that one connection begins
    silent: float = 55.0  # without anything from the gateway, which answers a heartbeat every 41
    away: float = 30.0  # in which the library may have a lost session back before a new one is begun
    worrying: float = 300.0  # without a connection before anybody is told: Discord ends each now and then
    finish: float = 1.5  # from a command until it no longer shows that an answer is to come
    bot: RateLimit = BOT_WINDOW
    messages: RateLimit = CHANNEL_WINDOW
    edits: RateLimit = CHANNEL_WINDOW  # which Discord counts apart
    typing: RateLimit = TYPING_WINDOW
    history: RateLimit = HISTORY_WINDOW


DEFAULT_TIMES = Times()
