"""Rows without a bot: turns, messages and calls in a file, as the journal writes them."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from bot.core.messages import NO_GROUP, Address, MessageId, OutboundId, OutboundKind, OutboundMessage, PersonId
from bot.core.prompt_prefix import PromptPrefix
from bot.core.reply_plan import PlannedCall
from bot.core.role import LEAD_ROLE_NAME
from bot.core.turn import CallId, CallKind, SessionId, Turn, TurnId, TurnState
from bot.store import outbox, sessions, transcript, turns
from bot.store.connection import Connection
from bot.store.sessions import ModelChoice
from tests.support.engine_options import TURN_LIMITS

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ROOM, OTHER = Address(channel="fake", chat="room"), Address(channel="fake", chat="other")
PREFIX = PromptPrefix(model="claude-sonnet-5", effort="high", system="lead", tools=())


def add_root_turn(db: Connection, /, number: int = 1, address: Address = ROOM, **fields: Any) -> Turn:
    """Add a running root turn with a new session and its first chapter."""
    session = sessions.add_session(db, address, NO_GROUP, number, ModelChoice(), NOW)
    sessions.open_next_chapter(db, session, PREFIX)
    return add(db, root_turn(number, session, address=address, **fields))


def root_turn(number: int = 1, session: str = "s1", **fields: Any) -> Turn:
    """Return a running root turn that is in no row."""
    turn = Turn(
        id=TurnId(f"t{number}"),
        root=TurnId(f"t{number}"),
        session=SessionId(session),
        address=ROOM,
        person=PersonId("Ann"),
        asker="Ann",
        role=LEAD_ROLE_NAME,
        tools=frozenset(),
        limits=TURN_LIMITS,
        depth=0,
        background=False,
        state=TurnState.RUNNING,
    )
    return replace(turn, **fields)


def add_delegation(db: Connection, parent: Turn, call: str = "2/0", **fields: Any) -> Turn:
    """Add a delegation below a turn, with the call that opens it and a sub-session."""
    id = add_call(db, parent, call, CallKind.WAIT)
    session = SessionId(id)
    sessions.add_sub_session(db, parent.id, session, parent.address, NOW)
    sessions.open_next_chapter(db, session, PREFIX)
    root = TurnId(id) if fields.get("background") else parent.root
    child = replace(parent, id=TurnId(id), root=root, session=session, depth=parent.depth + 1, number=1)
    return add(db, replace(child, **fields))


def add(db: Connection, turn: Turn) -> Turn:
    turns.add_turn(db, turn, "look", NOW)
    return turns.get_turn(db, turn.id)


def add_call(db: Connection, turn: Turn, call: str = "2/0", kind: CallKind = CallKind.READ) -> CallId:
    """Add a planned call of a turn. `call` is its step and its position."""
    id = CallId(f"{turn.id}/{call}")
    step, position = map(int, call.split("/"))
    planned = PlannedCall(id=id, tool_use_id=f"toolu_{id}", name="read", kind=kind, arguments={})
    transcript.add_planned_call(db, turn.id, step, position, planned)
    return id


def say(db: Connection, id: str, text: str = "hello", address: Address = ROOM, **fields: Any) -> OutboundMessage:
    """Add a message to the outbox."""
    kind = fields.pop("kind", OutboundKind.REPLY)
    message = OutboundMessage(id=OutboundId(id), address=address, kind=kind, text=text, **fields)
    outbox.add_outbound_message(db, message, NOW, urgency=1)
    return message


def show_as(db: Connection, message: str, platform_id: str) -> None:
    """Record that the platform shows a message under this id."""
    db.execute("UPDATE outbox SET state = 'sent', platform_ids = json_array(?) WHERE key = ?", (platform_id, message))


def assign(db: Connection, message: str, turn: Turn) -> None:
    """Let a turn take a message."""
    db.execute("UPDATE inbox SET state = 'taken', turn = ? WHERE key = ?", (turn.id, MessageId(message)))
