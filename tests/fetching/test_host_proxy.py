"""The proxy for named hosts: what it passes on, what it refuses, and that nothing goes round its checks."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from bot.core.guarded_fetch import GuardedFetcher
from bot.core.guarded_fetch import texts as fetch_texts
from bot.core.host_proxy import MAX_REMEMBERED_PLACES, Exit, HostProxy, ProxyLimits, texts
from bot.core.named_hosts import parse_named_hosts
from bot.core.network import NetworkAccess
from tests.fetching.conftest import Names
from tests.stand_ins.pages import Pages, answer
from tests.stand_ins.proxy import Proxy

PUBLIC = "93.184.216.34"
SETTING = "shell.hosts"


@dataclass
class Inside:
    """A program in a sandbox: it has the port of the proxy and nothing else."""

    way: Exit
    port: int

    async def ask(self, *lines: str, body: bytes = b"") -> str:
        """Return the whole answer to a request, and what follows it until the proxy closes."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
        try:
            return (await reader.read(-1)).decode()
        finally:
            writer.close()


@asynccontextmanager
async def opened(proxy: HostProxy, *hosts: str) -> AsyncIterator[Inside]:
    """Hand a listening socket to the proxy, as a sandbox does."""
    async with proxy.open_exit("a test", parse_named_hosts(hosts), SETTING) as way:
        with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket(fileno=os.dup(way.descriptor)) as end:
            socket.send_fds(end, [b"."], [listener.fileno()])
            yield Inside(way, listener.getsockname()[1])


@pytest.fixture
async def inside(fetcher: GuardedFetcher, pages: Pages) -> AsyncIterator[Inside]:
    pages.answers["/"] = answer(b"hello")
    async with opened(HostProxy(fetcher), f"site.example:{pages.port}", f"*.wild.example:{pages.port}") as found:
        yield found


async def test_a_named_host_is_asked_for_a_page(inside: Inside, pages: Pages) -> None:
    said = await inside.ask(f"GET http://site.example:{pages.port}/ HTTP/1.1")
    assert said.endswith("\r\n\r\nhello")
    assert pages.asked == [f"site.example:{pages.port} /"]


async def test_a_named_host_gets_a_tunnel(inside: Inside, pages: Pages) -> None:
    said = await inside.ask(
        f"CONNECT site.example:{pages.port} HTTP/1.1", body=b"GET / HTTP/1.1\r\nHost: in.tunnel\r\n\r\n"
    )
    assert said.startswith("HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 200 OK")
    assert pages.asked == ["in.tunnel /"]


async def test_a_host_below_a_wildcard_is_reached(inside: Inside, pages: Pages, names: Names) -> None:
    names.answers["a.wild.example"] = [["127.0.0.1"]]
    assert "hello" in await inside.ask(f"GET http://A.wild.example.:{pages.port}/ HTTP/1.1")
    assert "403 Forbidden" in await inside.ask(f"GET http://wild.example:{pages.port}/ HTTP/1.1")


@pytest.mark.parametrize("place", ["evil.example:443", "site.example:443", "127.0.0.1:{port}", "localhost:{port}"])
async def test_another_place_is_refused_and_no_name_server_asked(
    inside: Inside, pages: Pages, names: Names, place: str
) -> None:
    place = place.format(port=pages.port)
    said = await inside.ask(f"CONNECT {place} HTTP/1.1")
    hosts = f"site.example:{pages.port}, *.wild.example:{pages.port}"
    assert said.startswith("HTTP/1.1 403 Forbidden")
    assert texts.HOST_NOT_NAMED(place=place, hosts=hosts, setting=SETTING) in said
    assert (names.asked, pages.asked, list(inside.way.refused)) == ([], [], [place])


async def test_the_log_tells_of_each_place_once_and_counts_at_the_end(
    fetcher: GuardedFetcher, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "bot.core.host_proxy")
    async with opened(HostProxy(fetcher), "site.example") as inside:
        for _ in range(3):
            await inside.ask("CONNECT evil.example:443 HTTP/1.1")
    assert [record.getMessage() for record in caplog.records] == [
        texts.REFUSED(owner="a test", place="evil.example:443"),
        texts.REFUSED_IN_ALL(owner="a test", count=3, places="evil.example:443 (3)"),
    ]


async def test_the_log_tells_of_so_many_places_at_most(
    fetcher: GuardedFetcher, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("WARNING", "bot.core.host_proxy")
    async with opened(HostProxy(fetcher), "site.example") as inside:
        for number in range(MAX_REMEMBERED_PLACES + 3):
            await inside.ask(f"CONNECT evil{number}.example:443 HTTP/1.1")
        assert inside.way.refused.total() == MAX_REMEMBERED_PLACES + 3
    assert len(caplog.records) == MAX_REMEMBERED_PLACES + 1


@pytest.mark.parametrize(
    "addresses",
    [["10.0.0.1"], ["169.254.169.254"], ["127.0.0.2"], ["::1"], ["127.0.0.1", "192.168.0.1"], ["64:ff9b::a00:1"]],
    ids=str,
)
async def test_a_named_host_with_a_private_address_is_not_reached(
    inside: Inside, pages: Pages, names: Names, addresses: list[str]
) -> None:
    names.answers["site.example"] = [addresses]
    said = await inside.ask(f"CONNECT site.example:{pages.port} HTTP/1.1")
    assert fetch_texts.NOT_PUBLIC(host="site.example") in said
    assert pages.asked == []


async def test_the_connection_goes_to_the_address_that_was_checked(inside: Inside, pages: Pages, names: Names) -> None:
    names.answers["site.example"] = [["127.0.0.1"], ["127.0.0.2"]]  # a second answer is another one
    assert "hello" in await inside.ask(f"GET http://site.example:{pages.port}/ HTTP/1.1")
    assert names.asked == ["site.example"]


async def test_a_second_request_on_a_connection_is_never_served(inside: Inside, pages: Pages) -> None:
    second = f"GET http://site.example:{pages.port}/second HTTP/1.1\r\n\r\n".encode()
    for first, status in [("CONNECT evil.example:443 HTTP/1.1", "403"), ("nonsense", "400")]:
        said = await inside.ask(first, body=second)
        assert (said.split(" ")[1], said.count("HTTP/1.1 ")) == (status, 1)
    await inside.ask(f"GET http://site.example:{pages.port}/first HTTP/1.1", body=second)
    assert pages.asked == [f"site.example:{pages.port} /first"]


async def test_of_a_plain_request_only_its_body_goes_on(inside: Inside) -> None:
    arrived = b""

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal arrived
        arrived = await reader.readuntil(b"\r\n\r\n") + await reader.readexactly(3)
        writer.write(answer(b"taken"))
        await asyncio.sleep(0.05)
        arrived += reader._buffer  # type: ignore[attr-defined]  # what has come too much
        writer.close()

    async with await asyncio.start_server(take, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        inside.way.hosts = parse_named_hosts([f"site.example:{port}"])
        lines = f"POST http://site.example:{port}/ HTTP/1.1", "Content-Length: 3"
        said = await inside.ask(*lines, body=b"abcGET /x HTTP/1.1\r\nHost: evil.example\r\n\r\n")
    assert said.endswith("taken")
    assert arrived.endswith(b"\r\n\r\nabc")


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["GET / HTTP/1.1"], texts.NOT_FOR_PROXY),
        (["CONNECT evil.example\0.site.example:443 HTTP/1.1"], texts.NOT_A_REQUEST),
        (["CONNECT 2130706433:80 HTTP/1.1"], texts.NOT_A_HOST),
        (["CONNECT site.example:443 HTTP/1.1", "X: " + "a" * 20_000], texts.HEAD_TOO_LONG),
    ],
    ids=["of a server", "null", "number", "long"],
)
async def test_a_program_is_told_what_is_wrong_with_its_request(inside: Inside, lines: list[str], told: str) -> None:
    assert told in await inside.ask(*lines)


def limited(fetcher: GuardedFetcher, **limits: float) -> HostProxy:
    return HostProxy(fetcher, ProxyLimits(**limits))  # type: ignore[arg-type]  # of two types


async def test_too_many_connections_are_refused(fetcher: GuardedFetcher, pages: Pages) -> None:
    async with opened(limited(fetcher, connections=1), "site.example") as inside:
        _, writer = await asyncio.open_connection("127.0.0.1", inside.port)  # asks for nothing
        await until(lambda: len(inside.way.connections) == 1)
        assert texts.TOO_MANY_CONNECTIONS(most=1) in await inside.ask("CONNECT site.example:443 HTTP/1.1")
        writer.close()


async def test_far_too_many_connections_are_not_even_answered(fetcher: GuardedFetcher) -> None:
    async with opened(limited(fetcher, connections=1), "site.example") as inside:
        held = [await asyncio.open_connection("127.0.0.1", inside.port) for _ in range(10)]
        ended = [await reader.read(-1) for reader, _ in held[2:]]
        assert ended == [b""] * 8
        for _, writer in held:
            writer.close()


async def test_who_asks_for_nothing_is_cut_off(fetcher: GuardedFetcher) -> None:
    async with opened(limited(fetcher, head_seconds=0.05), "site.example") as inside:
        reader, writer = await asyncio.open_connection("127.0.0.1", inside.port)
        writer.write(b"CONNECT site")
        assert await asyncio.wait_for(reader.read(-1), 5) == b""
        writer.close()


async def test_a_silent_connection_is_cut_off(fetcher: GuardedFetcher, pages: Pages) -> None:
    async with opened(limited(fetcher, idle_seconds=0.05), f"site.example:{pages.port}") as inside:
        said = await asyncio.wait_for(inside.ask(f"CONNECT site.example:{pages.port} HTTP/1.1"), 5)
    assert said == "HTTP/1.1 200 Connection established\r\n\r\n"


async def test_a_connection_that_is_not_silent_lasts(fetcher: GuardedFetcher, pages: Pages) -> None:
    pages.answers["/"], pages.endless["/"], pages.pause_seconds = b"HTTP/1.1 200 OK\r\n\r\n", b"x", 0.02
    proxy = limited(fetcher, idle_seconds=0.2, connection_bytes=len(pages.answers["/"]) + 20)
    async with opened(proxy, f"site.example:{pages.port}") as inside:
        said = await asyncio.wait_for(inside.ask(f"GET http://site.example:{pages.port}/ HTTP/1.1"), 5)
    assert said.endswith("x" * 19)


async def test_a_connection_passes_no_more_than_its_bytes(fetcher: GuardedFetcher, pages: Pages) -> None:
    pages.answers["/"], pages.endless["/"] = b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 50_000
    async with opened(limited(fetcher, connection_bytes=200_000), f"site.example:{pages.port}") as inside:
        said = await asyncio.wait_for(inside.ask(f"GET http://site.example:{pages.port}/ HTTP/1.1"), 5)
    assert 0 < len(said) <= 200_000


async def test_all_connections_end_with_the_exit(fetcher: GuardedFetcher, pages: Pages) -> None:
    async with opened(HostProxy(fetcher), f"site.example:{pages.port}") as inside:
        reader, writer = await asyncio.open_connection("127.0.0.1", inside.port)
        writer.write(f"CONNECT site.example:{pages.port} HTTP/1.1\r\n\r\n".encode())
        await reader.readuntil(b"\r\n\r\n")
    assert await asyncio.wait_for(reader.read(-1), 5) == b""
    writer.close()


@pytest.mark.parametrize("resolves", [False, True])
async def test_the_operators_own_proxy_is_used(names: Names, pages: Pages, *, resolves: bool) -> None:
    names.answers["site.example"] = [[PUBLIC]]
    pages.answers["/"] = answer(b"hello")
    target = "site.example" if resolves else PUBLIC
    async with Proxy(ways={target: pages.port}).open() as company:
        access = NetworkAccess(proxy=company.address, proxy_resolves_names=resolves)
        async with opened(HostProxy(GuardedFetcher(access, resolve=names.resolve)), "site.example") as inside:
            assert "hello" in await inside.ask("GET http://site.example/ HTTP/1.1")
            tunnel = await inside.ask("CONNECT site.example:443 HTTP/1.1", body=b"GET / HTTP/1.1\r\nHost: t\r\n\r\n")
            assert "hello" in tunnel
    assert company.asked == [f"GET {target}:80", f"CONNECT {target}:443"]
    assert pages.asked == ["site.example /", "t /"]


async def test_a_refusal_of_the_operators_proxy_is_told(names: Names) -> None:
    names.answers["site.example"] = [[PUBLIC]]
    async with Proxy().open() as company:
        access = NetworkAccess(proxy=company.address.replace("ann", "bob"))
        async with opened(HostProxy(GuardedFetcher(access, resolve=names.resolve)), "site.example") as inside:
            said = await inside.ask("CONNECT site.example:443 HTTP/1.1")
    assert "502 Bad Gateway" in said
    assert "407 Proxy Authentication Required" in said


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not is_so():  # noqa: ASYNC110 -- nobody tells of it
            await asyncio.sleep(0.005)
