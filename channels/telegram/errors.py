"""What a failed call means: who must hear of it, and whether Telegram has taken what it was given."""

import asyncio
from collections.abc import Awaitable, Callable
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

from bot.errors import ChatClosed, ChatHasMoved, DeliveryDelayed, DeliveryError, NotDelivered
from channels.formatting import unquoted

T = TypeVar("T")

TOKEN_REFUSED = (
    "Telegram refuses the bot's token: it is mistyped or was revoked; get the valid one from @BotFather (/token)"
)
UNSAID_WAIT = 5.0  # seconds, where Telegram asks for less and does not say for how long
NEVER_SENT = ("ConnectError", "ConnectTimeout", "PoolTimeout", "ProxyError", "UnsupportedProtocol", "InvalidURL")

# Of a chat that takes nothing, by a piece of what Telegram says, in lower case: what is wrong, and what mends it.
CLOSED = {
    "bot was blocked by the user": "the person has blocked the bot; they have to unblock it",
    "user is deactivated": "the person's account is deleted",
    "bot can't initiate conversation": "the person has never written to the bot; they have to open it and press Start",
    "bot was kicked": "the bot was removed from the chat; somebody has to add it again",
    "bot is not a member": "the bot is not in the chat; somebody has to add it",
    "group chat was deleted": "the chat is deleted",
    "group is deactivated": "the chat is deleted",
    "chat not found": "Telegram knows of no such chat; somebody has to write to the bot there, or add it, again",
    "peer_id_invalid": "Telegram knows of no such chat; somebody has to write to the bot there, or add it, again",
    "chat_write_forbidden": "the bot may not write there; an administrator has to let it",
    "chat_restricted": "the bot may not write there; an administrator has to let it",
    "not enough rights": "the bot may not write there; an administrator has to let it",
    "have no rights to send": "the bot may not write there; an administrator has to let it",
    "need administrator rights": "the bot may not write there; an administrator has to make it one too",
    "topic_closed": "the topic is closed; somebody has to reopen it",
    "topic_deleted": "the topic is deleted",
    "message thread not found": "the topic is deleted",
}


class Refused(DeliveryError):
    """Telegram has answered that this call cannot be. `words` is what it said, in lower case."""

    def __init__(self, words: str) -> None:
        super().__init__(f"Telegram says “{words}”")
        self.words = words.lower()


class TokenRefused(NotDelivered):
    """Telegram lets the bot do nothing at all."""

    def __init__(self) -> None:
        super().__init__(TOKEN_REFUSED)


class Rival(NotDelivered):
    """Somebody else is asking for the bot's messages, or gets them without asking."""


async def told_apart(call: Callable[[], Awaitable[T]], seconds: float) -> T:
    """The result of a call; whatever goes wrong with it is raised as the bot knows it, without what it was caused by:
    the library puts addresses with the token into its errors."""
    try:
        async with asyncio.timeout(seconds):
            return await call()
    except TelegramError as error:
        raise known(error) from None
    except TimeoutError:
        raise TimeoutError(f"Telegram did not answer within {seconds:g} s") from None
    except KeyError as error:
        if error.args == ("result",):  # an answer that says no, and not why
            raise NotDelivered("Telegram took nothing, and did not say why") from None
        raise ConnectionError("Telegram answered what nobody can read") from None
    except (TypeError, ValueError, AttributeError, RecursionError):
        raise ConnectionError("Telegram answered what nobody can read") from None


def known(error: TelegramError) -> Exception:
    """The same, as the bot knows it: an OSError where nobody can say whether it was done."""
    words = error.message
    match error:
        case RetryAfter():
            return DeliveryDelayed(seconds_of(error))
        case ChatMigrated():
            return ChatHasMoved(str(error.new_chat_id))
        case InvalidToken() | EndPointNotFound():
            return TokenRefused()
        case Conflict():
            return Rival(plain(words))
        case Forbidden():
            return closed(words) or ChatClosed(f"Telegram says “{plain(words)}”")
        case BadRequest():
            return closed(words) or Refused(plain(words))
        case NetworkError():
            return of_network(error)
    return ConnectionError("Telegram answered what nobody can read")


def of_network(error: NetworkError) -> Exception:
    cause = type(error.__cause__).__name__
    if "too many requests" in error.message.lower():
        return DeliveryDelayed(UNSAID_WAIT)
    if cause == "UnicodeEncodeError":
        return DeliveryError("it holds a character that cannot be sent")
    if cause in NEVER_SENT:
        return NotDelivered(f"Telegram cannot be reached ({cause})")
    if isinstance(error, TimedOut):
        return TimeoutError("Telegram did not answer in time")
    return ConnectionError(f"Telegram was cut off, or in trouble ({cause if error.__cause__ else 'server error'})")


def closed(words: str) -> ChatClosed | None:
    found = (what for piece, what in CLOSED.items() if piece in words.lower())
    return next((ChatClosed(what) for what in found), None)


def plain(words: str) -> str:
    """Telegram's own words, without the names of its errors before them, and without what they quote."""
    return unquoted(words.removeprefix("Bad Request: ").removeprefix("Forbidden: ").removeprefix("Conflict: "))


def seconds_of(error: RetryAfter) -> float:
    """The library gives a number, or, where the operator's environment asks for it, a span of time."""
    seconds = error.retry_after
    return float(seconds if isinstance(seconds, int) else seconds.total_seconds())
