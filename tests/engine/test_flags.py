"""The flags of a conversation: whether it has read words of others, and private things; and how both are passed on."""

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.assembly import make_workspace_and_web_tools
from bot.core.acts import Effect
from bot.core.content_blocks import text_block
from bot.core.languages import speaking
from bot.core.languages.language_file import BUILT_IN_LANGUAGES
from bot.core.messages import Address, OutboundKind, PersonId, Quote
from bot.core.role import LEAD_ROLE_NAME
from bot.core.source_phrases import what_was_read_text
from bot.core.sources import Flags, Source, flags_of
from bot.core.texts import people
from bot.core.turn import CallKind
from bot.tools import Arguments, Tool, ToolContext
from bot.tools.memory import MEMORY_TOOL_NAMES
from tests.support.bench import Bench
from tests.support.fakes import Pause, reply, role, uses
from tests.support.memory_bot import digest, run, saves, says, search
from tests.support.schedule_bot import ScheduleBot
from tests.support.web_bot import found, searches

REPLY, NOTICE = OutboundKind.REPLY, OutboundKind.NOTICE
NEITHER, UNTRUSTED, PRIVATE, BOTH = (
    Flags(*each) for each in ((False, False), (True, False), (False, True), (True, True))
)
READ = reply(uses("read_file", path="a.md"))
DELEGATED = reply(uses("delegate", role="reader", task="look"))
HALL = {"chat": "hall", "group_chat": "-5"}


@pytest.fixture
def reading(bench: Bench, tmp_path: Path) -> Bench:
    (tmp_path / "desk").mkdir()
    (tmp_path / "desk" / "a.md").write_text("private")
    bench.roles[LEAD_ROLE_NAME] = role("lead", delegates_to=None)
    bench.roles["reader"] = role("reader", "read_file", *MEMORY_TOOL_NAMES)
    return bench


def flags(bench: Bench, person: str = "Ann") -> list[Flags]:
    """Return the flags of all conversations, the oldest first."""
    rows = bench.rows("SELECT sources FROM sessions ORDER BY rowid")
    return [flags_of(frozenset(json.loads(sources)), PersonId(person)) for (sources,) in rows]


# What sets them


def test_unknown_sources_count_as_untrusted_and_own_words_as_nothing() -> None:
    assert flags_of(frozenset(), PersonId("Ann")) == NEITHER
    assert flags_of(frozenset({"person:Ann"}), PersonId("Ann")) == NEITHER
    assert flags_of(frozenset({"person:Ann"}), PersonId("Bob")) == UNTRUSTED
    assert flags_of(frozenset({"some later kind"}), PersonId("Ann")) == UNTRUSTED
    assert flags_of(frozenset({"private:some later kind"}), PersonId("Ann")) == PRIVATE
    assert flags_of(frozenset(Source), PersonId("Ann")) == BOTH


async def test_own_words_set_no_flag(reading: Bench) -> None:
    async with run(reading):
        await says(reading, reply(uses("write_file", path="b.md", content="x")), saves("tea"))
    assert flags(reading) == [NEITHER]


async def test_a_file_is_private_and_of_others(reading: Bench) -> None:
    async with run(reading):
        await says(reading, READ)
    assert flags(reading) == [BOTH]


async def test_pages_of_the_web_are_of_others_and_not_private(reading: Bench) -> None:
    async with run(reading):
        await says(reading, reply(searches(), found(), uses("memory_save", text="So.")))
    assert flags(reading) == [UNTRUSTED]


async def test_own_memories_are_private_when_they_are_looked_up(reading: Bench) -> None:
    async with run(reading):
        await says(reading, saves("mine"))
        assert await digest(reading)
        assert flags(reading) == [NEITHER, NEITHER._replace(knows_memories=True)]
        await says(reading, reply(search("mine")))
    assert flags(reading) == [NEITHER, PRIVATE._replace(knows_memories=True)]


@pytest.mark.parametrize("tools", [("read_file",), ("read_file", "memory_get")])
async def test_a_role_knows_memories_only_if_it_has_a_tool_for_them(reading: Bench, tools: tuple[str, ...]) -> None:
    reading.roles["reader"] = role("reader", *tools)
    reading.model.says("reader", "Nothing.")
    async with run(reading):
        await says(reading, saves("Ann likes tea"))
        await says(reading, DELEGATED)
    [begin] = (str(each.transcript[0].content[0]["text"]) for each in reading.model.asked("reader"))
    assert ("Ann likes tea" in begin) == (len(tools) == 2)


async def test_quoted_words_are_of_others(reading: Bench) -> None:
    async with run(reading):
        await says(reading, quotes=(Quote(author="Eve", text="delete all"),))
    assert flags(reading) == [UNTRUSTED]


@pytest.mark.parametrize(
    "fields",
    [
        {"text": "is this so?\n> delete all"},
        {"text": "is this so?\n```\ndelete all\n```"},
        {"text": "thank Delete all", "written": "thank @8"},
        {"attachments": ("a contact: Delete all",)},
    ],
)
async def test_what_comes_along_in_a_message_is_of_others(reading: Bench, fields: dict[str, Any]) -> None:
    async with run(reading):
        await says(reading, **fields)
    assert flags(reading) == [UNTRUSTED]


async def test_in_a_group_chat_the_words_of_each_are_others_to_the_others(reading: Bench) -> None:
    async with run(reading):
        await says(reading, by="Ann", **HALL)
        assert [flags(reading, "Ann"), flags(reading, "Bob")] == [[NEITHER], [UNTRUSTED]]
        await says(reading, by="Bob", **HALL)
    assert [flags(reading, "Ann"), flags(reading, "Bob")] == [[UNTRUSTED], [UNTRUSTED]]


async def test_a_result_is_noted_with_what_others_read_while_its_tool_ran(reading: Bench) -> None:
    reads = Pause()

    async def slow(context: ToolContext, arguments: Arguments) -> str:
        await reads()
        return "found"

    slow_search = Tool(
        name="slow_search",
        description="Search.",
        input_schema={},
        kind=CallKind.READ,
        effects=frozenset({Effect.READS_UNTRUSTED}),
        untrusted_source=Source.CONVERSATIONS,
        run=slow,
    )
    tools = [slow_search, *make_workspace_and_web_tools(reading.data / "desk")]
    reading.model.says("lead", reply(uses("slow_search")))
    async with run(reading, tools=tools):
        reading.chat.hears("go")
        await reads.reached.wait()
        assert flags(reading) == [NEITHER]
        await says(reading, READ, address=Address(channel="fake", chat="room", thread="other"))
        reading.model.says("lead", "done")
        reads.go_on.set()
        await reading.chat.said(REPLY)
    assert flags(reading) == [BOTH, BOTH]


# What passes them on


async def test_a_brief_and_a_report_pass_both_on(reading: Bench) -> None:
    reading.model.says("reader", "done", READ, "found")
    async with run(reading):
        await says(reading, reply(search("x")), DELEGATED)
        assert flags(reading) == [PRIVATE, PRIVATE]
        await says(reading, DELEGATED)
    assert flags(reading) == [BOTH, PRIVATE, BOTH]


async def test_a_report_in_the_background_passes_both_on(reading: Bench) -> None:
    reading.model.says("reader", READ, "found")
    reading.model.says("lead", reply(uses("delegate", role="reader", task="x", background=True)), "begun", "noted")
    async with run(reading):
        reading.chat.hears("go")
        assert {await reading.chat.said(REPLY), await reading.chat.said(REPLY)} == {"begun", "noted"}
    assert flags(reading) == [BOTH, BOTH]


async def test_a_report_that_comes_into_a_new_conversation_passes_both_on(reading: Bench) -> None:
    waits = Pause("found")
    reading.model.says("reader", READ, waits)
    reading.model.says("lead", reply(uses("delegate", role="reader", task="x", background=True)), "begun", "noted")
    async with run(reading):
        reading.chat.hears("go")
        await reading.chat.said(REPLY)
        await waits.reached.wait()
        reading.chat.hears("/new")
        await reading.chat.said(NOTICE)
        waits.go_on.set()
        assert await reading.chat.said(REPLY) == "noted"
    assert flags(reading) == [BOTH, BOTH, BOTH]


@pytest.mark.parametrize("is_over", [True, False], ids=["ended", "at work"])
async def test_a_cancelled_delegation_of_an_earlier_conversation_passes_both_on(reading: Bench, is_over: bool) -> None:
    waits = Pause("found")
    reading.model.says("reader", READ, "found" if is_over else waits)
    reading.model.says("lead", reply(uses("delegate", role="reader", task="x", background=True)), "begun")
    async with run(reading):
        reading.chat.hears("go")
        await reading.chat.said(REPLY)
        if is_over:
            reading.model.says("lead", "noted")
            await reading.chat.said(REPLY)
        else:
            await waits.reached.wait()
        reading.chat.hears("/new")
        await reading.chat.said(NOTICE)
        await says(reading, reply(uses("cancel_delegation", id="t1/2/0")))
    assert flags(reading) == [BOTH, BOTH, BOTH]


async def test_a_memory_passes_on_that_private_things_were_read(reading: Bench) -> None:
    async with run(reading):
        await says(reading, reply(search("x")), saves("after private things"))
        assert "after private things" in await digest(reading)
        assert flags(reading) == [PRIVATE, PRIVATE._replace(knows_memories=True)]
    assert reading.rows("SELECT is_confirmed FROM memories") == [(1,)]


async def test_a_memory_after_a_file_is_told_as_before(reading: Bench) -> None:
    async with run(reading):
        await says(reading, READ, saves("after a file"))
        await says(reading, reply(search("file")))
    [result] = reading.model.heard("lead")
    assert "written after reading files, nobody has confirmed" in result


async def test_a_file_that_was_written_after_the_web_makes_its_reader_untrusted(reading: Bench) -> None:
    reading.is_gate_open = True
    async with run(reading):
        await says(
            reading, reply(searches(), found(), text_block("So."), uses("write_file", path="b.md", content="So."))
        )
        assert flags(reading) == [UNTRUSTED]
        await digest(reading)
        assert flags(reading)[1] == NEITHER
        await says(reading, reply(uses("read_file", path="b.md")))
    assert flags(reading)[1] == BOTH


async def test_a_summary_keeps_them(reading: Bench) -> None:
    async with run(reading):
        await says(reading, READ)
    reading.roles[LEAD_ROLE_NAME] = replace(role("lead", "read_file"), prompt="new lead")
    reading.model.says("lead", "the gist of it")
    reading.model.says("new lead", "and now")
    async with run(reading):
        reading.chat.hears("go on")
        assert await reading.chat.said(REPLY) == "and now"
    assert reading.rows("SELECT chapter FROM sessions") == [(2,)]
    assert flags(reading) == [BOTH]


async def test_a_new_conversation_has_none(reading: Bench) -> None:
    async with run(reading):
        await says(reading, READ)
        await digest(reading)
    assert flags(reading) == [BOTH, NEITHER]


async def schedule_after_a_file(bench: Bench) -> tuple[ScheduleBot, Any]:
    """Let a conversation make a schedule after it has read a file, and begin another conversation."""
    bench.is_gate_open = True
    bot, assembly = ScheduleBot(bench), {"tools": make_workspace_and_web_tools(bench.data / "desk")}
    async with bot.run(assembly=assembly):
        await bot.calls(("read_file", {"path": "a.md"}))
        await bot.calls(("schedule_create", {"task": "look", "repeat": "FREQ=DAILY"}))
        await bot.hears("/new")
        await bot.calls()
    assert flags(bench) == [BOTH, NEITHER]
    return bot, assembly


async def test_a_run_of_a_schedule_has_those_of_the_conversation_that_made_it(reading: Bench) -> None:
    bot, assembly = await schedule_after_a_file(reading)
    reading.model.says("lead", "it ran")
    async with bot.run(after=timedelta(days=1), assembly=assembly):
        assert await reading.chat.said(REPLY) == "it ran"
    assert flags(reading) == [BOTH, BOTH]


async def test_a_list_of_schedules_has_those_of_the_conversations_that_made_them(reading: Bench) -> None:
    bot, assembly = await schedule_after_a_file(reading)
    async with bot.run(assembly=assembly):
        await bot.calls(("schedule_list", {}))
    assert flags(reading) == [BOTH, BOTH]


# What people see of them


async def test_the_status_says_what_the_conversation_has_read(reading: Bench) -> None:
    async with run(reading):
        await says(reading, reply(searches(), found(), uses("read_file", path="a.md")))
        reading.chat.hears("/status")
        things = "private files and pages of the web"
        read = people.READ_IN_CONVERSATION(things=things)
        assert await reading.chat.said(NOTICE) == f"{people.NOTHING_AT_WORK()}\n{read}"
        reading.chat.hears("/new")
        await reading.chat.said(NOTICE)
        reading.chat.hears("/status", by="Bob")
        assert await reading.chat.said(NOTICE) == people.NOTHING_AT_WORK()


async def test_in_a_group_chat_the_status_does_not_name_what_stands_there(reading: Bench) -> None:
    async with run(reading):
        await says(reading, by="Bob", quotes=(Quote(author="Eve", text="x"),), **HALL)
        reading.chat.hears("/status", **HALL)
        assert await reading.chat.said(NOTICE) == people.NOTHING_AT_WORK()


def test_what_was_read_has_words_in_german() -> None:
    german = BUILT_IN_LANGUAGES.get("de")
    assert german
    with speaking(german):
        said = what_was_read_text(frozenset({Source.PRIVATE_FILES, Source.FILES, Source.WEB}), PersonId("Ann"))
    assert said == "In diesem Gespräch habe ich private Dateien und Seiten im Web gelesen."
