"""The commands about roles and delegations: who works on what, who there is, what one has done, and once more."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.core.messages import ChatMovedEvent, MessageId, OutboundKind, RoleName
from bot.core.prices import Usage
from bot.core.rights import GUEST_RIGHTS
from bot.core.role import LEAD_ROLE_NAME
from bot.core.texts import model, people
from tests.support.bench import ACCESS, Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import Pause, delegates, reply, uses

NOON = datetime(2026, 11, 26, 12, 0, tzinfo=UTC)


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.time = NOON

    def __call__(self) -> datetime:
        return self.time


async def ask(bench: Bench, text: str, by: str = "Ann") -> str:
    bench.chat.hears(text, by=by)
    return await bench.chat.said()


async def test_agents_says_who_works_on_what_since_when_and_for_how_much(bench: Bench) -> None:
    pause, clock, usage = Pause("found"), Clock(), Usage(input=100_000, output=10_000)
    bench.model.says("lead", delegates("researcher"), "there")
    bench.model.says("researcher", reply(uses("read"), usage=usage), pause)
    async with bench.run(now=clock):
        bench.chat.hears("look it up")
        await pause.reached.wait()
        clock.time += timedelta(minutes=5)
        said = await ask(bench, "/agents", by="Bob")
    lead, role = said.splitlines()
    assert lead == people.LEAD_AT_WORK(person="Ann", since=NOON, cost="$0.02", messages="“look it up”")
    assert role == people.AGENT_AT_WORK(
        number=1, indent="", role="Researcher", state="working", since=NOON, cost="$0.01", task="researcher's part"
    )


async def test_agents_says_what_works_in_the_background(bench: Bench) -> None:
    pause = Pause("found")
    bench.model.says("lead", delegates("researcher", background=True), "it has begun")
    bench.model.says("researcher", pause)
    async with bench.run(now=Clock()):
        assert await ask(bench, "look, slowly") == "it has begun"
        await pause.reached.wait()
        assert await ask(bench, "/agents") == people.AGENT_AT_WORK(
            number=1,
            indent="",
            role="Researcher",
            state=people.IN_BACKGROUND(state="working"),
            since=NOON,
            cost="$0.00",
            task="researcher's part",
        )


async def test_agents_says_that_nobody_works(bench: Bench) -> None:
    async with bench.run():
        assert await ask(bench, "/agents") == people.NOTHING_AT_WORK()


async def test_roles_says_who_there_is_and_what_for(bench: Bench) -> None:
    bench.roles["writer"] = replace(bench.roles["writer"], description="Drafts texts.")
    async with bench.run():
        said = await ask(bench, "/roles")
    assert said.splitlines() == ["Analyst", "Researcher", people.ROLE_LINE(role="Writer", use="Drafts texts.")]


async def test_roles_names_only_roles_that_the_lead_may_give_work_to(bench: Bench) -> None:
    bench.roles[LEAD_ROLE_NAME] = replace(bench.roles[LEAD_ROLE_NAME], delegates_to=frozenset({RoleName("writer")}))
    async with bench.run():
        assert await ask(bench, "/roles") == "Writer"


async def test_roles_says_that_there_are_none_if_delegation_is_off(bench: Bench) -> None:
    async with bench.run(**engine_options(swarm__enabled=False)):
        assert await ask(bench, "/roles") == people.NO_ROLES()


async def test_roles_says_none_to_somebody_for_whom_no_role_may_work(bench: Bench) -> None:
    async with bench.run(access={"fake": replace(ACCESS["fake"], others_rights=GUEST_RIGHTS)}):
        assert await ask(bench, "/roles") == people.NO_ROLES()


async def delegate_with_update(bench: Bench, chat: str = "room", **fields: Any) -> list[str]:
    """Let a role post an update and report. Return what the chat reads until the answer."""
    bench.model.says("lead", delegates("researcher"), "there")
    bench.model.says("researcher", reply(uses("message", text="looking")), "found")
    bench.chat.hears("look it up", chat=chat, **fields)
    read: list[str] = []
    while not read or read[-1] != "there":
        read.append(await bench.chat.said())
    return read


async def test_a_quiet_chat_shows_the_answer_and_no_update_of_a_role(bench: Bench) -> None:
    async with bench.run():
        assert await ask(bench, "/quiet") == people.NOW_QUIET()
        assert await ask(bench, "/quiet") == people.ALREADY_QUIET()
        assert await delegate_with_update(bench) == ["there"]
    assert bench.model.heard("researcher") == [model.NOT_SHOWN_IN_QUIET_CHAT]


async def test_a_chat_that_is_verbose_again_shows_updates_of_roles(bench: Bench) -> None:
    async with bench.run():
        await ask(bench, "/quiet")
        assert await ask(bench, "/verbose") == people.NOW_VERBOSE()
        assert await delegate_with_update(bench) == ["[Researcher]: looking", "there"]
    assert bench.model.heard("researcher") == [model.POSTED]


async def test_a_quiet_chat_stays_quiet_after_a_restart_and_a_move(bench: Bench) -> None:
    async with bench.run():
        await ask(bench, "/quiet")
    async with bench.run():
        move = ChatMovedEvent(id=MessageId("moved"), channel="fake", old="room", new="hall")
        bench.chat.incoming.put_nowait(move)
        assert await delegate_with_update(bench, chat="hall") == ["there"]


async def test_other_chats_are_as_they_were_when_one_is_quiet(bench: Bench) -> None:
    async with bench.run():
        await ask(bench, "/quiet")
        assert await delegate_with_update(bench, chat="hall") == ["[Researcher]: looking", "there"]


async def test_a_role_asks_its_question_in_a_quiet_chat(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher"), "there")
    bench.model.says("researcher", reply(uses("ask_person", question="which?")), "found")
    async with bench.run():
        await ask(bench, "/quiet")
        bench.chat.hears("look it up")
        assert (await bench.chat.part(OutboundKind.QUESTION)).message.text.startswith("which?")
