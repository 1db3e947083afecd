"""A turn that makes no progress: tell its chat, and stop it."""

from bot.core.languages import speaking
from bot.core.limits import DecisionTerms
from bot.core.messages import role_display_name
from bot.core.texts import people, people_models, reasons
from bot.core.turn import TurnId, TurnOutcome
from bot.journal.bus import post_notice
from bot.journal.endings import mark_turn_tree_ending
from bot.journal.languages import language_of_turn
from bot.store import turns
from bot.store.connection import Connection


def tell_of_silence(db: Connection, id: TurnId, terms: DecisionTerms, *, has_begun: bool) -> None:
    """Tell the chat once that a turn makes no progress, or that the model has not begun to answer it."""
    if not turns.is_turn_running(db, id):
        return
    turn = turns.get_turn(db, id)
    minutes = terms.timings.silence_told_seconds / 60
    most = terms.timings.silence_stop_seconds / 60
    with speaking(language_of_turn(turn, terms)):
        if not has_begun:
            said = people_models.NOT_ANSWERING(minutes=minutes)
        elif turn.is_root:
            said = people.NO_PROGRESS(minutes=minutes, most=most)
        else:
            role = role_display_name(turn.role)
            said = people.ROLE_WITHOUT_PROGRESS(role=role, minutes=minutes, most=most, number=turn.number)
        post_notice(db, f"{turn.id}:silent", turn.address, said, terms.now)


def stop_silent_turn(db: Connection, id: TurnId, terms: DecisionTerms) -> None:
    """Stop a turn that has made no progress for too long. It ends with what it has, and its delegations with it."""
    minutes = terms.timings.silence_stop_seconds / 60
    with speaking(language_of_turn(turns.get_turn(db, id), terms)):
        mark_turn_tree_ending(db, id, TurnOutcome.TIMEOUT, reasons.NO_PROGRESS(minutes=minutes))
