"""Slots: the right of a delegation to work now. A turn that waits holds no slot, so parents never hold up children."""

import asyncio
from collections.abc import Collection

from bot.core.settings import SwarmSettings
from bot.core.turn import Turn, TurnId


class DelegationSlots:
    """At most `max_concurrent` per root turn and `max_running` in the tenant, first come first served.

    While a turn is suspected of killing the process there is one slot, and root turns need it too. So the next crash
    finds exactly one turn at work. The other turns must not work beside the suspect, because one of them may be the
    culprit: it wrote its progress just before it killed the process, and the suspect was only too slow to do so.
    """

    def __init__(self, swarm: SwarmSettings, suspects: Collection[TurnId] = ()) -> None:
        self._swarm = swarm
        self._suspects = set(suspects)
        self._roots: dict[TurnId, TurnId] = {}  # the root of each turn that holds a slot
        self._waiting: dict[asyncio.Future[None], Turn] = {}

    async def wait_for_slot(self, turn: Turn) -> None:
        """Wait for a slot, unless the turn holds one or needs none. The lead and group agents need none. (Questions to
        groups have a limit of their own.)"""
        if turn.id in self._roots or not (turn.depth_within_group > 0 or self._suspects):
            return
        granted = asyncio.get_running_loop().create_future()
        self._waiting[granted] = turn
        self._grant_free_slots()
        try:
            await granted
        except asyncio.CancelledError:
            self._waiting.pop(granted, None)
            self.release_slot(turn)  # it may have been granted at the same moment
            raise

    def release_slot(self, turn: Turn) -> None:
        if self._roots.pop(turn.id, None):
            self._grant_free_slots()

    def clear_crash_suspect(self, turn: TurnId) -> None:
        """Stop suspecting a turn: it has made progress or has ended."""
        if turn in self._suspects:
            self._suspects.remove(turn)
            self._grant_free_slots()

    def _grant_free_slots(self) -> None:
        most = 1 if self._suspects else self._swarm.max_running
        for granted, turn in list(self._waiting.items()):
            held_of_root = list(self._roots.values()).count(turn.root)
            if not granted.done() and len(self._roots) < most and held_of_root < self._swarm.max_concurrent:
                del self._waiting[granted]
                self._roots[turn.id] = turn.root
                granted.set_result(None)
