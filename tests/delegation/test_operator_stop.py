"""`retinue stop`: everything that works stops, and nothing speaks of it until a person writes again."""

from datetime import UTC, datetime

import pytest

from bot.core.messages import OutboundKind
from bot.core.texts import reasons
from bot.store.orders import write_order
from tests.support.bench import Bench
from tests.support.delegation_calls import begin_work, says
from tests.support.fakes import Pause, delegates, reply, uses
from tests.support.troubles import wait_for_row

REPLY, NOTICE = OutboundKind.REPLY, OutboundKind.NOTICE


async def stop_everything(bench: Bench) -> None:
    """Give the order that `retinue stop` gives, and wait until nothing is at work."""
    write_order(bench.data / "bot.db", "stop", datetime.now(UTC))
    await wait_for_row(
        bench, "orders", "answer IS NOT NULL AND NOT EXISTS (SELECT 1 FROM turns WHERE state != 'ended')"
    )


@pytest.mark.parametrize("by", ["Ann", "Bob"])
async def test_the_operator_also_stops_roles_that_went_on_in_the_background(
    bench: Bench, researcher: Pause, by: str
) -> None:
    bench.model.says("lead", delegates("researcher"), "one moment" if by == "Ann" else "to Bob", "good day")
    async with bench.run():
        await begin_work(bench, researcher)
        bench.chat.hears("and this?", by=by)
        while await bench.chat.said(REPLY) not in ("one moment", "to Bob"):
            pass
        await stop_everything(bench)
        assert bench.select("status, reason", "turns", "depth = 1") == [("cancelled", reasons.STOPPED_BY_OPERATOR())]
        assert await says(bench, "hello") == "good day"
    assert bench.count("turns", "depth = 0") == (2 if by == "Ann" else 3), "the report opens no turn"
    assert "cancelled" in bench.model.heard("lead")[0]


async def test_a_report_held_when_the_operator_stops_opens_no_turn(
    bench: Bench, researcher: Pause, analyst: Pause
) -> None:
    bench.model.says("lead", delegates("researcher", "analyst", background=True), "begun", "good day")
    async with bench.run():
        assert await says(bench, "go") == "begun"
        researcher.go_on.set()
        await wait_for_row(bench, "inbox", "kind = 'report'")
        await analyst.reached.wait()
        await stop_everything(bench)
        assert bench.count("inbox", "kind = 'report' AND state = 'received'") == 2
        assert await says(bench, "hello") == "good day"
    assert bench.count("turns", "depth = 0") == 2
    assert bench.count("inbox", "state != 'done'") == 0


async def test_words_to_a_role_that_the_operator_stops_open_no_turn(bench: Bench) -> None:
    at_work = Pause(reply(uses("read")))
    bench.model.says("lead", delegates("researcher"))
    bench.model.says("researcher", at_work)
    async with bench.run():
        await begin_work(bench, at_work)
        bench.chat.hears("/tell 1 leave out the prices")
        await bench.chat.said(NOTICE)
        await stop_everything(bench)
    assert bench.count("inbox", "state != 'done'") == 0
    assert bench.count("turns", "depth = 0") == 1
