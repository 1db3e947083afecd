"""The migration steps of release 0.2.0."""

from bot.store.connection import Connection


def add_replacement_and_urgency_columns(db: Connection) -> None:
    """Add to a message what is deleted in the chat once it is shown, its root turn, and how urgent it is. Add to a turn
    whether it was asked for words because it had none, whether it was set aside after crashes, and who stopped it."""
    waits = "WHERE state IN ('queued', 'unknown')"
    for statement in (
        "ALTER TABLE outbox ADD COLUMN replaces TEXT",
        "ALTER TABLE outbox ADD COLUMN tree TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE outbox ADD COLUMN urgency INTEGER NOT NULL DEFAULT 2",
        "DROP INDEX outbox_of_lane",
        f"CREATE INDEX outbox_next ON outbox (address, is_cosmetic, urgency, seq) {waits}",
        f"CREATE INDEX outbox_of_tree ON outbox (address, tree, seq) {waits} AND is_cosmetic = 0",
        "ALTER TABLE turns ADD COLUMN is_prompted INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE turns ADD COLUMN is_set_aside INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE turns ADD COLUMN stopped_by TEXT NOT NULL DEFAULT ''",
        "UPDATE turns SET is_set_aside = 1 WHERE state = 'stopping' AND reason GLOB 'set aside, since *'",
    ):
        db.execute(statement)


def add_unaccepted_chapter_count(db: Connection) -> None:
    """Add to a session how many times in a row the model's server has not accepted its chapter."""
    db.execute("ALTER TABLE sessions ADD COLUMN unaccepted INTEGER NOT NULL DEFAULT 0")


def add_outage_and_patience_columns(db: Connection) -> None:
    """Add to a turn when its model's server began to fail, when it is asked again, how long its person would wait, and
    whether another model answers instead. Add to a message that patience, if it has its own."""
    for statement in (
        "ALTER TABLE turns ADD COLUMN failing_since TEXT",
        "ALTER TABLE turns ADD COLUMN rests_until TEXT",
        "ALTER TABLE turns ADD COLUMN patience REAL",
        "ALTER TABLE turns ADD COLUMN is_on_fallback INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE inbox ADD COLUMN patience REAL",
    ):
        db.execute(statement)


# An empty model or effort is the one of the config. A choice applies from the next conversation on.
CREATE_CHOSEN_MODELS = """CREATE TABLE chosen_models (
    chat TEXT PRIMARY KEY, model TEXT NOT NULL, effort TEXT NOT NULL, chosen_by TEXT NOT NULL, since TEXT NOT NULL
    ) WITHOUT ROWID"""


def add_chosen_models(db: Connection) -> None:
    """Add the lead's model and effort that were chosen for a chat, and those that each conversation began with."""
    db.execute(CREATE_CHOSEN_MODELS)
    for column in ("model", "effort"):
        db.execute(f"ALTER TABLE sessions ADD COLUMN {column} TEXT NOT NULL DEFAULT ''")


# What the owner has set for a person by /people. People in the settings have no row here.
CREATE_RIGHTS = """CREATE TABLE rights (
    channel TEXT, person TEXT, rights TEXT NOT NULL, set_by TEXT NOT NULL, since TEXT NOT NULL,
    PRIMARY KEY (channel, person)) WITHOUT ROWID"""

# When a command was last answered in a group chat.
CREATE_ANSWERED = """CREATE TABLE answered (
    chat TEXT, command TEXT, at TEXT NOT NULL, PRIMARY KEY (chat, command)) WITHOUT ROWID"""

ALL_RIGHTS = '["delegate", "memory", "read files", "schedule", "shell", "talk", "web", "write files"]'


def add_rights(db: Connection) -> None:
    """Add the rights of each person, and those of each turn; an open turn keeps every right. Add what a conversation
    has read besides its person's own words. Add to a memory who had it saved, what was read before, and whether it is
    confirmed, as all earlier ones are. Add which commands were answered lately."""
    for statement in (
        CREATE_RIGHTS,
        CREATE_ANSWERED,
        f"ALTER TABLE turns ADD COLUMN rights TEXT NOT NULL DEFAULT '{ALL_RIGHTS}'",
        "ALTER TABLE sessions ADD COLUMN sources TEXT NOT NULL DEFAULT '[]'",
        "ALTER TABLE memories ADD COLUMN asker TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE memories ADD COLUMN sources TEXT NOT NULL DEFAULT '[]'",
        "ALTER TABLE memories ADD COLUMN is_confirmed INTEGER NOT NULL DEFAULT 1",
        "CREATE INDEX memories_unconfirmed ON memories (chat, group_name) WHERE is_confirmed = 0",
    ):
        db.execute(statement)
