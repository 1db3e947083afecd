"""What a turn says in its chat: on its way, and at its end."""

from bot.core.limits import Terms
from bot.core.messages import OutboundId, OutboundKind, OutboundMessage
from bot.core.turn import Turn, TurnStatus
from bot.store import drafts, inbox, outbox, transcript
from bot.store.connection import Connection
from bot.store.outbox import Urgency


def say_update(db: Connection, turn: Turn, id: str, text: str, terms: Terms) -> None:
    """Send a silent message before the turn ends: from a role under its name, from the lead along with its calls."""
    message = OutboundMessage(
        id=OutboundId(id),
        address=turn.address,
        kind=OutboundKind.UPDATE,
        text=text,
        role=None if turn.is_root else turn.role,
        is_quiet=True,
    )
    if turn.is_root:
        drafts.say_over_draft(db, message, turn.id, terms.now)
    else:
        outbox.say_message(db, message, terms.now)


def update_since_last_input(db: Connection, turn: Turn) -> OutboundMessage | None:
    """Return the newest update of a root turn, a text or a note, if it came after its person last wrote. Such an
    update can serve as the answer. (An update's id ends with the number of its entry.)"""
    said = outbox.newest_lead_update(db, turn)
    if said is None or int(said.id.rpartition("/")[2]) < transcript.newest_input_entry(db, turn):
        return None
    return said


def say_reply(
    db: Connection, turn: Turn, status: TurnStatus, text: str, terms: Terms, replaces: OutboundId | None
) -> None:
    """Say what ends a root turn. `replaces` is the update with the same text; it is deleted once this is shown."""
    messages = inbox.messages_of_turn(db, turn.id)
    reply = OutboundMessage(
        id=OutboundId(f"{turn.id}:reply"),
        address=turn.address,
        kind=OutboundKind.REPLY,
        text=text,
        reply_to=messages[-1].id if messages else None,
        replaces=replaces,
    )
    urgency = Urgency.ACKNOWLEDGEMENT if status is TurnStatus.CANCELLED else Urgency.ANSWER
    drafts.say_after_draft(db, reply, turn.id, terms.now, urgency)
