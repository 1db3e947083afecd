"""The bench, a few seconds of it, so that it cannot rot. What it measures here means nothing; that it does, counts."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.bench import __main__ as bench
from tests.bench import (
    calls,
    channels,
    counts,
    crowd,
    ingest,
    money,
    platforms,
    rivals,
    scale,
    stalls,
    starting,
    turns,
    watching,
)
from tests.bench.platform import PLATFORMS, platform
from tests.bench.table import Row, markdown


def value(rows: Sequence[Row], at: int = 0) -> float:
    found = rows[at].value
    assert found is not None
    return found


async def test_a_turn_is_measured_against_a_bare_call_with_the_same_request() -> None:
    rows = await turns.rows(turns.BLOCK)
    assert value(rows, 1) < 3 * 3  # CPU: about 2 is usual


@pytest.mark.parametrize("pieces", [0, 20])
async def test_a_turn_in_a_fresh_chat_is_measured_against_bare_calls_on_both_clients(pieces: int) -> None:
    row = await turns.in_fresh_chats(1, pieces, 1.5, "a turn")
    assert "on aiohttp" in row.other
    assert value([row]) < 3 * 3


@pytest.mark.fast
async def test_a_turn_calls_no_more_functions_than_a_bare_call() -> None:
    plain, in_pieces = await calls.rows()
    assert value([plain]) <= calls.MOST  # about 0.7 is usual
    assert value([in_pieces]) <= calls.MOST_IN_PIECES  # about 0.45 is usual


async def test_chats_and_roles_at_once_are_measured_with_all_of_them_answered() -> None:
    assert value(await crowd.chats(20, rounds=1)) < 3 * 3
    assert (await crowd.roles_at(0.01, 3, rounds=1)).value


async def test_a_turn_on_each_platform_is_measured_beside_one_in_memory() -> None:
    found = await platforms.measure(3)
    assert {name: len(seconds) for name, seconds in found.through.items()} == dict.fromkeys(PLATFORMS, 3)
    assert (len(found.on_bus), len(found.bare)) == (3, 3)
    assert all(platforms.row(name, found).value for name in PLATFORMS)


@pytest.mark.timeout(60)
async def test_messages_taken_in_are_counted_on_each_platform() -> None:
    rows = await ingest.rows(chats=5, each=4, rounds=1)
    assert [row.what.partition(" from ")[2] for row in rows] == ["Telegram, 20 at once", "Discord, 20 at once"]
    assert all(int(row.ours) for row in rows)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", PLATFORMS)
async def test_memory_is_measured_of_a_process_with_one_channel_for_everybody(name: str) -> None:
    rows = await channels.of(name, chats=3, start=0.0)
    assert len(rows) == 3
    assert all(10 < value(rows, at) < 1_000 for at in range(3))  # MiB


async def test_a_platform_that_does_not_begin_is_told_and_not_waited_for() -> None:
    with pytest.raises(RuntimeError, match="the stand-in of matrix has ended"):
        async with platform("matrix"):
            pass


@pytest.mark.timeout(60)
async def test_stalls_are_held_against_the_loop_at_rest() -> None:
    rows = await stalls.measured({"a few words": "some **bold** words"}, rounds=1, messages=1)
    assert len(rows) == 4
    assert all("at rest" in row.ours and "at rest" in row.other for row in rows)
    assert min(value(rows, at) for at in range(4)) >= 0


@pytest.mark.timeout(120)
async def test_a_rival_that_cannot_be_installed_is_skipped_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"CONFIG_FILE": os.devnull, "INDEX_URL": "http://127.0.0.1:9/", "RETRIES": "0"}.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    monkeypatch.delenv("PIP_EXTRA_INDEX_URL", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    [row] = await rivals.rows()
    assert (row.ours, "nanobot-ai==" in row.other) == ("skipped", True)


def test_every_row_is_named_in_the_words_of_the_command() -> None:
    assert not [name for name in bench.ROWS if name not in str(bench.__doc__)]


@pytest.mark.fast
async def test_the_fixed_prompt_keeps_within_its_tokens() -> None:
    assert value(await money.prompt()) <= money.MOST_PROMPT


async def test_a_conversation_with_tools_costs_a_fraction_with_the_cache() -> None:
    assert value(await money.conversation(3)) < 3 * 0.2


@pytest.mark.fast
async def test_a_plain_turns_work_in_the_store_is_counted() -> None:
    assert not any(row.falls_short for row in await counts.rows())


async def test_a_chat_and_its_memory_are_timed_among_few_and_among_more() -> None:
    limits = [3 * each for each in (scale.GROWN, 1.0, 1.0, scale.MOST_TIMES_AS_LONG)]
    for _ in range(3):  # a busy machine lengthens one of the two times, seldom three times in a row
        rows = await scale.rows(chats=60, entries=20, remembered=10)
        found = [value(rows, number) for number in range(4)]
        if all(ratio < limit for ratio, limit in zip(found, limits, strict=True)):
            return
    pytest.fail(f"{found}, and at most {limits} are allowed")


async def test_turns_are_timed_while_pages_watch_and_pages_among_few_and_more() -> None:
    assert value([await watching.while_pages_watch(2, 3)]) > 0
    assert [value([row]) > 0 for row in await watching.among_many(150)] == [True] * 4


async def test_help_is_timed_by_the_command_itself() -> None:
    assert value([await starting.help_text(1)]) < 3 * 3


@pytest.mark.parametrize(("measured", "verdict"), [(1.4, "reached"), (1.6, "falls short")])
def test_the_table_marks_what_falls_short(measured: float, verdict: str) -> None:
    row = Row(what="a turn", ours="15 ms", other="10 ms", value=measured, most=1.5, aim="≤ 1.5")
    assert verdict in markdown([row]).splitlines()[-1]
