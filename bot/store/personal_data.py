"""What the rows hold of a person, and how it is deleted: messages, conversations, memories, settings and links.

An account is a channel and an id. The same id on two channels is two accounts.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from bot.core.content_blocks import text_block
from bot.core.messages import Address, PersonId
from bot.core.turn import SCHEDULE_MESSAGE_ID_PREFIX, SessionId, TurnId
from bot.store import (
    conversation_passages,
    deletion,
    inbox,
    incoming_files,
    known_values,
    schedules,
    sent_requests,
    session_records,
    texts,
)
from bot.store.connection import FORGOTTEN_TOPIC, TALK_FORGOTTEN_TOPIC, Connection
from bot.store.deletion import CLEAR_CONTENT_COLUMNS_SQL, IN_IDS_SQL, SessionTree
from bot.store.file_rewrite import note_words_forgotten
from bot.store.people import OWNER_KEY, PersonKey, account_key, forget_known_settings
from bot.store.row_mapping import dataclass_from_row
from bot.store.text_search.scopes import ACCOUNT_MARK, MemoryScope

# Whether a row with `address` and `person` is of one of the accounts, which are given as a list of keys.
OF_ACCOUNTS_SQL = "substr(address, 1, instr(address, ':')) || person IN (SELECT value FROM json_each(?1))"

# Whether a message was said to one of the accounts, or in one of the private chats, which are given as a second list.
SAID_TO_PERSON_SQL = (
    "address IN (SELECT value FROM json_each(?2)) OR reply_to IN (SELECT key FROM inbox WHERE"
    f" {OF_ACCOUNTS_SQL.replace('address', 'inbox.address')})"
)
# Whether the row of a message is needed no more, or was never needed: nothing of it is shown yet.
IS_SETTLED_SQL = "(state IN ('sent', 'failed') OR (state = 'queued' AND platform_ids = '[]'))"


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    channel: str
    id: PersonId

    @property
    def key(self) -> PersonKey:
        return account_key(self.channel, self.id)


def keys_of_accounts(accounts: Collection[Account]) -> list[PersonKey]:
    return [account.key for account in accounts]


def has_person_work_open(db: Connection, accounts: Sequence[Account]) -> bool:
    """Return True if a turn of the person is at work, or a message of theirs waits."""
    keys = keys_of_accounts(accounts)
    open_turns = f"SELECT 1 FROM turns WHERE state != 'ended' AND {OF_ACCOUNTS_SQL} LIMIT 1"
    waiting = f"SELECT 1 FROM inbox WHERE state IN ('received', 'taken') AND kind != 'report' AND {OF_ACCOUNTS_SQL}"
    return db.has_rows(open_turns, keys) or db.has_rows(f"{waiting} LIMIT 1", keys)


def are_messages_on_their_way(
    db: Connection, accounts: Sequence[Account], private: Sequence[Address], but: str = ""
) -> bool:
    """Return True if something that was said to the person is being sent, or may have arrived, or if a draft is still
    shown: its row is still needed. `but` is the key of a message that does not count."""
    numbers = f"SELECT number FROM schedules WHERE {OF_ACCOUNTS_SQL}"
    posted = f"EXISTS (SELECT 1 FROM ({numbers}) WHERE key GLOB '{SCHEDULE_MESSAGE_ID_PREFIX}' || number || ':*')"
    on_their_way = "state IN ('sending', 'unknown') AND NOT is_cosmetic AND key != ?3"
    sql = f"SELECT 1 FROM outbox WHERE {on_their_way} AND ({SAID_TO_PERSON_SQL} OR {posted}) LIMIT 1"
    turns = f"SELECT id FROM turns WHERE depth = 0 AND {OF_ACCOUNTS_SQL}"
    is_shown = "kind = 'draft' AND (state IN ('sending', 'unknown') OR platform_ids != '[]')"
    drafts = f"SELECT 1 FROM outbox WHERE {is_shown} AND turn IN ({turns}) LIMIT 1"
    keys = keys_of_accounts(accounts)
    return db.has_rows(sql, keys, [*map(str, private)], but) or db.has_rows(drafts, keys)


def list_conversations_of_person(db: Connection, accounts: Sequence[Account]) -> list[SessionId]:
    """Return the conversations in which the person has written, oldest first."""
    sql = (
        f"SELECT id FROM sessions WHERE parent IS NULL AND id IN (SELECT session FROM turns WHERE depth = 0 AND"
        f" {OF_ACCOUNTS_SQL}) ORDER BY opened_at, id"
    )
    return [SessionId(row["id"]) for row in db.fetch_rows(sql, keys_of_accounts(accounts))]


def list_chats_of_person(db: Connection, accounts: Sequence[Account]) -> set[Address]:
    """Return the chats in which the person has written, without their threads."""
    sql = f"SELECT DISTINCT address FROM turns WHERE depth = 0 AND {OF_ACCOUNTS_SQL}"
    return {Address.parse(row["address"]).whole_chat for row in db.fetch_rows(sql, keys_of_accounts(accounts))}


def list_private_conversations(db: Connection, accounts: Sequence[Account]) -> list[SessionId]:
    """Return the conversations in which the person has talked with the lead where nobody else reads, oldest first."""
    private = f"SELECT session FROM turns WHERE depth = 0 AND is_private AND {OF_ACCOUNTS_SQL}"
    sql = (
        f"SELECT id FROM sessions WHERE parent IS NULL AND group_name = '' AND id IN ({private}) ORDER BY opened_at, id"
    )
    return [SessionId(row["id"]) for row in db.fetch_rows(sql, keys_of_accounts(accounts))]


def has_others_in_conversation(db: Connection, session: SessionId, accounts: Sequence[Account]) -> bool:
    sql = f"SELECT 1 FROM turns WHERE session = ?2 AND depth = 0 AND NOT ({OF_ACCOUNTS_SQL}) LIMIT 1"
    return db.has_rows(sql, keys_of_accounts(accounts), session)


def find_turns_of_person(db: Connection, session: SessionId, accounts: Sequence[Account]) -> SessionTree:
    """Return what the person has begun in a conversation with others: their turns, the delegations below them with
    their sub-sessions, and every turn that continued one of these."""
    sql = f"SELECT id FROM turns WHERE session = ?2 AND depth = 0 AND {OF_ACCOUNTS_SQL}"
    roots = {TurnId(row["id"]) for row in db.fetch_rows(sql, keys_of_accounts(accounts), session)}
    sessions: set[SessionId] = set()
    turns: set[TurnId] = set()
    ahead = roots
    while ahead:
        trees = [session_records.load_turn_record_tree(db, turn) for turn in ahead]
        found = {each.turn for tree in trees for each in tree.records_of_tree}
        turns |= {turn.id for turn in found}
        sessions |= {turn.session for turn in found} - {session}
        ahead = {turn for each in sessions for turn in session_records.list_turn_ids_in_session(db, each)} - turns
    return SessionTree(sessions=frozenset(sessions), turns=frozenset(turns))


def delete_turns_in_shared_conversation(db: Connection, session: SessionId, whole: SessionTree) -> None:
    """Delete these turns with all that they have written in a conversation with others, whose turns stay."""
    conversation_passages.delete_words_of_turns(db, whole.turns)
    db.execute(f"DELETE FROM entries WHERE session = ? AND turn {IN_IDS_SQL}", (session, whole.turns))
    deletion.delete_turn_and_session_rows(db, whole)
    clear_what_chapters_began_with(db, session)


def clear_what_chapters_began_with(db: Connection, session: SessionId) -> None:
    """Delete from a conversation the summaries of its earlier chapters, and the memories that each chapter began with:
    they may hold the words of a person, whose turn it ever was. A chapter's first entry has the surroundings with the
    memories, then the summary, then the messages. The last entry of an earlier chapter is its summary, or an answer."""
    before = "SELECT seq FROM chapters WHERE session = ?1 AND chapter = entries.chapter - 1"
    first = f"session = ?1 AND seq = ifnull(({before}), 0) + 1"
    rows = db.fetch_rows(f"SELECT chapter, seq, body FROM entries WHERE {first}", session)
    for row in rows:
        kept = json.loads(row["body"])[2 if row["chapter"] > 1 else 1 :]
        whose = {"session": session, "chapter": row["chapter"], "seq": row["seq"]}
        db.update("entries", {"body": kept or [text_block(texts.FORGOTTEN_PART)]}, **whose)
    of_summary = (
        "SELECT chapters.chapter, seq FROM chapters JOIN sessions ON sessions.id = session"
        " WHERE session = ?1 AND chapters.chapter < sessions.chapter"
    )
    is_summary = f"role = 'assistant' AND (chapter, seq) IN ({of_summary})"
    db.execute(f"DELETE FROM entries WHERE session = ?1 AND {is_summary}", (session,))
    sent_requests.forget_digests(db, [session])


def are_conversations_at_work(db: Connection, sessions: Collection[SessionId]) -> bool:
    """Return True if anybody's turn is at work in one of these conversations."""
    sql = f"SELECT 1 FROM turns WHERE state != 'ended' AND depth = 0 AND session {IN_IDS_SQL} LIMIT 1"
    return db.has_rows(sql, list(sessions))


def list_private_addresses(db: Connection, accounts: Sequence[Account]) -> list[Address]:
    """Return the addresses where only the person has written, in private."""
    keys = keys_of_accounts(accounts)
    is_others = f"group_chat IS NOT NULL OR NOT ({OF_ACCOUNTS_SQL.replace('address', 'inbox.address')})"
    sql = (
        f"SELECT address FROM (SELECT DISTINCT address FROM inbox WHERE group_chat IS NULL AND {OF_ACCOUNTS_SQL} UNION"
        " SELECT address FROM linked_accounts WHERE channel || ':' || account IN (SELECT value FROM json_each(?1))) AS"
        " own WHERE NOT EXISTS (SELECT 1 FROM inbox WHERE inbox.address = own.address AND person != ''"
        f" AND ({is_others}))"
    )
    return [Address.parse(row["address"]) for row in db.fetch_rows(sql, keys)]


def delete_messages_of_person(db: Connection, accounts: Sequence[Account], private: Sequence[Address]) -> None:
    """Delete the words of the person's messages everywhere, and what was said to them: in private all of it, elsewhere
    what was in reply to them. The ids of messages stay, since a platform may send them again."""
    keys, chats = keys_of_accounts(accounts), [*map(str, private)]
    incoming_files.forget_files_of_messages(db, f"SELECT key FROM inbox WHERE {OF_ACCOUNTS_SQL}", keys)
    db.execute(f"DELETE FROM outbox WHERE {IS_SETTLED_SQL} AND ({SAID_TO_PERSON_SQL})", (keys, chats))
    is_closed = f"state != 'open' AND ({OF_ACCOUNTS_SQL} OR address IN (SELECT value FROM json_each(?2)))"
    db.execute(f"DELETE FROM questions WHERE turn IS NULL AND {is_closed}", (keys, chats))
    sql = f"UPDATE inbox SET person = '', why = '', {CLEAR_CONTENT_COLUMNS_SQL}, state = 'done'"
    is_done = "state IN ('done', 'aside')"
    in_private = f"address IN (SELECT value FROM json_each(?2)) OR {OF_ACCOUNTS_SQL}"
    db.execute(f"{sql} WHERE {is_done} AND ({in_private})", (keys, chats))
    for account in accounts:
        db.execute("DELETE FROM answered WHERE instr(command || ' ', ?) > 0", (f" {account.id} ",))
        known_values.delete_grants_of_person(db, account.id)


def delete_pairings_of_person(db: Connection, accounts: Sequence[Account]) -> None:
    """Delete the requests of these accounts to be let in, which have ended, and what the owner was asked about them."""
    asked = (
        "SELECT id FROM questions WHERE kind = 'pairing' AND state != 'open' AND substr(arguments ->> 'address', 1,"
        " instr(arguments ->> 'address', ':')) || (arguments ->> 'person') IN (SELECT value FROM json_each(?1))"
    )
    ids = [row["id"] for row in db.fetch_rows(asked, keys_of_accounts(accounts))]
    db.execute(f"DELETE FROM outbox WHERE key {IN_IDS_SQL} AND state IN ('sent', 'failed')", (ids,))
    db.execute(f"DELETE FROM questions WHERE id {IN_IDS_SQL}", (ids,))


def delete_schedules(db: Connection, accounts: Sequence[Account]) -> None:
    """Delete the person's reminders and schedules, also those that are over, with what was posted for them. Their runs
    that wait begin no more."""
    keys = keys_of_accounts(accounts)
    for row in db.fetch_rows(f"SELECT number FROM schedules WHERE {OF_ACCOUNTS_SQL}", keys):
        begin = f"{SCHEDULE_MESSAGE_ID_PREFIX}{row['number']}:"
        db.execute(f"DELETE FROM outbox WHERE key GLOB ? AND {IS_SETTLED_SQL}", (f"{begin}*",))
        inbox.close_waiting_messages_with_prefix(db, begin)
        schedules.delete_schedule_for_good(db, row["number"])


def delete_overheard_lines(db: Connection, accounts: Sequence[Account]) -> None:
    """Delete what the person has said in group chats, and not to the bot: also what is only in memory."""
    db.execute(f"DELETE FROM overheard WHERE {OF_ACCOUNTS_SQL}", (keys_of_accounts(accounts),))
    for key in keys_of_accounts(accounts):
        db.add_wake_up(TALK_FORGOTTEN_TOPIC, key)


def delete_settings_and_links(db: Connection, accounts: Sequence[Account], person: PersonKey) -> None:
    """Delete what the person has set, and which accounts are theirs."""
    keys = [person, *keys_of_accounts(accounts)]
    db.execute(f"DELETE FROM person_settings WHERE person {IN_IDS_SQL}", (keys,))
    for table in ("linked_accounts", "link_codes", "wrong_link_codes"):
        db.execute(f"DELETE FROM {table} WHERE channel || ':' || account {IN_IDS_SQL}", (keys,))
    db.execute(f"DELETE FROM linked_accounts WHERE person {IN_IDS_SQL}", (keys,))
    forget_known_settings(db)


def delete_settings_of_chats(db: Connection, private: Sequence[Address]) -> None:
    chats = [*{str(address.whole_chat) for address in private}]
    db.execute(f"DELETE FROM quiet_chats WHERE chat {IN_IDS_SQL}", (chats,))
    db.execute(f"DELETE FROM chosen_models WHERE chat {IN_IDS_SQL}", (chats,))


def delete_admission(db: Connection, accounts: Sequence[Account]) -> None:
    """Delete that these accounts were let in, and what they may do. Somebody who was sent away stays away, without
    their name."""
    keys = keys_of_accounts(accounts)
    is_theirs = f"channel || ':' || person {IN_IDS_SQL}"
    db.execute(f"UPDATE access SET name = '' WHERE revoked_at IS NOT NULL AND {is_theirs}", (keys,))
    db.execute(f"DELETE FROM access WHERE revoked_at IS NULL AND {is_theirs}", (keys,))
    for table in ("rights", "server_roles"):
        db.execute(f"DELETE FROM {table} WHERE {is_theirs}", (keys,))


def list_memories_of_person(
    db: Connection, accounts: Sequence[Account], private: Sequence[Address]
) -> list[tuple[int, str, str]]:
    """Return (number, chat, group) of the memories that are the person's, were saved for them, or are of their private
    chats. Those of everybody name nobody, and stay."""
    keys, chats = keys_of_accounts(accounts), [*{str(address.whole_chat) for address in private}]
    chats += [MemoryScope.of_account(key).chat for key in keys]
    channel = "substr(chat, 1, instr(chat, ':'))"
    ids = [account.id for account in accounts]
    sql = (
        f"SELECT id, chat, ifnull(group_name, '') AS of_group FROM memories WHERE {channel} || person IN"
        " (SELECT value FROM json_each(?1)) OR chat IN (SELECT value FROM json_each(?2))"
        " OR (group_name IS NOT NULL AND person IN (SELECT value FROM json_each(?3)))"
    )
    return [(row["id"], row["chat"], row["of_group"]) for row in db.fetch_rows(sql, keys, chats, ids)]


def note_person_forgotten(db: Connection, copies: Collection[str]) -> None:
    """Have nothing left of deleted rows soon, and these copies of sent files removed."""
    note_words_forgotten(db)
    for name in copies:
        db.add_wake_up(FORGOTTEN_TOPIC, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownAccount:
    """An account that the rows know: it has written, works, was let in, is linked, or something is noted for it."""

    channel: str
    id: PersonId
    name: str
    person: PersonKey
    messages: int  # that are kept
    conversations: int
    memories: int


def list_known_accounts(db: Connection, accounts_of_owner: Sequence[PersonKey] = ()) -> list[KnownAccount]:
    """Return everybody that the rows know, the accounts of a person together, the owner's first."""
    channel = "substr(address, 1, instr(address, ':') - 1)"
    of_memory = f"substr(ltrim(chat, '{ACCOUNT_MARK}'), 1, instr(ltrim(chat, '{ACCOUNT_MARK}'), ':') - 1)"
    sql = f"""
        WITH seen (channel, account, name, messages, conversations, memories) AS (
            SELECT {channel}, person, max(name), sum(text != ''), 0, 0 FROM inbox
                WHERE origin = 'person' AND person != '' GROUP BY 1, 2
            UNION ALL SELECT {channel}, person, max(asker), 0, count(DISTINCT session), 0 FROM turns
                WHERE depth = 0 GROUP BY 1, 2
            UNION ALL SELECT {of_memory}, person, max(asker), 0, 0, count(*) FROM memories
                WHERE chat != '' AND person != '' GROUP BY 1, 2
            UNION ALL SELECT channel, person, name, 0, 0, 0 FROM access
            UNION ALL SELECT channel, account, name, 0, 0, 0 FROM linked_accounts)
        SELECT seen.channel, seen.account AS id, max(seen.name) AS name, sum(messages) AS messages,
            sum(conversations) AS conversations, sum(memories) AS memories,
            ifnull(max(linked.person), seen.channel || ':' || seen.account) AS person
        FROM seen LEFT JOIN linked_accounts AS linked USING (channel, account)
        GROUP BY seen.channel, seen.account ORDER BY person, seen.channel, seen.account"""
    found = [dataclass_from_row(KnownAccount, row) for row in db.fetch_rows(sql)]
    owner = set(accounts_of_owner)
    found = [
        replace(each, person=OWNER_KEY) if owner & {each.person, account_key(each.channel, each.id)} else each
        for each in found
    ]
    return sorted(found, key=lambda each: each.person != OWNER_KEY)
