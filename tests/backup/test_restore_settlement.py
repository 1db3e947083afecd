"""A restored bot: what was open is in doubt, each chat concerned hears of it once, and the conversation goes on."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.backup import texts
from bot.core.channel import MessagePart
from bot.core.content_blocks import text_block as block
from bot.core.errors import NotDelivered
from bot.core.limits import DecisionTerms
from bot.core.messages import Address, OutboundKind, PlatformId
from bot.core.settings import Settings
from bot.core.texts import model, people
from bot.journal import restore_settlement
from bot.journal.delivery import begin_next_delivery, finish_delivery
from bot.store import delivery, folder_lock, restored_database
from bot.store.connection import Connection
from bot.store.delivery import Delivery
from tests.support.backup_bot import brought_back, connection, folder_of, rows, saved, write
from tests.support.bench import Bench
from tests.support.empty_database import make_empty_database
from tests.support.fakes import reply, uses
from tests.support.stores import Commits

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
TERMS = DecisionTerms(settings=Settings(), now=NOW)
MADE_AT = NOW - timedelta(hours=3)
ADDRESS = Address(channel="fake", chat="room")
DRAFT = OutboundKind.DRAFT
STATES, PLANNED = "SELECT kind, state FROM outbox", "UPDATE calls SET state = 'planned'"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return folder_of(tmp_path / "bot")


@pytest.fixture
def bench(place: Path) -> Bench:
    return Bench(place / "data")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Connection]:
    make_empty_database(tmp_path / "bare.db")
    with closing(connection(tmp_path / "bare.db")) as db:
        yield db


def outbox(db: Connection, key: str, **fields: object) -> None:
    plain = {"address": "fake:room", "channel": "fake", "kind": "reply", "is_cosmetic": 0, "text": "said"}
    rest = {"options": "[]", "is_quiet": 0, "said_at": (MADE_AT - timedelta(minutes=1)).isoformat()}
    assert db.insert_if_new("outbox", key=key, **{**plain, **rest, **fields})


def inbox(db: Connection, key: str, kept_at: datetime = MADE_AT, **fields: object) -> None:
    moment = kept_at.isoformat()
    plain = {"address": "fake:room", "person": "Ann", "name": "Ann", "origin": "person", "kind": "text", "text": "hm"}
    assert db.insert_if_new(
        "inbox", key=key, **{**plain, "sent_at": moment, "kept_at": moment, "state": "done", **fields}
    )


def told(db: Connection) -> list[str]:
    return [
        row["address"]
        for row in db.fetch_rows("SELECT address FROM outbox WHERE key GLOB 'restored:*' ORDER BY address")
    ]


def is_all_sent(bench: Bench) -> bool:
    return all(state == "sent" for _, state in bench.rows(STATES))


@pytest.mark.parametrize("kind", OutboundKind)
@pytest.mark.parametrize("state", ["queued", "sending", "unknown", "sent", "failed"])
def test_a_waiting_message_may_have_been_sent_since(db: Connection, state: str, kind: OutboundKind) -> None:
    outbox(db, "it", state=state, kind=kind, is_cosmetic=kind.is_cosmetic, tries=3)
    restore_settlement.settle_restored_database(db, MADE_AT, (), TERMS)
    row = db.fetch_rows("SELECT * FROM outbox WHERE key = 'it'")[0]
    waited = state in ("queued", "sending", "unknown")
    expected = "failed" if kind is DRAFT else "unknown" if waited else state
    assert (row["state"], row["text"]) == (expected, "" if kind is DRAFT else "said")
    if waited and kind is not DRAFT:
        assert datetime.fromisoformat(row["sending_since"]) < datetime.fromisoformat(row["said_at"])
        assert row["tries"] == 0


@pytest.mark.parametrize("kind", ["row", "wait", "read", "change"])
@pytest.mark.parametrize("state", ["planned", "started", "done"])
@pytest.mark.parametrize("is_repeatable", [False, True])
def test_a_call_that_changes_things_may_have_been_run_since(
    db: Connection, state: str, kind: str, is_repeatable: bool
) -> None:
    db.execute("PRAGMA foreign_keys=OFF")
    fields = {"turn": "t1", "step": 1, "position": 0, "tool_use_id": "u", "name": "n", "arguments": "{}"}
    db.insert_if_new("calls", id="t1/1/0", kind=kind, is_repeatable=is_repeatable, state=state, **fields)
    restore_settlement.settle_restored_database(db, MADE_AT, (), TERMS)
    in_doubt = state == "planned" and kind == "change" and not is_repeatable
    assert db.fetch_rows("SELECT state FROM calls")[0][0] == ("started" if in_doubt else state)


def test_only_chats_with_open_work_or_recent_talk_are_told(db: Connection) -> None:
    week_ago, month_ago = MADE_AT - timedelta(days=6), MADE_AT - timedelta(days=30)
    inbox(db, "1", week_ago, address="fake:lately")
    inbox(db, "2", month_ago, address="fake:long ago")
    inbox(db, "3", month_ago, address="fake:waits", state="received")
    inbox(db, "4", week_ago, address="fake:shut")
    db.insert_if_new("chats", address="fake:shut", channel="fake", closed_at=NOW.isoformat())
    inbox(db, "5", week_ago, address="fake", person="")  # of somebody who may not speak only the id is kept
    outbox(db, "6", address="fake:unsaid", state="queued")
    outbox(db, "7", address="fake:said", state="sent")
    outbox(db, "8", address="fake:board", state="queued", kind="board", is_cosmetic=1)
    assert restore_settlement.settle_restored_database(db, MADE_AT, (), TERMS) == 3
    assert told(db) == ["fake:lately", "fake:unsaid", "fake:waits"]


def test_it_is_said_in_the_operators_time_and_once_for_a_back_up(db: Connection) -> None:
    inbox(db, "1")
    restore_settlement.settle_restored_database(db, MADE_AT, (), TERMS)
    restore_settlement.settle_restored_database(db, MADE_AT, (), TERMS)
    rows = db.fetch_rows("SELECT key, text FROM outbox")
    assert [row["text"] for row in rows] == [people.RESTORED(time=MADE_AT.astimezone(UTC))]
    assert "2026-11-22 09:00" in rows[0]["text"]
    assert restore_settlement.settle_restored_database(db, MADE_AT, {rows[0]["key"]}, TERMS) == 0


def test_numbers_that_were_given_since_are_not_given_again(db: Connection) -> None:
    numbers = []
    for hours in range(3):  # the same back-up, restored again and again
        db.execute("SAVEPOINT before")
        if hours != 1:  # the first and the last hold a message
            inbox(db, "old")
        restore_settlement.settle_restored_database(
            db, MADE_AT, (), DecisionTerms(settings=Settings(), now=NOW + timedelta(hours=hours))
        )
        inbox(db, "new")
        numbers += [row["seq"] for row in db.fetch_rows("SELECT * FROM inbox WHERE key = 'new'")]
        db.execute("ROLLBACK TO before")
    assert numbers == sorted(set(numbers))
    assert numbers[0] > 1_000_000


async def test_an_open_turns_next_step_is_not_taken_for_one_done_since(
    bench: Bench, place: Path, tmp_path: Path
) -> None:
    bench.is_stuck = True
    bench.model.says("lead", reply(block("I do it."), uses("change")))
    async with bench.run():
        bench.chat.hears("Change it.")
        await bench.has_changed()
        bench.crashes()
    brought_back(place, saved(place, tmp_path / "it.tar.gz"))
    bench.is_stuck = False
    bench.model.says("lead", reply(block("And that."), uses("change")), "Done.")
    async with bench.run():
        while await bench.chat.said() != "Done.":
            pass
    steps = [row[0] for row in bench.rows("SELECT step FROM calls ORDER BY step")]
    assert len(steps) == 2
    assert steps[1] > 1_000_000 > steps[0]


async def test_an_open_turns_last_words_are_not_taken_for_words_said_since(
    bench: Bench, place: Path, tmp_path: Path
) -> None:
    bench.is_stuck = True
    bench.model.says("lead", reply(block("I do it."), uses("change")))
    async with bench.run():
        bench.chat.hears("Change it.")
        await bench.has_changed()
        bench.crashes()
    it, nonces = saved(place, tmp_path / "it.tar.gz"), set[str]()
    for number in range(2):
        brought_back(place, it)
        bench.model.says("lead", f"Done {number}.")
        async with bench.run():
            part = await bench.chat.part(OutboundKind.REPLY)
        nonces.add(part.nonce)  # of the same row; the platform would give the first one for the second
    assert part.message.id == "t1:reply"
    assert len(nonces) == 2


async def test_the_conversation_goes_on_where_the_back_up_was_made(bench: Bench, place: Path, tmp_path: Path) -> None:
    bench.model.says("lead", "Hello Ann.", "Forty-two.", "You told me your name.")
    commits = Commits()
    async with bench.run(store=commits.store()):
        bench.chat.hears("I am Ann.")
        assert await bench.chat.said() == "Hello Ann."
        await commits.until(lambda: is_all_sent(bench))
        it = saved(place, tmp_path / "it.tar.gz")  # beside it
        bench.chat.hears("The answer?")
        assert await bench.chat.said() == "Forty-two."
    brought_back(place, it)
    async with bench.run():
        assert (await bench.chat.part()).message.id.startswith(restored_database.RESTORE_NOTICE_ID_PREFIX)
        bench.chat.hears("Who am I?")
        assert await bench.chat.said() == "You told me your name."
    known = json.dumps([entry.content for entry in bench.model.seen[-1].transcript])
    assert "I am Ann." in known
    assert "Hello Ann." in known
    assert "The answer?" not in known


async def test_restored_once_more_it_says_nothing_again(bench: Bench, place: Path, tmp_path: Path) -> None:
    write(place, "hello")
    it = saved(place, tmp_path / "it.tar.gz")
    brought_back(place, it)
    brought_back(place, it)  # before the first was said
    commits = Commits()
    async with bench.run(store=commits.store()):
        assert (await bench.chat.part()).message.id.startswith(restored_database.RESTORE_NOTICE_ID_PREFIX)
        await commits.until(lambda: is_all_sent(bench))
    said = brought_back(place, it)
    assert texts.CHATS_TOLD(0) in said
    bench.model.says("lead", "yes")
    async with bench.run():
        bench.chat.hears("Are you there?")
        assert await bench.chat.said() == "yes"
    assert texts.CHATS_TOLD(0) in brought_back(place, it)


async def test_every_waiting_part_is_marked_if_the_history_cannot_be_read(
    bench: Bench, place: Path, tmp_path: Path
) -> None:
    bench.chat.length = 30
    text = "\n\n".join(f"paragraph {number} of the answer" for number in range(3))
    bench.model.says("lead", text)
    bench.chat.faults.extend([NotDelivered("not now")] * 50)
    commits = Commits()
    async with bench.run(store=commits.store()):
        bench.chat.hears("Tell me.")
        await bench.chat.is_taken_in()
        await commits.until(lambda: any(kind == "reply" for kind, _ in bench.rows(STATES)))
        it = saved(place, tmp_path / "it.tar.gz")
        bench.crashes()
    bench.chat.faults.clear()
    brought_back(place, it)
    async with bench.run():
        parts = [await bench.chat.part(OutboundKind.REPLY) for _ in range(3)]
    assert [part.number for part in parts] == [0, 1, 2]
    assert all(part.may_be_shown_already for part in parts)
    assert [state for kind, state in bench.rows(STATES) if kind == "reply"] == ["sent"]


async def test_a_change_that_was_planned_is_not_made_again(bench: Bench, place: Path, tmp_path: Path) -> None:
    bench.is_stuck = True
    bench.model.says("lead", reply(block("I do it."), uses("change")))
    async with bench.run():
        bench.chat.hears("Change it.")
        await bench.has_changed()
        bench.crashes()
    rows(place, PLANNED)  # the back-up was made a moment earlier
    brought_back(place, saved(place, tmp_path / "it.tar.gz"))
    bench.model.says("lead", "It may be done.")
    async with bench.run():
        assert (await bench.chat.part()).message.id.startswith(restored_database.RESTORE_NOTICE_ID_PREFIX)
        assert await bench.chat.said() == "It may be done."
    assert bench.model.heard("lead") == [model.CALL_INTERRUPTED]
    assert len(bench.changed) == 1


def test_restored_as_it_is_nothing_counts_as_unknown_and_nobody_is_told(place: Path, tmp_path: Path) -> None:
    write(place, "hello")
    with closing(connection(place / "data" / "bot.db")) as db:
        outbox(db, "it", state="queued")
    said = brought_back(place, saved(place, tmp_path / "it.tar.gz"), is_settled=False)
    assert said[-1] == texts.NOTHING_UNKNOWN
    assert rows(place, "SELECT key, state, sending_since FROM outbox") == [("it", "queued", None)]
    assert ("inbox", 1) in rows(place, "SELECT * FROM sqlite_sequence")


def test_all_parts_stay_in_doubt_until_the_last_is_shown(db: Connection) -> None:
    outbox(db, "it", state="queued")
    restore_settlement.settle_restored_database(db, MADE_AT, (), TERMS)
    only_it = "DELETE FROM outbox WHERE key != 'it'"
    db.execute(only_it)

    def sets_out() -> Delivery:
        found = begin_next_delivery(db, "room", [ADDRESS], TERMS)
        assert found
        return found

    first = sets_out()
    assert first.has_all_unshown_parts_in_doubt
    part = MessagePart(message=first.message, text="said", number=0, nonce="", is_last=False, may_be_shown_already=True)
    delivery.mark_part_shown(db, part, PlatformId("1"), NOW)
    delivery.mark_sending_messages_unknown(db)  # the process died
    second = sets_out()
    assert (second.shown, second.has_all_unshown_parts_in_doubt) == (1, True)
    delivery.mark_part_shown(db, replace(part, number=1), PlatformId("2"), NOW)
    delivery.requeue_unaccepted_message(db, second, 1)
    third = sets_out()
    assert (third.shown, third.has_all_unshown_parts_in_doubt) == (2, True)
    finish_delivery(db, third.message, 3, NOW, pause=0)
    assert db.fetch_rows("SELECT state, sending_since FROM outbox")[0][:] == ("sent", None)


def test_a_start_without_an_open_restore_finishes_nothing(place: Path) -> None:
    before = sorted(path.name for path in (place / "data").iterdir())
    with folder_lock.lock_data_folder_without_trace(place / "data"):
        pass
    assert sorted({*before, "lock"}) == sorted(path.name for path in (place / "data").iterdir())
