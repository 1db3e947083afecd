"""The second part of setup: the bot's Telegram token, and its owner there."""

import asyncio
import re
import time
from typing import TYPE_CHECKING

from bot.cli.setup_wizard import texts
from bot.cli.setup_wizard.person_ids import ask_person_id
from bot.cli.setup_wizard.plan import TELEGRAM_TOKEN_FILE, SetupPlan
from bot.cli.setup_wizard.prompts import ask_secret, ask_yes_or_no, print_could_not_check, print_text, show_checking
from bot.config import Config
from bot.config.paths import DEMO
from bot.config.resolved_settings import network_from_config
from bot.core.errors import ConfigError
from bot.core.printable import escape_unprintable
from bot.ops.checks.live import CHECK_SECONDS
from bot.ops.folder_holder import find_holder

if TYPE_CHECKING:
    from channels.telegram.bot_profile import PrivateWriter

WHOLE_TOKEN = re.compile(r"\b\d{5,20}:[\w-]{30,}", re.ASCII)
WAIT_SECONDS = 180.0
POLL_SECONDS = 2.0
PROGRESS_SECONDS = 30.0


def ask_for_settings(plan: SetupPlan) -> None:
    settings = plan.config.channels.telegram
    if not ask_yes_or_no(texts.ANSWER_ON_TELEGRAM, usual=settings.enabled):
        if settings.enabled:
            plan.set_value(False, "channels", "telegram", "enabled")
        return
    if (found := ask_telegram_token(plan)) is None:
        return
    token, is_known = found
    plan.set_value(True, "channels", "telegram", "enabled")
    if settings.owner is None or ask_yes_or_no(texts.ANOTHER_OWNER(owner=settings.owner), usual=False):
        plan.set_value(ask_telegram_owner(plan, token, is_known=is_known), "channels", "telegram", "owner")


def ask_telegram_token(plan: SetupPlan) -> tuple[str, bool] | None:
    """Return the token, and True if Telegram accepted it. Return None if there is no token yet."""
    known = plan.config.channels.telegram.token
    if known and ask_yes_or_no(texts.KEEP_TOKEN, usual=True):
        return known.get_secret_value(), check_telegram_token(plan, known.get_secret_value()) is True
    print_text(texts.ABOUT_TELEGRAM_TOKEN)
    while answer := ask_secret(texts.TELEGRAM_TOKEN):
        token = extract_token(answer)
        is_good = check_telegram_token(plan, token)
        if is_good is not False:
            plan.keep_secret(TELEGRAM_TOKEN_FILE, token)
            return token, is_good is True
    plan.leave_platform_out("telegram")
    return None


def extract_token(text: str) -> str:
    """Return the token in BotFather's message, or the whole text if it contains no token."""
    found = WHOLE_TOKEN.search(text)
    return found[0] if found else text


def check_telegram_token(plan: SetupPlan, token: str) -> bool | None:
    """Return True if Telegram accepts the token, False if it refuses, None if Telegram could not be asked.

    Offer to remove a webhook.
    """
    base_url, network = plan.config.channels.telegram.base_url, network_from_config(plan.config)
    try:
        with show_checking():
            from channels.telegram.bot_profile import fetch_telegram_profile, remove_webhook

            found = asyncio.run(asyncio.wait_for(fetch_telegram_profile(token, base_url, network), CHECK_SECONDS))
        print_text(texts.THIS_IS_ON_TELEGRAM(name=escape_unprintable(found.username)))
        if found.webhook and ask_yes_or_no(texts.REMOVE_WEBHOOK, usual=True):
            asyncio.run(asyncio.wait_for(remove_webhook(token, base_url, network), CHECK_SECONDS))
    except ConfigError as error:
        print_text(f"  {error}")
        return False
    except OSError as error:
        print_could_not_check(error)
        return None
    return True


def ask_telegram_owner(plan: SetupPlan, token: str, *, is_known: bool) -> int | None:
    print_text(texts.ABOUT_OWNER)
    if is_known and ask_yes_or_no(texts.OWNER_WRITES_NEXT, usual=True):
        owner = wait_for_owner_message(plan, token)
        if owner is not None:
            return owner
    return ask_person_id(texts.OWNERS_ID)


def wait_for_owner_message(plan: SetupPlan, token: str) -> int | None:
    """Return the id of the next private sender that the operator confirms. Return None if there is no such sender."""
    if taker := describe_message_taker(plan.config):
        print_text(taker)
        return None
    print_text(texts.WRITE_TO_BOT(minutes=WAIT_SECONDS / 60))
    queue = UpdateQueue(token, plan.config, until=time.monotonic() + WAIT_SECONDS)
    try:
        while writer := asyncio.run(queue.next_writer()):
            if ask_yes_or_no(texts.HAS_WRITTEN(name=escape_unprintable(writer.name), id=writer.id), usual=False):
                return writer.id
        print_text(texts.NOBODY_HAS_WRITTEN)
    except KeyboardInterrupt:
        print_text(texts.NOT_WAITED_FOR)
    except (ConfigError, OSError) as error:
        print_text(f"  {error}")
    return None


def describe_message_taker(config: Config) -> str:
    """Return a text that says which process takes the messages from Telegram.

    Return "" if none does, for example if only a chat in a terminal is open.
    """
    for folder in (config.data_dir, config.data_dir / DEMO):
        holder = find_holder(folder)
        if holder and holder.platforms is None:
            return texts.PROCESS_MAY_TAKE_MESSAGES(process=holder.process, folder=folder)
        if holder and "telegram" in (holder.platforms or ()):
            return texts.BOT_TAKES_MESSAGES(process=holder.process)
    return ""


class UpdateQueue:
    """The messages that wait at Telegram. None of them is confirmed, so the bot will answer them all when it runs."""

    def __init__(self, token: str, config: Config, until: float) -> None:
        self.token = token
        self.base_url = config.channels.telegram.base_url
        self.network = network_from_config(config)
        self.until = until
        self.progress_at = time.monotonic()
        self.seen_updates: set[int] | None = None  # update ids; None before the first look, which finds old messages

    async def next_writer(self) -> "PrivateWriter | None":
        """Return the sender of the next new message, or None after `until`. Raise the errors of `private_writers`."""
        from channels.telegram.bot_profile import private_writers

        while time.monotonic() < self.until:
            writers = await private_writers(self.token, self.base_url, self.network)
            if self.seen_updates is None:
                self.seen_updates = {each.update for each in writers}
            for writer in writers:
                if writer.update not in self.seen_updates:
                    self.seen_updates.add(writer.update)
                    return writer
            self.print_progress()
            await asyncio.sleep(POLL_SECONDS)
        return None

    def print_progress(self) -> None:
        """Print the seconds that are left, every PROGRESS_SECONDS."""
        now = time.monotonic()
        if now - self.progress_at >= PROGRESS_SECONDS:
            self.progress_at = now
            print_text(texts.SECONDS_LEFT(seconds=self.until - now))
