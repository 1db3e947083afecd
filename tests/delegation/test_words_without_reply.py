"""Words to a role whose next request fails or cannot be paid: no model has read them, so they are not done."""

import pytest

from bot.core.messages import OutboundKind
from bot.core.model import ModelReply
from bot.core.prices import Usage
from bot.core.role import LEAD_ROLE_NAME, Role
from bot.core.texts import people
from tests.support.bench import Bench
from tests.support.delegation_calls import begin_work
from tests.support.engine_options import DELEGATION_LIMITS, engine_options
from tests.support.fakes import Pause, delegates, failing, reply, uses
from tests.support.troubles import wait_for_row

REPLY, NOTICE = OutboundKind.REPLY, OutboundKind.NOTICE
WORDS = "leave out the prices"


@pytest.fixture(autouse=True)
def everything_is_the_leads(bench: Bench) -> None:
    bench.roles[LEAD_ROLE_NAME] = Role(name=LEAD_ROLE_NAME, prompt="lead", limits=DELEGATION_LIMITS)


async def tell(bench: Bench, at_work: Pause, words: str) -> None:
    """Write to the role at work, and let it go on."""
    await begin_work(bench, at_work)
    bench.chat.hears(f"/tell 1 {words}")
    await bench.chat.said(NOTICE)
    at_work.go_on.set()


@pytest.mark.parametrize("last_reply", [reply(uses("read")), "found"])
async def test_a_role_that_cannot_pay_for_long_words_works_again_on_them(
    bench: Bench, last_reply: ModelReply | str
) -> None:
    at_work = Pause(last_reply)
    bench.model.says("lead", reply(uses("delegate", role="researcher", task="look", max_tokens=6000)), "there")
    bench.model.says("researcher", at_work, "without prices")
    async with bench.run():
        await tell(bench, at_work, WORDS + " and that" * 3000)
        await wait_for_row(bench, "outbox", "text = 'without prices' AND role = 'researcher' AND state = 'sent'")
    assert WORDS in bench.model.heard("researcher")[-1]
    assert bench.select("status", "turns", "depth = 1") == [("budget",), ("completed",)]
    assert bench.count("inbox", "state != 'done' AND kind != 'report'") == 0


async def test_words_are_answered_if_the_chats_money_is_used_up(bench: Bench) -> None:
    at_work = Pause(reply(uses("read"), usage=Usage(input=100_000, output=5000)))
    bench.model.says("lead", delegates("researcher"), "there")
    bench.model.says("researcher", at_work)
    async with bench.run(**engine_options(chat_day=120_000)):
        await tell(bench, at_work, WORDS)
        await wait_for_row(bench, "outbox", "kind = 'reply' AND role = 'researcher' AND state = 'sent'")
    assert bench.count("inbox", "state != 'done' AND kind != 'report'") == 0


async def test_the_lead_reads_words_that_a_failed_request_had(bench: Bench) -> None:
    at_work = Pause(reply(uses("read")))
    bench.model.says("lead", delegates("researcher"), "noted")
    bench.model.says("researcher", at_work, failing)
    async with bench.run():
        await tell(bench, at_work, WORDS)
        part = await bench.chat.part(NOTICE)
        assert await bench.chat.said(REPLY) == "noted"
    assert WORDS in bench.model.heard("lead")[-1]
    assert part.text == people.ROLE_LEFT_UNREAD(role="Researcher"), "its writer was told that the role reads it"
    assert bench.select("key", "inbox", "kind = 'text' AND quotes != '[]'") == [(part.message.reply_to,)]


async def test_words_that_the_role_has_answered_stay_its_own(bench: Bench) -> None:
    at_work = Pause(reply(uses("read")))
    bench.model.says("lead", delegates("researcher"), "there")
    bench.model.says("researcher", at_work, reply(uses("read")), failing)
    async with bench.run():
        await tell(bench, at_work, WORDS)
        assert await bench.chat.said(REPLY) == "there"
        await wait_for_row(bench, "turns", "depth = 0 AND state = 'ended'")
    assert bench.select("turn, state", "inbox", f"text = '{WORDS}'") == [("t1/2/0", "done")]
    assert bench.count("turns", "depth = 0") == 1
