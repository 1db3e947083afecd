"""Chats in memory where a draft is its own message."""

import asyncio
from collections import deque

from bot.core.channel import MessagePart
from bot.core.messages import Address, PlatformId
from tests.support.bench import Bench
from tests.support.fakes import FakeChannel
from tests.support.patience import PATIENCE
from tests.support.troubles import Uneven


class Recording(FakeChannel):
    """A platform with draft messages. It remembers what it shows, and what happened in which order."""

    def __init__(self) -> None:
        super().__init__()
        self.is_anchoring = True
        self.happened: list[str] = []
        self.edited_texts: list[tuple[str, str]] = []
        self.refusals: deque[Exception] = deque()  # raised by the next deletions, one each
        self.changed = asyncio.Event()
        self._shown: dict[PlatformId, str] = {}

    def seen(self) -> list[str]:
        return list(self._shown.values())

    async def shows(self, text: str) -> None:
        """Wait until the parts that people see make up this text and nothing else."""
        async with asyncio.timeout(PATIENCE):
            while "".join(self.seen()) != text:
                self.changed.clear()
                await self.changed.wait()

    async def send(self, part: MessagePart) -> PlatformId:
        id = await super().send(part)
        self.happened.append(f"send {part.message.kind}")
        self._shown[id] = part.text
        self.changed.set()
        return id

    async def edit(self, id: PlatformId, part: MessagePart) -> None:
        await super().edit(id, part)
        self.happened.append(f"edit {part.message.kind}")
        self.edited_texts.append((part.message.kind, part.text))
        self._shown[id] = part.text
        self.changed.set()

    async def delete(self, address: Address, id: PlatformId) -> None:
        if self.refusals:
            raise self.refusals.popleft()
        await super().delete(address, id)
        self.happened.append("delete draft" if "draft" in id else "delete")
        self._shown.pop(id, None)


def anchoring_and_uneven() -> Uneven:
    chat = Uneven()
    chat.is_anchoring = True
    return chat


async def has_deleted(bench: Bench) -> str:
    async with asyncio.timeout(PATIENCE):
        return await bench.chat.deleted.get()
