"""Through a proxy the same addresses are checked, and the proxy is asked for the one that was checked."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.core.errors import FetchError
from bot.core.guarded_fetch import GuardedFetcher
from bot.core.network import NetworkAccess
from tests.fetching.conftest import Names
from tests.stand_ins import proxy
from tests.stand_ins.pages import Pages, answer
from tests.stand_ins.proxy import Authority, Proxy, secured

PUBLIC = "93.184.216.34"  # the proxy's way there leads to this machine


@dataclass
class Company:
    proxy: Proxy
    ca_file: Path
    secured_port: int

    def fetcher(self, names: Names, *, proxy_resolves_names: bool = False) -> GuardedFetcher:
        access = NetworkAccess(
            proxy=self.proxy.address, ca_file=self.ca_file, proxy_resolves_names=proxy_resolves_names
        )
        return GuardedFetcher(access, resolve=names.resolve)


@pytest.fixture
async def company(tmp_path: Path, pages: Pages) -> AsyncIterator[Company]:
    authority = Authority.made(tmp_path, "site.example")
    async with Proxy().open() as proxy, secured(pages.port, authority) as port:
        yield Company(proxy, authority.ca_file, port)


pytestmark = pytest.mark.skipif(not proxy.OPENSSL, reason="there is no openssl here")


async def test_the_proxy_is_asked_for_the_checked_address(company: Company, pages: Pages, names: Names) -> None:
    names.answers["site.example"] = [[PUBLIC]]
    company.proxy.ways[PUBLIC] = company.secured_port
    pages.answers["/"] = answer(b"hello")
    assert (await company.fetcher(names).fetch("https://site.example/")).text == "hello"
    company.proxy.ways[PUBLIC] = pages.port
    assert (await company.fetcher(names).fetch("http://site.example/")).text == "hello"
    assert company.proxy.asked == [f"CONNECT {PUBLIC}:443", f"GET {PUBLIC}:80"]
    assert pages.asked == ["site.example /", "site.example /"]


async def test_a_certificate_for_another_name_is_refused(company: Company, pages: Pages, names: Names) -> None:
    names.answers["other.example"] = [[PUBLIC]]
    company.proxy.ways[PUBLIC] = company.secured_port
    with pytest.raises(FetchError):
        await company.fetcher(names).fetch("https://other.example/")
    assert pages.asked == []


@pytest.mark.parametrize("resolves", [False, True])
async def test_a_private_name_is_not_asked_of_the_proxy(*, resolves: bool, company: Company, names: Names) -> None:
    names.answers["inside.example"] = [["10.0.0.1"]]
    with pytest.raises(FetchError):
        await company.fetcher(names, proxy_resolves_names=resolves).fetch("https://inside.example/")
    assert company.proxy.asked == []


async def test_a_proxy_that_resolves_names_is_asked_for_the_name(company: Company, pages: Pages, names: Names) -> None:
    company.proxy.ways["unknown.example"] = pages.port
    pages.answers["/"] = answer(b"hello")
    fetcher = company.fetcher(names, proxy_resolves_names=True)
    assert (await fetcher.fetch("http://unknown.example/")).text == "hello"
    with pytest.raises(FetchError):
        await company.fetcher(names).fetch("http://unknown.example/")
    assert company.proxy.asked == ["GET unknown.example:80"]
