"""Pages are fetched from the addresses that were checked, within limits."""

import gzip
import zlib

import pytest

from bot.core.errors import FetchError
from bot.core.guarded_fetch import GuardedFetcher, texts
from tests.fetching.conftest import Names, make_fetcher
from tests.stand_ins.pages import Pages, answer, redirect


def site(pages: Pages, path: str = "/", host: str = "site.example") -> str:
    return f"http://{host}:{pages.port}{path}"


async def test_a_page_is_fetched_by_its_name_from_the_checked_address(
    pages: Pages, names: Names, fetcher: GuardedFetcher
) -> None:
    pages.answers["/a?b=c"] = answer(b"hello")
    page = await fetcher.fetch(site(pages, "/a?b=c#part"))
    assert (page.text, page.media_type, page.address) == ("hello", "text/plain", site(pages, "/a?b=c"))
    assert pages.asked == [f"site.example:{pages.port} /a?b=c"]
    assert names.asked == ["site.example"]


async def test_of_a_web_page_people_see_the_text(pages: Pages, fetcher: GuardedFetcher) -> None:
    html = b"<title>News</title><script>let x = '<p>no</p>'</script><body><p>One <b>fish</b></p><style>p{}</style>two"
    pages.answers["/"] = answer(html, type="text/html")
    assert (await fetcher.fetch(site(pages))).text == "News\nOne fish\ntwo"


async def test_the_hash_of_a_page_changes_only_with_its_text(pages: Pages, fetcher: GuardedFetcher) -> None:
    hashes = []
    for html in (b"<p id=1>One</p><!-- 8:00 -->", b"<p id=2> One\n</p><!-- 8:01 -->", b"<p id=2>Two</p>"):
        pages.answers["/"] = answer(html, type="text/html")
        hashes.append((await fetcher.fetch(site(pages))).text_hash)
    assert hashes[0] == hashes[1] != hashes[2]


@pytest.mark.parametrize(
    ("charset", "meta"), [("; charset=iso-8859-1", b""), ("", b"<meta charset=iso-8859-1>"), ("; charset=hex", b"")]
)
async def test_a_page_is_read_in_its_charset(charset: str, meta: bytes, pages: Pages, fetcher: GuardedFetcher) -> None:
    pages.answers["/"] = answer(meta + "Käse".encode("latin-1"), type=f"text/html{charset}")
    assert (await fetcher.fetch(site(pages))).text == ("Käse" if charset != "; charset=hex" else "K\ufffdse")


@pytest.mark.parametrize("packed", ["gzip", "deflate", "deflate without its header", "gzip in two parts"])
async def test_a_packed_page_is_unpacked(packed: str, pages: Pages, fetcher: GuardedFetcher) -> None:
    raw = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    bodies = {
        "gzip": gzip.compress(b"one two"),
        "deflate": zlib.compress(b"one two"),
        "deflate without its header": raw.compress(b"one two") + raw.flush(),
        "gzip in two parts": gzip.compress(b"one ") + gzip.compress(b"two"),
    }
    pages.answers["/"] = answer(bodies[packed], f"Content-Encoding: {packed.split()[0]}")
    assert (await fetcher.fetch(site(pages))).text == "one two"


async def test_a_bomb_is_refused_before_it_is_unpacked(pages: Pages, names: Names) -> None:
    pages.answers["/"] = answer(gzip.compress(bytes(50_000_000)), "Content-Encoding: gzip")
    with pytest.raises(FetchError, match=r"more than 100,000 bytes"):
        await make_fetcher(pages, names)(max_bytes=100_000).fetch(site(pages))


@pytest.mark.parametrize("packing", ["", "Content-Encoding: gzip"])
async def test_a_page_without_end_is_refused(packing: str, pages: Pages, names: Names) -> None:
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n" + (f"{packing}\r\n" if packing else "") + "\r\n"
    pages.answers["/"] = head.encode()
    pages.endless["/"] = gzip.compress(b"") * 100 if packing else bytes(1_000)
    with pytest.raises(FetchError, match=r"more than 20,000 bytes"):
        await make_fetcher(pages, names)(max_bytes=20_000).fetch(site(pages))


async def test_a_page_that_trickles_is_given_up(pages: Pages, names: Names) -> None:
    pages.answers["/"] = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
    pages.endless["/"], pages.pause_seconds = b".", 0.01
    with pytest.raises(FetchError) as failed:
        await make_fetcher(pages, names)(seconds=0.1).fetch(site(pages))
    assert failed.value.seconds


async def test_a_page_that_is_announced_as_too_large_is_not_read(pages: Pages, names: Names) -> None:
    pages.answers["/"] = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2000\r\n\r\n"
    with pytest.raises(FetchError, match=r"more than 1,000 bytes"):
        await make_fetcher(pages, names)(max_bytes=1_000).fetch(site(pages))


@pytest.mark.parametrize("type", ["image/png", "application/octet-stream", "application/zip"])
async def test_what_is_no_text_is_refused(type: str, pages: Pages, fetcher: GuardedFetcher) -> None:
    pages.answers["/"] = answer(b"hello", type=type)
    with pytest.raises(FetchError) as refused:
        await fetcher.fetch(site(pages))
    assert str(refused.value) == texts.WRONG_TYPE(address=site(pages), type=type)


async def test_a_redirect_is_followed_and_each_host_is_checked_once(
    pages: Pages, names: Names, fetcher: GuardedFetcher
) -> None:
    names.answers["other.example"] = [["127.0.0.1"]]
    pages.answers["/"], pages.answers["/there"] = redirect(site(pages, "/there", "other.example")), answer(b"here")
    assert (await fetcher.fetch(site(pages))).text == "here"
    assert names.asked == ["site.example", "other.example"]


@pytest.mark.parametrize(
    "target",
    [
        "http://inside.example/",
        "http://127.0.0.2/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/",
        "file:///etc/passwd",
        "http://site.example:22/",
        "http://ann:secret@site.example/",
        "//inside.example/",
    ],
)
async def test_a_redirect_leads_nowhere_else(target: str, pages: Pages, names: Names, fetcher: GuardedFetcher) -> None:
    names.answers |= {"inside.example": [["10.0.0.1"]], "::1": [["::1"]]}
    names.answers |= {host: [[host]] for host in ("127.0.0.2", "169.254.169.254")}
    pages.answers["/"] = redirect(target)
    with pytest.raises(FetchError) as refused:
        await fetcher.fetch(site(pages))
    assert refused.value.seconds is None
    assert len(pages.asked) == 1


async def test_redirects_without_end_are_given_up(pages: Pages, names: Names) -> None:
    pages.answers["/"] = redirect("/")
    with pytest.raises(FetchError):
        await make_fetcher(pages, names)(max_redirects=3).fetch(site(pages))
    assert len(pages.asked) == 4


async def test_a_host_with_one_private_address_is_refused(pages: Pages, names: Names, fetcher: GuardedFetcher) -> None:
    names.answers["mixed.example"] = [["127.0.0.1", "10.0.0.1"]]
    with pytest.raises(FetchError):
        await fetcher.fetch(site(pages, host="mixed.example"))
    assert pages.asked == []


async def test_a_second_answer_of_the_name_server_leads_nowhere(
    pages: Pages, names: Names, fetcher: GuardedFetcher
) -> None:
    names.answers["site.example"] = [["127.0.0.1"], ["10.0.0.1"]]
    pages.answers["/"] = answer(b"hello")
    assert (await fetcher.fetch(site(pages))).text == "hello"
    with pytest.raises(FetchError):
        await fetcher.fetch(site(pages))
    assert len(pages.asked) == 1


async def test_if_one_address_does_not_answer_the_next_is_tried(pages: Pages, names: Names) -> None:
    from bot.core.guarded_fetch.addresses import parse_networks

    names.answers["site.example"] = [["127.0.0.9", "127.0.0.1"]]
    pages.answers["/"] = answer(b"hello")
    fetcher = make_fetcher(pages, names)(allowed_networks=parse_networks(["127.0.0.0/28"]))
    assert (await fetcher.fetch(site(pages))).text == "hello"


async def test_an_unknown_name_may_be_known_later(fetcher: GuardedFetcher) -> None:
    with pytest.raises(FetchError) as failed:
        await fetcher.fetch("http://unknown.example/")
    assert failed.value.seconds


@pytest.mark.parametrize(
    "sent",
    [
        answer(status="404 Not Found"),
        answer(status="302 Found"),
        answer(b"hello", "Content-Encoding: gzip"),
        answer(b"hello", "Content-Encoding: br"),
        answer(b"hello")[:-2],
        b"hello\r\n\r\n",
        b"",
    ],
)
async def test_a_server_that_misbehaves_is_told_as_such(sent: bytes, pages: Pages, fetcher: GuardedFetcher) -> None:
    pages.answers["/"] = sent
    with pytest.raises(FetchError):
        await fetcher.fetch(site(pages))


async def test_nothing_is_kept_between_two_fetches(pages: Pages, fetcher: GuardedFetcher) -> None:
    pages.answers["/"] = answer(b"hello", "Set-Cookie: a=b")
    await fetcher.fetch(site(pages))
    await fetcher.fetch(site(pages))
    assert not any("cookie" in head.lower() or "authorization" in head.lower() for head in pages.heads)
