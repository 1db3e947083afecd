"""Roles that search the web: a report that is to be JSON, and what one that goes on may use."""

import json
from typing import Any

from bot.core.content_blocks import Block, text_block
from bot.core.model import ModelReply
from bot.core.texts import model
from tests.support.bench import WORKERS, Bench
from tests.support.delegation_calls import heard, says
from tests.support.fakes import delegates, last_text, reply, role, uses
from tests.support.web_bot import WEB, found, run, searches, web

__all__ = ["web"]

RESEARCHER = WORKERS[0]
SCHEMA = {"type": "object", "required": ["born"], "properties": {"born": {"type": "integer"}}}


def cited(text: str) -> Block:
    place = {"type": "web_search_result_location", "url": "https://a.example/x", "title": "A", "cited_text": "c"}
    return {"type": "text", "text": text, "citations": [{**place, "encrypted_index": "i"}]}


async def looked_up(bench: Bench, *replies: ModelReply) -> str:
    """What the lead is told of a search whose report is to have a form."""
    bench.roles[RESEARCHER] = role("researcher", *WEB)
    call: dict[str, Any] = {"role": "researcher", "task": "look", "output_format": SCHEMA}
    bench.model.says("lead", reply(uses("delegate", **call)), "done")
    bench.model.says("researcher", *replies)
    async with run(bench):
        await says(bench, "go")
    assert len(bench.model.asked("researcher")) == len(replies)
    [(result, is_error)] = heard(bench)
    assert not is_error
    return result


async def test_words_before_a_search_are_no_part_of_the_report(web: Bench) -> None:
    result = await looked_up(
        web, reply(text_block("I search for it."), searches(), found(), text_block('{"born": 1916}'))
    )
    assert result.splitlines()[1] == '[Researcher]: {"born": 1916}'
    assert "does not fit" not in result


async def test_a_source_is_not_put_into_the_json(web: Bench) -> None:
    parts = (text_block('{"born": '), cited("1916"), text_block("}"))
    result = await looked_up(web, reply(searches(), found(), *parts))
    assert json.loads(result.splitlines()[1].removeprefix("[Researcher]: ")) == {"born": 1916}


async def test_a_wide_continuation_has_the_tools_that_a_narrow_one_lacked(web: Bench) -> None:
    web.roles[RESEARCHER] = role("researcher", *WEB)
    again = {"task": "go on", "continue_from": "t1/2/0"}
    web.model.says("lead", delegates("researcher"), "one", reply(uses("delegate", **again, tools=[])), "two")
    web.model.says("lead", reply(uses("delegate", **again)), "three")
    found_it = reply(text_block("I search."), searches(), found(), text_block("found"))
    web.model.says("researcher", found_it, "a summary", "without", "a summary", "with")
    async with run(web):
        for word in ("go", "on", "and on"):
            await says(web, word)
    asked = [request for request in web.model.asked("researcher") if last_text(request) != model.SUMMARISE]
    assert [sorted(request.server_tools) for request in asked] == [sorted(WEB), [], sorted(WEB)]
