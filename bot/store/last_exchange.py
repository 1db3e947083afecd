"""What was said last in a conversation, and what an answer came to: for who sits before a terminal."""

from bot.core.messages import Address, LastExchange, OutboundId, TurnCost
from bot.core.turn import TurnId
from bot.store import inbox, turns
from bot.store.connection import Connection

REPLY_SUFFIX = ":reply"  # how the id of a message ends that ends a turn; the rest is its turn's
UNSHOWN_REPLY_SQL = (
    "SELECT 1 FROM outbox WHERE key = turns.id || ':reply' AND state IN ('queued', 'sending', 'unknown')"
)


def last_exchange(db: Connection, address: Address) -> LastExchange | None:
    """Return the last exchange of the newest conversation there; None if nothing was said in it. An answer that is
    still to be shown is not in it."""
    asked = db.fetch_row(
        "SELECT rowid, id, session, task FROM turns WHERE depth = 0 AND session ="
        " (SELECT id FROM sessions WHERE address = ? AND parent IS NULL ORDER BY rowid DESC LIMIT 1)"
        " AND EXISTS (SELECT 1 FROM inbox WHERE inbox.turn = turns.id AND kind = 'text') ORDER BY rowid DESC LIMIT 1",
        str(address),
    )
    if asked is None:
        return None
    rows = db.fetch_rows("SELECT * FROM inbox WHERE turn = ? AND kind = 'text' ORDER BY seq", asked["id"])
    said = "\n".join(filter(None, (inbox.read_inbound_message(row).gist for row in rows)))
    ended = db.fetch_rows(
        "SELECT report FROM turns WHERE session = ? AND depth = 0 AND rowid >= ? AND state = 'ended' AND report != ''"
        f" AND NOT EXISTS ({UNSHOWN_REPLY_SQL}) ORDER BY rowid",
        asked["session"],
        asked["rowid"],
    )
    return LastExchange(said=said or asked["task"], answers=tuple(row["report"] for row in ended))


def cost_of_reply(db: Connection, reply: OutboundId) -> TurnCost | None:
    """Return what the turn came to that this reply has ended; None if it is no such reply."""
    row = db.fetch_row("SELECT * FROM turns WHERE id = ? AND ended_at IS NOT NULL", reply.removesuffix(REPLY_SUFFIX))
    if row is None or not reply.endswith(REPLY_SUFFIX):
        return None
    turn = turns.read_turn(row)
    assert turn.ended_at, "it has ended"
    lost = db.fetch_row("SELECT 1 FROM requests WHERE root = ? AND state = 'lost' LIMIT 1", turn.root)
    seconds = turn.seconds_taken(turn.ended_at)
    return TurnCost(cost=turn.spent.cost, tokens=turn.spent.tokens, seconds=seconds, is_most=lost is not None)


def lead_updates_of(db: Connection, turn: TurnId) -> list[str]:
    """Return what the lead has said beside its calls in a turn, in order. What it has said again as its answer is not
    in it."""
    replaced = "SELECT replaces FROM outbox WHERE key = ? || ':reply' AND replaces IS NOT NULL"
    rows = db.fetch_rows(
        "SELECT text FROM outbox WHERE kind = 'update' AND role IS NULL AND text != ''"
        f" AND key > ? || '/' AND key < ? || '0' AND key NOT IN ({replaced}) ORDER BY seq",
        turn,
        turn,
        turn,
    )
    return [row["text"] for row in rows]
