"""Waiting times, deadlines and rate limits of the Discord channel."""

from dataclasses import dataclass

from channels.file_streams import DEFAULT_DOWNLOAD_TIMING, DownloadTiming
from channels.pacing import RateLimit


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordTiming:
    """Times in seconds, and rate limits."""

    first_retry_seconds: float = 1.0  # before another try; it doubles each time
    max_retry_seconds: float = 60.0
    sign_in_timeout_seconds: float = 30.0
    request_timeout_seconds: float = 20.0  # for one attempt at a request
    cosmetic_call_timeout_seconds: float = 5.0  # for a request that no message should wait for, without another attempt
    seconds_between_sessions: float = 5.0  # between two new sessions
    max_gateway_silence_seconds: float = 55.0  # the gateway answers a heartbeat every 41 seconds
    max_resume_seconds: float = 30.0  # how long the library may try to resume a session before we begin a new one
    seconds_away_until_fault: float = 300.0  # without a connection: Discord ends each connection now and then
    seconds_to_finish_command: float = 1.5  # after this, words replace a command's "thinking"
    all_calls_limit: RateLimit = RateLimit(8, 0.2, reserved_calls=2)  # Discord allows 50 a second, but some arrive late
    message_limit: RateLimit = RateLimit(4, 5.0, reserved_calls=1)  # of 5: the library waits after the fifth
    edit_limit: RateLimit = RateLimit(4, 5.0, reserved_calls=1)  # Discord counts them separately
    reaction_limit: RateLimit = RateLimit(3, 1.0)  # Discord allows four a second in a channel
    typing_limit: RateLimit = RateLimit(1, 4.0)  # Discord shows it for ten seconds
    history_page_limit: RateLimit = RateLimit(10, 1.0)  # pages of all chats
    download: DownloadTiming = DEFAULT_DOWNLOAD_TIMING


DEFAULT_TIMING = DiscordTiming()
