"""The rights of a turn: those that its person had when it began, without those that they have lost since."""

from dataclasses import replace

from bot.core.limits import DecisionTerms
from bot.core.messages import Sender
from bot.core.rights import Rights
from bot.core.turn import Turn, TurnId
from bot.journal import admission
from bot.store import inbox, turns
from bot.store.connection import Connection


def withdraw_lost_rights(db: Connection, turn: Turn, terms: DecisionTerms) -> Turn:
    """Take from a turn the rights that its person does not have any more, and return it as it is then. What is given
    back later counts for their next turn."""
    rights = turn.rights & load_rights_now(db, turn, terms)
    if rights == turn.rights:
        return turn
    turns.update_turn_columns(db, turn.id, rights=rights)
    return replace(turn, rights=rights)


def load_rights_now(db: Connection, turn: Turn, terms: DecisionTerms) -> Rights:
    """Return the rights that a turn's person has at this moment."""
    sender = Sender(id=turn.person, name=turn.asker)
    group_chat = inbox.find_group_chat_of_turn(db, TurnId(turn.id.partition("/")[0]))
    return admission.rights_of_sender(db, turn.address, sender, group_chat, terms)
