"""Convert settings that are given as text, in the environment or in secret files, to the types of their keys."""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic_settings import BaseSettings, EnvSettingsSource, SettingsConfigDict

from bot.config.settings import Config


class ConfigForPydanticSettings(Config, BaseSettings):
    """The names and types of the keys, for pydantic-settings."""

    model_config = SettingsConfigDict(frozen=True, extra="forbid")


class TextSettingsSource(EnvSettingsSource):
    """Convert texts; lists and sections are JSON. `given` has keys such as `model__lead`."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self.given = given
        super().__init__(ConfigForPydanticSettings, case_sensitive=True, env_prefix="", env_nested_delimiter="__")

    def _load_env_vars(self) -> Mapping[str, str | None]:
        return self.given

    def decode_complex_value(self, *arguments: Any) -> Any:
        """Return the decoded value. Keep invalid JSON as text: the later check can name its variable."""
        decode: Callable[..., Any] = super().decode_complex_value
        try:
            return decode(*arguments)
        except (ValueError, RecursionError):
            return arguments[-1]
