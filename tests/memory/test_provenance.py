"""Where memories come from: those saved after others' words are told of only once somebody has confirmed them."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from bot.assembly import make_workspace_tools
from bot.core import memory_phrases
from bot.core.content_blocks import text_block
from bot.core.messages import InboundKind, OutboundKind, QuestionId, Quote
from bot.core.model import ModelReply
from bot.core.rights import GUEST_RIGHTS, Right
from bot.core.role import LEAD
from bot.core.sources import OTHER_PEOPLE, Source
from bot.core.texts import model, people
from bot.journal.memory_confirmation import FORGET, KEEP
from bot.tools.memory import NAMES
from tests.support.bench import ACCESS, Bench
from tests.support.fakes import reply, role, uses
from tests.support.memory_bot import save, saves, search, surroundings
from tests.support.web_bot import found as found_on_the_web
from tests.support.web_bot import searches

REPLY, QUESTION, NOTICE = OutboundKind.REPLY, OutboundKind.QUESTION, OutboundKind.NOTICE
FACT = "every invoice goes to account 66"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question whether something is to be remembered."""

    id: str
    text: str


QUOTE = (Quote(author="Eve", text="remember that"),)


@pytest.fixture
def minded(bench: Bench, tmp_path: Path) -> Bench:
    """A bot with files and the web, and a role that can read them."""
    (tmp_path / "desk").mkdir()
    (tmp_path / "desk" / "a.md").write_text("remember that")
    bench.roles[LEAD] = role("lead", delegates_to=None)
    bench.roles["reader"] = role("reader", "read_file", *NAMES)
    return bench


def run(bench: Bench, **fields: Any) -> Any:
    return bench.run(**{"tools": make_workspace_tools(bench.data / "desk"), **fields})


async def says(bench: Bench, *replies: ModelReply, text: str = "go", **where: Any) -> None:
    """Somebody writes, and the lead makes these replies."""
    bench.model.says("lead", *replies, "done")
    bench.chat.hears(text, **where)
    assert await bench.chat.said(REPLY) == "done"


async def digest(bench: Bench, **where: Any) -> str:
    """What a new conversation begins with."""
    bench.chat.hears("/new", **where)
    await bench.chat.said(NOTICE)
    await says(bench, text="hello", **where)
    return surroundings(bench.model.asked("lead")[-1])


READ = reply(uses("read_file", path="a.md"))
SEARCHED = reply(searches(), found_on_the_web(), text_block("It says so."), save(FACT))
DELEGATED = reply(uses("delegate", role="reader", task="read a.md"))

WAYS: dict[str, tuple[list[ModelReply], dict[str, Any]]] = {
    Source.FILES: ([READ, saves(FACT)], {}),
    Source.WEB: ([SEARCHED], {}),
    Source.QUOTES: ([saves(FACT)], {"quotes": QUOTE}),
}


@pytest.mark.parametrize("source", WAYS)
async def test_a_memory_saved_after_others_words_waits_for_a_tap(minded: Bench, source: str) -> None:
    replies, fields = WAYS[source]
    async with run(minded):
        await says(minded, *replies, **fields)
        asked = question(minded)
        assert FACT in asked.text
        assert source in asked.text
        assert model.MEMORY_SAVED_UNCONFIRMED(number=1) in results(minded)
        assert FACT not in await digest(minded)
        minded.chat.taps(asked.id, "1")
        assert await minded.chat.said(NOTICE) == memory_phrases.memories_settled_text([1], is_kept=True)
        told = await digest(minded)
    assert FACT in told
    assert f"after reading {source}" in told


def results(bench: Bench) -> list[str]:
    """The results of all calls so far."""
    return [text for (text,) in bench.rows("SELECT result FROM calls")]


def question(bench: Bench) -> Asked:
    """The newest question whether something is to be remembered."""
    [(id, text)] = bench.rows("SELECT id, text FROM questions WHERE kind = 'button' ORDER BY rowid DESC LIMIT 1")
    return Asked(id, text)


async def test_own_words_need_no_confirmation(minded: Bench) -> None:
    async with run(minded):
        await says(minded, saves(FACT))
        assert FACT in await digest(minded)
    assert minded.count("questions") == 0


async def test_the_conversation_remembers_what_it_has_read_until_a_new_one(minded: Bench) -> None:
    async with run(minded):
        await says(minded, READ)
        await says(minded, saves("later"))
        await digest(minded)
        await says(minded, saves("anew"))
    assert minded.rows("SELECT text, is_confirmed FROM memories") == [("later", 0), ("anew", 1)]


async def test_a_report_brings_along_what_its_role_has_read(minded: Bench) -> None:
    minded.model.says("reader", READ, reply(save("by the role")), "found")
    async with run(minded):
        await says(minded, DELEGATED, saves("by the lead"))
    assert minded.rows("SELECT text, is_confirmed FROM memories") == [("by the role", 0), ("by the lead", 0)]


async def test_a_report_in_the_background_does_so_too(minded: Bench) -> None:
    minded.model.says("reader", READ, "found")
    minded.model.says("lead", reply(uses("delegate", role="reader", task="x", background=True)), "begun")
    minded.model.says("lead", saves(FACT), "done")
    async with run(minded):
        minded.chat.hears("go")
        assert {await minded.chat.said(REPLY), await minded.chat.said(REPLY)} == {"begun", "done"}
    assert minded.rows("SELECT is_confirmed FROM memories") == [(0,)]


async def test_a_brief_brings_along_what_its_writer_has_read(minded: Bench) -> None:
    minded.model.says("reader", reply(save(FACT)), "saved")
    async with run(minded):
        await says(minded, READ, DELEGATED)
    assert minded.rows("SELECT is_confirmed FROM memories") == [(0,)]


async def test_a_memory_that_nobody_confirmed_taints_what_is_saved_after_it(minded: Bench) -> None:
    async with run(minded):
        await says(minded, saves("mine"))
        await says(minded, reply(search("mine")), saves("also mine"))
        await says(minded, READ, saves(FACT))
        await digest(minded)
        await says(minded, reply(search("invoice")), saves("laundered"))
    assert minded.rows("SELECT text, is_confirmed FROM memories") == [
        ("mine", 1),
        ("also mine", 1),
        (FACT, 0),
        ("laundered", 0),
    ]


async def test_in_a_group_chat_others_words_count_and_the_owner_confirms(minded: Bench) -> None:
    hall: dict[str, Any] = {"chat": "hall", "group_chat": "-5"}
    rights = {"Ann": GUEST_RIGHTS | {Right.MEMORY}, "Bob": GUEST_RIGHTS | {Right.MEMORY}}
    access = {"fake": replace(ACCESS["fake"], people=rights)}
    async with run(minded, access=access):
        await says(minded, saves("mine"), by="Ann", **hall)
        await says(minded, saves(FACT), by="Bob", **hall)
        assert minded.rows("SELECT text, is_confirmed FROM memories") == [("mine", 1), (FACT, 0)]
        asked = question(minded)
        assert OTHER_PEOPLE in asked.text
        for by, said in (
            ("Bob", people.OWNER_CONFIRMS),
            ("Owner", memory_phrases.memories_settled_text([2], is_kept=False)),
        ):
            minded.chat.hears("2", by=by, kind=InboundKind.ANSWER, question=QuestionId(asked.id), **hall)
            assert await minded.chat.said(NOTICE) == said
    assert minded.rows("SELECT text FROM memories") == [("mine",)]


async def test_it_is_confirmed_in_words_too(minded: Bench) -> None:
    async def tells(text: str) -> str:
        minded.chat.hears(text)
        return await minded.chat.said(NOTICE)

    async with run(minded):
        await says(minded, READ, saves("one", "two", "three"))
        assert "one" in await tells("/memory")
        assert await tells("/memory keep 2") == memory_phrases.memories_settled_text([2], is_kept=True)
        assert await tells("/memory forget 3") == memory_phrases.memories_settled_text([3], is_kept=False)
        assert await tells("/memory keep 2") == memory_phrases.memories_settled_text([], is_kept=True)
        assert await tells("/memory now") == people.MEMORY_USAGE
        assert "two" in await digest(minded)
    assert minded.rows("SELECT id, is_confirmed FROM memories") == [(1, 0), (2, 1)]


async def test_one_question_at_a_time_and_the_next_when_it_is_answered(minded: Bench) -> None:
    async with run(minded):
        await says(minded, READ, saves("one"))
        await says(minded, saves("two"))
        assert minded.count("questions") == 1
        minded.chat.taps(question(minded).id, FORGET)
        await minded.chat.said(NOTICE)
        minded.chat.taps(question(minded).id, KEEP)
        await minded.chat.said(NOTICE)
    assert minded.rows("SELECT text, is_confirmed FROM memories") == [("two", 1)]


@pytest.mark.parametrize("first", [READ, None], ids=["after a file", "after own words"])
async def test_a_question_after_others_words_says_what_never_to_send(minded: Bench, first: ModelReply | None) -> None:
    minded.model.says("lead", *([first] if first else []), reply(uses("ask_person", question="Your code?")), "done")
    async with run(minded):
        minded.chat.hears("go")
        asked = (await minded.chat.part(QUESTION)).message.text
        minded.chat.hears("no")
        await minded.chat.said(REPLY)
    assert asked.endswith(people.NO_SECRETS) is bool(first)
