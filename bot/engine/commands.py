"""The commands, in one table. Intake's transaction carries out every command except /new, which waits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bot.core import phrases
from bot.core.content_blocks import sanitize_name
from bot.core.group import Groups
from bot.core.languages import speaking
from bot.core.limits import DecisionTerms
from bot.core.messages import Address, InboundKind, InboundMessage, MessageMark, PersonId, RoleName, match_option
from bot.core.rights import EVERY_RIGHT, NO_RIGHTS, Right, Rights
from bot.core.source_phrases import what_was_read_text
from bot.core.sources import NO_SOURCES
from bot.core.speaker_labels import without_ad_hoc_prefix
from bot.core.stop_words import is_stop_word
from bot.core.texts import people, people_help, reasons
from bot.core.turn import Turn, TurnOutcome
from bot.engine import (
    delegation_commands,
    delegation_log,
    delegation_retry,
    delegation_steering,
    money_commands,
    people_commands,
)
from bot.journal import (
    admission,
    boards,
    endings,
    forgetting,
    group_modes,
    group_starts,
    linking,
    marks,
    model_choosing,
    questions,
    steering,
)
from bot.journal.bus import post_notice
from bot.journal.languages import language_of_turn
from bot.journal.openings import RoleResolver, find_group_at_address
from bot.journal.schedule_commands import answer_schedules_command, answer_timezone_command
from bot.store import delegations, inbox, incoming_files, sessions, turns
from bot.store.connection import Connection

# Carries out a command. Returns the answer, which is empty if the end of a turn will answer.
CommandHandler = Callable[[Connection, InboundMessage, DecisionTerms, RoleResolver], str]


def run_command_unless_it_waits(
    db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver
) -> bool:
    """Carry out a command and answer it. Return False if it must wait its turn instead."""
    name = message.command
    if name == NEW_CHAT_COMMAND:
        return False
    inbox.mark_message_done(db, message.id)
    before = db.total_changes
    said = COMMAND_HANDLERS.get(name, unknown_command_reply)(db, message, terms, resolver)
    has_effect = db.total_changes > before  # a command with an effect is always answered
    must_answer = has_effect or (name in COMMANDS_NEVER_DROPPED and bool(message.text.split()[1:]))
    kind = name if name in COMMAND_HANDLERS else "/"  # all unknown commands count as one kind
    if said and (must_answer or admission.claim_command_answer(db, message, kind, terms.now)):
        id, is_folded = f"{message.id}:done", name in COMMANDS_WITH_FOLDED_ANSWER
        at, most = message.address, terms.settings.long_answer_parts
        post_notice(db, id, at, said, terms.now, reply_to=message.id, is_folded=is_folded, max_parts=most)
    return True


def unknown_command_reply(db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver) -> str:
    name = message.command
    use = people.COMMANDS.get(name)
    return people.COMMAND_USE(command=name, use=use()) if use else people.UNKNOWN_COMMAND(command=name)


def start_command_reply(db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver) -> str:
    roles = delegation_commands.introduce_roles(db, message, terms, resolver)
    return " ".join(filter(None, [people.GREETING(), roles, people.SEE_HELP()]))


def help_command_reply(db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver) -> str:
    """Return a short list of the commands that somebody may use, or what one does: `/help stop`."""
    if asked := message.text.split()[1:]:
        name = f"/{asked[0].removeprefix('/').casefold()}"
        use = people.COMMANDS.get(name)
        return people.COMMAND_USE(command=name, use=use()) if use else people.UNKNOWN_COMMAND(command=name[:20])
    rights = admission.rights_of_sender(db, message.address, message.sender, message.group_chat, terms)
    shown = [name for name in people_help.HELP if RIGHTS_FOR_HELP.get(name, NO_RIGHTS) <= rights]
    lines = [people_help.HELP[name]() for name in shown]
    if admission.is_owner(db, message.address.channel, message.sender.id, terms):
        lines.append(people_help.HELP_OF_OWNER())
    return "\n".join(filter(None, [*lines, delegation_commands.introduce_roles(db, message, terms, resolver)]))


def status_command_reply(db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver) -> str:
    """Return what is at work here, with the numbers that /stop takes, and what the conversation here has read."""
    root = turns.find_open_root_turn(db, message.address)
    lines = []
    if root:
        messages = phrases.quote_message_beginnings(inbox.messages_taken_by_turn(db, root.id))
        lines.append(people.AT_WORK_FOR(person=root.asker, messages=messages))
    for turn in turns.list_queued_and_running_delegations(db, message.address):
        [delegation] = delegations.load_delegations_with_ids(db, [turn.id])
        line = boards.board_line_of_delegation(delegation)
        seconds = (terms.now - line.since).total_seconds()
        state = phrases.describe_state(line.state)
        state = people.IN_BACKGROUND(state=state) if turn.background else state
        lines.append(phrases.delegation_status_line(turn.number, turn.role, state, line.task, seconds))
    waiting = len(list_unread_messages(db, message.address))
    lines += [people.MESSAGES_WAITING(messages=waiting)] if waiting else []
    lines = lines or [people.NOTHING_AT_WORK()]
    return "\n".join([*lines, *filter(None, [what_was_read_here(db, message, resolver)])])


def what_was_read_here(db: Connection, message: InboundMessage, resolver: RoleResolver) -> str:
    """Return what the conversation that goes on here has read; empty if there is none, or if it has read nothing."""
    group = find_group_at_address(db, message.address, resolver.last_loaded_groups())
    current = sessions.find_current_session(db, message.address, group)
    sources = sessions.load_session_sources(db, current[0]) if current else NO_SOURCES
    return what_was_read_text(sources, message.sender.id, is_group_chat=message.group_chat is not None)


def mode_command_reply(db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver) -> str:
    return group_modes.answer_mode_command(db, message, terms)


def whereami_command_reply(
    db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver
) -> str:
    return group_starts.describe_place(db, message, terms)


def answer_stop_command(db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver) -> str:
    """Stop the sender's turn here, the roles that went on in the background when a message came for it, and the
    sender's messages that still wait, also for their files. A sender who has none of these stops the turn and the roles
    that work here for another person. What the lead began in the background stops if the command names it or says
    `all`, or if there is nothing else to stop.

    Stop is written as a row before anything is cancelled: a marked turn does not go on, even after a crash.
    """
    which = delegation_log.argument_of_command(message)
    at_work = turns.list_queued_and_running_delegations(db, message.address)
    if which.casefold() not in ("", "all"):
        which = delegation_log.read_number(which) or which
        return phrases.stop_delegations_reply(
            which,
            mark_turns_to_stop_and_list_roles(db, find_delegations_by_number_or_role(at_work, which), message, terms),
        )
    root = turns.find_open_root_turn(db, message.address)
    waiting = [each for each in list_unread_messages(db, message.address) if each.sender.id == message.sender.id]
    own = [each for each in waiting if each.kind is not InboundKind.REPORT]  # a person cannot call off a report
    detached = list_detached_delegations(db, message.address, message.sender.id)
    stopped = root if root and (root.person == message.sender.id or not (own or detached)) else None
    if stopped and stopped.person != message.sender.id:
        detached = list_detached_delegations(db, message.address, stopped.person)
    for each in own:
        incoming_files.give_up_files_of_message(db, each.id)
        if stopped:
            inbox.assign_message_to_turn(db, each.id, stopped.id)
        else:
            inbox.mark_message_done(db, each.id)
            marks.mark_messages(db, each.address, [each.id], MessageMark.NONE)
    for turn in detached:
        turns.update_turn_columns(db, turn.id, is_report_held=True)
    has_report = inbox.hold_reports_until_next_message(db, message.address, message.sender.id)
    if stopped:
        inbox.hold_reports_until_next_message(db, message.address, stopped.person)
    is_all = which or not (root or own or detached)
    background = [turn for turn in at_work if turn.background] if is_all else detached
    roles = mark_turns_to_stop_and_list_roles(db, background, message, terms)
    mark_turns_to_stop_and_list_roles(db, [stopped] if stopped else [], message, terms)
    return phrases.stop_command_reply(
        [] if stopped else own, roles, is_told=stopped is not None, is_report_kept=has_report
    )


def list_unread_messages(db: Connection, address: Address) -> list[InboundMessage]:
    """Return the messages there that wait for a turn or for their files."""
    return [*inbox.list_waiting_messages(db, address), *inbox.list_arriving_messages(db, address)]


def is_typed_stop_word(message: InboundMessage) -> bool:
    is_typed = message.kind is InboundKind.TEXT and not any(quote.is_forwarded for quote in message.quotes)
    return is_typed and is_stop_word(message.text)


def stop_command_meant_by(db: Connection, message: InboundMessage, terms: DecisionTerms) -> str:
    """Return the command that a stop word stands for, if it is not an option of an open question. In reply to what a
    role has said that works for its sender, it is for that role and no other. Otherwise it is for its sender's own
    turn, for roles that went on in the background for them, or for their messages that wait for files. Return an empty
    text if there is nothing to stop."""
    if steering.find_delegation_replied_to(db, message, terms):
        role = steering.find_delegation_at_work_replied_to(db, message, terms)
        question = questions.find_question_answered_by_message(db, message) if role else None
        is_option = question is not None and match_option(question.options, message.text)
        return f"{STOP_COMMAND} {role.number}" if role and not is_option else ""
    root = turns.find_open_root_turn(db, message.address)
    is_at_work = root is not None and root.person == message.sender.id
    is_at_work = is_at_work or bool(list_detached_delegations(db, message.address, message.sender.id))
    arriving = inbox.list_arriving_messages(db, message.address)
    is_at_work = is_at_work or any(each.sender.id == message.sender.id for each in arriving)
    return STOP_COMMAND if is_at_work and not questions.is_open_question_option(db, message) else ""


def find_ended_role_told_to_stop(db: Connection, message: InboundMessage, terms: DecisionTerms) -> Turn | None:
    """Return the delegation that said what a stop word replies to, if there is nothing of it to stop any more. Such a
    word stops nobody else, and is no work for the role."""
    is_at_work = steering.find_delegation_at_work_replied_to(db, message, terms) is not None
    return None if is_at_work else steering.find_delegation_replied_to(db, message, terms)


def list_detached_delegations(db: Connection, address: Address, person: PersonId) -> list[Turn]:
    """Return the delegations in the background that work there because this person wrote: those that went on when a
    message came, and direct turns."""
    at_work = turns.list_open_background_delegations(db, address)
    return [turn for turn in at_work if (turn.is_detached or turn.is_direct) and turn.person == person]


def find_delegations_by_number_or_role(among: Sequence[Turn], which: str) -> list[Turn]:
    """Return the delegations with that number or role. Leave out those below another one of them: they end with it."""
    name = without_ad_hoc_prefix(which).casefold()
    found = [turn for turn in among if which == str(turn.number) or name == without_ad_hoc_prefix(turn.role).casefold()]
    return [turn for turn in found if not any(turn.id.startswith(f"{other.id}/") for other in found)]


def mark_turns_to_stop_and_list_roles(
    db: Connection, found: Sequence[Turn], message: InboundMessage, terms: DecisionTerms
) -> list[RoleName]:
    """Mark these turns to end. Return their roles."""
    for turn in found:
        turns.save_person_who_stopped_turn(db, turn.id, message.sender.id)
        with speaking(language_of_turn(turn, terms)):
            why = reasons.STOPPED_BY(person=sanitize_name(message.sender.name))
            endings.mark_turn_tree_ending(db, turn.id, TurnOutcome.CANCELLED, why)
    return [turn.role for turn in found]


def describe_groups(registered: Groups) -> str:
    """Return one line for each group: its name, its chats, and the groups that it may ask."""
    lines = []
    for group in registered:
        there = ", ".join(address.as_typed for address in group.addresses)
        others = ", ".join(each.name for each in registered.groups_askable_by(group.name))
        if group.is_main:
            lines.append(people.MAIN_GROUP(group=group.name, addresses=there))
        elif others:
            lines.append(people.GROUP_THAT_ASKS(group=group.name, addresses=there, others=others))
        else:
            lines.append(people.GROUP_THAT_ASKS_NOBODY(group=group.name, addresses=there))
    lines += [people.GROUP_OUT_OF_ORDER(group=name) for name in registered.names_of_faulty_groups]
    lines += [people.OWNER_CHAT_IS_MAIN()] if lines and registered.main_chats else []
    return "\n".join(lines) or people.NO_GROUPS()


NEW_CHAT_COMMAND, STOP_COMMAND, LOG_COMMAND = "/new", "/stop", "/log"
COMMANDS_WITH_FOLDED_ANSWER = (LOG_COMMAND,)
# What somebody must be allowed so that /help names a command to them, by the key of its line
RIGHTS_FOR_HELP: dict[str, Rights] = {
    "log": frozenset({Right.DELEGATE}),
    "model": EVERY_RIGHT,
    "memory": frozenset({Right.MEMORY}),
}
COMMANDS_NEVER_DROPPED = (STOP_COMMAND, "/tell", "/retry")  # with an argument: their senders must learn of a refusal
# /new waits in the queue. Intake runs the commands that are not here, because it knows who may speak.
COMMAND_HANDLERS: dict[str, CommandHandler] = {
    "/start": start_command_reply,
    "/help": help_command_reply,
    STOP_COMMAND: answer_stop_command,
    "/status": status_command_reply,
    "/agents": delegation_commands.agents_command_reply,
    "/quiet": delegation_commands.quiet_command_reply,
    "/verbose": delegation_commands.verbose_command_reply,
    LOG_COMMAND: delegation_log.log_command_reply,
    "/tell": delegation_steering.tell_command_reply,
    "/retry": delegation_retry.refused_retry_reply,
    "/roles": delegation_commands.roles_command_reply,
    "/usage": money_commands.usage_command_reply,
    "/budget": money_commands.budget_command_reply,
    "/model": model_choosing.answer_model_command,
    "/effort": model_choosing.answer_effort_command,
    "/schedules": lambda db, message, terms, resolver: answer_schedules_command(db, message, terms),
    "/language": people_commands.language_command_reply,
    "/timezone": lambda db, message, terms, resolver: answer_timezone_command(db, message, terms),
    "/mode": mode_command_reply,
    "/whereami": whereami_command_reply,
    linking.LINK_COMMAND: people_commands.link_command_reply,
    linking.UNLINK_COMMAND: people_commands.unlink_command_reply,
    forgetting.FORGET_COMMAND: people_commands.forget_command_reply,
    "/privacy": people_commands.privacy_command_reply,
}
