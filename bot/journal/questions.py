"""Questions to people: who may answer, what counts as an answer, and when a question ends without one.

A turn's question is a call that waits. The harness's own questions (buttons) change something when they are answered.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from bot.core.content_blocks import indent_continuation
from bot.core.messages import InboundKind, InboundMessage, OutboundId, OutboundKind, OutboundMessage
from bot.core.reply_plan import AskPerson
from bot.core.texts import model
from bot.core.turn import CallId, Turn, TurnId
from bot.journal.boards import build_board_message
from bot.journal.bus import post
from bot.store import buttons, inbox, outbox, transcript, turns
from bot.store import questions as rows
from bot.store.buttons import Button
from bot.store.connection import Connection
from bot.store.questions import Question


def ask_question(db: Connection, turn: Turn, call: CallId, asked: AskPerson, now: datetime) -> None:
    """Ask a turn's person. The question is the call's, and its message has the call's id."""
    rows.add_question(db, turn, call, asked)
    message = OutboundMessage(
        id=OutboundId(call),
        address=turn.address,
        kind=OutboundKind.QUESTION,
        text=asked.text,
        role=None if turn.is_root else turn.role,
        options=asked.options,
    )
    post(db, message, now)


def find_answered_question(db: Connection, message: InboundMessage) -> Question | None:
    """Return the question that a message is about: by a tap, by a reply to it, or because its words can mean nothing
    else.

    Words that reply to nothing answer the only question that is open to their sender. If a role asked it, they must
    be one of its options, because the sender may just as well talk to the lead.
    """
    if message.kind is InboundKind.ANSWER:
        return rows.find_question(db, message.question, message.address)
    if message.reply_to and (replied := rows.find_question_shown_as(db, message.address, message.reply_to)):
        return replied if replied.is_open and replied.person == message.sender.id else None
    asked = rows.list_questions_to(db, message.address, message.sender.id)
    if len(asked) != 1:
        return None
    is_by_lead = turns.get_turn(db, asked[0].turn).is_root
    return asked[0] if is_by_lead or match_option(asked[0].options, message.text) else None


def is_open_option(db: Connection, message: InboundMessage) -> bool:
    """Return True if a message is an option of any question that is open to its sender there."""
    asked = rows.list_questions_to(db, message.address, message.sender.id)
    return any(match_option(question.options, message.text) for question in asked)


def match_option(options: Sequence[str], text: str) -> str:
    """Return the option that the text names, by its words or its number; empty if the text names none."""
    text = text.strip()
    if text.isdecimal() and 0 < int(text) <= len(options):
        return options[int(text) - 1]
    return next((option for option in options if option.casefold() == text.casefold()), "")


def answer_question(db: Connection, question: Question, text: str, outcome: str) -> None:
    """Close a question with an answer. `outcome` is what everybody reads below the question from now on."""
    if close_question(db, question, "answered", text, outcome):
        transcript.finish_call(db, question.call, indent_continuation(text))


def expire_questions(db: Connection, turn: TurnId, now: datetime) -> None:
    """End the questions that were not answered in time, with their default or without an answer."""
    for question in rows.list_overdue_questions(db, turn, now):
        close_question(db, question, "expired")
        result: str = model.NOT_ANSWERED
        if question.default is not None:
            result = model.NOT_ANSWERED_WITH_DEFAULT(default=question.default)
        transcript.finish_call(db, question.call, result)


def hurry_questions(db: Connection, root: TurnId, until: datetime) -> bool:
    """Let the open questions of a root turn end by a certain time, since somebody else waits for its end.

    Return False if no question is open.
    """
    asked = rows.list_questions_of_tree(db, root)
    for question in asked:
        rows.shorten_deadline(db, question, until)
    return bool(asked)


def withdraw_questions(db: Connection, asking: Sequence[Turn]) -> None:
    """Withdraw the open questions of turns that will not go on."""
    for turn in asking:
        for question in rows.list_questions_of_turn(db, turn):
            rows.close_question(db, question.call, "withdrawn")
            remove_buttons(db, OutboundId(question.call))


def end_blocking_questions(db: Connection, root: TurnId) -> None:
    """End the questions of a root turn if nothing below it is left to do except to wait for its person, and the
    person has written something else since. So no question can block a chat.

    Call this whenever either may have become true.
    """
    asked = rows.list_questions_of_tree(db, root)
    if not asked or rows.is_tree_at_work(db, root):
        return
    top = turns.get_turn(db, root)
    if top.background:
        return
    instead = inbox.waiting_message_since(db, top.address, top.person, max(question.after for question in asked))
    if instead is None:
        return
    for question in asked:
        close_question(db, question, "withdrawn")
        transcript.finish_call(db, question.call, model.WROTE_INSTEAD(text=indent_continuation(instead.text)))


def close_question(db: Connection, question: Question, state: str, text: str | None = None, outcome: str = "") -> bool:
    """Close a question of a turn that goes on. Return False if it has already ended."""
    if not rows.close_question(db, question.call, state, text):
        return False
    remove_buttons(db, OutboundId(question.call), outcome)
    outbox.revise_message(db, build_board_message(db, turns.get_turn(db, question.turn)))  # if it has a board
    return True


def ask_with_buttons(db: Connection, message: OutboundMessage, about: dict[str, Any], now: datetime) -> None:
    """Ask a question of the harness's own. No turn waits for it; `about` says what the answer changes."""
    buttons.add_button(db, message, about, now)
    post(db, message, now)


def find_answered_button(db: Connection, message: InboundMessage) -> Button | None:
    """Return the question that a message answers, by a tap or by a reply to it."""
    if message.kind is InboundKind.ANSWER:
        return buttons.find_button(db, message.question, message.address)
    return buttons.find_button_shown_as(db, message.address, message.reply_to) if message.reply_to else None


def close_button(db: Connection, button: Button, answer: str) -> None:
    rows.close_question(db, button.id, "answered", answer)
    remove_buttons(db, OutboundId(button.id))


def remove_buttons(db: Connection, id: OutboundId, outcome: str = "") -> None:
    """Remove the buttons of a question that is over, so that nobody taps them.

    The text shows the outcome in place of the options; if there is no outcome, it shows the options. (So the message
    does not grow: its end would come as a message of its own.) While the question is on its way, its text, revision and
    buttons stay: text and revision identify a repeat.
    """
    outbox.drop_unsent_options(db, id)
    if options := outbox.shown_options(db, id):
        choices = "\n".join(f"{number}. {option}" for number, option in enumerate(options, 1))
        outbox.replace_shown_options(db, id, f"\n\n{outcome or choices}")
