"""A session of the gateway: what was sent to its client, so that a later connection can continue."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.stand_ins.discord.events import Event
from tests.stand_ins.discord.snowflakes import Json

if TYPE_CHECKING:
    from tests.stand_ins.discord.connections import Connection

RESUME_SECONDS = 120.0  # how long a session outlives its connection


@dataclass(eq=False, kw_only=True)
class Session:
    id: str
    intents: int
    sent: list[Json] = field(default_factory=list)  # the event with sequence number N is at index N - 1
    connection: Connection | None = None
    left_at: float | None = None  # when its connection ended

    def hear(self, event: Event) -> None:
        """Record an event, and send it if there is a connection."""
        if not event.is_seen or (event.intent and not event.intent & self.intents):
            return
        payload: Json = {"op": 0, "t": event.name, "s": len(self.sent) + 1, "d": event.body_for(self.intents)}
        self.sent.append(payload)
        if self.connection:
            self.connection.dispatch(payload)

    def is_over(self, now: float) -> bool:
        return self.left_at is not None and now - self.left_at > RESUME_SECONDS
