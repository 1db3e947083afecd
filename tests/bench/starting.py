"""The real command, from its start to the first answer, against a script that imports the SDK and asks the same."""

import asyncio
import os
import resource
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE
from pathlib import Path
from statistics import median

from tests.bench.responder import responder
from tests.bench.rig import KEY, folder
from tests.bench.table import Row

COMMAND = str(Path(sys.executable).with_name("retinue"))
TIMES = 7
BARE = """
import asyncio, anthropic, sys
async def ask():
    async with anthropic.AsyncAnthropic(api_key="k", base_url=sys.argv[1]) as client:
        asked = [{"role": "user", "content": "hi"}]
        async with client.messages.stream(model="claude-sonnet-5-5", max_tokens=100, messages=asked) as stream:
            print(await stream.get_final_text(), flush=True)
asyncio.run(ask())
"""


async def rows(times: int = TIMES) -> list[Row]:
    return [*await first_answer_and_end(times), await processor(times), await help_text(times)]


async def processor(times: int) -> Row:
    """The processor that the command takes from its start to its end; the first answer comes just before it."""
    ours, bare = list[float](), list[float]()
    async with responder() as url:
        for _ in range(times):
            for found, command in ((ours, (COMMAND, "chat", "-m", "hi")), (bare, (sys.executable, "-c", BARE, url))):
                before = processor_of_ended_children()
                await seconds_to_first_line_and_end(*command, url=url)
                found.append(processor_of_ended_children() - before)
    return Row(
        what="CPU of the same command",
        ours=f"{median(ours):.2f} s",
        other=f"{median(bare):.2f} s to import the SDK, call and exit",
        value=median(ours),
        most=1.0,
        aim="≤ 1.0 s",
        is_ratio=False,
    )


def processor_of_ended_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


async def help_text(times: int) -> Row:
    took = median([(await seconds_to_first_line_and_end(COMMAND, "--help"))[0] for _ in range(times)])
    bare = median([(await seconds_to_first_line_and_end(sys.executable, "-c", "print(1)"))[0] for _ in range(times)])
    return Row(
        what="`retinue --help`",
        ours=f"{took:.2f} s",
        other=f"{bare:.2f} s for Python alone",
        value=took,
        most=0.3,
        aim="≤ 0.3 s",
        is_ratio=False,
    )


async def first_answer_and_end(times: int) -> list[Row]:
    ours, bare = list[tuple[float, float]](), list[tuple[float, float]]()
    async with responder() as url:
        for _ in range(times):
            ours.append(await seconds_to_first_line_and_end(COMMAND, "chat", "-m", "hi", url=url))
            bare.append(await seconds_to_first_line_and_end(sys.executable, "-c", BARE, url, url=url))
    return [
        Row(
            what=what,
            ours=f"{median(pair[at] for pair in ours):.2f} s",
            other=f"{median(pair[at] for pair in bare):.2f} s {other}",
            value=median(one[at] / two[at] for one, two in zip(ours, bare, strict=True)),
            most=most,
            aim=f"≤ {most} times",
        )
        for at, what, other, most in (
            (0, "start to first answer, `retinue chat -m hi`", "to import the SDK and call", 1.1),
            (1, "start to the end of the same command", "to import the SDK, call and exit", 0.95),
        )
    ]


async def seconds_to_first_line_and_end(*command: str, url: str = "") -> tuple[float, float]:
    """Return the seconds until its first line, and until its end."""
    with folder() as home:
        began = time.perf_counter()
        process = await asyncio.create_subprocess_exec(
            *command, stdout=PIPE, stderr=DEVNULL, stdin=DEVNULL, cwd=home, env=environment(home, url)
        )
        assert process.stdout
        line = await process.stdout.readline()
        first = time.perf_counter() - began
        await process.communicate()
        end = time.perf_counter() - began
    if not line.strip() or process.returncode:
        raise RuntimeError(f"{command[:3]} said nothing, or failed: status {process.returncode}")
    return first, end


def environment(home: Path, url: str) -> dict[str, str]:
    """Nothing of this machine's own settings; what is remembered stands in a folder that is thrown away."""
    names = {name: str(home) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")}
    asked = {"ANTHROPIC_API_KEY": KEY, "RETINUE_MODEL__BASE_URL": url} if url else {}
    return {"PATH": os.environ.get("PATH", ""), **names, **asked}
