"""The migration steps of release 0.3.0."""

from bot.store.connection import Connection


def add_cached_until(db: Connection) -> None:
    """Add to a chapter until when the cache of the model's server holds what the last request has left there."""
    db.execute("ALTER TABLE chapters ADD COLUMN cached_until TEXT")


def index_inbox_content(db: Connection) -> None:
    """Add an index of the answered messages that still have words, so that a sweep does not pass over emptied ones."""
    has_content = "text != '' OR quotes != '[]' OR attachments != '[]'"
    db.execute(f"CREATE INDEX inbox_content ON inbox (kept_at) WHERE state = 'done' AND ({has_content})")


def add_text_revision(db: Connection) -> None:
    """Add to a message the revision that its text is of. A board's text is written later than its revision begins."""
    db.execute("ALTER TABLE outbox ADD COLUMN text_revision INTEGER NOT NULL DEFAULT 0")
    db.execute("UPDATE outbox SET text_revision = revision WHERE state IN ('queued', 'unknown') AND kind = 'board'")


def add_held_reports(db: Connection) -> None:
    """Add to a waiting report until when it opens no turn, with an index for the dispatcher. Add to a turn whether its
    report waits for the person's next message."""
    db.execute("ALTER TABLE inbox ADD COLUMN held_until TEXT")
    db.execute("ALTER TABLE turns ADD COLUMN is_report_held INTEGER NOT NULL DEFAULT 0")
    db.execute("CREATE INDEX inbox_held ON inbox (held_until) WHERE state = 'received' AND held_until IS NOT NULL")


# A chat in which the updates of roles are not shown.
CREATE_QUIET_CHATS = "CREATE TABLE quiet_chats (chat TEXT PRIMARY KEY, since TEXT NOT NULL) WITHOUT ROWID"


def add_quiet_chats_and_day_caps(db: Connection) -> None:
    """Add the chats in which the updates of roles are not shown. Add to the whole tenant's spending of a day the cap
    that the owner has set for that day. Add indexes for a delegation's number and for what a chat has spent on what."""
    for statement in (
        CREATE_QUIET_CHATS,
        "ALTER TABLE spending ADD COLUMN cap INTEGER",
        "CREATE INDEX turns_by_number ON turns (address, number) WHERE depth > 0",
        "CREATE INDEX requests_of_chat ON requests (chat, day)",
    ):
        db.execute(statement)


def add_speaker_number(db: Connection) -> None:
    """Add to a message the number of the delegation that speaks, if its role works several times at once."""
    db.execute("ALTER TABLE outbox ADD COLUMN speaker_number INTEGER")


def add_folded_messages(db: Connection) -> None:
    """Add to a message whether people see its beginning and unfold the rest."""
    db.execute("ALTER TABLE outbox ADD COLUMN is_folded INTEGER NOT NULL DEFAULT 0")


def add_reactions(db: Connection) -> None:
    """Add to a notice the reaction that is shown in its place, where a platform has reactions."""
    db.execute("ALTER TABLE outbox ADD COLUMN reaction TEXT")


def add_max_depth(db: Connection) -> None:
    """Add to a delegation how deep those below it may be."""
    db.execute("ALTER TABLE turns ADD COLUMN max_depth INTEGER")


def index_turns_by_role(db: Connection) -> None:
    """Add an index of completed delegations, for what a role usually costs."""
    db.execute("CREATE INDEX turns_by_role ON turns (role) WHERE depth > 0 AND status = 'completed'")


def add_summaries(db: Connection) -> None:
    """Add to a message whether one line of summary goes to where it was written when its turn ends."""
    db.execute("ALTER TABLE inbox ADD COLUMN wants_summary INTEGER NOT NULL DEFAULT 0")
    db.execute("ALTER TABLE outbox ADD COLUMN is_summary INTEGER NOT NULL DEFAULT 0")


def add_asked_person(db: Connection) -> None:
    """Add to a question's message the person whom it waits for."""
    db.execute("ALTER TABLE outbox ADD COLUMN asked_person TEXT")


# One account of a person who has several. `person` is the key of the first of them, or 'owner'.
CREATE_LINKED_ACCOUNTS = """CREATE TABLE linked_accounts (
    channel TEXT, account TEXT, person TEXT NOT NULL, name TEXT NOT NULL, address TEXT NOT NULL,
    linked_at TEXT NOT NULL, PRIMARY KEY (channel, account)) WITHOUT ROWID"""

CREATE_PERSON_SETTINGS = """CREATE TABLE person_settings (
    person TEXT PRIMARY KEY, time_zone TEXT, language TEXT) WITHOUT ROWID"""

# The code that one account made, to be entered in another one of the same person.
CREATE_LINK_CODES = """CREATE TABLE link_codes (
    channel TEXT, account TEXT, code TEXT NOT NULL, name TEXT NOT NULL, address TEXT NOT NULL,
    expires_at TEXT NOT NULL, PRIMARY KEY (channel, account)) WITHOUT ROWID"""

# How many wrong codes an account has entered since then.
CREATE_WRONG_LINK_CODES = """CREATE TABLE wrong_link_codes (
    channel TEXT, account TEXT, since TEXT NOT NULL, tries INTEGER NOT NULL,
    PRIMARY KEY (channel, account)) WITHOUT ROWID"""


def add_people(db: Connection) -> None:
    """Add the accounts that belong to one person, how they are linked, and what people set for themselves."""
    for statement in (CREATE_LINKED_ACCOUNTS, CREATE_PERSON_SETTINGS, CREATE_LINK_CODES, CREATE_WRONG_LINK_CODES):
        db.execute(statement)
    db.execute("CREATE INDEX linked_accounts_of_person ON linked_accounts (person)")


# Something to do at a time or again and again. `next_at` is NULL if nothing is due any more.
CREATE_SCHEDULES = """CREATE TABLE schedules (
    number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, address TEXT NOT NULL, group_chat TEXT, person TEXT NOT NULL,
    name TEXT NOT NULL, zone TEXT NOT NULL, once TEXT, start TEXT NOT NULL, repeat TEXT NOT NULL,
    is_reminder INTEGER NOT NULL, text TEXT NOT NULL, is_silent INTEGER NOT NULL, tools TEXT NOT NULL,
    condition TEXT, seen TEXT, checked_at TEXT, run_micros INTEGER NOT NULL, day_micros INTEGER NOT NULL,
    sources TEXT NOT NULL, state TEXT NOT NULL, next_at TEXT, last_at TEXT, left_out INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0, made_at TEXT NOT NULL, changed_at TEXT NOT NULL)"""

# A time at which a schedule was due, and what came of it. Each is there once.
CREATE_OCCURRENCES = """CREATE TABLE occurrences (
    schedule INTEGER, due_at TEXT, fired_at TEXT NOT NULL, left_out INTEGER NOT NULL, outcome TEXT NOT NULL,
    PRIMARY KEY (schedule, due_at)) WITHOUT ROWID"""


def add_schedules(db: Connection) -> None:
    """Add schedules, when they were due, and to a turn the schedule that it is a run of."""
    db.execute(CREATE_SCHEDULES)
    db.execute(CREATE_OCCURRENCES)
    db.execute("CREATE INDEX schedules_due ON schedules (next_at) WHERE state = 'active' AND next_at IS NOT NULL")
    db.execute("ALTER TABLE turns ADD COLUMN schedule INTEGER NOT NULL DEFAULT 0")
    db.execute("CREATE INDEX turns_of_schedules ON turns (schedule) WHERE schedule != 0")
