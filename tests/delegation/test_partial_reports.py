"""A role that ends without a report of its own reports what it has written and posted, each once."""

import pytest

from bot.core.content_blocks import text_block
from bot.core.messages import OutboundKind
from bot.core.model import ModelReply
from tests.support.bench import Bench
from tests.support.delegation_calls import heard, says
from tests.support.fakes import Pause, delegates, reply, uses


@pytest.mark.parametrize("last", [reply(), reply(text_block("Two trains run."))])
async def test_what_a_stopped_role_has_posted_and_written_goes_to_the_lead_once(bench: Bench, last: ModelReply) -> None:
    at_work = Pause("never said")
    posts = reply(text_block("I look."), uses("message", text="Two trains run."), uses("message", text="One is fast."))
    bench.model.says("lead", delegates("researcher"), "it is found")
    bench.model.says("researcher", posts, reply(*last.content, uses("read")), at_work)
    async with bench.run():
        bench.chat.hears("go")
        await at_work.reached.wait()
        bench.chat.hears("/stop 1")
        assert await bench.chat.said(OutboundKind.REPLY) == "it is found"
    [(result, _)] = heard(bench)
    assert result.endswith("[Researcher]: I look.\n\nTwo trains run.\n\nOne is fast.")


async def test_a_role_that_ends_without_words_reports_what_it_has_posted(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher"), "it is found")
    bench.model.says("researcher", reply(uses("message", text="Two trains run.")), reply(), reply())
    async with bench.run():
        await says(bench, "go")
    [(result, _)] = heard(bench)
    assert result.endswith("[Researcher]: Two trains run.")
