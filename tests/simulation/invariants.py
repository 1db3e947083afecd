"""What must hold after every commit, and not only at rest. Each is a query that finds what breaks it."""

from bot.store.connection import Connection

BROKEN = {
    "a message was taken by a turn that has ended": """SELECT inbox.key FROM inbox JOIN turns ON turns.id = inbox.turn
        WHERE inbox.state = 'taken' AND turns.state = 'ended'""",
    "a turn has ended before what it waits for": """SELECT calls.id FROM calls JOIN turns ON turns.id = calls.turn
        WHERE calls.state != 'done' AND turns.state = 'ended'""",
    "a delegation goes on after its parent has its report": """SELECT turns.id FROM turns JOIN calls USING (id)
        WHERE turns.state != 'ended' AND calls.state = 'done' AND NOT turns.background""",
    "two turns of one conversation are under way": """SELECT session FROM turns
        WHERE state IN ('running', 'queued') GROUP BY session HAVING count(*) > 1""",
    "a turn has two requests open": "SELECT turn FROM requests WHERE state = 'open' GROUP BY turn HAVING count(*) > 1",
    "an ended turn has a request open": """SELECT requests.id FROM requests JOIN turns ON turns.id = requests.turn
        WHERE requests.state = 'open' AND turns.state = 'ended'""",
    "a cap is passed": "SELECT id FROM turns WHERE state != 'ended' AND cost + reserved > max_cost",
    "a sum of money is negative": """SELECT id FROM turns WHERE state != 'ended' AND min(cost, reserved) < 0
        UNION ALL SELECT chat FROM spending WHERE min(cost, reserved) < 0""",
    "a question is open though its call is done": """SELECT questions.id FROM questions JOIN calls USING (id)
        WHERE questions.state = 'open' AND calls.state = 'done'""",
    "a call waits for a question that is closed": """SELECT questions.id FROM questions JOIN calls USING (id)
        JOIN turns ON turns.id = calls.turn
        WHERE questions.state != 'open' AND calls.state != 'done' AND turns.state != 'stopping'""",
    "a message counts as sent, and nobody has seen it": """SELECT key FROM outbox
        WHERE state = 'sent' AND platform_ids = '[]' AND text != '' AND NOT is_cosmetic""",
    "a conversation has a gap": "SELECT session FROM entries GROUP BY session HAVING max(seq) != count(*)",
}


def find_broken(db: Connection) -> list[str]:
    """Return what does not hold now, with the ids of what breaks it."""
    found = []
    for name, query in BROKEN.items():
        if rows := db.execute(query).fetchall():
            found.append(f"after a commit: {name}: {', '.join(str(row[0]) for row in rows[:3])}")
    return found
