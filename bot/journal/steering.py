"""Direct a delegation at work: what a person writes to it comes into its next entry.

Such a message is taken by the delegation, and is done once the delegation's model reads it. `give_back_unread_words`
decides what becomes of it if the delegation ends before that.
"""

from datetime import datetime
from itertools import takewhile

from bot.core import phrases
from bot.core.content_blocks import Block, text_block
from bot.core.limits import DecisionTerms
from bot.core.messages import InboundKind, InboundMessage, InboundOrigin, MessageId, OutboundId, PersonId, Sender
from bot.core.reply_plan import FORWARD_REPORT_TOOL_NAME
from bot.core.sources import sources_of_messages
from bot.core.texts import model
from bot.core.turn import NO_PERSON, CallId, Turn, TurnOutcome, TurnState
from bot.journal import chapters, provenance
from bot.journal.admission import is_owner
from bot.journal.bus import post_notice
from bot.journal.people import is_same_person
from bot.store import delegations, inbox, outbox, transcript, turns
from bot.store.connection import WORDS_UNREAD_TOPIC, Connection
from bot.store.delegations import Delegation

FORWARDED_ID_ARGUMENT = "id"  # of forward_report: the delegation whose report it posts


def find_delegation_replied_to(db: Connection, message: InboundMessage, terms: DecisionTerms) -> Turn | None:
    """Return the delegation that said what a message replies to, if its sender may direct it. Return None otherwise:
    then the message is for the lead, who reads what it replies to as a quote."""
    if message.kind is not InboundKind.TEXT or not message.reply_to:
        return None
    said = outbox.find_role_message_by_platform_id(db, message.address, message.reply_to)
    found = delegations.load_delegations_with_ids(db, [speaker_of_message(db, said)]) if said else []
    return found[0].turn if found and may_direct(db, message, found[0], terms) else None


def speaker_of_message(db: Connection, said: OutboundId) -> str:
    """Return the id of the delegation whose words a role's message holds: of the turn that posted it, or of the one
    whose report it forwards."""
    if forwarded := transcript.load_call_arguments(db, CallId(said), tool=FORWARD_REPORT_TOOL_NAME):
        return str(forwarded[FORWARDED_ID_ARGUMENT]).strip()
    return said.partition(":")[0].rsplit("/", 2)[0]


def find_open_delegation(db: Connection, turn: Turn) -> Delegation | None:
    """Return a delegation, or the turn that continues it, if that has not ended; otherwise None."""
    open_turn = turns.find_open_turn_in_session(db, turn.session)
    return delegations.load_delegations_with_ids(db, [open_turn.id])[0] if open_turn else None


def find_delegation_at_work_replied_to(db: Connection, message: InboundMessage, terms: DecisionTerms) -> Turn | None:
    """Return the delegation at work that said what a message replies to, if its sender may direct it."""
    said = find_delegation_replied_to(db, message, terms)
    found = find_open_delegation(db, said) if said else None
    return found.turn if found and is_at_work(found.turn) and may_direct(db, message, found, terms) else None


def may_direct(db: Connection, message: InboundMessage, delegation: Delegation, terms: DecisionTerms) -> bool:
    """Return True if the delegation works for the sender, or the sender is the owner. Nobody may direct another group's
    agent, nor what that agent has begun."""
    turn, sender = delegation.turn, message.sender.id
    is_of_chat = delegation.is_begun_by_chat_agent and not turn.is_hop
    if not is_of_chat:
        return False
    channel = message.address.channel
    return is_same_person(db, channel, turn.person, sender, terms) or is_owner(db, channel, sender, terms)


def is_at_work(turn: Turn) -> bool:
    """Return True if a turn goes on: it has not ended, and is not being stopped."""
    return turn.state in (TurnState.QUEUED, TurnState.RUNNING)


def take_words_of_agent(db: Connection, turn: Turn, call: CallId, delegation: Turn, text: str, now: datetime) -> None:
    """Let words of the agent that delegated wait for a delegation. They have the id of the call that gives them."""
    message = InboundMessage(
        id=MessageId(f"steer:{call}"),
        address=delegation.address,
        sender=Sender(id=delegation.person, name=turn.role, origin=InboundOrigin.DELEGATION),
        text=text,
        sent_at=now,
    )
    if inbox.add_inbound_message(db, message, now):
        inbox.assign_message_to_turn(db, message.id, delegation.id)
        provenance.carry_sources(db, turn, delegation)


def read_waiting_words(db: Connection, turn: Turn, terms: DecisionTerms) -> list[Block]:
    """Return what people wrote to a delegation since its last entry, as blocks for the next one. The messages are done
    with that. A root turn reads its messages in another way."""
    messages = [] if turn.is_root else inbox.messages_taken_by_turn(db, turn.id)
    if not messages:
        return []
    inbox.close_messages_of_turn(db, turn.id)
    provenance.add_turn_sources_to_session(db, turn, sources_of_messages(messages))
    return [text_block(model.WRITTEN_TO_YOU), *chapters.messages_as_blocks(db, messages, terms)]


def take_back_words_without_reply(db: Connection, turn: Turn) -> None:
    """Let a delegation that can ask no more have not read the words of its last entry: no reply of it followed. They
    are taken again, as if they had never been in an entry."""
    newest_first = reversed(transcript.entries_of_turn_in_chapter(db, turn))
    last = takewhile(lambda entry: entry.role != "assistant", newest_first)
    content = next((entry.content for entry in last if entry.role == "user"), [])
    texts = [block["text"] for block in content if block["type"] == "text"]
    if model.WRITTEN_TO_YOU in texts:  # the words stand behind this, one block of text for each message
        inbox.take_newest_answered_messages_again(db, turn.id, len(texts) - texts.index(model.WRITTEN_TO_YOU) - 1)


def give_back_unread_words(db: Connection, turn: Turn, status: TurnOutcome, now: datetime) -> None:
    """Decide what becomes of people's messages that an ended delegation has not read. If it ended at a limit, it keeps
    them: they are as if written to one that has ended, and the dispatcher lets it work again. If a person has stopped
    it, they are stopped with it, and everybody else who wrote them is told. Otherwise they wait for a turn. What an
    agent has told it is over, because that agent gets its report."""
    stopper = find_person_who_stopped(db, turn) if status is TurnOutcome.CANCELLED else NO_PERSON
    if stopper:
        for message in inbox.messages_taken_by_turn(db, turn.id):
            if message.sender.origin is not InboundOrigin.DELEGATION and message.sender.id != stopper:
                said = phrases.stopped_before_words_text(turn)
                post_notice(db, f"{message.id}:unread", message.address, said, now, reply_to=message.id)
    elif status in (TurnOutcome.CANCELLED, TurnOutcome.FAILED):
        return_unread_words(db, turn, now)
    elif inbox.close_messages_of_agents(db, turn.id):
        db.add_wake_up(WORDS_UNREAD_TOPIC, turn.id)
        return
    inbox.close_messages_of_turn(db, turn.id)


def return_unread_words(db: Connection, turn: Turn, now: datetime) -> None:
    """Let people's messages that an ended delegation has not read wait for a turn. Their writers were told that the
    delegation reads them, so tell them that it does not."""
    for message in inbox.messages_taken_by_turn(db, turn.id):
        if message.sender.origin is not InboundOrigin.DELEGATION:
            said = phrases.read_in_place_of_role_text(turn)
            post_notice(db, f"{message.id}:returned", message.address, said, now, reply_to=message.id)
    inbox.return_messages_of_turn(db, turn.id, turn.address)


def find_person_who_stopped(db: Connection, turn: Turn) -> PersonId:
    """Return the person who has stopped a turn, or one above it that it works for; NO_PERSON if nobody has. What works
    in the background goes on if the turn that began it is stopped."""
    while not (turn.stopped_by or turn.is_root or turn.background):
        turn = turns.get_turn(db, turn.parent_id)
    return turn.stopped_by
