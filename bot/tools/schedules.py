"""The tools of schedules: remind somebody, or do something at a time or again and again."""

import asyncio
import json
import re
from collections.abc import Collection
from datetime import datetime, tzinfo
from functools import partial
from typing import Annotated, Any, Literal

from bot.core.acts import Act, ActKind, Critical, Effect, Effects, Part
from bot.core.errors import FetchError, ToolError
from bot.core.guarded_fetch import GuardedFetcher
from bot.core.limits import DecisionTerms, GetCurrentTerms
from bot.core.reply_plan import ChangeSchedule, MakeSchedule
from bot.core.rights import Right
from bot.core.sources import Source
from bot.core.texts import model_schedules as texts
from bot.core.turn import CallKind, Turn
from bot.journal import clock, people
from bot.journal import schedules as journal
from bot.schedules.local_times import local_time
from bot.schedules.parsing import WrongRule, parse_repetition, parse_when
from bot.schedules.rules import ScheduleRule
from bot.store import people as people_rows
from bot.store.connection import Connection, ReadTransactionRunner, fail_on_row_read
from bot.store.schedules import Schedule
from bot.tools import Arguments, Tool, ToolContext
from bot.tools.parameters import Parameters

SCHEDULE_TOOL_NAMES = frozenset({"remind_me", "schedule_create", "schedule_list", "schedule_change"})
MAX_TEXT_CHARACTERS = 2_000
MAX_WHAT_CHARACTERS = 2_000
WINDOW = re.compile(r"([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d")

WhenParameter = Annotated[
    str | None,
    "on the person's clock: 2026-12-01 08:00; or from now: PT20M, P1D",
]
RepeatParameter = Annotated[
    str | None,
    "an RRULE on the person's clock: FREQ=WEEKLY;BYDAY=MO,FR;BYHOUR=8;BYMINUTE=0",
]
ConditionKind = Literal["window", "file_there", "file_changed", "page_changed", "memory_changed", "tool_changed"]
RIGHT_BY_CONDITION = {
    "file_there": Right.READ_FILES,
    "file_changed": Right.READ_FILES,
    "page_changed": Right.WEB,
    "memory_changed": Right.MEMORY,
}


def remind_me(
    context: ToolContext,
    text: Annotated[str, "what the person reads then"],
    when: WhenParameter = None,
    repeat: RepeatParameter = None,
) -> None: ...


def schedule_create(
    context: ToolContext,
    task: Annotated[str, "what to do, complete: a run may not know this conversation"],
    when: WhenParameter = None,
    repeat: RepeatParameter = None,
    silent: Annotated[bool | None, "it makes no sound"] = None,
    tools: Annotated[list[str] | None, "for its runs, as delegate; left out: all that only read"] = None,
    only_if: Annotated[ConditionKind | None, "a condition, checked before without you"] = None,
    what: Annotated[
        str | None,
        "of the condition: 08:00-18:00, a file, an address, words, or a tool",
    ] = None,
    tool_arguments: Annotated[str | None, "of tool_changed: JSON"] = None,
) -> None: ...


def schedule_list(context: ToolContext) -> None: ...


def schedule_change(
    context: ToolContext,
    number: Annotated[int, "from schedule_list"],
    change: Annotated[Literal["pause", "resume", "delete"], "what to do"],
) -> None: ...


REMIND_ME = Parameters.from_function(remind_me)
CREATE = Parameters.from_function(schedule_create)
LIST = Parameters.from_function(schedule_list)
CHANGE = Parameters.from_function(schedule_change)


class ScheduleTools:
    """`fetcher` will fetch the pages that schedules watch. `set_tools` tells later which tools there are."""

    def __init__(
        self,
        terms: GetCurrentTerms,
        read: ReadTransactionRunner = fail_on_row_read,
        fetcher: GuardedFetcher | None = None,
    ) -> None:
        self.terms = terms
        self.read = read
        self.fetcher = fetcher or GuardedFetcher()
        self.reading: frozenset[str] = frozenset()
        self.watchable: dict[str, Tool] = {}

    def set_tools(self, tools: Collection[Tool], delegating: frozenset[str]) -> None:
        """Tell which tools there are. `delegating` names those that a run has only if its schedule lists them."""
        excluded = delegating | SCHEDULE_TOOL_NAMES
        reads = [tool for tool in tools if tool.kind is CallKind.READ or tool.server_schema]
        self.reading = frozenset(tool.name for tool in reads) - excluded
        self.watchable = {tool.name: tool for tool in reads if not tool.server_schema}

    def tools(self) -> list[Tool]:
        changing = partial(Tool, kind=CallKind.ROW)
        return [
            changing(
                name="remind_me",
                description=(
                    "Post a reminder in this chat at a time, once or repeated, without asking you then. For what has "
                    "to be looked up at that time, use schedule_create."
                ),
                input_schema=REMIND_ME.json_schema,
                effects=frozenset({Effect.MAKES_NEW}),
                acts=frozenset({ActKind.MAKE, ActKind.SEND}),
                things=frozenset({"reminder"}),
                critical_arguments={"when": Critical(Part.WHEN), "repeat": Critical(Part.WHEN)},
                uncritical_arguments=frozenset({"text"}),
                plan_rows=self.plan_reminder,
            ),
            changing(
                name="schedule_create",
                description=(
                    "Do a task in this chat at a time, once or repeated: “each morning, tell me what is new”, “when "
                    "this page changes”. You get it as a message then, and may end silently. Give a condition where "
                    "only a change matters. Tell the person the next times that the result names."
                ),
                input_schema=CREATE.json_schema,
                effects=frozenset({Effect.MAKES_NEW, Effect.SPENDS, Effect.SENDS_OUT}),
                needed_right=Right.SCHEDULE,
                acts=frozenset({ActKind.MAKE, ActKind.SEND}),
                critical_arguments={
                    "task": Critical(Part.TEXT),
                    "when": Critical(Part.WHEN),
                    "repeat": Critical(Part.WHEN),
                    "what": Critical(Part.WHERE),
                    "tool_arguments": Critical(Part.TEXT),
                },
                uncritical_arguments=frozenset({"silent", "only_if", "tools"}),  # each call of a run is judged
                find_effects=find_effects_of_creating,
                find_later_acts=self.find_acts_of_condition,
                plan_rows=self.plan_schedule,
            ),
            Tool(
                name="schedule_list",
                description=("List the person's reminders and schedules in this chat, also those that came today."),
                input_schema=LIST.json_schema,
                kind=CallKind.READ,
                effects=frozenset({Effect.READS_PRIVATE, Effect.READS_UNTRUSTED}),  # their texts may be others' words
                untrusted_source=Source.SCHEDULES,
                private_source=Source.PRIVATE_SCHEDULES,
                run=self.list_schedules,
            ),
            changing(
                name="schedule_change",
                description=(
                    "Pause, resume or delete one of them. To change its time or words, delete it and make a new one."
                ),
                input_schema=CHANGE.json_schema,
                effects=frozenset({Effect.REPLACES, Effect.DESTROYS}),
                acts=frozenset({ActKind.CHANGE, ActKind.DELETE}),
                things=frozenset({"reminder", "schedule"}),
                critical_arguments={"number": Critical(Part.WHICH, is_own_id=True)},
                uncritical_arguments=frozenset({"change"}),  # it decides the effect
                find_effects=find_effects_of_changing,
                plan_rows=self.plan_change,
            ),
        ]

    async def plan_reminder(self, context: ToolContext, arguments: Arguments) -> MakeSchedule:
        given = REMIND_ME.validate_and_drop_nulls(arguments)
        text = require_text(given["text"])
        return await self.plan(context.turn, given, text=text, is_reminder=True, is_silent=False)

    async def plan_schedule(self, context: ToolContext, arguments: Arguments) -> MakeSchedule:
        given = CREATE.validate_and_drop_nulls(arguments)
        return await self.plan(
            context.turn,
            given,
            text=require_text(given["task"]),
            is_reminder=False,
            is_silent=given.get("silent", False),
            tools=self.choose_tools(context.turn, given.get("tools")),
            condition=self.read_condition(context.turn, given),
        )

    async def plan(self, turn: Turn, given: dict[str, Any], **others: Any) -> MakeSchedule:
        reject_unless_agent_of_chat(turn)
        if turn.schedule:
            raise ToolError(texts.RUN_MAKES_NO_SCHEDULES)
        name, zone = await self.read_zone(turn)
        now = self.terms().now
        shortest = self.terms().settings.schedules.shortest_minutes
        try:  # in a thread: a rule with few times is searched for a while
            rule = await asyncio.to_thread(read_rule, given.get("when"), given.get("repeat"), zone, now, shortest)
        except WrongRule as wrong:
            raise ToolError(str(wrong)) from None
        return MakeSchedule(
            once=rule.once, start=rule.start, repeat=rule.repeat, zone=name, is_zone_known=bool(name), **others
        )

    async def read_zone(self, turn: Turn) -> tuple[str, tzinfo]:
        """Return the name of the zone that the turn's person has set, empty if none, and the zone that counts."""
        terms = self.terms()

        def load(db: Connection) -> str:
            key = people.person_key(db, turn.address.channel, turn.person, terms)
            return people_rows.load_person_settings(db, key).time_zone or ""

        name = await self.read(load)
        return name, clock.zone_by_name(name, terms)

    def choose_tools(self, turn: Turn, named: list[str] | None) -> frozenset[str]:
        """Return the tools of a run: those that the call names, or those that only read. Raise ToolError for others."""
        if named is None:
            return turn.tools & self.reading
        if unknown := sorted(frozenset(named) - turn.tools):
            raise ToolError(texts.UNKNOWN_TOOLS(tools=", ".join(unknown), known=", ".join(sorted(turn.tools))))
        return frozenset(named)

    def read_condition(self, turn: Turn, given: dict[str, Any]) -> dict[str, Any] | None:
        """Return the condition that a call names; None if it names none. Raise ToolError if it cannot be checked."""
        kind, what = given.get("only_if"), given.get("what", "").strip()
        if kind is None:
            if what:
                raise ToolError(texts.WHAT_WITHOUT_CONDITION)
            return None
        if not what or len(what) > MAX_WHAT_CHARACTERS:
            raise ToolError(texts.CONDITION_WITHOUT_WHAT)
        if kind == "window" and not WINDOW.fullmatch(what):
            raise ToolError(texts.WINDOW_WRONG)
        if kind == "page_changed":
            self.reject_unwatchable_page(what)
        right = RIGHT_BY_CONDITION.get(kind, Right.TALK)
        condition: dict[str, Any] = {"kind": kind, "what": what}
        if kind == "tool_changed":
            usable = turn.tools & self.watchable.keys() & self.reading
            if what not in usable:
                raise ToolError(texts.TOOL_IS_NOT_READING(tool=what, tools=", ".join(sorted(usable))))
            condition["arguments"] = read_json_object(given.get("tool_arguments", "{}"))
        if right not in turn.rights:
            raise ToolError(texts.RIGHT_MISSING(person=turn.asker, right=right))
        return condition

    async def find_acts_of_condition(self, context: ToolContext, arguments: Arguments) -> list[Act]:
        """Return what the tool does that a condition runs again and again. The call was planned before, so the tool is
        there."""
        if arguments.get("only_if") != "tool_changed":
            return []
        given = read_json_object(arguments.get("tool_arguments") or "{}")
        act = await self.watchable[arguments["what"].strip()].find_act_of_call(context, given)
        return [act] if act else []

    def reject_unwatchable_page(self, address: str) -> None:
        if not self.terms().settings.web.enabled:
            raise ToolError(texts.PAGES_ARE_OFF)
        try:
            self.fetcher.reject_never_fetched(address)
        except FetchError as error:
            raise ToolError(texts.PAGE_IS_NEVER_FETCHED(reason=error)) from None

    async def list_schedules(self, context: ToolContext, arguments: Arguments) -> str:
        LIST.validate_and_drop_nulls(arguments)
        turn, terms = context.turn, self.terms()
        whose = turn.address.channel, turn.person, terms, turn.address.whole_chat
        found = await self.read(journal.list_schedules_just_over, *whose)
        found += await self.read(journal.list_schedules_of_person, *whose)
        lines = [describe_schedule(each, terms) for each in found]
        return "\n".join(lines) or texts.NO_SCHEDULES(person=turn.asker)

    async def plan_change(self, context: ToolContext, arguments: Arguments) -> ChangeSchedule:
        given = CHANGE.validate_and_drop_nulls(arguments)
        reject_unless_agent_of_chat(context.turn)
        return ChangeSchedule(schedule=given["number"], change=given["change"])


async def find_effects_of_creating(context: ToolContext, arguments: Arguments) -> Effects:
    """Return the effects of making a schedule: one that watches a page fetches it."""
    watches_page = arguments.get("only_if") == "page_changed"
    return frozenset({Effect.MAKES_NEW, Effect.SPENDS, *([Effect.SENDS_OUT] if watches_page else [])})


async def find_effects_of_changing(context: ToolContext, arguments: Arguments) -> Effects:
    return frozenset({Effect.DESTROYS if arguments.get("change") == journal.DELETE else Effect.REPLACES})


def describe_schedule(schedule: Schedule, terms: DecisionTerms) -> str:
    zone = clock.zone_by_name(schedule.zone, terms)
    kind, text = texts.KINDS["reminder" if schedule.is_reminder else "task"], " ".join(schedule.text.split())
    last_at = schedule.last_at.astimezone(zone) if schedule.last_at else None
    if schedule.state == "over" and last_at:
        return texts.SCHEDULE_JUST_OVER(number=schedule.number, time=last_at, zone=zone, kind=kind, text=text)
    return texts.SCHEDULE_LINE(
        number=schedule.number,
        state=texts.STATES[schedule.state],
        times=journal.next_times_text(schedule, terms),
        zone=zone,
        last=texts.LAST_TIME(time=last_at) if last_at else "",
        kind=kind,
        text=text,
    )


def read_rule(when: str | None, repeat: str | None, zone: tzinfo, now: datetime, shortest_minutes: int) -> ScheduleRule:
    """Return the rule that a call means. Raise WrongRule."""
    if repeat is None:
        if not when:
            raise WrongRule(texts.TIME_IS_MISSING)
        return ScheduleRule(once=parse_when(when, zone, now))
    start = local_time(parse_when(when, zone, now) if when else now, zone)
    return parse_repetition(repeat, start, zone, now, shortest_minutes=shortest_minutes, is_start_named=bool(when))


def read_json_object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ToolError(texts.ARGUMENTS_NOT_JSON)
    return found


def require_text(text: str) -> str:
    text = text.strip()
    if not text:
        raise ToolError(texts.TEXT_IS_EMPTY)
    if len(text) > MAX_TEXT_CHARACTERS:
        raise ToolError(texts.TEXT_TOO_LONG(characters=len(text), most=MAX_TEXT_CHARACTERS))
    return text


def reject_unless_agent_of_chat(turn: Turn) -> None:
    if not turn.is_root:
        raise ToolError(texts.ONLY_AGENT_MAKES_SCHEDULES)
