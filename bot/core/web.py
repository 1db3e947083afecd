"""The web tools, which the model's server runs, and how much one request may use them. We cannot refuse their calls. So
a turn that may not search gets a request without the tool."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from bot.core.prices import MILLION, SEARCH_PRICE, Micros, PriceCard
from bot.core.prompt_prefix import ToolSchema

SEARCHING, FETCHING = "web_search", "web_fetch"
NAMES = frozenset({SEARCHING, FETCHING})
# Since this version, code that the model writes may call the tools, unless only direct callers are allowed.
DIRECT_CALLERS = ["direct"]
SERVER_TOOL_SCHEMAS: Mapping[str, ToolSchema] = {
    SEARCHING: {"allowed_callers": DIRECT_CALLERS, "name": SEARCHING, "type": "web_search_20260318"},
    FETCHING: {"allowed_callers": DIRECT_CALLERS, "name": FETCHING, "type": "web_fetch_20260318"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WebUseLimits:
    uses: int  # of each tool, in one request
    page: int  # most tokens of one fetched page


# The caps are part of the tools' definitions. So another cap changes the prefix: nothing is read from the cache, and
# earlier signed thinking is lost. So there are only three levels. A turn takes the next one only if it cannot pay for
# this one, even after the open requests of others have settled. It never goes back.
CAP_LEVELS = (WebUseLimits(uses=3, page=8_000), WebUseLimits(uses=2, page=4_000), WebUseLimits(uses=1, page=2_000))
SHARE_OF_TOKENS = 3  # one request's pages take at most a third of the turn's tokens
OUTPUT_ROOM = 4_096  # output tokens that a level must leave affordable; otherwise the next level is taken


def server_tool_names(tools: Iterable[ToolSchema]) -> frozenset[str]:
    return frozenset(str(tool["name"]) for tool in tools if "type" in tool)


def cap_tool(tool: ToolSchema, caps: WebUseLimits) -> ToolSchema:
    if "type" not in tool:
        return tool
    of_pages = {"max_content_tokens": caps.page} if tool["name"] == FETCHING else {}
    return {**tool, "max_uses": caps.uses, **of_pages}


def tokens_of_web_pages(tools: Collection[str], level: int) -> int:
    """Return the most tokens that web tools can add to a request's prompt. A search counts as much as a page."""
    return len(tools) * CAP_LEVELS[level].uses * CAP_LEVELS[level].page


def price_of_web_uses(tools: Collection[str], level: int, card: PriceCard) -> Micros:
    """Return the worst-case cost of a request's web use. The server writes the pages to the five-minute cache."""
    searches = CAP_LEVELS[level].uses * (SEARCHING in tools)
    return Micros(searches * SEARCH_PRICE - (-tokens_of_web_pages(tools, level) * card.write_5m // MILLION))


def affordable_web_level(tools: Collection[str], lowest: int, card: PriceCard, left: int, tokens: int) -> int:
    """Return the first level from `lowest` on that fits a turn of `tokens` and that `left` micros can pay for; the last
    level if none does. Return `lowest` if `tools` is empty. The caller has subtracted the prompt from `left`."""
    for each in range(web_level_for_tokens(tools, lowest, tokens), len(CAP_LEVELS)) if tools else ():
        if price_of_web_uses(tools, each, card) + OUTPUT_ROOM * card.output // MILLION <= left:
            return each
    return len(CAP_LEVELS) - 1 if tools else lowest


def web_level_for_tokens(tools: Collection[str], lowest: int, tokens: int) -> int:
    """Return the first level from `lowest` on that fits a turn of `tokens`; the last level if none does."""
    last = len(CAP_LEVELS) - 1
    fitting = (each for each in range(lowest, last) if tokens_of_web_pages(tools, each) * SHARE_OF_TOKENS <= tokens)
    return next(fitting, last)
