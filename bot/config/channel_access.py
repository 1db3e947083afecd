"""Who may speak on each channel, and where the owner is reached, according to the settings."""

from bot.config import Config
from bot.config.settings import ChannelSettings
from bot.core.access import Access
from bot.core.messages import Address, PersonId
from bot.core.rights import GUEST_RIGHTS
from channels.terminal.talk import LOCAL_ADDRESS

OTHERS_KEY = "*"  # in `people`: who may speak, and of whom nothing else is said


def channel_settings(config: Config, name: str) -> ChannelSettings:
    settings: ChannelSettings = getattr(config.channels, name)
    return settings


def access_of_channel(name: str, settings: ChannelSettings) -> Access:
    """Who may speak there. The owner's private chat has his own id on Telegram; Discord opens one for `@ID`."""
    owner, allowed = settings.owner, settings.allow_from
    chat = f"@{owner}" if name == "discord" else str(owner)
    return Access(
        owner=None if owner is None else PersonId(str(owner)),
        allowed=frozenset() if allowed == "*" else frozenset(map(str, allowed)),
        is_public=allowed == "*",
        people={id: rights for id, rights in settings.people.items() if id != OTHERS_KEY},
        others=settings.people.get(OTHERS_KEY, GUEST_RIGHTS),
        owner_at=None if owner is None else Address(channel=name, chat=chat),
        may_knock=True,
    )


def owner_chats(config: Config) -> list[Address]:
    """Return the private chats of all owners, including the terminal: the same for every command, in any chat."""
    accesses = [access_of_channel(name, channel_settings(config, name)) for name in type(config.channels).model_fields]
    return [*(access.owner_at for access in accesses if access.owner_at), LOCAL_ADDRESS]
