"""The web tools that run here, with a web server on this machine and a service that searches."""

from collections.abc import AsyncIterator

import pytest

from bot.core.domains import DomainRules
from bot.core.guarded_fetch import FetchPolicy, GuardedFetcher
from bot.core.guarded_fetch.addresses import parse_networks
from bot.models.search_providers.client import SearchClient
from bot.models.search_providers.services import SERVICES
from bot.tools.own_web import fetch_policy_of_tools, own_web_tools
from tests.fetching.conftest import Names, names, pages
from tests.stand_ins.pages import Pages
from tests.stand_ins.searching import SearchStandIn
from tests.support.own_web import OwnWeb

__all__ = ["names", "pages"]


@pytest.fixture
async def web(pages: Pages, names: Names) -> AsyncIterator[OwnWeb]:
    async with SearchStandIn("searxng") as searching:

        def make(domains: DomainRules) -> OwnWeb:
            networks, ports = parse_networks(["127.0.0.1/32"]), frozenset({80, 443, pages.port})
            policy = fetch_policy_of_tools(FetchPolicy(allowed_networks=networks, ports=ports, domains=domains))
            provider = SearchClient(SERVICES["searxng"], searching.base_url, domains=domains)
            made = own_web_tools(GuardedFetcher(policy=policy, resolve=names.resolve), provider)
            return OwnWeb(pages, searching, {each.name: each for each in made}, make)

        yield make(DomainRules())
