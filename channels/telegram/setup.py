"""Telegram's part of `retinue setup`: check the token, remove a webhook, and find the owner by a private message."""

import asyncio
import re
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bot.core.errors import ConfigError
from bot.core.platform import BotAccountConfig, PlatformSetup
from channels.telegram import operator_texts
from channels.telegram.platform import TelegramSettings

if TYPE_CHECKING:
    from channels.telegram.bot_profile import PrivateMessageAuthor, TelegramBotFacts

TOKEN_IN_TEXT_PATTERN = re.compile(r"\b\d{5,20}:[\w-]{30,}", re.ASCII)
WEBHOOK_REMOVAL_TIMEOUT_SECONDS = 10.0
OWNER_WAIT_SECONDS = 180.0
POLL_INTERVAL_SECONDS = 2.0
PROGRESS_INTERVAL_SECONDS = 30.0


class TelegramSetup(PlatformSetup[TelegramSettings]):
    token_instructions = operator_texts.ABOUT_TOKEN
    token_question = operator_texts.TOKEN_OR_MESSAGE

    bot_profile: "TelegramBotFacts"  # what Telegram said at the sign-in

    def extract_token(self, answer: str) -> str:
        """Return the token in BotFather's message, or the whole text if it contains no token."""
        found = TOKEN_IN_TEXT_PATTERN.search(answer)
        return found[0] if found else answer

    async def sign_in_and_describe_bot(self, account: BotAccountConfig[TelegramSettings]) -> str:
        from channels.telegram.bot_profile import fetch_telegram_profile

        self.bot_profile = await fetch_telegram_profile(account.token, account.settings.base_url, account.network)
        return operator_texts.THIS_IS(name=self.bot_profile.username)

    def offer_to_fix_missing_messages(self, account: BotAccountConfig[TelegramSettings]) -> None:
        """Offer to remove a webhook."""
        if self.bot_profile.webhook_url and self.interview.ask_yes_or_no(operator_texts.REMOVE_WEBHOOK, usual=True):
            from channels.telegram.bot_profile import remove_webhook

            removal = remove_webhook(account.token, account.settings.base_url, account.network)
            asyncio.run(asyncio.wait_for(removal, WEBHOOK_REMOVAL_TIMEOUT_SECONDS))

    def find_and_confirm_owner_id(self, account: BotAccountConfig[TelegramSettings]) -> int | None:
        """Return the id of the next private sender that the operator confirms. Return None if there is none."""
        interview = self.interview
        if not interview.ask_yes_or_no(operator_texts.OWNER_WRITES_NEXT, usual=True):
            return None
        if taker := interview.describe_receiving_process():
            interview.say(taker)
            return None
        interview.say(operator_texts.WRITE_TO_BOT(minutes=OWNER_WAIT_SECONDS / 60))
        try:
            for writer in self.wait_for_private_message_authors(account):
                question = operator_texts.HAS_WRITTEN(name=writer.name, id=writer.person_id)
                if interview.ask_yes_or_no(question, usual=False):
                    return writer.person_id
            interview.say(operator_texts.NOBODY_HAS_WRITTEN)
        except KeyboardInterrupt:
            interview.say(operator_texts.NOT_WAITED_FOR)
        except (ConfigError, OSError) as error:
            interview.say(f"  {error}")
        return None

    def wait_for_private_message_authors(
        self, account: BotAccountConfig[TelegramSettings]
    ) -> Iterator["PrivateMessageAuthor"]:
        """Yield the sender of each new message for OWNER_WAIT_SECONDS. Every PROGRESS_INTERVAL_SECONDS say how many
        seconds are left. Raise the errors of `fetch_private_message_authors`. No message is confirmed, so the bot will
        answer all when it runs."""
        from channels.telegram.bot_profile import fetch_private_message_authors

        until, progress_at = time.monotonic() + OWNER_WAIT_SECONDS, time.monotonic()
        seen: set[int] | None = None  # update ids; None before the first look, which finds old messages
        while (now := time.monotonic()) < until:
            fetching = fetch_private_message_authors(account.token, account.settings.base_url, account.network)
            writers = asyncio.run(fetching)
            seen = {each.update_id for each in writers} if seen is None else seen
            if writer := next((each for each in writers if each.update_id not in seen), None):
                seen.add(writer.update_id)
                yield writer
                continue
            if now - progress_at >= PROGRESS_INTERVAL_SECONDS:
                progress_at = now
                self.interview.say(operator_texts.SECONDS_LEFT(seconds=until - now))
            time.sleep(POLL_INTERVAL_SECONDS)
