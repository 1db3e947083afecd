"""Discord's part of `retinue setup`: whose token it is, who owns the application, and the link that invites the bot."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bot.core.platform import BotAccount, Interview, PlatformSetup
from channels.discord import operator_texts
from channels.discord.platform import DEVELOPER_PORTAL, DiscordSettings

if TYPE_CHECKING:
    from channels.discord.bot_profile import DiscordBotProfile


class DiscordSetup(PlatformSetup[DiscordSettings]):
    about_token = operator_texts.ABOUT_TOKEN(portal=DEVELOPER_PORTAL)
    token_question = operator_texts.TOKEN

    def __init__(self, interview: Interview) -> None:
        super().__init__(interview)
        self.profile: DiscordBotProfile | None = None  # as Discord told it last

    async def sign_in(self, account: BotAccount[DiscordSettings]) -> str:
        from channels.discord.bot_profile import fetch_discord_profile

        self.profile = await fetch_discord_profile(account.token, account.settings.base_url, account.network)
        return operator_texts.THIS_IS(self.profile.servers, name=self.profile.name)

    def offer_repairs(self, account: BotAccount[DiscordSettings]) -> None:
        """Say that an intent is missing. Only the operator can switch it on, in the portal."""
        assert self.profile, "the bot has signed in"
        if not self.profile.has_message_content:
            self.interview.say(operator_texts.MAY_NOT_READ)

    def find_owner(self, account: BotAccount[DiscordSettings]) -> int | None:
        """Return the id of the application's owner if the operator says that it is the bot's too."""
        assert self.profile, "the bot has signed in"
        question = operator_texts.OWNS_APPLICATION(name=self.profile.owner_name)
        if self.profile.owner and self.interview.ask_yes_or_no(question, usual=True):
            return self.profile.owner
        return None

    def list_next_steps(self, account: BotAccount[DiscordSettings]) -> Iterator[str]:
        assert self.profile, "the bot has signed in"
        if not self.profile.has_message_content:
            yield operator_texts.SWITCH_INTENT_ON(portal=DEVELOPER_PORTAL, id=self.profile.id)
        if self.profile.servers:
            yield operator_texts.INVITE_ELSEWHERE(link=self.profile.invite)
        else:
            yield operator_texts.INVITE(link=self.profile.invite)
