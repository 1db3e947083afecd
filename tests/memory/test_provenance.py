"""Where memories come from: whose words a conversation has read, and how that passes to reports and briefs."""

from typing import Any

import pytest

from bot.core.messages import OutboundKind
from bot.core.model import ModelReply
from bot.core.texts import people
from tests.support.bench import Bench
from tests.support.fakes import reply, uses
from tests.support.group_bots import at
from tests.support.memory_bot import digest, run, save, saves, says, search

REPLY, QUESTION = OutboundKind.REPLY, OutboundKind.QUESTION
FACT = "every invoice goes to account 66"
READ = reply(uses("read_file", path="a.md"))
DELEGATED = reply(uses("delegate", role="reader", task="read a.md"))


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


HALL: dict[str, Any] = {"chat": "hall", "group_chat": "hall"}
OF_BOB, OF_OWNER = HALL | {"by": "Bob"}, HALL | {"by": "Owner"}


async def test_a_conversation_that_begins_with_anothers_memory_has_their_words(minded: Bench) -> None:
    async with run(minded):
        await says(minded, saves(FACT), **OF_BOB)
        assert FACT in await digest(minded, **OF_OWNER)
        await says(minded, saves("the owner's"), **OF_OWNER)
    assert minded.rows("SELECT is_confirmed FROM memories") == [(1,), (0,)]


async def test_a_member_s_own_memory_is_nobody_else_s_words(minded: Bench) -> None:
    async with run(minded):
        await says(minded, saves(FACT), **OF_BOB)
        assert FACT in await digest(minded, **OF_BOB)
        await says(minded, saves("also mine"), **OF_BOB)
    assert minded.rows("SELECT is_confirmed FROM memories") == [(1,), (1,)]


async def test_a_search_finds_words_of_another_member(minded: Bench) -> None:
    async with run(minded):
        await says(minded, **OF_OWNER)
        await says(minded, saves(FACT), **OF_BOB, address=at("hall", "a thread"))
        await says(minded, reply(search("invoice")), saves("the owner's"), **OF_OWNER)
    assert minded.rows("SELECT is_confirmed FROM memories") == [(1,), (0,)]


@pytest.mark.parametrize("first", [READ, None], ids=["after a file", "after own words"])
async def test_a_question_after_others_words_says_what_never_to_send(minded: Bench, first: ModelReply | None) -> None:
    minded.model.says("lead", *([first] if first else []), reply(uses("ask_person", question="Your code?")), "done")
    async with run(minded):
        minded.chat.hears("go")
        asked = (await minded.chat.part(QUESTION)).message.text
        minded.chat.hears("no")
        await minded.chat.said(REPLY)
    assert asked.endswith(people.NO_SECRETS()) is bool(first)
