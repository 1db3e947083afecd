"""What a turn says in its chat: on its way, and at its end."""

from bot.core.limits import Terms
from bot.core.messages import OutboundId, OutboundKind, OutboundMessage
from bot.core.turn import Turn, TurnStatus
from bot.store import drafts, inbox, outbox, transcript
from bot.store.connection import Connection
from bot.store.outbox import Urgency


def say_update(db: Connection, turn: Turn, id: str, text: str, terms: Terms) -> None:
    """Say something before the turn ends, without a sound: a role under its name, the lead beside what it calls."""
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
    """The newest update of a root turn, be it a text or a note, if it came after its person last wrote: so there is an
    answer. (An update has the number of its entry in its id.)"""
    said = outbox.newest_lead_update(db, turn)
    if said is None or int(said.id.rpartition("/")[2]) < transcript.newest_input_entry(db, turn):
        return None
    return said


def say_reply(
    db: Connection, turn: Turn, status: TurnStatus, text: str, terms: Terms, replaces: OutboundId | None
) -> None:
    """Say what ends a root turn. `replaces`: the update that says the same, and is deleted once this is shown."""
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
