"""Slots: the right of a delegation to work now. A turn that waits holds no slot, so parents cannot block children."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from types import TracebackType

from bot.core.settings import SwarmSettings
from bot.core.turn import Turn, TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotTicket:
    root: TurnId
    granted: asyncio.Future[None]


class Slots:
    """The slots: at most `max_concurrent` per root turn and `max_running` in the tenant, first come first served.

    While a turn is suspected of killing the process there is one slot, and root turns need it too. So the next
    crash finds exactly one turn at work. The other turns must not work beside the suspect, because one of them may
    be the culprit: it wrote its progress just before it killed the process, and the suspect was only too slow to do
    so.
    """

    def __init__(self, swarm: SwarmSettings, suspects: Collection[TurnId] = ()) -> None:
        self._swarm = swarm
        self._suspects = set(suspects)
        self._held: Counter[TurnId] = Counter()  # by root turn
        self._waiting: list[SlotTicket] = []

    def is_slot_needed(self, turn: Turn) -> bool:
        """Return True if the turn needs a slot. The lead and group agents need none, because the number of group
        questions at a time is limited already."""
        return turn.role_depth > 0 or bool(self._suspects)

    async def take_slot(self, root: TurnId) -> None:
        if self._has_room(root):
            self._held[root] += 1
            return
        ticket = SlotTicket(root=root, granted=asyncio.get_running_loop().create_future())
        self._waiting.append(ticket)
        try:
            await ticket.granted
        except asyncio.CancelledError:
            if ticket in self._waiting:
                self._waiting.remove(ticket)
            else:  # it was granted at the same moment
                self.release_slot(root)
            raise

    def release_slot(self, root: TurnId) -> None:
        self._held[root] -= 1
        self._held += Counter()  # drops the roots that hold none
        self._grant()

    def clear_suspect(self, turn: TurnId) -> None:
        """Stop suspecting a turn: it has made progress or has ended."""
        if turn in self._suspects:
            self._suspects.remove(turn)
            self._grant()

    def _has_room(self, root: TurnId) -> bool:
        total = 1 if self._suspects else self._swarm.max_running
        return self._held.total() < total and self._held[root] < self._swarm.max_concurrent

    def _grant(self) -> None:
        for ticket in list(self._waiting):
            if not ticket.granted.done() and self._has_room(ticket.root):
                self._waiting.remove(ticket)
                self._held[ticket.root] += 1
                ticket.granted.set_result(None)


class TurnSlot:
    """One turn's slot: taken to work, released to wait, and released at the end."""

    def __init__(self, slots: Slots, turn: Turn) -> None:
        self._slots = slots
        self._turn = turn
        self._held = False

    async def take(self) -> None:
        if not self._held and self._slots.is_slot_needed(self._turn):
            await self._slots.take_slot(self._turn.root)
            self._held = True

    def release(self) -> None:
        if self._held:
            self._held = False
            self._slots.release_slot(self._turn.root)

    def __enter__(self) -> TurnSlot:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.release()
