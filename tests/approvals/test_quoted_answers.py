"""A reply that quotes what the agent has said in the same conversation brings no words of others in."""

import pytest

from bot.core.messages import InboundKind, OutboundKind, PlatformId, Quote
from bot.core.sources import Source
from tests.approvals.conftest import RunBot
from tests.support.bench import Bench
from tests.support.fakes import id_of

REPLY, NOTICE = OutboundKind.REPLY, OutboundKind.NOTICE


async def talk(bench: Bench, to: str) -> PlatformId:
    """Let the bot say something, and return which message a person replies to."""
    bench.model.says("lead", "The answer.", "Done.")
    bench.chat.hears("look into it")
    said = await bench.chat.part(REPLY)
    if to == "the harness":
        bench.chat.hears("/status", kind=InboundKind.COMMAND)
        said = await bench.chat.part(NOTICE)
    if to == "an earlier conversation":
        bench.chat.hears("/new", kind=InboundKind.COMMAND)
        await bench.chat.said(NOTICE)
    return id_of(said)


@pytest.mark.parametrize(
    ("to", "is_forwarded", "brings_in"),
    [
        ("the agent", False, False),
        ("the agent", True, True),
        ("the harness", False, True),
        ("an earlier conversation", False, True),
    ],
)
async def test_only_a_reply_to_the_agents_own_words_brings_nothing_in(
    bench: Bench, run: RunBot, to: str, is_forwarded: bool, brings_in: bool
) -> None:
    async with run():
        said = await talk(bench, to)
        quote = Quote(author="Bot", text="The answer.", is_forwarded=is_forwarded)
        bench.chat.hears("more of it", reply_to=said, quotes=(quote,))
        assert await bench.chat.said(REPLY) == "Done."
    newest = str(bench.select("sources", "sessions", order="rowid")[-1][0])
    assert (Source.QUOTES in newest) is brings_in
