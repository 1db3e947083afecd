"""What Toy declares of itself. Nothing here opens a connection, or imports what does, before it is needed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from bot.core.errors import ConfigError
from bot.core.findings import ok_finding
from bot.core.platform import AddressForm, BotAccountConfig, ChannelSettings, ChatCommand, Platform, PlatformSetup
from tests.channels.toy import texts

if TYPE_CHECKING:
    from bot.core.channel import Channel
    from bot.core.findings import CheckFinding
    from tests.channels.toy.connection import Welcome


class ToySettings(ChannelSettings):
    port: Annotated[int, Field(ge=1, le=65_535)] = 8_700


def bot_id_of_token(token: str) -> str:
    if not (found := re.fullmatch(r"([0-9]+)-[a-z]+", token)):
        raise ConfigError(texts.TOKEN_FORM)
    return found[1]


def private_room(person: int) -> str:
    return f"p{person}"


def id_to_allow(room: str) -> int | None:
    """Return the person of a private room. Other rooms do not tell who is in them."""
    found = re.fullmatch("p([0-9]+)", room)
    return int(found[1]) if found else None


def make_channel(account: BotAccountConfig[ToySettings], commands: Sequence[ChatCommand]) -> Channel:
    from tests.channels.toy.channel import Toy

    return Toy(account.token, account.settings.port)


async def check(account: BotAccountConfig[ToySettings]) -> list[CheckFinding]:
    from tests.channels.toy.connection import open_connection

    async with open_connection(account.token, account.settings.port) as connection:
        return [ok_finding(texts.ANSWERS(name=connection.welcome.bot))]


class ToySetup(PlatformSetup[ToySettings]):
    token_instructions = texts.ABOUT_TOKEN
    token_question = texts.TOKEN_QUESTION
    welcome: Welcome

    async def sign_in_and_describe_bot(self, account: BotAccountConfig[ToySettings]) -> str:
        from tests.channels.toy.connection import open_connection

        async with open_connection(account.token, account.settings.port) as connection:
            self.welcome = connection.welcome
        return texts.THIS_IS(name=self.welcome.bot)

    def find_and_confirm_owner_id(self, account: BotAccountConfig[ToySettings]) -> int | None:
        question = texts.MAKER_IS_OWNER(name=self.welcome.maker_name)
        return self.welcome.maker if self.interview.ask_yes_or_no(question, usual=True) else None


PLATFORM = Platform(
    name="toy",
    title="Toy",
    settings_type=ToySettings,
    token_variable="TOY_BOT_TOKEN",
    address_form=AddressForm(
        chat_pattern="[a-z][a-z0-9]*", example=texts.ADDRESS_EXAMPLE, has_threads=lambda chat: False
    ),
    bot_id_of_token=bot_id_of_token,
    make_channel=make_channel,
    doctor_findings=check,
    make_setup=ToySetup,
    owner_private_chat=private_room,
    allow_from_id_of_chat=id_to_allow,
    official_names=("toy", "toymaker"),
)
