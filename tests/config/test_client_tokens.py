"""The tokens of clients over HTTP, and what they open of the API."""

from typing import Any

import pytest
from pydantic import ValidationError

from bot.config import Config, LoadedConfig, texts
from bot.config.client_tokens import scopes_of_clients, tokens_of_clients
from bot.core.client_settings import ApiScope
from bot.core.errors import ConfigError

ONE, OTHER = "1" * 32, "2" * 32


def loaded(**clients: Any) -> LoadedConfig:
    return LoadedConfig(config=Config.model_validate({"clients": clients}), path=None)


def test_only_clients_with_a_token_can_connect() -> None:
    config = loaded(editor={"token": ONE}, script={"token": f"{OTHER}\n"}, local={})
    assert tokens_of_clients(config) == {"editor": ONE, "script": OTHER}


def test_each_client_needs_a_token_of_its_own() -> None:
    with pytest.raises(ConfigError, match=texts.CLIENTS_SHARE_TOKEN):
        tokens_of_clients(loaded(editor={"token": ONE}, script={"token": ONE}))


def test_a_token_opens_only_what_the_settings_say() -> None:
    config = loaded(editor={"token": ONE}, script={"token": OTHER, "scopes": ["usage", "health"]})
    assert scopes_of_clients(config) == {"editor": frozenset(), "script": {ApiScope.USAGE, ApiScope.HEALTH}}


def test_scopes_without_a_token_are_a_mistake() -> None:
    with pytest.raises(ConfigError, match=r"clients\.editor\.scopes"):
        scopes_of_clients(loaded(editor={"scopes": ["usage"]}))


def test_an_unknown_scope_is_a_mistake() -> None:
    with pytest.raises(ValidationError, match="scopes"):
        loaded(editor={"scopes": ["everything"]})
