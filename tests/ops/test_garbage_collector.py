"""The garbage collector stays out of the way while a command loads, and at its end: in a process of its own."""

import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

import pytest

from tests.support.patience import PATIENCE
from tests.support.terminals import Home

TELLS = """
import atexit, gc
new_at_passes, usual = [0], gc.get_threshold()
gc.callbacks.append(lambda phase, info: phase == "start" and new_at_passes.append(gc.get_count()[0]))
passes = lambda: (len(new_at_passes) - 1, max(new_at_passes))
atexit.register(lambda: print(*passes(), gc.get_freeze_count(), gc.get_threshold() == usual))
from bot.cli import main
main()
"""
LOADS = """
import asyncio, gc
from bot.ops import garbage_collector

async def load():
    with garbage_collector.rare_collection():
        garbage_collector.collect_again_once_loaded(asyncio.get_running_loop())
        import anthropic, channels.discord.channel, channels.telegram.channel
        assert gc.get_freeze_count() == 0
        await asyncio.to_thread(__import__, "channels.discord.rendering")
        while gc.get_freeze_count() == 0:
            await asyncio.sleep(0.1)
        print(gc.get_freeze_count(), len(gc.get_objects()), gc.get_threshold() == garbage_collector.RUNNING_THRESHOLDS)

asyncio.run(load())
"""


def test_loaded_objects_are_frozen_once_nothing_more_is_loaded() -> None:
    said = subprocess.run([sys.executable, "-c", LOADS], capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    frozen, others, has_thresholds = said.stdout.split()
    assert int(frozen) > 100_000
    assert int(others) < int(frozen) / 20
    assert has_thresholds == "True"


@pytest.mark.parametrize("words", [("chat", "-m", "hi"), ("run", "--demo"), ("--help",)])
def test_a_command_makes_no_pass_while_it_loads_and_frees_nothing_at_its_end(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    """They say at their end how many passes there were. No platform can be reached here."""
    config = tmp_path / "config.json"
    config.write_text('{"channels": {"telegram": {"enabled": true, "token": "1:x"}}}')
    environment = Home(tmp_path).environment | {"RETINUE_CONFIG": str(config), "HTTPS_PROXY": "http://127.0.0.1:9"}
    command = [sys.executable, "-c", TELLS, *words]
    with subprocess.Popen(command, env=environment, cwd=tmp_path, stdout=PIPE, stderr=PIPE, text=True) as process:
        if words[0] == "run":
            assert process.stderr
            next(line for line in process.stderr if "answering" in line)
            process.terminate()
        said = process.communicate(timeout=PATIENCE)[0]
    passes, most_new, frozen, has_usual_thresholds = said.splitlines()[-1].split()
    assert int(passes) < 20  # of hundreds, all before `main`
    assert (
        int(most_new) < 10_000
    )  # objects (a bot at work: 5,000), so none of them looked through what the command has loaded
    assert int(frozen) > 10_000
    assert has_usual_thresholds == "True"
