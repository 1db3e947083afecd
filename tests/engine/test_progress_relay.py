"""What a call reports comes to the event loop: the newest line, from any thread, until the call is over."""

import asyncio
import threading

from bot.core.call_progress import ReportProgress
from bot.engine.progress_relay import relay_progress
from tests.support.patience import PATIENCE

ROUNDS = 5_000
LAST = f"line {ROUNDS - 1}"


async def test_only_the_newest_line_that_says_something_is_handed_on() -> None:
    lines: list[str] = []
    with relay_progress(lines.append) as report:
        for text in ("one", "two\nthree\n", "\n", ""):
            report(text)
        await asyncio.sleep(0)
        report("four")
        await asyncio.sleep(0)
    assert lines == ["three", "four"]


async def test_threads_may_report_and_the_last_line_is_not_lost() -> None:
    lines, is_there = list[str](), asyncio.Event()

    def hand_on(line: str) -> None:
        lines.append(line)
        if line == LAST:
            is_there.set()

    def count(report: ReportProgress) -> None:
        for number in range(ROUNDS):
            report(f"line {number}")

    with relay_progress(hand_on) as report:
        threads = [threading.Thread(target=count, args=[report]) for _ in range(4)]
        for each in threads:
            each.start()
        async with asyncio.timeout(PATIENCE):
            await is_there.wait()
        for each in threads:
            each.join()


async def test_nothing_is_handed_on_after_a_call() -> None:
    lines: list[str] = []
    with relay_progress(lines.append) as report:
        report("in time for the call, and too late for the loop")
    report("too late")
    await asyncio.sleep(0)
    assert lines == []
