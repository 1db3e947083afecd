"""Which delegations a turn may know of: those of its own session and group, and of its chat's background."""

from bot.core.turn import Turn
from bot.store import delegations, turns
from bot.store.connection import Connection
from bot.store.delegations import Delegation


def find_visible_delegation(db: Connection, asking: Turn, id: str) -> Delegation | None:
    """Return the delegation with that id; None if there is none, or if the turn may not know of it."""
    found = delegations.load_delegations_with_ids(db, [id])
    return found[0] if found and is_delegation_visible(db, asking, found[0].turn) else None


def find_speaker_number(db: Connection, turn: Turn) -> int | None:
    """Return the number that a turn's messages carry, because its role works several times at once in
    this chat. Return None if its role's name alone says who speaks."""
    return turn.number if not turn.is_root and turns.has_same_role_at_same_time(db, turn) else None


def is_delegation_visible(db: Connection, asking: Turn, turn: Turn) -> bool:
    if turn.parent_group != asking.group:
        return False
    while not turn.is_root:
        if asking.is_root and turn.background and turn.address == asking.address:
            return True
        if turn.is_direct:
            return False
        turn = turns.get_turn(db, turn.parent_id)
        if turn.session == asking.session:
            return True
        if turn.is_hop:
            return False
    return False
