"""Keep Python's garbage collector out of the way. A full pass looks at every object, and nothing else runs meanwhile.

Most objects belong to modules and stay until the process ends: 300,000 objects, a tenth of a second for each pass. So
there is no pass while a command loads them. Once the bot has loaded them, they are frozen: no pass looks at them. (A
frozen object without references is still freed, unless it is in a cycle.) From then on there are fewer passes than
usual, because a turn makes hundreds of objects and hardly any of them is in a cycle. At exit all objects are frozen,
because Python would make a last pass to free memory that the system frees anyway.
"""

from __future__ import annotations

import atexit
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio

USUAL_THRESHOLDS = gc.get_threshold()
RUNNING_THRESHOLDS = (5_000, 5, 10)  # a pass takes about 1 ms, each fifth one about 10 ms
LOADING_THRESHOLD = 1_000_000  # new objects until a first pass, so that a long command cannot take all memory
LOADED_AFTER_SECONDS = 1.0  # without a new module
MAX_LOADING_SECONDS = 60.0


@contextmanager
def rare_collection() -> Iterator[None]:
    """Within this a command loads what it needs, and perhaps runs to its end. Python's exit then frees nothing."""
    atexit.register(gc.freeze)
    gc.set_threshold(LOADING_THRESHOLD)
    try:
        yield
    finally:
        gc.freeze()  # otherwise the next new object would begin a pass over all that was loaded
        gc.set_threshold(*USUAL_THRESHOLDS)


def collect_again_once_loaded(loop: asyncio.AbstractEventLoop) -> None:
    """Once the process imports no more modules, freeze all objects and let the collector run again. (Threads import
    libraries for some seconds after a bot's start.)"""
    give_up_at = loop.time() + MAX_LOADING_SECONDS

    def look(modules_before: int) -> None:
        if len(sys.modules) > modules_before and loop.time() < give_up_at:
            loop.call_later(LOADED_AFTER_SECONDS, look, len(sys.modules))
        else:
            freeze_and_collect_again()

    look(0)


def freeze_and_collect_again() -> None:
    gc.freeze()
    gc.set_threshold(*RUNNING_THRESHOLDS)
