"""Read from the settings who may speak on each channel, and where the owner is reached."""

from bot.config import Config
from bot.config.resolved_settings import network_access_from_config
from bot.core.access import Access
from bot.core.messages import Address, PersonId
from bot.core.platform import BotAccountConfig, ChannelSettings
from bot.core.rights import GUEST_RIGHTS
from channels.registry import platforms
from channels.terminal.conversation import LOCAL_ADDRESS, OWNER_ID

OTHERS_KEY = "*"  # in `people`: everybody who may speak and has no entry


def bot_account_on_platform(config: Config, name: str) -> BotAccountConfig[ChannelSettings]:
    """Return the bot's account on a platform. The settings must have a token."""
    settings = config.channels[name]
    assert settings.token, "the caller has looked"
    token = settings.token.get_secret_value().strip()
    return BotAccountConfig(token=token, settings=settings, network=network_access_from_config(config))


def access_of_channel(name: str, settings: ChannelSettings) -> Access:
    owner, allowed = settings.owner, settings.allow_from
    return Access(
        owner_id=None if owner is None else PersonId(str(owner)),
        allowed_ids=frozenset() if allowed == "*" else frozenset(map(str, allowed)),
        allowed_roles=frozenset(map(str, settings.allowed_roles)),
        is_public=allowed == "*",
        rights_by_id={id: rights for id, rights in settings.people.items() if id != OTHERS_KEY},
        others_rights=settings.people.get(OTHERS_KEY, GUEST_RIGHTS),
        owner_address=None
        if owner is None
        else Address(channel=name, chat=platforms()[name].owner_private_chat(owner)),
        may_strangers_pair=True,
    )


def accesses_of_channels(config: Config) -> dict[str, Access]:
    """Return who may speak on each platform that has settings, and on the terminal, whether or not a bot runs."""
    found = {name: access_of_channel(name, settings) for name, settings in config.channels.by_name().items()}
    return {**found, LOCAL_ADDRESS.channel: Access(owner_id=OWNER_ID)}


def owner_chats(config: Config) -> list[Address]:
    """Return the private chats of all owners, including the terminal. They do not depend on the command."""
    accesses = accesses_of_channels(config).values()
    return [*(access.owner_address for access in accesses if access.owner_address), LOCAL_ADDRESS]
