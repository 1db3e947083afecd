"""Edits of what a person writes to a role count until the role has read it."""

import pytest

from bot.core.messages import OutboundKind, PlatformId
from bot.core.role import LEAD_ROLE_NAME, Role
from bot.core.texts import model
from tests.support.bench import Bench
from tests.support.delegation_calls import begin_work, says
from tests.support.engine_options import DELEGATION_LIMITS
from tests.support.fakes import Pause, delegates, reply, uses
from tests.support.troubles import wait_for_row

REPLY, NOTICE = OutboundKind.REPLY, OutboundKind.NOTICE


@pytest.fixture(autouse=True)
def everything_is_the_leads(bench: Bench) -> None:
    bench.roles[LEAD_ROLE_NAME] = Role(name=LEAD_ROLE_NAME, prompt="lead", limits=DELEGATION_LIMITS)


def looks() -> Pause:
    """Return a step in which a role waits, and then reads a file."""
    return Pause(reply(uses("read")))


async def edits(bench: Bench, text: str) -> None:
    bench.chat.hears(text, id="m-1", is_edit=True)
    await bench.chat.is_taken_in()


@pytest.mark.parametrize(
    ("edit", "read"),
    [
        ("/tell 1 leave out the names", "leave out the names"),
        ("/tell #1 leave out the names", "leave out the names"),
        ("leave out the names", "leave out the names"),
        ("/tell 7 leave out the names", "leave out the prices"),
        ("/tell 1", "leave out the prices"),
        ("/log 1", "leave out the prices"),
    ],
)
async def test_of_an_edited_tell_the_role_reads_the_words_alone(bench: Bench, edit: str, read: str) -> None:
    at_work = looks()
    bench.model.says("lead", delegates("researcher"), "it is found")
    bench.model.says("researcher", at_work, "found")
    async with bench.run():
        await begin_work(bench, at_work)
        bench.chat.hears("/tell 1 leave out the prices", id="m-1")
        await bench.chat.said(NOTICE)
        await edits(bench, edit)
        at_work.go_on.set()
        await bench.chat.said(REPLY)
    assert bench.model.heard("researcher")[-1].splitlines()[-1].endswith(read)
    assert "/tell" not in str(bench.model.heard("researcher"))


async def test_an_edit_of_a_waiting_retry_leaves_the_request_as_it_is(bench: Bench) -> None:
    writing = Pause("to Bob")
    bench.model.says("lead", delegates("researcher"), "it is found", writing, "retried")
    bench.model.says("researcher", "found")
    async with bench.run():
        await says(bench, "go")
        bench.chat.hears("hello", by="Bob")
        await writing.reached.wait()
        bench.chat.hears("/retry 1", id="m-1")
        await bench.chat.is_taken_in()
        await edits(bench, "/retry 1 please")
        writing.go_on.set()
        assert [await bench.chat.said(REPLY) for _ in range(2)] == ["to Bob", "retried"]
    assert model.DO_TASK_AGAIN(delegation="t1/2/0", role="researcher") in bench.model.heard("lead")[-1]


async def test_an_edit_changes_words_that_wait_for_a_direct_turn(bench: Bench) -> None:
    at_work = looks()
    bench.model.says("lead", delegates("researcher"), "it is found")
    bench.model.says("researcher", reply(uses("message", text="I look")), "found", at_work, "both")
    async with bench.run():
        await says(bench, "go")
        await wait_for_row(bench, "outbox", "role = 'researcher' AND state = 'sent'")
        [(posted,)] = bench.rows("SELECT platform_ids ->> 0 FROM outbox WHERE role = 'researcher'")
        bench.chat.hears("and in winter?", reply_to=PlatformId(posted))
        await at_work.reached.wait()
        bench.chat.hears("and in spring?", reply_to=PlatformId(posted), id="m-1")
        await bench.chat.is_taken_in()
        await edits(bench, "and in autumn?")
        at_work.go_on.set()
        assert await bench.chat.said(REPLY) == "[Researcher]: both"
    assert bench.model.heard("researcher")[-1] == "Ann: and in autumn?"
