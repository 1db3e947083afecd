"""Python's garbage collector, made quick: a full pass looks at every object that there is, and nothing else runs then.

Most of them are modules, which stay for as long as the process does: 220,000 objects, a tenth of a second for a pass.
So what is there at the start is set apart, and so is what a pass of the first minute leaves, since some libraries are
imported by a thread meanwhile. (It is freed all the same when nobody refers to it any more, except in a circle.)
"""

import gc
import time
from typing import Any

START_SECONDS = 60.0


def freeze_lasting_objects(seconds: float = START_SECONDS) -> None:
    until = time.monotonic() + seconds

    def passed(phase: str, info: dict[str, Any]) -> None:
        if time.monotonic() > until:
            gc.callbacks.remove(passed)
        elif phase == "stop" and info["generation"] == 2:
            gc.freeze()

    gc.freeze()
    gc.callbacks.append(passed)
