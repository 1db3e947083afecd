"""What the newer models write beside a call comes as thinking: it is asked for, and people read it."""

import pytest

from bot.core.messages import OutboundKind
from bot.models.claude.request_body import NOTES_BETA_HEADER, NOTES_DISPLAY
from tests.stand_ins.claude import Thinking, ToolUse, reply
from tests.support.claude_bot import Talk, talk

__all__ = ["talk"]

UPDATE, REPLY = OutboundKind.UPDATE, OutboundKind.REPLY
LOOKS = ToolUse("read", {"path": "a"})
LONG = "The capital is Paris. It has been so since the tenth century. I look up the rest now."


async def test_a_long_note_beside_a_call_is_said_and_seen_while_it_is_written(talk: Talk) -> None:
    talk.server.script.say(reply(LONG, LOOKS, seconds=0.05), "That was all.")
    async with talk.run():
        talk.bench.chat.hears("go")
        assert await talk.bench.chat.said(UPDATE) == LONG
        assert await talk.bench.chat.said(REPLY) == "That was all."
        drafts = [talk.bench.chat.drafts.get_nowait().text for _ in range(talk.bench.chat.drafts.qsize())]
    first = talk.server.requests[0]
    assert first.body["thinking"]["display"] == NOTES_DISPLAY
    assert NOTES_BETA_HEADER in first.asked.betas
    assert LONG not in [block.get("text") for block in talk.server.requests[1].asked.messages[1]["content"]]
    assert LONG in drafts
    talk.server.verify()


async def test_a_note_and_a_short_text_beside_the_same_call_are_said_in_order(talk: Talk) -> None:
    talk.server.script.say(reply(LONG, "One moment.", LOOKS), "done")
    async with talk.run():
        talk.bench.chat.hears("go")
        assert await talk.bench.chat.said(UPDATE) == f"{LONG}\nOne moment."
        assert await talk.bench.chat.said(REPLY) == "done"


async def test_a_note_before_the_final_answer_is_not_shown(talk: Talk) -> None:
    talk.server.script.say(reply(Thinking(LONG, is_note=True), "Paris."))
    async with talk.run():
        assert await talk.ask("go") == "Paris."
        drafts = [talk.bench.chat.drafts.get_nowait().text for _ in range(talk.bench.chat.drafts.qsize())]
    assert not any(LONG in text for text in drafts)


@pytest.mark.parametrize("thought", [Thinking(), Thinking("Secret plan. Another one. A third.")])
async def test_thinking_is_not_shown(talk: Talk, thought: Thinking) -> None:
    talk.server.script.say(reply(thought, LOOKS), "done")
    async with talk.run():
        assert await talk.ask("go") == "done"
    updates = talk.bench.rows("SELECT 1 FROM outbox WHERE kind = 'update'")
    assert updates == []
