"""Words to a role at work: a reply to what it said, /tell, or the lead's steer_delegation."""

import pytest

from bot.core.messages import OutboundKind, PlatformId, Reaction
from bot.core.role import LEAD_ROLE_NAME, Role
from bot.core.texts import model, people
from tests.support.bench import Bench
from tests.support.delegation_calls import asked, begin_work, heard, says
from tests.support.engine_options import DELEGATION_LIMITS
from tests.support.fakes import Pause, delegates, reply, uses
from tests.support.group_bots import Registry, at, group
from tests.support.troubles import wait_for_row

REPLY, NOTICE, UPDATE = OutboundKind.REPLY, OutboundKind.NOTICE, OutboundKind.UPDATE
STEER = "steer_delegation"
WORDS = "leave out the prices"
READS_NEXT = people.ROLE_READS_NEXT(number=1, role="Researcher")
LEFT_UNREAD = people.ROLE_LEFT_UNREAD(role="Researcher")


@pytest.fixture(autouse=True)
def everything_is_the_leads(bench: Bench) -> None:
    bench.roles[LEAD_ROLE_NAME] = Role(name=LEAD_ROLE_NAME, prompt="lead", limits=DELEGATION_LIMITS)


def looks() -> Pause:
    """Return a step in which a role waits, and then reads a file."""
    return Pause(reply(uses("read")))


def script(bench: Bench, *steps: Pause | str) -> None:
    """Let the lead delegate to the researcher, who says something and then does these steps."""
    bench.model.says("lead", delegates("researcher"), "it is found")
    bench.model.says("researcher", reply(uses("message", text="I look")), *steps)


async def post_of_role(bench: Bench) -> PlatformId:
    """Return the platform's id of what the role has said."""
    await wait_for_row(bench, "outbox", "role = 'researcher' AND state = 'sent'")
    return PlatformId(
        bench.rows("SELECT json_extract(platform_ids, '$[0]') FROM outbox WHERE role = 'researcher'")[0][0]
    )


def told_by(*lines: str) -> list[str]:
    return [model.WRITTEN_TO_YOU, *lines]


async def test_a_reply_to_what_a_role_said_is_in_its_next_request(bench: Bench) -> None:
    at_work = looks()
    script(bench, at_work, "found")
    async with bench.run():
        await begin_work(bench, at_work)
        bench.chat.hears(WORDS, reply_to=await post_of_role(bench))
        assert await bench.chat.said(NOTICE) == READS_NEXT
        at_work.go_on.set()
        assert await bench.chat.said(REPLY) == "it is found"
    assert bench.model.heard("researcher")[-2:] == told_by(f"Ann: {WORDS}")
    assert bench.count("turns", "depth = 0") == 1, "no turn of the lead is opened for it"
    assert bench.count("inbox", "state != 'done'") == 0


async def test_a_role_does_not_end_while_words_to_it_wait(bench: Bench) -> None:
    last = Pause("found with prices")
    script(bench, last, "found without prices")
    async with bench.run():
        await begin_work(bench, last)
        bench.chat.hears(f"/tell 1 {WORDS}")
        await bench.chat.said(NOTICE)
        last.go_on.set()
        assert await bench.chat.said(REPLY) == "it is found"
    [report] = bench.model.heard("lead")
    assert "found without prices" in report
    assert [each.role for each in bench.model.asked("researcher")[-1].transcript[-2:]] == ["assistant", "user"]


async def test_words_survive_a_kill_and_are_read_once(bench: Bench) -> None:
    at_work = looks()
    script(bench, at_work)
    async with bench.run():
        await begin_work(bench, at_work)
        bench.chat.hears(WORDS, reply_to=await post_of_role(bench))
        await bench.chat.said(NOTICE)
        bench.crashes()
    bench.model.says("lead", "it is found")
    bench.model.says("researcher", reply(uses("read")), "found")
    async with bench.run():
        assert await bench.chat.said(REPLY) == "it is found"
    assert bench.model.heard("researcher")[-2:] == told_by(f"Ann: {WORDS}")
    written = [body for (body,) in bench.rows("SELECT body FROM entries") if WORDS in body]
    assert len(written) == 1


async def test_a_reply_is_for_the_role_that_posted_whatever_id_it_names(bench: Bench) -> None:
    at_work, other = looks(), Pause("analysed")
    bench.model.says("lead", delegates("researcher", "analyst"), "it is found")
    bench.model.says("researcher", reply(uses("message", text="I look", id="t1/2/1")), at_work, "found")
    bench.model.says("analyst", other)
    async with bench.run():
        await begin_work(bench, at_work, other)
        bench.chat.hears(WORDS, reply_to=await post_of_role(bench))
        assert await bench.chat.said(NOTICE) == READS_NEXT
        at_work.go_on.set()
        other.go_on.set()
        await bench.chat.said(REPLY)
    assert bench.model.heard("researcher")[-1] == f"Ann: {WORDS}"


async def test_an_edit_changes_words_that_the_role_has_not_read(bench: Bench) -> None:
    at_work = looks()
    script(bench, at_work, "found")
    async with bench.run():
        await begin_work(bench, at_work)
        bench.chat.hears(WORDS, reply_to=await post_of_role(bench), id="m-1")
        await bench.chat.said(NOTICE)
        bench.chat.hears("leave out the names", id="m-1", is_edit=True)
        await bench.chat.is_taken_in()
        at_work.go_on.set()
        await bench.chat.said(REPLY)
    assert bench.model.heard("researcher")[-1] == "Ann: leave out the names"


async def tell_before_a_limit(bench: Bench, *later: str, lead: str = "lead") -> Pause:
    """Let the researcher work on its last request, and write to it. Return what it waits for. It says `later` then."""
    last = Pause("found so far")
    bench.model.says(lead, reply(uses("delegate", role="researcher", task="look", max_iterations=1)), "there")
    bench.model.says("researcher", reply(uses("read")), last, *later)
    await begin_work(bench, last)
    bench.chat.hears(f"/tell 1 {WORDS}", id="m-1")
    assert await bench.chat.said(NOTICE) == READS_NEXT
    return last


async def test_at_a_limit_a_role_ends_all_the_same_and_works_again_on_the_words(bench: Bench) -> None:
    async with bench.run():
        (await tell_before_a_limit(bench, "without prices")).go_on.set()
        part = await bench.chat.part(NOTICE)
        assert (part.text, part.message.reply_to) == (people.ROLE_TAKES_UP(role="Researcher", number=1), "m-1")
        assert part.message.reaction is Reaction.TAKES_UP
        await wait_for_row(bench, "outbox", "text = 'there' AND state = 'sent'")
        await wait_for_row(bench, "outbox", "text = 'without prices' AND role = 'researcher' AND state = 'sent'")
        bench.model.says("lead", "noted")
        bench.chat.hears("thanks")
        await wait_for_row(bench, "outbox", "text = 'noted' AND state = 'sent'")
    assert bench.select("status", "turns", "depth = 1") == [("budget",), ("completed",)]
    assert WORDS in bench.model.heard("lead")[-2], "the lead learns of it with the next message"
    assert bench.count("inbox", "state != 'done'") == 0


async def test_words_that_the_role_cannot_take_up_go_to_the_agent_of_the_chat(bench: Bench) -> None:
    registry = Registry(group("ping", addresses=[at("room")]))
    bench.model.says("pong", "noted")
    async with bench.run(groups=registry):
        last = await tell_before_a_limit(bench, lead="ping")
        registry.groups = Registry(group("pong", addresses=[at("room")])).groups
        last.go_on.set()
        assert await bench.chat.said(NOTICE) == LEFT_UNREAD
        await wait_for_row(bench, "outbox", "text = 'noted' AND state = 'sent'")
    assert WORDS in bench.model.heard("pong")[-1]


async def test_of_several_peoples_words_the_role_takes_up_only_those_of_one(bench: Bench) -> None:
    async with bench.run():
        last = Pause("found so far")
        task = uses("delegate", role="researcher", task="look", max_iterations=1)
        bench.model.says("lead", reply(task), "there", "noted")
        bench.model.says("researcher", reply(uses("read")), last, "without prices", "without names")
        await begin_work(bench, last)
        for who, words in (("Owner", WORDS), ("Ann", "be quick"), ("Owner", "leave out the names")):
            bench.chat.hears(f"/tell 1 {words}", by=who)
            assert await bench.chat.said(NOTICE) == READS_NEXT
        last.go_on.set()
        await wait_for_row(bench, "turns", "depth = 1 AND root = id AND state = 'ended'")
        await wait_for_row(bench, "inbox", "text = 'be quick' AND state = 'done'")
    returned = [(reply_to,) for reply_to, text in bench.select("reply_to, text", "outbox") if text == LEFT_UNREAD]
    assert returned == bench.select("key", "inbox", "text = 'be quick'")
    assert [who for (who,) in bench.select("person", "turns", "depth = 1")] == ["Ann", "Owner"]
    assert not any("be quick" in line for line in bench.model.heard("researcher"))


async def test_words_to_a_role_that_has_ended_are_taken_up_after_a_kill(bench: Bench) -> None:
    async with bench.run():
        (await tell_before_a_limit(bench, "without prices")).go_on.set()
        await wait_for_row(bench, "turns", "depth = 1 AND state = 'ended'")
        bench.crashes()
    bench.model.says("researcher", *["without prices"] * 2)
    bench.model.says("lead", *["there"] * 2)
    async with bench.run():
        await wait_for_row(bench, "outbox", "text LIKE '%without prices' AND state = 'sent'")
    assert bench.count("turns", "depth = 1 AND root = id") == 1


async def test_stop_also_stops_words_that_the_role_has_not_read(bench: Bench) -> None:
    at_work = looks()
    script(bench, at_work)
    async with bench.run():
        await begin_work(bench, at_work)
        bench.chat.hears(f"/tell 1 {WORDS}")
        await bench.chat.said(NOTICE)
        bench.chat.hears("/stop")
        await bench.chat.said(REPLY)
        await wait_for_row(bench, "turns", "depth = 1 AND state = 'ended'")
    assert bench.count("inbox", "state != 'done'") == 0
    assert bench.count("turns", "depth = 0") == 1


async def test_a_reply_of_somebody_else_is_for_the_lead(bench: Bench) -> None:
    at_work = looks()
    script(bench, at_work, "found")
    bench.model.says("lead", "noted")
    async with bench.run():
        await begin_work(bench, at_work)
        bench.chat.hears(WORDS, by="Bob", reply_to=await post_of_role(bench))
        await wait_for_row(bench, "turns", "depth = 0 AND person = 'Bob'")
        at_work.go_on.set()
        await wait_for_row(bench, "turns", "depth = 1 AND state = 'ended'")
    assert not any(WORDS in str(request.transcript) for request in bench.model.asked("researcher"))


async def test_the_lead_tells_a_role_in_the_background_something(bench: Bench) -> None:
    at_work = looks()
    bench.model.says("lead", delegates("researcher", background=True), "begun")
    bench.model.says("researcher", at_work, "found")
    async with bench.run():
        await says(bench, "go")
        await at_work.reached.wait()
        told = await asked(bench, STEER, id="t1/2/0", text=WORDS)
        assert told == (model.DELEGATION_READS_NEXT(delegation="t1/2/0"), False)
        bench.model.says("lead", "it is found")
        at_work.go_on.set()
        assert await bench.chat.said(REPLY) == "it is found"
    assert bench.model.heard("researcher")[-2:] == told_by(f"lead: {WORDS}")
    assert bench.count("inbox", "state != 'done'") == 0


async def test_what_the_lead_tells_a_role_at_a_limit_opens_no_turn(bench: Bench) -> None:
    last = Pause("found so far")
    task = uses("delegate", role="researcher", task="look", max_iterations=1, background=True)
    bench.model.says("lead", reply(task), "begun")
    bench.model.says("researcher", reply(uses("read")), last)
    async with bench.run():
        await says(bench, "go")
        await last.reached.wait()
        assert not (await asked(bench, STEER, id="t1/2/0", text=WORDS))[1]
        bench.model.says("lead", "it is found")
        last.go_on.set()
        assert await bench.chat.said(REPLY) == "it is found"
    assert bench.count("inbox", "state != 'done'") == 0
    assert bench.count("turns", "depth = 0") == 3


async def test_the_lead_cannot_steer_a_delegation_that_it_stops(bench: Bench) -> None:
    at_work = Pause("never")
    bench.model.says("lead", delegates("researcher", background=True), "begun")
    bench.model.says("researcher", at_work)
    async with bench.run():
        await says(bench, "go")
        await at_work.reached.wait()
        bench.model.says("lead", reply(uses("cancel_delegation", id="t1/2/0"), uses(STEER, id="t1/2/0", text=WORDS)))
        bench.model.says("lead", "so be it")
        assert await says(bench, "stop it") == "so be it"
    assert heard(bench)[1] == (model.DELEGATION_IS_STOPPING(delegation="t1/2/0"), True)


async def test_the_lead_cannot_steer_a_delegation_that_has_ended(bench: Bench) -> None:
    script(bench, "found")
    async with bench.run():
        await says(bench, "go")
        told = await asked(bench, STEER, id="t1/2/0", text=WORDS)
    assert told == (model.DELEGATION_IS_OVER(delegation="t1/2/0"), True)


async def test_words_are_not_stopped_with_a_turn_that_was_stopped_before(bench: Bench, analyst: Pause) -> None:
    at_work = looks()
    begun = uses("delegate", role="researcher", task="look", background=True)
    bench.model.says("lead", reply(begun, *delegates("analyst").content))
    bench.model.says("researcher", at_work)
    async with bench.run():
        await begin_work(bench, at_work, analyst)
        bench.chat.hears("/stop")
        await bench.chat.said(REPLY)
        bench.chat.hears(f"/tell 1 {WORDS}")
        assert await bench.chat.said(NOTICE) == READS_NEXT
        bench.model.says("lead", reply(uses("cancel_delegation", id="t1/2/0")), "noted")
        bench.chat.hears("cancel it")
        assert await bench.chat.said(REPLY) == "noted"
    assert any(WORDS in line for line in bench.model.heard("lead"))


async def test_who_wrote_to_a_role_is_told_if_somebody_else_stops_it(bench: Bench) -> None:
    at_work = looks()
    script(bench, at_work)
    async with bench.run():
        await begin_work(bench, at_work)
        bench.chat.hears(f"/tell 1 {WORDS}", by="Owner", id="m-owner")
        await bench.chat.said(NOTICE)
        bench.chat.hears("/stop")
        part = await bench.chat.part(NOTICE)
    assert (part.text, part.message.reply_to) == (people.ROLE_STOPPED_UNREAD(role="Researcher"), "m-owner")
    assert bench.count("inbox", "state != 'done'") == 0


@pytest.mark.parametrize("manner", ["reply", "/tell"])
async def test_a_role_of_a_former_group_of_the_chat_reads_nothing(bench: Bench, manner: str) -> None:
    at_work, registry = looks(), Registry(group("ping", addresses=[at("room")]))
    bench.model.says("ping", delegates("researcher"), "done")
    bench.model.says("researcher", reply(uses("message", text="I look")), at_work, "found")
    async with bench.run(groups=registry):
        await begin_work(bench, at_work)
        posted = await post_of_role(bench)
        registry.groups = Registry(group("pong", addresses=[at("room")])).groups
        if manner == "reply":
            bench.chat.hears(WORDS, reply_to=posted)
            await bench.chat.is_taken_in()
        else:
            bench.chat.hears(f"/tell 1 {WORDS}")
            assert await bench.chat.said(NOTICE) == people.ROLE_IS_DONE(role="Researcher", number=1)
    assert bench.count("inbox", "turn = 't1/2/0'") == 0
