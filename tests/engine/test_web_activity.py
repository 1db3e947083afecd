"""What the model's server looks up for a reply is told while it does so."""

import asyncio
from dataclasses import replace

from bot.core.phrases import describe_activity
from bot.core.role import LEAD_ROLE_NAME
from bot.tools.web import web_tools
from tests.stand_ins.claude import Hold, Page, Search, reply
from tests.support.claude_bot import PROMPTED, Talk, talk

__all__ = ["talk"]

SHANNON = Page("https://en.wikipedia.org/wiki/Claude_Shannon", "Claude Shannon", "born in 1916")
QUERY = "Claude Shannon"


async def test_a_search_is_seen_until_something_is_written(talk: Talk) -> None:
    written = asyncio.Event()
    lead = PROMPTED[LEAD_ROLE_NAME]
    talk.roles = {**talk.roles, LEAD_ROLE_NAME: replace(lead, tools=frozenset(lead.tools or ()) | {"web_search"})}
    parts = ("I look.", Search(QUERY, (SHANNON,)), "He was born", Hold(written), " in 1916.")
    talk.server.script.say(reply(*parts, seconds=0.02))
    drafts = talk.bench.chat.drafts
    async with talk.run(tools=[*talk.bench.tools(), *web_tools()]):
        talk.bench.chat.hears("who was he?")
        seen = await drafts.get()
        while not seen.activity:
            seen = await drafts.get()
        assert seen.activity == describe_activity([("web_search", {"query": QUERY})])
        assert seen.text == "I look."
        while "born" not in seen.text:
            seen = await drafts.get()
        assert seen.activity == ""
        written.set()
        await talk.bench.chat.said()
