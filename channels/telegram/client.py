"""The connection to Telegram and its health. It adds deadlines to the library's bot, and translates its errors."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeVar

import telegram
from telegram.request import HTTPXRequest

from bot.core.channel import HealthReport
from bot.core.errors import ChatClosed, ChatHasMoved, DeliveryDelayed, DeliveryError, NotDelivered
from bot.core.network import NetworkAccess
from channels.formatting import redact_quotations
from channels.pacing import CallPacing
from channels.telegram import operator_texts
from channels.telegram.timing import TelegramTiming

CONFLICTS_UNTIL_FAULT = 3
T = TypeVar("T")
DEFAULT_RETRY_SECONDS = 5.0  # if Telegram wants fewer calls without naming a time
ERROR_PREFIX_PATTERN = re.compile("^(Bad Request: )?(Forbidden: )?(Conflict: )?")
NEVER_SENT_ERROR_NAMES = (
    *("ConnectError", "ConnectTimeout", "PoolTimeout", "ProxyError"),
    *("UnsupportedProtocol", "InvalidURL"),
)
# Why a chat takes no messages. The key is a piece of Telegram's words, in lower case; the text says how to fix it.
CLOSED_CHAT_REASONS_BY_ERROR_TEXT = {
    "bot was blocked by the user": operator_texts.BOT_BLOCKED,
    "user is deactivated": operator_texts.ACCOUNT_DELETED,
    "bot can't initiate conversation": operator_texts.NEVER_WRITTEN,
    "bot was kicked": operator_texts.BOT_REMOVED,
    "bot is not a member": operator_texts.BOT_NOT_IN_CHAT,
    "group chat was deleted": operator_texts.CHAT_DELETED,
    "group is deactivated": operator_texts.CHAT_DELETED,
    "chat not found": operator_texts.NO_SUCH_CHAT,
    "peer_id_invalid": operator_texts.NO_SUCH_CHAT,
    "chat_write_forbidden": operator_texts.MAY_NOT_WRITE,
    "chat_restricted": operator_texts.MAY_NOT_WRITE,
    "not enough rights": operator_texts.MAY_NOT_WRITE,
    "have no rights to send": operator_texts.MAY_NOT_WRITE,
    "need administrator rights": operator_texts.NEEDS_ADMINISTRATOR,
    "topic_closed": operator_texts.TOPIC_CLOSED,
    "topic_deleted": operator_texts.TOPIC_DELETED,
    "message thread not found": operator_texts.TOPIC_DELETED,
}
REQUESTED_UPDATE_KINDS = ("message", "edited_message", "channel_post", "callback_query", "my_chat_member")
STOP_UPDATE_KIND = "stopped_message_generation"  # the button of Telegram's own drafts
MAX_UPDATES_PER_POLL = 100
SENDING_CONNECTION_POOL_SIZE = 64
# The library turns this into getUpdates. For "getUpdates" it would warn at each call to use its own method. That
# method fails for a whole batch if a single update is malformed.
RAW_GET_UPDATES_METHOD = "get__updates"
RAW_GET_FILE_METHOD = "get__file"  # getFile, likewise: the library would put the token into the path
# Below these levels the libraries log the token, or whole messages.
LIBRARY_LOG_LEVELS = {"httpx": logging.WARNING, "httpcore": logging.WARNING, "telegram": logging.CRITICAL}

log = logging.getLogger(__name__)


@dataclass
class TelegramHealth:
    """Health of one connection. Three conflicts with another poller within `conflict_memory_seconds` are a fault. A
    single conflict is not: after a restart the bot may meet the last poll of its previous run."""

    conflict_memory_seconds: float
    now: Callable[[], float] = time.monotonic
    _answered_at: float | None = None
    _fault: str = ""
    _conflicts: list[float] = field(default_factory=list)
    _is_out_of_contact: bool = False

    def health(self) -> HealthReport:
        silent = None if self._answered_at is None else self.now() - self._answered_at
        return HealthReport(silent_seconds=silent, fault=self._fault)

    def on_poll_answered(self) -> None:
        self._answered_at = self.now()
        if self._is_out_of_contact:
            log.warning(operator_texts.LOG_CONTACT_AGAIN)
        self._is_out_of_contact = False
        if not self.prune_and_get_conflict_times():
            self.set_fault("")

    def on_contact_lost(self, why: str) -> None:
        if not self._is_out_of_contact:
            log.warning(operator_texts.LOG_CONTACT_LOST, why)
        self._is_out_of_contact = True

    def on_polling_conflict(self, words: str) -> None:
        """Note that another program receives the bot's messages."""
        if "webhook" in words.lower():
            self.set_fault(operator_texts.WEBHOOK)
            return
        self._conflicts.append(self.now())
        if len(self.prune_and_get_conflict_times()) >= CONFLICTS_UNTIL_FAULT:
            self.set_fault(operator_texts.SECOND_POLLER)

    def prune_and_get_conflict_times(self) -> list[float]:
        self._conflicts = [at for at in self._conflicts if self.now() - at < self.conflict_memory_seconds]
        return self._conflicts

    def set_fault(self, fault: str) -> None:
        if fault and fault != self._fault:
            log.error(operator_texts.LOG_FAULT, fault)
        elif self._fault and not fault:
            log.warning(operator_texts.LOG_FAULT_REPAIRED)
        self._fault = fault


class TelegramRefusal(DeliveryError):
    """Telegram refused this call. `words` is what it said, in lower case."""

    def __init__(self, words: str) -> None:
        super().__init__(operator_texts.TELEGRAM_SAYS(words=words))
        self.words = words.lower()


class TokenRefused(NotDelivered):
    """Telegram refused the bot's token, so it accepts no calls at all."""


class PollingConflict(NotDelivered):
    """Another program polls for the bot's messages, or a webhook receives them."""


def translate_library_error(error: telegram.error.TelegramError) -> Exception:
    """Return the bot's own error for a Telegram error. It is an OSError if the call may have had its effect."""
    said = redact_quotations(ERROR_PREFIX_PATTERN.sub("", error.message))
    cause = type(error.__cause__).__name__
    match error:
        case telegram.error.RetryAfter(retry_after=int(seconds)):
            return DeliveryDelayed(float(seconds))
        case telegram.error.RetryAfter(
            retry_after=timedelta() as wait
        ):  # if the library's environment variable asks for it
            return DeliveryDelayed(wait.total_seconds())
        case telegram.error.ChatMigrated():
            return ChatHasMoved(str(error.new_chat_id))
        case telegram.error.InvalidToken() | telegram.error.EndPointNotFound():
            return TokenRefused(operator_texts.TOKEN_REFUSED)
        case telegram.error.Conflict():
            return PollingConflict(said)
        case telegram.error.Forbidden() | telegram.error.BadRequest():
            for piece, reason in CLOSED_CHAT_REASONS_BY_ERROR_TEXT.items():
                if piece in error.message.lower():
                    return ChatClosed(reason)
            is_forbidden = isinstance(error, telegram.error.Forbidden)
            return ChatClosed(operator_texts.TELEGRAM_SAYS(words=said)) if is_forbidden else TelegramRefusal(said)
        case telegram.error.NetworkError() if "too many requests" in error.message.lower():
            return DeliveryDelayed(DEFAULT_RETRY_SECONDS)
        case telegram.error.NetworkError() if "entity too large" in error.message.lower():
            return TelegramRefusal(said)
        case telegram.error.NetworkError() if cause == "UnicodeEncodeError":
            return DeliveryError(operator_texts.UNSENDABLE_CHARACTER)
        case telegram.error.NetworkError() if cause in NEVER_SENT_ERROR_NAMES:
            return NotDelivered(operator_texts.OUT_OF_REACH(cause=cause))
        case telegram.error.TimedOut():
            return TimeoutError(operator_texts.NO_ANSWER_IN_TIME)
        case telegram.error.NetworkError():
            has_cause = error.__cause__ is not None
            return ConnectionError(operator_texts.CUT_OFF(cause=cause) if has_cause else operator_texts.SERVER_ERROR)
    return ConnectionError(operator_texts.UNREADABLE_ANSWER)


def http_request_options(network: NetworkAccess) -> dict[str, Any]:
    """Return the arguments for the library's requests."""
    return {"proxy": network.proxy, "httpx_kwargs": {"verify": network.ssl_context()}}


class TelegramClient:
    """Calls to Telegram. `close` closes the connections. `health` is None for a bot that only sends."""

    def __init__(
        self,
        token: str,
        url: str,
        timing: TelegramTiming,
        health: TelegramHealth | None,
        pacing: CallPacing,
        network: NetworkAccess,
    ) -> None:
        for name, level in LIBRARY_LOG_LEVELS.items():
            logging.getLogger(name).setLevel(level)
        self.timing = timing
        self.asks_for_stops = False  # only with Telegram's own drafts: a server may be older than them
        self.connection_health = health
        self.pacing = pacing
        self._requests = [
            HTTPXRequest(
                connection_pool_size=size,
                read_timeout=timing.call_timeout_seconds,
                connect_timeout=timing.connect_timeout_seconds,
                **http_request_options(network),
            )
            for size in (SENDING_CONNECTION_POOL_SIZE, 1)
        ]
        sending, polling = self._requests
        self._bot = TokenHidingBot(token, base_url=url, request=sending, get_updates_request=polling)

    async def close(self) -> None:
        for request in self._requests:
            await request.shutdown()

    async def call(
        self,
        lane: str,
        what: Callable[[telegram.Bot], Awaitable[T]],
        seconds: float | None = None,
        pacing: CallPacing | None = None,
    ) -> T:
        """Make one call with a deadline. Raise its errors as `translate_library_error` returns them. `lane` is the
        chat, or the method if the call names no chat. Raise DeliveryDelayed without a call while the lane is paused.
        `pacing` keeps the waits of calls that must not hold up others."""
        pacing = pacing or self.pacing
        if held := pacing.remaining_lane_pause_seconds(lane):
            raise DeliveryDelayed(held)
        seconds = seconds or self.timing.call_timeout_seconds
        failure: Exception
        try:
            async with asyncio.timeout(seconds):
                return await what(self._bot)
        except telegram.error.TelegramError as error:
            failure = translate_library_error(error)
        except TimeoutError:
            failure = TimeoutError(operator_texts.NO_ANSWER_WITHIN(seconds=seconds))
        except KeyError as error:
            failure = ConnectionError(operator_texts.UNREADABLE_ANSWER)
            if error.args == ("result",):  # the answer says no, without a reason
                failure = NotDelivered(operator_texts.TOOK_NOTHING)
        except (TypeError, ValueError, AttributeError, RecursionError):
            failure = ConnectionError(operator_texts.UNREADABLE_ANSWER)
        if isinstance(failure, TokenRefused) and self.connection_health:
            self.connection_health.set_fault(operator_texts.TOKEN_REFUSED)
        if isinstance(failure, DeliveryDelayed):
            pacing.pause_lane(lane, failure.seconds)
        raise failure  # without its cause: the library puts addresses with the token into its errors

    async def fetch_updates(self, offset: int | None, seconds: float) -> Sequence[Any]:
        """Return the next updates as they came. Wait up to `seconds` for the first. `offset` confirms all below it."""
        kinds = [*REQUESTED_UPDATE_KINDS, *([STOP_UPDATE_KIND] if self.asks_for_stops else [])]
        wanted = {"timeout": int(seconds), "limit": MAX_UPDATES_PER_POLL, "allowed_updates": kinds}
        if offset is not None:
            wanted["offset"] = offset

        connect = self.timing.connect_timeout_seconds
        found = await self.call(
            "getUpdates",
            lambda bot: bot.do_api_request(RAW_GET_UPDATES_METHOD, wanted, read_timeout=seconds + connect),
            seconds + 2 * connect,
        )
        if not isinstance(found, list):
            raise ConnectionError(operator_texts.UNREADABLE_ANSWER)
        return found

    async def find_file(self, file_id: str, seconds: float | None = None) -> tuple[str, int | None]:
        """Return a file's path on Telegram's server, and its size if Telegram says it. Raise as `call` does."""
        seconds = seconds or self.timing.call_timeout_seconds
        found = await self.call(
            "getFile",
            lambda bot: bot.do_api_request(RAW_GET_FILE_METHOD, {"file_id": file_id}, read_timeout=seconds),
            seconds,
        )
        path, size = (found.get("file_path"), found.get("file_size")) if isinstance(found, dict) else (None, None)
        if not (isinstance(path, str) and path):
            raise ConnectionError(operator_texts.UNREADABLE_ANSWER)
        return path, size if isinstance(size, int) else None


class TokenHidingBot(telegram.Bot):
    """A bot that hides its token. The library's bot shows it when it is printed, for example in a traceback."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.token.partition(':')[0]})"
