"""Orders from another process: carried out and answered, also if they were given before the start."""

import sqlite3
from contextlib import closing

from bot.core.messages import OutboundKind
from bot.store import orders, texts
from bot.store.folder_lock import utc_now
from tests.support.bench import Bench
from tests.support.fakes import Pause, delegates
from tests.support.troubles import goes_round, has_row

ORDERS = "SELECT 1 FROM orders WHERE"
REPLY = OutboundKind.REPLY


async def test_an_order_of_another_process_is_obeyed_and_answered(bench: Bench) -> None:
    pauses = [Pause(), Pause(), Pause()]
    bench.model.says("lead", pauses[0], delegates("researcher"))
    bench.model.says("researcher", pauses[2])
    async with bench.run():
        bench.chat.hears("go")
        await pauses[0].reached.wait()
        bench.chat.hears("go", by="Bob", chat="other")
        await pauses[2].reached.wait()
        other = bench.data / "bot.db"
        stop = orders.write_order(other, "stop", utc_now())
        dance = orders.write_order(other, "dance", utc_now(), with_whom="Ann")
        said = {await bench.chat.said(REPLY) for _ in range(2)}
        await has_row(bench, f"{ORDERS} id = {dance} AND answer != ''")
        assert orders.read_order_answer(other, stop) == ("turns stopped: 2", True)
        assert orders.read_order_answer(other, dance) == (texts.UNKNOWN_ORDER(order="dance"), False)
    assert said == {"Stopped by the operator: “go”."}


async def test_an_order_given_while_nobody_runs_is_obeyed_at_the_next_start(bench: Bench) -> None:
    async with bench.run():
        await goes_round(bench)
    other = bench.data / "bot.db"
    stop = orders.write_order(other, "stop", utc_now())
    assert orders.read_order_answer(other, stop) is None
    async with bench.run():
        await goes_round(bench)
        await has_row(bench, f"{ORDERS} answer = '[\"turns stopped: 0\", true]'")


async def test_an_order_that_cannot_be_read_keeps_no_bot_from_starting(bench: Bench) -> None:
    async with bench.run():
        await goes_round(bench)
    other = bench.data / "bot.db"
    with closing(sqlite3.connect(other)) as db, db:
        given = ("stop", "no JSON", utc_now().isoformat())
        db.execute("INSERT INTO orders (name, arguments, given_at) VALUES (?, ?, ?)", given)
    stop = orders.write_order(other, "stop", utc_now())
    async with bench.run():
        await goes_round(bench)
        await has_row(bench, f"{ORDERS} id = {stop} AND answer != ''")
    unread = orders.read_order_answer(other, stop - 1)
    assert unread is not None
    assert not unread.is_done
