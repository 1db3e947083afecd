"""What a group that was asked does stays within its walls: of what is below a question nobody above knows more than its
report, be it in a tool's result, on a board or by a command."""

from collections.abc import Sequence

import pytest

from bot.core.content_blocks import Block, text_block
from bot.core.messages import OutboundKind
from bot.core.model import ModelReply, ModelRequest, ShowTextCallback
from bot.core.texts import model as texts
from bot.core.texts import people
from bot.delegation import texts as delegation_texts
from tests.support.bench import Bench
from tests.support.delegation_calls import heard, says
from tests.support.engine_options import engine_options
from tests.support.fakes import Pause, Step, delegates, reply, role, uses
from tests.support.group_bots import Registry, asks, group

NOTICE, REPLY = OutboundKind.NOTICE, OutboundKind.REPLY
LOOKS = ("delegate", "list_delegations", "get_delegation", "cancel_delegation", "read")
HOME = group("home", is_main=True, tools=LOOKS)
PING, PONG = group("ping", "pong", tools=LOOKS), group("pong", "ping", tools=LOOKS)
ROOMY = engine_options(swarm__max_depth=2)


def looking_at(ids: Sequence[str]) -> list[Block]:
    """All that can be done with an id."""
    found = [uses("list_delegations")]
    for id in ids:
        found += [uses("get_delegation", id=id), uses("get_delegation", id=id, transcript=True)]
        found += [uses("cancel_delegation", id=id), uses("delegate", task="go on", continue_from=id)]
    return found


def either(of_hop: ModelReply, of_root: ModelReply) -> Step:
    """A step of a group that is at work in its own chat and asked at the same time: whichever comes first."""

    async def step(request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        return of_hop if "asks you, for" in str(request.transcript[0].content) else of_root

    return step


def all_below(bench: Bench, top: str) -> list[str]:
    return [id for (id,) in bench.rows("SELECT id FROM turns WHERE id LIKE ? || '/%' ORDER BY rowid", top)]


@pytest.mark.parametrize("is_beside", [False, True])
async def test_a_group_does_not_learn_that_the_asked_group_asks_it_back(bench: Bench, *, is_beside: bool) -> None:
    """ping asks pong, which asks ping, whose role finds something: that is ping's own, and another conversation's."""
    bench.roles["researcher"] = role("researcher", "read", delegates_to=None)
    begins = either(delegates("researcher"), reply(text_block("begun")))
    bench.model.says("ping", asks("pong", background=is_beside), *[begins] * (1 + is_beside), "ping's own")
    bench.model.says("pong", asks("ping"))
    bench.model.says("researcher", "a secret")
    bench.model.says("pong", "pong's report")
    if is_beside:
        bench.model.says("ping", "told")
    hop = "t1/2/0"

    async def looks() -> ModelReply:
        inner = all_below(bench, hop)
        assert len(inner) == 2
        return reply(*looking_at(inner), uses("get_delegation", id=hop))

    async with bench.run(groups=Registry(PING, PONG), **ROOMY):
        if is_beside:
            assert await says(bench, "go", "ping") == "begun"
            assert await bench.chat.said(REPLY) == "told"
            bench.model.says("ping", looks, "done")
            assert await says(bench, "and?", "ping") == "done"
        else:
            bench.model.says("ping", looks, "done")
            assert await says(bench, "go", "ping") == "done"
    (listed, _), *unknown, (record, _) = heard(bench, "ping")
    assert listed.count("delegation ") == 1
    assert all(text.startswith("unknown delegation id 't1/2/0/") and is_error for text, is_error in unknown)
    assert len(unknown) == 8
    assert "below it" not in record
    assert "[Pong]: pong's report" in record
    assert "secret" not in str(
        [request.transcript for request in bench.model.asked("ping") if len(request.transcript) > 5]
    )


@pytest.mark.parametrize("is_beside", [False, True])
async def test_a_group_that_asks_itself_knows_its_report_and_nothing_more(bench: Bench, *, is_beside: bool) -> None:
    begins = either(delegates("researcher"), reply(text_block("begun")))
    bench.model.says("ping", asks("ping", background=is_beside), *[begins] * (1 + is_beside), "the report")
    bench.model.says("researcher", "found")
    if is_beside:
        bench.model.says("ping", "told")
    look = reply(*looking_at(["t1/2/0/2/0"]), uses("get_delegation", id="t1/2/0"))
    async with bench.run(groups=Registry(PING, PONG), **ROOMY):
        if is_beside:
            bench.chat.hears("go", chat="ping")
            assert {await bench.chat.said(REPLY) for _ in range(2)} == {"begun", "told"}
            bench.model.says("ping", look, "done")
            assert await says(bench, "and?", "ping") == "done"
        else:
            bench.model.says("ping", look, "done")
            assert await says(bench, "go", "ping") == "done"
    (listed, _), *unknown, (record, _) = heard(bench, "ping")
    assert listed.count("delegation ") == 1
    assert [is_error for _, is_error in unknown] == [True] * 4
    assert "below it" not in record
    assert record.endswith("[Ping]: the report\n</untrusted>\n" + texts.SAID_BY_YOUR_GROUP)
    assert "another group" not in str(bench.model.asked("ping")[-1].transcript)  # which its own is not


async def test_a_group_knows_only_its_own_roles_questions_to_others(bench: Bench) -> None:
    bench.roles["researcher"] = role("researcher", "delegate", delegates_to=None)
    bench.model.says("home", delegates("researcher"))
    bench.model.says("researcher", asks("pong"), "found")
    bench.model.says("pong", delegates("analyst"), "pong's report")
    bench.model.says("analyst", "a secret")
    bench.model.says("home", reply(uses("list_delegations"), uses("get_delegation", id="t1/2/0")), "done")
    async with bench.run(groups=Registry(HOME, PING, PONG), **ROOMY):
        assert await says(bench, "go", "home") == "done"
    (listed, _), (record, _) = heard(bench, "home")
    assert [line.partition(":")[0] for line in listed.splitlines()] == ["Pong", "Researcher"]
    below, _ = delegation_texts.BELOW.split("{delegation}")
    assert record.count(below) == 1
    assert f"{below}Pong: delegation t1/2/0/2/0 · completed" in record


async def test_a_groups_tasks_for_its_roles_are_hidden_from_the_asking_chat(bench: Bench) -> None:
    pause = Pause("found")
    bench.model.says("home", asks("ping"), "done")
    bench.model.says("ping", reply(uses("delegate", role="researcher", task="the secret of Alice")), "yes")
    bench.model.says("researcher", pause)
    async with bench.run(groups=Registry(HOME, PING, PONG)):
        bench.chat.hears("go", chat="home")
        await pause.reached.wait()
        bench.chat.hears("/status", chat="home")
        first, second, third = (await bench.chat.said(NOTICE)).splitlines()
        assert first == people.AT_WORK_FOR(person="Ann", messages="“go”")
        assert second.startswith("#1 Ping, ")
        assert second.endswith(": ping's question")
        assert third.startswith("#2 Researcher, working, ")
        assert "Alice" not in third
        pause.go_on.set()
        assert await bench.chat.said(REPLY) == "done"
    assert "Alice" not in str(bench.select("*", "outbox"))


async def test_in_its_own_chat_it_is(bench: Bench) -> None:
    pauses = Pause("found"), Pause("found")
    for is_beside in (False, True):
        call = uses("delegate", role="researcher", task="the secret of Alice", background=is_beside)
        bench.model.says("ping", reply(call))
    bench.model.says("researcher", *pauses)
    bench.model.says("ping", "begun", "told")
    async with bench.run(groups=Registry(HOME, PING, PONG)):
        bench.chat.hears("go", chat="ping")
        await pauses[0].reached.wait()
        bench.chat.hears("/status", chat="ping")
        assert (await bench.chat.said(NOTICE)).endswith(": the secret of Alice")
        pauses[0].go_on.set()
        assert await bench.chat.said(REPLY) == "begun"
        await pauses[1].reached.wait()
        bench.chat.hears("/status", chat="ping")
        assert (await bench.chat.said(NOTICE)).endswith(": the secret of Alice")
        pauses[1].go_on.set()
        assert await bench.chat.said(REPLY) == "told"


async def test_a_group_asked_back_shows_its_own_chat_no_task_from_the_other(bench: Bench) -> None:
    """ping asks pong, pong asks ping: the roles of the asked ping have tasks with pong's words."""
    bench.roles["researcher"] = role("researcher", "read", delegates_to=None)
    pause = Pause("found")
    task = reply(uses("delegate", role="researcher", task="the secret of Alice"))
    bench.model.says("ping", asks("pong"), task, "ping's report", "done")
    bench.model.says("pong", asks("ping"), "pong's report")
    bench.model.says("researcher", pause)
    async with bench.run(groups=Registry(PING, PONG), **ROOMY):
        bench.chat.hears("go", chat="ping")
        await pause.reached.wait()
        [(number,)] = bench.select("number", "turns", "role = 'researcher'")
        bench.chat.hears("/agents", chat="ping")
        assert "Researcher" in await bench.chat.said(NOTICE)
        for command, answer in (
            (f"/log {number}", people.LOG_OF_ANOTHER_GROUP()),
            (f"/tell {number} hello", people.TELL_OF_ANOTHER_GROUP()),
            (f"/retry {number}", people.RETRY_OF_ANOTHER_GROUP()),
        ):
            bench.chat.hears(command, chat="ping")
            assert await bench.chat.said(NOTICE) == answer
        bench.chat.hears("/tell 1 hello", chat="ping")
        assert await bench.chat.said(NOTICE) == people.TELL_TO_ANOTHER_GROUP(group="Pong", number=1)
        pause.go_on.set()
        assert await bench.chat.said(REPLY) == "done"
    assert "Alice" not in str(bench.select("*", "outbox"))
