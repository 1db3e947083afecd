"""`retinue sessions delete`: all that hangs on a conversation goes, and nothing else; never while it is at work."""

import asyncio
import json
import os
import pty
import sqlite3
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from bot.cli import order_client
from bot.cli.sessions import session_reader, texts
from bot.core.messages import OutboundKind
from bot.core.texts import logs
from bot.core.turn import SessionId
from bot.journal import deletion
from bot.store.connection import Connection
from bot.store.deletion import delete_session_rows, find_session_tree
from bot.store.orders import OrderAnswer
from tests.store.test_query_plans import scans
from tests.support.bench import Bench
from tests.support.fakes import Pause, delegates, last_text, reply, uses
from tests.support.running_bot import bench, shell
from tests.support.shell import RETINUE, Shell

__all__ = ["bench", "shell"]

ANSWERS = "SELECT answer FROM orders ORDER BY id"
SESSIONS = "SELECT id FROM sessions ORDER BY rowid"
KEYS = {  # by what a row is known, and whose it is
    "inbox": "key || state || text",
    "sessions": "id",
    "chapters": "session",
    "entries": "session || seq",
    "turns": "id",
    "calls": "id",
    "questions": "id",
    "outbox": "key",
    "requests": "turn",
}


async def talk_of_bob(bench: Bench) -> None:
    bench.model.says("lead", delegates("writer"), "hello Bob")
    bench.model.says("writer", "written")
    bench.chat.hears("hello", by="Bob", chat="bob")
    await bench.chat.part(OutboundKind.REPLY)


async def talk_in_room(bench: Bench) -> None:
    """With all that a turn can leave behind."""
    ask = reply(uses("ask_person", question="which?", options=["red"]))
    bench.model.says("lead", delegates("researcher", "analyst"), delegates("writer", background=True), "begun", "done")
    bench.model.says("researcher", reply(uses("message", text="looking"), uses("change")), "facts")
    bench.model.says("analyst", ask, "figures")
    bench.model.says("writer", "written")
    bench.chat.hears("a secret word")
    question = await bench.chat.part(OutboundKind.QUESTION)
    bench.chat.hears("/status")
    await bench.chat.part(OutboundKind.NOTICE)
    bench.chat.taps(question.message.id, "red")
    for _ in range(2):
        await bench.chat.part(OutboundKind.REPLY)


def id_of(bench: Bench, chat: str = "room") -> SessionId:
    """The newest conversation there."""
    sql = "SELECT id FROM sessions WHERE address = ? AND parent IS NULL ORDER BY rowid DESC LIMIT 1"
    return SessionId(bench.rows(sql, f"fake:{chat}")[0][0])


def rows(bench: Bench) -> dict[str, list[str]]:
    return {table: [key for (key,) in bench.rows(f"SELECT {key} FROM {table}")] for table, key in KEYS.items()}


@pytest.mark.fast
async def test_all_that_hangs_on_it_goes_and_nothing_else(bench: Bench, shell: Shell) -> None:
    async with bench.run():
        await talk_of_bob(bench)
        before = rows(bench)
        await talk_in_room(bench)
    room = id_of(bench)
    said = await shell.retinue("sessions", "delete", room.removeprefix("fake:"), "--yes")
    assert (said.status, said.err) == (0, "")
    assert said.out.startswith(logs.CONVERSATION_DELETED(2, id=room, below=3))
    after = rows(bench)
    words = bench.rows("SELECT text || name FROM inbox WHERE address = 'fake:room' ORDER BY seq")
    assert (
        words == [("",)] * 5
    )  # the message, /status, the answer, the report: their ids alone; and what keeps a number
    for table in KEYS.keys() - {"inbox", "sessions"}:
        assert after[table] == before[table], table
    assert id_of(bench) != room  # it is empty, for what is said there next
    assert sorted(after["sessions"]) == sorted([*before["sessions"], id_of(bench)])
    assert bench.rows("PRAGMA foreign_key_check") == []
    assert (
        b"secret" not in (bench.data / "bot.db").read_bytes()
    )  # nor where a row was, which some builds of SQLite leave
    with closing(sqlite3.connect(bench.data / "bot.db")) as db:
        kept = db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL %'")
        for (table,) in kept.fetchall():  # the indexes of words hold no words that could be read
            assert "secret" not in str(db.execute(f"SELECT * FROM {table}").fetchall()), table
        unused = db.execute("SELECT 1 FROM prefixes WHERE hash NOT IN (SELECT prefix FROM chapters)").fetchall()
        assert not unused


async def test_the_ids_of_its_messages_stay_known(bench: Bench, shell: Shell) -> None:
    bench.model.says("lead", "once", "twice")
    async with bench.run():
        bench.chat.hears("say it", id="m-1")
        assert await bench.chat.said() == "once"
        assert (await shell.retinue("sessions", "delete", id_of(bench), "--yes")).status == 0
        bench.chat.hears("say it", id="m-1")  # the platform sends it again
        bench.chat.hears("again")
        assert await bench.chat.said() == "twice"


async def test_a_running_bot_deletes_the_conversation_and_begins_a_new_one(bench: Bench, shell: Shell) -> None:
    bench.model.says("lead", "noted", "begun anew")
    async with bench.run():
        bench.chat.hears("a secret word")
        await bench.chat.said()
        room = id_of(bench)
        said = await shell.retinue("sessions", "delete", room, "--yes")
        assert (said.status, said.out) == (0, f"{logs.CONVERSATION_DELETED(1, id=room, below=0)}\n")
        bench.chat.hears("what was it?")
        assert await bench.chat.said() == "begun anew"
        assert "secret" not in str(bench.model.seen[-1].transcript)
        assert last_text(bench.model.seen[-1]).endswith("Ann: what was it?")
        assert bench.rows("PRAGMA foreign_key_check") == []
        others = bench.rows("SELECT id FROM sessions WHERE id != ?", room)
        assert len(others) == 1


async def test_a_conversation_at_work_is_not_deleted_and_its_stop_is_told(bench: Bench, shell: Shell) -> None:
    pause = Pause()
    bench.model.says("lead", delegates("researcher"))
    bench.model.says("researcher", pause)
    async with bench.run():
        bench.chat.hears("go")
        await pause.reached.wait()
        before, room = rows(bench), id_of(bench)
        said = await shell.retinue("sessions", "delete", room, "--yes")
        assert (said.status, said.out) == (1, "")
        assert said.err == f"{json.loads(bench.rows(ANSWERS)[-1][0])[0]}\n"
        assert (room in said.err, "2" in said.err, "retinue stop" in said.err) == (True, True, True)
        assert rows(bench) == before
        assert (await shell.retinue("stop")).out == "turns stopped: 1\n"
        await bench.chat.part(OutboundKind.REPLY)
        assert (await shell.retinue("sessions", "delete", room, "--yes")).status == 0


async def test_a_conversation_that_would_go_on_is_not_deleted(bench: Bench) -> None:
    pause = Pause()
    bench.model.says("lead", pause)
    async with bench.run():
        bench.chat.hears("go")
        await pause.reached.wait()
        bench.crashes()
    before = rows(bench)
    said, is_done = shelf_deleted(bench, "room")
    assert not is_done
    assert said == told_of(bench, id_of(bench), is_running=False)
    assert said != told_of(bench, id_of(bench), is_running=True)
    assert "retinue stop" in said
    assert rows(bench) == before


def told_of(bench: Bench, session: SessionId, *, is_running: bool) -> str:
    """What is said of a conversation that is at work, whether a bot runs or not."""
    with closing(connected(bench)) as db:
        return deletion.delete_conversation(
            db, session, order_client.terms_with_default_settings(), is_running=is_running
        ).text


def shelf_deleted(bench: Bench, part: str) -> OrderAnswer:
    """In a process of its own loop, as the command is."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(
            lambda: session_reader.send_or_run_delete_order(
                bench.data, session_reader.find_and_describe_session(bench.data, part)[0]
            )
        ).result()


async def test_an_older_conversation_is_deleted_without_opening_another(bench: Bench) -> None:
    bench.model.says("lead", "one", "two", "three")
    async with bench.run():
        bench.chat.hears("first")
        await bench.chat.said()
        bench.chat.hears("/new")
        bench.chat.hears("second")
        await bench.chat.part(OutboundKind.REPLY)
    (older,), (newer,) = bench.rows(SESSIONS)
    assert shelf_deleted(bench, older)[1]
    assert bench.rows(SESSIONS) == [(newer,)]
    async with bench.run():
        bench.chat.hears("third")
        await bench.chat.said()
    assert "second" in str(bench.model.seen[-1].transcript)


async def test_nobody_who_could_be_asked_is_a_wrong_use(bench: Bench, shell: Shell) -> None:
    async with bench.run():
        await talk_of_bob(bench)
    said = await shell.retinue("sessions", "delete", "bob", stdin="y\n")
    assert said.status == 2
    assert texts.NOBODY_TO_ASK in said.err
    assert (id_of(bench, "bob"),) in bench.rows(SESSIONS)


@pytest.mark.parametrize(("answer", "status", "left"), [("n", 1, 1), ("y", 0, 0)])
async def test_a_person_at_the_terminal_is_asked(
    bench: Bench, shell: Shell, answer: str, status: int, left: int
) -> None:
    async with bench.run():
        await talk_of_bob(bench)
    bob = id_of(bench, "bob")
    ours, theirs = pty.openpty()
    try:
        os.write(ours, f"{answer}\n".encode())
        words = (*RETINUE, "sessions", "delete", "bob")
        said = await asyncio.to_thread(
            subprocess.run, words, cwd=shell.folder, env=shell.environment, stdin=theirs, capture_output=True, text=True
        )
    finally:
        os.close(ours)
        os.close(theirs)
    before, _, after = texts.DELETE_FOR_GOOD.partition("{conversation}")
    assert said.stdout.startswith(f"{before}{bob}, ")
    assert f"{after} [y/N]" in said.stdout
    assert (said.returncode, said.stderr) == (status, f"{texts.NOTHING_DELETED}\n" * left)
    assert bench.rows(SESSIONS).count((bob,)) == left


async def test_a_turn_is_deleted_with_its_conversation_only(bench: Bench, shell: Shell) -> None:
    async with bench.run():
        await talk_of_bob(bench)
    said = await shell.retinue("sessions", "delete", "t1/2/0", "--yes")
    assert said.err == f"Error: {texts.IS_A_TURN(part='t1/2/0')}\n"


async def test_a_sub_session_takes_along_the_turns_that_went_on_in_it(bench: Bench) -> None:
    """A delegation may go on in the sub-session of an earlier one, which another conversation began."""
    async with bench.run():
        await talk_of_bob(bench)
        await talk_in_room(bench)
    room, bob = id_of(bench), id_of(bench, "bob")
    [[later]] = bench.rows("SELECT id FROM turns WHERE role = 'writer' AND address = 'fake:bob'")
    [[earlier]] = bench.rows("SELECT session FROM turns WHERE role = 'researcher'")
    with closing(connected(bench)) as db:
        goes_on = "UPDATE turns SET session = ? WHERE id = ?"
        db.execute(goes_on, (earlier, later))
        goes_on = "UPDATE entries SET session = ?, seq = seq + 90 WHERE session = ?"
        db.execute(goes_on, (earlier, later))
        db.execute("PRAGMA foreign_keys=ON")
        whole = find_session_tree(db, room)
        assert (later in whole.turns, later in whole.topmost_turns, bob in whole.sessions) == (True, True, False)
        delete_session_rows(db, room, whole)
    assert bench.rows("PRAGMA foreign_key_check") == []
    left = bench.rows("SELECT session FROM turns")
    assert set(left) == {(bob,)}


async def test_a_deletion_never_scans_a_growing_table(bench: Bench) -> None:
    async with bench.run():
        await talk_of_bob(bench)
        await talk_in_room(bench)
    begun: list[str] = []
    room = id_of(bench)
    with closing(connected(bench)) as db:
        db.set_trace_callback(begun.append)
        delete_session_rows(db, room, find_session_tree(db, room))
        db.set_trace_callback(None)
        found = {step for statement in begun if not statement.startswith("--") for step in scans(db, statement)}
    large = ("entries", "calls", "requests", "outbox", "turns", "sessions", "chapters", "inbox", "questions", "media")
    assert not [step for step in found if step.split()[1] in large], found


def connected(bench: Bench) -> Connection:
    db = sqlite3.connect(bench.data / "bot.db", factory=Connection, isolation_level=None)
    db.row_factory = sqlite3.Row
    db.start_collecting_wake_ups()
    return db
