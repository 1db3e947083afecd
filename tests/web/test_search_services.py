"""The services that search are asked as they want it, and what they answer is read or told in words."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from bot.core.domains import DomainRules
from bot.core.errors import SearchFailed
from bot.core.search_provider import MAX_HITS, SearchHit
from bot.models.search_providers import texts
from bot.models.search_providers.client import SearchClient
from bot.models.search_providers.services import SERVICES
from tests.stand_ins.searching import KEYS, Answer, SearchStandIn, answer, brave_error, page, tavily_error

NAMES = sorted(SERVICES)
TITLES = {name: service.title for name, service in SERVICES.items()}


@asynccontextmanager
async def asking(name: str, key: str | None = None, **fields: Any) -> AsyncIterator[tuple[SearchStandIn, SearchClient]]:
    async with SearchStandIn(name) as server:
        key = KEYS[name] if key is None else key
        yield server, SearchClient(SERVICES[name], server.base_url, key, **{"retry_seconds": 0.01, **fields})


async def fault_of(client: SearchClient, query: str = "trains") -> tuple[str, str]:
    with pytest.raises(SearchFailed) as failed:
        await client.search(query)
    return str(failed.value), failed.value.fault


@pytest.mark.parametrize("name", NAMES)
async def test_pages_are_found_with_title_address_excerpt_and_date(name: str) -> None:
    async with asking(name) as (server, client):
        server.found = [
            page("Night  trains\n", "https://one.example/a?b=c", "Zurich\nto Rome", "2026-11-02T10:00:00"),
            page("", "https://two.example/"),
        ]
        one = SearchHit(
            title="Night trains", address="https://one.example/a?b=c", excerpt="Zurich to Rome", date="2026-11-02"
        )
        two = SearchHit(title="two.example", address="https://two.example/", excerpt="")
        assert await client.search("trains to Rome") == [one, two]
        assert server.queries == ["trains to Rome"]


@pytest.mark.parametrize("name", NAMES)
async def test_a_search_that_finds_nothing_is_no_fault(name: str) -> None:
    async with asking(name) as (server, client):
        server.found = []
        assert await client.search("trains") == []


@pytest.mark.parametrize("name", NAMES)
async def test_pages_are_bounded_and_those_that_are_none_are_left_out(name: str) -> None:
    async with asking(name) as (server, client):
        strange = ["javascript:alert(1)", "ftp://a.example/", "https://a.example/ b", "https://[::1", "nothing"]
        server.found = [page("x" * 900, f"https://{n}.example/", "y" * 9_000) for n in range(3)]
        server.found += [page("Bad", url) for url in strange]
        found = await client.search("trains")
        assert [each.address for each in found] == [f"https://{n}.example/" for n in range(3)]
        assert max(len(each.title) + len(each.excerpt) for each in found) < 810
        server.found = [page("x", f"https://{n}.example/") for n in range(30)]
        assert len(await client.search("trains")) == MAX_HITS


async def test_marks_of_brave_are_taken_out_of_what_it_found() -> None:
    async with asking("brave") as (server, client):
        server.found = [page("R&amp;D", "https://a.example/", "<strong>It&#x27;s</strong> here")]
        [hit] = await client.search("trains")
        assert (hit.title, hit.excerpt) == ("R&D", "It's here")


@pytest.mark.parametrize(("text", "date"), [("Mon, 02 Nov 2026 10:00:00 GMT", "2026-11-02"), ("last week", "")])
async def test_a_date_is_read_in_each_form(text: str, date: str) -> None:
    async with asking("tavily") as (server, client):
        server.found = [page("A", "https://a.example/", "", text)]
        assert [each.date for each in await client.search("trains")] == [date]


@pytest.mark.parametrize("name", NAMES)
async def test_sites_that_are_not_allowed_are_left_out(name: str) -> None:
    found = [page("x", f"https://{host}/") for host in ("a.example", "www.b.example", "ab.example", "c.example")]
    async with asking(name, domains=DomainRules(blocked=("b.example", "c.example"))) as (server, client):
        server.found = found
        assert [each.address for each in await client.search("q")] == ["https://a.example/", "https://ab.example/"]
    async with asking(name, domains=DomainRules(allowed=("b.example",))) as (server, client):
        server.found = found
        assert [each.address for each in await client.search("q")] == ["https://www.b.example/"]
        sites = server.bodies[0]["include_domains"] if name == "tavily" else server.queries[0]
        assert sites == (["b.example"] if name == "tavily" else "q (site:b.example)")


FAULTS: list[tuple[str, Answer, str, str]] = [
    ("brave", brave_error(429, "QUOTA_LIMITED", "used"), "QUOTA_USED_UP", texts.QUOTA_FAULT),
    ("brave", brave_error(422, "VALIDATION", "no"), "NOT_ACCEPTED", texts.REFUSED),
    (
        "tavily",
        tavily_error(432, "This request exceeds your plan's set usage limit."),
        "QUOTA_USED_UP",
        texts.QUOTA_FAULT,
    ),
    ("tavily", tavily_error(433, "over"), "QUOTA_USED_UP", texts.QUOTA_FAULT),
    ("searxng", (403, {"content-type": "text/html"}, b"<h1>Forbidden</h1>"), "NOT_SET_UP", texts.NO_JSON),
    *((name, answer(503, {"error": "down"}), "OUT_OF_REACH", texts.FAILING) for name in NAMES),
    *((name, answer(404, {}), "NOT_SET_UP", texts.NOT_FOUND) for name in NAMES),
    *((name, answer(302, {}, location="https://else.example/"), "NOT_SET_UP", texts.ELSEWHERE) for name in NAMES),
    *((name, (200, {}, b"<html>"), "NOT_SET_UP", texts.STRANGE_ANSWER) for name in NAMES),
    ("tavily", answer(200, {"results": [{"title": "no address"}]}), "NOT_SET_UP", texts.STRANGE_ANSWER),
]


@pytest.mark.parametrize(("name", "given", "told", "fault"), FAULTS)
async def test_a_fault_is_told_to_the_model_and_to_the_operator(
    name: str, given: Answer, told: str, fault: Any
) -> None:
    async with asking(name) as (server, client):
        server.answers.append(given)
        said, logged = await fault_of(client)
        assert said.startswith(getattr(texts, told)(service=TITLES[name], said=""))
        assert logged.startswith(fault.partition("{")[0] + TITLES[name])
        assert server.asked == 1


@pytest.mark.parametrize("name", ["brave", "tavily"])
async def test_a_key_that_is_refused_or_missing_is_told(name: str) -> None:
    async with asking(name, key="wrong-key") as (_, client):
        said, fault = await fault_of(client)
        assert said == texts.NOT_SET_UP(service=TITLES[name])
        assert fault in [texts.KEY_REFUSED(service=TITLES[name], status=status) for status in (401, 422)]
    async with asking(name, key="") as (server, client):
        assert (await fault_of(client))[1] == texts.KEY_MISSING(service=TITLES[name])
        assert server.asked == 0


async def test_a_server_of_ones_own_without_an_address_is_told() -> None:
    client = SearchClient(SERVICES["searxng"])
    assert (await fault_of(client))[1] == texts.ADDRESS_MISSING(service="SearXNG")


async def test_a_searxng_that_does_not_speak_json_is_told() -> None:
    async with asking("searxng") as (server, client):
        server.has_json = False
        assert (await fault_of(client))[1] == texts.NO_JSON(service="SearXNG")


async def test_a_search_that_comes_too_fast_is_repeated() -> None:
    async with asking("brave") as (server, client):
        server.answers += [brave_error(429, "RATE_LIMITED", "Request rate limit exceeded")] * 2
        assert len(await client.search("trains")) == 1
        server.answers += [brave_error(429, "RATE_LIMITED", "Request rate limit exceeded")] * 3
        said, fault = await fault_of(client)
        assert said == texts.BUSY(service="Brave")
        assert fault == texts.BUSY_FAULT(service="Brave", said="Request rate limit exceeded")


async def test_a_silent_service_is_given_up_and_one_that_is_gone_is_told() -> None:
    async with asking("searxng", seconds=0.05) as (server, client):
        server.is_silent = True
        assert (await fault_of(client))[0] == texts.TOO_SLOW(service="SearXNG", seconds=0.05)
        async with server.away():
            assert (await fault_of(client))[0] == texts.OUT_OF_REACH(service="SearXNG")


async def test_a_key_that_the_service_repeats_is_taken_out() -> None:
    async with asking("tavily") as (server, client):
        server.answers.append(tavily_error(400, f"bad {KEYS['tavily']}"))
        said, fault = await fault_of(client)
        assert KEYS["tavily"] not in said + fault
        assert said == texts.NOT_ACCEPTED(service="Tavily", said=f"bad {texts.THE_KEY}")
