"""What is paid: the tokens of a first prompt, and the price of a conversation with tools, by the strict stand-in.

It counts the tokens (characters of canonical JSON ÷ 3.5) and the cache as the service does; the prices are real.
"""

from pathlib import Path

from bot.core.prices import MILLION, Usage, cost_of_usage
from tests.bench.rig import KEY, running
from tests.bench.table import Row
from tests.stand_ins.claude import Asked, ClaudeStandIn, Reply, Request, Text, Thinking, ToolUse, reply

MOST_PROMPT = 6_000  # tokens
TURNS = 10
ROUNDS = 3  # of tools, in each turn: each writes about 250 tokens and brings 1,500
SENTENCE = "The harvest of that year was better than anybody had hoped for. "  # 64 characters
FILE = SENTENCE * (1_500 * 7 // 2 // len(SENTENCE))
QUESTION = SENTENCE * (120 * 7 // 2 // len(SENTENCE))
LOOKING = SENTENCE * (150 * 7 // 2 // len(SENTENCE))
ANSWER = SENTENCE * (500 * 7 // 2 // len(SENTENCE))


async def prompt() -> list[Row]:
    """The first request of two chats that say "hi": the second reads from the cache what all chats share."""
    async with ClaudeStandIn(api_key=KEY) as server, running(server.base_url) as bot:
        for chat in ("one", "two"):
            await bot.ask("hi", chat=chat)
        first, second = (request.billed for request in server.requests)
        tools = len(server.requests[0].asked.tools)
    return [
        Row(
            what="prompt for “hi”: tools, system, surroundings",
            ours=f"{first.prompt} tokens, {tools} tools",
            other=f"{second.read} of them are read from the cache by the next chat",
            value=first.prompt,
            most=MOST_PROMPT,
            aim="≤ 6,000 tokens",
            is_ratio=False,
        )
    ]


async def conversation(turns: int = TURNS) -> list[Row]:
    """Ten turns of three rounds of tools each; nobody pauses for longer than the cache lives."""
    async with ClaudeStandIn(api_key=KEY) as server, running(server.base_url) as bot:
        server.script.rule(reads_three_files)
        write_files(bot.folder / "workspace", turns * ROUNDS)
        for number in range(turns):
            await bot.ask(f"{number}. {QUESTION}")
        server.verify()
        paid, plain = price(server.requests, is_cached=True), price(server.requests, is_cached=False)
        billed = server.billed
    return [
        Row(
            what=f"price of {turns} turns with tools, {len(server.requests)} requests",
            ours=f"${paid:.3f}; {billed.read / billed.prompt:.0%} of the prompts read from the cache",
            other=f"${plain:.3f} without caching",
            value=paid / plain,
            most=0.2,
            aim="≤ 0.2 times without caching",
        )
    ]


def reads_three_files(asked: Asked) -> Reply:
    number = int(asked.turn_text.rpartition("\n")[2].partition(".")[0].rpartition(" ")[2]) * ROUNDS + asked.step
    if asked.step == ROUNDS:
        return reply(Thinking(), ANSWER)
    return reply(Thinking(), Text(LOOKING), ToolUse("read_file", {"path": f"part {number}.txt"}))


def write_files(workspace: Path, count: int) -> None:
    for number in range(count):
        (workspace / f"part {number}.txt").write_text(f"Part {number}. {FILE}")


def price(requests: list[Request], *, is_cached: bool) -> float:
    """Dollars."""
    return (
        sum(cost_of_usage(request.asked.model, usage_of(request, is_cached=is_cached)) for request in requests)
        / MILLION
    )


def usage_of(request: Request, *, is_cached: bool) -> Usage:
    billed = request.billed
    if not is_cached:
        return Usage(input=billed.prompt, output=billed.output)
    return Usage(
        input=billed.input,
        output=billed.output,
        cache_read=billed.read,
        cache_write_5m=billed.write_5m,
        cache_write_1h=billed.write_1h,
    )
