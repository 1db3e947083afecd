"""Setup's second part: the bot on Telegram, and who owns it."""

import asyncio
import re
import time
from typing import TYPE_CHECKING

from bot.cli import one_line
from bot.cli.checks.live import SECONDS
from bot.cli.holder import find_holder
from bot.cli.installing import texts
from bot.cli.installing.asking import checking, say, say_unchecked, secret, yes
from bot.cli.installing.numbers import number
from bot.cli.installing.plan import TELEGRAM, Plan
from bot.config import Config
from bot.config.engine_settings import network_of
from bot.config.paths import DEMO
from bot.errors import ConfigError

if TYPE_CHECKING:
    from channels.telegram.examining import Writer

WHOLE_TOKEN = re.compile(r"\b\d{5,20}:[\w-]{30,}", re.ASCII)
WAIT_SECONDS = 180.0
LOOK_SECONDS = 2.0
TOLD_EVERY = 30.0


def ask(plan: Plan) -> None:
    settings = plan.config.channels.telegram
    if not yes(texts.ANSWER_ON_TELEGRAM, usual=settings.enabled):
        if settings.enabled:
            plan.set(False, "channels", "telegram", "enabled")
        return
    if (found := ask_token(plan)) is None:
        return
    token, is_known = found
    plan.set(True, "channels", "telegram", "enabled")
    if settings.owner is None or yes(texts.ANOTHER_OWNER(owner=settings.owner), usual=False):
        plan.set(ask_owner(plan, token, is_known=is_known), "channels", "telegram", "owner")


def ask_token(plan: Plan) -> tuple[str, bool] | None:
    """A token, and whether Telegram has said that it is good; None where there is none yet."""
    known = plan.config.channels.telegram.token
    if known and yes(texts.KEEP_TOKEN, usual=True):
        return known.get_secret_value(), check(plan, known.get_secret_value()) is True
    say(texts.ABOUT_TELEGRAM_TOKEN)
    while answer := secret(texts.TELEGRAM_TOKEN):
        token = token_in(answer)
        is_good = check(plan, token)
        if is_good is not False:
            plan.keep(TELEGRAM, token)
            return token, is_good is True
    plan.leave_out("telegram")
    return None


def token_in(text: str) -> str:
    """The token in what BotFather wrote; all of it if there is none."""
    found = WHOLE_TOKEN.search(text)
    return found[0] if found else text


def check(plan: Plan, token: str) -> bool | None:
    """Whether it is good; None if nobody could say."""
    base_url, network = plan.config.channels.telegram.base_url, network_of(plan.config)
    try:
        with checking():
            from channels.telegram.examining import examine, remove_webhook  # here, since its library takes a second

            found = asyncio.run(asyncio.wait_for(examine(token, base_url, network), SECONDS))
        say(texts.THIS_IS_ON_TELEGRAM(name=one_line(found.username)))
        if found.webhook and yes(texts.REMOVE_WEBHOOK, usual=True):
            asyncio.run(asyncio.wait_for(remove_webhook(token, base_url, network), SECONDS))
    except ConfigError as error:
        say(f"  {error}")
        return False
    except OSError as error:
        say_unchecked(error)
        return None
    return True


def ask_owner(plan: Plan, token: str, *, is_known: bool) -> int | None:
    say(texts.ABOUT_OWNER)
    if is_known and yes(texts.OWNER_WRITES_NEXT, usual=True):
        owner = awaited(plan, token)
        if owner is not None:
            return owner
    return number(texts.OWNERS_ID)


def awaited(plan: Plan, token: str) -> int | None:
    """The sender of the next private message, if they are the right one; None if nobody came."""
    if taker := who_takes_messages(plan.config):
        say(taker)
        return None
    say(texts.WRITE_TO_BOT(minutes=WAIT_SECONDS / 60))
    queue = Queue(token, plan.config, until=time.monotonic() + WAIT_SECONDS)
    try:
        while writer := asyncio.run(queue.next_writer()):
            if yes(texts.HAS_WRITTEN(name=one_line(writer.name), id=writer.id), usual=False):
                return writer.id
        say(texts.NOBODY_HAS_WRITTEN)
    except KeyboardInterrupt:
        say(texts.NOT_WAITED_FOR)
    except (ConfigError, OSError) as error:
        say(f"  {error}")
    return None


def who_takes_messages(config: Config) -> str:
    """Say which process takes what is written on Telegram; "" if none does, as where only a chat in a terminal is
    open."""
    for folder in (config.data_dir, config.data_dir / DEMO):
        holder = find_holder(folder)
        if holder and holder.platforms is None:
            return texts.PROCESS_MAY_TAKE_MESSAGES(process=holder.process, folder=folder)
        if holder and "telegram" in (holder.platforms or ()):
            return texts.BOT_TAKES_MESSAGES(process=holder.process)
    return ""


class Queue:
    """What waits at Telegram. Nothing of it is confirmed: the bot will answer it all once it runs."""

    def __init__(self, token: str, config: Config, until: float) -> None:
        self.token = token
        self.base_url = config.channels.telegram.base_url
        self.network = network_of(config)
        self.until = until
        self.told = time.monotonic()
        self.seen: set[int] | None = None  # updates: None before the first look, which finds what is older

    async def next_writer(self) -> "Writer | None":
        """Who writes next; None when the time is over. Raises as `private_writers`."""
        from channels.telegram.examining import private_writers

        while time.monotonic() < self.until:
            writers = await private_writers(self.token, self.base_url, self.network)
            if self.seen is None:
                self.seen = {each.update for each in writers}
            for writer in writers:
                if writer.update not in self.seen:
                    self.seen.add(writer.update)
                    return writer
            self.tell()
            await asyncio.sleep(LOOK_SECONDS)
        return None

    def tell(self) -> None:
        """That it goes on, now and then."""
        now = time.monotonic()
        if now - self.told >= TOLD_EVERY:
            self.told = now
            say(texts.SECONDS_LEFT(seconds=self.until - now))
