"""Ask Telegram about a bot, for setup and for checks. Only `remove_webhook` changes anything."""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

import telegram
from telegram.error import Conflict, EndPointNotFound, InvalidToken, RetryAfter, TelegramError
from telegram.request import HTTPXRequest

from bot.core.errors import ConfigError
from bot.core.network import DEFAULT_NETWORK_ACCESS, NetworkAccess
from channels.telegram import operator_texts
from channels.telegram.client import RAW_GET_UPDATES_METHOD, http_request_options
from channels.telegram.platform import TOKEN_PATTERN

T = TypeVar("T")

ANSWER_TIMEOUT_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TelegramBotFacts:
    id: int
    username: str  # without the @
    can_read_all_group_messages: bool  # privacy mode is off: it also gets messages that are not addressed to it
    webhook_url: str  # the URL that gets its updates; empty if they can be polled


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateMessageAuthor:
    """Somebody who has written to the bot in private."""

    update_id: int  # Telegram's id of the update with that message
    person_id: int
    name: str


async def fetch_telegram_profile(
    token: str, base_url: str, network: NetworkAccess = DEFAULT_NETWORK_ACCESS
) -> TelegramBotFacts:
    """Return what Telegram says about the bot. Raise ConfigError if Telegram refuses the token, OSError if Telegram
    cannot be asked."""
    async with open_library_bot(token, base_url, network) as bot:
        me = await call_with_translated_errors(bot.get_me)
        webhook = await call_with_translated_errors(bot.get_webhook_info)
        return TelegramBotFacts(
            id=me.id,
            username=me.username or "",
            can_read_all_group_messages=bool(me.can_read_all_group_messages),
            webhook_url=webhook.url,
        )


async def fetch_private_message_authors(
    token: str, base_url: str, network: NetworkAccess = DEFAULT_NETWORK_ACCESS
) -> list[PrivateMessageAuthor]:
    """Return who has written in private, oldest first, from the updates that wait at Telegram. Confirm none of them:
    the next poll gets them all. Raise like `fetch_telegram_profile`, and ConfigError if another program polls."""
    async with open_library_bot(token, base_url, network) as bot:
        updates = await call_with_translated_errors(lambda: bot.do_api_request(RAW_GET_UPDATES_METHOD, {"timeout": 0}))
    found = []
    for update in updates:
        try:
            message, number = update["message"], update["update_id"]
            sender = message["from"]
            if message["chat"]["type"] != "private" or sender["is_bot"]:
                continue
            username = f"@{sender['username']}" if sender.get("username") else None
            names = filter(None, [sender.get("first_name"), sender.get("last_name"), username])
            found.append(PrivateMessageAuthor(update_id=number, person_id=int(sender["id"]), name=" ".join(names)))
        except (KeyError, TypeError, ValueError):  # an update of another kind, or a malformed one
            continue
    return found


async def remove_webhook(token: str, base_url: str, network: NetworkAccess = DEFAULT_NETWORK_ACCESS) -> None:
    """Remove the bot's webhook. Messages that wait at Telegram stay. Raise like `fetch_telegram_profile`."""
    async with open_library_bot(token, base_url, network) as bot:
        await call_with_translated_errors(lambda: bot.delete_webhook(drop_pending_updates=False))


@asynccontextmanager
async def open_library_bot(token: str, base_url: str, network: NetworkAccess) -> AsyncIterator[telegram.Bot]:
    """Yield the library's bot without its first call of getMe. Raise ConfigError if the token is malformed."""
    if not TOKEN_PATTERN.fullmatch(token):
        raise ConfigError(operator_texts.TOKEN_MALFORMED)
    for name in ("httpx", "httpcore", "telegram"):  # they would log the token, or whole answers
        logging.getLogger(name).setLevel(logging.CRITICAL)
    async with (
        HTTPXRequest(
            read_timeout=ANSWER_TIMEOUT_SECONDS, connect_timeout=ANSWER_TIMEOUT_SECONDS, **http_request_options(network)
        ) as calls,
        HTTPXRequest(
            connection_pool_size=1, read_timeout=ANSWER_TIMEOUT_SECONDS, **http_request_options(network)
        ) as polls,
    ):
        yield telegram.Bot(token, base_url=base_url, request=calls, get_updates_request=polls)


async def call_with_translated_errors(ask: Callable[[], Awaitable[T]]) -> T:
    """Return the answer. Raise only ConfigError and ConnectionError: some of the library's errors contain the token."""
    try:
        return await ask()
    except (InvalidToken, EndPointNotFound):
        raise ConfigError(operator_texts.TOKEN_NOT_TAKEN) from None
    except Conflict:
        raise ConfigError(operator_texts.TOKEN_IN_USE) from None
    except RetryAfter:
        raise ConnectionError(operator_texts.ASKED_TOO_OFTEN) from None
    except TelegramError as error:
        cause = type(error.__cause__ or error).__name__
        raise ConnectionError(operator_texts.CANNOT_BE_ASKED(cause=cause)) from None
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ConnectionError(operator_texts.UNREADABLE_ANSWER) from None
