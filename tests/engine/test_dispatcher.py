"""Which turns run: root turns that can be opened, and at a clean stop only those that are at work."""

import asyncio
import sqlite3
import time
from contextlib import closing

from bot.core.languages import ENGLISH, speaking
from bot.core.languages.language_file import BUILT_IN_LANGUAGES
from bot.core.messages import OutboundKind
from bot.core.texts import people
from tests.support.bench import Bench
from tests.support.fakes import Pause, delegates, reply, uses
from tests.support.troubles import goes_round

RECEIVED = "SELECT text FROM inbox WHERE state = 'received'"
REPLY, QUESTION = OutboundKind.REPLY, OutboundKind.QUESTION


async def test_a_message_that_can_open_no_turn_is_set_aside_and_delays_nothing(bench: Bench) -> None:
    async with bench.run():
        await goes_round(bench)
    with closing(sqlite3.connect(bench.data / "bot.db")) as db, db:  # as a bug of an earlier version left it
        columns = "key, address, person, name, origin, kind, text, sent_at, kept_at"
        for key, chat, sent_at in (
            ("odd", "room", "yesterday"),
            ("good", "room", "2026-01-01"),
            ("other", "b", "2026"),
        ):
            values = (key, f"fake:{chat}", "Ann", "Ann", "person", "text", key, sent_at, "2026-01-01")
            db.execute(f"INSERT INTO inbox ({columns}) VALUES ({', '.join('?' * 9)})", values)
    bench.model.says("lead", "to the good one")
    async with bench.run():
        said = [await bench.chat.said() for _ in range(3)]
    assert sorted(said) == [people.UNREADABLE(), people.UNREADABLE(), "to the good one"]
    assert bench.select("key, state, why", "inbox", "state = 'aside'", order="key") == [
        ("odd", "aside", "ValueError"),
        ("other", "aside", "ValueError"),
    ]


async def test_a_clean_stop_lets_the_running_turn_finish_and_opens_no_other(bench: Bench) -> None:
    bench.stop_seconds = 10
    pause = Pause("to Ann")
    bench.model.says("lead", pause)
    async with bench.run() as until:
        bench.chat.hears("go")
        await pause.reached.wait()
        bench.chat.hears("me too", by="Bob")
        await bench.chat.is_taken_in()
        until.set()
        await asyncio.sleep(0.01)  # the channel is let go
        bench.chat.hears("anybody?", by="Bob")
        pause.go_on.set()
    assert (await bench.chat.part(REPLY)).text == "to Ann"
    assert bench.chat.sent.qsize() == 0
    assert bench.rows(RECEIVED) == [("me too",)]
    bench.model.says("lead", "to Bob", "to Bob again")
    async with bench.run():
        assert await bench.chat.said(REPLY) == "to Bob"


async def test_a_clean_stop_does_not_wait_for_a_person(bench: Bench) -> None:
    bench.stop_seconds = 10
    bench.model.says("lead", delegates("analyst"), "so be it")
    bench.model.says("analyst", reply(uses("ask_person", question="which?", options=["red"])), "red then")
    async with bench.run():
        bench.chat.hears("go")
        await bench.chat.part(QUESTION)
        began = time.monotonic()
    assert time.monotonic() - began < 5
    async with bench.run():
        bench.chat.hears("red")
        assert await bench.chat.said(REPLY) == "so be it"


async def test_a_set_aside_message_is_told_in_the_language_of_its_writer(bench: Bench) -> None:
    async with bench.run():
        bench.chat.hears("/language de")
        await bench.chat.said()
    with closing(sqlite3.connect(bench.data / "bot.db")) as db, db:  # as a bug of an earlier version left it
        columns = "key, address, person, name, origin, kind, text, sent_at, kept_at"
        for key, group_chat in (("private", None), ("shared", "room")):
            values = (key, f"fake:{key}", "Ann", "Ann", "person", "text", key, "yesterday", "2026-01-01", group_chat)
            db.execute(f"INSERT INTO inbox ({columns}, group_chat) VALUES ({', '.join('?' * 10)})", values)
    async with bench.run():
        said = [await bench.chat.said() for _ in range(2)]
    with speaking(BUILT_IN_LANGUAGES.get("de") or ENGLISH):
        in_german = people.UNREADABLE()
    assert sorted(said) == sorted([people.UNREADABLE(), in_german])
