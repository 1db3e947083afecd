"""All keys of config.json: the settings of the bot, and those of its channels."""

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from bot.config.channel_sections import Channels
from bot.core.settings import Preset, Price, Settings


class Config(Settings):
    """The settings of one tenant. `load` returns one whose paths are absolute."""

    channels: Channels = Channels()


NAMED_SECTIONS = {"swarm.roles": Preset, "model.prices": Price}  # objects whose keys the operator names


def list_setting_keys(section: type[BaseModel] = Config, above: str = "", role: str = "NAME") -> Iterator[str]:
    """Return every dotted key, including sections; `role` stands for the names that the operator chooses."""
    for name, field in section.model_fields.items():
        key = f"{above}{field.alias or name}"
        yield key
        below: Any = field.annotation
        if key in NAMED_SECTIONS:
            key, below = f"{key}.{role}", NAMED_SECTIONS[key]
            yield key
        if isinstance(below, type) and issubclass(below, BaseModel):
            yield from list_setting_keys(below, f"{key}.", role)
