"""What searches the web for the bot's own `web_search`: services that are asked over HTTP."""

from bot.core.network import NetworkAccess
from bot.core.search_provider import SearchProvider
from bot.core.settings import WebSettings


def search_provider_from_settings(web: WebSettings, network: NetworkAccess) -> SearchProvider | None:
    """Return the service that the settings name; None if they name none. It is imported only where it is used."""
    if web.provider is None:
        return None
    from bot.models.search_providers.client import SearchClient
    from bot.models.search_providers.services import SERVICES

    key = web.api_key.get_secret_value() if web.api_key else ""
    return SearchClient(SERVICES[web.provider], web.base_url or "", key, domains=web.domains, network=network)
