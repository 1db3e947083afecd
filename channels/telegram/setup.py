"""Telegram's part of `retinue setup`: whose token it is, a webhook in the way, and the owner by a message of theirs."""

import asyncio
import re
import time
from typing import TYPE_CHECKING

from bot.core.errors import ConfigError
from bot.core.platform import BotAccount, Interview, PlatformSetup
from channels.telegram import operator_texts
from channels.telegram.platform import TelegramSettings

if TYPE_CHECKING:
    from channels.telegram.bot_profile import PrivateWriter, TelegramBotProfile

WHOLE_TOKEN = re.compile(r"\b\d{5,20}:[\w-]{30,}", re.ASCII)
REQUEST_SECONDS = 10.0
WAIT_SECONDS = 180.0
POLL_SECONDS = 2.0
PROGRESS_SECONDS = 30.0


class TelegramSetup(PlatformSetup[TelegramSettings]):
    about_token = operator_texts.ABOUT_TOKEN
    token_question = operator_texts.TOKEN_OR_MESSAGE

    def __init__(self, interview: Interview) -> None:
        super().__init__(interview)
        self.profile: TelegramBotProfile | None = None  # as Telegram told it last

    def extract_token(self, answer: str) -> str:
        """Return the token in BotFather's message, or the whole text if it contains no token."""
        found = WHOLE_TOKEN.search(answer)
        return found[0] if found else answer

    async def sign_in(self, account: BotAccount[TelegramSettings]) -> str:
        from channels.telegram.bot_profile import fetch_telegram_profile

        self.profile = await fetch_telegram_profile(account.token, account.settings.base_url, account.network)
        return operator_texts.THIS_IS(name=self.profile.username)

    def offer_repairs(self, account: BotAccount[TelegramSettings]) -> None:
        """Offer to remove a webhook."""
        assert self.profile, "the bot has signed in"
        if self.profile.webhook and self.interview.ask_yes_or_no(operator_texts.REMOVE_WEBHOOK, usual=True):
            from channels.telegram.bot_profile import remove_webhook

            removal = remove_webhook(account.token, account.settings.base_url, account.network)
            asyncio.run(asyncio.wait_for(removal, REQUEST_SECONDS))

    def find_owner(self, account: BotAccount[TelegramSettings]) -> int | None:
        """Return the id of the next private sender that the operator confirms. Return None if there is none."""
        interview = self.interview
        if not interview.ask_yes_or_no(operator_texts.OWNER_WRITES_NEXT, usual=True):
            return None
        if taker := interview.name_message_taker():
            interview.say(taker)
            return None
        interview.say(operator_texts.WRITE_TO_BOT(minutes=WAIT_SECONDS / 60))
        queue = UpdateQueue(account, interview, until=time.monotonic() + WAIT_SECONDS)
        try:
            while writer := asyncio.run(queue.next_writer()):
                question = operator_texts.HAS_WRITTEN(name=writer.name, id=writer.id)
                if interview.ask_yes_or_no(question, usual=False):
                    return writer.id
            interview.say(operator_texts.NOBODY_HAS_WRITTEN)
        except KeyboardInterrupt:
            interview.say(operator_texts.NOT_WAITED_FOR)
        except (ConfigError, OSError) as error:
            interview.say(f"  {error}")
        return None


class UpdateQueue:
    """The messages that wait at Telegram. None of them is confirmed, so the bot will answer them all when it runs."""

    def __init__(self, account: BotAccount[TelegramSettings], interview: Interview, until: float) -> None:
        self.account = account
        self.interview = interview
        self.until = until
        self.progress_at = time.monotonic()
        self.seen_updates: set[int] | None = None  # update ids; None before the first look, which finds old messages

    async def next_writer(self) -> "PrivateWriter | None":
        """Return the sender of the next new message, or None after `until`. Raise the errors of `private_writers`."""
        from channels.telegram.bot_profile import private_writers

        account = self.account
        while time.monotonic() < self.until:
            writers = await private_writers(account.token, account.settings.base_url, account.network)
            if self.seen_updates is None:
                self.seen_updates = {each.update for each in writers}
            for writer in writers:
                if writer.update not in self.seen_updates:
                    self.seen_updates.add(writer.update)
                    return writer
            self.say_progress()
            await asyncio.sleep(POLL_SECONDS)
        return None

    def say_progress(self) -> None:
        """Say how many seconds are left, every PROGRESS_SECONDS."""
        now = time.monotonic()
        if now - self.progress_at >= PROGRESS_SECONDS:
            self.progress_at = now
            self.interview.say(operator_texts.SECONDS_LEFT(seconds=self.until - now))
