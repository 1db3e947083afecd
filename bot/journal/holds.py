"""Calls that are held until a person has answered.

A call about which the gate has a doubt waits as a row, and its person is asked: in private there, in a group chat the
owner in private. The answer names the call, so no other call and no other arguments can run by it, and it is used up in
the transaction in which the call begins. There the call is judged again: a person agrees for the reasons that they were
asked for, and is asked again if there is a further one.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from bot.core.access import CLOSED_ACCESS, owner_addresses
from bot.core.acts import Act, with_later_acts
from bot.core.approval_text import describe_call, full_text_of_call, name_unseen
from bot.core.gate import CallEvidence, Doubt, Reason, find_doubts, is_unknown
from bot.core.grants import grant_of, grantable_target
from bot.core.languages import speaking
from bot.core.limits import DecisionTerms
from bot.core.messages import (
    Address,
    OutboundId,
    OutboundKind,
    OutboundMessage,
    PersonId,
    QuestionId,
    role_display_name,
)
from bot.core.reply_plan import RunCalls
from bot.core.texts import model, people_holds
from bot.core.turn import CallId, Turn
from bot.journal import approvals, call_evidence, provenance
from bot.journal.bus import post, post_notice
from bot.journal.languages import language_of_owner, language_of_person
from bot.journal.withheld_links import list_seen_links
from bot.store import held_calls, questions, transcript
from bot.store.connection import Connection
from bot.store.questions import Question

QUESTION_ID_SUFFIX = ":approval"
NOTICE_ID_SUFFIX = ":asked"
MAX_HELD_CALLS_PER_REQUEST = 5
MAX_REASONS = 3  # of one call
REASONS = {
    Reason.ACT_NOT_ASKED_FOR: people_holds.NOT_ASKED_FOR,
    Reason.THING_NOT_NAMED: people_holds.THING_NOT_NAMED,
    Reason.VALUE_FROM_OUTSIDE: people_holds.VALUE_FROM_OUTSIDE,
    Reason.VALUE_NOT_MEANT: people_holds.VALUE_NOT_MEANT,
    Reason.POINTER_IN_TEXT: people_holds.POINTER_IN_TEXT,
    Reason.SITE_WAS_READ: people_holds.SITE_WAS_READ,
    Reason.WEB_AFTER_PRIVATE: people_holds.WEB_AFTER_PRIVATE,
    Reason.TEXT_TO_DESCRIBED_PERSON: people_holds.TEXT_TO_DESCRIBED_PERSON,
    Reason.NOTHING_OF_PAYMENT: people_holds.NOTHING_OF_PAYMENT,
    Reason.TOO_MANY: people_holds.TOO_MANY,
    Reason.TOO_MUCH_WORK: people_holds.TOO_MUCH_WORK,
    Reason.REACHES_HOSTS: people_holds.REACHES_HOSTS,
}


@dataclass(frozen=True, slots=True)
class DoubtfulCall:
    call: CallId
    act: Act
    doubts: tuple[Doubt, ...]  # all of them; people read the first
    is_asked_again: bool = False  # a person has agreed to it, and not for these reasons


@dataclass(frozen=True, slots=True)
class Approver:
    """Who may agree to a call, and where they are asked."""

    person: PersonId
    address: Address


def hold_doubtful_calls(
    db: Connection, turn: Turn, step: RunCalls, terms: DecisionTerms, besides: Collection[CallId]
) -> set[CallId]:
    """Judge a reply's calls, in their order. Hold those about which a person must be asked, or refuse them where nobody
    can be asked. Return these; the others may run. The calls in `besides` wait for another answer."""
    acting = [(call.id, call.act) for call in step.calls if call.act and call.refusal is None]
    doubtful = find_doubtful_calls(
        db, turn, [each for each in acting if each[0] not in besides], [each.id for each in step.calls], terms
    )
    if doubtful:
        ask_or_refuse(db, turn, doubtful, terms)
    return {each.call for each in doubtful}


def find_doubtful_calls(
    db: Connection,
    turn: Turn,
    acting: Sequence[tuple[CallId, Act]],
    besides: Collection[CallId],
    terms: DecisionTerms,
) -> list[DoubtfulCall]:
    if not acting or not terms.settings.approvals.enabled:
        return []
    flags = provenance.load_flags(db, turn)
    acts = [each for _, act in acting for each in with_later_acts(act)]
    if not (flags.untrusted or flags.private or any(map(is_unknown, acts))):
        return []
    known = call_evidence.load_call_evidence(db, turn, flags, terms, besides)
    if flags.knows_memories and any(act.is_query for act in acts):
        known = replace(known, shown_links=list_seen_links(db, turn))
    doubtful = []
    for id, act in acting:
        if doubts := tuple(doubt for each in with_later_acts(act) for doubt in find_doubts(each, known)):
            doubtful.append(DoubtfulCall(id, act, doubts))
        else:
            known = note_act(known, act)
    return doubtful


def note_act(known: CallEvidence, act: Act) -> CallEvidence:
    """Return what is known when the next call of the same reply is judged."""
    delegations = known.delegations_so_far + act.is_own_work
    return replace(known, acts_so_far=[*known.acts_so_far, act.kinds], delegations_so_far=delegations)


def may_call_begin(db: Connection, turn: Turn, call: CallId, act: Act, terms: DecisionTerms) -> bool:
    """Return True if a call that was held may begin, in the transaction in which it does. It is judged by what is known
    at this moment, except that its words of time mean what they meant when it was made. A person's yes is used up, and
    holds for the reasons for which they were asked, and for what the call did then. If there is another one now, or it
    does more, they are asked again; if the right to agree is gone, the call is refused. One that waited only for its
    cost is judged for the first time."""
    agreed = held_calls.list_approved_calls_below(db, call_evidence.find_topmost_turn(db, turn).id)
    asked = questions.list_approvals_of_call(db, turn.id, call) if call in agreed else []
    if asked and not approvals.may_agree(db, asked[-1], asked[-1].person, terms):
        refuse_call(db, call, model.AGREEMENT_IS_VOID)
        return False
    then = replace(terms, now=(asked and asked[0].asked_at) or terms.now)
    doubtful = find_doubtful_calls(db, turn, [(call, act)], [call, *agreed], then)
    known = asked[-1].doubts_about(call) if asked else set()
    is_other = bool(asked and doubtful) and not asked[-1].covers_effects(
        call, act.effects
    )  # it would replace a file now
    if is_other or any(doubt not in known for each in doubtful for doubt in each.doubts):
        held_calls.withdraw_approval(db, call)
        again = [replace(new_doubts_first(each, known), is_asked_again=bool(asked)) for each in doubtful]
        ask_or_refuse(db, turn, again, terms)
        return False
    held_calls.use_approval(db, call)
    return True


def new_doubts_first(doubtful: DoubtfulCall, known: Collection[tuple[str, str]]) -> DoubtfulCall:
    return replace(doubtful, doubts=tuple(sorted(doubtful.doubts, key=lambda doubt: doubt in known)))


def ask_or_refuse(db: Connection, turn: Turn, doubtful: Sequence[DoubtfulCall], terms: DecisionTerms) -> None:
    """Ask one question about these calls. Refuse those beyond the most that may wait for a request, and all of them
    where nobody can be asked."""
    top = call_evidence.find_topmost_turn(db, turn)
    room = max(0, MAX_HELD_CALLS_PER_REQUEST - held_calls.count_held_calls_below(db, top.id))
    approver = find_approver(db, turn, terms)
    is_unattended = is_nobody_there(db, turn)
    if is_unattended and terms.settings.approvals.unattended == "refuse":
        refuse_calls(db, doubtful, model.MUST_BE_ASKED_UNATTENDED)
    elif approver is None:
        refuse_calls(db, doubtful, model.MUST_BE_ASKED_NO_OWNER)
    else:
        refuse_calls(db, doubtful[room:], model.TOO_MANY_HELD(most=MAX_HELD_CALLS_PER_REQUEST))
        if asked := doubtful[:room]:
            ask_about_calls(db, turn, asked, approver, terms, is_unattended=is_unattended)


def refuse_calls(db: Connection, doubtful: Sequence[DoubtfulCall], why: str) -> None:
    for each in doubtful:
        refuse_call(db, each.call, why)


def refuse_call(db: Connection, call: CallId, why: str) -> None:
    held_calls.forget_acts(db, call)
    transcript.finish_call(db, call, why, is_error=True)


def is_nobody_there(db: Connection, turn: Turn) -> bool:
    return any(each.schedule or each.background for each in call_evidence.list_turn_and_turns_above(db, turn))


def find_approver(db: Connection, turn: Turn, terms: DecisionTerms) -> Approver | None:
    """Return who may agree to a turn's calls: its person in private, elsewhere the owner in private; None if no owner
    can be reached there."""
    if turn.is_private:
        return Approver(turn.person, turn.address)
    for address in owner_addresses(terms.access_by_channel, turn.address.channel):
        if owner := terms.access_by_channel.get(address.channel, CLOSED_ACCESS).owner_id:
            return Approver(owner, address)
    return None


def ask_about_calls(
    db: Connection,
    turn: Turn,
    asked: Sequence[DoubtfulCall],
    approver: Approver,
    terms: DecisionTerms,
    *,
    is_unattended: bool,
) -> None:
    ids = [each.call for each in asked]
    held_calls.hold_calls(db, ids)
    before = questions.list_approvals_of_call(db, turn.id, ids[0])
    id, settings = QuestionId(f"{ids[0]}{QUESTION_ID_SUFFIX}{len(before) or ''}"), terms.settings.approvals
    minutes = settings.unattended_timeout_minutes if is_unattended else settings.timeout_minutes
    target = grantable_target(asked[0].act) if len(asked) == 1 else None
    grant = grant_of(asked[0].act, target) if target else None
    opens_web = any(each.act.is_of_server for each in asked)
    is_elsewhere = approver.address != turn.address
    channel = approver.address.channel
    language = language_of_owner(db, channel, terms) if is_elsewhere else None
    with speaking(language or language_of_person(db, channel, approver.person, terms)):
        text = approval_text(turn, asked, is_elsewhere=is_elsewhere)
        again = [people_holds.ALLOW_IN_CONVERSATION()] if grant else []
        options = (people_holds.ALLOW(), *again, people_holds.DENY())
        message = OutboundMessage(
            id=OutboundId(id),
            address=approver.address,
            kind=OutboundKind.APPROVAL,
            text=text,
            options=options,
            asked_person=approver.person,
            max_parts=terms.settings.long_answer_parts,
        )
        questions.add_question(
            db,
            Question,
            id,
            turn=turn.id,
            root=turn.root,
            address=approver.address,
            person=approver.person,
            text=text,
            options=options,
            fallback=None,
            deadline=terms.now + timedelta(minutes=minutes),
            arguments={
                "held_calls": ids,
                "is_approval": True,
                "grant": grant,
                "opens_web": opens_web,
                "doubts": {each.call: each.doubts for each in asked},
                "effects": {each.call: sorted(each.act.effects) for each in asked},
                "asked_at": terms.now.isoformat(),
            },
        )
        post(db, message, terms.now)
    if is_elsewhere:
        post_notice(db, f"{id}{NOTICE_ID_SUFFIX}", turn.address, people_holds.WAITS_FOR_OWNER(), terms.now)


def list_reasons(doubts: Sequence[Doubt]) -> list[str]:
    """Return why a person is asked, in lines, the first reasons only. The call shows all that they are about."""
    return list(dict.fromkeys(REASONS[reason](value=name_unseen(value)) for reason, value in doubts))[:MAX_REASONS]


def approval_text(turn: Turn, asked: Sequence[DoubtfulCall], *, is_elsewhere: bool) -> str:
    """Return what a person reads: who wants it, each call with its exact arguments, and why they are asked."""
    count = len(asked)
    first = people_holds.MAY_CALL_RUN(count)
    if not turn.is_root:
        first = people_holds.MAY_CALL_OF_ROLE_RUN(count, role=role_display_name(turn.role))
    lines = [first]
    if is_elsewhere:
        person = f"{turn.asker} ({turn.person})"  # anybody may take another's name
        lines = [people_holds.ASKED_IN_GROUP_CHAT(chat=str(turn.address), person=person), first]
    for each in asked:
        called = each.act.tool, each.act.arguments
        again = [people_holds.ASKED_AGAIN()] if each.is_asked_again else []
        lines += ["", *again, *list_reasons(each.doubts), full_text_of_call(*called) or describe_call(*called)]
    return "\n".join([*lines, "", people_holds.SOMEBODY_ELSE_MAY_HAVE_ASKED(), people_holds.DENY_WITH_REASON()])
