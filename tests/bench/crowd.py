"""Many at once: chats against as many bare calls, and parallel roles against one."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from statistics import median

from tests.bench.responder import SPLIT, responder
from tests.bench.rig import Bare, Bot, running
from tests.bench.table import Row, ms

CHATS = 200
ROLES, MANY_ROLES = 10, 50
REST = 0.1  # seconds for what follows the last answer
ROUNDS = 6  # each of both, so that a ratio is of two neighbours
A_SHORT_ANSWER = 1.0  # seconds: what a real model takes for one


async def chats(count: int = CHATS, rounds: int = ROUNDS) -> list[Row]:
    """One message in each of many chats, all at once. Bot and client are new in each round, as after a start."""
    ours, bare, on_aiohttp, most_ours, most_bare = list[float](), list[float](), list[float](), 0, 0
    async with responder() as url, Bare(url) as asking:
        for _ in range(rounds):
            async with running(url) as bot:
                await bot.ask("warm up")
                await asking.most_at_once()
                ours.append(await at_once(count, lambda number, bot=bot: bot.ask("hello", chat=f"room {number}")))  # type: ignore[misc]  # bound as it is now
                most_ours = max(most_ours, await asking.most_at_once())
                body = bot.model.body()
            for sdk, found in ((Bare(url), bare), (Bare(url, on_aiohttp=True), on_aiohttp)):
                async with sdk:
                    await sdk.ask(body)
                    found.append(await at_once(count, lambda number, sdk=sdk, body=body: sdk.ask(body)))  # type: ignore[misc]
                    most_bare = max(most_bare, await asking.most_at_once())
    beside = f"{median(on_aiohttp):.2f} s on aiohttp ({median(ours) / median(on_aiohttp):.2f} times)"
    return [
        Row(
            what=f"{count} chats at once, one message each",
            ours=f"{median(ours):.2f} s, at most {most_ours} in flight",
            other=f"{median(bare):.2f} s for {count} bare calls at once, at most {most_bare} in flight; {beside}",
            value=median(one / other for one, other in zip(ours, bare, strict=True)),
            most=1.0,
            aim="≤ 1.0 times the bare calls",
        )
    ]


async def at_once(count: int, ask: Callable[[int], Awaitable[str]]) -> float:
    began = time.perf_counter()
    await asyncio.gather(*(ask(number) for number in range(count)))
    return time.perf_counter() - began


async def roles(count: int = ROLES, rounds: int = ROUNDS) -> list[Row]:
    """A turn that delegates to many roles at once, against the same with one: three requests deep, both."""
    return [*[await roles_at(seconds, count, rounds) for seconds in (0.05, A_SHORT_ANSWER)], await many_roles(rounds)]


async def many_roles(rounds: int) -> Row:
    """The processor that a role of ten takes, and one of fifty: what it costs to show how they do must not grow."""
    ten, fifty = list[float](), list[float]()
    async with (
        responder() as url,
        running(url, swarm__max_concurrent=MANY_ROLES, swarm__max_per_step=MANY_ROLES) as bot,
    ):
        await delegating(bot, 1, "warm up")
        for number in range(rounds):
            for count, found in ((ROLES, ten), (MANY_ROLES, fifty)):
                cpu = time.process_time()
                await delegating(bot, count, f"{count} of round {number}")
                await asyncio.sleep(REST)
                found.append((time.process_time() - cpu) / count)
    return Row(
        what=f"processor of a role, {MANY_ROLES} in a turn against {ROLES}",
        ours=f"{ms(median(ten))} → {ms(median(fifty))}",
        value=median(one / other for one, other in zip(fifty, ten, strict=True)),
        most=1.1,
        aim="≤ 1.1 times",
    )


async def roles_at(seconds: float, count: int, rounds: int) -> Row:
    one, many, bare_one, bare_many = list[float](), list[float](), list[float](), list[float]()
    async with responder(seconds) as url, running(url, swarm__max_concurrent=count) as bot, Bare(url) as sdk:
        await delegating(bot, 1, "warm up")
        body = bot.model.body()
        for number in range(rounds):
            one.append(await delegating(bot, 1, f"one {number}"))
            many.append(await delegating(bot, count, f"many {number}"))
            bare_one.append(await at_once(1, lambda _: sdk.ask(body)))
            bare_many.append(await at_once(count, lambda _: sdk.ask(body)))
    a_lead = 2 * median(bare_one)  # the lead's own two requests stand before and behind
    bare = (median(bare_many) + a_lead) / (median(bare_one) + a_lead)
    return Row(
        what=f"{count} roles in parallel against one, the model takes {ms(seconds)}",
        ours=f"{median(one):.3f} s → {median(many):.3f} s",
        other=f"{bare:.2f} times by bare calls alone",
        value=median(ten / alone for ten, alone in zip(many, one, strict=True)),
        most=1.2,
        aim="≤ 1.2 times one",
    )


async def delegating(bot: Bot, count: int, chat: str) -> float:
    return await at_once(1, lambda _: bot.ask(f"{SPLIT}{count}", chat=chat))
