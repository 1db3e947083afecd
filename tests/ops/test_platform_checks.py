"""What `retinue doctor` and `retinue setup` hear from the platforms, over sockets and by the real libraries."""

import asyncio

import pytest

from bot.core.errors import ConfigError
from bot.core.network import DEFAULT_NETWORK_ACCESS
from bot.core.platform import BotAccountConfig
from channels.discord import bot_profile as discord
from channels.discord import operator_texts as discord_texts
from channels.discord.platform import DiscordSettings, check_bot_account
from channels.telegram import bot_profile as telegram
from channels.telegram import operator_texts as telegram_texts
from tests.stand_ins import discord as dc
from tests.stand_ins import telegram as tg
from tests.stand_ins.discord import DiscordStandIn, Route, pointed_at
from tests.stand_ins.telegram import TelegramStandIn
from tests.support.patience import PATIENCE

TELEGRAMS_FAULTS = [tg.Fault.HTML, tg.Fault.NOT_OK, tg.Fault.RETRY_35, tg.Fault.SERVER_ERROR, tg.Fault.RESET_UNREAD]
DISCORDS_FAULTS = [dc.Fault.UNAVAILABLE, dc.Fault.BANNED, dc.Fault.NOT_JSON, dc.Fault.RESET_BEFORE]


async def test_telegram_tells_a_bots_name_and_its_reading_rights() -> None:
    async with TelegramStandIn() as server:
        found = await telegram.fetch_telegram_profile(server.token, server.base_url)
        assert (found.id, found.username, found.can_read_all_group_messages, found.webhook_url) == (
            123_456,
            "retinue_bot",
            False,
            "",
        )
        server.world.reads_all, server.world.webhook = True, "https://elsewhere.example/hook"
        found = await telegram.fetch_telegram_profile(server.token, server.base_url)
        assert (found.can_read_all_group_messages, found.webhook_url) == (True, "https://elsewhere.example/hook")


@pytest.mark.parametrize("token", ["", "123456:an other", "nonsense", "123456:wrong", "1:\N{SNOWMAN}"])
async def test_a_token_refused_by_telegram_is_a_wrong_setting_and_not_repeated(token: str) -> None:
    async with TelegramStandIn() as server:
        with pytest.raises(ConfigError) as told:
            await telegram.fetch_telegram_profile(token, server.base_url)
    assert not token or token not in str(told.value)


@pytest.mark.parametrize("fault", TELEGRAMS_FAULTS)
async def test_a_telegram_in_trouble_says_nothing_about_the_token(fault: tg.Fault) -> None:
    async with TelegramStandIn() as server:
        server.faults.always("getMe", fault)
        with pytest.raises(OSError) as told:  # noqa: PT011  # its kinds are all the same here
            await telegram.fetch_telegram_profile(server.token, server.base_url)
    assert server.token not in repr(told.value)


async def test_nobody_at_the_address_is_no_fault_of_the_token() -> None:
    with pytest.raises(OSError, match=telegram_texts.CANNOT_BE_ASKED.partition(" (")[0]):
        await telegram.fetch_telegram_profile("1:x", "http://127.0.0.1:9/bot")
    with pytest.raises(OSError, match=discord_texts.CANNOT_BE_ASKED.partition(" (")[0]):
        await discord.fetch_discord_profile("x", "http://127.0.0.1:9/api/v10")


async def test_people_who_wrote_in_private_are_seen_and_no_update_is_confirmed() -> None:
    async with TelegramStandIn() as server:
        ann, bob = server.person(7, "Ann", "ann"), server.person(8, "Bob")
        server.private(ann).say(ann, "hello")
        server.group("Home", ann, bob).say(bob, "@retinue_bot hello")
        server.private(bob).say(bob, "me too")
        for _ in range(2):  # the same again: it is all still there
            found = await telegram.fetch_private_message_authors(server.token, server.base_url)
            assert [(each.person_id, each.name) for each in found] == [(7, "Ann @ann"), (8, "Bob")]
        assert len(server.world.updates.waiting) == 3


async def test_another_poller_is_told_as_such() -> None:
    async with TelegramStandIn() as server:
        server.world.webhook = "https://elsewhere.example/hook"
        with pytest.raises(ConfigError, match="another program"):
            await telegram.fetch_private_message_authors(server.token, server.base_url)


async def test_discord_tells_a_bots_name_its_owner_and_its_reading_rights() -> None:
    async with DiscordStandIn() as server:
        with pointed_at(server):
            found = await discord.fetch_discord_profile(server.token, server.base_url)
            assert (found.application_id, found.name, found.server_count) == (server.bot.id, "Retinue", 0)
            assert (found.owner_id, found.owner_name, found.has_message_content) == (server.owner.id, "Owner", True)
            assert f"client_id={server.bot.id}&permissions=" in found.invite_url
            server.guild("Home", server.person("Ann"))
            server.portal.intents = dc.Intent(0)
            found = await discord.fetch_discord_profile(server.token, server.base_url)
            assert (found.has_message_content, found.server_count) == (False, 1)


async def test_doctor_finds_the_server_roles_of_the_settings() -> None:
    async with DiscordStandIn() as server:
        home = server.guild("Home", server.person("Ann"))
        family = server.role(home, "Family")
        settings = DiscordSettings(base_url=server.base_url, allow_roles=(family, home.id))
        with pointed_at(server):
            account = BotAccountConfig(token=server.token, settings=settings, network=DEFAULT_NETWORK_ACCESS)
            found = [each.text for each in await check_bot_account(account)]
    assert discord_texts.ROLE_MAY_TALK(name="Family", server="Home", id=family) in found
    assert discord_texts.NO_SUCH_ROLE(id=home.id) in found
    assert len(server.to(Route.ROLES)) == 1


@pytest.mark.parametrize("token", ["", "Bot abc", "wrong.token", "new\nline"])
async def test_a_token_refused_by_discord_is_a_wrong_setting_and_not_repeated(token: str) -> None:
    async with DiscordStandIn() as server:
        with pointed_at(server), pytest.raises(ConfigError) as told:
            await discord.fetch_discord_profile(token, server.base_url)
    assert not token or token not in str(told.value)


@pytest.mark.parametrize("fault", DISCORDS_FAULTS)
async def test_a_discord_in_trouble_says_nothing_about_the_token(fault: dc.Fault) -> None:
    async with DiscordStandIn() as server:
        server.faults.always(Route.APPLICATION, fault)
        with pointed_at(server), pytest.raises(OSError) as told:  # noqa: PT011  # as above
            async with asyncio.timeout(PATIENCE):
                await discord.fetch_discord_profile(server.token, server.base_url)
    assert server.token not in repr(told.value)
    assert not isinstance(told.value, TimeoutError)
