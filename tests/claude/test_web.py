"""Claude and the web, over the socket: the server's own tools, what comes of them, and servers that have none."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.core.domains import DomainRules
from bot.core.prices import MICROS_PER_WEB_SEARCH, Micros
from bot.core.role import LEAD_ROLE_NAME
from bot.models.claude.operator_texts import ASKED_WITHOUT, PARTS
from bot.models.claude.optional_parts import OptionalRequestPart
from bot.tools.web import web_tools
from tests.stand_ins.claude import (
    Cited,
    ClaudeStandIn,
    Fetch,
    Harsh,
    Hold,
    Page,
    Request,
    Search,
    Thinking,
    ToolUse,
    reply,
)
from tests.stand_ins.claude.canonical import unmarked
from tests.support.bench import Bench
from tests.support.claude_bot import PROMPTED, Talk, talk
from tests.support.engine_options import engine_options, limits_with

__all__ = ["talk"]

WEB = frozenset({"web_search", "web_fetch"})
SHANNON = Page("https://en.wikipedia.org/wiki/Claude_Shannon_(engineer)", "Claude Shannon", "born in 1916")
BELL = Page("https://www.bell.example/labs", "Bell Labs", "the labs")


@pytest.fixture
def web(talk: Talk) -> Talk:
    with_web(talk)
    return talk


def with_web(talk: Talk) -> None:
    researcher = next(role for role in PROMPTED.values() if role.name == "researcher")
    for known in (PROMPTED[LEAD_ROLE_NAME], researcher):
        talk.roles = {**talk.roles, known.name: replace(known, tools=frozenset(known.tools or ()) | WEB)}


def run(talk: Talk, **options: Any) -> Any:
    return talk.run(tools=[*talk.bench.tools(), *web_tools()], **options)


def messages(request: Request) -> list[Any]:
    return list(unmarked(request.asked.said))


def shown(request: Request) -> dict[str, Any]:
    return {tool["name"]: tool for tool in request.asked.tools if "type" in tool}


async def test_search_results_are_sent_back_unchanged_and_cited_as_links(web: Talk) -> None:
    found = reply(
        Thinking(),
        "I look it up.",
        Search("claude shannon", (SHANNON, BELL)),
        Thinking(),
        "He was ",
        Cited("born in 1916", (SHANNON,)),
        " and worked at ",
        Cited("Bell Labs", (BELL, SHANNON)),
        ".",
    )
    web.server.script.say(found, reply(Fetch(SHANNON.url, "born in Petoskey"), "In Petoskey."), "and on")
    async with run(web):
        assert await web.ask("when was Shannon born?") == (
            "I look it up.\n"
            "He was born in 1916 ([en.wikipedia.org](https://en.wikipedia.org/wiki/Claude_Shannon_%28engineer%29))"
            " and worked at Bell Labs ([bell.example](https://www.bell.example/labs), "
            "[en.wikipedia.org](https://en.wikipedia.org/wiki/Claude_Shannon_%28engineer%29))."
        )
        assert await web.ask("where?") == "In Petoskey."
        assert await web.ask("and?") == "and on"
    one, two, three = web.server.requests
    assert messages(two)[: len(messages(one)) + 1] == [*messages(one), {"role": "assistant", "content": one.reply}]
    assert messages(three)[3]["content"] == two.reply
    assert [(each.billed.searches, each.billed.fetches) for each in (one, two, three)] == [(1, 0), (0, 1), (0, 0)]
    assert web.spent() == web.billed() > MICROS_PER_WEB_SEARCH
    web.server.verify()


async def test_the_tools_stand_in_their_places_with_their_caps_in_every_request(web: Talk) -> None:
    web.server.script.say(reply(Search("a", (BELL,)), ToolUse("read", {"path": "a"})), "done", "and on")
    async with run(web):
        await web.ask("go")
        await web.ask("and?")
    assert len({json.dumps([request.body["tools"], request.body["system"]]) for request in web.server.requests}) == 1
    names = [tool["name"] for tool in web.server.requests[0].asked.tools]
    assert names == sorted(names)
    tools = shown(web.server.requests[0])
    assert tools["web_search"] | {"type": ""} == {
        "type": "",
        "name": "web_search",
        "allowed_callers": ["direct"],
        "max_uses": 3,
    }
    assert tools["web_fetch"]["max_uses"] == 3
    assert tools["web_fetch"]["max_content_tokens"] == 8_000
    assert web.server.requests[2].billed.read
    web.server.verify()


async def test_the_server_is_told_which_sites_it_may_reach(web: Talk) -> None:
    web.server.script.say(reply("Hello."))
    rules = DomainRules(blocked=("a.example", "b.example"))
    async with web.run(tools=[*web.bench.tools(), *web_tools(rules)]):
        web.bench.chat.hears("hello")
        assert await web.bench.chat.said() == "Hello."
    assert [tool["blocked_domains"] for tool in shown(web.server.requests[-1]).values()] == [
        ["a.example", "b.example"]
    ] * 2


async def test_a_pause_is_sent_back_as_it_is(web: Talk) -> None:
    paused = reply(Thinking(), "I look.", Search("a", comes=False), stop_reason="pause_turn")
    web.server.script.say(paused, reply(Thinking(), Cited("It is so", (BELL,)), "."), "and on")
    async with run(web):
        assert await web.ask("is it?") == "I look.\nIt is so ([bell.example](https://www.bell.example/labs))."
        assert await web.ask("and?") == "and on"
    one, two, three = web.server.requests
    assert messages(two) == [*messages(one), {"role": "assistant", "content": one.reply}]
    assert two.reply[0]["tool_use_id"] == one.reply[-1]["id"]
    assert messages(three)[: len(messages(two)) + 1] == [*messages(two), {"role": "assistant", "content": two.reply}]
    assert web.spent() == web.billed()
    web.server.verify()


async def test_a_search_beside_a_call_of_ours_comes_with_the_next_reply(web: Talk) -> None:
    both = reply(Thinking(), Search("a", comes=False), ToolUse("read", {"path": "a"}))
    web.server.script.say(both, reply("done"), "and on")
    async with run(web):
        assert await web.ask("go") == "done"
        assert await web.ask("and?") == "and on"
    one, two, _ = web.server.requests
    assert two.reply[0]["tool_use_id"] == one.reply[1]["id"]
    assert [block["type"] for block in messages(two)[-1]["content"]] == ["tool_result"]
    web.server.verify()


@pytest.mark.parametrize("limit", ["steps", "stop"])
async def test_a_search_without_a_result_leaves_a_transcript_the_server_takes(web: Talk, limit: str) -> None:
    both = reply(Thinking(), Search("a", comes=False), ToolUse("read", {"path": "a"}))
    paused = reply(Thinking(), Search("a", comes=False), stop_reason="pause_turn")
    if limit == "steps":
        web.server.script.say(both, "as far as I got", "and on")
        async with run(web, **engine_options(turn=limits_with(iterations=1))):
            assert await web.ask("go") == "as far as I got"
            assert await web.ask("and?") == "and on"
    else:
        web.server.script.say(paused, reply("I", Hold(asyncio.Event())), "and on")
        async with run(web):
            web.bench.chat.hears("go")
            await web.server.until(lambda: len(web.server.requests) == 2)
            assert await web.ask("/stop") in ("— stopped", "Stopped: “go”.")  # whether a word of it was seen yet
            assert await web.ask("and?") == "and on"
    web.server.verify()


async def test_a_kill_during_a_search_leaves_no_trace_and_the_turn_goes_on(web: Talk) -> None:
    web.server.script.say(reply(Search("a", (BELL,)), Hold(asyncio.Event()), "never"), "done")
    async with run(web):
        web.bench.chat.hears("go")
        await web.server.until(lambda: any(each.billed.searches for each in web.server.requests))
        web.bench.crashes()
    async with run(web):
        assert (await web.bench.chat.said()).endswith("done")
    first, second = web.server.requests
    assert messages(first) == messages(second)
    with closing(sqlite3.connect(web.bench.data / "bot.db")) as db:
        lost, _ = db.execute("SELECT state, cost, reserved FROM requests ORDER BY id").fetchall()
    assert lost[0] == "lost"
    assert lost[1] >= 3 * MICROS_PER_WEB_SEARCH


async def test_a_stop_in_the_midst_of_a_search_charges_for_it(web: Talk) -> None:
    web.server.script.say(reply(Search("a", (BELL,)), "I found", Hold(asyncio.Event())))
    async with run(web):
        web.bench.chat.hears("go")
        while "I found" not in (await web.bench.chat.drafts.get()).text:
            pass
        await web.ask("/stop")
    with closing(sqlite3.connect(web.bench.data / "bot.db")) as db:
        [(usage,)] = db.execute("SELECT usage FROM requests")
    assert json.loads(usage)["searches"] == 1
    assert json.loads(usage)["input"] >= web.server.requests[0].billed.input


@pytest.mark.parametrize("part", [Search("a", error="unavailable"), Fetch(BELL.url, error="url_not_accessible")])
async def test_the_model_reads_the_errors_of_the_servers_tools(web: Talk, part: Search | Fetch) -> None:
    web.server.script.say(reply(part, "I could not."), "and on")
    async with run(web):
        assert await web.ask("go") == "I could not."
        await web.ask("and?")
    assert part.error in json.dumps(messages(web.server.requests[1]))
    assert web.spent() == web.billed()
    web.server.verify()


async def test_the_fourth_search_of_a_request_is_refused_by_the_server(web: Talk) -> None:
    web.server.script.say(reply(*[Search(str(number), (BELL,)) for number in range(4)], "enough"))
    async with run(web):
        assert await web.ask("go") == "enough"
    assert web.server.billed.searches == 3
    assert "max_uses_exceeded" in json.dumps(web.server.requests[0].reply)
    assert web.spent() == web.billed()


async def test_a_tight_budget_gets_small_pages_and_drops_thinking(tmp_path: Path) -> None:
    async with ClaudeStandIn(lenient={Harsh.PREFIX, Harsh.CACHE_MISSED}) as server:
        talk = Talk(Bench(tmp_path), server)
        with_web(talk)
        dear = reply(Thinking("hm " * 9_000), Fetch(BELL.url, "x" * 100_000), ToolUse("read", {"path": "a"}))
        server.script.say(dear, reply(Fetch(BELL.url, "y" * 100_000), "done"))
        async with run(talk, **engine_options(turn=limits_with(cost=Micros(370_000)))):
            assert await talk.ask("go") == "done"
        caps = [shown(request)["web_fetch"] for request in server.requests]
        assert [(each["max_uses"], each["max_content_tokens"]) for each in caps] == [(3, 8_000), (2, 4_000)]
        [fetched] = [block for block in server.requests[1].reply if block["type"] == "web_fetch_tool_result"]
        assert len(fetched["content"]["content"]["source"]["data"]) == 14_000
        assert [str(refusal)[:20] for refusal in server.refused] == ["messages.2.content.0"]
        assert talk.spent() == talk.billed() <= 370_000


@pytest.fixture
async def webless(tmp_path: Path) -> AsyncIterator[Talk]:
    async with ClaudeStandIn(has_web=False) as server:
        talk = Talk(Bench(tmp_path), server)
        with_web(talk)
        yield talk


async def test_a_server_without_such_tools_is_asked_without_them_and_noted_once(
    webless: Talk, caplog: pytest.LogCaptureFixture
) -> None:
    async with run(webless):
        assert (await webless.ask("hello")).endswith("Ann: hello")
        assert (await webless.ask("again", chat="another")).endswith("Ann: again")
    assert [str(refusal).partition(":")[0] for refusal in webless.server.refused] == ["tools.4"]
    assert not any(shown(request) for request in webless.server.requests)
    told = [record.getMessage() for record in caplog.records if "web" in record.getMessage()]
    left_out = PARTS[OptionalRequestPart.WEB.name]
    without = ASKED_WITHOUT % ("", "claude-sonnet-5-5", left_out)
    assert [line.partition(": ")[2] for line in told if left_out in line] == [without.partition(": ")[2]]
    assert webless.spent() == webless.billed()


async def test_a_tool_switched_off_in_mid_turn_is_shown_no_more(tmp_path: Path) -> None:
    async with ClaudeStandIn(lenient={Harsh.PREFIX, Harsh.CACHE_MISSED}) as server:
        talk = Talk(Bench(tmp_path), server)
        with_web(talk)
        looked = reply(Thinking(), Search("a", (BELL,)), Thinking(), ToolUse("read", {"path": "a"}))
        server.script.say(looked, reply(Hold(asyncio.Event())), reply(Thinking(), "done"))
        async with run(talk):
            talk.bench.chat.hears("go")
            await server.until(lambda: len(server.requests) == 2)
            talk.bench.crashes()
        async with talk.run():
            assert (await talk.bench.chat.said()).endswith("done")
        assert [set(shown(request)) for request in server.requests] == [WEB, WEB, set()]
        assert [str(refusal)[:20] for refusal in server.refused] == ["messages.2.content.0"]


async def test_a_role_sees_the_web_only_if_it_has_it_and_reports_its_links(web: Talk) -> None:
    calls = [ToolUse("delegate", {"role": name, "task": "look"}) for name in ("researcher", "analyst")]
    web.server.script.say(reply(*calls), "done", system="the lead")
    web.server.script.say(reply(Search("a", (BELL,)), Cited("It is so", (BELL,))), system="the researcher")
    web.server.script.say("no", system="the analyst")
    async with run(web):
        assert await web.ask("go") == "done"
    [researcher] = [each for each in web.server.requests if "the researcher" in each.asked.system]
    [analyst] = [each for each in web.server.requests if "the analyst" in each.asked.system]
    assert set(shown(researcher)) == WEB
    assert not shown(analyst)
    assert "It is so ([bell.example](https://www.bell.example/labs))" in web.server.requests[-1].asked.results[0]
    web.server.verify()


@pytest.mark.parametrize("model", ["claude-haiku-4-5", "claude-sonnet-4-6", "claude-opus-4-8", "claude-haiku-5-5"])
async def test_every_model_takes_the_tools(web: Talk, model: str) -> None:
    web.server.script.say(reply(Search("a", (BELL,)), Cited("so", (BELL,))), "and on")
    async with run(web, **engine_options(model__lead=model)):
        assert await web.ask("go") == "so ([bell.example](https://www.bell.example/labs))"
        assert await web.ask("and?") == "and on"
    assert web.spent() == web.billed()
    web.server.verify()
