"""`web_search` and `web_fetch` where they run here: what the model reads of them."""

import pytest

from bot.core.acts import Effect
from bot.core.domains import DomainRules
from bot.core.guarded_fetch import texts as fetch_texts
from bot.core.images_and_pdfs import Media
from bot.core.rights import Right
from bot.core.sources import Source
from bot.models.search_providers import texts as search_texts
from bot.tools import texts
from bot.tools.result_pages import MAX_PAGE_CHARACTERS
from bot.tools.web import web_tools
from tests.stand_ins.pages import answer, redirect
from tests.stand_ins.searching import answer as searched
from tests.stand_ins.searching import page
from tests.support.own_web import OwnWeb
from tests.support.sample_documents import docx, paragraph
from tests.support.sample_media import pdf

SENTENCE = "The night train leaves Zurich at 20:40 and arrives in Rome at ten in the morning, every day but Sunday. "
ARTICLE = f"""<title>Trains</title><script>alert(1)</script><body><nav><a href=/shop>Shop</a></nav>
<article><h1>Trains</h1><p>{SENTENCE * 4}See <a href="/table?a=b">the timetable</a>.</p>
<table><tr><th>Class</th><th>CHF</th></tr><tr><td>first</td><td>90</td></tr></table></article>"""


def not_read(reason: str) -> str:
    return texts.PAGE_NOT_READ(reason=reason)


# Searching


async def test_results_are_listed_and_marked_as_others_words(web: OwnWeb) -> None:
    web.searching.found = [
        page("Trains", "https://a.example/", "Every day.", "2026-11-02"),
        page("B", "https://b.example/"),
    ]
    assert await web.runs("web_search", query=" trains\n to Rome ") == (
        f"{texts.WEB_RESULTS(service='SearXNG')}\n\n"
        "1. Trains\nhttps://a.example/\n2026-11-02\nEvery day.\n\n2. B\nhttps://b.example/"
    )
    assert web.searching.queries == ["trains to Rome"]


async def test_a_search_that_finds_nothing_says_so(web: OwnWeb) -> None:
    web.searching.found = []
    assert await web.runs("web_search", query="trains") == texts.NOTHING_ON_WEB


async def test_a_search_that_fails_is_told_and_logged(web: OwnWeb, caplog: pytest.LogCaptureFixture) -> None:
    web.searching.answers.append(searched(401, {}))
    assert await web.fails("web_search", query="trains") == search_texts.NOT_SET_UP(service="SearXNG")
    assert caplog.messages == [search_texts.KEY_REFUSED(service="SearXNG", status=401)]


@pytest.mark.parametrize("query", ["", " \n", "x" * 401, "x " * 51])
async def test_a_query_that_no_service_takes_is_not_sent(query: str, web: OwnWeb) -> None:
    too_long = texts.QUERY_TOO_LONG(characters=400, words=50)
    assert await web.fails("web_search", query=query) == (too_long if query.strip() else texts.QUERY_IS_EMPTY)
    assert not web.searching.asked


# Reading pages


async def test_a_page_is_read_as_markdown_with_whole_links(web: OwnWeb) -> None:
    read = await web.reads(web.has_page(ARTICLE, "/news/today"))
    assert read.startswith(texts.WEB_PAGE(address=web.site("/news/today")) + "\n\n")
    assert "# Trains\n" in read
    assert f"[the timetable]({web.site('/table?a=b')})" in read
    assert "| first | 90 |" in read
    assert "alert" not in read


async def test_with_the_extra_only_the_main_text_of_a_page_is_read(web: OwnWeb) -> None:
    read = await web.reads(web.has_page(ARTICLE))
    assert read.splitlines()[2] == "# Trains"
    assert "Shop" not in read


async def test_a_page_without_end_in_its_elements_is_read_as_text(web: OwnWeb) -> None:
    assert (await web.reads(web.has_page(f"<body>{'<div>' * 2_000}deep"))).endswith("deep\n")


async def test_a_page_that_is_no_article_is_read_whole(web: OwnWeb) -> None:
    read = await web.reads(web.has_page("<title>Menu</title><ul><li><a href=one>One</a><li>Two</ul>", "/a/"))
    assert read.endswith(f"# Menu\n\n- [One]({web.site('/a/one')})\n- Two\n")


async def test_a_page_without_a_body_is_read_too(web: OwnWeb) -> None:
    address = web.has_page("<title>Menu</title><script>x</script><nav>One</nav><article>Two</article>")
    assert (await web.reads(address)).endswith("\n\n# Menu\n\nOne\n\nTwo\n")


async def test_a_text_is_read_as_it_stands(web: OwnWeb) -> None:
    address = web.has_page('{"a": "<b>"}', type="application/json")
    assert (await web.reads(address)).endswith('\n\n{"a": "<b>"}\n')


async def test_an_empty_page_says_so(web: OwnWeb) -> None:
    assert (await web.reads(web.has_page("<script>show()</script>"))).endswith(texts.EMPTY_PAGE)


async def test_a_long_page_is_read_in_parts_that_fit_each_other(web: OwnWeb) -> None:
    address = web.has_page("\n".join(f"line {n} {'x' * 60}" for n in range(1_000)), type="text/plain")
    first = await web.reads(address)
    assert len(first) < MAX_PAGE_CHARACTERS + 300
    offset = int(first.rpartition("offset ")[2].rstrip(")"))
    web.has_page("another page", type="text/plain")
    second = await web.reads(address, offset=offset)
    assert f"line {offset - 1} " in second.splitlines()[2]
    assert "another page" in await web.reads(address)
    assert len(web.pages.asked) == 2


async def test_a_line_without_an_end_is_read_in_parts_too(web: OwnWeb) -> None:
    words = " ".join(f"word{n}" for n in range(20_000))
    first = await web.reads(address := web.has_page(words, type="text/plain"))
    offset = int(first.rpartition("offset ")[2].rstrip(")"))
    assert offset > 2
    assert "word19999" not in first
    assert "word" in await web.reads(address, offset=offset)


async def test_invisible_characters_of_a_page_are_taken_out(web: OwnWeb) -> None:
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    assert (await web.reads(web.has_page(f"a\u200bb{hidden}", type="text/plain"))).endswith("\n\nab\n")


async def test_a_pdf_is_seen_and_a_document_is_read(web: OwnWeb) -> None:
    seen = await web.runs("web_fetch", url=web.has_page(pdf(2), "/a%20plan.pdf", "application/pdf"))
    assert isinstance(seen, Media)
    assert (seen.name, seen.pages) == ("a plan.pdf", 2)
    address = web.has_page(docx(paragraph("Dear Ann")), "/letter", "application/octet-stream")
    assert "Dear Ann" in await web.reads(address)


async def test_what_nobody_can_read_is_refused(web: OwnWeb) -> None:
    said = await web.fails("web_fetch", url=web.has_page(b"\0" * 90, "/x", "application/x-thing"))
    wrong_type = fetch_texts.WRONG_TYPE(address=web.site("/x"), type="application/x-thing")
    assert said == not_read(wrong_type)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://10.0.0.1/", fetch_texts.NOT_PUBLIC(host="10.0.0.1")),
        ("file:///etc/passwd", fetch_texts.NOT_A_WEB_ADDRESS(address="file:///etc/passwd")),
        ("http://169.254.169.254/latest", fetch_texts.NOT_PUBLIC(host="169.254.169.254")),
        ("https://nobody.example/", fetch_texts.NAME_UNKNOWN(host="nobody.example")),
    ],
)
async def test_an_address_that_may_not_be_read_is_refused(url: str, reason: str, web: OwnWeb) -> None:
    assert await web.fails("web_fetch", url=url) == not_read(reason)


# Which sites


async def test_a_page_of_a_site_that_is_not_allowed_is_refused(web: OwnWeb) -> None:
    web.pages.answers["/"] = redirect(web.site(host="evil.example"))
    refused = not_read(fetch_texts.DOMAIN_NOT_ALLOWED(host="evil.example"))
    for domains in (DomainRules(blocked=("evil.example",)), DomainRules(allowed=("site.example",))):
        limited = web.with_domains(domains)
        assert await limited.fails("web_fetch", url=web.site()) == refused
        assert await limited.fails("web_fetch", url="http://www.EVIL.example/") == refused.replace("evil", "www.evil")
    assert not [each for each in web.pages.asked if "evil" in each]
    limited = web.with_domains(DomainRules(allowed=("example",)))
    web.pages.answers["/"] = answer(b"hello")
    assert "hello" in await limited.reads(web.site())


# What they declare


def test_both_declare_what_they_do(web: OwnWeb) -> None:
    of_server = {each.name: each for each in web_tools()}
    assert web.tools.keys() == of_server.keys()
    for name, each in web.tools.items():
        assert each.effects == of_server[name].effects == {Effect.READS_UNTRUSTED, Effect.SENDS_OUT}
        assert each.critical_arguments == of_server[name].critical_arguments
        assert each.needed_right is Right.WEB
        assert each.result_sources == {str(Source.WEB)}
