"""The cheap conditions of schedules: checked before a run, without the model.

A condition that something has changed compares what it sees with what it saw at the check before. The first check only
looks. What cannot be seen, such as a page that does not answer, counts as unchanged.
"""

import asyncio
import hashlib
import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from bot.core.acts import Act
from bot.core.errors import FetchError, StoreDamaged, ToolError
from bot.core.gate import judge_call
from bot.core.group import GetCurrentGroups
from bot.core.guarded_fetch import GuardedFetcher
from bot.core.images_and_pdfs import Media
from bot.core.limits import DecisionTerms, GetCurrentTerms, Limits
from bot.core.lru_cache import LruCache
from bot.core.messages import GroupName, RoleName, Sender
from bot.core.rights import Right, Rights
from bot.core.texts import logs
from bot.core.turn import SCHEDULE_MESSAGE_ID_PREFIX, CallId, SessionId, Turn, TurnId, TurnState
from bot.journal import admission, call_evidence, clock, memory_scopes
from bot.journal.openings import find_group_at_address
from bot.journal.schedule_runs import CheckedCondition
from bot.schedules.local_times import local_time
from bot.store import memories
from bot.store.connection import Connection, ReadTransactionRunner
from bot.store.memories import FoundMemories
from bot.store.schedules import Schedule
from bot.store.text_search.words import split_into_words
from bot.tools import Tool, ToolContext
from bot.tools.workspace import Workspace
from bot.tools.workspace_scope import file_scope, folder_of_scope

log = logging.getLogger(__name__)

FETCH_INTERVAL = timedelta(minutes=15)  # between two fetches of a page, however many schedules watch it
CLOCK_TOLERANCE = timedelta(seconds=30)  # that a schedule of every 15 minutes may come early
MAX_REMEMBERED_PAGES = 512
MAX_HASHED_BYTES = 64 * 2**20  # of a file; of a larger one only its size and its time are compared
ABSENT = "absent"  # seen in place of a file that is not there


class Sight(NamedTuple):
    """What was seen, as a hash; None: nothing could be seen."""

    seen: str | None
    at: datetime


class ConditionChecker:
    """Checks conditions with the rights that the person of a schedule has now."""

    def __init__(
        self,
        read: ReadTransactionRunner,
        terms: GetCurrentTerms,
        tools: Sequence[Tool],
        groups: GetCurrentGroups,
        fetcher: GuardedFetcher,
    ) -> None:
        self.read = read
        self.terms = terms
        self.set_tools(tools)
        self.groups = groups
        self.fetcher = fetcher
        self.pages: LruCache[str, Sight] = LruCache(MAX_REMEMBERED_PAGES)
        self.page_locks: LruCache[str, asyncio.Lock] = LruCache(MAX_REMEMBERED_PAGES)

    def set_tools(self, tools: Iterable[Tool]) -> None:
        self.tools = {tool.name: tool for tool in tools}

    async def check(self, schedule: Schedule) -> CheckedCondition:
        """Return whether the condition of a schedule holds. A bug in it counts as no."""
        try:
            return await self.check_or_raise(schedule)
        except StoreDamaged:
            raise
        except Exception:  # it must not hold up other schedules
            log.exception(logs.CONDITION_FAILED, schedule.number)
            return nothing_seen(schedule, self.terms().now)

    async def check_or_raise(self, schedule: Schedule) -> CheckedCondition:
        condition, now = schedule.condition or {}, self.terms().now
        kind, what = condition.get("kind"), str(condition.get("what", ""))
        if kind == "window":
            zone = clock.zone_by_name(schedule.zone, self.terms())
            return CheckedCondition(is_within_window(local_time(now, zone), what), None, now)
        if kind == "page_changed" and schedule.checked_at and self.is_recent(schedule.checked_at):
            return CheckedCondition(False, schedule.last_seen, schedule.checked_at)  # what it saw then is what there is
        rights, group = await self.read(load_rights_and_group, schedule, self.groups, self.terms())
        sight = Sight(None, now)
        match kind:
            case "page_changed" if Right.WEB in rights and self.terms().settings.web.enabled:
                sight = await self.look_at_page(what)
            case "memory_changed" if Right.MEMORY in rights:
                sight = Sight(await self.look_into_memory(schedule, group, what), now)
            case "file_there" | "file_changed" if Right.READ_FILES in rights:
                sight = Sight(await self.look_at_file(schedule, rights, group, what), now)
            case "tool_changed":
                sight = Sight(await self.run_tool(schedule, rights, group, what, condition), now)
        if sight.seen is None:
            return nothing_seen(schedule, sight.at)
        if kind == "file_there":
            return CheckedCondition(sight.seen != ABSENT, sight.seen, sight.at)
        return CheckedCondition(schedule.last_seen not in (None, sight.seen), *sight)

    def is_recent(self, moment: datetime) -> bool:
        """Return True if a page that was fetched at that moment is not fetched again yet."""
        return self.terms().now - FETCH_INTERVAL + CLOCK_TOLERANCE < moment <= self.terms().now

    async def look_at_page(self, address: str) -> Sight:
        if address not in self.page_locks:
            self.page_locks[address] = asyncio.Lock()
        async with self.page_locks[address]:
            known = self.pages.get(address)
            if known is None or not self.is_recent(known.at):
                begun_at = self.terms().now
                known = self.pages[address] = Sight(await self.fetch_text_hash(address), begun_at)
        return known

    async def fetch_text_hash(self, address: str) -> str | None:
        try:
            return (await self.fetcher.fetch(address)).text_hash
        except FetchError as error:
            log.info(logs.PAGE_NOT_FETCHED, error)
            return None

    async def look_into_memory(self, schedule: Schedule, group: GroupName, words: str) -> str:
        terms, split = self.terms(), split_into_words(words)
        languages = terms.settings.search_languages

        def search(db: Connection) -> FoundMemories:
            is_private, person = schedule.group_chat is None, schedule.person
            scopes = memory_scopes.list_visible_scopes(
                db, schedule.address, person, group, terms, is_private=is_private
            )
            return memories.search_memories(db, scopes, split, languages, terms.now)

        found = await self.read(search)
        return hash_text("\n".join(sorted(f"{memory.id} {memory.text}" for memory in found.memories)))

    async def look_at_file(self, schedule: Schedule, rights: Rights, group: GroupName, path: str) -> str | None:
        """Return the hash of a file, or that there is none; None if it cannot be read."""
        groups, workspace = self.groups(), self.terms().settings.workspace
        folder = folder_of_scope(file_scope(rights, group), workspace, schedule.address, groups)
        return await asyncio.to_thread(hash_watched_file, folder, path) if folder else None

    async def run_tool(
        self, schedule: Schedule, rights: Rights, group: GroupName, name: str, condition: Mapping[str, Any]
    ) -> str | None:
        """Return the hash of a reading tool's result; None if it fails, if the person may not use it any more, or if a
        person would have to be asked about such a call."""
        tool = self.tools.get(name)
        if tool is None or tool.needed_right not in rights:
            return None
        turn = turn_for_tool(schedule, rights, group, name, self.terms().settings.limits.turn_limits)
        context, arguments = ToolContext(turn=turn, call_id=CallId(turn.id)), condition.get("arguments", {})
        try:
            act = await tool.find_act_of_call(context, arguments)
            if act and not condition.get("is_agreed") and await self.read(is_in_doubt, schedule, act, self.terms()):
                return None
            result = await tool.run_call(context, arguments)
        except ToolError:
            return None
        return hash_text(result.data.hex() if isinstance(result, Media) else str(result))


def is_in_doubt(db: Connection, schedule: Schedule, act: Act, terms: DecisionTerms) -> bool:
    """Return True if nobody has asked for what a condition would do, as the gate sees it."""
    if not terms.settings.approvals.enabled:
        return False
    return judge_call(act, call_evidence.load_evidence_of_schedule(db, schedule, terms)) is not None


def turn_for_tool(schedule: Schedule, rights: Rights, group: GroupName, tool: str, limits: Limits) -> Turn:
    """Return a turn that is in no row: it tells a tool who it works for, and where."""
    id = TurnId(f"{SCHEDULE_MESSAGE_ID_PREFIX}{schedule.number}")
    return Turn(
        id=id,
        root=id,
        session=SessionId(id),
        address=schedule.address,
        person=schedule.person,
        asker=schedule.name,
        role=RoleName("lead"),
        tools=frozenset({tool}),
        limits=limits,
        depth=0,
        background=False,
        state=TurnState.RUNNING,
        rights=rights,
        group=group,
        is_private=schedule.group_chat is None,
        schedule=schedule.number,
    )


def load_rights_and_group(
    db: Connection, schedule: Schedule, groups: GetCurrentGroups, terms: DecisionTerms
) -> tuple[Rights, GroupName]:
    """Return what the person of a schedule may do now, and the group that answers in its chat."""
    sender = Sender(id=schedule.person, name=schedule.name)
    rights = admission.rights_of_sender(db, schedule.address, sender, schedule.group_chat, terms)
    return rights, find_group_at_address(db, schedule.address, groups())


def nothing_seen(schedule: Schedule, at: datetime) -> CheckedCondition:
    return CheckedCondition(False, schedule.last_seen, at, has_failed=True)


def is_within_window(now: datetime, window: str) -> bool:
    """Return True if the time of day is within a span such as 08:00-18:00; 22:00-06:00 goes over midnight."""
    begin, _, end = window.partition("-")
    time = f"{now:%H:%M}"
    return begin <= time < end if begin < end else time >= begin or time < end


def hash_watched_file(folder: Path, path: str) -> str | None:
    """Return the hash of a file's bytes, of a very large one that of its size and time. Return ABSENT if there is no
    such file, and None if it cannot be read."""
    workspace = Workspace(folder)
    try:
        with (
            workspace.open_file_location(workspace.relative_path(path)) as location,
            open(location.open_for_reading(), "rb") as file,
        ):
            status = os.fstat(file.fileno())
            if status.st_size > MAX_HASHED_BYTES:
                return hash_text(f"{status.st_size} {status.st_mtime_ns}")
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (FileNotFoundError, NotADirectoryError):
        return ABSENT
    except (OSError, ToolError, UnicodeError):
        return None


def hash_text(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()
