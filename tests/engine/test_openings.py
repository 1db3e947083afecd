"""How many waiting messages begin a turn."""

from tests.support.bench import Bench
from tests.support.fakes import Pause
from tests.support.troubles import goes_round


async def bursts(bench: Bench, texts: list[str]) -> list[int]:
    """How many messages each turn begins with, where these wait."""
    pause = Pause("first")
    bench.model.says("lead", pause, *["next"] * 3)
    async with bench.run():
        bench.chat.hears("0", by="Bob")
        await pause.reached.wait()
        for text in texts:
            bench.chat.hears(text)
        await bench.chat.is_taken_in()
        pause.go_on.set()
        while bench.rows("SELECT 1 FROM inbox WHERE state != 'done'"):
            await bench.chat.said()
            await goes_round(bench)
    assert [text for nth in range(1, len(bench.model.seen)) for text in bench.model.heard("lead", nth)] == [
        f"Ann: {text}" for text in texts
    ]
    return [len(bench.model.heard("lead", nth)) for nth in range(1, len(bench.model.seen))]


async def test_at_most_twenty_messages_begin_a_turn(bench: Bench) -> None:
    assert await bursts(bench, ["x"] * 25) == [20, 5]


async def test_at_most_forty_thousand_characters_begin_a_turn(bench: Bench) -> None:
    assert await bursts(bench, ["x" * 15_000] * 5) == [2, 2, 1]


async def test_a_message_that_is_longer_alone_is_not_cut(bench: Bench) -> None:
    assert await bursts(bench, ["x" * 50_000, "y"]) == [1, 1]
