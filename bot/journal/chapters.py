"""Write a turn's first entry: in its session's current chapter, or in a new one after the old one's summary."""

from collections.abc import Mapping
from typing import Any

from bot.core import phrases, reports
from bot.core.content_blocks import Block, content_text, message_as_block, text_block
from bot.core.limits import Terms
from bot.core.messages import InboundMessage
from bot.core.prices import find_pricing
from bot.core.prompt_prefix import Prefix
from bot.core.rights import Right
from bot.core.texts import model
from bot.core.turn import Turn
from bot.journal import budgets, memory
from bot.journal.media import is_full_of_media
from bot.store import inbox, sessions, transcript
from bot.store.connection import Connection
from bot.store.sessions import Chapter

MOST_REFUSALS = 2  # in a row: the next chapter drops the old one; after rejected requests, it keeps its last words
TAIL_ENTRIES, TAIL_CHARACTERS = 12, 8_000  # the end kept of a chapter without a summary


def enter_chapter(db: Connection, turn: Turn, prefix: Prefix, content: list[Block], terms: Terms) -> None:
    """Write a turn's first entry. If its chapter is too long, was begun with another prefix, or is already closing, the
    entry asks for a summary instead; `begin_next_chapter` writes the turn's content after that."""
    chapter = sessions.find_chapter(db, turn.session)
    if chapter is None or chapter.refusals >= MOST_REFUSALS:
        begin_chapter(db, turn, prefix, content, terms)
    elif chapter.unaccepted >= MOST_REFUSALS:
        begin_chapter(db, turn, prefix, [last_words_of_chapter(db, turn, chapter), *content], terms)
    elif chapter.is_closing or chapter.prefix != prefix.hash or is_chapter_too_long(turn, chapter, terms):
        sessions.begin_closing_chapter(db, turn.session, prefix)
        transcript.append_entry(db, turn, "user", [text_block(model.SUMMARISE)])
    else:
        if chapter.web_level:  # a web use that could not be paid for then may be paid for now
            sessions.change_chapter(db, turn.session, web_level=0)
        continue_chapter(db, turn, chapter, content, terms)


def begin_chapter(db: Connection, turn: Turn, prefix: Prefix, content: list[Block], terms: Terms) -> None:
    """Open a session's next chapter. Its first entry describes the surroundings and the chat's memories. The
    memories are told only there and never updated: a change in a transcript would have to be paid for again."""
    sessions.open_chapter(db, turn.session, prefix)
    memories = memory.memory_digest(db, turn, terms) if Right.MEMORY in turn.rights else []
    surroundings = phrases.surroundings_text(turn, terms, memories)
    transcript.append_entry(db, turn, "user", [text_block(surroundings), *content])
    sessions.change_chapter(db, turn.session, day=terms.today)


def continue_chapter(db: Connection, turn: Turn, chapter: Chapter, content: list[Block], terms: Terms) -> None:
    """Continue the chapter that a session is in: with the next message, the next task, or a correction."""
    transcript.append_entry(db, turn, "user", content)
    append_harness_note(db, turn, chapter, terms, is_warning=False)


def begin_next_chapter(db: Connection, turn: Turn, summary: str, terms: Terms) -> None:
    """Begin the next chapter: the summary, then the messages that the turn answers, or its delegation's brief."""
    closed = sessions.get_chapter(db, turn.session)
    prefix = sessions.load_prefix(db, closed.next or closed.prefix)
    if turn.is_root:
        content = messages_as_blocks(inbox.messages_of_turn(db, turn.id), terms)
    else:
        content = brief_of_delegation(turn, transcript.call_arguments(db, turn.call))
    begin_chapter(db, turn, prefix, [text_block(summary), *content], terms)


def begin_chapter_unsummarised(db: Connection, turn: Turn, terms: Terms) -> None:
    """Begin the next chapter with the last words of the old one. No summary can be made: its model may be gone."""
    summary = last_words_of_chapter(db, turn, sessions.get_chapter(db, turn.session), but=1)
    transcript.append_entry(db, turn, "assistant", [text_block(model.NO_WORDS)])
    begin_next_chapter(db, turn, summary["text"], terms)


def last_words_of_chapter(db: Connection, turn: Turn, chapter: Chapter, but: int = 0) -> Block:
    """Return the texts of a chapter's last entries, without the last `but` ones."""
    entries = transcript.last_entries(db, turn.session, chapter.number, TAIL_ENTRIES)
    said = [(entry.role, content_text(entry.content)) for entry in entries[: len(entries) - but]]
    tail = "\n\n".join(f"{role}: {text}" for role, text in said if text)[-TAIL_CHARACTERS:]
    return text_block(model.END_WITHOUT_SUMMARY(end=tail))


def brief_of_delegation(turn: Turn, arguments: Mapping[str, Any]) -> list[Block]:
    """Return what a delegation is told to do. A group's agent also learns who asks, since that is not its operator."""
    told = reports.brief_text(arguments)
    return [text_block(reports.group_question_text(turn.parent_group, turn.asker, told) if turn.is_hop else told)]


def append_harness_note(db: Connection, turn: Turn, chapter: Chapter, terms: Terms, *, is_warning: bool) -> None:
    """Append the harness's notes after the user's entry: the new day, the warning about limits."""
    is_new_day = chapter.day != str(terms.today)
    said = [model.TODAY(day=terms.today)] if is_new_day else []
    said += [model.NEARLY_USED_UP] if is_warning else []
    if said:
        transcript.append_entry(db, turn, "system", [text_block("\n".join(said))])
    if is_new_day:
        sessions.change_chapter(db, turn.session, day=terms.today)


def messages_as_blocks(messages: list[InboundMessage], terms: Terms) -> list[Block]:
    return [message_as_block(message, terms.resolved.zone) for message in messages]


def is_chapter_too_long(turn: Turn, chapter: Chapter, terms: Terms) -> bool:
    """Return True if the chapter must be summarised first: if it is long, if it is full of media, or if the turn could
    pay for little more than last words in it."""
    pricing = find_pricing(chapter.model)
    window = pricing.window if pricing else terms.settings.model.context_tokens
    if is_full_of_media(chapter) or 2 * budgets.last_words_price(chapter) > turn.limits.cost:
        return True
    return chapter.tokens > min(pricing.compact_above if pricing else window, window * 7 // 10)
