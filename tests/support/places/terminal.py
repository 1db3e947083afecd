"""The terminal as a place: the real channel, with paper instead of a screen."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from bot.core.access import Access, AccessByChannel
from bot.core.channel import Channel, MessagePart, PublishFunction
from bot.core.messages import Draft, OutboundKind
from bot.store.chat_reader import ChatReader
from channels.formatting import text_marked_if_possibly_repeated
from channels.terminal.channel import Terminal
from channels.terminal.conversation import CHANNEL_NAME, LOCAL_ADDRESS, OWNER_ID, TerminalConversation


class Paper:
    """An interface that keeps all lines it was shown."""

    def __init__(self, talk: TerminalConversation, typed: asyncio.Queue[str], lines: list[str]) -> None:
        self.conversation = talk
        self.typed = typed
        self.lines = lines
        self.loses: list[bool] = []

    async def run(self, publish: PublishFunction) -> None:
        while True:
            await publish(self.conversation.make_messages_for_text(await self.typed.get()))

    async def show(self, part: MessagePart) -> None:
        if part.message.kind is OutboundKind.BOARD:
            return
        was_taken = self.loses.pop(0) if self.loses else None
        if was_taken is not False:
            self.lines.append(text_marked_if_possibly_repeated(part))
        if was_taken is not None:
            raise ConnectionResetError("the terminal was cut off")

    def show_draft(self, draft: Draft) -> None:
        pass

    def warn(self, text: str, *, is_over: bool) -> None:
        pass


class TerminalPlace:
    def __init__(self, data: Path) -> None:
        self.length: int | None = None
        self.marks_repeats = True
        self.accesses: AccessByChannel = {CHANNEL_NAME: Access(owner_id=OWNER_ID, owner_address=LOCAL_ADDRESS)}
        self.data = data
        self.typed: asyncio.Queue[str] = asyncio.Queue()
        self.lines: list[str] = []

    def channel(self) -> Channel:
        talk = TerminalConversation(ChatReader(self.data / "bot.db", LOCAL_ADDRESS), "Ann", is_continuing=True)
        self.paper = Paper(talk, self.typed, self.lines)
        return Terminal(self.paper)

    def size(self, text: str) -> int:
        return len(text)

    def says(self, text: str) -> None:
        self.typed.put_nowait(text)

    def answers(self, option: str) -> None:
        self.says(option)

    def sees(self) -> Sequence[str]:
        return self.lines

    def cuts(self, *, was_taken: bool) -> None:
        self.paper.loses.append(was_taken)
