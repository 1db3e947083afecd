"""Settings that are given as text, in the environment or in secret files: what each is, by the type of its key."""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic_settings import BaseSettings, EnvSettingsSource, SettingsConfigDict

from bot.config.settings import Config


class SettingTypes(Config, BaseSettings):
    """Tells pydantic-settings the names and types of the keys."""

    model_config = SettingsConfigDict(frozen=True, extra="forbid")


class TextSettingsSource(EnvSettingsSource):
    """Lists and sections as JSON. `given` is by key, as `model__lead`."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self.given = given
        super().__init__(SettingTypes, case_sensitive=True, env_prefix="", env_nested_delimiter="__")

    def _load_env_vars(self) -> Mapping[str, str | None]:
        return self.given

    def decode_complex_value(self, *arguments: Any) -> Any:
        """What is no JSON stays text, so that it is refused where its variable can be named."""
        decode: Callable[..., Any] = super().decode_complex_value
        try:
            return decode(*arguments)
        except (ValueError, RecursionError):
            return arguments[-1]
