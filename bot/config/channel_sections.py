"""The section `channels` of the config: a section for each platform of the registry, which declares what is in it."""

from typing import TYPE_CHECKING, Any

from pydantic import create_model

from bot.core.platform import ChannelSettings
from bot.core.settings import Section
from channels.registry import platforms


class ChannelSections(Section):
    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...  # the platforms, which a type checker does not know

    def __getitem__(self, name: str) -> ChannelSettings:
        settings: ChannelSettings = getattr(self, name)
        return settings

    def by_name(self) -> dict[str, ChannelSettings]:
        """Return the settings of every platform, in the order of the registry."""
        return {name: self[name] for name in platforms()}

    def list_enabled(self) -> list[str]:
        """Return the platforms that `retinue run` answers on."""
        return [name for name, settings in self.by_name().items() if settings.enabled]


if TYPE_CHECKING:
    Channels = ChannelSections
else:
    Channels = create_model(
        "Channels",
        __base__=ChannelSections,
        **{name: (platform.settings, platform.settings()) for name, platform in platforms().items()},
    )
