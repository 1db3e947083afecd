"""Where the tools `web_search` and `web_fetch` run: at the model's server, here, or nowhere."""

from urllib.parse import urlsplit

from bot.config import Config
from bot.core.texts import operators
from bot.core.web import WEB_FETCH_TOOL_NAME, WEB_SEARCH_TOOL_NAME, WEB_TOOL_NAMES
from bot.models.claude.server_errors import ANTHROPIC_URL

NO_TOOLS: frozenset[str] = frozenset()


def is_model_server_anthropic(config: Config) -> bool:
    """Return True if the model's server is Anthropic's own, or accepts the same requests."""
    url = config.model.base_url
    at_anthropic = url is None or urlsplit(url).hostname == urlsplit(ANTHROPIC_URL).hostname
    return at_anthropic or config.model.base_url_is_anthropic


def web_tools_of_server(config: Config) -> frozenset[str]:
    """Return the tools that the model's server runs. It may still turn out to have none."""
    is_own = config.web.enabled and is_model_server_anthropic(config) and config.web.run_here != "always"
    return WEB_TOOL_NAMES if is_own else NO_TOOLS


def web_tools_here(config: Config) -> frozenset[str]:
    """Return the tools that this bot runs. It needs a service to search."""
    if not config.web.enabled or config.web.run_here == "never" or web_tools_of_server(config):
        return NO_TOOLS
    return WEB_TOOL_NAMES if config.web.provider else frozenset({WEB_FETCH_TOOL_NAME})


def reason_for_no_web(config: Config) -> str:
    """Return why no agent may use the web; empty if some may. The server may still turn out to have no web tools."""
    if not config.web.enabled:
        return operators.WEB_IS_OFF
    if not web_tools_of_server(config) and not web_tools_here(config):
        return operators.SERVER_HAS_NO_WEB
    return ""


def reason_for_no_search(config: Config) -> str:
    """Return why no agent may search the web, though it may read pages; otherwise empty."""
    here = web_tools_here(config)
    return operators.NOBODY_SEARCHES if here and WEB_SEARCH_TOOL_NAME not in here else ""
