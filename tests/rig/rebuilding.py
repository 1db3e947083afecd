"""Each request that was settled keeps how it was built, and its rows give it again."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bot.core.model import ModelRequest
from bot.core.sent_request import SentRequest
from bot.core.turn import TurnId
from bot.models.claude.sent_body import Layout, describe_sent_request
from bot.models.claude.traits import traits_from_table
from bot.ops.rebuilt_requests import rebuild_requests_of_turn
from bot.store import turns
from bot.store.connection import Connection

if TYPE_CHECKING:
    from tests.rig.checks import Played


def as_claude_sends_it(request: ModelRequest) -> SentRequest:
    """Return what the adapter of Claude keeps of a request."""
    layout = Layout(user="somebody", traits=traits_from_table(request.prefix.model))
    return describe_sent_request(request, layout, layout.build_body(request))


def rebuilt(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """Nothing that a kill, a stop or an upgrade did has changed a request that was sent."""
    assert isinstance(db, Connection)
    for (turn,) in db.execute("SELECT id FROM turns").fetchall():
        for row, request in rebuild_requests_of_turn(db, turns.get_turn(db, TurnId(turn))):
            if request and request.is_comparable:
                run.figures["requests built again"] += 1
                if request.differing_parts:
                    yield f"request {row.id} of {turn} differs: {request.differing_parts}"
            elif row.state == "settled" and row.usage and row.usage.requests and row.sent is None:
                yield f"request {row.id} of {turn} was sent, and nothing of it was kept"


CHECKS = (rebuilt,)
