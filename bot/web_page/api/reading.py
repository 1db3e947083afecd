"""The operations that read the rows: sessions, transcripts, delegations, usage and health."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import TypeVar

from pydantic import BaseModel, Field

from bot.core.client_settings import ApiScope
from bot.core.clients import chat_of_client
from bot.core.findings import CheckState
from bot.core.turn import SessionId
from bot.store import api_rows, cost_figures, delegations, page_rows, session_records
from bot.store.api_rows import SubSessionRecord
from bot.store.connection import Connection
from bot.store.page_rows import ListedConversation
from bot.store.session_records import LocatedEntry
from bot.store.text_search.words import Languages
from bot.web_page.api import answers, texts
from bot.web_page.api.operation import Call, Caller, Operation, PageQuery, Query, Switch, WholeNumber, cursor_of
from bot.web_page.api.problems import Problem
from bot.web_page.api.shaping import (
    shape_conversation,
    shape_delegation,
    shape_delegation_line,
    shape_entry,
    shape_spending,
    shape_sub_session,
)
from bot.web_page.overview import ListFindings, findings_worst_first
from bot.web_page.row_reader import RowReader

R = TypeVar("R")
T = TypeVar("T")

MAX_QUERY_CHARACTERS = 200
MAX_DAYS = 366
MAX_NAMES = 1_000  # of roles, models, chats or people: the dearest
ENTRIES_PER_CHAPTER = 2**31  # a place in a transcript is one number: the chapter, then the entry


class SessionQuery(PageQuery):
    query: str | None = Field(default=None, min_length=1, max_length=MAX_QUERY_CHARACTERS, description=texts.QUERY)


class DelegationQuery(PageQuery):
    at_work: Switch = Field(default=False, description=texts.AT_WORK)


class UsageQuery(Query):
    by: answers.By = Field(default="day", description=texts.BY)
    days: WholeNumber = Field(default=30, ge=1, le=MAX_DAYS, description=texts.DAYS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the operations read."""

    rows: RowReader
    languages: Languages  # of searches
    time_zone: tzinfo
    version: str
    list_findings: ListFindings
    is_bot_running: Callable[[], bool]

    def operations(self) -> list[Operation]:
        sessions, usage, health = (ApiScope.SESSIONS,), (ApiScope.USAGE,), (ApiScope.HEALTH,)
        own_or_all = (ApiScope.SESSIONS, ApiScope.DELEGATE)
        return [
            Operation(
                name="listSessions",
                method="GET",
                path="/v1/sessions",
                summary=texts.LIST_SESSIONS,
                scopes=sessions,
                answer=answers.ConversationPage,
                run=self.list_sessions,
                query=SessionQuery,
            ),
            Operation(
                name="getSession",
                method="GET",
                path="/v1/sessions/{id}",
                summary=texts.GET_SESSION,
                scopes=sessions,
                answer=answers.Session,
                run=self.get_session,
            ),
            Operation(
                name="listSubSessions",
                method="GET",
                path="/v1/sessions/{id}/sub-sessions",
                summary=texts.LIST_SUB_SESSIONS,
                scopes=sessions,
                answer=answers.SubSessionPage,
                run=self.list_sub_sessions,
                query=PageQuery,
            ),
            Operation(
                name="getTranscript",
                method="GET",
                path="/v1/sessions/{id}/transcript",
                summary=texts.GET_TRANSCRIPT,
                scopes=sessions,
                answer=answers.Transcript,
                run=self.get_transcript,
                query=PageQuery,
            ),
            Operation(
                name="listDelegations",
                method="GET",
                path="/v1/delegations",
                summary=texts.LIST_DELEGATIONS,
                scopes=own_or_all,
                answer=answers.DelegationPage,
                run=self.list_delegations,
                query=DelegationQuery,
            ),
            Operation(
                name="getDelegation",
                method="GET",
                path="/v1/delegations/{id}",
                summary=texts.GET_DELEGATION,
                scopes=own_or_all,
                answer=answers.Delegation,
                run=self.get_delegation,
            ),
            Operation(
                name="getUsage",
                method="GET",
                path="/v1/usage",
                summary=texts.GET_USAGE,
                scopes=usage,
                answer=answers.Usage,
                run=self.get_usage,
                query=UsageQuery,
            ),
            Operation(
                name="getHealth",
                method="GET",
                path="/v1/health",
                summary=texts.GET_HEALTH,
                scopes=health,
                answer=answers.Health,
                run=self.get_health,
            ),
        ]

    async def list_sessions(self, call: Call) -> BaseModel:
        query: SessionQuery = call.query
        place = query.place(page_rows.NEWEST)

        def load(db: Connection) -> list[tuple[int, ListedConversation]]:
            if query.query is not None:
                return api_rows.find_conversations_below(db, query.query, self.languages, place, query.limit + 1)
            listed = page_rows.list_conversations_before(db, place, query.limit + 1)
            return [(each.number, each) for each in listed]

        found = await self.rows.read(load, list[tuple[int, ListedConversation]]())
        shown, cursor = cut_page(found, query.limit, lambda numbered: numbered[0])
        items = [shape_conversation(conversation) for _, conversation in shown]
        return answers.ConversationPage(items=items, next_cursor=cursor)

    async def get_session(self, call: Call) -> BaseModel:
        def load(db: Connection) -> answers.Conversation | answers.SubSession | None:
            id = SessionId(call.id)
            if conversation := page_rows.load_listed_conversation(db, id):
                return shape_conversation(conversation)
            record = api_rows.load_sub_session(db, id)
            return shape_sub_session(record) if record else None

        return answers.Session(await self.require(load))

    async def list_sub_sessions(self, call: Call) -> BaseModel:
        query: PageQuery = call.query

        def load(db: Connection) -> Sequence[SubSessionRecord] | None:
            id = SessionId(call.id)
            if not api_rows.is_session(db, id):
                return None
            return api_rows.list_sub_sessions(db, id, query.place(0), query.limit + 1)

        shown, cursor = cut_page(await self.require(load), query.limit, lambda record: record.number)
        return answers.SubSessionPage(items=[*map(shape_sub_session, shown)], next_cursor=cursor)

    async def get_transcript(self, call: Call) -> BaseModel:
        query: PageQuery = call.query

        def load(db: Connection) -> Sequence[LocatedEntry] | None:
            id, after = SessionId(call.id), divmod(query.place(0), ENTRIES_PER_CHAPTER)
            if not api_rows.is_session(db, id):
                return None
            return session_records.load_located_entries(db, id, after, query.limit + 1)

        shown, cursor = cut_page(
            await self.require(load), query.limit, lambda entry: entry.chapter * ENTRIES_PER_CHAPTER + entry.seq
        )
        return answers.Transcript(items=[*map(shape_entry, shown)], next_cursor=cursor)

    async def list_delegations(self, call: Call) -> BaseModel:
        query: DelegationQuery = call.query
        chat = None if ApiScope.SESSIONS in call.caller.scopes else chat_of_client(call.caller.name)

        def load(db: Connection) -> answers.DelegationPage:
            found = api_rows.list_numbered_delegations(
                db, query.place(page_rows.NEWEST), query.limit + 1, chat, is_open=query.at_work
            )
            shown, cursor = cut_page(found, query.limit, lambda numbered: numbered[0])
            records = [session_records.load_turn_record_tree(db, id) for _, id in shown]
            items = [shape_delegation_line(db, record) for record in records]
            return answers.DelegationPage(items=items, next_cursor=cursor)

        return await self.rows.read(load, answers.DelegationPage(items=[], next_cursor=None))

    async def get_delegation(self, call: Call) -> BaseModel:
        return await self.load_delegation(call.caller, call.id)

    async def load_delegation(self, caller: Caller, id: str) -> answers.Delegation:
        """Return a delegation. Raise Problem if there is none of this id that the caller may see."""

        def load(db: Connection) -> answers.Delegation | None:
            known = delegations.load_delegations_with_ids(db, [id])
            if not known or not caller.may_see(known[0].turn):
                return None
            return shape_delegation(db, session_records.load_turn_record_tree(db, known[0].turn.id))

        return await self.require(load)

    async def get_usage(self, call: Call) -> BaseModel:
        query: UsageQuery = call.query
        since = datetime.now(self.time_zone).date() - timedelta(days=query.days - 1)

        def load(db: Connection) -> list[answers.Spent]:
            if query.by == "day":
                days = cost_figures.list_days_with_costs(db, since)
                return [shape_spending(each.day.isoformat(), each.cost, each.tokens) for each in days]
            named = cost_figures.list_costs_by(db, query.by, since, MAX_NAMES)
            return [shape_spending(each.name, each.cost, each.tokens) for each in named]

        return answers.Usage(by=query.by, since=since, items=await self.rows.read(load, []))

    async def get_health(self, call: Call) -> BaseModel:
        found = await asyncio.to_thread(lambda: findings_worst_first([*self.list_findings()]))
        return answers.Health(
            status=found[0].state if found else CheckState.OK,
            is_running=await asyncio.to_thread(self.is_bot_running),
            version=self.version,
            findings=[answers.Finding(state=each.state, text=each.text, remedy=each.remedy) for each in found],
        )

    async def require(self, work: Callable[[Connection], R | None]) -> R:
        """Return what `work` returns for the rows. Raise Problem if that is None."""
        found = await self.rows.read(work, None)
        if found is None:
            raise Problem(404, texts.NOTHING_HERE)
        return found


def cut_page(found: Sequence[T], limit: int, place: Callable[[T], int]) -> tuple[Sequence[T], str | None]:
    """Return the items of a page, and the cursor of the next one if there is one: then `found` has one item more. An
    item's place is a number."""
    shown = found[:limit]
    return shown, cursor_of(place(shown[-1])) if len(found) > limit else None
