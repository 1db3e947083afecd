"""A conversation with Claude: what is the same in every request, what it costs, and what a restart leaves."""

import asyncio
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from bot.core.messages import RoleName
from bot.core.texts import model as to_the_model
from bot.models.claude import Claude
from bot.models.claude import operator_texts as texts
from bot.models.claude.server_errors import ModelServer
from bot.tools import Arguments, Tool, ToolContext
from tests.stand_ins.claude import ClaudeStandIn, Harsh, Hold, Request, Text, Thinking, ToolUse, reply
from tests.stand_ins.claude.canonical import unmarked
from tests.support.bench import Bench
from tests.support.claude_bot import PROMPTED, REPLY, Talk, talk
from tests.support.engine_options import engine_options, limits_with

__all__ = ["talk"]

LOOKS = reply(Thinking(), "I look", ToolUse("read", {"path": "a"}))
MODELS = ("claude-sonnet-5-5", "claude-opus-5-5", "claude-fable-5-2", "claude-haiku-5-5", "claude-opus-5")
OLDER = ("claude-sonnet-5", "claude-opus-4-8", "claude-opus-4-6", "claude-sonnet-4-6", "claude-haiku-4-5")


def prefix(request: Request) -> str:
    return json.dumps([request.body["tools"], request.body["system"]])


def messages(request: Request) -> list[Any]:
    return list(unmarked(request.asked.said))


def long_reading(tools: list[Tool]) -> list[Tool]:
    """The tools; `read` returns a page."""

    async def read(context: ToolContext, arguments: Arguments) -> str:
        return f"{context.call_id}: " + "so it is written there, word for word. " * 40

    return [replace(tool, run=read) if tool.name == "read" else tool for tool in tools]


async def test_requests_for_all_people_begin_with_the_same_bytes(talk: Talk) -> None:
    async with talk.run():
        await talk.ask("hello", by="Ann", chat="a-room")
        await talk.ask("hello", by="Bob", chat="b-room")
    ann, bob = talk.server.requests
    assert prefix(ann) == prefix(bob)
    users = [request.body["metadata"]["user_id"] for request in (ann, bob)]
    assert users[0] != users[1]
    assert not any(word in str(users) for word in ("Ann", "Bob", "room"))
    talk.server.verify()


async def test_a_chats_delegations_are_requested_under_the_same_name(talk: Talk) -> None:
    talk.server.script.say(reply(ToolUse("delegate", {"role": "analyst", "task": "look"})), "done", system="the lead")
    talk.server.script.say("found", system="the analyst")
    async with talk.run():
        assert await talk.ask("go") == "done"
    assert len({request.body["metadata"]["user_id"] for request in talk.server.requests}) == 1
    lead, role, _ = (request.body["cache_control"]["ttl"] for request in talk.server.requests)
    assert (lead, role) == ("1h", "5m")
    talk.server.verify()


async def test_ten_turns_with_tools_are_read_from_the_cache_for_the_most_part(talk: Talk) -> None:
    talk.server.script.rule(lambda asked: LOOKS if asked.step < 2 else reply(Thinking(), f"It says so. {'word ' * 50}"))
    async with talk.run(tools=long_reading(talk.bench.tools())):
        for number in range(10):
            assert "It says so." in await talk.ask(f"and what of number {number}?")
            talk.server.clock.advance(600)
    requests = talk.server.requests
    assert len(requests) == 30
    for before, after in pairwise(requests):
        assert messages(after)[: len(messages(before))] == messages(before)
        assert after.extends is before
        assert after.billed.read >= before.billed.prompt - before.billed.input
    assert talk.server.billed.read >= 0.8 * talk.server.billed.prompt
    assert talk.spent() == talk.billed()
    talk.server.verify()


async def test_a_burst_of_messages_does_not_lose_the_cache(talk: Talk) -> None:
    hold = asyncio.Event()
    talk.server.script.say("one", reply(Hold(hold), Thinking(), "two"), "three")
    async with talk.run():
        await talk.ask("hello")
        talk.bench.chat.hears("and?")
        await talk.server.until(lambda: len(talk.server.requests) == 2)
        for number in range(20):
            talk.bench.chat.hears(f"message {number}", by="Bob")
        await talk.bench.chat.is_taken_in()
        hold.set()
        assert [(await talk.bench.chat.part(REPLY)).text for _ in range(2)] == ["two", "three"]
    _, second, third = talk.server.requests
    assert len(third.asked.last) == 20
    assert third.billed.read >= second.billed.prompt
    talk.server.verify()


async def test_a_restart_changes_no_request_and_keeps_signed_thinking(talk: Talk) -> None:
    talk.server.script.say(LOOKS, reply(Thinking(), "It says so."), "as I said")
    async with talk.run():
        assert await talk.ask("hello") == "It says so."
    async with talk.run():
        assert await talk.ask("what was that?") == "as I said"
    first, second, third = talk.server.requests
    assert prefix(first) == prefix(third)
    sent = messages(third)
    assert sent[: len(messages(second))] == messages(second)
    assert [sent[1]["content"], sent[3]["content"]] == [first.reply, second.reply]
    assert third.billed.read
    talk.server.verify()


@pytest.mark.parametrize("model", [*MODELS, *OLDER])
async def test_every_model_takes_what_we_send_also_near_a_limit_and_at_it(talk: Talk, model: str) -> None:
    looks = [reply(Thinking(), "I look", ToolUse("read", {"path": str(number)})) for number in range(5)]
    talk.server.script.each(*looks, "as far as I got", "and on")
    settings = engine_options(model__lead=model, turn=limits_with(iterations=5))
    async with talk.run(**settings):
        assert await talk.ask("dig") == "as far as I got"
        assert await talk.ask("and then?") == "and on"
    assert to_the_model.NEARLY_USED_UP in json.dumps(talk.server.requests[-1].body["messages"])
    assert talk.spent() == talk.billed()
    talk.server.verify()


async def test_a_new_deploy_begins_a_chapter_after_a_summary(talk: Talk) -> None:
    talk.server.script.say("first", "Ann said hello", "and on")
    async with talk.run():
        await talk.ask("hello")
    lead = RoleName("lead")
    talk.roles = {**PROMPTED, lead: replace(PROMPTED[lead], prompt="You are new. " * 300)}
    async with talk.run():
        assert await talk.ask("and then?") == "and on"
    _, summary, new = talk.server.requests
    assert summary.asked.choice == "auto"
    assert summary.extends is not None
    assert summary.billed.read >= summary.extends.left > 0
    assert "Ann said hello" in json.dumps(new.body["messages"])
    talk.server.verify()


async def test_a_conversation_with_a_changed_beginning_drops_its_old_thinking(tmp_path: Path) -> None:
    """Nothing of ours changes it; if something did, the chat must not be dead."""
    async with ClaudeStandIn(lenient={Harsh.CHURN, Harsh.CACHE_MISSED}) as server:
        talk = Talk(Bench(tmp_path), server)
        server.script.say(reply(Thinking(), "one"), LOOKS, reply(Thinking(), "two"), reply(Thinking(), "three"))
        async with talk.run():
            assert await talk.ask("hello") == "one"
        with closing(sqlite3.connect(tmp_path / "bot.db")) as db, db:
            db.execute("UPDATE entries SET body = replace(body, 'hello', 'good day')")
        async with talk.run():
            assert await talk.ask("and?") == "two"
            assert await talk.ask("and then?") == "three"
    assert [str(refusal)[:20] for refusal in server.refused] == ["messages.2.content.0"]
    thoughts = [
        block["type"] == "thinking" for message in messages(server.requests[-1]) for block in message["content"]
    ]
    assert sum(thoughts) == 2
    assert talk.spent() == talk.billed()


async def test_what_was_sent_before_the_newest_reply_stays_encoded(talk: Talk) -> None:
    talk.server.script.say("one", "two", "three")
    async with talk.run() as claude:
        for text in ("hi", "and?", "and then?"):
            await talk.ask(text)
        settled = claude.message_cache.take_settled_messages(f"{talk.bench.select('id', 'sessions')[0][0]}/1")
    assert settled
    assert settled.entry_count == len(messages(talk.server.requests[-1])) - 2


async def test_a_draft_grows_with_the_reply(talk: Talk) -> None:
    talk.server.script.say(reply(Thinking(), Text("one two three four", pieces=4), seconds=0.05))
    async with talk.run():
        await talk.ask("count")
    drafts = []
    while not talk.bench.chat.drafts.empty():
        drafts.append(talk.bench.chat.drafts.get_nowait().text)
    texts = [text for text in drafts if text]
    assert len(texts) > 1
    assert texts == sorted(texts, key=len)
    assert all("one two three four".startswith(text) for text in texts)


async def test_the_environment_names_neither_the_key_nor_the_server(
    monkeypatch: pytest.MonkeyPatch, talk: Talk
) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE"):
        monkeypatch.setenv(name, "from-the-environment")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    talk.server.api_key = "no-key"
    async with Claude(None, talk.server.base_url, b"") as claude, talk.bench.run(model=claude):
        assert (await talk.ask("hello")).endswith("Ann: hello")
    assert claude.server.url == talk.server.base_url


async def test_unknown_and_outdated_models_are_logged_at_the_first_message(
    talk: Talk, caplog: pytest.LogCaptureFixture
) -> None:
    models = ("claude-sonnet-5-5", "claude-sonnet-4-5", "claude-sonet-5-5")
    async with talk.run(models=models):
        await talk.bench.chat.is_taken_in()
        assert not talk.server.open_connections
        await talk.ask("hello")
        await talk.server.until(lambda: len(talk.server.refused) == 1)
        await talk.ask("hello")
    warned = [record.getMessage() for record in caplog.records if record.name == "bot.models.claude.sdk_client"]
    assert len(warned) == 2
    server = ModelServer("key", talk.server.base_url).name
    assert warned[0] == texts.NO_SUCH_MODEL_IN_CONFIG % (server, "claude-sonet-5-5")
    assert warned[1].startswith(texts.MODEL_ENDS % ("claude-sonnet-4-5", "deprecated", "2026-11-30"))


async def test_an_error_of_the_code_that_uses_claude_passes_through() -> None:
    with pytest.raises(LookupError):
        async with Claude("key", None, b""):
            raise LookupError
