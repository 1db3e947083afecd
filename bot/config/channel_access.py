"""Read from the settings who may speak on each channel, and where the owner is reached."""

from bot.config import Config
from bot.config.resolved_settings import network_from_config
from bot.core.access import Access
from bot.core.messages import Address, PersonId
from bot.core.platform import BotAccount, ChannelSettings
from bot.core.rights import GUEST_RIGHTS
from channels.registry import platforms
from channels.terminal.conversation import LOCAL_ADDRESS

OTHERS_KEY = "*"  # in `people`: everybody who may speak and has no entry


def bot_account(config: Config, name: str) -> BotAccount[ChannelSettings]:
    """Return the bot's account on a platform. The settings must have a token."""
    settings = config.channels[name]
    assert settings.token, "the caller has looked"
    token = settings.token.get_secret_value().strip()
    return BotAccount(token=token, settings=settings, network=network_from_config(config))


def access_of_channel(name: str, settings: ChannelSettings) -> Access:
    owner, allowed = settings.owner, settings.allow_from
    return Access(
        owner=None if owner is None else PersonId(str(owner)),
        allowed=frozenset() if allowed == "*" else frozenset(map(str, allowed)),
        is_public=allowed == "*",
        people={id: rights for id, rights in settings.people.items() if id != OTHERS_KEY},
        others=settings.people.get(OTHERS_KEY, GUEST_RIGHTS),
        owner_at=None if owner is None else Address(channel=name, chat=platforms()[name].owner_chat(owner)),
        may_knock=True,
    )


def owner_chats(config: Config) -> list[Address]:
    """Return the private chats of all owners, including the terminal. They do not depend on the command."""
    accesses = [access_of_channel(name, settings) for name, settings in config.channels.by_name().items()]
    return [*(access.owner_at for access in accesses if access.owner_at), LOCAL_ADDRESS]
