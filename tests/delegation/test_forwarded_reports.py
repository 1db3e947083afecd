"""`forward_report`: a report in the chat, word for word and under the role's name."""

import pytest

from bot.core.messages import OutboundKind
from bot.core.role import LEAD_ROLE_NAME, Role
from bot.core.texts import model
from bot.delegation import texts
from tests.support.bench import Bench
from tests.support.delegation_calls import asked, heard, says
from tests.support.engine_options import DELEGATION_LIMITS, engine_options
from tests.support.fakes import Pause, delegates, reply, uses

UPDATE = OutboundKind.UPDATE
FORWARD, REPORT = "forward_report", "There are two.\n\n| a | b |"


@pytest.fixture(autouse=True)
def everything_is_the_leads(bench: Bench) -> None:
    bench.roles[LEAD_ROLE_NAME] = Role(name=LEAD_ROLE_NAME, prompt="lead", limits=DELEGATION_LIMITS)


def script(bench: Bench, delegation: str = "t1/2/0") -> None:
    bench.model.says("lead", delegates("researcher"), reply(uses(FORWARD, id=delegation)), "see above")
    bench.model.says("researcher", REPORT)


async def test_a_report_is_posted_word_for_word_under_its_roles_name(bench: Bench) -> None:
    script(bench)
    async with bench.run():
        bench.chat.hears("go")
        assert await bench.chat.said(UPDATE) == f"[Researcher]: {REPORT}"
        assert await bench.chat.said(OutboundKind.REPLY) == "see above"
    assert heard(bench) == [(model.POSTED, False)]


async def test_it_is_posted_also_where_updates_of_roles_are_hidden(bench: Bench) -> None:
    script(bench, "t2/2/0")
    async with bench.run():
        bench.chat.hears("/quiet")
        bench.chat.hears("go")
        assert await bench.chat.said(UPDATE) == f"[Researcher]: {REPORT}"


async def test_a_report_is_posted_once_despite_a_kill(bench: Bench) -> None:
    pause = Pause("see above")
    bench.model.says("lead", delegates("researcher"), reply(uses(FORWARD, id="t1/2/0")), pause)
    bench.model.says("researcher", REPORT)
    async with bench.run():
        bench.chat.hears("go")
        await pause.reached.wait()
        bench.crashes()
    bench.model.says("lead", "see above")
    async with bench.run():
        assert await bench.chat.said(OutboundKind.REPLY) == "see above"
    assert bench.rows("SELECT count(*) FROM outbox WHERE role = 'researcher'") == [(1,)]


@pytest.mark.parametrize("id", ["t1/2/0", " t1/2/0 "])
async def test_a_reply_to_it_is_for_the_role(bench: Bench, id: str) -> None:
    script(bench, id)
    bench.model.says("researcher", "noted")
    async with bench.run():
        await says(bench, "go")
        [(posted,)] = bench.rows("SELECT json_extract(platform_ids, '$[0]') FROM outbox WHERE role = 'researcher'")
        bench.chat.hears("and prices?", reply_to=posted)
        assert await bench.chat.said(OutboundKind.REPLY) == "[Researcher]: noted"


async def test_there_is_nothing_to_post_of_one_that_is_at_work(bench: Bench) -> None:
    at_work = Pause("found")
    bench.model.says("lead", delegates("researcher", background=True), "begun")
    bench.model.says("researcher", at_work)
    async with bench.run():
        await says(bench, "go")
        await at_work.reached.wait()
        assert await asked(bench, FORWARD, id="t1/2/0") == (texts.STILL_RUNNING, True)


async def test_a_role_cannot_post_the_report_of_another(bench: Bench) -> None:
    bench.roles |= {name: Role(name=name, prompt=name, limits=DELEGATION_LIMITS) for name in bench.roles}
    bench.model.says("lead", delegates("researcher"), "done")
    bench.model.says("researcher", delegates("writer"), reply(uses(FORWARD, id="t1/2/0/2/0")), "found")
    bench.model.says("writer", "draft")
    async with bench.run(**engine_options(swarm__max_depth=2)):
        await says(bench, "go")
    assert heard(bench, "researcher") == [(texts.FORWARDED_BELOW, True)]
