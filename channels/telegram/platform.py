"""What Telegram declares of itself. Nothing here imports its library before it is needed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit, urlunsplit

from pydantic import AfterValidator

from bot.core.errors import ConfigError
from bot.core.findings import ok_finding, wrong_finding
from bot.core.platform import AddressForm, BotAccountConfig, ChannelSettings, ChatCommand, Platform, SetupInterview
from bot.core.program_names import retinue_command
from bot.core.setting_types import WebAddress
from channels.telegram import operator_texts

if TYPE_CHECKING:
    from bot.core.channel import Channel
    from bot.core.findings import CheckFinding
    from channels.telegram.setup import TelegramSetup

TOKEN_PATTERN = re.compile(r"(\d{1,20}):[\w-]+", re.ASCII)  # the bot's id, then its secret


def add_bot_path(url: str) -> str:
    """Return the address of a Bot API server, ending in `/bot`. The library puts the token right behind it."""
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    is_whole = path.endswith("/bot") or "{token}" in path
    return urlunsplit(parts._replace(path=path if is_whole else f"{path}/bot"))


class TelegramSettings(ChannelSettings):
    base_url: Annotated[WebAddress, AfterValidator(add_bot_path)] = "https://api.telegram.org/bot"


def bot_id_of_token(token: str) -> str:
    if not (found := TOKEN_PATTERN.fullmatch(token)):
        raise ConfigError(operator_texts.TOKEN_NAMES_NO_BOT)
    return str(int(found[1]))


def make_channel(account: BotAccountConfig[TelegramSettings], commands: Sequence[ChatCommand]) -> Channel:
    from channels.telegram.channel import Telegram

    return Telegram(account.token, account.settings.base_url, commands, network=account.network)


async def check_bot_account(account: BotAccountConfig[TelegramSettings]) -> list[CheckFinding]:
    from channels.telegram.bot_profile import fetch_telegram_profile

    found = await fetch_telegram_profile(account.token, account.settings.base_url, account.network)
    everything, own = operator_texts.READS_ALL(name=found.username), operator_texts.READS_ITS_OWN(name=found.username)
    findings = [ok_finding(everything if found.can_read_all_group_messages else own)]
    if found.webhook_url:
        remedy = operator_texts.LET_SETUP_REMOVE_WEBHOOK(command=retinue_command("setup"))
        findings.append(wrong_finding(operator_texts.WEBHOOK_SET, remedy))
    return findings


def make_setup(interview: SetupInterview) -> TelegramSetup:
    from channels.telegram.setup import TelegramSetup

    return TelegramSetup(interview)


PLATFORM = Platform(
    name="telegram",
    title="Telegram",
    settings_type=TelegramSettings,
    token_variable="TELEGRAM_BOT_TOKEN",
    address_form=AddressForm(chat_pattern=r"-?[1-9]\d{0,18}", example=operator_texts.ADDRESS_EXAMPLE),
    bot_id_of_token=bot_id_of_token,
    make_channel=make_channel,
    doctor_findings=check_bot_account,
    make_setup=make_setup,
    slow_libraries=("telegram",),
    official_names=("telegram", "botfather"),
)
