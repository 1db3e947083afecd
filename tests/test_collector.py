"""The garbage collector does not look again and again at what is loaded: in a process of its own."""

import subprocess
import sys

LOADS = """
import gc, sys, time
import bot.cli.serving
from bot.collector import spare_what_stays
spare_what_stays({seconds})
import anthropic, channels.discord.channel, channels.telegram.channel
gc.collect()
time.sleep({seconds} / 10)
made = [[] for _ in range(1_000)]
gc.collect()
print(gc.get_freeze_count(), len(gc.get_objects()), len(gc.callbacks))
"""


def counts(seconds: float) -> list[int]:
    said = subprocess.run([sys.executable, "-c", LOADS.format(seconds=seconds)], capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    return [int(each) for each in said.stdout.split()]


def test_what_is_loaded_is_set_apart_also_if_that_is_later() -> None:
    apart, others, _ = counts(5)
    assert apart > 100_000
    assert others < apart / 20


def test_after_the_start_nothing_more_is_set_apart() -> None:
    _, others, callbacks = counts(0)
    assert others > 1_000
    assert callbacks == 0
