"""What a turn says in its chat: a draft while it writes, updates on its way, and a reply at its end."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import takewhile

from bot.core import phrases
from bot.core.citations import reply_text
from bot.core.content_blocks import Content
from bot.core.exits import clean_outgoing, current_exit_rules
from bot.core.limits import DecisionTerms
from bot.core.messages import Address, MessageId, OutboundId, OutboundKind, OutboundMessage
from bot.core.outgoing_files import OutgoingFile
from bot.core.reply_plan import POST_UPDATE_TOOL_NAME
from bot.core.texts import model
from bot.core.turn import RequestId, Turn, TurnId, TurnOutcome, delegation_of_report
from bot.journal.bus import Urgency, post, withdraw
from bot.journal.delegations import find_speaker_number
from bot.journal.withheld_links import withhold_unseen_links
from bot.store import drafts, inbox, outbox, transcript, turns
from bot.store.connection import Connection


def post_update_message(
    db: Connection, turn: Turn, id: str, text: str, terms: DecisionTerms, *, speaker: Turn | None = None
) -> None:
    """Send a silent message before the turn ends: from a role under its name, from the lead along with its calls. The
    lead may post the words of another `speaker`: a delegation of its own."""
    speaker = speaker or turn
    text = withhold_unseen_links(db, turn, text, terms)
    message = OutboundMessage(
        id=OutboundId(id),
        address=turn.address,
        kind=OutboundKind.UPDATE,
        text=text,
        role=None if speaker.is_root else speaker.role,
        speaker_number=find_speaker_number(db, speaker),
        is_quiet=True,
        max_parts=terms.settings.long_answer_parts,
    )
    if speaker.is_root:
        post_in_place_of_draft(db, message, turn.id, terms.now)
    else:
        post(db, message, terms.now)


def post_files_message(
    db: Connection, turn: Turn, id: str, files: tuple[OutgoingFile, ...], caption: str, terms: DecisionTerms
) -> None:
    """Send files before the turn ends, silently as an update. A draft stays what it is: text."""
    message = OutboundMessage(
        id=OutboundId(id),
        address=turn.address,
        kind=OutboundKind.UPDATE,
        text=withhold_unseen_links(db, turn, caption, terms),
        role=None if turn.is_root else turn.role,
        speaker_number=find_speaker_number(db, turn),
        is_quiet=True,
        files=files,
    )
    post(db, message, terms.now)


def post_in_place_of_draft(db: Connection, message: OutboundMessage, turn: TurnId, now: datetime) -> None:
    """Post what a draft of this turn has become. If nothing was posted there since the draft, the draft's own message
    is edited: an update makes no sound anyway. Otherwise it is a new message; once that is shown, the draft is
    deleted."""
    draft = drafts.find_current_draft(db, turn)
    newest = drafts.newest_outbox_number_at_address(db, message.address) if draft else 0
    if draft and draft.shown_platform_ids and newest == draft.seq:
        post(db, message, now)
        drafts.hand_over_draft_parts(db, draft, message.id)
    else:
        post(db, replace(message, replaces=draft.id) if draft else message, now)


def find_update_since_last_input(db: Connection, turn: Turn) -> OutboundMessage | None:
    """Return the newest update of a root turn, a text or a note, if it came after its person last wrote. Such an
    update can serve as the answer. (An update's id ends with the number of its entry.)"""
    said = outbox.find_newest_lead_update(db, turn)
    if said is None or int(said.id.rpartition("/")[2]) < transcript.newest_input_entry_number(db, turn):
        return None
    return said


def post_reply_of_turn(
    db: Connection,
    turn: Turn,
    status: TurnOutcome,
    text: str,
    terms: DecisionTerms,
    *,
    answered: Sequence[MessageId],
    replaces: OutboundId | None,
    is_quiet: bool,
) -> None:
    """Post the reply that ends a root turn and answers these messages: a new message, since an edit makes no sound.
    `replaces` is the update with the same text. That, or the draft, is deleted once the reply is shown, so that there
    is always something to read."""
    draft = drafts.find_current_draft(db, turn.id)
    if draft and replaces:
        withdraw(db, draft.id)
    text = withhold_unseen_links(db, turn, text, terms)
    answers = None if turn.schedule else find_message_to_reply_to(db, answered)
    reply = OutboundMessage(
        id=OutboundId(f"{turn.id}:reply"),
        address=turn.address,
        kind=OutboundKind.REPLY,
        text=text,
        is_quiet=is_quiet,
        max_parts=terms.settings.long_answer_parts,
        reply_to=answers,
        asked_person=turn.person if answers else None,
        replaces=replaces or (draft.id if draft else None),
    )
    is_stopped = status is TurnOutcome.CANCELLED
    post(db, reply, terms.now, urgency=Urgency.ACKNOWLEDGEMENT if is_stopped else Urgency.ANSWER)


def post_reply_of_direct_turn(db: Connection, turn: Turn, terms: DecisionTerms, *, is_report_gathered: bool) -> None:
    """Post the report of an ended direct turn under its role's name, in reply to the message that opened it. What a
    person has stopped before it had anything to say needs no words: the answer to the stop is there."""
    text = phrases.direct_reply_text(turn, list_shown_updates(db, turn), is_report_gathered=is_report_gathered)
    if not text:
        return
    text = withhold_unseen_links(db, turn, text, terms)
    reply = OutboundMessage(
        id=OutboundId(f"{turn.id}:reply"),
        address=turn.address,
        kind=OutboundKind.REPLY,
        text=text,
        role=turn.role,
        speaker_number=find_speaker_number(db, turn),
        max_parts=terms.settings.long_answer_parts,
        reply_to=inbox.list_messages_of_turn(db, turn.id)[0].id,
    )
    post(db, reply, terms.now)


def list_shown_updates(db: Connection, turn: Turn) -> list[str]:
    """Return the updates that a delegation has posted in its chapter, as the model wrote them, oldest first. Updates
    that could not be shown are left out."""
    shown = set(outbox.list_update_texts(db, turn))
    entries = transcript.entries_of_turn_in_chapter(db, turn)
    written = [text for entry in entries if entry.role == "assistant" for text in update_texts(entry.content)]
    rules = current_exit_rules()
    return [text for text in written if clean_outgoing(text, rules, role=turn.role).text in shown]


def find_message_to_reply_to(db: Connection, answered: Sequence[MessageId]) -> MessageId | None:
    """Return the newest of these messages that a person wrote. If all are reports, return the message that began the
    work of the newest."""
    reporting = None
    for message in reversed(answered):
        delegation = delegation_of_report(message)
        if delegation is None:
            return message
        reporting = reporting or delegation
    if reporting is None:
        return None
    turn = turns.get_turn(db, reporting)
    return find_message_to_reply_to(db, inbox.list_messages_taken_before(db, turn.parent_id, turn.opened_at))


def text_written_in_chapter(db: Connection, turn: Turn) -> str:
    """Return what a turn has written in its chapter, for a turn that can write no more: its texts and the updates that
    it has posted. A text that it has both posted and written comes once."""
    posted, texts = set[str](), list[str]()
    for entry in transcript.entries_of_turn_in_chapter(db, turn):
        if entry.role == "assistant":
            own, updates = reply_text(entry.content), update_texts(entry.content)
            texts += [own] if own and own != model.NO_WORDS and own not in posted else []
            texts += [text for text in updates if text not in texts]
            posted.update(updates)
    return "\n\n".join(texts)


def update_texts(content: Content) -> list[str]:
    """Return the texts of the updates that a reply posts."""
    uses = [block for block in content if block["type"] == "tool_use" and block["name"] == POST_UPDATE_TOOL_NAME]
    return [text for use in uses if isinstance(text := use["input"].get("text"), str)]


def text_not_posted_yet(db: Connection, turn: Turn) -> str:
    """Return what a turn has written since its last step, in a reply that goes on. What it wrote before was posted."""
    newest_first = reversed(transcript.entries_of_turn_in_chapter(db, turn))
    parts = takewhile(lambda entry: entry.role == "assistant", newest_first)
    return "\n".join(reversed([text for entry in parts if (text := reply_text(entry.content)).strip()]))


def open_draft_message(db: Connection, turn: TurnId, request: RequestId, at: Address, text: str, now: datetime) -> None:
    """Open a message for a turn's draft, if the model still writes that reply."""
    if drafts.is_request_open(db, turn, request):
        id = OutboundId(f"{turn}:draft:{now.timestamp():.3f}")
        message = OutboundMessage(id=id, address=at, kind=OutboundKind.DRAFT, text=text, is_quiet=True)
        post(db, message, now, turn=turn)


def withdraw_draft(db: Connection, turn: TurnId) -> None:
    """Delete the draft of a reply that has nothing to say."""
    if draft := drafts.find_current_draft(db, turn):
        withdraw(db, draft.id)


def keep_draft_in_chat(db: Connection, turn: TurnId) -> bool:
    """Let a turn's draft stay in the chat, since nobody knows its text. Return False if nothing of it was shown."""
    draft = drafts.find_current_draft(db, turn)
    if draft is None or not draft.platform_ids:
        return False
    drafts.end_draft(db, draft)
    return True
