"""The commands, and what they say."""

import re
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from bot.core.access import Access
from bot.core.content_blocks import text_block
from bot.core.messages import InboundKind, OutboundKind, PersonId
from bot.core.prices import Micros, Usage
from bot.core.settings import Settings
from bot.core.texts import people, people_help
from bot.store import inbox
from bot.store.connection import Connection
from tests.support.bench import UNSHARED, Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import Pause, delegates, message, reply, uses
from tests.support.troubles import wait_for_row

NOTICE, REPLY = OutboundKind.NOTICE, OutboundKind.REPLY


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("/start", people.GREETING()),
        ("/help", "\n".join(line() for line in people_help.HELP.values())),
        ("/HELP@our_bot", people_help.HELP["start"]()),
        ("/status", people.NOTHING_AT_WORK()),
        ("/stop", people.NOTHING_TO_STOP()),
        ("/stop 7", people.NO_SUCH_NUMBER(number=7)),
        ("/stop poet", people.NO_SUCH_ROLE(role="poet")),
        ("/new", people.NEW_CONVERSATION()),
        (
            "/people",
            people.COMMAND_USE(command="/people", use=people.COMMANDS["/people"]()),
        ),  # by somebody who is not the owner
        ("/dance now", people.UNKNOWN_COMMAND(command="/dance")),
    ],
)
async def test_a_command_is_obeyed_at_once_and_says_what_it_did(bench: Bench, command: str, said: str) -> None:
    async with bench.run():
        bench.chat.hears(command)
        assert (await bench.chat.said()).startswith(said)
    assert bench.model.seen == []


@pytest.mark.parametrize("command", ["/start", "/help"])
@pytest.mark.parametrize("can_delegate", [True, False])
async def test_a_beginner_hears_of_the_roles_if_delegation_is_on(
    bench: Bench, command: str, can_delegate: bool
) -> None:
    async with bench.run(**engine_options(swarm__enabled=can_delegate)):
        bench.chat.hears(command)
        roles = people.ROLES_INTRODUCED(roles="Analyst, Researcher, Writer")
        assert (roles in await bench.chat.said()) is can_delegate


@pytest.mark.parametrize("text", ["/", "/ ", "a /stop"])
async def test_a_slash_alone_makes_no_command(bench: Bench, text: str) -> None:
    bench.model.says("lead", "Hello Ann")
    async with bench.run():
        bench.chat.hears(text)
        assert await bench.chat.said() == "Hello Ann"


async def test_a_command_that_comes_twice_is_obeyed_once(bench: Bench) -> None:
    async with bench.run():
        bench.chat.hears("/start", id="same")
        bench.chat.hears("/start", id="same")
        bench.chat.hears("/help")
        assert (await bench.chat.said()).startswith(people.GREETING())
        assert (await bench.chat.said()).startswith("/start:")


async def test_status_names_working_roles_and_waiting_messages(bench: Bench) -> None:
    pause = Pause("found")
    bench.model.says("lead", delegates("researcher"), "there")
    bench.model.says("researcher", pause)
    async with bench.run(**engine_options(busy="queue")):
        bench.chat.hears("look it up")
        await pause.reached.wait()
        bench.chat.hears("and me?", by="Bob")
        bench.chat.hears("/status", by="Bob")
        status = (await bench.chat.said()).splitlines()
    assert status[0] == people.AT_WORK_FOR(person="Ann", messages="“look it up”")
    assert status[1].startswith("#1 Researcher, working, 0:0")
    assert status[1].endswith(": researcher's part")
    assert status[2] == people.MESSAGES_WAITING(messages=1)


async def test_a_delegation_keeps_its_number_while_others_end(bench: Bench) -> None:
    first, second = Pause("found"), Pause("analysed")
    bench.model.says("lead", delegates("researcher", "analyst"), "there")
    bench.model.says("researcher", first)
    bench.model.says("analyst", second)
    async with bench.run():
        bench.chat.hears("go")
        await first.reached.wait()
        await second.reached.wait()
        first.go_on.set()
        await wait_for_row(bench, "turns", role="researcher", state="ended")
        bench.chat.hears("/status")
        status = (await bench.chat.said()).splitlines()
        assert [line[:11] for line in status[1:]] == ["#2 Analyst,"]
        bench.chat.hears("/stop 2")
        assert await bench.chat.said() == people.ROLES_STOPPED(roles="Analyst")


async def test_no_number_is_used_again_within_a_request(bench: Bench) -> None:
    background, pause = Pause("found"), Pause("written")
    both = delegates("researcher", background=True).content + delegates("writer").content
    bench.model.says("lead", delegates("analyst"), reply(*both), "there")
    bench.model.says("analyst", "analysed")
    bench.model.says("researcher", background)
    bench.model.says("writer", pause)
    async with bench.run():
        bench.chat.hears("go")
        await background.reached.wait()
        await pause.reached.wait()
        bench.chat.hears("/status")
        status = (await bench.chat.said()).splitlines()
        assert status[1].startswith(f"#2 Researcher, {people.IN_BACKGROUND(state='working')}, ")
        assert status[1].endswith(": researcher's part")
        assert status[2].startswith("#3 Writer, working, ")


async def test_usage_shows_the_spent_and_the_remaining_budget(bench: Bench) -> None:
    usage = Usage(input=100_000, output=10_000)
    bench.model.says("lead", reply(text_block("one"), usage=usage), "elsewhere")
    async with bench.run(**engine_options(chat_day=Micros(1_000_000), day=Micros(2_000_000), **UNSHARED)):
        bench.chat.hears("hello")
        await bench.chat.said()
        bench.chat.hears("hello", chat="other")
        await bench.chat.said()
        bench.chat.hears("/usage")
        said = await bench.chat.said()
    assert said.splitlines() == [
        people.CHAT_TODAY(total=people.TOTAL(tokens=110_000, cost="$0.30")),
        people.CHAT_THIS_MONTH(total=people.TOTAL(tokens=110_000, cost="$0.30")),
        people.COST_BY_ROLE(parts=people.COST_PART(name="Lead", today="$0.30", month="$0.30")),
        people.COST_BY_MODEL(parts=people.COST_PART(name=Settings().model.lead, today="$0.30", month="$0.30")),
        people.LEFT_TODAY(left="$0.70", chat="$1.00", day="$2.00"),
    ]


async def test_messages_before_new_belong_to_the_old_conversation(bench: Bench) -> None:
    pause = Pause("first")
    bench.model.says("lead", pause, "still the old one", "fresh")
    async with bench.run():
        bench.chat.hears("one", by="Bob")
        await pause.reached.wait()
        for text in ("two", "/new", "three"):
            bench.chat.hears(text)
        await bench.chat.is_taken_in()
        pause.go_on.set()
        said = [await bench.chat.said() for _ in range(4)]
    assert said == ["first", "still the old one", people.NEW_CONVERSATION(), "fresh"]
    assert [len(request.transcript) for request in bench.model.seen] == [1, 3, 1]


async def test_no_message_joins_a_turn_across_new(bench: Bench) -> None:
    pause = Pause(reply(uses("read")))
    bench.model.says("lead", pause, "one", "two")
    async with bench.run():
        bench.chat.hears("go")
        await pause.reached.wait()
        for text in ("and this", "/new", "and that"):
            bench.chat.hears(text)
        await bench.chat.is_taken_in()
        pause.go_on.set()
        assert [await bench.chat.said() for _ in range(3)] == ["one", people.NEW_CONVERSATION(), "two"]
    assert bench.model.heard("lead", 1) == ["read", "Ann: and this"]
    assert bench.model.heard("lead", 2) == ["Ann: and that"]


async def test_stop_by_its_platforms_name_stops(bench: Bench) -> None:
    pause = Pause()
    bench.model.says("lead", pause)
    async with bench.run():
        bench.chat.hears("go")
        await pause.reached.wait()
        bench.chat.hears("/stop@our_bot")
        assert await bench.chat.said() == people.STOPPED(messages="“go”")


async def test_a_message_that_has_not_begun_is_stopped_and_named(bench: Bench) -> None:
    pause = Pause("to Bob")
    bench.model.says("lead", pause)
    async with bench.run():
        bench.chat.hears("go", by="Bob")
        await pause.reached.wait()
        bench.chat.hears("me too")
        bench.chat.hears("/stop")
        assert await bench.chat.said() == people.STOPPED_BEFORE_IT_BEGAN(messages="“me too”")
        pause.go_on.set()
        assert await bench.chat.said() == "to Bob"
    assert len(bench.model.seen) == 1


async def test_a_role_is_stopped_by_its_name_however_it_is_written(bench: Bench) -> None:
    pauses = [Pause(), Pause()]
    bench.model.says("lead", delegates("researcher", "researcher"), "never mind")
    bench.model.says("researcher", *pauses)
    async with bench.run():
        bench.chat.hears("go")
        for pause in pauses:
            await pause.reached.wait()
        bench.chat.hears("/stop RESEARCHER")
        assert await bench.chat.said() == people.ROLES_STOPPED(roles="Researcher, Researcher")
        assert await bench.chat.said() == "never mind"


@pytest.mark.parametrize(
    "command", ["/stop", "/stop all", "/stop All", "/stop 1", "/stop #1", "/stop\n1", "/stop researcher"]
)
async def test_background_work_is_stopped_when_nothing_else_is_at_work(bench: Bench, command: str) -> None:
    pause = Pause()
    bench.model.says("lead", delegates("researcher", background=True), "it has begun", "so it was stopped")
    bench.model.says("researcher", pause)
    async with bench.run():
        bench.chat.hears("look, slowly")
        assert await bench.chat.said() == "it has begun"
        await pause.reached.wait()
        bench.chat.hears(command)
        assert await bench.chat.said() in (
            people.STOPPED_IN_BACKGROUND(roles="Researcher"),
            people.ROLES_STOPPED(roles="Researcher"),
        )
        assert await bench.chat.said() == "so it was stopped"
    assert "cancelled" in bench.model.heard("lead")[0]


async def test_beside_a_turn_only_stop_all_stops_the_background(
    bench: Bench,
) -> None:
    background, pause, other = Pause(), Pause(), Pause()
    bench.model.says("lead", delegates("researcher", background=True), "it has begun", pause, other, "it was stopped")
    bench.model.says("researcher", background)
    async with bench.run():
        bench.chat.hears("look, slowly")
        assert await bench.chat.said() == "it has begun"
        await background.reached.wait()
        bench.chat.hears("go")
        await pause.reached.wait()
        bench.chat.hears("/stop")
        assert await bench.chat.said() == people.STOPPED(messages="“go”")
        bench.chat.hears("once more")
        await other.reached.wait()
        bench.chat.hears("/stop all")
        assert await bench.chat.said() == people.STOPPED_IN_BACKGROUND(roles="Researcher")
        assert await bench.chat.said() == people.STOPPED(messages="“once more”")
        assert await bench.chat.said() == "it was stopped"


async def test_a_stop_that_only_keeps_a_finished_report_says_so(bench: Bench) -> None:
    """The report waits for others of its reply, so it has opened no turn yet."""
    async with bench.run():
        pass
    later = datetime.now(UTC) + timedelta(minutes=10)
    with closing(Connection(bench.data / "bot.db")) as db:
        inbox.add_inbound_message(db, message("found", id="report:t1/2/0", kind=InboundKind.REPORT), later)
        db.update("inbox", {"held_until": later}, key="report:t1/2/0")
        db.commit()
    async with bench.run():
        for said in (people.NOTHING_TO_STOP_AND_REPORT_KEPT(), people.NOTHING_TO_STOP()):
            bench.chat.hears("/stop")
            assert await bench.chat.said(NOTICE) == said


async def test_help_names_no_command_that_its_reader_may_not_use(bench: Bench) -> None:
    guests = {"fake": Access(owner_id=PersonId("Owner"), is_public=True)}
    async with bench.run(access=guests):
        bench.chat.hears("/help", by="Eve")
        named = set(re.findall(r"/[a-z]+", await bench.chat.said()))
    assert people.COMMANDS.keys() - named == {
        *("/log", "/tell", "/retry", "/model", "/effort", "/memory", "/people", "/groups", "/pair")
    }


async def test_help_names_every_command_in_one_message_and_explains_each(bench: Bench) -> None:
    async with bench.run():
        bench.chat.hears("/help", by="Owner")
        told = await bench.chat.said()
        named = set(re.findall(r"/[a-z]+", told))
        assert people.COMMANDS.keys() <= named
        assert len(told) < 1_800, "one message on Discord"
        bench.chat.hears("/help", by="Ann")
        assert people_help.HELP_OF_OWNER() not in await bench.chat.said()
        bench.chat.hears("/help Tell")
        assert await bench.chat.said() == people.COMMAND_USE(command="/tell", use=people.COMMANDS["/tell"]())
        bench.chat.hears("/help dance")
        assert await bench.chat.said() == people.UNKNOWN_COMMAND(command="/dance")
