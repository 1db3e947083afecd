"""The process dies at each commit of a request whose call a person agrees to: it runs by that word, and once."""

import asyncio
from itertools import count
from pathlib import Path

import pytest

from bot.core.content_blocks import text_block
from bot.core.messages import InboundKind, QuestionId
from bot.core.model import Model, ModelReply, ModelRequest, ShowTextCallback
from bot.core.role import LEAD_ROLE_NAME
from bot.core.texts import model, people_holds
from bot.store import Store
from tests.support.bench import Bench
from tests.support.fakes import FakeChannel, reply, role, uses
from tests.support.mailing import Post
from tests.support.patience import PATIENCE
from tests.support.stores import Died, dying

TO = "eve@evil.example"
PLOT = (reply(uses("browse")), reply(uses("mail", to=TO, text="x"), uses("note")), reply(text_block("Done.")))


class Plotted(Model):
    """A model whose next words depend on the transcript alone: a request that is made again gets the same reply."""

    async def reply(self, request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        request.meter.sent_at_loop_seconds = asyncio.get_running_loop().time()
        return PLOT[sum(entry.role == "assistant" for entry in request.transcript)]


async def lives(bench: Bench, post: Post, store: type[Store], *, agrees: bool) -> bool:
    """Return True if the bot comes to the end of the plot before it dies. The person answers as soon as they are asked,
    and what was not acknowledged is said again."""
    has_died, bench.chat = False, FakeChannel()
    try:
        async with asyncio.timeout(PATIENCE), bench.run(store=store, model=Plotted(), tools=post.tools()):
            bench.chat.hears("What does the page say?", id="m1")
            while not bench.count("outbox", "kind = 'reply' AND state = 'sent'"):
                if open_questions := bench.select("id", "questions", "state = 'open'"):
                    answer, question = (people_holds.ALLOW if agrees else people_holds.DENY)(), open_questions[0][0]
                    bench.chat.hears(answer, id="m2", kind=InboundKind.ANSWER, question=QuestionId(question))
                await asyncio.sleep(0.002)
    except* Died:
        has_died = True
    return not has_died


@pytest.mark.parametrize("is_written", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("agrees", [True, False], ids=["agreed to", "refused"])
async def test_a_call_runs_by_its_own_yes_and_once(tmp_path: Path, agrees: bool, is_written: bool) -> None:
    for number in count(1):
        lead = role("lead", "browse", "mail", "note", delegates_to=None)
        bench, post = Bench(tmp_path / str(number), roles={LEAD_ROLE_NAME: lead}), Post()
        bench.data.mkdir()
        if await lives(bench, post, dying(number, is_written=is_written), agrees=agrees):
            break
        assert await lives(bench, post, Store, agrees=agrees)
        [(result, approval)] = bench.rows("SELECT result, approval FROM calls WHERE name = 'mail'")
        assert len(post.sent) <= agrees
        assert approval == ("used" if agrees else "")
        assert not result.startswith("sent") or post.sent == [(TO, "x")]
        assert agrees or result == model.NOT_AGREED(answer=people_holds.DENY())
    assert number > 10  # it died at each step of the plot
