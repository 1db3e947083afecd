"""What is written about a turn that makes no progress."""

from datetime import UTC, datetime

from bot.core.limits import DecisionTerms
from bot.core.settings import Settings
from bot.core.turn import TurnId
from bot.journal import silence
from bot.store import Store
from tests.support.bench import Bench
from tests.support.fakes import Pause

TURN = TurnId("t1")


async def tell_twice_and_stop(bench: Bench) -> None:
    terms = DecisionTerms(settings=Settings(), now=datetime.now(UTC))
    async with Store.open(bench.data / "bot.db") as store:
        for _ in range(2):
            await store.write(silence.tell_of_silence, TURN, terms, has_begun=True)
        await store.write(silence.stop_silent_turn, TURN, terms)


async def test_a_turn_is_told_of_once_and_stopped(bench: Bench) -> None:
    pause = Pause()
    bench.model.says("lead", pause)
    async with bench.run():
        bench.chat.hears("go")
        await pause.reached.wait()
        bench.crashes()
    await tell_twice_and_stop(bench)
    assert bench.select("count(*)", "outbox", "key = 't1:silent'") == [(1,)]
    assert bench.select("state, status", "turns") == [("stopping", "timeout")]


async def test_an_ended_turn_is_neither_told_of_nor_stopped(bench: Bench) -> None:
    bench.model.says("lead", "done")
    async with bench.run():
        bench.chat.hears("go")
        await bench.chat.said()
    await tell_twice_and_stop(bench)
    assert bench.select("state, status", "turns") == [("ended", "completed")]
    assert bench.select("count(*)", "outbox", "kind = 'notice'") == [(0,)]
