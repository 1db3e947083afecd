"""The web tools, which the model's server runs, and how much one request may use them. We cannot refuse their calls. So
a turn that may not search gets a request without the tool."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from bot.core.prices import MICROS_PER_WEB_SEARCH, MILLION, Micros, PriceCard
from bot.core.prompt_prefix import ToolSchema

WEB_SEARCH_TOOL_NAME, WEB_FETCH_TOOL_NAME = "web_search", "web_fetch"
WEB_TOOL_NAMES = frozenset({WEB_SEARCH_TOOL_NAME, WEB_FETCH_TOOL_NAME})
CRITICAL_WEB_ARGUMENTS = {WEB_SEARCH_TOOL_NAME: "query", WEB_FETCH_TOOL_NAME: "url"}
# Since this version, code that the model writes may call the tools, unless only direct callers are allowed.
WEB_TOOL_TYPES = {WEB_SEARCH_TOOL_NAME: "web_search_20260318", WEB_FETCH_TOOL_NAME: "web_fetch_20260318"}
SERVER_TOOL_SCHEMAS: Mapping[str, ToolSchema] = {
    name: {"allowed_callers": ["direct"], "name": name, "type": version} for name, version in WEB_TOOL_TYPES.items()
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WebUseLimits:
    uses_per_tool: int  # of each tool, in one request
    tokens_per_page: int  # most tokens of one fetched page


# The caps are part of the tools' definitions. So another cap changes the prefix: nothing is read from the cache, and
# earlier signed thinking is lost. So there are only three levels. A turn takes the next one only if it cannot pay for
# this one, even after the open requests of others have settled. It never goes back.
WEB_USE_LEVELS = (
    WebUseLimits(uses_per_tool=3, tokens_per_page=8_000),
    WebUseLimits(uses_per_tool=2, tokens_per_page=4_000),
    WebUseLimits(uses_per_tool=1, tokens_per_page=2_000),
)
MIN_TURN_TOKENS_PER_PAGE_TOKEN = 3  # one request's pages take at most a third of the turn's tokens
OUTPUT_TOKENS_TO_AFFORD = 4_096  # output tokens that a level must leave affordable; otherwise the next level is taken


WITHHELD_DESCRIPTION = (
    "It is held back, because private things were read here. A call is shown to the person; once they agree, the tool "
    "is offered again."
)


def withheld_tool_schema(name: str) -> ToolSchema:
    """Return the tool that is offered in place of one of the server's: nobody runs it, but a person is asked."""
    argument = CRITICAL_WEB_ARGUMENTS[name]
    schema = {
        "type": "object",
        "properties": {argument: {"type": "string"}},
        "required": [argument],
        "additionalProperties": False,
    }
    return {"name": name, "description": WITHHELD_DESCRIPTION, "input_schema": schema}


def server_tool_names(tools: Iterable[ToolSchema]) -> frozenset[str]:
    return frozenset(str(tool["name"]) for tool in tools if "type" in tool)


def tool_with_web_use_limits(tool: ToolSchema, caps: WebUseLimits) -> ToolSchema:
    if "type" not in tool:
        return tool
    of_pages = {"max_content_tokens": caps.tokens_per_page} if tool["name"] == WEB_FETCH_TOOL_NAME else {}
    return {**tool, "max_uses": caps.uses_per_tool, **of_pages}


def most_tokens_of_web_pages(tools: Collection[str], level: int) -> int:
    """Return the most tokens that web tools can add to a request's prompt. A search counts as much as a page."""
    return len(tools) * WEB_USE_LEVELS[level].uses_per_tool * WEB_USE_LEVELS[level].tokens_per_page


def worst_case_cost_of_web_uses(tools: Collection[str], level: int, card: PriceCard) -> Micros:
    """Return the worst-case cost of a request's web use. The server writes the pages to the five-minute cache."""
    searches = WEB_USE_LEVELS[level].uses_per_tool * (WEB_SEARCH_TOOL_NAME in tools)
    tokens = most_tokens_of_web_pages(tools, level)
    return Micros(searches * MICROS_PER_WEB_SEARCH - (-tokens * card.cache_write_5m // MILLION))


def first_affordable_web_use_level(tools: Collection[str], lowest: int, card: PriceCard, left: int, tokens: int) -> int:
    """Return the first level from `lowest` on that fits a turn of `tokens` and that `left` micros can pay for; the last
    level if none does. Return `lowest` if `tools` is empty. The caller has subtracted the prompt from `left`."""
    for each in range(web_use_level_for_turn_tokens(tools, lowest, tokens), len(WEB_USE_LEVELS)) if tools else ():
        if worst_case_cost_of_web_uses(tools, each, card) + OUTPUT_TOKENS_TO_AFFORD * card.output // MILLION <= left:
            return each
    return len(WEB_USE_LEVELS) - 1 if tools else lowest


def web_use_level_for_turn_tokens(tools: Collection[str], lowest: int, tokens: int) -> int:
    """Return the first level from `lowest` on that fits a turn of `tokens`; the last level if none does."""
    last = len(WEB_USE_LEVELS) - 1
    for each in range(lowest, last):
        if most_tokens_of_web_pages(tools, each) * MIN_TURN_TOKENS_PER_PAGE_TOKEN <= tokens:
            return each
    return last
