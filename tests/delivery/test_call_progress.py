"""What people see of a call while it runs: the newest line that it reports, on the board or below the input line."""

import asyncio

import pytest

from bot.core.call_progress import MAX_SHOWN_CHARACTERS, activity_with_progress, clean_progress_line, last_line
from bot.core.exits import KEPT_BACK_TEXT, NO_RULES, SECRET_MARK, ExitRules
from bot.core.messages import OutboundKind
from bot.core.phrases import MAX_BOARD_TASK_CHARACTERS
from bot.core.secret_search import SecretIndex
from tests.delivery.test_secret_search import KEY
from tests.support.bench import Bench
from tests.support.digging import ACTIVITY, Digging, let_researcher_dig
from tests.support.fakes import reply, uses
from tests.support.patience import PATIENCE
from tests.support.troubles import goes_round, has_row

BOARD, REPLY = OutboundKind.BOARD, OutboundKind.REPLY
SECRETS = SecretIndex({"model.api_key": [KEY]})
ON_BOARD = "SELECT 1 FROM outbox WHERE kind = 'board' AND state = 'sent' AND text LIKE '#1 Researcher: {} · since%'"


@pytest.fixture
def digging(bench: Bench) -> Digging:
    return let_researcher_dig(bench)


async def shows(bench: Bench, does: str) -> None:
    """Wait until the board says that the researcher does this."""
    await has_row(bench, ON_BOARD.format(does))


@pytest.mark.parametrize(
    ("reported", "shown"),
    [
        ("", ""),
        ("one", "one"),
        ("tap /new or /stop", f"tap {KEPT_BACK_TEXT} or {KEPT_BACK_TEXT}"),
        ("one\ntwo\n\n  \n", "two"),
        ("10%\r20%\r", "20%"),
        ("one\r\ntwo\r\n", "two"),
        ("\x1b[31mred\x1b[0m and \x1b]0;title\x07plain", "red and plain"),
        ("50% \x1b[", "50%"),
        ("\x1b[2J\x1b[0m", ""),
        ("a\tb\0c", "a b\\x00c"),
        ("left \u202e right", "left right"),
        ("\ud800", "\\ud800"),
        ("[Researcher]: hello", "(Researcher): hello"),
        ("see https://evil.example/?q=words, and stay", f"see {KEPT_BACK_TEXT}, and stay"),
        ("ok words.evil.example/x", f"ok {KEPT_BACK_TEXT}"),
        ("test_a (app.test_a.Sums.test_a) ... ok", f"test_a ({KEPT_BACK_TEXT}.test_a) ... ok"),
        ("x" * 99, "x" * 59 + "…"),
        (f"key {KEY} ok", f"key {SECRET_MARK} ok"),
        (f"key {KEY[:12]}", "key"),
        (f"x{KEY[:5]}\x1b[0m{KEY[5:]}", f"x{SECRET_MARK}"),
    ],
)
def test_a_reported_line_is_shown_clean_and_short(reported: str, shown: str) -> None:
    said = clean_progress_line(last_line(reported), ExitRules(secrets=SECRETS))
    assert said == shown
    assert len(said) <= MAX_SHOWN_CHARACTERS


def test_an_activity_with_progress_leaves_room_for_the_progress() -> None:
    said = activity_with_progress("running " + "x " * 99, "37 passed", NO_RULES)
    assert said.endswith("…: 37 passed")
    assert len(said) <= MAX_BOARD_TASK_CHARACTERS + 12


async def test_the_board_shows_the_newest_line_until_the_call_ends(bench: Bench, digging: Digging) -> None:
    async with bench.run(tools=digging.tools):
        bench.chat.hears("go")
        report = await digging.begun()
        await shows(bench, ACTIVITY)
        report("a stone")
        await shows(bench, f"{ACTIVITY}: a stone")
        report("a coin\nhttps://evil.example/")
        await shows(bench, f"{ACTIVITY}: {KEPT_BACK_TEXT}")
        digging.may_end.release()
        assert await bench.chat.said(REPLY) == "there"
        report("too late")
        await has_row(bench, "SELECT 1 FROM outbox WHERE kind = 'board' AND state = 'sent' AND text LIKE '1 role%'")
    assert bench.count("outbox", "text LIKE '%stone%' OR board LIKE '%stone%' OR board LIKE '%late%'") == 0


async def test_the_next_call_of_a_turn_does_not_show_the_line_of_the_last(bench: Bench, digging: Digging) -> None:
    bench.model.script["researcher"].appendleft(reply(uses("dig")))
    async with bench.run(tools=digging.tools):
        bench.chat.hears("go")
        report = await digging.begun()
        report("a stone")
        await shows(bench, f"{ACTIVITY}: a stone")
        digging.may_end.release()
        report_next = await digging.begun()
        await shows(bench, ACTIVITY)
        report("too late")
        await goes_round(bench)
        report_next("a coin")
        await shows(bench, f"{ACTIVITY}: a coin")
    assert bench.count("outbox", "text LIKE '%late%'") == 0


async def test_no_secret_of_a_report_gets_onto_the_board(bench: Bench, digging: Digging) -> None:
    async with bench.run(tools=digging.tools, secrets=SECRETS):
        bench.chat.hears("go")
        report = await digging.begun()
        report(f"the key is {KEY}, I think")
        await shows(bench, f"{ACTIVITY}: the key is {SECRET_MARK}, I think")


async def test_many_reports_cost_one_edit_of_the_board(bench: Bench, digging: Digging) -> None:
    """The pause between two edits is longer than the test."""
    bench.chat.board_edit_seconds = 600
    async with bench.run(tools=digging.tools):
        bench.chat.hears("go")
        await bench.chat.part(BOARD)
        report = await digging.begun()
        [before] = bench.select("revision", "outbox", "kind = 'board'")
        for number in range(10_000):
            report(f"line {number}")
            if number % 100 == 0:
                await asyncio.sleep(0)
        await goes_round(bench)
        [after] = bench.select("revision", "outbox", "kind = 'board'")
        assert bench.chat.edits.empty()
        showing = [task for task in asyncio.all_tasks() if task.get_name().startswith("progress of")]
        assert len(showing) == 1, "it pauses, and asks the store for nothing"
    assert after[0] - before[0] <= 1


async def drafted(bench: Bench, activity: str) -> None:
    async with asyncio.timeout(PATIENCE):
        while (await bench.chat.drafts.get()).activity != activity:
            pass


async def test_what_the_agent_of_a_chat_does_itself_is_a_draft(bench: Bench, digging: Digging) -> None:
    bench.model.script["lead"].clear()
    bench.model.says("lead", reply(uses("dig")), "there")
    async with bench.run(tools=digging.tools, secrets=SECRETS):
        bench.chat.hears("go")
        report = await digging.begun()
        await drafted(bench, ACTIVITY)
        report(f"50 % of {KEY}")
        await drafted(bench, f"{ACTIVITY}: 50 % of {SECRET_MARK}")
        digging.may_end.release()
        await drafted(bench, ACTIVITY)
        await drafted(bench, "")
        assert await bench.chat.said(REPLY) == "there"
        assert bench.rows("SELECT kind FROM outbox") == [("reply",)]
