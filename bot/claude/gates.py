"""One gate per model: when a server asks one of us to wait, all who want that model do."""

import asyncio
from collections import defaultdict


class Gates:
    def __init__(self) -> None:
        self._closed_until: defaultdict[str, float] = defaultdict(float)  # by the loop's clock

    async def passed(self, model: str) -> None:
        left = self._closed_until[model] - asyncio.get_running_loop().time()
        if left > 0:
            await asyncio.sleep(left)
            await self.passed(model)  # it may have been closed again

    def close(self, model: str, seconds: float) -> None:
        until = asyncio.get_running_loop().time() + seconds
        self._closed_until[model] = max(self._closed_until[model], until)
