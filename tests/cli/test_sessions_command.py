"""`retinue sessions`: what an operator sees of the conversations, beside a running bot and without one."""

import json
import re
import sqlite3
from contextlib import closing
from typing import Any

import click
import pytest

from bot.cli.sessions import session_reader, texts
from bot.core.messages import OutboundKind
from bot.store import session_records
from bot.store.connection import Connection
from tests.support.bench import Bench
from tests.support.fakes import Pause, delegates, reply, uses
from tests.support.running_bot import bench, shell
from tests.support.shell import Shell

__all__ = ["bench", "shell"]

ROOM = "fake:room#1"


async def talk(bench: Bench) -> None:
    """Two conversations: one with two delegations, another of a single turn."""
    bench.model.says("lead", delegates("researcher", "analyst"), "found\nboth", "you are welcome", "hello Bob")
    bench.model.says("researcher", reply(uses("message", text="looking")), "facts")
    bench.model.says("analyst", reply(uses("read")), "figures")
    for text, fields in [("compare them", {}), ("thanks", {}), ("hello", {"by": "Bob", "chat": "bob"})]:
        bench.chat.hears(text, **fields)
        await bench.chat.part(OutboundKind.REPLY)


# What there is


async def test_conversations_are_listed_newest_first_and_sub_sessions_are_not(bench: Bench, shell: Shell) -> None:
    async with bench.run():
        await talk(bench)
        said = await shell.retinue("sessions")
    assert (said.status, said.err) == (0, "")
    bob, room = said.out.splitlines()
    assert re.fullmatch(r"fake:bob#\d+   20\d\d-\d\d-\d\d \d\d:\d\d  1 turn, \$0\.00: hello", bob)
    assert re.fullmatch(r"fake:room#\d+  20\S+ \S+  2 turns, 2 delegations, \$0\.01: compare them", room)
    assert (await shell.retinue("sessions", "list")).out == said.out


async def test_of_many_the_newest_are_shown_and_the_others_counted(bench: Bench) -> None:
    async with bench.run():
        await talk(bench)
    [bob, more] = session_reader.session_list_lines(bench.data, 1)
    assert bob.startswith("fake:bob#")
    assert more == texts.OLDER_LEFT_OUT(1)
    assert len(session_reader.session_list_lines(bench.data, 0)) == 2


async def test_one_that_is_spoken_in_again_is_listed_first(bench: Bench) -> None:
    async with bench.run():
        await talk(bench)
        bench.model.says("lead", "again")
        bench.chat.hears("and now?")
        await bench.chat.part(OutboundKind.REPLY)
    room, bob = session_reader.session_list_lines(bench.data, 0)
    assert (room.startswith("fake:room#1"), bob.startswith("fake:bob#")) == (True, True)
    assert session_reader.session_list_lines(bench.data, 1)[0].split() == room.split()


async def test_a_turn_at_work_is_listed_as_that(bench: Bench) -> None:
    pause = Pause()
    bench.model.says("lead", pause)
    async with bench.run():
        bench.chat.hears("go")
        await pause.reached.wait()
        [line] = session_reader.session_list_lines(bench.data, 0)
        assert f"1 turn, $0.00, {texts.AT_WORK}: go" in line
        pause.go_on.set()
        await bench.chat.said()


@pytest.mark.fast
async def test_the_tree_tells_role_status_time_cost_and_task(bench: Bench, shell: Shell) -> None:
    async with bench.run():
        await talk(bench)
        said = await shell.retinue("sessions", "show", "room#1")
    facts, _, *tree = said.out.splitlines()
    assert re.fullmatch(
        r"fake:room#1, opened 20\S+ \S+: 2 turns, 2 delegations, 7,700 tokens not from the cache, \$0\.01", facts
    )
    first, researcher, analyst, _, second = tree
    assert re.fullmatch(r"t1  Lead: completed, \d+ s, \$0\.01: compare them", first)
    assert re.fullmatch(r"  t1/2/0  Researcher: completed, \d+ s, \$0\.00: researcher's part", researcher)
    assert re.fullmatch(r"  t1/2/1  Analyst: completed, \d+ s, \$0\.00: analyst's part", analyst)
    assert re.fullmatch(r"t2  Lead: completed, \d+ s, \$0\.00: thanks", second)


async def test_a_background_delegation_is_in_the_tree(bench: Bench) -> None:
    bench.model.says("lead", delegates("writer", background=True), "begun", "it is written")
    bench.model.says("writer", "written")
    async with bench.run():
        bench.chat.hears("write")
        for _ in range(2):
            await bench.chat.part(OutboundKind.REPLY)
    lines = session_reader.session_or_turn_lines(bench.data, ROOM, is_whole=False)
    assert any(line.startswith(f"  t1/2/0  {texts.IN_BACKGROUND(role='Writer')}: completed, ") for line in lines)


async def test_the_transcript_of_a_delegation_is_read_by_its_id(bench: Bench, shell: Shell) -> None:
    async with bench.run():
        await talk(bench)
    said = await shell.retinue("sessions", "show", "t1/2/1", "--transcript")
    text = said.out
    assert text.startswith(f"{texts.PART_OF(conversation='fake:room#1')}\n\nt1/2/1  Analyst: completed, ")
    assert [line for line in text.splitlines() if line.startswith("###")] == [
        texts.ENTRY(number=1, writer=texts.TO_ROLE(role="Analyst")),
        texts.ENTRY(number=2, writer="Analyst"),
        texts.ENTRY(number=3, writer=texts.RESULTS_TO_ROLE(role="Analyst")),
        texts.ENTRY(number=4, writer="Analyst"),
    ]
    for words in ("analyst's part", texts.CALLS_TOOL(tool="read"), "```\nread\n```", "figures"):
        assert words in text
    assert "facts" not in text


async def test_the_transcript_of_a_conversation_is_every_word_of_the_lead(bench: Bench) -> None:
    async with bench.run():
        await talk(bench)
    text = "\n".join(session_reader.session_or_turn_lines(bench.data, ROOM, is_whole=True))
    for words in (
        "Ann: compare them",
        texts.CALLS_TOOL(tool="delegate"),
        "[Researcher]: facts",
        "found\nboth",
        "you are welcome",
    ):
        assert words in text
    of_one_turn = "\n".join(session_reader.session_or_turn_lines(bench.data, "t2", is_whole=True))
    assert ("Ann: thanks" in of_one_turn, "compare" in of_one_turn) == (True, False)


async def test_a_terminal_does_not_obey_what_was_said(bench: Bench) -> None:
    bench.model.says("lead", "\x1b[2Jgone")
    async with bench.run():
        bench.chat.hears("a\x1b]0;title\x07b")
        await bench.chat.said()
    for whole in (False, True):
        assert "\x1b" not in "\n".join(session_reader.session_or_turn_lines(bench.data, ROOM, is_whole=whole))
    assert "\x1b" not in session_reader.session_as_markdown(bench.data, ROOM) + "\n".join(
        session_reader.session_list_lines(bench.data, 0)
    )


async def test_a_mere_look_changes_nothing(bench: Bench, shell: Shell) -> None:
    async with bench.run():
        await talk(bench)
    before = {path: path.read_bytes() for path in bench.data.iterdir()}
    for words in (["list"], ["show", "room"], ["show", "t1/2/0", "--transcript"], ["export", "room", "--json"]):
        assert (await shell.retinue("sessions", *words)).status == 0
    assert {path: path.read_bytes() for path in before} == before
    wal = bench.data / "bot.db-wal"  # SQLite leaves it there, for want of the right to take it away
    assert not wal.exists() or wal.stat().st_size == 0


# Which one is meant


@pytest.mark.parametrize("part", ["fake:room#1", "room#1", "fake:room", "roo"])
async def test_a_part_that_no_other_has_is_enough(bench: Bench, part: str) -> None:
    async with bench.run():
        await talk(bench)
    assert session_reader.session_or_turn_lines(bench.data, part, is_whole=False)[0].startswith("fake:room#1, ")


async def test_an_id_may_begin_as_an_option_does(bench: Bench, shell: Shell) -> None:
    bench.model.says("lead", "hello")
    async with bench.run():
        bench.chat.hears("go", chat="-1001234")
        await bench.chat.said()
    for words in (["show", "-1001234", "--transcript"], ["export", "-1001234#1"], ["delete", "--yes", "-1001234#1"]):
        said = await shell.retinue("sessions", *words)
        assert (said.status, said.err, "fake:-1001234#1" in said.out) == (0, "", True)


async def test_an_unknown_id_is_told_with_the_nearest_and_a_partial_id_with_all(bench: Bench, shell: Shell) -> None:
    async with bench.run():
        await talk(bench)
    said = await shell.retinue("sessions", "show", "fake:rom#1")
    assert (said.status, said.out) == (1, "")
    assert said.err == f"Error: {texts.NO_SUCH_BUT['conversation'](part='fake:rom#1', nearest='fake:room#1')}\n"
    ids = ", ".join(id for (id,) in bench.rows("SELECT id FROM sessions WHERE id LIKE 'fake:%' ORDER BY id"))
    with pytest.raises(click.ClickException) as refused:
        session_reader.session_as_markdown(bench.data, "fake")
    assert refused.value.message == texts.MAY_BE_ANY_OF(part="fake", ids=ids)
    with pytest.raises(click.ClickException) as refused:
        session_reader.session_or_turn_lines(bench.data, "t9/9/9", is_whole=False)
    assert refused.value.message.startswith(texts.NO_SUCH_BUT["turn"](part="t9/9/9", nearest="t"))


async def test_a_list_without_conversations_makes_nothing(shell: Shell) -> None:
    for words in ((), ("show", "1")):
        said = await shell.retinue("sessions", *words)
        assert (said.status, said.out) == (1, "")
        assert said.err == f"Error: {texts.NO_ROWS(folder=shell.data)}\n"
    assert not shell.data.exists()


async def test_a_file_of_an_earlier_version_waits_for_the_next_start(shell: Shell) -> None:
    shell.data.mkdir()
    with closing(sqlite3.connect(shell.data / "bot.db")) as db:
        db.execute("CREATE TABLE sessions (id)")
    said = await shell.retinue("sessions")
    assert said.status == 2
    assert said.err == f"retinue: {texts.OLD_ROWS(path=shell.data / 'bot.db')}\n"


async def test_the_demos_conversations_are_listed_if_there_are_no_others(bench: Bench, shell: Shell) -> None:
    demo = Bench(bench.data / "demo")
    demo.data.mkdir()
    demo.model.says("lead", "a script")
    async with demo.run():
        demo.chat.hears("play")
        await demo.chat.said()
    said = await shell.retinue("sessions", "--config", str(shell.folder / "config.json"))
    assert (said.out.count("\n"), said.err) == (1, f"{texts.THOSE_WITH_THE_DEMO}\n")
    async with bench.run():
        await talk(bench)
    here, there = await shell.retinue("sessions"), await shell.retinue("sessions", "list", "--demo")
    assert ("play" in here.out, "play" in there.out, there.err) == (False, True, "")


# To take along


@pytest.mark.fast
async def test_as_markdown_it_holds_the_tree_and_every_transcript(bench: Bench, shell: Shell) -> None:
    async with bench.run():
        await talk(bench)
    said = await shell.retinue("sessions", "export", "room#1")
    headings = [line for line in said.out.splitlines() if re.match("##? ", line)]
    assert headings == [
        texts.TITLE(conversation="fake:room#1"),
        f"## {texts.TRANSCRIPT}",
        "## Researcher, t1/2/0",
        "## Analyst, t1/2/1",
    ]
    for words in ("  t1/2/0  Researcher: completed", "compare them", "found\nboth", "facts", "figures", "looking"):
        assert words in said.out


async def test_as_json_nothing_is_left_out(bench: Bench, shell: Shell) -> None:
    async with bench.run():
        await talk(bench)
    found = json.loads((await shell.retinue("sessions", "export", "room#1", "--json")).out)
    assert found["id"] == "fake:room#1"
    first, second = found["turns"]
    assert [each["role"] for each in first["delegations"]] == ["researcher", "analyst"]
    assert (first["report"], second["delegations"], first["usage"]["requests"]) == ("found\nboth", [], 6)
    assert first["cost_usd"] > first["delegations"][0]["cost_usd"] > 0
    entries = {
        (session, entry["number"]): entry["content"]
        for session, transcript in found["transcripts"].items()
        for entry in transcript
    }
    rows = bench.rows("SELECT session, seq, body FROM entries WHERE session NOT LIKE 'fake:bob%'")
    assert entries == {(session, seq): json.loads(body) for session, seq, body in rows}


async def test_a_fence_holds_against_any_result(bench: Bench) -> None:
    bench.model.says("lead", "```\ncode\n```", reply(uses("read", path="````")), "done")
    async with bench.run():
        for text in ("one", "two"):
            bench.chat.hears(text)
            await bench.chat.said()
    text = session_reader.session_as_markdown(bench.data, ROOM)
    assert '`````json\n{\n  "path": "````"\n}\n`````' in text


async def test_every_record_of_a_turn_can_be_read_while_others_are_written(bench: Bench) -> None:
    pause = Pause("facts")
    bench.model.says("lead", delegates("researcher"), "found")
    bench.model.says("researcher", pause)
    async with bench.run():
        bench.chat.hears("go")
        await pause.reached.wait()
        [top] = session_reader.read_database_or_fail(
            bench.data,
            lambda db: session_records.load_root_turn_records(
                db, session_records.find_conversation_of_turn(db, top_of(db))
            ),
        )
        [below] = top.delegations
        assert (top.state, below.state, below.duration_seconds) == ("running", "running", None)
        pause.go_on.set()
        await bench.chat.said()


def top_of(db: Connection) -> Any:
    return session_records.list_turn_ids(db)[-1]
