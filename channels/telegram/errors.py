"""Translate failed calls into the bot's errors: who must know of them, and whether Telegram took the message."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeVar

from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    EndPointNotFound,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
    TimedOut,
)

from bot.core.errors import ChatClosed, ChatHasMoved, DeliveryDelayed, DeliveryError, NotDelivered
from channels.formatting import hide_quotes
from channels.telegram import operator_texts

T = TypeVar("T")

DEFAULT_RETRY_SECONDS = 5.0  # if Telegram asks for fewer calls and names no time
ERROR_PREFIX = re.compile("^(Bad Request: )?(Forbidden: )?(Conflict: )?")
NEVER_SENT = ("ConnectError", "ConnectTimeout", "PoolTimeout", "ProxyError", "UnsupportedProtocol", "InvalidURL")

# Why a chat takes no messages. The key is a piece of Telegram's words, in lower case; the text says how to fix it.
CLOSED_CHAT_REASONS = {
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


class TelegramRefusal(DeliveryError):
    """Telegram refused this call. `words` is what it said, in lower case."""

    def __init__(self, words: str) -> None:
        super().__init__(operator_texts.TELEGRAM_SAYS(words=words))
        self.words = words.lower()


class TokenRefused(NotDelivered):
    """Telegram refused the bot's token, so it accepts no calls at all."""


class OtherPoller(NotDelivered):
    """Another program polls for the bot's messages, or a webhook receives them."""


async def call_translating_errors(call: Callable[[], Awaitable[T]], seconds: float) -> T:
    """Return the result of a call. Raise its failures as the bot's own errors, without their cause: the library puts
    addresses with the token into its errors."""
    try:
        async with asyncio.timeout(seconds):
            return await call()
    except TelegramError as error:
        raise translate_error(error) from None
    except TimeoutError:
        raise TimeoutError(operator_texts.NO_ANSWER_WITHIN(seconds=seconds)) from None
    except KeyError as error:
        if error.args == ("result",):  # the answer says no, without a reason
            raise NotDelivered(operator_texts.TOOK_NOTHING) from None
        raise ConnectionError(operator_texts.UNREADABLE_ANSWER) from None
    except (TypeError, ValueError, AttributeError, RecursionError):
        raise ConnectionError(operator_texts.UNREADABLE_ANSWER) from None


def translate_error(error: TelegramError) -> Exception:
    """Return the bot's own error for a Telegram error. It is an OSError if nobody knows whether the call was done."""
    said = hide_quotes(ERROR_PREFIX.sub("", error.message))
    cause = type(error.__cause__).__name__
    match error:
        case RetryAfter(retry_after=int(seconds)):
            return DeliveryDelayed(float(seconds))
        case RetryAfter(retry_after=timedelta() as wait):  # if the library's environment variable asks for it
            return DeliveryDelayed(wait.total_seconds())
        case ChatMigrated():
            return ChatHasMoved(str(error.new_chat_id))
        case InvalidToken() | EndPointNotFound():
            return TokenRefused(operator_texts.TOKEN_REFUSED)
        case Conflict():
            return OtherPoller(said)
        case Forbidden() | BadRequest():
            for piece, reason in CLOSED_CHAT_REASONS.items():
                if piece in error.message.lower():
                    return ChatClosed(reason)
            is_forbidden = isinstance(error, Forbidden)
            return ChatClosed(operator_texts.TELEGRAM_SAYS(words=said)) if is_forbidden else TelegramRefusal(said)
        case NetworkError() if "too many requests" in error.message.lower():
            return DeliveryDelayed(DEFAULT_RETRY_SECONDS)
        case NetworkError() if cause == "UnicodeEncodeError":
            return DeliveryError(operator_texts.UNSENDABLE_CHARACTER)
        case NetworkError() if cause in NEVER_SENT:
            return NotDelivered(operator_texts.OUT_OF_REACH(cause=cause))
        case TimedOut():
            return TimeoutError(operator_texts.NO_ANSWER_IN_TIME)
        case NetworkError():
            has_cause = error.__cause__ is not None
            return ConnectionError(operator_texts.CUT_OFF(cause=cause) if has_cause else operator_texts.SERVER_ERROR)
    return ConnectionError(operator_texts.UNREADABLE_ANSWER)
