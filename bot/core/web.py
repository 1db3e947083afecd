"""The web, as the model's server looks into it: its two tools, and how much one request may use of them.

Nobody here runs them, so what a request shows is what a turn may do: a turn that may not search is not shown the tool.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from bot.core.prices import MILLION, SEARCH_PRICE, Micros, PriceCard
from bot.core.prompt_prefix import ToolSchema

SEARCHING, FETCHING = "web_search", "web_fetch"
NAMES = frozenset({SEARCHING, FETCHING})
# Of this version on, a server may have them called by code that the model writes, unless told that it shall not.
DIRECT_CALLERS = ["direct"]
SERVER_TOOL_SCHEMAS: Mapping[str, ToolSchema] = {
    SEARCHING: {"allowed_callers": DIRECT_CALLERS, "name": SEARCHING, "type": "web_search_20260318"},
    FETCHING: {"allowed_callers": DIRECT_CALLERS, "name": FETCHING, "type": "web_fetch_20260318"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WebCaps:
    """What one request may use."""

    uses: int  # of each of the tools
    page: int  # tokens of a page that is fetched


# They stand in the tools' definitions, so another cap is another prefix: nothing is read from the cache, and thinking
# that was signed before it goes. So there are three steps and no more; a turn takes each only once it cannot pay for
# the one before, nor could if the open requests of others had settled; and it never goes back.
CAP_LEVELS = (WebCaps(uses=3, page=8_000), WebCaps(uses=2, page=4_000), WebCaps(uses=1, page=2_000))
SHARE_OF_TOKENS = 3  # of what a turn may use, one request's pages take at most a third
OUTPUT_ROOM = 4_096  # output tokens that a request is to have beside them, before they are lowered


def server_tool_names(tools: Iterable[ToolSchema]) -> frozenset[str]:
    """The names of those tools that the server runs."""
    return frozenset(str(tool["name"]) for tool in tools if "type" in tool)


def cap_tool(tool: ToolSchema, caps: WebCaps) -> ToolSchema:
    """A tool as it is sent; one of our own as it is."""
    if "type" not in tool:
        return tool
    of_pages = {"max_content_tokens": caps.page} if tool["name"] == FETCHING else {}
    return {**tool, "max_uses": caps.uses, **of_pages}


def tokens_of_web_pages(tools: Collection[str], level: int) -> int:
    """The tokens that a request's uses may add to its own prompt: what is found is taken to be as long as a page."""
    return len(tools) * CAP_LEVELS[level].uses * CAP_LEVELS[level].page


def price_of_web_uses(tools: Collection[str], level: int, card: PriceCard) -> Micros:
    """What a request's uses cost at worst; servers write what they add to the cache, for five minutes."""
    searches = CAP_LEVELS[level].uses * (SEARCHING in tools)
    return Micros(searches * SEARCH_PRICE - (-tokens_of_web_pages(tools, level) * card.write_5m // MILLION))


def affordable_web_level(tools: Collection[str], lowest: int, card: PriceCard, left: int, tokens: int) -> int:
    """Which caps a request gets: the first, from `lowest` on, that a turn of so many tokens can have, and that `left`
    micros can pay for beside its prompt; the last if none. It stays as it is where no such tool may be used."""
    for each in range(web_level_for_tokens(tools, lowest, tokens), len(CAP_LEVELS)) if tools else ():
        if price_of_web_uses(tools, each, card) + OUTPUT_ROOM * card.output // MILLION <= left:
            return each
    return len(CAP_LEVELS) - 1 if tools else lowest


def web_level_for_tokens(tools: Collection[str], lowest: int, tokens: int) -> int:
    """The first level, from `lowest` on, that a turn of so many tokens can have; the last if none."""
    levels = range(lowest, len(CAP_LEVELS))
    return next(
        (each for each in levels if tokens_of_web_pages(tools, each) * SHARE_OF_TOKENS <= tokens), len(CAP_LEVELS) - 1
    )
