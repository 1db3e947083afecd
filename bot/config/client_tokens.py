"""The tokens of the clients in the settings, and what they open of the HTTP API."""

from collections.abc import Mapping

from bot.config import LoadedConfig, texts
from bot.core.client_settings import ApiScope
from bot.core.errors import ConfigError


def tokens_of_clients(loaded: LoadedConfig) -> Mapping[str, str]:
    """Return the tokens by their clients. Raise ConfigError if two have the same."""
    tokens = {
        name: client.token.get_secret_value().strip()
        for name, client in loaded.config.clients.items()
        if client.token is not None
    }
    if len(set(tokens.values())) < len(tokens):
        raise ConfigError(texts.CLIENTS_SHARE_TOKEN)
    return tokens


def scopes_of_clients(loaded: LoadedConfig) -> Mapping[str, frozenset[ApiScope]]:
    """Return what each client with a token may ask of the HTTP API, by its name: nothing, unless the settings say it.
    Raise ConfigError if one has scopes and no token."""
    clients = loaded.config.clients
    if lacking := next((name for name, client in clients.items() if client.scopes and client.token is None), None):
        raise ConfigError(texts.SCOPES_WITHOUT_TOKEN(client=lacking))
    return {name: frozenset(client.scopes) for name, client in clients.items() if client.token is not None}
