"""Conversations and turns in the form in which the templates show them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.core.limits import DecisionTerms
from bot.core.messages import role_display_name
from bot.core.prices import format_micro_dollars
from bot.core.turn import SessionId, TurnId
from bot.journal.page_words import why_owner_may_not_write
from bot.store import deletion, page_rows, session_records
from bot.store.connection import Connection
from bot.store.page_rows import ListedConversation, ShownMessage
from bot.store.session_records import TurnRecord
from bot.store.shown_files import ShownFile
from bot.web_page import texts
from bot.web_page.transcript_blocks import ShownBlock, blocks_of_entry

TURNS_PER_PAGE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationView:
    overview: ListedConversation
    messages: list[ShownMessage]
    root_turns: list[TurnRecord]
    is_current: bool  # it is the one that goes on in its chat
    why_not_write: str  # why the owner cannot write there; empty if they can
    earlier: int | None  # the number below which there are earlier turns; None if there are none
    is_newest: bool  # nothing comes after what is shown, so the page shows what changes

    def files_of_turn(self, id: TurnId) -> Sequence[ShownFile]:
        """Return the files that a delegation has sent, without those of delegations below it."""
        return [file for message in self.messages if message.sent_by_turn == id for file in message.files]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnView:
    """One turn with its tree, and all that was said in its session or sub-session."""

    record: TurnRecord
    conversation: SessionId
    sent_files: Sequence[ShownFile]  # by it and by the turns below it
    transcript: list[ShownBlock]


def load_conversation(
    db: Connection, id: SessionId, terms: DecisionTerms, before: int = page_rows.NEWEST
) -> ConversationView | None:
    """Return the last TURNS_PER_PAGE turns of a conversation before a number; None if there is no conversation of that
    id, or if it is the sub-session of a delegation."""
    overview = page_rows.load_listed_conversation(db, id)
    if overview is None:
        return None
    found = page_rows.list_root_turns_before(db, id, before, TURNS_PER_PAGE + 1)
    shown = list(found)[-TURNS_PER_PAGE:]
    return ConversationView(
        overview=overview,
        messages=page_rows.load_shown_messages(db, shown),
        root_turns=session_records.load_turn_records_with_direct_turns(db, shown),
        earlier=found[shown[0]] if len(found) > len(shown) else None,
        is_newest=before == page_rows.NEWEST,
        is_current=deletion.is_newest_conversation(db, id),
        why_not_write=why_owner_may_not_write(db, overview.address, terms),
    )


def load_turn(db: Connection, id: TurnId) -> TurnView | None:
    try:
        record = session_records.load_turn_record_tree(db, id)
    except LookupError:
        return None
    said = page_rows.load_messages_of_turn(db, id)
    entries = session_records.load_located_entries(db, record.turn.session)
    return TurnView(
        record=record,
        conversation=session_records.find_conversation_of_turn(db, id),
        sent_files=[file for message in said if not message.is_from_person for file in message.files],
        transcript=[block for entry in entries if entry.turn == id for block in blocks_of_entry(db, entry)],
    )


def speaker_name(message: ShownMessage) -> str:
    if message.is_from_person:
        return message.speaker
    return role_display_name(message.speaker) if message.speaker else texts.LEAD()


def format_time(moment: datetime) -> str:
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")


def turn_facts(record: TurnRecord) -> list[str]:
    """Return the facts of a turn's line: its state, its time, its cost with all below it."""
    facts = [record.state]
    if record.duration_seconds is not None:
        facts.append(texts.SECONDS(seconds=record.duration_seconds))
    return [*facts, format_micro_dollars(record.tree_cost)]


def conversation_facts(listed: ListedConversation) -> list[str]:
    facts = [texts.TURNS(listed.root_turn_count), format_micro_dollars(listed.cost)]
    if listed.group:
        facts.insert(0, texts.GROUP(group=listed.group))
    return [*facts, texts.AT_WORK()] if listed.is_open else facts
