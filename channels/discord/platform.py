"""What Discord declares of itself. Nothing here imports its library before it is needed."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from binascii import Error as NotBase64
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from bot.core.errors import ConfigError
from bot.core.findings import ok_finding, warning_finding, wrong_finding
from bot.core.platform import AddressForm, BotAccountConfig, ChannelSettings, ChatCommand, Platform, PlatformSetup
from bot.core.setting_types import WebAddress, WebSocketUrl
from channels.discord import operator_texts

if TYPE_CHECKING:
    from bot.core.channel import Channel
    from bot.core.findings import CheckFinding
    from channels.discord.bot_profile import DiscordBotFacts

DEVELOPER_PORTAL_URL = "https://discord.com/developers/applications"
TOKEN_PATTERN = re.compile(r"([A-Za-z0-9_-]{8,})\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+", re.ASCII)
PRIVATE_CHAT_PREFIX = "@"  # a private address is "@" and the person: each person has one private chat


class DiscordSettings(ChannelSettings):
    base_url: WebAddress = "https://discord.com/api/v10"
    gateway_url: WebSocketUrl | None = None
    role_label: bool = True
    threads: bool = False
    forum_posts: bool = False
    answer_in: tuple[int, ...] = ()
    allow_roles: tuple[int, ...] = ()

    @property
    def allowed_roles(self) -> tuple[int, ...]:
        return self.allow_roles


def bot_id_of_token(token: str) -> str:
    """Return the bot's id. The first part of a Discord token is the id in base64."""
    found = TOKEN_PATTERN.fullmatch(token)
    try:
        number = urlsafe_b64decode(found[1] + "=" * (-len(found[1]) % 4)).decode("ascii") if found else ""
    except (NotBase64, UnicodeDecodeError):
        number = ""
    if not (number.isascii() and number.isdigit()):
        raise ConfigError(operator_texts.TOKEN_NAMES_NO_BOT)
    return number


def person_id_of_private_chat(chat: str) -> int | None:
    """Return the person's id of a private chat, or None for a channel. Its server would have to be allowed, which the
    address does not name."""
    return int(chat.removeprefix(PRIVATE_CHAT_PREFIX)) if chat.startswith(PRIVATE_CHAT_PREFIX) else None


def make_channel(account: BotAccountConfig[DiscordSettings], commands: Sequence[ChatCommand]) -> Channel:
    from channels.discord.channel import Discord

    settings = account.settings
    return Discord(
        account.token,
        settings.base_url,
        settings.gateway_url,
        commands,
        network=account.network,
        role_label=settings.role_label,
        reactions=settings.reactions,
        threads=settings.threads,
        forum_posts=settings.forum_posts,
        answer_in=frozenset(map(str, settings.answer_in)),
        reads_roles=bool(settings.allow_roles),
        get_picture=account.get_picture,
        menus=account.menus,
    )


async def check_bot_account(account: BotAccountConfig[DiscordSettings]) -> list[CheckFinding]:
    from channels.discord.bot_profile import fetch_discord_profile

    settings = account.settings
    roles = bool(settings.allow_roles)
    found = await fetch_discord_profile(account.token, settings.base_url, account.network, with_roles=roles)
    findings = [ok_finding(operator_texts.ANSWERS(found.server_count, name=found.name))]
    if not found.has_message_content:
        remedy = operator_texts.SWITCH_INTENT_ON(portal=DEVELOPER_PORTAL_URL, id=found.application_id)
        findings.append(wrong_finding(operator_texts.READS_NOTHING, remedy))
    if not found.server_count:
        findings.append(warning_finding(operator_texts.NO_SERVER, operator_texts.INVITE(link=found.invite_url)))
    for server, missing in found.missing_permissions.items():
        finding = operator_texts.PERMISSIONS_MISSING(server=server, permissions=", ".join(missing))
        findings.append(warning_finding(finding, operator_texts.INVITE_AGAIN(link=found.invite_url)))
    if settings.answer_in:
        findings.append(ok_finding(operator_texts.ANSWERS_IN(channels=", ".join(map(str, settings.answer_in)))))
    for id in map(str, settings.allow_roles):
        if role := found.roles_by_id.get(id):
            findings.append(ok_finding(operator_texts.ROLE_MAY_TALK(name=role[0], server=role[1], id=id)))
        else:
            findings.append(warning_finding(operator_texts.NO_SUCH_ROLE(id=id), operator_texts.COPY_ROLE_ID))
    if settings.owner is None and found.owner_id:
        findings.append(ok_finding(operator_texts.APPLICATION_OWNER(name=found.owner_name, id=found.owner_id)))
    return findings


class DiscordSetup(PlatformSetup[DiscordSettings]):
    """Discord's part of `retinue setup`: check the token, find the owner, and offer the link that invites the bot."""

    token_instructions = operator_texts.ABOUT_TOKEN(portal=DEVELOPER_PORTAL_URL)
    token_question = operator_texts.TOKEN
    bot_profile: DiscordBotFacts  # what Discord said at the sign-in

    async def sign_in_and_describe_bot(self, account: BotAccountConfig[DiscordSettings]) -> str:
        from channels.discord.bot_profile import fetch_discord_profile

        found = await fetch_discord_profile(account.token, account.settings.base_url, account.network)
        self.bot_profile = found
        return operator_texts.THIS_IS(self.bot_profile.server_count, name=self.bot_profile.name)

    def offer_to_fix_missing_messages(self, account: BotAccountConfig[DiscordSettings]) -> None:
        """Say if the intent for message content is missing. Only the operator can switch it on, in the portal."""
        if not self.bot_profile.has_message_content:
            self.interview.say(operator_texts.MAY_NOT_READ)

    def find_and_confirm_owner_id(self, account: BotAccountConfig[DiscordSettings]) -> int | None:
        """Return the id of the application's owner if the operator says that this is also the bot's owner."""
        question = operator_texts.OWNS_APPLICATION(name=self.bot_profile.owner_name)
        is_owner = self.bot_profile.owner_id and self.interview.ask_yes_or_no(question, usual=True)
        return self.bot_profile.owner_id if is_owner else None

    def list_next_steps(self, account: BotAccountConfig[DiscordSettings]) -> Iterator[str]:
        if not self.bot_profile.has_message_content:
            yield operator_texts.SWITCH_INTENT_ON(portal=DEVELOPER_PORTAL_URL, id=self.bot_profile.application_id)
        link = self.bot_profile.invite_url
        has_servers = self.bot_profile.server_count > 0
        yield operator_texts.INVITE_ELSEWHERE(link=link) if has_servers else operator_texts.INVITE(link=link)


PLATFORM = Platform(
    name="discord",
    title="Discord",
    settings_type=DiscordSettings,
    token_variable="DISCORD_BOT_TOKEN",
    address_form=AddressForm(
        chat_pattern=r"@?[1-9]\d{0,19}",
        example=operator_texts.ADDRESS_EXAMPLE,
        has_threads=lambda chat: not chat.startswith(PRIVATE_CHAT_PREFIX),
    ),
    bot_id_of_token=bot_id_of_token,
    make_channel=make_channel,
    doctor_findings=check_bot_account,
    make_setup=DiscordSetup,
    owner_private_chat=lambda owner: f"{PRIVATE_CHAT_PREFIX}{owner}",
    allow_from_id_of_chat=person_id_of_private_chat,
    slow_libraries=("discord",),
    official_names=("discord",),
)
