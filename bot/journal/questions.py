"""Questions to people: who may answer, what counts as an answer, and when a question ends without one.

A turn's question is a call that waits. The harness's own questions (buttons) change something when they are answered.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from bot.core.content_blocks import (
    Block,
    indent_lines_after_first,
    join_media,
    sanitize_and_shorten_name,
    text_block,
)
from bot.core.file_blocks import candidate_media_block, file_marks
from bot.core.limits import DecisionTerms
from bot.core.messages import (
    InboundKind,
    InboundMessage,
    OutboundId,
    OutboundKind,
    OutboundMessage,
    QuestionId,
    match_option,
)
from bot.core.phrases import option_chosen_text
from bot.core.reply_plan import AskPerson
from bot.core.sources import has_foreign_words, sources_of_messages
from bot.core.texts import model, people_holds
from bot.core.turn import CallId, Turn, TurnId, TurnState
from bot.core.yes_words import says_yes
from bot.journal import approvals, boards, media, provenance
from bot.journal.bus import post, replace_shown_options
from bot.journal.delegations import find_speaker_number
from bot.journal.people import person_key
from bot.store import inbox, outbox, transcript, turns
from bot.store import questions as rows
from bot.store.connection import Connection
from bot.store.questions import ButtonQuestion, Question, QuestionT


def ask_question(db: Connection, turn: Turn, call: CallId, asked: AskPerson, now: datetime) -> None:
    """Ask a turn's person. The question and its message have the id of the call."""
    add_turn_question(db, turn, QuestionId(call), asked, now)


def ask_about_held_calls(
    db: Connection, turn: Turn, id: QuestionId, calls: Sequence[CallId], asked: AskPerson, now: datetime
) -> None:
    """Ask a turn's person whether these calls, which wait for the answer, may begin."""
    add_turn_question(db, turn, id, asked, now, arguments={"held_calls": calls})


def add_turn_question(
    db: Connection, turn: Turn, id: QuestionId, asked: AskPerson, now: datetime, **others: object
) -> None:
    whose = {"turn": turn.id, "root": turn.root, "address": turn.address, "person": turn.person}
    about = {"text": asked.text, "options": asked.options, "fallback": asked.default, "deadline": asked.deadline}
    rows.add_question(db, Question, id, **whose, **about, **others)
    message = OutboundMessage(
        id=OutboundId(id),
        address=turn.address,
        kind=OutboundKind.QUESTION,
        text=asked.text,
        role=None if turn.is_root else turn.role,
        speaker_number=find_speaker_number(db, turn),
        options=asked.options,
        asked_person=turn.person,
    )
    post(db, message, now)


def find_question_answered_by_message(
    db: Connection, message: InboundMessage, written_as: int | None = None
) -> Question | None:
    """Return the question that a message is about: by a tap, by a reply to it, or by its words alone; None if there is
    none. Words that reply to nothing answer the only open question that has them as an option, or else the only one
    that the lead asked; whether a call may run is answered only by a yes or a no. (What a role asks they do not answer,
    nor does an option's number: the sender may just as well talk to the lead.) A reply to what a role has said is for
    that role, and answers no other question; no reply to anything else says whether a call may run. `written_as` is the
    message's number if it comes to its turn late: its words alone answer nothing that was asked after them."""
    named = find_question_named_by_message(db, Question, message)
    if message.kind is InboundKind.ANSWER:
        return named
    if named:
        return named if named.is_open and named.person == message.sender.id else None
    if message.reply_to and outbox.find_role_message_by_platform_id(db, message.address, message.reply_to):
        return None
    asked = rows.list_open_questions(db, Question, address=message.address, person=message.sender.id)
    asked = [each for each in asked if written_as is None or each.after < written_as]
    asked = [
        each
        for each in asked
        if not each.is_approval or (message.reply_to is None and is_meant_by_plain_words(db, each))
    ]
    of_lead = [question for question in asked if turns.get_turn(db, question.turn).is_root]
    matching = [each for each in asked if match_option(each.options, message.text, may_number=each in of_lead)]
    found = matching or [each for each in of_lead if not each.is_approval or says_yes(message.text) is not None]
    return found[0] if len(found) == 1 else None


def is_meant_by_plain_words(db: Connection, approval: Question) -> bool:
    """Return True if a plain yes or no answers whether a call may run. What another chat waits for, or a role in the
    background, is answered by a tap or a reply, and so is all that a role has said something after: the words may be
    meant for that."""
    turn = turns.get_turn(db, approval.turn)
    above = (turn, *turns.list_turns_above(db, turn))
    is_here = turn.address == approval.address and not any(each.background for each in above)
    return is_here and not outbox.has_role_said_since(db, approval.address, OutboundId(approval.id))


def find_question_named_by_message(db: Connection, kind: type[QuestionT], message: InboundMessage) -> QuestionT | None:
    """Return the question of a kind that a message names by a tap or by a reply to it."""
    if message.kind is InboundKind.ANSWER:
        return rows.find_question(db, kind, message.question, message.address)
    return rows.find_question_by_platform_id(db, kind, message.address, message.reply_to) if message.reply_to else None


def is_question_for_sender(db: Connection, question: Question, message: InboundMessage, terms: DecisionTerms) -> bool:
    """Return True if the question is for the sender. Another account of the same person may answer it, too, but only
    where it was asked: the answer becomes part of that conversation."""
    if message.sender.id == question.person:
        return True
    channel = message.address.channel
    asked, answers = (person_key(db, channel, each, terms) for each in (question.person, message.sender.id))
    return asked == answers


def is_open_question_option(db: Connection, message: InboundMessage) -> bool:
    """Return True if a message is an option of any question that is open to its sender there."""
    asked = rows.list_open_questions(db, Question, address=message.address, person=message.sender.id)
    return any(match_option(question.options, message.text) for question in asked)


def answer_question(
    db: Connection, question: Question, text: str, message: InboundMessage, terms: DecisionTerms
) -> None:
    """Close a question with an answer, and with the files of the message that answers it. If its sender may not agree
    any more to the calls that it is about, none of them runs."""
    if question.is_approval and not approvals.may_agree(db, question, message.sender.id, terms):
        void = people_holds.APPROVAL_VOID()
        end_turn_question(db, question, "withdrawn", model.LOST_RIGHT_TO_AGREE, outcome=void)
        return
    result, shown = indent_lines_after_first(text), list[Block]()
    if message.written_text != text and text not in question.options:
        rows.note_written_answer(db, question.id, message.written_text)
    if message.arrived_files or has_foreign_words(message):
        turn = turns.get_turn(db, question.turn)
        provenance.add_turn_sources_to_session(db, turn, sources_of_messages([message]))
        name = sanitize_and_shorten_name(message.sender.name)
        marks = [mark for file in message.arrived_files for mark in file_marks(file, name)]
        candidates = [each for file in message.arrived_files if (each := candidate_media_block(file))]
        content = [text_block("\n".join([result, *marks])), *candidates]
        told, *shown = media.show_candidates_or_say_why_not(db, turn, content)
        result = told["text"]
    outcome = option_chosen_text(text, message.sender.name)
    end_turn_question(db, question, "answered", result, text, outcome, shown)


def expire_questions(db: Connection, turn: TurnId, now: datetime) -> None:
    """End the questions that were not answered in time, with their default or without an answer."""
    for question in rows.list_open_questions(db, Question, turn=turn):
        if question.deadline <= now:
            result: str = model.NOT_ANSWERED
            outcome = people_holds.APPROVAL_EXPIRED() if question.is_approval else ""
            if question.fallback is not None:
                result = model.NOT_ANSWERED_WITH_DEFAULT(default=question.fallback)
            end_turn_question(db, question, "expired", result, outcome=outcome)


def shorten_question_deadlines(db: Connection, root: TurnId, until: datetime, terms: DecisionTerms) -> bool:
    """Let the open questions that hold up a chat end by a certain time: somebody else waits. Return False if none is
    open."""
    asked = list_questions_that_hold_up_chat(db, root, terms)
    for question in asked:
        rows.shorten_question_deadline(db, question, until)
    return bool(asked)


def withdraw_questions_of_turns(db: Connection, asking: Sequence[Turn]) -> None:
    """Withdraw the open questions of turns that will not go on."""
    for turn in asking:
        for question in rows.list_open_questions(db, Question, root=turn.root, turn=turn.id):
            close_question_and_remove_buttons(db, question.id, "withdrawn")


def withdraw_approvals_of_turn(db: Connection, turn: TurnId, message: InboundMessage) -> None:
    """Withdraw the questions whether calls of a turn may run: a person has written something else to it."""
    withdraw_approvals(db, rows.list_open_questions(db, Question, turn=turn), message)


def withdraw_approvals(db: Connection, asked: Sequence[Question], message: InboundMessage) -> None:
    """Withdraw those of these questions that ask whether calls may run: a person has written something else. A command
    is nothing else."""
    if message.kind is not InboundKind.TEXT:
        return
    result = model.WROTE_INSTEAD(text=indent_lines_after_first(message.text))
    for question in asked:
        if question.is_approval:
            end_turn_question(db, question, "withdrawn", result, outcome=people_holds.APPROVAL_WITHDRAWN())


def list_questions_that_hold_up_chat(db: Connection, root: TurnId, terms: DecisionTerms) -> list[Question]:
    """Return the open questions of a root turn that keep messages waiting. If messages join turns, only what the lead
    asks does so: delegations go on in the background when a message comes."""
    whose = {"turn": root} if terms.settings.busy == "steer" else {}
    return rows.list_open_questions(db, Question, root=root, **whose)


def end_questions_overtaken_by_message(db: Connection, root: TurnId, terms: DecisionTerms) -> None:
    """End the questions that hold up a chat if nothing but an answer goes on there, and the person has written
    something else since. Call this whenever one of the two may have become true."""
    asked = list_questions_that_hold_up_chat(db, root, terms)
    if not asked or rows.is_tree_at_work(db, root, only_root=terms.settings.busy == "steer"):
        return
    top, newest = turns.get_turn(db, root), max(question.after for question in asked)
    if not top.is_root or top.state is TurnState.ENDED:
        return
    if instead := inbox.find_waiting_message_after(db, top.address, top.person, newest):
        result = model.WROTE_INSTEAD(text=indent_lines_after_first(instead.text))
        for question in asked:
            end_turn_question(db, question, "withdrawn", result)


def end_turn_question(
    db: Connection,
    question: Question,
    state: str,
    result: str,
    answer: str | None = None,
    outcome: str = "",
    shown: Sequence[Block] = (),
) -> None:
    """Close a question of a turn that goes on with this result, which may show pictures and PDFs. Do nothing if it has
    already ended."""
    if not close_question_and_remove_buttons(db, question.id, state, answer, outcome):
        return
    boards.revise_board_if_posted(db, turns.get_turn(db, question.turn))
    if not question.held_calls:
        transcript.finish_call(db, question.call_id, result, media=join_media(shown))
    else:
        approvals.settle_held_calls(db, question, state, result, answer)


def ask_harness_question(db: Connection, message: OutboundMessage, about: dict[str, Any], now: datetime) -> None:
    """Ask a question that no turn waits for, so its deadline means nothing. `about` says what the answer changes."""
    asked = {"text": message.text, "options": message.options, "deadline": now, "arguments": about}
    rows.add_question(db, ButtonQuestion, message.id, address=message.address, person="", **asked)
    post(db, message, now)


def close_question_and_remove_buttons(
    db: Connection, id: QuestionId, state: str, answer: str | None = None, outcome: str = ""
) -> bool:
    """Close a question of any kind, and remove its buttons. Return False if it has already ended."""
    is_closed = rows.mark_question_closed(db, id, state, answer)
    if is_closed:
        remove_question_buttons(db, OutboundId(id), outcome)
    return is_closed


def remove_question_buttons(db: Connection, id: OutboundId, outcome: str) -> None:
    """Remove the buttons of a question that is over, so that nobody taps them. The text shows the outcome in place of
    the options; if there is no outcome, it shows the options. (So the message stays short enough for one part.) While
    the question is being sent, its text, revision and buttons stay: text and revision identify a repeat."""
    outbox.remove_unsent_options(db, id)
    if options := outbox.find_shown_options(db, id):
        choices = "\n".join(f"{number}. {option}" for number, option in enumerate(options, 1))
        replace_shown_options(db, id, f"\n\n{outcome or choices}")
