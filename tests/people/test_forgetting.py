"""A person is forgotten: none of their words is left in the file, and what others wrote is."""

import asyncio
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

from bot.core.content_blocks import text_block
from bot.core.messages import OutboundKind, Quote
from bot.core.prices import Usage
from bot.core.role import LEAD_ROLE_NAME
from bot.core.texts import people as people_texts
from bot.core.texts import people_accounts as texts
from bot.tools.memory import MEMORY_TOOL_NAMES
from tests.support.bench import Bench
from tests.support.claude_bot import open_talk
from tests.support.engine_options import engine_options
from tests.support.fakes import Pause, reply, role, uses
from tests.support.forgotten_people import SECRETS, bytes_of_file, forget, talk
from tests.support.memory_bot import save
from tests.support.patience import PATIENCE
from tests.support.schedule_bot import ScheduleBot
from tests.support.troubles import has_row

NOTICE, QUESTION, REPLY = OutboundKind.NOTICE, OutboundKind.QUESTION, OutboundKind.REPLY


async def test_nothing_of_a_forgotten_person_is_left_in_the_file(bench: Bench) -> None:
    async with bench.run():
        await talk(bench, "Ann", "ann", *SECRETS)
        await talk(bench, "Bob", "bob", "Cashew", "Cashew", "Cashew")
        before = bytes_of_file(bench.data)
        assert all(word.encode() in before for word in SECRETS)
        assert await forget(bench) == texts.FORGOTTEN()
        await has_row(bench, "SELECT 1 FROM outbox WHERE text LIKE 'I have forgotten%' AND state = 'sent'")
    after = bytes_of_file(bench.data)
    assert [word for word in SECRETS if word.encode() in after] == []
    assert b"cashew" in after
    assert bench.count("memories") == 1


async def test_what_a_kill_has_left_in_the_log_is_gone_after_the_start(bench: Bench) -> None:
    async with bench.run():
        await talk(bench, "Bob", "bob", "Cashew", "Cashew", "Cashew")
    with closing(sqlite3.connect(bench.data / "bot.db", isolation_level=None)) as db:  # it leaves its log behind
        db.execute("PRAGMA wal_autocheckpoint=0")
        db.execute("UPDATE memories SET text = 'walnut'")
        db.execute("UPDATE memories SET text = 'nothing'")
        assert b"walnut" in bytes_of_file(bench.data)
        async with bench.run(), asyncio.timeout(PATIENCE):
            while b"walnut" in bytes_of_file(bench.data):  # noqa: ASYNC110 -- a file tells nobody
                await asyncio.sleep(0.01)


async def test_the_reminders_of_a_forgotten_person_go(bench: Bench) -> None:
    bench.roles[LEAD_ROLE_NAME] = role("lead", "remind_me")
    for word in ("Brazil nut", "Cashew"):
        bench.model.says("lead", reply(uses("remind_me", text=word, when="in 2 days")), "noted")
    async with bench.run():
        for name in ("Ann", "Bob"):
            bench.chat.hears("remind me", by=name, chat=name.lower())
            assert await bench.chat.said(REPLY) == "noted"
        assert b"brazil nut" in bytes_of_file(bench.data)
        assert await forget(bench) == texts.FORGOTTEN()
    assert b"brazil nut" not in bytes_of_file(bench.data)
    assert [text for (text,) in bench.rows("SELECT text FROM schedules")] == ["Cashew"]


async def test_in_a_group_chat_only_what_is_of_the_person_goes(bench: Bench) -> None:
    async with bench.run():
        await talk(bench, "Ann", "hall", *SECRETS, group_chat="-5")
        await talk(bench, "Bob", "hall", "Cashew", "Macadamia", "Almond", group_chat="-5")
        assert await forget(bench) == texts.FORGOTTEN()
        await talk(bench, "Bob", "hall", "Peanut", "Peanut", "Peanut", group_chat="-5")
    after = bytes_of_file(bench.data)
    assert [word for word in SECRETS if word.encode() in after] == []
    assert all(word in after for word in (b"cashew", b"macadamia", b"almond", b"peanut"))
    assert bench.model.asked("lead")[-2].transcript[1:] == ()  # a transcript with gaps does not go on
    assert bench.select("asker", "memories") == [("Bob",), ("Bob",)]


async def test_a_person_who_changes_their_mind_keeps_everything(bench: Bench) -> None:
    async with bench.run():
        await talk(bench, "Ann", "ann", *SECRETS)
        assert await forget(bench, option=texts.KEEP_OPTION()) == texts.NOTHING_FORGOTTEN()
    assert bench.count("memories") == 1
    assert bench.count("sessions", "parent IS NULL") == 1


async def test_a_person_is_not_forgotten_while_something_works_for_them(bench: Bench) -> None:
    pause = Pause()
    async with bench.run():
        bench.model.says("lead", pause)
        bench.chat.hears("go", by="Ann", chat="hall", group_chat="-5")
        await pause.reached.wait()
        bench.chat.hears("/forget everything", by="Ann", chat="ann")
        question = (await bench.chat.part(QUESTION)).message.id
        bench.chat.taps(question, texts.FORGET_OPTION(), by="Ann", chat="ann")
        assert await bench.chat.said(NOTICE) == texts.FORGET_AT_WORK()
        pause.go_on.set()
        await bench.chat.said(REPLY)
        bench.chat.taps(question, texts.FORGET_OPTION(), by="Ann", chat="ann")
        assert await bench.chat.said(NOTICE) == texts.FORGOTTEN()


async def test_only_the_person_who_asked_can_have_it_done(bench: Bench) -> None:
    async with bench.run():
        bench.chat.hears("/forget everything", by="Ann", chat="ann")
        question = (await bench.chat.part(QUESTION)).message.id
        bench.chat.taps(question, texts.FORGET_OPTION(), by="Bob", chat="ann")
        assert await bench.chat.said(NOTICE) == people_texts.QUESTION_FOR_ANOTHER()
        bench.chat.hears("/forget everything", by="Ann", chat="hall", group_chat="-5")
        assert await bench.chat.said(NOTICE) == texts.LINK_ONLY_IN_PRIVATE()
        bench.chat.hears("/forget", by="Ann", chat="ann")
        assert await bench.chat.said(NOTICE) == texts.FORGET_USAGE()


async def test_settings_and_links_of_a_forgotten_person_go(bench: Bench) -> None:
    async with bench.run():
        bench.chat.hears("/link", by="Ann", chat="ann")
        code = (await bench.chat.said(NOTICE)).split("/link ")[1].split()[0]
        bench.chat.hears(f"/link {code}", by="Bob", chat="bob")
        await bench.chat.said(NOTICE)
        await talk(bench, "Bob", "bob", *SECRETS)
        assert bench.count("linked_accounts") == 2
        while not bench.chat.sent.empty():
            bench.chat.sent.get_nowait()
        assert await forget(bench) == texts.FORGOTTEN()
    assert bench.count("linked_accounts") == bench.count("memories") == 0


async def test_a_person_may_write_again_after_being_forgotten(bench: Bench) -> None:
    async with bench.run():
        await talk(bench, "Ann", "ann", *SECRETS)
        await forget(bench)
        await talk(bench, "Ann", "ann", "hello", "Cashew", "hello again")
    assert bench.model.heard("lead", -2) == ["Ann: hello"]


async def test_reminders_that_came_go_with_the_person_too(bench: Bench) -> None:
    bot = ScheduleBot(bench)
    async with bot.run():
        await bot.calls(("remind_me", {"text": "Brazil nut", "when": "PT20M"}), by="Ann", chat="hall", group_chat="-5")
    async with bot.run(after=timedelta(hours=1)):
        assert "Brazil nut" in await bench.chat.said()
        assert b"brazil nut" in bytes_of_file(bench.data)
        assert await forget(bench) == texts.FORGOTTEN()
    assert b"brazil nut" not in bytes_of_file(bench.data)
    assert bench.count("schedules") == 0


async def test_the_summary_of_a_shared_conversation_goes_with_a_person_in_it(bench: Bench) -> None:
    long = reply(text_block("noted"), usage=Usage(input=10_000, output=10))
    bench.model.says("lead", long, "Ann likes walnuts, Bob likes cashews", "so you do")
    bench.roles[LEAD_ROLE_NAME] = role("lead")
    async with bench.run(**engine_options(model__lead="some/local-model", model__context_tokens=10_000)):
        for by, text, answer in (("Ann", "I like walnuts", "noted"), ("Bob", "I like cashews", "so you do")):
            bench.chat.hears(text, by=by, chat="hall", group_chat="-5")
            assert await bench.chat.said(REPLY) == answer
        assert b"walnuts" in bytes_of_file(bench.data)
        assert bench.select("max(chapter)", "chapters") == [(2,)]
        assert await forget(bench) == texts.FORGOTTEN()
    assert b"walnuts" not in bytes_of_file(bench.data)
    assert "I like cashews" in str(bench.select("body", "entries"))


async def test_the_digests_of_a_shared_conversation_go_with_a_person_in_it(tmp_path: Path) -> None:
    async with open_talk(tmp_path) as talk, talk.run():
        chat = talk.bench.chat
        for by in ("Ann", "Bob"):
            chat.hears(f"I am {by}", by=by, chat="hall", group_chat="-5")
            await chat.said(REPLY)
        chat.hears("hello", by="Bob", chat="bob")
        await chat.said(REPLY)
        assert await forget(talk.bench) == texts.FORGOTTEN()
        has_digest = "json_type(sent, '$.digest') IS NOT NULL"
        assert talk.bench.select(f"turn, {has_digest}", "requests", order="id") == [("t2", 0), ("t3", 1)]


async def test_a_person_is_not_forgotten_while_a_shared_conversation_is_at_work(bench: Bench) -> None:
    pause = Pause("hello Bob")
    bench.model.says("lead", "hello Ann", pause)
    async with bench.run():
        bench.chat.hears("hello", by="Ann", chat="hall", group_chat="-5")
        assert await bench.chat.said(REPLY) == "hello Ann"
        bench.chat.hears("hello", by="Bob", chat="hall", group_chat="-5")
        await pause.reached.wait()
        bench.chat.hears("/forget everything", by="Ann", chat="ann")
        question = (await bench.chat.part(QUESTION)).message.id
        bench.chat.taps(question, texts.FORGET_OPTION(), by="Ann", chat="ann")
        assert await bench.chat.said(NOTICE) == texts.FORGET_OTHERS_AT_WORK()
        pause.go_on.set()
        assert await bench.chat.said(REPLY) == "hello Bob"
        bench.chat.taps(question, texts.FORGET_OPTION(), by="Ann", chat="ann")
        assert await bench.chat.said(NOTICE) == texts.FORGOTTEN()


async def test_a_question_that_quotes_a_forgotten_memory_goes(bench: Bench) -> None:
    bench.roles[LEAD_ROLE_NAME] = role("lead", *MEMORY_TOOL_NAMES)
    quotes = (Quote(author="Eve", text="remember that"),)  # others' words: somebody has to confirm what is saved
    async with bench.run():
        for name, word in (("Ann", "walnut"), ("Bob", "cashew")):
            bench.model.says("lead", reply(save(f"{name} likes {word}")), "noted")
            bench.chat.hears("note it", by=name, chat="hall", group_chat="-5", quotes=quotes)
            assert await bench.chat.said(REPLY) == "noted"
        [asked] = bench.rows("SELECT text FROM questions WHERE kind = 'button'")
        assert "walnut" in asked[0]
        assert await forget(bench) == texts.FORGOTTEN()
        await has_row(bench, "SELECT 1 FROM questions WHERE text LIKE '%cashew%' AND state = 'open'")
        await has_row(bench, "SELECT 1 FROM outbox WHERE text LIKE '%cashew%' AND options != '[]' AND state = 'sent'")
    assert b"walnut" not in bytes_of_file(bench.data)
