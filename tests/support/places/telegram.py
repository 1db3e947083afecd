"""Telegram as a place: the real channel and library, against the stand-in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from bot.core.access import Access, AccessByChannel
from bot.core.channel import Channel
from bot.core.messages import Address, PersonId
from bot.core.rights import EVERY_RIGHT
from channels.pacing import RateLimit
from channels.telegram.channel import Telegram
from channels.telegram.timing import TelegramRateLimits, TelegramTiming
from tests.stand_ins.telegram import Fault, Person, TelegramStandIn
from tests.stand_ins.telegram.rates import Limits
from tests.stand_ins.telegram.texts import MOST_UNITS, units

ANN = 7
# Short, so that a test does not wait long for faults.
HASTY = TelegramTiming(
    poll_seconds=5,
    call_timeout_seconds=2.0,
    cosmetic_call_timeout_seconds=0.5,
    first_retry_seconds=0.02,
    max_retry_seconds=0.05,
    refused_token_retry_seconds=0.05,
    next_part_wait_seconds=0.1,
    next_album_part_wait_seconds=0.1,
    tap_answer_wait_seconds=0.05,
)
NONE = RateLimit(1_000, 0.01)
UNPACED = TelegramRateLimits(
    chat_delivery_limit=NONE,
    chat_burst_limit=NONE,
    chat_minute_limit=NONE,
    chat_edit_limit=NONE,
    all_calls_limit=NONE,
    typing_limit=NONE,
)


def address(chat: int = ANN, thread: int | None = None) -> Address:
    return Address(channel="telegram", chat=str(chat), thread=None if thread is None else str(thread))


def owned_by(person: int = ANN, *others: int) -> AccessByChannel:
    allowed = frozenset(map(str, others))
    return {
        "telegram": Access(
            owner_id=PersonId(str(person)),
            allowed_ids=allowed,
            owner_address=address(person),
            others_rights=EVERY_RIGHT,
        )
    }


class TelegramPlace:
    def __init__(self, server: TelegramStandIn, closing: AsyncExitStack) -> None:
        self.length: int | None = MOST_UNITS
        self.marks_repeats = True
        self.accesses = owned_by()
        self.server = server
        self.closing = closing
        self.ann: Person = server.person(ANN, "Ann")
        self.room = server.private(self.ann)

    def channel(self) -> Channel:
        made = Telegram(self.server.token, self.server.base_url, timing=HASTY, rates=UNPACED)
        self.closing.push_async_exit(made)
        return made

    def size(self, text: str) -> int:
        return units(text)

    def says(self, text: str) -> None:
        self.room.say(self.ann, text)

    def answers(self, option: str) -> None:
        asking = [message for message in self.room.answers() if message.buttons]
        self.room.tap(self.ann, asking[-1], option)

    def sees(self) -> Sequence[str]:
        return [message.text for message in self.room.answers()]

    def rang(self) -> Sequence[str]:
        return [message.text for message in self.room.answers() if not message.is_silent]

    def cuts(self, *, was_taken: bool) -> None:
        self.server.faults.next("sendMessage", Fault.RESET_AFTER if was_taken else Fault.RESET_UNREAD)


@asynccontextmanager
async def telegram() -> AsyncIterator[TelegramPlace]:
    async with TelegramStandIn(limits=Limits.none()) as server, AsyncExitStack() as closing:
        yield TelegramPlace(server, closing)
