"""What a reply to a role means while a question is open: it is for that role."""

import pytest

from bot.core.messages import OutboundKind, PlatformId
from bot.core.role import LEAD_ROLE_NAME, Role
from bot.core.texts import people
from tests.support.bench import Bench
from tests.support.delegation_calls import begin_work
from tests.support.engine_options import DELEGATION_LIMITS
from tests.support.fakes import Pause, delegates, reply, uses
from tests.support.troubles import wait_for_row

NOTICE, QUESTION = OutboundKind.NOTICE, OutboundKind.QUESTION
READS_NEXT = people.ROLE_READS_NEXT(number=1, role="Researcher")


@pytest.fixture(autouse=True)
def everything_is_the_leads(bench: Bench) -> None:
    bench.roles[LEAD_ROLE_NAME] = Role(name=LEAD_ROLE_NAME, prompt="lead", limits=DELEGATION_LIMITS)


async def post_of_researcher(bench: Bench) -> PlatformId:
    """Return the platform's id of what the researcher has said."""
    await wait_for_row(bench, "outbox", "role = 'researcher' AND state = 'sent'")
    [(id,)] = bench.rows("SELECT json_extract(platform_ids, '$[0]') FROM outbox WHERE role = 'researcher'")
    return PlatformId(id)


def researcher_at_work(bench: Bench) -> Pause:
    """Let the researcher say something and then work."""
    at_work = Pause(reply(uses("read")))
    bench.model.says("researcher", reply(uses("message", text="I look")), at_work)
    return at_work


async def test_a_reply_to_a_role_does_not_answer_the_leads_question(bench: Bench) -> None:
    asks = uses("ask_person", question="how many days?")
    bench.model.says("lead", reply(*delegates("researcher").content, asks))
    at_work = researcher_at_work(bench)
    async with bench.run():
        await begin_work(bench, at_work)
        await bench.chat.part(QUESTION)
        bench.chat.hears("leave out the prices", reply_to=await post_of_researcher(bench))
        assert await bench.chat.said(NOTICE) == READS_NEXT
        assert bench.select("state", "questions") == [("open",)]


async def test_a_reply_to_a_role_does_not_answer_another_role(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher", "analyst"))
    bench.model.says("analyst", reply(uses("ask_person", question="go on?", options=["yes", "no"])))
    at_work = researcher_at_work(bench)
    async with bench.run():
        await begin_work(bench, at_work)
        await bench.chat.part(QUESTION)
        bench.chat.hears("yes", reply_to=await post_of_researcher(bench))
        assert await bench.chat.said(NOTICE) == READS_NEXT
        assert bench.select("state", "questions") == [("open",)]
