"""Write a turn's first entry: in its session's current chapter, or in a new one after the old one's summary."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.core import reports, surroundings
from bot.core.clients import is_of_client
from bot.core.content_blocks import Block, content_text, message_as_blocks, text_block
from bot.core.limits import DecisionTerms
from bot.core.messages import InboundMessage
from bot.core.prices import find_pricing
from bot.core.prompt_prefix import PromptPrefix
from bot.core.rights import Right
from bot.core.texts import model
from bot.core.turn import Turn
from bot.journal import budgets, memory
from bot.journal.clock import own_zone_name, zone_by_name
from bot.journal.media import must_end_chapter_for_media, show_candidates_or_say_why_not
from bot.store import delegations, inbox, sessions, transcript
from bot.store.connection import Connection
from bot.store.sessions import Chapter

# In a row. The next chapter drops the old one; after rejected requests, it keeps its last words.
FAILED_REQUESTS_BEFORE_NEW_CHAPTER = 2
CHAPTER_TAIL_ENTRIES, CHAPTER_TAIL_CHARACTERS = 12, 8_000  # the end kept of a chapter without a summary


def write_first_entry_of_turn(
    db: Connection, turn: Turn, prefix: PromptPrefix, content: list[Block], terms: DecisionTerms
) -> None:
    """Write a turn's first entry. If its chapter is too long, was begun with another prefix, or is already closing, the
    entry asks for a summary instead; `begin_chapter_after_summary` writes the turn's content after that."""
    chapter = sessions.find_current_chapter(db, turn.session)
    if chapter is None or chapter.refusals >= FAILED_REQUESTS_BEFORE_NEW_CHAPTER:
        begin_chapter(db, turn, prefix, content, terms)
    elif chapter.unaccepted >= FAILED_REQUESTS_BEFORE_NEW_CHAPTER:
        begin_chapter(db, turn, prefix, [chapter_tail_block(db, turn, chapter), *content], terms)
    elif chapter.is_closing or chapter.prefix != prefix.hash or must_summarise_chapter(turn, chapter, terms):
        sessions.mark_chapter_closing(db, turn.session, prefix)
        transcript.append_entry(db, turn, "user", [text_block(model.SUMMARISE)])
    else:
        if chapter.web_level:  # a web use that could not be paid for then may be paid for now
            sessions.update_current_chapter(db, turn.session, web_level=0)
        append_user_entry_and_harness_notes(db, turn, chapter, content, terms)


def begin_chapter(db: Connection, turn: Turn, prefix: PromptPrefix, content: list[Block], terms: DecisionTerms) -> None:
    """Open a session's next chapter. Its first entry describes the surroundings and the chat's memories. The
    memories are told only there and never updated: a change in a transcript would have to be paid for again. Others'
    words in the prefix count as read."""
    sessions.open_next_chapter(db, turn.session, prefix)
    if prefix.sources:
        sessions.add_session_sources(db, turn.session, frozenset(prefix.sources))
    memories = memory.write_memory_digest(db, turn, terms) if may_know_memories(turn) else []
    zone = own_zone_name(db, turn.address.channel, turn.person, terms)
    told = surroundings.turn_surroundings_text(turn, terms, zone, memories)
    content = show_candidates_or_say_why_not(db, turn, content)
    transcript.append_entry(db, turn, "user", [text_block(told), *content])
    sessions.update_current_chapter(db, turn.session, day=terms.today)


def may_know_memories(turn: Turn) -> bool:
    """Return True if a turn works with memories. A role without a tool for them, as one with the web, is told none."""
    return Right.MEMORY in turn.rights and not turn.tools.isdisjoint(memory.TOOL_NAMES)


def append_user_entry_and_harness_notes(
    db: Connection, turn: Turn, chapter: Chapter, content: list[Block], terms: DecisionTerms
) -> None:
    """Continue the chapter that a session is in: with the next message, the next task, or a correction."""
    transcript.append_entry(db, turn, "user", show_candidates_or_say_why_not(db, turn, content))
    append_harness_notes(db, turn, chapter, terms, is_warning=False)


def begin_chapter_after_summary(db: Connection, turn: Turn, summary: str, terms: DecisionTerms) -> None:
    """Begin the next chapter: the summary, then the messages that the turn answers, or its delegation's brief."""
    closed = sessions.get_current_chapter(db, turn.session)
    prefix = sessions.load_prefix(db, closed.next or closed.prefix)
    if turn.is_root:
        content = messages_as_blocks(db, inbox.messages_taken_by_turn(db, turn.id), terms)
    elif turn.is_direct:
        content = brief_of_direct_turn(db, turn, terms)
    else:
        arguments = transcript.load_call_arguments(db, turn.opening_call_id)
        handed = handed_report_blocks(db, reports.handed_report_ids(arguments))
        content = [*delegation_brief_blocks(turn, arguments), *handed]
    begin_chapter(db, turn, prefix, [text_block(summary), *content], terms)


def begin_chapter_without_summary(db: Connection, turn: Turn, terms: DecisionTerms) -> None:
    """Begin the next chapter with the last words of the old one. No summary can be made: its model may be gone."""
    summary = chapter_tail_block(db, turn, sessions.get_current_chapter(db, turn.session), but=1)
    transcript.append_entry(db, turn, "assistant", [text_block(model.NO_WORDS)])
    begin_chapter_after_summary(db, turn, summary["text"], terms)


def chapter_tail_block(db: Connection, turn: Turn, chapter: Chapter, but: int = 0) -> Block:
    """Return the texts of a chapter's last entries, without the last `but` ones."""
    entries = transcript.last_entries_of_chapter(db, turn.session, chapter.number, CHAPTER_TAIL_ENTRIES)
    said = [(entry.role, content_text(entry.content)) for entry in entries[: len(entries) - but]]
    tail = "\n\n".join(f"{role}: {text}" for role, text in said if text)[-CHAPTER_TAIL_CHARACTERS:]
    return text_block(model.END_WITHOUT_SUMMARY(end=tail))


def delegation_brief_blocks(turn: Turn, arguments: Mapping[str, Any]) -> list[Block]:
    """Return what a delegation is told to do. A group's agent also learns who asks, since that is not its operator."""
    told = reports.brief_text(arguments)
    return [text_block(reports.group_question_text(turn.parent_group, turn.asker, told) if turn.is_hop else told)]


def handed_report_blocks(db: Connection, ids: Sequence[str]) -> list[Block]:
    """Return the reports of these delegations, which a new one reads after its brief, as blocks in this order."""
    ended = [found[0].turn for id in ids if (found := delegations.load_delegations_with_ids(db, [id]))]
    said = [model.REPORT_HANDED_ON(delegation=each.id, report=reports.labelled_report_text(each)) for each in ended]
    return list(map(text_block, said))


def brief_of_direct_turn(db: Connection, turn: Turn, terms: DecisionTerms) -> list[Block]:
    """Return what a direct turn is to do: what the message that opened it says. It reads later messages as they
    come."""
    opening = inbox.list_messages_of_turn(db, turn.id)[:1]
    person = turn.asker
    written, ordered = model.WRITTEN_DIRECTLY(person=person), model.TASK_OF_CLIENT(person=person)
    said = ordered if is_of_client(turn.address) else written
    return [text_block(said), *messages_as_blocks(db, opening, terms)]


def append_harness_notes(
    db: Connection, turn: Turn, chapter: Chapter, terms: DecisionTerms, *, is_warning: bool, note: str = ""
) -> None:
    """Append the harness's notes after the user's entry: the new day, the warning about limits, another note."""
    is_new_day = chapter.day != str(terms.today)
    said = [model.TODAY(day=terms.today)] if is_new_day else []
    said += [model.NEARLY_USED_UP] if is_warning else []
    said += [note] if note else []
    if said:
        transcript.append_entry(db, turn, "system", [text_block("\n".join(said))])
    if is_new_day:
        sessions.update_current_chapter(db, turn.session, day=terms.today)


def messages_as_blocks(db: Connection, messages: list[InboundMessage], terms: DecisionTerms) -> list[Block]:
    return [block for message in messages for block in message_on_clock_of_sender(db, message, terms)]


def message_on_clock_of_sender(db: Connection, message: InboundMessage, terms: DecisionTerms) -> list[Block]:
    own = own_zone_name(db, message.address.channel, message.sender.id, terms)
    of_operator = str(terms.resolved_settings.operator_time_zone)
    return message_as_blocks(message, zone_by_name(own, terms), "" if own == of_operator else own)


def must_summarise_chapter(turn: Turn, chapter: Chapter, terms: DecisionTerms) -> bool:
    """Return True if the chapter must be summarised first: if it is long, if it is full of media, or if the turn could
    pay for little more than last words in it."""
    pricing = find_pricing(chapter.model)
    window = pricing.window_tokens if pricing else terms.settings.model.context_tokens
    if must_end_chapter_for_media(chapter) or 2 * budgets.final_request_price_micros(chapter) > turn.limits.cost:
        return True
    return chapter.tokens > min(pricing.compact_above_tokens if pricing else window, window * 7 // 10)
