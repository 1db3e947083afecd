"""The bus between channels and engine: it publishes what comes in, and wakes the tasks that must look again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from bot.core.channel import KnownChat
from bot.core.messages import Draft, Event
from bot.store import Store, chats
from bot.store.signals import Signal, Topic

TakeInBatch = Callable[[Sequence[Event]], Awaitable[None]]


def drafts_topic(channel: str) -> Topic:
    return Topic(f"drafts:{channel}")


class Bus:
    """`publish` takes in what channels hear; when it returns, the whole batch is durable. What a transaction says
    is an outbox row, and the channel's courier listens for it. Only drafts live in memory, the newest of each turn.
    Any draft may be lost."""

    def __init__(self, rows: Store, take_in: TakeInBatch) -> None:
        self._rows = rows
        self._take_in = take_in
        self._drafts: dict[str, dict[str, Draft]] = defaultdict(dict)
        self._typing: dict[str, dict[str, Draft]] = defaultdict(dict)

    async def publish(self, batch: Sequence[Event]) -> None:
        """Take in one batch. When this returns, the platform may forget it."""
        await self._take_in(batch)

    async def list_known_chats(self, channel: str) -> Sequence[KnownChat]:
        """Return the chats where that channel has heard something before, and how far it has read there. Most
        recent first."""
        return await self._rows.read(chats.list_known_chats, channel)

    def listen(self, *topics: Topic) -> AbstractContextManager[Signal]:
        """Return a signal. Clear it before reading the rows, and wait for it afterwards."""
        return self._rows.signals.listen(*topics)

    def wake(self, topic: Topic, name: str = "") -> None:
        self._rows.signals.wake({topic: {name}})

    def show_draft(self, draft: Draft) -> None:
        """Show a turn's draft in place of the one before. A draft without text says that the turn is at work, and
        on what, if the activity is known."""
        channel = draft.address.channel
        drafts, typing = self._drafts[channel], self._typing[channel]
        before = typing.get(draft.turn)
        if draft.text:
            drafts[draft.turn] = draft
        elif draft.activity is not None and draft.turn in drafts:
            drafts[draft.turn] = replace(drafts[draft.turn], activity=draft.activity)
        elif draft.activity is not None or before is None:
            typing[draft.turn] = draft
        self.wake(drafts_topic(channel))

    def take_typing(self, channel: str) -> list[Draft]:
        """Return the typing drafts since the last call, of turns that have not written any text since."""
        typing = self._typing.pop(channel, {})
        return [draft for draft in typing.values() if draft.turn not in self._drafts[channel]]

    def take_drafts(self, channel: str, besides: Collection[str] = ()) -> list[Draft]:
        """Return the drafts since the last call, one per turn. Drafts of the turns in `besides` stay here."""
        drafts = self._drafts[channel]
        return [drafts.pop(turn) for turn in list(drafts) if turn not in besides]

    def take_newest_draft(self, draft: Draft) -> Draft:
        """Return the newer draft of that turn if there is one, else `draft`."""
        return self._drafts[draft.address.channel].pop(draft.turn, draft)
