"""What becomes of held calls when their question ends: they run, or the model is told why they did not."""

from bot.core.grants import WEB_GRANT
from bot.core.limits import DecisionTerms
from bot.core.messages import PersonId
from bot.core.rights import Right
from bot.core.texts import model
from bot.journal import admission, call_evidence, turn_rights
from bot.store import held_calls, known_values, transcript, turns
from bot.store.connection import Connection
from bot.store.questions import Question


def settle_held_calls(db: Connection, question: Question, state: str, result: str, answer: str | None) -> None:
    """Let the calls of a question run if the person has agreed, or write for each that it was not run. `state` is how
    the question ended, `result` what the person answered, in words for the model, and `answer` the same as it is."""
    if answer is not None and answer in question.agreeing_options:
        if question.is_approval:
            add_grants(db, question, answer)
        held_calls.release_held_calls(db, question.turn, question.held_calls, are_approved=question.is_approval)
        return
    if question.is_approval:
        why = model.NOT_AGREED_IN_TIME if state == "expired" else model.NOT_AGREED(answer=result)
        if state == "withdrawn":
            why = model.APPROVAL_WITHDRAWN(answer=result)
    else:
        why = model.COST_NOT_AGREED_IN_TIME if state == "expired" else model.COST_NOT_AGREED(answer=result)
    for call in question.held_calls:
        transcript.finish_call(db, call, why, is_error=True)


def may_agree(db: Connection, question: Question, account: PersonId, terms: DecisionTerms) -> bool:
    """Return True if this account may agree to the calls of a question, and if the person of their turn may still use
    the bot: by the rights of this moment."""
    turn = turns.get_turn(db, question.turn)
    is_approver = turn.is_private or admission.is_owner(db, question.address.channel, account, terms)
    return is_approver and Right.TALK in turn_rights.load_rights_now(db, turn, terms)


def add_grants(db: Connection, question: Question, answer: str) -> None:
    """Note what was allowed for a person's requests in the whole conversation: what was chosen, or that the model's
    server may be asked on the web again."""
    grants = [question.grant] if question.grant and answer != question.options[0] else []
    if question.opens_web:
        grants.append(WEB_GRANT)
    if grants:
        turn = turns.get_turn(db, question.turn)
        top = call_evidence.find_topmost_turn(db, turn)
        known_values.add_grants(db, top.session, turn.person, grants, call_evidence.other_group(turn, top))
