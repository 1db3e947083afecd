"""What the calls that are only rows come to: a post, a question, a turn of another role, a memory."""

from dataclasses import replace
from datetime import timedelta

from bot import phrases, reports
from bot.blocks import words
from bot.journal import chapters, memory, provenance
from bot.journal.endings import mark, result_of
from bot.journal.saying import say_update
from bot.limits import Terms
from bot.plan import Ask, Cancel, Child, Forget, PlannedCall, Post, Save
from bot.prices import Micros
from bot.store import boards, delegations, inbox, ledger, questions, sessions, transcript, turns
from bot.store.connection import Connection
from bot.texts import model, people, reasons
from bot.turn import CallId, SessionId, Status, Turn, TurnId, TurnState


def take_effect(db: Connection, turn: Turn, call: PlannedCall, terms: Terms) -> None:
    """Write the rows that a call is."""
    if call.refusal is not None:
        transcript.finish(db, call.id, call.refusal, is_error=True)
        return
    match call.rows:
        case Post(text=text):
            post(db, turn, call.id, text, terms)
        case Ask() as asked:
            ask(db, turn, call.id, asked, terms)
        case Child() as child:
            open_child(db, turns.get(db, turn.id), call, child, terms)
        case Cancel(delegation=id):
            cancel(db, turn, call.id, turns.get(db, id), terms)
        case Save(text=text):
            memory.save(db, turn, call.id, text, terms)
        case Forget(memory=number):
            memory.forget(db, turn, call.id, number)


def post(db: Connection, turn: Turn, call: CallId, text: str, terms: Terms) -> None:
    most = terms.settings.max_updates
    if not turns.count_up(db, turn.id, "posts", most):
        transcript.finish(db, call, model.TOO_MANY_POSTS(most=most), is_error=True)
        return
    say_update(db, turn, call, text, terms)
    transcript.finish(db, call, model.POSTED)


def ask(db: Connection, turn: Turn, call: CallId, asked: Ask, terms: Terms) -> None:
    most = terms.settings.max_questions
    if not turns.count_up(db, turn.root, "questions", most):
        transcript.finish(db, call, model.TOO_MANY_QUESTIONS(most=most), is_error=True)
        return
    if provenance.strangers(db, turn):  # whatever it asks for may be somebody else's wish
        asked = replace(asked, text=f"{asked.text}\n\n{people.NO_SECRETS}")
    questions.ask(db, turn, call, asked, terms.now)
    if not boards.is_background(turn.root) and inbox.has_others_waiting(db, turn.address, turn.person):
        questions.hurry(db, turn.root, terms.now + timedelta(seconds=terms.settings.others_wait_seconds))
    if not turn.is_root:
        boards.revise(db, turn, terms.now)


def open_child(db: Connection, parent: Turn, call: PlannedCall, child: Child, terms: Terms) -> None:
    """A delegation is a turn with a call: it has the call's id, and there is no other record of it."""
    if child.session and (other := turns.at_work_in(db, child.session)):  # begun by a call beside this one
        transcript.finish(db, call.id, model.DELEGATION_AT_WORK(delegation=other.id), is_error=True)
        return
    if child.is_hop and delegations.hops(db) >= terms.settings.max_group_delegations:
        transcript.finish(db, call.id, model.GROUPS_BUSY(terms.settings.max_group_delegations), is_error=True)
        return
    casting, depth = child.casting, parent.depth + 1
    limits = replace(casting.limits, cost=budget_of(db, parent, child), tokens=tokens_of(db, parent, child))
    turn = Turn(
        id=TurnId(call.id),
        root=TurnId(call.id) if child.background else parent.root,
        session=child.session or SessionId(call.id),
        address=parent.address,
        person=parent.person,
        asker=parent.asker,
        role=casting.role,
        group=casting.group,
        parent_group=parent.group,
        tools=casting.tools,
        rights=parent.rights,
        limits=limits,
        depth=depth,
        agent_depth=depth if child.is_hop else parent.agent_depth,
        background=child.background,
        number=turns.next_number(db, parent.address),
        form=child.form,
        patience=None if child.background else parent.patience,
        state=TurnState.QUEUED,
    )
    if child.session is None:
        sessions.add_below(db, parent.id, turn.session, turn.address, terms.now)
    turns.add(db, turn, phrases.first_words(child.task), terms.now)
    provenance.hand_down(db, parent, turn)
    if child.session:
        content = [words(model.NEXT_TASK(person=parent.asker, brief=reports.brief(call.arguments)))]
    else:
        content = chapters.brief(turn, call.arguments)
    chapters.enter(db, turn, casting.prefix, content, terms)
    if child.background:
        transcript.finish(db, call.id, reports.begun(turn, reports.cuts_of(call.arguments, limits)))
    boards.revise(db, turn, terms.now)


def cancel(db: Connection, turn: Turn, call: CallId, delegation: Turn, terms: Terms) -> None:
    """What it has is the call's result: at once, or when it has ended, since its tasks must be gone first."""
    if delegation.state is TurnState.ENDED:
        transcript.finish(db, call, result_of(db, delegation, terms.now))
        return
    transcript.await_end(db, call, delegation.id)
    mark(db, delegation.id, Status.CANCELLED, reasons.CANCELLED_BY(role=turn.role))


def budget_of(db: Connection, parent: Turn, child: Child) -> Micros:
    """Dollars: what the turns above have left. What goes to the background is taken off them at once: half of it, so
    that they can go on."""
    left = max(0, parent.limits.cost - parent.spent.cost - parent.spent.reserved)
    if not child.background:
        return Micros(min(left, child.casting.limits.cost))
    apart = Micros(min(left // 2, child.casting.limits.cost))
    ledger.set_apart(db, parent, apart)
    return apart


def tokens_of(db: Connection, parent: Turn, child: Child) -> int:
    """Tokens: what the turn above has left, unless what it begins is to go on beside it. What one that goes on has in
    its chapter comes on top of its limit: no cache may hold that any more, and to read it again is none of its work."""
    limit = child.casting.limits.tokens
    if child.session:
        limit += sessions.chapter_of(db, child.session).tokens
    return limit if child.background else min(limit, max(1, parent.limits.tokens - parent.spent.tokens))
