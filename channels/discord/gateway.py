"""Keep the connection to Discord: sign in, connect, and do both again whenever the connection has ended."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable, Coroutine

import aiohttp
import discord
from discord.gateway import ReconnectWebSocket

from bot.core.errors import ConfigError
from bot.core.network import Network
from channels.discord import operator_texts
from channels.discord.client import DiscordClient, GatewayListener
from channels.discord.connection_health import AWAY, LIMIT, TOKEN, DiscordHealth
from channels.discord.ids import MALFORMED_ERRORS
from channels.discord.times import Times
from channels.pacing import Backoff

TOKEN_REVOKED_CODE, NO_INTENT_CODES = 4004, (4013, 4014)  # the gateway's close codes
CONNECTION_ERRORS = (OSError, aiohttp.ClientError, discord.HTTPException, discord.GatewayNotFound, discord.RateLimited)

log = logging.getLogger(__name__)


class SignInLater(Exception):
    """The bot may begin few more sessions today, so this one must wait `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"{seconds:.0f} s")
        self.seconds = seconds


class SessionLost(Exception):
    """There is no session to resume, or resuming took too long. We must begin a new one."""


class GatewayConnection:
    """The gateway connection of one bot. `client` is set while the bot is signed in, even without a connection:
    requests need none."""

    def __init__(
        self, token: str, condition: DiscordHealth, times: Times, started: Callable[[], None], network: Network
    ) -> None:
        self.condition = condition
        self.times = times
        self.client: DiscordClient | None = None
        self._token: Callable[[], str] = lambda: token  # a function, so that a printed object does not show it
        self._on_sign_in = started
        self._network = network
        self._pauses = Backoff(times.first_wait, times.longest_wait)
        self._was_signed_in = False
        self.payloads = 0  # that the gateway sent
        self._has_session = False  # one that could be resumed
        self._away_since: float | None = None  # by the loop's clock
        self._identified_at = float("-inf")
        self._has_waited = False  # for its share of the day's sessions

    async def run(self, listening: GatewayListener) -> None:
        """Stay connected until cancelled. Raise ConfigError if only the operator can fix the fault."""
        while True:
            client = DiscordClient(listening, self.wait_to_identify, self.times.silent, self._network)
            try:
                if await self.sign_in(client):
                    self.client = client
                    self._on_sign_in()
                    while not client.is_closed():
                        await self.stay_connected(client)
                        await asyncio.sleep(self._pauses.next_pause())
            finally:
                self.client = None
                await client.close_everything()
            await asyncio.sleep(self._pauses.next_pause())

    def on_session(self) -> None:
        """Note that a session has begun or was resumed."""
        self._pauses.reset()
        self.condition.clear_faults(AWAY, TOKEN, LIMIT)
        self._away_since, self._has_session = None, True

    def on_disconnect(self) -> None:
        """Note that the connection is gone and the library is about to reconnect. Raise SessionLost to reconnect
        ourselves instead: we wait no longer than a minute each time."""
        self.report_out_of_reach(operator_texts.CONNECTION_LOST)
        if isinstance(sys.exception(), discord.ConnectionClosed):
            return  # the close code tells the library whether to reconnect
        now = asyncio.get_running_loop().time()
        self._away_since = self._away_since or now
        if not self._has_session or now - self._away_since > self.times.away:
            raise SessionLost

    def report_out_of_reach(self, why: str) -> None:
        self.condition.report_fault(AWAY, operator_texts.AWAY(why=why), after=self.times.worrying)

    async def sign_in(self, client: DiscordClient) -> bool:
        """Sign in. Return False if we have to try again. Raise ConfigError if the token was never valid."""
        try:
            async with asyncio.timeout(self.times.sign_in):
                await client.login(self._token())
        except discord.LoginFailure:
            await self.on_token_refusal()
            return False
        except (*CONNECTION_ERRORS, *MALFORMED_ERRORS) as error:  # a proxy may answer anything
            self.report_out_of_reach(operator_texts.SIGN_IN_FAILED(error=type(error).__name__))
            return False
        self._was_signed_in = True
        self.condition.clear_faults(TOKEN)
        return True

    async def on_token_refusal(self) -> None:
        """Raise ConfigError if the token was never valid: the operator must fix it. Otherwise report a fault and wait,
        because a token that was valid may be valid again."""
        if not self._was_signed_in:
            raise ConfigError(operator_texts.TOKEN_REFUSED)
        self.condition.report_fault(TOKEN, operator_texts.TOKEN_REFUSED)
        await asyncio.sleep(self.times.longest_wait)

    async def stay_connected(self, client: DiscordClient) -> None:
        """Make one connection and let the library keep it, until we have to connect again."""
        try:
            self._has_session = False
            await self.connect(client)
        except SessionLost:
            log.debug(operator_texts.LOG_SESSION_GIVEN_UP)
        except CONNECTION_ERRORS as error:
            self.report_out_of_reach(type(error).__name__)
        except SignInLater as later:
            self.condition.report_fault(LIMIT, operator_texts.FEW_SIGN_INS(seconds=later.seconds))
            await asyncio.sleep(later.seconds)
        except discord.PrivilegedIntentsRequired:
            raise ConfigError(operator_texts.NO_INTENT) from None
        except discord.ConnectionClosed as closed:
            if closed.code in NO_INTENT_CODES:
                raise ConfigError(operator_texts.NO_INTENT) from None
            if closed.code == TOKEN_REVOKED_CODE:
                await self.on_token_refusal()
            self.report_out_of_reach(operator_texts.CONNECTION_CLOSED(code=closed.code))
        finally:
            await client.hang_up()

    async def connect(self, client: DiscordClient) -> None:
        """Run the library's own `connect`. An event that the library cannot read ends it, although the connection is
        fine and we have the event already. Then we go on reading where it stopped."""
        step: Callable[[DiscordClient], Coroutine[object, object, None]] = DiscordClient.connect
        while True:
            before = self.payloads
            try:
                return await await_cancellably(step(client))
            except ReconnectWebSocket:  # the library would resume the session, and we cannot
                return self.report_out_of_reach(operator_texts.CONNECTION_LOST)
            except (*CONNECTION_ERRORS, discord.DiscordException, SignInLater, SessionLost):
                raise
            except Exception as error:  # any kind: the library does not check what it receives
                if not client.is_open() or self.payloads == before:
                    log.exception(operator_texts.LOG_CONNECTS_AGAIN)
                    return
                log.warning(operator_texts.LOG_LIBRARY_CANNOT_READ, type(error).__name__)
            step = keep_reading

    async def wait_to_identify(self) -> None:
        """Wait until we may begin a session. Discord resets the token of a bot that begins too many in a day.

        Raise SignInLater if the wait is long."""
        client = self.client
        if client is None:
            return
        try:
            async with asyncio.timeout(self.times.request):
                _, _, limit = await client.http.get_bot_gateway()
            seconds = seconds_before_session(limit["total"], limit["remaining"], limit["reset_after"] / 1000)
            is_free = self._has_waited and limit["remaining"] > 0  # or it would wait its share again and again
        except (*CONNECTION_ERRORS, *MALFORMED_ERRORS):
            seconds, is_free = 0.0, True  # the session will fail too, or the answer had no limit
        if seconds > self.times.apart and not is_free:
            self._has_waited = True
            raise SignInLater(seconds)
        self._has_waited, seconds = False, min(seconds, self.times.apart)
        now = asyncio.get_running_loop().time()
        await asyncio.sleep(max(seconds, self._identified_at + self.times.apart - now))
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


async def keep_reading(client: DiscordClient) -> None:
    while True:
        await client.ws.poll_event()


def seconds_before_session(total: int, remaining: int, reset_after: float) -> float:
    """Return the seconds to wait before a session begins. Wait 0 s while half of the day's sessions are left, then
    long enough to make the others last until the reset."""
    if remaining * 2 > total:
        return 0.0
    return reset_after / max(1, remaining)
