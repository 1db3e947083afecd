"""One gate per model: when the server asks one request to wait, all requests to that model wait."""

import asyncio
import random
from collections import defaultdict

LONGEST_AFTER = 1.0  # seconds after a gate opens


class RateLimitGates:
    def __init__(self) -> None:
        self._closed_until: defaultdict[str, float] = defaultdict(float)  # by the loop's clock

    def wait_seconds(self, model: str) -> float:
        """Return the seconds until a request to a model may start, plus up to `LONGEST_AFTER` to spread requests."""
        left = self._closed_until[model] - asyncio.get_running_loop().time()
        return left + random.uniform(0, LONGEST_AFTER) if left > 0 else 0.0

    def close_gate(self, model: str, seconds: float) -> None:
        until = asyncio.get_running_loop().time() + seconds
        self._closed_until[model] = max(self._closed_until[model], until)
