"""The step that brings people's rights, and where memories come from."""

from bot.store.connection import Connection

# What the owner has set for a person by /people. Who stands in the settings does not stand here.
RIGHTS = """CREATE TABLE rights (
    channel TEXT, person TEXT, rights TEXT NOT NULL, set_by TEXT NOT NULL, since TEXT NOT NULL,
    PRIMARY KEY (channel, person)) WITHOUT ROWID"""

# When a command was answered last in a group chat.
ANSWERED = """CREATE TABLE answered (
    chat TEXT, command TEXT, at TEXT NOT NULL, PRIMARY KEY (chat, command)) WITHOUT ROWID"""

ALL_RIGHTS = '["delegate", "memory", "read files", "schedule", "shell", "talk", "web", "write files"]'


def add_rights(db: Connection) -> None:
    """What each person may have done, and each turn with it: one that is open goes on as it was opened. What each
    conversation has read besides its person's own words; of a memory who had it saved, after what was read, and whether
    somebody has agreed to it: earlier ones stay as good as they were. Which commands were answered lately."""
    for statement in (
        RIGHTS,
        ANSWERED,
        f"ALTER TABLE turns ADD COLUMN rights TEXT NOT NULL DEFAULT '{ALL_RIGHTS}'",
        "ALTER TABLE sessions ADD COLUMN sources TEXT NOT NULL DEFAULT '[]'",
        "ALTER TABLE memories ADD COLUMN asker TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE memories ADD COLUMN sources TEXT NOT NULL DEFAULT '[]'",
        "ALTER TABLE memories ADD COLUMN is_confirmed INTEGER NOT NULL DEFAULT 1",
        "CREATE INDEX memories_unconfirmed ON memories (chat, group_name) WHERE is_confirmed = 0",
    ):
        db.execute(statement)
