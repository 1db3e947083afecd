"""A web server on this machine, and a fetcher that may ask it."""

from collections.abc import AsyncIterator, Callable, Sequence

import pytest

from bot.core.guarded_fetch import FetchPolicy, GuardedFetcher
from bot.core.guarded_fetch.addresses import parse_networks
from tests.stand_ins.pages import Pages


class Names:
    """A name server: it has a list of answers for each host, and gives the last one again and again."""

    def __init__(self) -> None:
        self.answers: dict[str, list[list[str]]] = {}
        self.asked: list[str] = []

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        if host not in self.answers:
            raise OSError("no such name")
        return self.answers[host].pop(0) if len(self.answers[host]) > 1 else self.answers[host][0]


@pytest.fixture
async def pages() -> AsyncIterator[Pages]:
    async with Pages().open() as pages:
        yield pages


@pytest.fixture
def names() -> Names:
    names = Names()
    names.answers["site.example"] = [["127.0.0.1"]]
    return names


@pytest.fixture
def fetcher(pages: Pages, names: Names) -> GuardedFetcher:
    """A fetcher for which one address of this machine counts as public. All others of this machine do not."""
    return make_fetcher(pages, names)()


def make_fetcher(pages: Pages, names: Names) -> Callable[..., GuardedFetcher]:
    def made(**changes: object) -> GuardedFetcher:
        policy = {"allowed_networks": parse_networks(["127.0.0.1/32"]), "ports": frozenset({80, 443, pages.port})}
        changed = FetchPolicy(**{**policy, **changes})  # type: ignore[arg-type]  # of many types
        return GuardedFetcher(policy=changed, resolve=names.resolve)

    return made
