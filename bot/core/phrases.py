"""Choose the sentences that the bot itself says to people and to the model."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import tzinfo
from difflib import get_close_matches
from typing import Any

from bot.core.content_blocks import sanitize_name
from bot.core.incoming_files import IncomingFileKind
from bot.core.languages.said_again import say_again
from bot.core.limits import LimitKind, Limits
from bot.core.messages import Address, BoardLine, InboundMessage, InboundOrigin, RoleName, Sender, role_display_name
from bot.core.prices import format_micro_dollars, sort_models
from bot.core.prompt_prefix import EFFORTS
from bot.core.rights import EVERY_RIGHT, Right, Rights
from bot.core.texts import Sentence, people, people_access, people_files, people_models, reasons
from bot.core.turn import Turn, TurnOutcome

MAX_CUT_WORD_CHARACTERS = 20  # of a word that is left out rather than cut
MAX_BOARD_LINES = 16  # they fit into a message on every platform
MAX_BOARD_TASK_CHARACTERS = 40  # characters of a task on the board

ACTIVITY_TARGET_ARGUMENT_BY_TOOL = {  # by tool: the argument that says what it works on
    "read_file": "path",
    "list_dir": "path",
    "write_file": "path",
    "edit_file": "path",
    "send_file": "path",
    "send_message": "chat",
    "glob": "pattern",
    "grep": "pattern",
    "web_search": "query",
    "web_fetch": "url",
    "use_skill": "skill",
    "delegate": "role",
    "shell": "command",
}
TOOL_WITHOUT_ACTIVITY = "ask_person"  # the person sees the question anyway
MAX_ACTIVITY_TARGET_CHARACTERS = 80


def quote_message_beginnings(messages: Iterable[InboundMessage]) -> str:
    return ", ".join(people.MESSAGE(beginning=beginning_of_message(message)) for message in messages)


def beginning_of_message(message: InboundMessage) -> str:
    """Return a message's first words, or the files that came with it. What its platform says of the rest is for the
    model, and in English; so are the notes around the task of a run of a schedule."""
    is_run = message.sender.origin is InboundOrigin.SCHEDULE
    words = message.text.partition("]\n")[2].rpartition("\n[")[0] if is_run else message.text
    files = ", ".join(name_or_kind_of_file(file.name, file.kind) for file in message.arrived_files)
    return first_words(words) or first_words(files) or people_files.WITHOUT_WORDS()


def name_or_kind_of_file(name: str, kind: IncomingFileKind) -> str:
    return name or people_files.KINDS[kind]()


def first_words(text: str, length: int = 60) -> str:
    line = " ".join(text.split())
    if len(line) <= length:
        return line
    words, _, cut = line[:length].rpartition(" ")
    return (words if len(cut) < MAX_CUT_WORD_CHARACTERS and words else line[: length - 1]).rstrip(" ,;:") + "…"


def format_duration(seconds: float) -> str:
    """Return "48 s", "3 min 13 s" or "2 h 5 min"."""
    whole = round(seconds)
    if whole < 120:
        return people.SECONDS(seconds=seconds)
    if whole < 2 * 3600:
        return people.MINUTES(minutes=whole // 60, seconds=whole % 60)
    return people.HOURS(hours=whole // 3600, minutes=whole % 3600 // 60)


def describe_state(state: str) -> str:
    """Return the words for what a delegation is doing, or how it has ended."""
    return people.STATES[state]()


# To people


def no_answer_excuse_text(
    turn: Turn, status: TurnOutcome, reason: str, messages: Sequence[InboundMessage], *, has_text: bool = False
) -> str:
    """Return the reply for a root turn that gave no answer. `has_text`: people can read what it had written so far."""
    is_own = turn.stopped_by == turn.person
    match status:
        case TurnOutcome.CANCELLED if has_text:
            return people.TEXT_STOPPED() if is_own else people.TEXT_STOPPED_FOR(reason=reason)
        case TurnOutcome.CANCELLED if is_own:
            return people.STOPPED(messages=quote_message_beginnings(messages))
        case TurnOutcome.CANCELLED:
            return people.STOPPED_FOR(reason=role_display_name(reason), messages=quote_message_beginnings(messages))
        case TurnOutcome.BUDGET | TurnOutcome.TIMEOUT:
            return people.LEFT(reason=reason, messages=quote_message_beginnings(messages))
        case _:
            return people.NOT_FINISHED(reason=reason, messages=quote_message_beginnings(messages))


def direct_reply_text(turn: Turn, updates: Iterable[str], *, is_report_gathered: bool) -> str:
    """Return what an ended direct turn says to the person who wrote to it; empty if a person has stopped it and there
    is nothing to add to its `updates`. They are in the chat already, and in a report that `is_report_gathered` from all
    that the turn has written. Another report is its last reply, and stays whole."""
    if turn.report and not is_report_gathered:
        return turn.report
    rest = f"\n\n{turn.report}\n\n"
    for text in updates:
        rest = rest.replace(f"\n\n{text}\n\n", "\n\n", 1)
    rest = rest.strip()
    if turn.status is TurnOutcome.COMPLETED:
        return rest or turn.report or people.NO_ANSWER()
    if turn.stopped_by:
        return "\n\n".join([rest, people.TEXT_STOPPED()]) if rest else ""
    return "\n\n".join(filter(None, [rest, people.ROLE_NOT_FINISHED(reason=turn.reason)]))


def stopped_before_words_text(turn: Turn) -> str:
    return people.ROLE_STOPPED_UNREAD(role=role_display_name(turn.role))


def read_in_place_of_role_text(turn: Turn) -> str:
    return people.ROLE_LEFT_UNREAD(role=role_display_name(turn.role))


def delegation_takes_up_text(turn: Turn) -> str:
    return people.ROLE_TAKES_UP(role=role_display_name(turn.role), number=turn.number)


def stop_command_reply(
    waiting: Sequence[InboundMessage], roles: Sequence[RoleName], *, is_told: bool, is_report_kept: bool
) -> str:
    """Return what /stop has stopped. `is_told`: the end of a turn will tell the rest, so the text may be empty.
    `is_report_kept`: a finished report waits from now on for the person's next message."""
    said = []
    if waiting:
        said.append(people.STOPPED_BEFORE_IT_BEGAN(messages=quote_message_beginnings(waiting)))
    if roles:
        said.append(people.STOPPED_IN_BACKGROUND(roles=", ".join(map(role_display_name, roles))))
    if not said and not is_told:
        said.append(people.NOTHING_TO_STOP_AND_REPORT_KEPT() if is_report_kept else people.NOTHING_TO_STOP())
    return " ".join(said)


def stop_delegations_reply(which: str, roles: Sequence[RoleName]) -> str:
    if roles:
        return people.ROLES_STOPPED(roles=", ".join(map(role_display_name, roles)))
    return people.NO_SUCH_NUMBER(number=which) if which.isdecimal() else people.NO_SUCH_ROLE(role=which)


def delegation_reads_next_text(turn: Turn) -> str:
    return people.ROLE_READS_NEXT(number=turn.number, role=role_display_name(turn.role))


def why_message_waits(turn: Turn, roles: Sequence[str], *, is_own: bool, seconds: float | None, before: int) -> str:
    """Return why a message is not answered yet. `before` counts the other people's messages before it."""
    if is_own and roles:
        names = ", ".join(sorted({role_display_name(role) for role in roles}))
        return people.WAITS_FOR_ROLES(len(set(roles)), roles=names)
    if is_own:
        return people.WAITS_FOR_OWN_TURN()
    if seconds is None:
        if before:
            return people.WAITS_BEHIND_OTHERS(person=turn.asker, before=before)
        return people.WAITS_AS_NEXT(person=turn.asker)
    minutes = seconds / 60
    if before:
        return people.WAITS_BEHIND_OTHERS_FOR_QUESTION(person=turn.asker, before=before, minutes=minutes)
    return people.WAITS_AS_NEXT_FOR_QUESTION(person=turn.asker, minutes=minutes)


def chat_closed_text(address: Address, why: str) -> str:
    if address.thread:
        return people.TOPIC_CLOSED(
            topic=address.thread, channel=address.channel, chat=address.chat, reason=say_again(why)
        )
    return people.CHAT_CLOSED(channel=address.channel, chat=address.chat, reason=say_again(why))


def option_chosen_text(option: str, name: str) -> str:
    """Return the line below a question that is answered."""
    return people.CHOSEN(option=first_words(option), person=sanitize_name(name))


def disk_state_text(why: str | None) -> str:
    """Return why the bot waits for the disk; if `why` is None, that it continues."""
    return people.DISK_TAKES_AGAIN() if why is None else people.DISK_TAKES_NOTHING(reason=say_again(why))


def delegation_status_line(number: int, role: str, state: str, task: str, seconds: float) -> str:
    time = f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
    if task:
        return people.DELEGATION_AT_WORK(number=number, role=role_display_name(role), state=state, time=time, task=task)
    return people.DELEGATION_WITHOUT_TASK(number=number, role=role_display_name(role), state=state, time=time)


def role_line(name: RoleName, description: str) -> str:
    if not description:
        return role_display_name(name)
    return people.ROLE_LINE(role=role_display_name(name), use=" ".join(description.split()))


def lead_at_work_line(turn: Turn, messages: str, zone: tzinfo) -> str:
    assert turn.opened_at, "its row says when it was opened"
    cost = format_micro_dollars(turn.spent.cost)
    return people.LEAD_AT_WORK(person=turn.asker, since=turn.opened_at.astimezone(zone), cost=cost, messages=messages)


def agent_at_work_line(line: BoardLine, zone: tzinfo, *, is_in_background: bool) -> str:
    number, indent, role, task = line.number, "  " * (line.depth - 1), role_display_name(line.role), line.task
    state = describe_state(line.state)
    state = people.IN_BACKGROUND(state=state) if is_in_background else state
    since, cost = line.since.astimezone(zone), format_micro_dollars(line.cost)
    if task:
        return people.AGENT_AT_WORK(
            number=number, indent=indent, role=role, state=state, since=since, cost=cost, task=task
        )
    return people.AGENT_WITHOUT_TASK(number=number, indent=indent, role=role, state=state, since=since, cost=cost)


def board_text(lines: Sequence[BoardLine], zone: tzinfo, *, cost: int, expected: int | None, cap: int) -> str:
    """Return the board of a request, with what it has cost so far, is expected to cost in the end, and may cost, in
    micros. Of a role that occurs more than once, each line names its task."""
    often = Counter(line.role for line in lines)
    most_useful = sorted(lines, key=lambda line: (line.is_open, line.number))[-MAX_BOARD_LINES:]
    room = MAX_BOARD_LINES * MAX_BOARD_TASK_CHARACTERS // max(1, len(most_useful))  # few lines may be longer
    shown = [
        board_line_text(each, zone, room, names_task=often[each.role] > 1) for each in lines if each in most_useful
    ]
    shown += [people.BOARD_LINES_LEFT_OUT(hidden)] if (hidden := len(lines) - len(shown)) else []
    spent, cap_text = format_micro_dollars(cost), format_micro_dollars(cap)
    if expected is None:
        return "\n".join([*shown, people.BOARD_SUM(cost=spent, cap=cap_text)])
    about = format_micro_dollars(expected)
    return "\n".join([*shown, people.BOARD_SUM_WITH_ESTIMATE(cost=spent, expected=about, cap=cap_text)])


def closed_board_text(lines: Sequence[BoardLine], *, cost: int) -> str:
    """Return the one line of a board whose request is over."""
    begun = min(line.since for line in lines)
    seconds = max((line.since - begun).total_seconds() + (line.seconds or 0) for line in lines)
    return people.BOARD_CLOSED(len(lines), time=format_duration(seconds), cost=format_micro_dollars(cost))


def board_line_text(line: BoardLine, zone: tzinfo, room: int, *, names_task: bool) -> str:
    """Return one line of the board, with at most `room` characters of what a delegation does. While it works, the line
    says since when, so no line becomes wrong."""
    number, indent, role = line.number, "  " * (line.depth - 1), role_display_name(line.role)
    state = describe_state(line.state)
    task, cost = first_words(line.task, MAX_BOARD_TASK_CHARACTERS), format_micro_dollars(line.cost)
    if line.is_open and line.state == "working":
        state = first_words(line.activity, room) or task or state
    elif names_task and task:
        state = people.BOARD_STATE_WITH_TASK(state=state, task=task)
    if line.seconds is None:
        since = line.since.astimezone(zone)
        return people.BOARD_LINE(number=number, indent=indent, role=role, state=state, since=since, cost=cost)
    time = format_duration(line.seconds)
    return people.BOARD_LINE_ENDED(number=number, indent=indent, role=role, state=state, time=time, cost=cost)


# To people: what somebody is doing, by the tools that are called


def describe_activity(calls: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    """Say what these calls do, by their tools' names and arguments: "reading a.md, b.md; searching the web: trains"."""
    does: dict[Sentence, list[str]] = {}
    for name, arguments in calls:
        key = ACTIVITY_TARGET_ARGUMENT_BY_TOOL.get(name, "")
        value = arguments.get(key) or ""
        things = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        given = first_words(things, MAX_ACTIVITY_TARGET_CHARACTERS)
        if given:
            does.setdefault(people.ACTIVITIES[name], []).append(role_display_name(given) if key == "role" else given)
        elif name != TOOL_WITHOUT_ACTIVITY:
            does.setdefault(people.ACTIVITIES["other"], []).append(name)
    return "; ".join(text(things=", ".join(dict.fromkeys(each))) for text, each in does.items())


# To people: the lead's model and its effort (/model, /effort)


def current_model_text(now: str, later: str) -> str:
    said = people_models.CURRENT_MODEL(model=now)
    return said if later == now else f"{said}\n{people_models.NEXT_MODEL(model=later)}"


def usable_models_text(known: Collection[str]) -> str:
    return people_models.USABLE_MODELS(models=", ".join(sort_models(known)))


def usable_efforts_text(model: str, known: Collection[str]) -> str:
    if not known:
        return people_models.NO_EFFORTS(model=model)
    return people_models.EFFORTS(model=model, efforts=format_efforts(known))


def unknown_model_text(name: str, known: Collection[str]) -> str:
    nearest = join_with_or(get_close_matches(name.casefold(), known, n=2, cutoff=0.5) or [""])
    models = ", ".join(sort_models(known))
    if nearest:
        return people_models.UNKNOWN_MODEL_LIKE(model=name, nearest=nearest, models=models)
    return people_models.UNKNOWN_MODEL(model=name, models=models)


def join_with_or(items: Sequence[str]) -> str:
    *first, last = items
    return people.OR(items=", ".join(first), last=last) if first else last


def unknown_effort_text(model: str, effort: str, known: Collection[str]) -> str:
    if not known:
        return people_models.NO_EFFORTS(model=model)
    return people_models.UNKNOWN_EFFORT(model=model, effort=effort, efforts=format_efforts(known))


def format_efforts(efforts: Collection[str]) -> str:
    return ", ".join(each for each in EFFORTS if each in efforts)


def join_with_and(items: Sequence[str]) -> str:
    return people.AND(items=", ".join(items[:-1]), last=items[-1]) if len(items) > 1 else "".join(items)


# To people: who is let in, and what they may have done (/pair, /people)


def format_name_and_id(person: Sender) -> str:
    return people_access.PERSON(name=sanitize_name(person.name), id=person.id)


def describe_rights(rights: Rights) -> str:
    """Return what the rights allow, in words that can follow “can”."""
    return join_with_and(
        [people_access.RIGHTS[each]() for each in Right if each in rights] or [people_access.NO_RIGHTS()]
    )


def list_rights(rights: Rights) -> str:
    """Return the rights in a list, as the owner may give them one by one."""
    if rights == EVERY_RIGHT:
        return people_access.EVERYTHING()
    names = [people_access.NAMES_OF_RIGHTS[each]() for each in Right if each in rights]
    return ", ".join(names) or people_access.NOTHING()


def pairing_question_text(channel: str, stranger: Sender, code: str, rights: Rights) -> str:
    person = format_name_and_id(stranger)
    if rights == EVERY_RIGHT:
        return people_access.STRANGER_ASKS_FOR_ALL(person=person, channel=channel, code=code)
    return people_access.STRANGER_ASKS(person=person, channel=channel, code=code, things=describe_rights(rights))


def guest_let_in_text(person: Sender, channel: str, rights: Rights) -> str:
    if rights == EVERY_RIGHT:
        return people_access.LET_IN_FOR_ALL(person=format_name_and_id(person), channel=channel)
    return people_access.LET_IN(person=format_name_and_id(person), channel=channel, things=describe_rights(rights))


# To both: why a turn ended


def limit_reached_text(limit: LimitKind, limits: Limits) -> str:
    match limit:
        case LimitKind.ITERATIONS:
            return reasons.STEPS_USED(limits.iterations)
        case LimitKind.TOKENS:
            return reasons.TOKENS_USED(tokens=limits.tokens)
        case LimitKind.DOLLARS:
            return reasons.TURN_BUDGET_USED()
        case LimitKind.CONTEXT:
            return reasons.CONTEXT_FULL()
        case LimitKind.SECONDS:
            return reasons.SECONDS_USED(seconds=limits.seconds)


# The categories of a refusal are those of the API's `stop_details`. The API's own explanation is not shown: it may
# change at any time, is in English, and is about policies (docs/decisions/0015).


def refusal_text_for_person(category: str) -> str:
    """Return why a turn could not be finished, for its person."""
    return reasons.DECLINED(subject=describe_refused_subject(category))


def describe_refused_subject(category: str) -> str:
    return reasons.TAKEN_FOR[category]() if category in reasons.TAKEN_FOR else reasons.TAKEN_FOR_SOMETHING()


def refusal_text_for_parent_turn(category: str) -> str:
    """Return why a delegation could not be finished, for the turn that began it."""
    subject = describe_refused_subject(category)
    if category:
        return reasons.TASK_DECLINED_WITH_CATEGORY(subject=subject, category=category)
    return reasons.TASK_DECLINED(subject=subject)
