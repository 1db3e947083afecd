"""Keep the connection to Discord: sign in, connect, and do both again whenever it has ended. Report its health."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import discord
import yarl
from discord.gateway import DiscordWebSocket, KeepAliveHandler, ReconnectWebSocket
from discord.http import Route

from bot.core.channel import HealthReport
from bot.core.errors import ConfigError
from bot.core.network import NetworkAccess
from channels.discord import operator_texts
from channels.discord.ids import MALFORMED_DATA_ERRORS
from channels.discord.timing import DiscordTiming
from channels.pacing import Backoff

CONNECTION_FAULT = "connection"
TOKEN_FAULT = "token"
SESSION_START_LIMIT_FAULT = "sign-ins"
COMMANDS_FAULT = "commands"
LOG_TEXTS_BY_CLEARED_FAULT = {
    CONNECTION_FAULT: operator_texts.LOG_CONNECTION_REPAIRED,
    TOKEN_FAULT: operator_texts.LOG_TOKEN_REPAIRED,
    SESSION_START_LIMIT_FAULT: operator_texts.LOG_SIGN_INS_REPAIRED,
    COMMANDS_FAULT: operator_texts.LOG_COMMANDS_REPAIRED,
}
# The library would log every event, with people's words and the tokens of interactions, and each attempt to connect
# with its traceback. This channel itself logs what an operator must know.
LIBRARY_LOG_LEVELS = {
    "discord.client": logging.CRITICAL,
    "discord.gateway": logging.WARNING,
    "discord.http": logging.ERROR,
    "discord.state": logging.WARNING,
    "markdown_it": logging.WARNING,  # it logs each line that it parses
}
CLOSE_TIMEOUT_SECONDS = 1.0  # for the gateway to close its end
MAX_RATE_LIMIT_WAIT_SECONDS = 30.0  # how long the library may wait out a rate limit; it accepts no shorter time
TOKEN_REVOKED_CLOSE_CODE, MISSING_INTENT_CLOSE_CODES = 4004, (4013, 4014)  # the gateway's close codes
CONNECTION_ERRORS = (OSError, aiohttp.ClientError, discord.HTTPException, discord.GatewayNotFound, discord.RateLimited)

log = logging.getLogger(__name__)


@dataclass
class DiscordHealth:
    _acknowledged_at: float | None = None  # by the loop's clock
    _faults: dict[str, tuple[str, float]] = field(default_factory=dict)  # by name: the text, and from when on it counts

    def record_heartbeat_answer(self) -> None:
        self._acknowledged_at = asyncio.get_running_loop().time()

    def report_fault(self, name: str, text: str, *, after: float = 0.0) -> None:
        """Report a fault; `text` says how to fix it. It counts once it has lasted for `after` seconds. A fault that was
        reported before keeps its first text, because each new text would be reported again."""
        if name not in self._faults:
            log.warning("%s", text)
            self._faults[name] = text, asyncio.get_running_loop().time() + after

    def clear_faults(self, *names: str) -> None:
        for name in names:
            if self._faults.pop(name, None):
                log.info(LOG_TEXTS_BY_CLEARED_FAULT[name])

    def health(self) -> HealthReport:
        now = asyncio.get_running_loop().time()
        silent = None if self._acknowledged_at is None else now - self._acknowledged_at
        lasting = [text for text, counts_from in self._faults.values() if counts_from <= now]
        return HealthReport(silent_seconds=silent, fault="; ".join(lasting))


class LeakClosingConnector(aiohttp.TCPConnector):
    """A connector that closes the connections that the library has lost and forgotten to close."""

    def __init__(self, network: NetworkAccess) -> None:
        super().__init__(limit=0, ssl=network.ssl_context())
        self._made: list[aiohttp.connector.Connection] = []

    async def connect(self, *args: Any, **kwargs: Any) -> aiohttp.connector.Connection:
        lost = [each for each in self._made if each.closed]
        self._made = [each for each in self._made if each not in lost]
        for each in lost:
            each.close()
        self._made.append(made := await super().connect(*args, **kwargs))
        return made

    def close(self, *args: Any, **kwargs: Any) -> Coroutine[Any, Any, None]:
        for each in self._made:
            each.close()
        return super().close(*args, **kwargs)


class DiscordClient(discord.Client):
    """The client of one sign-in. The connection counts as lost if the gateway is silent for too long. `on_payload` gets
    each payload of the gateway, in order. `connection.on_disconnect` is called when the library has lost the
    gateway."""

    def __init__(self, connection: GatewayConnection, on_payload: Callable[[str], None]) -> None:
        intents = discord.Intents.none()
        intents.guilds = intents.guild_messages = intents.dm_messages = intents.message_content = True
        super().__init__(
            intents=intents,
            max_messages=None,
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            allowed_mentions=discord.AllowedMentions.none(),
            enable_debug_events=True,  # the raw events need this
            max_ratelimit_timeout=MAX_RATE_LIMIT_WAIT_SECONDS,
            heartbeat_timeout=connection.timing.max_gateway_silence_seconds,
            connector=LeakClosingConnector(connection.network),
            proxy=connection.network.proxy,
        )
        self.connection = connection
        self.on_payload = on_payload

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:
        match event:
            case "socket_raw_receive":
                self.on_payload(args[0])
            case "socket_raw_send":  # it holds the token
                pass
            case "disconnect":
                self.connection.report_disconnect_or_give_up_session()
            case _:
                super().dispatch(event, *args, **kwargs)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        await self.connection.wait_to_identify()

    def is_gateway_open(self) -> bool:
        return self.ws is not None and self.ws.open

    async def close_gateway_resumably(self) -> None:
        """End the connection, if there is one, so that its session could be resumed."""
        if self.is_gateway_open():
            with suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_TIMEOUT_SECONDS):
                    await self.ws.close(code=4000)
        stop_heartbeat_threads()

    async def close_within_timeout(self) -> None:
        """Close the client within CLOSE_TIMEOUT_SECONDS. The library would wait half a minute for a silent gateway."""
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_TIMEOUT_SECONDS):
                    await self.close()
        finally:  # the library leaves its connections open if it is cut short
            await self.http.close()
            stop_heartbeat_threads()


def stop_heartbeat_threads() -> None:
    """Stop this loop's heartbeat threads. The library leaves one behind if a connection fails while it is made."""
    loop = asyncio.get_running_loop()
    for thread in threading.enumerate():
        if isinstance(thread, KeepAliveHandler) and thread.ws.loop is loop:
            thread.stop()


def set_library_urls_and_log_levels(base_url: str, gateway_url: str | None) -> None:
    """Set Discord's addresses for the whole process, because the library keeps them in its classes. Quiet its logs."""
    Route.BASE = base_url.rstrip("/")
    if gateway_url:
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(gateway_url)
    for name, level in LIBRARY_LOG_LEVELS.items():
        logging.getLogger(name).setLevel(level)


@dataclass(eq=False)
class SessionStartDelayed(Exception):
    """The bot may begin few more sessions today, so this one must wait `seconds`."""

    seconds: float


class SessionLost(Exception):
    """There is no session to resume, or resuming took too long. We must begin a new one."""


class GatewayConnection:
    """The connection of one bot. `client` is set from sign-in on: requests need no connection."""

    def __init__(
        self, token: str, connection_health: DiscordHealth, timing: DiscordTiming, network: NetworkAccess
    ) -> None:
        self.connection_health = connection_health
        self.timing = timing
        self.client: DiscordClient | None = None
        self._token: Callable[[], str] = lambda: token  # a function, so that a printed object does not show it
        self.network = network
        self._pauses = Backoff(timing.first_retry_seconds, timing.max_retry_seconds)
        self._was_signed_in = False
        self.payload_count = 0  # the number that the gateway sent
        self._has_session = False  # a session that could be resumed
        self._away_since: float | None = None  # by the loop's clock
        self._identified_at = float("-inf")
        self._has_waited = False  # for its share of the day's sessions

    async def run(self, on_sign_in: Callable[[], None], on_payload: Callable[[str], None]) -> None:
        """Stay connected until cancelled. Raise ConfigError if only the operator can fix the fault."""
        while True:
            client = DiscordClient(self, on_payload)
            try:
                if await self.try_to_sign_in(client):
                    self.client = client
                    on_sign_in()
                    while not client.is_closed():
                        await self.connect_until_lost(client)
                        await asyncio.sleep(self._pauses.next_pause_seconds())
            finally:
                self.client = None
                await client.close_within_timeout()
            await asyncio.sleep(self._pauses.next_pause_seconds())

    def on_session_ready(self) -> None:
        """Note that a session has begun or was resumed."""
        self._pauses.reset()
        self.connection_health.clear_faults(CONNECTION_FAULT, TOKEN_FAULT, SESSION_START_LIMIT_FAULT)
        self._away_since, self._has_session = None, True

    def report_disconnect_or_give_up_session(self) -> None:
        """Note that the connection is gone and the library is about to reconnect. Raise SessionLost to begin a new
        session instead, if there is none to resume or resuming takes too long."""
        self.report_connection_fault(operator_texts.CONNECTION_LOST)
        if isinstance(sys.exception(), discord.ConnectionClosed):
            return  # the close code tells the library whether to reconnect
        now = asyncio.get_running_loop().time()
        self._away_since = self._away_since or now
        if not self._has_session or now - self._away_since > self.timing.max_resume_seconds:
            raise SessionLost

    def report_connection_fault(self, why: str) -> None:
        seconds = self.timing.seconds_away_until_fault
        self.connection_health.report_fault(CONNECTION_FAULT, operator_texts.AWAY(why=why), after=seconds)

    async def try_to_sign_in(self, client: DiscordClient) -> bool:
        """Sign in. Return False if we have to try again. Raise ConfigError if the token was never valid."""
        try:
            async with asyncio.timeout(self.timing.sign_in_timeout_seconds):
                await client.login(self._token())
        except discord.LoginFailure:
            await self.raise_or_report_refused_token_and_wait()
            return False
        except (*CONNECTION_ERRORS, *MALFORMED_DATA_ERRORS) as error:  # a proxy may answer anything
            self.report_connection_fault(operator_texts.SIGN_IN_FAILED(error=type(error).__name__))
            return False
        self._was_signed_in = True
        self.connection_health.clear_faults(TOKEN_FAULT)
        return True

    async def raise_or_report_refused_token_and_wait(self) -> None:
        """Raise ConfigError if the token was never valid: the operator must fix it. Otherwise report a fault and wait,
        because a token that was valid may be valid again."""
        if not self._was_signed_in:
            raise ConfigError(operator_texts.TOKEN_REFUSED)
        self.connection_health.report_fault(TOKEN_FAULT, operator_texts.TOKEN_REFUSED)
        await asyncio.sleep(self.timing.max_retry_seconds)

    async def connect_until_lost(self, client: DiscordClient) -> None:
        """Make one connection and let the library keep it, until we have to connect again."""
        try:
            self._has_session = False
            await self.run_library_skipping_unreadable_events(client)
        except SessionLost:
            log.debug(operator_texts.LOG_SESSION_GIVEN_UP)
        except CONNECTION_ERRORS as error:
            self.report_connection_fault(type(error).__name__)
        except SessionStartDelayed as later:
            words = operator_texts.FEW_SIGN_INS(seconds=later.seconds)
            self.connection_health.report_fault(SESSION_START_LIMIT_FAULT, words)
            await asyncio.sleep(later.seconds)
        except discord.PrivilegedIntentsRequired:
            raise ConfigError(operator_texts.NO_INTENT) from None
        except discord.ConnectionClosed as closed:
            if closed.code in MISSING_INTENT_CLOSE_CODES:
                raise ConfigError(operator_texts.NO_INTENT) from None
            if closed.code == TOKEN_REVOKED_CLOSE_CODE:
                await self.raise_or_report_refused_token_and_wait()
            self.report_connection_fault(operator_texts.CONNECTION_CLOSED(code=closed.code))
        finally:
            await client.close_gateway_resumably()

    async def run_library_skipping_unreadable_events(self, client: DiscordClient) -> None:
        """Run the library's own `connect`. It ends if it cannot read an event. Then go on reading after that event: the
        connection works, and we have the event already."""
        step: Callable[[DiscordClient], Coroutine[object, object, None]] = DiscordClient.connect
        while True:
            before = self.payload_count
            try:
                return await await_cancellably(step(client))
            except ReconnectWebSocket:  # the library would resume the session, and we cannot
                return self.report_connection_fault(operator_texts.CONNECTION_LOST)
            except (*CONNECTION_ERRORS, discord.DiscordException, SessionStartDelayed, SessionLost):
                raise
            except Exception as error:  # any kind: the library does not check what it receives
                if not client.is_gateway_open() or self.payload_count == before:
                    log.exception(operator_texts.LOG_CONNECTS_AGAIN)
                    return
                log.warning(operator_texts.LOG_LIBRARY_CANNOT_READ, type(error).__name__)
            step = poll_gateway_events

    async def wait_to_identify(self) -> None:
        """Wait until we may begin a session. Raise SessionStartDelayed if the wait is long. Discord resets the token of
        a bot that begins too many in a day."""
        client = self.client
        if client is None:
            return
        try:
            async with asyncio.timeout(self.timing.request_timeout_seconds):
                _, _, limit = await client.http.get_bot_gateway()
            seconds = seconds_before_session(limit["total"], limit["remaining"], limit["reset_after"] / 1000)
            is_free = self._has_waited and limit["remaining"] > 0  # otherwise it would wait again and again
        except (*CONNECTION_ERRORS, *MALFORMED_DATA_ERRORS):
            seconds, is_free = 0.0, True  # the session will fail too, or the answer had no limit
        if seconds > self.timing.seconds_between_sessions and not is_free:
            self._has_waited = True
            raise SessionStartDelayed(seconds)
        self._has_waited, seconds = False, min(seconds, self.timing.seconds_between_sessions)
        now = asyncio.get_running_loop().time()
        await asyncio.sleep(max(seconds, self._identified_at + self.timing.seconds_between_sessions - now))
        self._identified_at = asyncio.get_running_loop().time()


async def await_cancellably(work: Coroutine[object, object, None]) -> None:
    """Await the library so that a cancellation works: on Python 3.11 the library's `wait_for` may swallow it."""
    task = asyncio.get_running_loop().create_task(work, name="discord connection")
    try:
        await asyncio.wait([task])
    finally:
        while not task.done():
            task.cancel()
            await asyncio.wait([task], timeout=1.0)
        if not task.cancelled():
            task.exception()  # raised below, unless we were cancelled; this line keeps asyncio from logging it
    await task


async def poll_gateway_events(client: DiscordClient) -> None:
    while True:
        await client.ws.poll_event()


def seconds_before_session(total: int, remaining: int, reset_after: float) -> float:
    """Return the seconds to wait before a session: 0 while half of the day's sessions are left, then each one's equal
    share of the time until the limit resets."""
    return 0.0 if remaining * 2 > total else reset_after / max(1, remaining)
