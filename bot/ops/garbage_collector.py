"""Make Python's garbage collector quick. A full pass looks at every object, and nothing else runs meanwhile.

Most objects belong to modules and stay until the process ends: 220,000 objects, a tenth of a second for each pass. So
the objects that exist at the start are frozen: no pass looks at them. In the first minute threads still import
libraries, so the objects that remain after a full pass of that minute are frozen too. (A frozen object without
references is still freed, unless it is in a cycle.)
"""

import gc
import time
from typing import Any

STARTUP_FREEZING_SECONDS = 60.0


def freeze_lasting_objects(seconds: float = STARTUP_FREEZING_SECONDS) -> None:
    """Freeze the objects that exist now, and those that remain after each full pass of the next `seconds`."""
    until = time.monotonic() + seconds

    def on_collection(phase: str, info: dict[str, Any]) -> None:
        if time.monotonic() > until:
            gc.callbacks.remove(on_collection)
        elif phase == "stop" and info["generation"] == 2:
            gc.freeze()

    gc.freeze()
    gc.callbacks.append(on_collection)
