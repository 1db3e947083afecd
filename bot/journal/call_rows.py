"""Write the calls that are only rows: a post, a question, a turn of another role, a memory, a schedule."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from bot.core import phrases, reply_plan, reports
from bot.core.content_blocks import Block, text_block
from bot.core.languages import speaking
from bot.core.limits import (
    MAX_BACKGROUND_DELEGATIONS,
    MAX_DELEGATIONS_PER_REQUEST,
    MAX_QUESTIONS_PER_ROOT_TURN,
    DecisionTerms,
)
from bot.core.outgoing_files import OutgoingFile
from bot.core.prices import Micros
from bot.core.reply_plan import AskPerson, OpenDelegation, PlannedCall, SendFiles
from bot.core.texts import model, people, reasons
from bot.core.turn import CallId, SessionId, Turn, TurnId, TurnOutcome, TurnState
from bot.journal import boards, chapters, memory, payments, provenance, questions, schedules, steering
from bot.journal.bus import post_notice
from bot.journal.endings import delegation_result_text, mark_turn_tree_ending
from bot.journal.languages import language_of_chat
from bot.journal.turn_messages import post_files_message, post_update_message
from bot.journal.withheld_links import withhold_unseen_links
from bot.store import chats, delegations, inbox, sessions, transcript, turns
from bot.store.connection import Connection


def write_rows_of_call(db: Connection, turn: Turn, call: PlannedCall, terms: DecisionTerms) -> None:
    """Write what a call changes in the rows, or its refusal. A call that runs later changes nothing yet."""
    if call.refusal is not None:
        transcript.finish_call(db, call.id, call.refusal, is_error=True)
        return
    match call.rows_to_write:
        case reply_plan.PostUpdate(text=text):
            post_update_for_call(db, turn, call.id, text, terms)
        case reply_plan.SendFiles() as sent:
            post_files_for_call(db, turn, call.id, sent, terms)
        case reply_plan.SendMessage() as sent:
            send_message_for_call(db, turn, call.id, sent, terms)
        case AskPerson() as asked:
            ask_question_for_call(db, turn, call.id, asked, terms)
        case OpenDelegation() as child:
            open_child_turn(db, turns.get_turn(db, turn.id), call, child, terms)
        case reply_plan.CancelDelegation(delegation=id):
            cancel_delegation_by_call(db, turn, call.id, turns.get_turn(db, id), terms)
        case reply_plan.SteerDelegation(delegation=id, text=text):
            steer_delegation_by_call(db, turn, call.id, turns.get_turn(db, id), text, terms)
        case reply_plan.ForwardReport(delegation=id):
            report = turns.get_turn(db, id)
            post_update_message(db, turn, call.id, report.report, terms, speaker=report)
            transcript.finish_call(db, call.id, model.POSTED)
        case reply_plan.SaveMemory() as saved:
            memory.save_memory_for_call(db, turn, call.id, saved, terms)
        case reply_plan.ForgetMemory(memory=number):
            memory.forget_memory_for_call(db, turn, call.id, number, terms)
        case reply_plan.MakeSchedule() as wanted:
            schedules.make_schedule_for_call(db, turn, call.id, wanted, terms)
        case reply_plan.ChangeSchedule() as change:
            schedules.change_schedule_for_call(db, turn, call.id, change, terms)


def post_update_for_call(db: Connection, turn: Turn, call: CallId, text: str, terms: DecisionTerms) -> None:
    most = terms.settings.swarm.max_updates
    if not turns.count_post_or_question_up_to(db, turn.id, "posts", most):
        transcript.finish_call(db, call, model.TOO_MANY_POSTS(most=most), is_error=True)
        return
    is_of_run = boards.is_of_scheduled_run(db, turn)
    is_hidden = is_of_run or (not turn.is_root and chats.is_chat_quiet(db, turn.address.whole_chat))
    if not is_hidden:
        post_update_message(db, turn, call, text, terms)
    why_hidden = model.NOT_SHOWN_IN_SCHEDULED_RUN if is_of_run else model.NOT_SHOWN_IN_QUIET_CHAT
    transcript.finish_call(db, call, why_hidden if is_hidden else model.POSTED)


def post_files_for_call(db: Connection, turn: Turn, call: CallId, sent: SendFiles, terms: DecisionTerms) -> None:
    """Post files, and tell the model what is on its way. What a role sends is an update: it counts as one, and a quiet
    chat hides it."""
    most = terms.settings.swarm.max_updates
    if not turn.is_root and not turns.count_post_or_question_up_to(db, turn.id, "posts", most):
        transcript.finish_call(db, call, model.TOO_MANY_POSTS(most=most), is_error=True)
        return
    if not turn.is_root and chats.is_chat_quiet(db, turn.address.whole_chat):
        transcript.finish_call(db, call, model.FILES_NOT_SHOWN_IN_QUIET_CHAT)
        return
    post_files_message(db, turn, call, sent.files, sent.caption, terms)
    transcript.finish_call(db, call, files_on_their_way_text(sent.files))


def send_message_for_call(
    db: Connection, turn: Turn, call: CallId, sent: reply_plan.SendMessage, terms: DecisionTerms
) -> None:
    """Post a text in another chat, with the name of the person who has had it sent."""
    text = withhold_unseen_links(db, turn, sent.text, terms)
    people_there = chats.find_people_of_private_chats(db)
    with speaking(language_of_chat(db, sent.address, people_there.get(str(sent.address)), terms)):
        said = people.SENT_FOR_PERSON(person=turn.asker, text=text)
    most = terms.settings.long_answer_parts
    post_notice(db, f"{call}:sent", sent.address, said, terms.now, rings=True, max_parts=most)
    transcript.finish_call(db, call, model.MESSAGE_ON_ITS_WAY(chat=sent.address.as_typed))


def files_on_their_way_text(files: Sequence[OutgoingFile]) -> str:
    lines = [
        model.FILE_ON_ITS_WAY(name=file.name, size=file.size, media_type=file.media_type, hash=file.sha256)
        for file in files
    ]
    return model.FILES_ON_THEIR_WAY(files="; ".join(lines))


def ask_question_for_call(db: Connection, turn: Turn, call: CallId, asked: AskPerson, terms: DecisionTerms) -> None:
    if not turns.count_post_or_question_up_to(db, turn.root, "questions", MAX_QUESTIONS_PER_ROOT_TURN):
        transcript.finish_call(db, call, model.TOO_MANY_QUESTIONS(most=MAX_QUESTIONS_PER_ROOT_TURN), is_error=True)
        return
    text, *options = [withhold_unseen_links(db, turn, each, terms) for each in (asked.text, *asked.options)]
    default = asked.default and withhold_unseen_links(db, turn, asked.default, terms)
    asked = replace(asked, text=text, options=tuple(options), default=default)
    if provenance.list_sources_of_others(db, turn):  # the question may be somebody else's wish
        asked = replace(asked, text=f"{asked.text}\n\n{people.NO_SECRETS()}")
    questions.ask_question(db, turn, call, asked, terms.now)
    is_in_background = any(each.background for each in (turn, *turns.list_turns_above(db, turn)))
    if not is_in_background and inbox.has_waiting_messages_of_others(db, turn.address, turn.person):
        wait = timedelta(seconds=terms.timings.question_seconds_if_others_wait)
        questions.shorten_question_deadlines(db, turn.root, terms.now + wait, terms)
    if not turn.is_root:
        boards.post_or_revise_board(db, turn, terms)


def open_child_turn(
    db: Connection, parent: Turn, call: PlannedCall, child: OpenDelegation, terms: DecisionTerms
) -> None:
    """Open the turn of a delegation. The turn has its call's id; there is no other record of the delegation."""
    if child.session and (other := turns.find_open_turn_in_session(db, child.session)):  # another call here began it
        transcript.finish_call(db, call.id, model.DELEGATION_AT_WORK(delegation=other.id), is_error=True)
        return
    if delegations.count_delegations_of_request(db, parent.id) >= MAX_DELEGATIONS_PER_REQUEST:
        said = model.NO_MORE_DELEGATIONS(most=MAX_DELEGATIONS_PER_REQUEST)
        transcript.finish_call(db, call.id, said, is_error=True)
        return
    in_background = turns.list_open_background_delegations(db, parent.address) if child.background else []
    if len(in_background) >= MAX_BACKGROUND_DELEGATIONS:
        full = model.BACKGROUND_FULL(most=MAX_BACKGROUND_DELEGATIONS)
        transcript.finish_call(db, call.id, full, is_error=True)
        return
    most = terms.settings.swarm.max_group_delegations
    if child.is_hop and delegations.count_open_group_delegations(db) >= most:
        transcript.finish_call(db, call.id, model.GROUPS_BUSY(most), is_error=True)
        return
    resolved, depth = child.resolved_role, parent.depth + 1
    cost, tokens = allot_child_cost_limit(db, parent, child), child_token_limit(db, parent, child)
    limits = replace(resolved.limits, cost=cost, tokens=tokens)
    turn = Turn(
        id=TurnId(call.id),
        root=TurnId(call.id) if child.background else parent.root,
        session=child.session or SessionId(call.id),
        address=parent.address,
        person=parent.person,
        asker=parent.asker,
        role=resolved.role,
        group=resolved.group,
        is_private=parent.is_private,
        parent_group=parent.group,
        tools=resolved.tools,
        rights=parent.rights,
        limits=limits,
        depth=depth,
        agent_depth=depth if child.is_hop else parent.agent_depth,
        max_depth=child.max_depth,
        background=child.background,
        number=turns.next_delegation_number(db, parent.address, parent.root),
        form=child.form,
        patience=None if child.background else parent.patience,
        state=TurnState.QUEUED,
    )
    if child.session is None:
        sessions.add_sub_session(db, parent.id, turn.session, turn.address, terms.now)
    turns.add_turn(db, turn, phrases.first_words(withhold_unseen_links(db, parent, child.task, terms)), terms.now)
    provenance.carry_sources(db, parent, turn)
    if child.session:
        content = [text_block(model.NEXT_TASK(person=parent.asker, brief=reports.brief_text(call.arguments)))]
    else:
        content = chapters.delegation_brief_blocks(turn, call.arguments)
    content += hand_on_reports(db, turn, child)
    chapters.write_first_entry_of_turn(db, turn, resolved.prefix, content, terms)
    if child.background:
        cut = reports.limits_cut_text(call.arguments, limits)
        transcript.finish_call(db, call.id, reports.background_delegation_begun_text(turn, cut))
    boards.post_or_revise_board(db, turn, terms)


def hand_on_reports(db: Connection, turn: Turn, child: OpenDelegation) -> list[Block]:
    """Return the reports that a new delegation is handed, as blocks, and note whose words they bring in."""
    for id in child.handed_reports:
        provenance.carry_sources(db, turns.get_turn(db, id), turn)
    return chapters.handed_report_blocks(db, child.handed_reports)


def cancel_delegation_by_call(db: Connection, turn: Turn, call: CallId, delegation: Turn, terms: DecisionTerms) -> None:
    """Cancel a delegation. Its report is the call's result: at once if it has ended, else when its tasks are gone."""
    if delegation.state is TurnState.ENDED:
        provenance.carry_sources(db, delegation, turn)
        transcript.finish_call(db, call, delegation_result_text(db, delegation, terms.now))
        return
    transcript.set_awaited_turn_of_call(db, call, delegation.id)
    mark_turn_tree_ending(db, delegation.id, TurnOutcome.CANCELLED, reasons.CANCELLED_BY(role=turn.role))


def steer_delegation_by_call(
    db: Connection, turn: Turn, call: CallId, delegation: Turn, text: str, terms: DecisionTerms
) -> None:
    """Hand a turn's words to a delegation, if that is still at work."""
    if not steering.is_at_work(delegation):
        said = model.DELEGATION_IS_STOPPING(delegation=delegation.id)
        if delegation.state is TurnState.ENDED:
            said = model.DELEGATION_IS_OVER(delegation=delegation.id)
        transcript.finish_call(db, call, said, is_error=True)
        return
    steering.take_words_of_agent(db, turn, call, delegation, text, terms.now)
    transcript.finish_call(db, call, model.DELEGATION_READS_NEXT(delegation=delegation.id))


def allot_child_cost_limit(db: Connection, parent: Turn, child: OpenDelegation) -> Micros:
    """Return the child's limit in micros: at most what the parent has left. A background child gets at most half of
    that, so that the turns above it can go on. They are charged for it at once."""
    left = max(0, parent.limits.cost - parent.spent.cost - parent.spent.reserved)
    if not child.background:
        return Micros(min(left, child.resolved_role.limits.cost))
    apart = Micros(min(left // 2, child.resolved_role.limits.cost))
    payments.charge_turn_for_background_delegation(db, parent, apart)
    return apart


def child_token_limit(db: Connection, parent: Turn, child: OpenDelegation) -> int:
    """Return the child's limit in tokens: at most what the parent has left, or the role's own limit in the
    background. A child that continues a session gets the tokens of its chapter on top. No cache may hold that
    chapter any more, and reading it again is not part of its work."""
    limit = child.resolved_role.limits.tokens
    if child.session:
        limit += sessions.get_current_chapter(db, child.session).tokens
    return limit if child.background else min(limit, max(1, parent.limits.tokens - parent.spent.tokens))
