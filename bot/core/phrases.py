"""Which text says what the harness has to say, to people and to the model."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

from bot.core.content_blocks import plain_name, short_name
from bot.core.limits import Limit, Limits, Terms
from bot.core.messages import Address, BoardLine, InboundMessage, RoleName
from bot.core.prices import format_dollars
from bot.core.rights import FILE_RIGHTS
from bot.core.texts import model, people, reasons
from bot.core.turn import CallState, Turn, TurnStatus

BOARD_TASK = 40  # characters of a task on the board


def role_display_name(role: str) -> str:
    """A role's name as people see it: its first letter raised, the rest untouched."""
    return role[:1].upper() + role[1:]


def quote_messages(messages: Iterable[InboundMessage]) -> str:
    """The messages that something is said about, named so that nobody must guess."""
    return ", ".join(people.MESSAGE(beginning=first_words(message.gist)) for message in messages)


def first_words(text: str, length: int = 60) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


# To people


def excuse_text(
    turn: Turn, status: TurnStatus, reason: str, messages: Sequence[InboundMessage], *, has_text: bool = False
) -> str:
    """The reply of a root turn that could not say its own last words. `has_text`: what it had written stands above."""
    is_own = turn.stopped_by == turn.person
    match status:
        case TurnStatus.CANCELLED if has_text:
            return people.TEXT_STOPPED if is_own else people.TEXT_STOPPED_FOR(reason=reason)
        case TurnStatus.CANCELLED if is_own:
            return people.STOPPED(messages=quote_messages(messages))
        case TurnStatus.CANCELLED:
            return people.STOPPED_FOR(reason=role_display_name(reason), messages=quote_messages(messages))
        case TurnStatus.BUDGET | TurnStatus.TIMEOUT:
            return people.LEFT(reason=reason, messages=quote_messages(messages))
        case _:
            return people.NOT_FINISHED(reason=reason, messages=quote_messages(messages))


def stop_text(waiting: Sequence[InboundMessage], roles: Sequence[RoleName], *, is_told: bool) -> str:
    """What /stop has stopped, and nothing else; nothing at all if the end of a turn will tell."""
    said = []
    if waiting:
        said.append(people.STOPPED_BEFORE_IT_BEGAN(messages=quote_messages(waiting)))
    if roles:
        said.append(people.STOPPED_IN_BACKGROUND(roles=", ".join(map(role_display_name, roles))))
    if not said and not is_told:
        said.append(people.NOTHING_TO_STOP)
    return " ".join(said)


def stop_some_text(which: str, roles: Sequence[RoleName]) -> str:
    if roles:
        return people.ROLES_STOPPED(roles=", ".join(map(role_display_name, roles)))
    return people.NO_SUCH_NUMBER(number=which) if which.isdecimal() else people.NO_SUCH_ROLE(role=which)


def wait_text(turn: Turn, roles: Sequence[str], *, is_own: bool, seconds: float | None, before: int) -> str:
    """Why a message is not answered yet; `before` so many other people's."""
    if is_own and roles:
        names = ", ".join(sorted({role_display_name(role) for role in roles}))
        return people.WAITS_FOR_ROLES(len(set(roles)), roles=names)
    if is_own:
        return people.WAITS_FOR_OWN_TURN
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
        return people.TOPIC_CLOSED(topic=address.thread, channel=address.channel, chat=address.chat, reason=why)
    return people.CHAT_CLOSED(channel=address.channel, chat=address.chat, reason=why)


def option_chosen_text(option: str, name: str) -> str:
    """Stands below a question that is answered."""
    return people.CHOSEN(option=first_words(option), person=plain_name(name))


def restore_text(made_at: datetime, terms: Terms) -> str:
    """Said in a chat whose bot has gone back to what a back-up holds."""
    return people.RESTORED(time=made_at.astimezone(terms.resolved.zone))


def disk_state_text(why: str | None) -> str:
    """Why nothing happens; without a reason, that it goes on."""
    return people.DISK_TAKES_AGAIN if why is None else people.DISK_TAKES_NOTHING(reason=why)


def status_line(number: int, role: str, state: str, task: str, seconds: float) -> str:
    time = minutes_and_seconds(seconds)
    if task:
        return people.DELEGATION_AT_WORK(number=number, role=role_display_name(role), state=state, time=time, task=task)
    return people.DELEGATION_WITHOUT_TASK(number=number, role=role_display_name(role), state=state, time=time)


def minutes_and_seconds(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def board_text(lines: Sequence[BoardLine]) -> str:
    """Where a role is at work more than once, its tasks tell which is which."""
    often = Counter(line.role for line in lines)
    return "\n".join(board_line_text(line, names_task=often[line.role] > 1) for line in lines)


def board_line_text(line: BoardLine, *, names_task: bool) -> str:
    """A line that stays true until the board is revised: only what has ended says how long it took."""
    number, indent, role, state = line.number, "  " * (line.depth - 1), role_display_name(line.role), line.state
    task = first_words(line.task, BOARD_TASK) if names_task else ""
    if line.seconds is None:
        if task:
            return people.BOARD_LINE_WITH_TASK(number=number, indent=indent, role=role, task=task, state=state)
        return people.BOARD_LINE(number=number, indent=indent, role=role, state=state)
    seconds, cost = line.seconds, format_dollars(line.cost)
    if task:
        return people.BOARD_LINE_WITH_TASK_ENDED(
            number=number, indent=indent, role=role, task=task, state=state, seconds=seconds, cost=cost
        )
    return people.BOARD_LINE_ENDED(number=number, indent=indent, role=role, state=state, seconds=seconds, cost=cost)


# To the model


def surroundings_text(turn: Turn, terms: Terms, remembered: Sequence[str] = ()) -> str:
    """Where a turn is: stands in the first message, since the prefix is the same for everybody."""
    address, person = turn.address, short_name(turn.asker)
    chat = model.CHAT(channel=address.channel, chat=address.chat, person=person)
    if address.thread:
        chat = model.THREAD(channel=address.channel, chat=address.chat, thread=address.thread, person=person)
    facts = [
        model.TODAY_IN_ZONE(day=terms.today, time_zone=terms.resolved.zone),
        chat,
        *([model.GROUP(group=turn.group)] if turn.group else []),
        *([model.PATHS] if terms.resolved.writable_workspace and turn.rights & FILE_RIGHTS else []),
        *remembered,
    ]
    return model.SURROUNDINGS(facts="\n".join(facts))


def result_of_call_not_run(state: CallState) -> str:
    return model.CALL_INTERRUPTED if state is CallState.STARTED else model.CALL_NOT_RUN


# To both: why a turn ended


def former_group_report_text(group: str) -> str:
    return reasons.REPORT_FOR_GROUP(group=group) if group else reasons.REPORT_FOR_LEAD


def limit_reached_text(limit: Limit, limits: Limits) -> str:
    match limit:
        case Limit.ITERATIONS:
            return reasons.STEPS_USED(limits.iterations)
        case Limit.TOKENS:
            return reasons.TOKENS_USED(tokens=limits.tokens)
        case Limit.DOLLARS:
            return reasons.TURN_BUDGET_USED
        case Limit.CONTEXT:
            return reasons.CONTEXT_FULL
        case Limit.SECONDS:
            return reasons.SECONDS_USED(seconds=limits.seconds)
