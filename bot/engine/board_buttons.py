"""The buttons of a board: stop one delegation or all, or read what one has done."""

from bot.core import phrases
from bot.core.limits import DecisionTerms
from bot.core.messages import BoardAction, InboundKind, InboundMessage
from bot.core.texts import people
from bot.core.turn import TurnState
from bot.engine import commands, delegation_log
from bot.journal import boards
from bot.store import delegations
from bot.store.connection import Connection
from bot.store.delegations import Delegation


def is_board_tap(message: InboundMessage) -> bool:
    return message.kind is InboundKind.ANSWER and (message.question or "").endswith(boards.BOARD_ID_SUFFIX)


def asks_for_details(message: InboundMessage) -> bool:
    return message.text.partition(".")[0] == BoardAction.DETAILS


def carry_out_board_tap(db: Connection, message: InboundMessage, terms: DecisionTerms) -> str:
    """Do what a button of a board is for. Return what the person who tapped it reads."""
    action, _, number = message.text.partition(".")
    found = delegations.list_delegations_of_root(db, boards.root_of_board(message.question or ""))
    of_board = [each for each in found if each.turn.address == message.address]
    named = [each for each in of_board if str(each.turn.number) == number]
    match action:
        case BoardAction.STOP:
            return stop_delegations(db, named, message, terms)
        case BoardAction.STOP_ALL:
            return stop_delegations(db, of_board, message, terms)
        case BoardAction.DETAILS if named:
            refusal = delegation_log.why_sender_may_not_read(db, named[-1], message, terms)
            return refusal or delegation_log.format_delegation_log(db, named[-1], terms)
    return people.NO_SUCH_QUESTION()


def stop_delegations(db: Connection, found: list[Delegation], message: InboundMessage, terms: DecisionTerms) -> str:
    """Stop those that are at work, each with all below it. What they have found goes to the turn that began them."""
    at_work = [each.turn for each in found if each.turn.state in (TurnState.QUEUED, TurnState.RUNNING)]
    top = [turn for turn in at_work if not any(turn.id != other.id and turn.is_within(other.id) for other in at_work)]
    roles = commands.mark_turns_to_stop_and_list_roles(db, top, message, terms)
    return phrases.stop_delegations_reply("", roles) if roles else people.NOTHING_TO_STOP()
