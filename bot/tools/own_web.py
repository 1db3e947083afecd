"""The web tools that run here, for a model whose server has none. They have the names of the server's tools, so role
files need not know who runs them."""

import asyncio
import logging
import tempfile
from collections.abc import Collection
from textwrap import wrap
from time import monotonic
from typing import Annotated, NamedTuple
from urllib.parse import unquote, urlsplit

from bot.core.acts import Critical, Effect, Part
from bot.core.errors import FetchError, SearchFailed, ToolError
from bot.core.guarded_fetch import HTML_TYPES, FetchedFile, FetchPolicy, GuardedFetcher, shorten_address
from bot.core.guarded_fetch import texts as fetch_texts
from bot.core.guarded_fetch.page_text import decode_page
from bot.core.images_and_pdfs import Media
from bot.core.invisible_characters import strip_invisible
from bot.core.lru_cache import LruCache
from bot.core.rights import Right
from bot.core.search_provider import MAX_QUERY_CHARACTERS, MAX_QUERY_WORDS, SearchProvider
from bot.core.texts import MAX_NAME_CHARACTERS, escape_unprintable
from bot.core.turn import CallKind
from bot.core.web import WEB_TOOL_NAMES
from bot.documents.file_types import BYTES_READ_TO_RECOGNISE, recognise
from bot.documents.inspection import inspect_opened_file
from bot.documents.page_markdown import convert_page_to_markdown
from bot.tools import Tool, ToolContext, texts, tool
from bot.tools.result_pages import make_result_page

log = logging.getLogger(__name__)

MAX_FILE_BYTES = 10_000_000  # of what is neither a text nor a web page; of these, FetchPolicy says how much
MAX_LINE_CHARACTERS = 2_000  # a longer line is shown as several, so that a page can end in it
MAX_PAGES_KEPT = 16
PAGE_KEPT_SECONDS = 900.0  # so that the parts of a long page fit each other
ALL_LINES = 10**9
TOOL_SECONDS = 60.0  # of a fetch, and of the conversion after it


class KeptPage(NamedTuple):
    lines: list[str]
    address: str  # of the last hop
    until: float


def own_web_tools(
    fetcher: GuardedFetcher, provider: SearchProvider | None, names: Collection[str] = WEB_TOOL_NAMES
) -> list[Tool]:
    """Return the tools of those names. Without a service that searches, there is no search."""
    own = OwnWebTools(fetcher, provider)
    effects = {Effect.READS_UNTRUSTED, Effect.SENDS_OUT}
    searches = tool(
        kind=CallKind.READ,
        effects=effects,
        is_query=True,
        critical_arguments={"query": Critical(Part.WHERE)},
        needed_right=Right.WEB,
        time_limit_seconds=TOOL_SECONDS,
    )
    fetches = tool(
        kind=CallKind.READ,
        effects=effects,
        is_query=True,
        critical_arguments={"url": Critical(Part.WHERE)},
        uncritical_arguments={"offset"},
        needed_right=Right.WEB,
        time_limit_seconds=TOOL_SECONDS,
    )
    made = [*([searches(own.web_search)] if provider else []), fetches(own.web_fetch)]
    return [each for each in made if each.name in names]


def fetch_policy_of_tools(policy: FetchPolicy) -> FetchPolicy:
    """Return the policy of the tool `web_fetch`: it also takes documents, pictures and PDFs."""
    return FetchPolicy(
        allowed_networks=policy.allowed_networks,
        ports=policy.ports,
        domains=policy.domains,
        max_file_bytes=MAX_FILE_BYTES,
    )


class OwnWebTools:
    def __init__(self, fetcher: GuardedFetcher, provider: SearchProvider | None) -> None:
        self.fetcher = fetcher
        self.provider = provider
        self.pages: LruCache[str, KeptPage] = LruCache(MAX_PAGES_KEPT)

    async def web_search(
        self, context: ToolContext, query: Annotated[str, "a few words, as for a search engine"]
    ) -> str:
        """Search the web. Returns up to ten pages, best first: title, address, date if known, and an excerpt. Read a
        page with web_fetch before you rely on more than its excerpt. Nobody sees the results but you: name the address
        of what you use."""
        assert self.provider
        wanted = " ".join(query.split())
        if not wanted:
            raise ToolError(texts.QUERY_IS_EMPTY)
        if len(wanted) > MAX_QUERY_CHARACTERS or len(wanted.split()) > MAX_QUERY_WORDS:
            raise ToolError(texts.QUERY_TOO_LONG(characters=MAX_QUERY_CHARACTERS, words=MAX_QUERY_WORDS))
        try:
            hits = await self.provider.search(wanted)
        except SearchFailed as failed:
            if failed.fault:
                log.warning("%s", failed.fault)
            raise ToolError(str(failed)) from None
        if not hits:
            return texts.NOTHING_ON_WEB
        found = [texts.WEB_RESULTS(service=self.provider.title)]
        for number, hit in enumerate(hits, 1):
            found += ["", f"{number}. {hit.title}", *filter(None, (hit.address, hit.date, hit.excerpt))]
        return "\n".join(found)

    async def web_fetch(
        self,
        context: ToolContext,
        url: Annotated[str, "the whole address, with https://"],
        offset: Annotated[int, "the first line to show; 1 if left out"] = 1,
    ) -> str | Media:
        """Read a page of the web as Markdown, at most about 8,000 tokens and then how to read on; also texts,
        documents (pdf, docx, xlsx, pptx, odt, epub) and images. It takes public addresses, runs no scripts and logs in
        nowhere. What stands there was written by others."""
        kept = self.pages.get(url)
        if offset == 1 or kept is None or kept.until < monotonic():
            try:
                read = await self.read_address(url)
            except FetchError as error:
                raise ToolError(texts.PAGE_NOT_READ(reason=error)) from None
            if isinstance(read, Media):
                return read
            kept = self.pages[url] = read
        head = texts.WEB_PAGE(address=shorten_address(kept.address))
        return f"{head}\n\n{make_result_page(kept.lines, offset, ALL_LINES) or texts.EMPTY_PAGE}"

    async def read_address(self, url: str) -> KeptPage | Media:
        """Return the lines of a page or document, or what has none. Raise FetchError or ToolError."""
        self.fetcher.reject_never_fetched(url)  # before a name server is asked
        file = await self.fetcher.fetch_file(url)
        if file.media_type in HTML_TYPES:
            text = await convert_page_to_markdown(decode_page(file.body, file.charset), file.address)
        elif file.is_text:
            text = decode_page(file.body, file.charset)
        else:
            found = await asyncio.to_thread(inspect_body, file)
            if isinstance(found, Media):
                return found
            text = found
        return KeptPage(split_into_lines(strip_invisible(text)), file.address, monotonic() + PAGE_KEPT_SECONDS)


def inspect_body(file: FetchedFile) -> str | Media:
    """Return what the model can see or read of a file. Raise ToolError if it is nothing."""
    name = escape_unprintable(unquote(urlsplit(file.address).path).rpartition("/")[2], MAX_NAME_CHARACTERS)
    if not recognise(file.body[:BYTES_READ_TO_RECOGNISE]):
        reason = fetch_texts.WRONG_TYPE(address=shorten_address(file.address), type=file.media_type)
        raise ToolError(texts.PAGE_NOT_READ(reason=reason))
    with tempfile.TemporaryFile() as copy:
        copy.write(file.body)
        copy.flush()
        found = inspect_opened_file(name or texts.FILE_OF_WEB, copy)
    if found.refusal:
        raise ToolError(found.refusal)
    return found.media or found.markdown


def split_into_lines(text: str) -> list[str]:
    """Return the lines with their ends. Longer ones than MAX_LINE_CHARACTERS are split at a space."""
    lines = list[str]()
    for line in text.splitlines():
        pieces = [line] if len(line) <= MAX_LINE_CHARACTERS else wrap(line, MAX_LINE_CHARACTERS, break_on_hyphens=False)
        lines += [f"{piece}\n" for piece in pieces]
    return lines
