"""A private chat on Telegram as a place: the real channel and library, and the strict stand-in on a socket."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from bot.access import Access, Accesses
from bot.channel import Channel
from bot.messages import Address, PersonId
from channels.pacing import Window
from channels.telegram.channel import Telegram
from channels.telegram.timing import Rates, Timing
from tests.servers.telegram import Fault, Limits, Message, TelegramStandIn

ANN = 7
FREE = Window(1_000, 0.001)
UNPACED = Rates(chat=FREE, burst=FREE, group_chat=FREE, bot=FREE)  # the limits have tests of their own
QUICK = Timing(poll=5.0, first_pause=0.01, longest_pause=0.05, parts_follow=0.05, paste_follows=0.05, tap=0.1)


class TelegramPlace:
    def __init__(self, server: TelegramStandIn) -> None:
        self.server = server
        self.ann = server.person(ANN, "Ann")
        self.room = server.private(self.ann)
        self.length: int | None = 4_096
        self.marks_repeats = True
        owner_at = Address(channel="telegram", chat=str(ANN))
        self.accesses: Accesses = {"telegram": Access(owner=PersonId(str(ANN)), owner_at=owner_at)}

    @asynccontextmanager
    async def channel(self) -> AsyncIterator[Channel]:
        async with Telegram(self.server.token, self.server.base_url, timing=QUICK, rates=UNPACED) as telegram:
            yield telegram

    def size(self, text: str) -> int:
        """In UTF-16 units."""
        return len(text.encode("utf-16-le")) // 2

    def says(self, text: str) -> None:
        self.room.say(self.ann, text)

    def answers(self, option: str) -> None:
        self.room.tap(self.ann, self.asked(option), option)

    def asked(self, option: str) -> Message:
        return next(one for one in reversed(self.room.answers()) if option in str(one.buttons))

    def sees(self) -> Sequence[str]:
        return [message.text for message in self.room.answers()]

    def cuts(self, *, was_taken: bool) -> None:
        self.server.faults.next("sendMessage", Fault.RESET_AFTER if was_taken else Fault.RESET_UNREAD)


@asynccontextmanager
async def telegram_place() -> AsyncIterator[TelegramPlace]:
    async with TelegramStandIn(limits=Limits.none()) as server:
        yield TelegramPlace(server)
