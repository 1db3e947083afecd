"""How a turn gets its first entry: in the chapter its session is in, or in a new one, after the old one's summary."""

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
from bot.journal import memory
from bot.journal.media import is_full_of_media
from bot.store import inbox, ledger, sessions, transcript
from bot.store.connection import Connection
from bot.store.sessions import Chapter

MOST_REFUSALS = (
    2  # running: what was said before is left behind, or but for its last words if the server did not take it
)
TAIL_ENTRIES, TAIL_CHARACTERS = 12, 8_000  # of a chapter that could not be summarised


def enter_chapter(db: Connection, turn: Turn, prefix: Prefix, content: list[Block], terms: Terms) -> None:
    """Write what a turn begins with. Where its chapter has grown too long, or was begun with another prefix, that is
    the request to summarise it (as it is where a turn was stopped at that); until the summary is there, the content
    stands only where `given` finds it."""
    chapter = sessions.find_chapter(db, turn.session)
    if chapter is None or chapter.refusals >= MOST_REFUSALS:
        begin_chapter(db, turn, prefix, content, terms)
    elif chapter.unaccepted >= MOST_REFUSALS:
        begin_chapter(db, turn, prefix, [last_words_of_chapter(db, turn, chapter), *content], terms)
    elif chapter.is_closing or chapter.prefix != prefix.hash or is_chapter_too_long(turn, chapter, terms):
        sessions.begin_closing_chapter(db, chapter, prefix)
        transcript.append_entry(db, turn, "user", [text_block(model.SUMMARISE)])
    else:
        if chapter.web_level:  # what could not be paid for then may be paid for now
            sessions.cap_web(db, chapter, 0)
        continue_chapter(db, turn, chapter, content, terms)


def begin_chapter(db: Connection, turn: Turn, prefix: Prefix, content: list[Block], terms: Terms) -> None:
    """Open a session's next chapter with its first entry, which says where all this is. What the chat remembers is told
    there once, and stays as it was told: whatever changed in a transcript would be paid for anew."""
    sessions.open_chapter(db, turn.session, prefix)
    surroundings = phrases.surroundings_text(
        turn, terms, memory.memory_digest(db, turn, terms) if Right.MEMORY in turn.rights else []
    )
    transcript.append_entry(db, turn, "user", [text_block(surroundings), *content])
    sessions.note_told_day(db, turn.session, terms.today)


def continue_chapter(db: Connection, turn: Turn, chapter: Chapter, content: list[Block], terms: Terms) -> None:
    """Go on in the chapter that a session is in: with the next message, the next task, or what is to be mended."""
    transcript.append_entry(db, turn, "user", content)
    append_harness_note(db, turn, chapter, terms, is_warning=False)


def begin_next_chapter(db: Connection, turn: Turn, summary: str, terms: Terms) -> None:
    """The chapter is summarised: go on in the next, with what the turn is about."""
    closed = sessions.get_chapter(db, turn.session)
    begin_chapter(
        db,
        turn,
        sessions.load_prefix(db, closed.next or closed.prefix),
        [text_block(summary), *content_of_turn(db, turn, terms)],
        terms,
    )


def begin_chapter_unsummarised(db: Connection, turn: Turn, terms: Terms) -> None:
    """No summary is to be had (the chapter's model may be gone): its last words must do."""
    summary = last_words_of_chapter(db, turn, sessions.get_chapter(db, turn.session), but=1)
    transcript.append_entry(db, turn, "assistant", [text_block(model.NO_WORDS)])
    begin_next_chapter(db, turn, summary["text"], terms)


def last_words_of_chapter(db: Connection, turn: Turn, chapter: Chapter, but: int = 0) -> Block:
    """The texts of a chapter's last entries, but for so many at its end."""
    entries = transcript.last_entries(db, turn.session, chapter.number, TAIL_ENTRIES)
    said = [(entry.role, content_text(entry.content)) for entry in entries[: len(entries) - but]]
    tail = "\n\n".join(f"{role}: {text}" for role, text in said if text)[-TAIL_CHARACTERS:]
    return text_block(model.END_WITHOUT_SUMMARY(end=tail))


def content_of_turn(db: Connection, turn: Turn, terms: Terms) -> list[Block]:
    """What a turn is about: the messages that it answers, or what it was told to do."""
    if turn.is_root:
        return messages_as_blocks(inbox.messages_of_turn(db, turn.id), terms)
    return brief_of_delegation(turn, transcript.call_arguments(db, turn.call))


def brief_of_delegation(turn: Turn, arguments: Mapping[str, Any]) -> list[Block]:
    """What a delegation is told to do; a group's agent also who asks, since that is not its operator."""
    told = reports.brief_text(arguments)
    return [text_block(reports.group_question_text(turn.parent_group, turn.asker, told) if turn.is_hop else told)]


def append_harness_note(db: Connection, turn: Turn, chapter: Chapter, terms: Terms, *, is_warning: bool) -> None:
    """After the user's entry, what the harness has to say: at most one entry of its own."""
    is_new_day = chapter.day != str(terms.today)
    said = [model.TODAY(day=terms.today)] if is_new_day else []
    said += [model.NEARLY_USED_UP] if is_warning else []
    if said:
        transcript.append_entry(db, turn, "system", [text_block("\n".join(said))])
    if is_new_day:
        sessions.note_told_day(db, turn.session, terms.today)


def messages_as_blocks(messages: list[InboundMessage], terms: Terms) -> list[Block]:
    return [message_as_block(message, terms.settings.time_zone) for message in messages]


def is_chapter_too_long(turn: Turn, chapter: Chapter, terms: Terms) -> bool:
    """Whether it is summarised before this turn; also where all that the turn may spend would pay only for its last
    words in it."""
    pricing = find_pricing(chapter.model)
    window = pricing.window if pricing else terms.settings.context_tokens
    if is_full_of_media(chapter) or 2 * ledger.last_words_price(chapter) > turn.limits.cost:
        return True
    return chapter.tokens > min(pricing.compact_above if pricing else window, window * 7 // 10)
