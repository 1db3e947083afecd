"""What must hold after every commit, and not only at rest: queries that find rows which must never be, and changes
which no commit may make."""

from dataclasses import dataclass, field
from typing import Any

from bot.store.connection import Connection
from tests.rig.watching import UNAGREED

HELD = "questions, json_each(questions.arguments, '$.held_calls') AS held"  # calls that wait for a person to agree
# The answer is neither the first option nor another that agrees; the last one says no.
IS_REFUSED = """questions.state != 'open' AND NOT EXISTS (SELECT 1 FROM json_each(questions.options) AS option
    WHERE option.value = questions.answer AND option.key < json_array_length(questions.options) - 1)"""
BROKEN = {
    # A role that ends at a limit keeps the words that it has not read, until it is let work again.
    "a message was taken by a turn that has ended": """SELECT inbox.key FROM inbox JOIN turns ON turns.id = inbox.turn
        WHERE inbox.state = 'taken' AND turns.state = 'ended'
        AND NOT (turns.depth > 0 AND turns.status IN ('budget', 'timeout'))""",
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
    "a call has begun though nobody has agreed to it or to its cost": UNAGREED,
    "a call waits for an agreement that was refused": f"""SELECT calls.id FROM {HELD}
        JOIN calls ON calls.id = held.value JOIN turns ON turns.id = calls.turn
        WHERE {IS_REFUSED} AND calls.state != 'done' AND turns.state != 'stopping'""",
    "a question about a call is open though the call is done": f"""SELECT calls.id FROM {HELD}
        JOIN calls ON calls.id = held.value WHERE questions.state = 'open' AND calls.state = 'done'""",
    "a call has begun and its yes is not used up": """SELECT id FROM calls
        WHERE approval = 'granted' AND (state = 'started' OR (state = 'done' AND NOT is_error))""",
    "a message counts as sent, and nobody has seen it": """SELECT key FROM outbox
        WHERE state = 'sent' AND platform_ids = '[]' AND text != '' AND NOT is_cosmetic""",
    "a conversation has a gap": "SELECT session FROM entries GROUP BY session HAVING max(seq) != count(*)",
}


# All in one statement, which is much faster.
ALL_BROKEN = " UNION ALL ".join(f"SELECT '{name}', * FROM ({query})" for name, query in BROKEN.items())


def find_broken(db: Connection) -> list[str]:
    """Return what does not hold now, with the ids of what breaks it."""
    found: dict[str, list[str]] = {}
    for name, id in db.execute(ALL_BROKEN):
        found.setdefault(name, []).append(str(id))
    return [f"after a commit: {name}: {', '.join(ids[:3])}" for name, ids in found.items()]


STOPPING = """SELECT id, status, (SELECT count(*) FROM calls WHERE turn = turns.id),
    (SELECT count(*) FROM entries WHERE turn = turns.id) FROM turns WHERE state = 'stopping'"""
ENDED = "SELECT status FROM turns WHERE id = ? AND state = 'ended'"
DECIDED = """SELECT id, state, answer FROM questions
    WHERE state != 'open' AND arguments ->> '$.held_calls' IS NOT NULL"""
UNDER_WAY = """SELECT key, state, shown, revision, platform_ids
    FROM outbox WHERE state IN ('unknown', 'sending', 'queued') AND NOT is_cosmetic"""


@dataclass
class Changes:
    """Find changes that no commit may make. It remembers what the commit before has left."""

    stopping: dict[str, tuple[Any, ...]] = field(default_factory=dict)  # turns: status, number of calls and of entries
    in_doubt: dict[str, tuple[Any, ...]] = field(default_factory=dict)  # messages: what is known to be shown of them

    decided: dict[str, tuple[Any, ...]] = field(default_factory=dict)  # questions about costs: state and answer

    def find_broken(self, db: Connection) -> list[str]:
        found = [*self.of_stopped_turns(db), *self.of_messages_in_doubt(db), *self.of_decisions(db)]
        return [f"after a commit: {fault}" for fault in found]

    def of_decisions(self, db: Connection) -> list[str]:
        """What was decided about costs stays decided."""
        now = {row[0]: tuple(row[1:]) for row in db.execute(DECIDED)}
        found = [id for id, before in self.decided.items() if now.get(id) != before]
        self.decided = now
        return [f"a decision about costs is another one now: {id}" for id in found]

    def of_stopped_turns(self, db: Connection) -> list[str]:
        """A stopped turn calls and says nothing more, and ends as it was stopped."""
        found, now = [], {row[0]: tuple(row[1:]) for row in db.execute(STOPPING)}
        for id, before in self.stopping.items():
            if id in now:
                found += [f"a stopped turn goes on: {id}"] if now[id] != before else []
            elif (ended := db.fetch_row(ENDED, id)) and ended[0] != before[0] and before[0] != "failed":
                found.append(f"a stopped turn ended as {ended[0]}: {id}")
        self.stopping = now
        return found

    def of_messages_in_doubt(self, db: Connection) -> list[str]:
        """A message that may have arrived stays in doubt until more is known of it."""
        found, now = [], {row[0]: tuple(row[1:]) for row in db.execute(UNDER_WAY)}
        for key, before in list(self.in_doubt.items()):
            if now.get(key) == ("queued", *before):
                found.append(f"a message is in doubt no more, though nothing new is known of it: {key}")
            if key not in now or now[key][1:] != before or found:
                del self.in_doubt[key]
        self.in_doubt |= {key: row[1:] for key, row in now.items() if row[0] == "unknown"}
        return found
