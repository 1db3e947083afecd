"""The board: how the delegations of a turn are doing, as one quiet message."""

import sqlite3
from contextlib import closing

from bot.core.channel import MessagePart
from bot.core.errors import DeliveryDelayed, DeliveryError, MessageLeftBehind, NotDelivered
from bot.core.messages import Address, OutboundKind, PlatformId
from bot.core.phrases import MAX_BOARD_TASK_CHARACTERS, first_words
from bot.core.prices import format_micro_dollars
from bot.core.texts import people
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import PRICE, FakeChannel, Pause, delegates, reply, uses
from tests.support.troubles import Sticky, Uneven, goes_round, has_row, wait_for_row
from tests.support.writing_model import QUICK, Writes

BOARD, DRAFT, QUESTION, REPLY = OutboundKind.BOARD, OutboundKind.DRAFT, OutboundKind.QUESTION, OutboundKind.REPLY
TASK_1, TASK_2, SO_FAR = "researcher''s part", "analyst''s part", " · since __:__ · $%\n"
CLOSED = "%role% · % s · $%"
SHOWN = "SELECT 1 FROM outbox WHERE kind = 'board' AND state = 'sent' AND text LIKE '{}'"


async def shows(bench: Bench, text: str) -> None:
    """Wait until the board says this, on the platform too."""
    await has_row(bench, SHOWN.format(text))


async def test_a_plain_turn_has_no_board(bench: Bench) -> None:
    bench.model.says("lead", reply(uses("read")), "Hello Ann")
    async with bench.run():
        bench.chat.hears("hello")
        assert await bench.chat.said() == "Hello Ann"
        assert bench.rows("SELECT kind FROM outbox") == [("reply",)]


async def test_a_turn_that_delegates_has_one_quiet_board_that_is_edited(bench: Bench) -> None:
    found, asked = Pause("found"), Pause(reply(uses("ask_person", question="which?", options=["red"])))
    again = Pause("red then")
    bench.model.says("lead", delegates("researcher", "analyst"), "there")
    bench.model.says("researcher", found)
    bench.model.says("analyst", asked, again)
    async with bench.run():
        bench.chat.hears("go")
        assert (await bench.chat.part(BOARD)).message.is_quiet
        await shows(bench, f"#1 Researcher: {TASK_1}{SO_FAR}#2 Analyst: {TASK_2}{SO_FAR}in all $% of $%")
        asked.go_on.set()
        await shows(bench, f"#1 Researcher: {TASK_1}{SO_FAR}#2 Analyst: has a question{SO_FAR}in all $% of $%")
        found.go_on.set()
        await shows(bench, f"#1 Researcher: done · % s · $%\n#2 Analyst: has a question{SO_FAR}in all $% of $%")
        bench.chat.hears("red")
        await shows(bench, f"#1 Researcher: done · % s · $%\n#2 Analyst: {TASK_2}{SO_FAR}in all $% of $%")
        again.go_on.set()
        assert await bench.chat.said(REPLY) == "there"
        await shows(bench, "2 roles · % s · $%")
        assert bench.count("outbox", "kind = 'board'") == 1
    assert not [part for part in unread(bench) if part == "board"]


async def test_a_board_says_what_is_expected_if_all_its_roles_have_worked_before(bench: Bench) -> None:
    """The researcher has cost as much as one request. Nobody knows yet what an analyst costs."""
    bench.model.says("lead", delegates("researcher"), "found")
    bench.model.says("researcher", "found")
    both, alone = (Pause("found"), Pause("found")), Pause("found")
    async with bench.run():
        bench.chat.hears("go")
        await bench.chat.said(REPLY)
        [(cost,)] = bench.select("cost", "turns", "role = 'researcher'")
        bench.model.says("lead", delegates("researcher", "researcher"), "twice")
        bench.model.says("researcher", *both)
        bench.chat.hears("go on")
        expected = format_micro_dollars(PRICE + 2 * cost)
        await shows(bench, f"%#2 Researcher%in all $% of $% · about {expected} in the end")
        for each in both:
            each.go_on.set()
        assert await bench.chat.said(REPLY) == "twice"
        bench.model.says("lead", delegates("researcher", "analyst"), "both")
        bench.model.says("researcher", alone)
        bench.model.says("analyst", alone)
        bench.chat.hears("and now")
        await shows(bench, "%#2 Analyst%")
        assert bench.count("outbox", "kind = 'board' AND text LIKE '%Analyst%about%'") == 0
        alone.go_on.set()
        assert await bench.chat.said(REPLY) == "both"


async def test_a_line_says_what_a_role_does_now(bench: Bench) -> None:
    bench.is_stuck = True
    bench.model.says("lead", delegates("researcher"))
    bench.model.says("researcher", reply(uses("change", path="a.md")))
    async with bench.run():
        bench.chat.hears("go")
        await bench.chat.part(BOARD)
        activity = people.ACTIVITIES["other"](things="change")
        await shows(bench, f"#1 Researcher: {activity}{SO_FAR}in all $% of $%")


async def test_a_board_that_says_the_same_is_not_sent_again(bench: Bench) -> None:
    found = Pause("found")
    bench.model.says("lead", delegates("researcher"), "there")
    bench.model.says("researcher", found)
    async with bench.run():
        bench.chat.hears("go")
        await found.reached.wait()
        await shows(bench, f"#1 Researcher: {TASK_1}{SO_FAR}%")
        with closing(sqlite3.connect(bench.data / "bot.db")) as db, db:
            db.execute("UPDATE outbox SET state = 'queued', revision = revision + 1, shown = 0 WHERE kind = 'board'")
        edits = bench.chat.edits.qsize()
        bench.chat.hears("/status")
        await bench.chat.said(OutboundKind.NOTICE)
        await wait_for_row(bench, "outbox", "kind = 'board' AND shown = 1", state="sent")
        assert bench.chat.edits.qsize() == edits
        found.go_on.set()
        assert await bench.chat.said(REPLY) == "there"
        await shows(bench, CLOSED)


async def test_a_board_is_closed_by_the_answer_to_the_last_report(bench: Bench) -> None:
    slow, answer = Pause("weighed"), Pause("all is there")
    bench.model.says("lead", delegates("analyst"), "I am here", answer)
    bench.model.says("analyst", slow)
    async with bench.run():
        bench.chat.hears("go")
        await slow.reached.wait()
        bench.chat.hears("are you there?")
        assert await bench.chat.said(REPLY) == "I am here"
        await shows(bench, f"#1 Analyst: {TASK_2}{SO_FAR}in all $% of $%")
        slow.go_on.set()
        await answer.reached.wait()
        await shows(bench, "#1 Analyst: done · %")
        answer.go_on.set()
        assert await bench.chat.said(REPLY) == "all is there"
        await shows(bench, "1 role · % s · $%")
    assert bench.count("outbox", "kind = 'board'") == 1


async def test_a_role_at_work_twice_is_told_apart_by_its_tasks(bench: Bench) -> None:
    long = "Find three cafés in Leipzig that have a garden and open on Sundays"
    calls = [uses("delegate", role="researcher", task=task) for task in (long, "Find a hotel")]
    answer = Pause("there")
    bench.model.says("lead", reply(*calls, uses("delegate", role="analyst", task="Weigh")), answer)
    bench.model.says("researcher", "one", "two")
    bench.model.says("analyst", "weighed")
    async with bench.run():
        bench.chat.hears("go")
        await bench.chat.part(BOARD)
        task = first_words(long, MAX_BOARD_TASK_CHARACTERS)
        lines = [f"#1 Researcher: done ({task}) · %", "#2 Researcher: done (Find a hotel) · %"]
        await shows(bench, "\n".join([*lines, "#3 Analyst: done · %"]))
        answer.go_on.set()
        assert await bench.chat.said(REPLY) == "there"


async def test_a_line_tells_number_role_task_state_time_and_cost(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher"), "there")
    bench.model.says("researcher", "found")
    async with bench.run():
        bench.chat.hears("go")
        assert await bench.chat.said() == "there"
        await shows(bench, CLOSED)
        last = await bench.chat.edited(BOARD)
        while last.message.board[0].state != "completed":
            last = await bench.chat.edited(BOARD)
    [line] = last.message.board
    assert (line.number, line.role, line.task, line.depth) == (1, "researcher", "researcher's part", 1)
    assert line.seconds is not None
    assert 0 < line.cost < PRICE  # the roles' model is cheaper


async def test_a_stopped_delegation_is_seen_to_be(bench: Bench) -> None:
    pause = Pause()
    answer = Pause("then not")
    bench.model.says("lead", delegates("researcher"), answer)
    bench.model.says("researcher", pause)
    async with bench.run():
        bench.chat.hears("go")
        await pause.reached.wait()
        bench.chat.hears("/stop 1")
        await shows(bench, "#1 Researcher: stopped · %")
        answer.go_on.set()


async def test_background_work_has_no_board(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher", background=True), "it has begun", "it is found")
    bench.model.says("researcher", "found")
    async with bench.run():
        bench.chat.hears("look, slowly")
        assert [await bench.chat.said() for _ in range(2)] == ["it has begun", "it is found"]
        assert bench.count("outbox", "kind = 'board'") == 0


async def test_a_board_that_rests_between_edits_costs_a_reply_nothing(bench: Bench) -> None:
    bench.chat.board_edit_seconds = 3600
    answer = Pause("there")
    bench.model.says("lead", delegates("researcher"), answer)
    bench.model.says("researcher", "found")
    async with bench.run():
        bench.chat.hears("go")
        await bench.chat.part(BOARD)
        await answer.reached.wait()
        assert bench.select("state", "outbox", "kind = 'board'") == [("queued",)]
        assert bench.chat.edits.empty()
        answer.go_on.set()
        assert await bench.chat.said(REPLY) == "there"


async def test_a_board_that_its_chat_has_left_behind_is_sent_again(bench: Bench) -> None:
    found = Pause("found")
    bench.model.says("lead", delegates("researcher"), "there")
    bench.model.says("researcher", found)
    async with bench.run():
        bench.chat.hears("go")
        await bench.chat.part(BOARD)
        await found.reached.wait()
        await shows(bench, "%Researcher%")
        bench.chat.faults.append(MessageLeftBehind("moved"))
        found.go_on.set()
        await shows(bench, CLOSED)
        assert not bench.chat.deleted.empty()
        assert (await bench.chat.part(BOARD)).message.id == "t1:board"
    assert bench.count("outbox", "kind = 'board'") == 1


async def test_a_board_that_may_not_be_edited_for_now_holds_up_no_reply(bench: Bench) -> None:
    found, answer = Pause("found"), Pause("there")
    bench.model.says("lead", delegates("researcher"), answer)
    bench.model.says("researcher", found)
    async with bench.run():
        bench.chat.hears("go")
        await bench.chat.part(BOARD)
        await found.reached.wait()
        await shows(bench, "%Researcher%")
        bench.chat.faults.append(DeliveryDelayed(3600, holds_lane=False))
        found.go_on.set()
        await answer.reached.wait()
        await wait_for_row(bench, "outbox", "kind = 'board' AND state = 'queued' AND not_before IS NOT NULL")
        assert not bench.chat.faults
        answer.go_on.set()
        assert await bench.chat.said(REPLY) == "there"
        await shows(bench, CLOSED)
        assert bench.count("lanes") == 0


async def test_the_end_of_a_turn_is_seen_on_its_board_at_once(bench: Bench) -> None:
    bench.chat.board_edit_seconds = 3600
    bench.model.says("lead", delegates("researcher"), "there")
    bench.model.says("researcher", reply(uses("message", text="looking")), "found")
    async with bench.run():
        bench.chat.hears("go")
        assert await bench.chat.said(OutboundKind.REPLY) == "there"
        await shows(bench, CLOSED)


async def test_a_board_that_nobody_has_seen_is_not_shown_beside_the_answer(bench: Bench) -> None:
    bench.chat = chat = HasNoRoom()
    bench.model.says("lead", delegates("researcher"), "there")
    bench.model.says("researcher", "found")
    async with bench.run():
        chat.hears("go")
        assert await chat.said(OutboundKind.REPLY) == "there"
        chat.is_full = False
        await wait_for_row(bench, "outbox", kind="board", state="sent")  # it is not to be sent any more
    assert chat.kinds == [OutboundKind.REPLY]


class HasNoRoom(FakeChannel):
    """A platform that has no room for what is cosmetic, until it has."""

    def __init__(self) -> None:
        super().__init__()
        self.is_full = True
        self.kinds: list[OutboundKind] = []

    def has_room_for_cosmetic_message(self, address: Address, *, is_edit: bool) -> bool:
        return not self.is_full

    async def send(self, part: MessagePart) -> PlatformId:
        self.kinds.append(part.message.kind)
        return await super().send(part)


async def test_a_board_is_edited_when_it_has_rested(bench: Bench) -> None:
    bench.chat.board_edit_seconds = 0.05
    bench.model.says("lead", delegates("researcher", "analyst"), "there")
    bench.model.says("researcher", "found")
    bench.model.says("analyst", "analysed")
    async with bench.run():
        bench.chat.hears("go")
        assert await bench.chat.said() == "there"
        await shows(bench, CLOSED)


async def test_a_board_that_rests_keeps_no_draft_waiting(bench: Bench) -> None:
    bench.chat.board_edit_seconds, bench.chat.is_anchoring = 3600, True
    pause, step = Pause("found"), Writes("there")
    bench.model.says("lead", delegates("researcher"), step)
    bench.model.says("researcher", pause)
    async with bench.run(**QUICK):
        bench.chat.hears("go")
        await bench.chat.part(BOARD)
        await pause.reached.wait()
        pause.go_on.set()
        await wait_for_row(bench, "turns", "depth = 1", state="ended")
        await wait_for_row(bench, "outbox", "revision > 0", kind="board", state="queued")
        step.shows("th")
        await bench.chat.part(DRAFT)
        step.ends()


async def test_a_refused_edit_of_a_board_is_not_answered_with_a_new_message(bench: Bench) -> None:
    bench.chat = chat = Uneven()
    chat.troubles_at_edits[BOARD] += [DeliveryError("message to edit not found")] * 9
    bench.model.says("lead", delegates("researcher"), "there")
    bench.model.says("researcher", "found")
    async with bench.run():
        chat.hears("go")
        await chat.part(BOARD)
        assert await chat.said() == "there"
        await goes_round(bench)
        assert bench.select("state", "outbox", "kind IN ('board', 'notice') AND address = 'fake:room'") == [("failed",)]
    assert chat.sent.empty()


async def test_an_edit_of_a_board_is_repeated_until_it_is_known_to_be_there(bench: Bench) -> None:
    bench.chat = chat = Uneven()
    chat.troubles_at_edits[BOARD] += [OSError("connection lost"), NotDelivered("no route")]
    bench.model.says("lead", delegates("researcher"), "there")
    bench.model.says("researcher", "found")
    async with bench.run(**engine_options(delivery_retry_seconds=0.001)):
        chat.hears("go")
        await chat.part(BOARD)
        assert await chat.said() == "there"
        await shows(bench, CLOSED)
    assert chat.sent.empty()


async def test_a_board_in_doubt_is_sent_again_as_it_was_and_then_revised(bench: Bench) -> None:
    bench.chat = chat = Uneven()
    chat.accepts_anyway, chat.nonce_memory_seconds = True, 60.0
    chat.troubles[BOARD].append(OSError("connection lost"))
    found, answer = Pause("found"), Pause("there")
    bench.model.says("lead", delegates("researcher"), answer)
    bench.model.says("researcher", found)
    async with bench.run(**engine_options(delivery_retry_seconds=0.1)):
        chat.hears("go")
        first = await chat.part(BOARD)
        found.go_on.set()
        await wait_for_row(bench, "turns", "depth = 1", state="ended")
        again = await chat.part(BOARD)
        assert (again.text, again.nonce) == (first.text, first.nonce)
        assert "done" not in first.text
        assert "done" in (await chat.edited(BOARD)).text
        await shows(bench, "%done%")
        answer.go_on.set()


async def test_a_board_revised_during_its_sending_shows_the_last_state(bench: Bench) -> None:
    bench.chat = chat = Sticky()
    answer = Pause("there")
    bench.model.says("lead", delegates("researcher"), answer)
    bench.model.says("researcher", "found")
    async with bench.run():
        chat.hears("go")
        await chat.reached.wait()  # the board, or what it says now, is on its way
        await wait_for_row(bench, "turns", "depth = 1", state="ended")
        chat.go_on.set()
        assert "done" not in (await chat.part(BOARD)).text
        assert "done" in (await chat.edited(BOARD)).text
        await shows(bench, "%done%")
        answer.go_on.set()
        assert await chat.said() == "there"
        await shows(bench, CLOSED)


def unread(bench: Bench) -> list[str]:
    sent = bench.chat.sent
    return [str(sent.get_nowait().message.kind) for _ in range(sent.qsize())]
