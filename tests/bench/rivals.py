"""The same loads for a rival, side by side: nanobot, which has the same shape (Python, a message bus, an agent loop).

It is installed from PyPI into an environment of its own in the cache folder, and asks the same server. Its command runs
as people run it, and its library as its own documentation shows it, without its log.
"""

import asyncio
import json
import os
import sys
import time
import venv
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median
from subprocess import CalledProcessError

from tests.bench.memory import KIB, MIB, memory_of_this_process
from tests.bench.processes import REPOSITORY
from tests.bench.responder import ANSWER, responder
from tests.bench.rig import folder, running
from tests.bench.starting import COMMAND, environment
from tests.bench.table import Row, ms

NANOBOT = "nanobot-ai==0.3.5"
TIMES = 5  # that a command is begun
TURNS, TURNS_OF_CHAT, CHATS = 60, 10, 200
REST = 0.01  # seconds for what follows an answer
INSTALL_SECONDS, COMMAND_SECONDS, LOAD_SECONDS = 600, 60, 300
NANOBOT_LOAD = """
import asyncio, json, re, sys, time
from pathlib import Path
from loguru import logger
from nanobot import Nanobot
config, turns, of_chat, chats, rest = sys.argv[1], *map(int, sys.argv[2:5]), float(sys.argv[5])
logger.remove()
def memory():
    found = dict(re.findall(r"(?m)^(\\w+): +(\\d+) kB$", Path("/proc/self/smaps_rollup").read_text()))
    return (int(found["Private_Clean"]) + int(found["Private_Dirty"])) / 1024
async def main():
    bot = Nanobot.from_config(config)
    ask = lambda chat: bot.run("hi", session_key=f"bench:{chat}", chat_id=chat)
    await ask("first")
    first, spent = memory(), []
    for number in range(turns):
        began = time.process_time()
        await ask(f"room {number // of_chat}")
        await asyncio.sleep(rest)
        spent.append(time.process_time() - began)
    began = time.perf_counter()
    await asyncio.gather(*(ask(f"crowd {number}") for number in range(chats)))
    took = time.perf_counter() - began
    print(json.dumps({"cpu": sum(spent) / turns, "at_once": took, "first": first, "after": memory()}))
asyncio.run(main())
"""


USED = b"used: "
WATCH = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print("used:", used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


class NotInstalled(Exception):
    """The rival cannot be had here. The text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What a process did: `cpu` is seconds of a turn, `at_once` seconds for all chats, the others are private MiB."""

    cpu: float
    at_once: float
    first: float
    after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One run of a command: seconds to its first answer, to its end, and of the processor; its most memory in MiB."""

    answer: float
    end: float
    cpu: float
    peak: float


async def rows(times: int = TIMES) -> list[Row]:
    """Return the rows; one that says why, if the rival cannot be installed."""
    name, own = NANOBOT.replace("-ai==", " "), f"Retinue {version('retinue')}"
    try:
        nanobot = await install_nanobot()
    except NotInstalled as error:
        return [Row(what=f"{own} beside {name}", ours="skipped", other=str(error))]
    ours, theirs = list[Command](), list[Command]()
    async with responder() as url:
        for _ in range(times):
            with folder() as home:
                ours.append(await run_command([COMMAND, "chat", "-m", "hi"], environment(home, url), home))
            with folder() as home:
                asked = ["agent", "-c", str(write_nanobot_config(home, url)), "-m", "hi", "--no-markdown"]
                theirs.append(await run_command([str(nanobot / "nanobot"), *asked], environment(home, ""), home))
        ours_loaded = await load_of([sys.executable, "-m", "tests.bench.rivals", url], dict(os.environ), REPOSITORY)
        with folder() as home:
            words = [str(write_nanobot_config(home, url)), *map(str, (TURNS, TURNS_OF_CHAT, CHATS, REST))]
            code = [str(nanobot / "python"), "-c", NANOBOT_LOAD, *words]
            theirs_loaded = await load_of(code, environment(home, ""), home)

    def of_command(what: str, get: Callable[[Command], float], show: Callable[[float], str]) -> Row:
        return beside(f"{own}: {what}", median(map(get, ours)), median(map(get, theirs)), show, name)

    def of_load(what: str, get: Callable[[Load], float], show: Callable[[float], str]) -> Row:
        return beside(f"{own}: {what}", get(ours_loaded), get(theirs_loaded), show, name)

    return [
        of_command("a command's first answer, from cold", lambda each: each.answer, in_seconds),
        of_command("the end of the same command", lambda each: each.end, in_seconds),
        of_command("CPU of the same command", lambda each: each.cpu, in_seconds),
        of_command("the most memory of the same command", lambda each: each.peak, in_mib),
        of_load("CPU of a turn in a fresh chat", lambda each: each.cpu, ms),
        of_load(f"{CHATS} chats at once", lambda each: each.at_once, in_seconds),
        of_load("private memory after the first answer", lambda each: each.first, in_mib),
        of_load("private memory after all", lambda each: each.after, in_mib),
    ]


def beside(what: str, ours: float, theirs: float, show: Callable[[float], str], name: str) -> Row:
    """Return a row without an aim. Its ratio is the rival's figure through ours, so above 1 we are ahead."""
    return Row(what=what, ours=show(ours), other=f"{show(theirs)} {name}", value=theirs / ours)


def in_seconds(value: float) -> str:
    return f"{value:.2f} s"


def in_mib(value: float) -> str:
    return f"{value:.0f} MiB"


async def install_nanobot() -> Path:
    """Return the folder of its programs, in an environment of its own that stays for the next run."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    place = cache / "retinue-bench" / NANOBOT.replace("==", "-")
    programs = place / "bin"
    if not (programs / "nanobot").exists():
        try:
            await asyncio.to_thread(venv.create, place, with_pip=True, clear=True)
        except (CalledProcessError, OSError) as error:
            raise NotInstalled(f"no environment can be made for it: {error}") from None
        pip = await asyncio.create_subprocess_exec(
            *(programs / "python", "-m", "pip", "install", "--quiet", NANOBOT), stdout=DEVNULL, stderr=PIPE
        )
        try:
            async with ending(pip, INSTALL_SECONDS):
                _, said = await pip.communicate()
        except TimeoutError:
            raise NotInstalled(f"pip has not installed it in {INSTALL_SECONDS} s") from None
        if pip.returncode:
            raise NotInstalled(said.decode().strip().rpartition("\n")[2] or f"pip ended with {pip.returncode}")
    return programs


@asynccontextmanager
async def ending(process: Process, seconds: float) -> AsyncIterator[None]:
    """End a process that is still there after this time, or if something fails."""
    try:
        async with asyncio.timeout(seconds):
            yield
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def write_nanobot_config(home: Path, url: str) -> Path:
    path = home / "config.json"
    defaults = {"model": "anthropic/claude-sonnet-4-5", "provider": "anthropic", "workspace": str(home / "workspace")}
    provider = {"apiKey": "key", "apiBase": url}
    path.write_text(json.dumps({"agents": {"defaults": defaults}, "providers": {"anthropic": provider}}))
    return path


async def run_command(words: Sequence[str], env: dict[str, str], home: Path) -> Command:
    began, answered, cpu, peak = time.perf_counter(), None, 0.0, 0.0
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-S", "-c", WATCH, *words), stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL, env=env, cwd=home
    )
    assert process.stdout
    async with ending(process, COMMAND_SECONDS):
        while line := await process.stdout.readline():
            if ANSWER.encode() in line:
                answered = time.perf_counter() - began
            elif line.startswith(USED):
                cpu, peak = map(float, line.removeprefix(USED).split())
        await process.wait()
    if answered is None:
        raise RuntimeError(f"{words[0]} did not answer: status {process.returncode}")
    return Command(answer=answered, end=time.perf_counter() - began, cpu=cpu, peak=peak * KIB / MIB)


async def load_of(words: Sequence[str], env: dict[str, str], home: Path) -> Load:
    process = await asyncio.create_subprocess_exec(*words, stdin=DEVNULL, stdout=PIPE, env=env, cwd=home)
    async with ending(process, LOAD_SECONDS):
        out, _ = await process.communicate()
    return Load(**json.loads(out.decode().splitlines()[-1]))


async def measure_ourselves(url: str) -> Load:
    """Make the same turns in this process, which has nothing else."""
    async with running(url) as bot:
        await bot.ask("hi", chat="first")
        first, spent = memory_of_this_process().private, list[float]()
        for number in range(TURNS):
            began = time.process_time()
            await bot.ask("hi", chat=f"room {number // TURNS_OF_CHAT}")
            await asyncio.sleep(REST)
            spent.append(time.process_time() - began)
        at = time.perf_counter()
        await asyncio.gather(*(bot.ask("hi", chat=f"crowd {number}") for number in range(CHATS)))
        took = time.perf_counter() - at
        return Load(cpu=sum(spent) / TURNS, at_once=took, first=first, after=memory_of_this_process().private)


if __name__ == "__main__":
    print(json.dumps(asdict(asyncio.run(measure_ourselves(sys.argv[1])))))
