"""`retinue health` beside a bot that runs: it answers itself, at little cost; a dead or hung one has its rows."""

import asyncio
import json
import os
import resource
import subprocess
import sys
import time
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from functools import partial

import pytest

from bot.config import load
from bot.ops import texts as ops_texts
from bot.ops.control.server import ControlServer, Request
from bot.ops.control.unix_socket import listen_on_socket
from bot.ops.health import answer_health_request
from bot.store import folder_lock
from tests.ops.test_health import HEAVY, OPEN, begins_with, bench, chat, found, has_pulse, shell
from tests.support.bench import Bench
from tests.support.shell import Said, Shell

__all__ = ["bench", "chat", "shell"]

MOST_SECONDS = 0.05  # of the processor, for a check: asserted with a factor of three, since machines differ
NOT_NEEDED = HEAVY | {"pydantic", "click", "asyncio", "sqlite3", "platformdirs"}


@asynccontextmanager
async def running(bench: Bench, shell: Shell) -> AsyncIterator[None]:
    answer = partial(answer_health_request, load(shell.folder / "config.json", variables={}).config)
    async with bench.run(
        access=OPEN, serve_control_socket=lambda _: ControlServer(shell.data, {"health": answer}).run()
    ):
        await has_pulse(bench)
        yield


def named(shell: Shell) -> Shell:
    """As units and containers ask."""
    return Shell(shell.folder, {"RETINUE_CONFIG": str(shell.folder / "config.json")})


async def begun(shell: Shell, *words: str) -> asyncio.subprocess.Process:
    pipe = subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        *(sys.executable, *words), cwd=shell.folder, env=shell.environment, stdout=pipe, stderr=pipe
    )


async def told(request: Request, reader: StreamReader, writer: StreamWriter) -> None:
    said = {"healthy": False, "words": "unhealthy: I say so", "condition": {"healthy": False, "problems": ["I say so"]}}
    writer.write(json.dumps(said).encode() + b"\n")


@pytest.mark.fast(cases=1)
@pytest.mark.parametrize("is_named", [True, False])
async def test_the_bot_that_runs_answers_itself(bench: Bench, shell: Shell, *, is_named: bool) -> None:
    asking = named(shell) if is_named else shell
    async with bench.run(access=OPEN, serve_control_socket=lambda _: ControlServer(shell.data, {"health": told}).run()):
        await has_pulse(bench)
        said = await asking.retinue("health")
        status, condition = await found(asking)
    assert said == Said(status=1, out="unhealthy: I say so\n", err="")
    assert (status, condition) == (1, {"healthy": False, "problems": ["I say so"]})


@pytest.mark.parametrize("is_named", [True, False])
async def test_a_demo_that_runs_in_its_own_folder_answers_too(shell: Shell, *, is_named: bool) -> None:
    with folder_lock.lock_data_folder(shell.data / "demo"):
        server = asyncio.create_task(ControlServer(shell.data / "demo", {"health": told}).run())
        said = await (named(shell) if is_named else shell).retinue("health")
        server.cancel()
    assert said == Said(status=1, out="unhealthy: I say so\n", err="")


async def test_a_demo_that_does_not_answer_is_judged_by_its_rows(shell: Shell) -> None:
    with folder_lock.lock_data_folder(shell.data / "demo"):
        _, condition = await found(named(shell))
    assert condition["process"] == str(os.getpid())


async def test_it_says_what_its_rows_say(bench: Bench, shell: Shell) -> None:
    async with running(bench, shell):
        said = await named(shell).retinue("health")
        status, condition = await found(named(shell))
    assert (said.status, status) == (0, 0)
    heard = begins_with(ops_texts.CHANNEL_HEARD, channel="telegram")
    assert said.out.startswith(ops_texts.HEALTHY(process=os.getpid(), facts=heard))
    assert (condition["process"], condition["problems"]) == (str(os.getpid()), [])


@pytest.mark.parametrize("words", [["--config", "config.json"], ["--config=config.json", "--json"]])
async def test_a_check_costs_little_and_imports_neither_sdk_nor_platforms(
    bench: Bench, shell: Shell, words: list[str]
) -> None:
    command = ["-m", "bot", "health", *words]
    async with running(bench, shell):
        answering, asking = [], []
        for _ in range(5):
            before, own = resource.getrusage(resource.RUSAGE_CHILDREN), time.process_time()
            process = await begun(shell, *command)
            out, _ = await process.communicate()
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            asking.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
            answering.append(time.process_time() - own)
            assert process.returncode == 0, out
        traced = await begun(shell, "-X", "importtime", *command)
        _, errors = await traced.communicate()
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in errors.decode().splitlines()}
    assert "json" in imported
    assert not imported & NOT_NEEDED
    assert min(asking) + min(answering) < 3 * MOST_SECONDS


async def test_one_that_hangs_is_judged_by_its_rows_with_a_clear_status(shell: Shell) -> None:
    shell.data.mkdir()
    with (
        folder_lock.lock_data_folder(shell.data),
        closing(listen_on_socket(shell.data)),
    ):  # it listens, and never answers
        os.utime(shell.data / "lock", (0, time.time() - 100))
        said = await named(shell).retinue("health")
    assert said.status == 1
    assert f"{begins_with(ops_texts.PROCESS_HAS_NOT_MOVED, process=os.getpid())}10" in said.out


async def test_a_demo_does_not_answer_for_a_bot_that_hangs(shell: Shell) -> None:
    demo = shell.data / "demo"
    demo.mkdir(parents=True)
    with (
        folder_lock.lock_data_folder(shell.data),
        folder_lock.lock_data_folder(demo),
        closing(listen_on_socket(shell.data)),
    ):
        os.utime(shell.data / "lock", (0, time.time() - 100))
        server = asyncio.create_task(ControlServer(demo, {"health": told}).run())
        said = await named(shell).retinue("health")
        server.cancel()
    assert "I say so" not in said.out
    assert f"{begins_with(ops_texts.PROCESS_HAS_NOT_MOVED, process=os.getpid())}10" in said.out


async def test_one_that_was_killed_and_has_left_its_socket_is_not_running(shell: Shell) -> None:
    shell.data.mkdir()
    with closing(listen_on_socket(shell.data)):
        pass
    said = await named(shell).retinue("health")
    no_bot = ops_texts.NO_BOT_IN_FOLDER(folder=shell.data)
    assert (said.status, said.out) == (1, f"{ops_texts.UNHEALTHY(problems=no_bot)}\n")


@pytest.mark.parametrize("content", ["{", "[]", '{"data_dir": 7}'])
async def test_a_config_that_cannot_be_read_is_told_as_ever(shell: Shell, content: str) -> None:
    shell.config()
    (shell.folder / "config.json").write_text(content)
    said = await named(shell).retinue("health")
    assert (said.status, said.out) == (2, "")
    assert "config.json" in said.err


async def test_settings_from_the_environment_are_heeded(bench: Bench, shell: Shell) -> None:
    other = shell.folder / "other"
    asking = Shell(shell.folder, {**named(shell).settings, "RETINUE_DATA_DIR": str(other)})
    async with running(bench, shell):
        said = await asking.retinue("health")
    no_bot = ops_texts.NO_BOT_IN_FOLDER(folder=other)
    assert (said.status, said.out) == (1, f"{ops_texts.UNHEALTHY(problems=no_bot)}\n")
