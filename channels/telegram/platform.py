"""What Telegram declares of itself. Nothing here imports its library before it is needed."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit, urlunsplit

from pydantic import AfterValidator, Field, SecretStr, ValidationInfo

from bot.core.errors import ConfigError
from bot.core.findings import ok_finding, warning_finding, wrong_finding
from bot.core.platform import AddressForm, BotAccountConfig, ChannelSettings, ChatCommand, Platform, SetupInterview
from bot.core.program_names import retinue_command
from bot.core.setting_types import Secret, WebAddress, reject_names_differing_only_in_case
from channels.telegram import operator_texts

if TYPE_CHECKING:
    from bot.core.channel import Channel
    from bot.core.findings import CheckFinding
    from channels.telegram.setup import TelegramSetup

DEFAULT_BOT_API_URL = "https://api.telegram.org/bot"
TOKEN_PATTERN = re.compile(r"(\d{1,20}):[\w-]+", re.ASCII)  # the bot's id, then its secret


def add_bot_path(url: str) -> str:
    """Return the address of a Bot API server, ending in `/bot`. The library puts the token right behind it."""
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    is_whole = path.endswith("/bot") or "{token}" in path
    return urlunsplit(parts._replace(path=path if is_whole else f"{path}/bot"))


def file_address_base(url: str) -> str:
    """Return the address of a Bot API server's files: `…/file/bot` for `…/bot`. The token comes right behind it, or
    where the address names it."""
    parts = urlsplit(url)
    before, _, behind = parts.path.rpartition("/bot")
    return urlunsplit(parts._replace(path=f"{before}/file/bot{behind}"))


def is_telegrams_own(url: str) -> bool:
    """Return True if the address is the one of Telegram's own server, and not of one that the operator has chosen."""
    return urlsplit(url).hostname == urlsplit(DEFAULT_BOT_API_URL).hostname


def validate_voice_token(token: SecretStr) -> SecretStr:
    if not TOKEN_PATTERN.fullmatch(token.get_secret_value().strip()):
        raise ValueError(operator_texts.VOICE_TOKEN_FORM)
    return token


def reject_bot_with_two_parts(voices: Mapping[str, SecretStr], info: ValidationInfo) -> Mapping[str, SecretStr]:
    """Raise ValueError if a bot speaks for two roles, or for a role and for itself."""
    own: SecretStr | None = info.data.get("token")
    found = [TOKEN_PATTERN.match(token.get_secret_value().strip()) for token in (own, *voices.values()) if token]
    ids = [int(each[1]) for each in found if each]
    if len(set(ids)) < len(ids):
        raise ValueError(operator_texts.VOICE_TWICE)
    return voices


VoiceTokens = Annotated[
    dict[str, Annotated[Secret, AfterValidator(validate_voice_token)]],
    AfterValidator(reject_names_differing_only_in_case),
    AfterValidator(reject_bot_with_two_parts),
]


class TelegramSettings(ChannelSettings):
    base_url: Annotated[WebAddress, AfterValidator(add_bot_path)] = DEFAULT_BOT_API_URL
    native_drafts: bool = False
    voices: VoiceTokens = Field(default={})


def bot_id_of_token(token: str) -> str:
    if not (found := TOKEN_PATTERN.fullmatch(token)):
        raise ConfigError(operator_texts.TOKEN_NAMES_NO_BOT)
    return str(int(found[1]))


def make_channel(account: BotAccountConfig[TelegramSettings], commands: Sequence[ChatCommand]) -> Channel:
    from channels.telegram.channel import Telegram
    from channels.telegram.menus import commands_by_language

    settings = account.settings
    voices = {role: token.get_secret_value() for role, token in settings.voices.items()}
    return Telegram(
        account.token,
        settings.base_url,
        commands,
        network=account.network,
        voices=voices,
        reactions=settings.reactions,
        native_drafts=settings.native_drafts,
        owner=settings.owner,
        commands_by_language=commands_by_language(account.menus),
    )


async def check_bot_account(account: BotAccountConfig[TelegramSettings]) -> list[CheckFinding]:
    from channels.telegram.bot_profile import fetch_telegram_profile

    found = await fetch_telegram_profile(account.token, account.settings.base_url, account.network)
    everything, own = operator_texts.READS_ALL(name=found.username), operator_texts.READS_ITS_OWN(name=found.username)
    findings = [ok_finding(everything if found.can_read_all_group_messages else own)]
    if found.webhook_url:
        remedy = operator_texts.LET_SETUP_REMOVE_WEBHOOK(command=retinue_command("setup"))
        findings.append(wrong_finding(operator_texts.WEBHOOK_SET, remedy))
    voices = account.settings.voices.items()
    findings += await asyncio.gather(*(check_voice(role, token.get_secret_value(), account) for role, token in voices))
    if account.settings.voices and not found.can_read_all_group_messages:
        remedy = operator_texts.LET_IT_READ_REPLIES(name=found.username)
        findings.append(warning_finding(operator_texts.REPLIES_NOT_READ, remedy))
    return findings


async def make_invitation_link(account: BotAccountConfig[TelegramSettings], word: str) -> str:
    from channels.telegram.bot_profile import fetch_telegram_profile

    found = await fetch_telegram_profile(account.token, account.settings.base_url, account.network)
    return f"https://t.me/{found.username}?start={word}"


async def check_voice(role: str, token: str, account: BotAccountConfig[TelegramSettings]) -> CheckFinding:
    from channels.telegram.bot_profile import fetch_telegram_profile

    try:
        found = await fetch_telegram_profile(token.strip(), account.settings.base_url, account.network)
    except ConfigError as refusal:
        return wrong_finding(operator_texts.VOICE_REFUSED(role=role), str(refusal))
    return ok_finding(operator_texts.VOICE_ANSWERS(role=role, name=found.username))


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
    invitation_link=make_invitation_link,
    role_secrets=("voices",),
    slow_libraries=("telegram",),
    official_names=("telegram", "botfather"),
)
