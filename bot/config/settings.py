"""All keys of config.json: the settings of the bot, and those of its channels, which each platform declares."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, SecretStr, create_model

from bot.core.client_settings import ClientSettings
from bot.core.mcp_settings import McpServerSettings
from bot.core.platform import ChannelSettings
from bot.core.settings import Price, RolePreset, Section, Settings
from channels.registry import platforms


class ChannelSections(Section):
    """The section `channels`: a section for each platform of the registry."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...  # the sections of the platforms, for the type checker

    def __getitem__(self, name: str) -> ChannelSettings:
        settings: ChannelSettings = getattr(self, name)
        return settings

    def by_name(self) -> dict[str, ChannelSettings]:
        """Return the settings of every platform, in the order of the registry."""
        return {name: self[name] for name in platforms()}

    def list_enabled_channels(self) -> list[str]:
        return [name for name, settings in self.by_name().items() if settings.enabled]


if TYPE_CHECKING:
    Channels = ChannelSections
else:
    of_platforms = {name: (platform.settings_type, platform.settings_type()) for name, platform in platforms().items()}
    Channels = create_model("Channels", __base__=ChannelSections, **of_platforms)


class Config(Settings):
    """The settings of one tenant. In the result of `load`, all paths are absolute."""

    channels: Channels = Channels()


def iterate_keys_and_secrets(
    settings: BaseModel | Mapping[str, Any], above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], SecretStr]]:
    """Yield the key and value of every secret in effect, wherever it was set. A key is like ("model", "api_key")."""
    for name, value in settings.items() if isinstance(settings, Mapping) else settings:
        if isinstance(value, SecretStr):
            yield (*above, name), value
        elif isinstance(value, BaseModel | Mapping):
            yield from iterate_keys_and_secrets(value, (*above, name))


SECTIONS_WITH_OPERATOR_NAMES = {  # the operator names their keys
    "swarm.roles": RolePreset,
    "model.prices": Price,
    "mcp.servers": McpServerSettings,
    "clients": ClientSettings,
}


def list_setting_keys(section: type[BaseModel] = Config, above: str = "", role: str = "NAME") -> Iterator[str]:
    """Return every dotted key, including sections; `role` stands for the names that the operator chooses."""
    for name, field in section.model_fields.items():
        key = f"{above}{field.alias or name}"
        yield key
        below: Any = field.annotation
        if key in SECTIONS_WITH_OPERATOR_NAMES:
            key, below = f"{key}.{role}", SECTIONS_WITH_OPERATOR_NAMES[key]
            yield key
        if isinstance(below, type) and issubclass(below, BaseModel):
            yield from list_setting_keys(below, f"{key}.", role)
