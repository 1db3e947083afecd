"""What a plain turn does to its store: the same on every machine. `scripts/test` asserts these numbers."""

from tests.bench.responder import responder
from tests.bench.rig import running
from tests.bench.table import Row
from tests.support.stores import Tally

AIM = {"commits": 4, "ways to the store and back": 6, "statements": 49}  # tests/engine/test_costs_of_a_turn.py


async def rows() -> list[Row]:
    tally = Tally()
    async with responder() as url, running(url, store=tally.store()) as bot:
        for _ in range(2):  # the first takes the start with it
            await bot.ask("hi")
            await tally.rest()
            found = {
                "commits": tally.commits,
                "ways to the store and back": tally.ways,
                "statements": len(tally.statements),
            }
            tally.forget()
    return [
        Row(
            what=f"{what} of a plain turn",
            ours=str(number),
            value=number,
            most=AIM[what],
            aim=f"≤ {AIM[what]}",
            is_ratio=False,
        )
        for what, number in found.items()
    ]
