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


# Whose memories and conversations can be found: those of a chat, or of a group. The words of a scope begin with its id
# in the index. If two chats become one, that chat has two scopes.
CREATE_SEARCH_SCOPES = (
    "CREATE TABLE search_scopes (id INTEGER PRIMARY KEY AUTOINCREMENT, chat TEXT NOT NULL, group_name TEXT NOT NULL)"
)

# What people wrote and the bot answered. `id` is the number of the conversation and the text's own number there.
# `person` and `name` are empty for an answer. `stems` is NULL until the text is indexed.
CREATE_SAID = """CREATE TABLE said (
    id INTEGER PRIMARY KEY, scope INTEGER NOT NULL REFERENCES search_scopes (id), session TEXT NOT NULL,
    turn TEXT NOT NULL, person TEXT NOT NULL, name TEXT NOT NULL, said_at TEXT NOT NULL, text TEXT NOT NULL,
    stems TEXT)"""

# The indexes hold no texts, and of each word only which texts have it. Stems are folded, so FTS5 only splits at spaces.
WORDS_OF_TEXTS = "fts5 (words, content = '', detail = none, columnsize = 0, tokenize = \"ascii tokenchars '_@'\")"

# The languages that an index was made for, and whether deleted words are still to be overwritten in it: '', 'needed' or
# 'begun'.
CREATE_SEARCH_INDEXES = """CREATE TABLE search_indexes (
    name TEXT PRIMARY KEY, languages TEXT NOT NULL DEFAULT '[]', purge TEXT NOT NULL DEFAULT '') WITHOUT ROWID"""


# The chat of a session's address, without the thread: all before the second colon.
AFTER_CHANNEL = "substr(address, instr(address, ':') + 1)"
WHOLE_CHAT = (
    f"iif(instr({AFTER_CHANNEL}, ':') = 0, address,"
    f" substr(address, 1, instr(address, ':') + instr({AFTER_CHANNEL}, ':') - 1))"
)
SCOPES_OF_SESSIONS = f"""INSERT INTO search_scopes (chat, group_name)
    SELECT DISTINCT iif(group_name = '', {WHOLE_CHAT}, ''), group_name FROM sessions WHERE parent IS NULL"""
# What people wrote is there if it is not older than `keep_days`; the answers are.
WORDS_OF_ENDED_TURNS = f"""WITH ended AS (
    SELECT turns.rowid AS turn_number, turns.id, turns.report, turns.status, turns.ended_at, sessions.rowid AS place,
        session, iif(sessions.group_name = '', {WHOLE_CHAT.replace("address", "sessions.address")}, '') AS chat,
        sessions.group_name AS owner
    FROM turns JOIN sessions ON sessions.id = session WHERE parent IS NULL AND depth = 0 AND turns.state = 'ended'),
words AS (
    SELECT ended.*, 0 AS is_answer, seq, person, name, sent_at AS said_at, text FROM ended
        JOIN inbox ON inbox.turn = ended.id WHERE origin = 'person' AND kind = 'text' AND text != ''
    UNION ALL SELECT ended.*, 1, 0, '', '', ended_at, report FROM ended
        WHERE status = 'completed' AND report != '' AND ended_at IS NOT NULL)
INSERT INTO said (id, scope, session, turn, person, name, said_at, text)
    SELECT (dense_rank() OVER (ORDER BY place) << 20)
            + row_number() OVER (PARTITION BY place ORDER BY turn_number, is_answer, seq),
        search_scopes.id, session, words.id, person, name, said_at, text
    FROM words JOIN search_scopes ON search_scopes.chat = words.chat AND search_scopes.group_name = words.owner"""


def add_search(db: Connection) -> None:
    """Add what was said in conversations, and an index of its words. Make the index of memories again, by stems. The
    bot fills both while it works."""
    for statement in (
        CREATE_SEARCH_SCOPES,
        CREATE_SAID,
        CREATE_SEARCH_INDEXES,
        "CREATE INDEX search_scopes_of ON search_scopes (chat, group_name)",
        "CREATE INDEX said_in_session ON said (session, id)",
        "CREATE INDEX said_unindexed ON said (scope, id) WHERE stems IS NULL",
        "ALTER TABLE memories ADD COLUMN scope INTEGER",
        "ALTER TABLE memories ADD COLUMN stems TEXT",
        "CREATE INDEX memories_unindexed ON memories (chat, group_name, id) WHERE stems IS NULL",
        "DROP TABLE memory_words",
        f"CREATE VIRTUAL TABLE memory_words USING {WORDS_OF_TEXTS}",
        f"CREATE VIRTUAL TABLE said_words USING {WORDS_OF_TEXTS}",
        "INSERT INTO search_indexes (name) VALUES ('memory_words'), ('said_words')",
        SCOPES_OF_SESSIONS,
        WORDS_OF_ENDED_TURNS,
    ):
        db.execute(statement)


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


# When the bot answers in a group chat, if that is not the default.
CREATE_CHAT_MODES = """CREATE TABLE chat_modes (
    chat TEXT PRIMARY KEY, mode TEXT NOT NULL, set_by TEXT NOT NULL, since TEXT NOT NULL) WITHOUT ROWID"""

# What was said in a group chat and not to the bot. It stays empty unless the settings store it.
CREATE_OVERHEARD = """CREATE TABLE overheard (
    id TEXT PRIMARY KEY, address TEXT NOT NULL, person TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL,
    sent_at TEXT NOT NULL) WITHOUT ROWID"""

# A group chat or server to which the bot was added, and what the owner has decided about it.
CREATE_GROUP_STARTS = """CREATE TABLE group_starts (
    channel TEXT, group_chat TEXT, address TEXT, title TEXT NOT NULL, added_by TEXT NOT NULL,
    added_at TEXT NOT NULL, decision TEXT NOT NULL DEFAULT '',
    decided_at TEXT, left_at TEXT, PRIMARY KEY (channel, group_chat)) WITHOUT ROWID"""


def add_group_chats(db: Connection) -> None:
    """Add the modes of group chats, the talk that may be stored for a day, and the groups where the bot was added."""
    for statement in (CREATE_CHAT_MODES, CREATE_OVERHEARD, CREATE_GROUP_STARTS):
        db.execute(statement)


# A file that came with a message: what the platform says about it, and what became of it. `scope` says which folder
# holds it: the workspace, the chat's folder in it, or a group's. If `message` is empty, the row only waits until the
# file is deleted.
CREATE_INCOMING_FILES = """CREATE TABLE incoming_files (
    id TEXT PRIMARY KEY, message TEXT NOT NULL, number INTEGER NOT NULL, address TEXT NOT NULL,
    kind TEXT NOT NULL, name TEXT NOT NULL, reference TEXT NOT NULL, size_bytes INTEGER, seconds INTEGER,
    media_type TEXT NOT NULL, is_quoted INTEGER NOT NULL, came_at TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'kept', 'refused', 'failed', 'removed')),
    failures INTEGER NOT NULL DEFAULT 0, failing_since TEXT, retry_at TEXT,
    scope TEXT NOT NULL DEFAULT '', path TEXT NOT NULL DEFAULT '', sha256 TEXT NOT NULL DEFAULT '',
    kept_bytes INTEGER NOT NULL DEFAULT 0, why TEXT NOT NULL DEFAULT '', content TEXT NOT NULL DEFAULT '{}')"""
# Images and PDFs that a conversation shows. `key` is the id of the call that has read it, or of the file that a person
# has sent. A sent one belongs to the session that shows it; until then to none.
CREATE_MEDIA_BY_KEY = """CREATE TABLE media (
    key TEXT PRIMARY KEY, call TEXT UNIQUE REFERENCES calls (id) ON DELETE CASCADE,
    session TEXT REFERENCES sessions (id) ON DELETE CASCADE, data BLOB NOT NULL)"""


def add_incoming_files(db: Connection) -> None:
    """Add the files that come with messages, and to a message how many came with it. Let media belong to them too."""
    for statement in (
        "ALTER TABLE inbox ADD COLUMN file_count INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE inbox ADD COLUMN album TEXT",
        CREATE_INCOMING_FILES,
        "CREATE INDEX incoming_files_waiting ON incoming_files (came_at) WHERE state = 'waiting'",
        "CREATE INDEX incoming_files_of_message ON incoming_files (message, number)",
        "CREATE INDEX incoming_files_of_chat ON incoming_files (address, came_at)",
        "CREATE INDEX incoming_files_old ON incoming_files (came_at) WHERE state != 'waiting' AND message != ''",
        "CREATE INDEX incoming_files_to_delete ON incoming_files (id) WHERE state = 'removed' AND path != ''",
        "ALTER TABLE media RENAME TO media_of_calls",
        CREATE_MEDIA_BY_KEY,
        "INSERT INTO media (key, call, data) SELECT call, call, data FROM media_of_calls",
        "DROP TABLE media_of_calls",
        "CREATE INDEX media_of_session ON media (session)",
    ):
        db.execute(statement)


def add_outgoing_files(db: Connection) -> None:
    """Add to a message its files, and how many parts of its text are shown before the whole follows as a file. Add an
    index of the messages with files."""
    db.execute("ALTER TABLE outbox ADD COLUMN files TEXT NOT NULL DEFAULT '[]'")
    db.execute("ALTER TABLE outbox ADD COLUMN max_parts INTEGER")
    db.execute("CREATE INDEX outbox_with_files ON outbox (seq) WHERE files != '[]'")


def add_memory_scopes(db: Connection) -> None:
    """Add to a turn whether only its person reads its conversation; of those that are open nobody knows. Let memories
    of private chats be their person's: `@` and the account, in place of the chat. The bot indexes them again."""
    db.execute("ALTER TABLE turns ADD COLUMN is_private INTEGER NOT NULL DEFAULT 0")
    # Platforms name a private chat after its person: `telegram:7` is that of person 7, `discord:%408` (@8) of person 8.
    channel = "substr(chat, 1, instr(chat, ':'))"
    is_private = f"chat IN ({channel} || person, {channel} || '%40' || person)"
    own = f"'@' || {channel} || person"
    db.execute(f"UPDATE memories SET chat = {own} WHERE group_name IS NULL AND person != '' AND {is_private}")
    db.execute("INSERT INTO memory_words (memory_words) VALUES ('delete-all')")
    db.execute("UPDATE memories SET scope = NULL, stems = NULL")


def add_invitations(db: Connection) -> None:
    """Add the codes by which the operator invites people. Each lets in one person."""
    db.execute("CREATE TABLE invitations (code TEXT PRIMARY KEY, expires_at TEXT NOT NULL) WITHOUT ROWID")


def drop_what_settings_decide(db: Connection) -> None:
    """Delete that accounts are linked with the owner, because such a row did not say whose code it was. Let the
    settings alone decide about a group chat that they had opened when the bot came there."""
    db.execute("DELETE FROM linked_accounts WHERE person = 'owner'")
    by_settings = "decision = 'everybody' AND decided_at = added_at"
    db.execute(f"UPDATE group_starts SET decision = '', decided_at = NULL WHERE {by_settings}")


# Something to do, as above. A number is never used again. `postponed_due_at` is its last time, if that has come and
# could not be used: `next_at` says when it is tried again.
CREATE_NUMBERED_SCHEDULES = """CREATE TABLE schedules (
    number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, address TEXT NOT NULL, group_chat TEXT,
    person TEXT NOT NULL, name TEXT NOT NULL, zone TEXT NOT NULL, once TEXT, start TEXT NOT NULL, repeat TEXT NOT NULL,
    is_reminder INTEGER NOT NULL, text TEXT NOT NULL, is_silent INTEGER NOT NULL, tools TEXT NOT NULL,
    condition TEXT, last_seen TEXT, checked_at TEXT, failed_checks INTEGER NOT NULL DEFAULT 0,
    run_micros INTEGER NOT NULL, day_micros INTEGER NOT NULL, sources TEXT NOT NULL, state TEXT NOT NULL,
    next_at TEXT, last_at TEXT, postponed_due_at TEXT, missed_count INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0, made_at TEXT NOT NULL, changed_at TEXT NOT NULL)"""
COPY_SCHEDULES = """INSERT INTO schedules (number, key, address, group_chat, person, name, zone, once, start, repeat,
    is_reminder, text, is_silent, tools, condition, last_seen, checked_at, run_micros, day_micros, sources, state,
    next_at, last_at, missed_count, failures, made_at, changed_at)
    SELECT number, key, address, group_chat, person, name, zone, once, start, repeat,
    is_reminder, text, is_silent, tools, condition, seen, checked_at, run_micros, day_micros, sources, state,
    next_at, last_at, left_out, failures, made_at, changed_at FROM schedules_before"""
# A number that only a run remembers is not used again either
KEEP_USED_NUMBERS = """INSERT INTO sqlite_sequence (name, seq) SELECT 'schedules', max(schedule) FROM turns
    WHERE schedule > (SELECT ifnull(max(number), 0) FROM schedules) HAVING max(schedule) IS NOT NULL"""


def number_schedules_for_good(db: Connection) -> None:
    """Let no number of a schedule be used twice. Add the last time that is tried again, and the checks that fail."""
    for statement in (
        "ALTER TABLE schedules RENAME TO schedules_before",
        CREATE_NUMBERED_SCHEDULES,
        COPY_SCHEDULES,
        "DROP TABLE schedules_before",
        "DELETE FROM sqlite_sequence WHERE name = 'schedules' AND seq < (SELECT max(schedule) FROM turns)",
        KEEP_USED_NUMBERS,
        "CREATE INDEX schedules_due ON schedules (next_at) WHERE state = 'active' AND next_at IS NOT NULL",
        "ALTER TABLE occurrences RENAME COLUMN left_out TO missed_count",
    ):
        db.execute(statement)


def index_texts_by_time(db: Connection) -> None:
    """Add an index that finds what was said in a scope at a time."""
    db.execute("CREATE INDEX said_at_time ON said (scope, said_at)")


def add_languages(db: Connection) -> None:
    """Add to a turn and to a message the language that is spoken there, and to an account the one that its platform
    tells."""
    for statement in (
        "ALTER TABLE turns ADD COLUMN language TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE outbox ADD COLUMN language TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE person_settings ADD COLUMN told_language TEXT",
    ):
        db.execute(statement)


def index_paused_schedules(db: Connection) -> None:
    """Add an index that counts paused schedules, and those that failed too often."""
    db.execute("CREATE INDEX schedules_paused ON schedules (failures) WHERE state = 'paused'")


# Which of the roles in the settings somebody had in a server, when they last wrote to the bot there: a list of ids.
CREATE_SERVER_ROLES = """CREATE TABLE server_roles (
    channel TEXT NOT NULL, group_chat TEXT NOT NULL, person TEXT NOT NULL, roles TEXT NOT NULL,
    PRIMARY KEY (channel, group_chat, person)) WITHOUT ROWID"""


def add_server_roles(db: Connection) -> None:
    db.execute(CREATE_SERVER_ROLES)


def add_file_rewrites(db: Connection) -> None:
    """Add a table of the forgettings whose words the file may still hold, outside of its rows."""
    db.execute("CREATE TABLE file_rewrites (id INTEGER PRIMARY KEY)")


def note_private_sources(db: Connection) -> None:
    """Note for all conversations and schedules, and for the memories that were saved after other sources, that private
    things were read: nobody has noted that before."""
    for table, where in (("sessions", "TRUE"), ("schedules", "TRUE"), ("memories", "sources != '[]'")):
        db.execute(f"UPDATE {table} SET sources = json_insert(sources, '$[#]', 'private:other things') WHERE {where}")


# What each MCP server lists, and the form of each tool that was accepted; `accepted_hash` is empty if none was.
CREATE_MCP_TOOLS = """CREATE TABLE mcp_tools (
    server TEXT NOT NULL, tool TEXT NOT NULL, listed_hash TEXT NOT NULL, listed TEXT NOT NULL,
    accepted_hash TEXT NOT NULL DEFAULT '', accepted TEXT NOT NULL DEFAULT '', refused_hash TEXT NOT NULL DEFAULT '',
    is_listed INTEGER NOT NULL DEFAULT 1, seen_at TEXT NOT NULL, PRIMARY KEY (server, tool)) WITHOUT ROWID"""


# What is wrong with the last list of each server: a list of texts.
CREATE_MCP_SERVERS = "CREATE TABLE mcp_servers (server TEXT PRIMARY KEY, faults TEXT NOT NULL) WITHOUT ROWID"


def add_mcp_tools(db: Connection) -> None:
    db.execute(CREATE_MCP_TOOLS)
    db.execute(CREATE_MCP_SERVERS)


def index_said_words_everywhere(db: Connection) -> None:
    """Have the bot index again what was said, now also for searches in all chats at once."""
    db.execute("INSERT INTO said_words (said_words) VALUES ('delete-all')")
    db.execute("UPDATE said SET stems = NULL WHERE stems IS NOT NULL")
