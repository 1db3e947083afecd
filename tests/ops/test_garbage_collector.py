"""The garbage collector does not look again and again at what is loaded: in a process of its own."""

import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

import pytest

from tests.support.patience import PATIENCE
from tests.support.terminals import Home

TELLS = """
import atexit, gc
atexit.register(lambda: print(gc.get_freeze_count()))
from bot.cli import main
main()
"""
LOADS = """
import gc
import bot.cli.run
from bot.ops.garbage_collector import freeze_lasting_objects
freeze_lasting_objects({seconds})
import anthropic, channels.discord.channel, channels.telegram.channel
gc.collect()
made = [[] for _ in range(1_000)]
gc.collect()
print(gc.get_freeze_count(), len(gc.get_objects()), len(gc.callbacks))
"""


def counts(seconds: float) -> list[int]:
    said = subprocess.run([sys.executable, "-c", LOADS.format(seconds=seconds)], capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    return [int(each) for each in said.stdout.split()]


def test_loaded_objects_are_set_apart_even_if_loaded_later() -> None:
    apart, others, _ = counts(600)
    assert apart > 100_000
    assert others < apart / 20


def test_after_the_start_nothing_more_is_set_apart() -> None:
    _, others, callbacks = counts(0)
    assert others > 1_000
    assert callbacks == 0


@pytest.mark.parametrize("words", [("chat", "-m", "hi"), ("run", "--demo")])
def test_the_commands_set_apart_what_is_loaded(tmp_path: Path, words: tuple[str, ...]) -> None:
    """They say at their end how much that is. No platform can be reached here."""
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
    assert int(said.splitlines()[-1]) > 30_000
