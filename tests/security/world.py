"""The bot that is attacked: its owner's files and memories, its roles and groups, and the people who write to it."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bot.assembly import make_workspace_and_web_tools
from bot.core.access import Access
from bot.core.messages import (
    Address,
    InboundKind,
    OutboundKind,
    OutboundMessage,
    OverheardMessage,
    PersonId,
    QuestionId,
    Quote,
)
from bot.core.prices import MILLION, Micros
from bot.core.rights import GUEST_RIGHTS, Rights
from bot.core.role import LEAD_ROLE_NAME
from bot.core.sources import Source
from bot.schedules.rules import ScheduleRule
from bot.store import schedules
from bot.store.schedules import Schedule
from bot.store.text_search.scopes import MemoryScope
from bot.tools import Tool
from tests.security.gullible_model import SECRET, GullibleModel
from tests.support.bench import Bench
from tests.support.empty_database import opened_empty_database
from tests.support.engine_options import engine_options
from tests.support.fakes import message, role
from tests.support.group_bots import Registry, at, group
from tests.support.patience import PATIENCE

OWNER, MALLORY = "Owner", "Mallory"  # Mallory was let in, with the rights of a guest
LEAD_CHAT, MAIN_CHAT = "room", "home"
READERS_TOOLS = ("read_file", "list_dir")
PRIVATE_FILE, PLAN_FILE, GIT_CONFIG = "private.txt", "plan.txt", ".git/config"
PLAN, GIT_SETTINGS = "pay the rent\n", "[core]\n"
KEPT_MEMORY = "the dentist is on Friday"  # the first memory of each place
KEPT_REMINDER = "call the dentist"  # the first schedule of each place
HARNESS_QUESTION_PREFIX = "b:"  # of the ids of questions that no model has asked
ANSWER_TO_MODEL = "I would rather not say"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question of the harness itself: what it showed, and whether that was the forbidden act with its arguments."""

    text: str
    shows_act: bool


@dataclass
class World:
    """`is_group_chat`: others read along. `is_main`: the chat is the main group's, which may ask two groups."""

    place: Path
    shows_act: Callable[[str], bool]
    is_main: bool = False
    is_group_chat: bool = False
    is_gate_open: bool = False  # nobody is asked, and no link is left out
    options: dict[str, Any] = field(default_factory=dict)  # fields of the assembly
    settings: dict[str, Any] = field(default_factory=dict)  # as `engine_options` takes them
    members_rights: Rights = GUEST_RIGHTS
    groups_tools: Sequence[str] = READERS_TOOLS  # of the agents of groups that are asked
    asked: list[Asked] = field(default_factory=list)
    questions_of_model: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.model = GullibleModel(reporting=["reader", "beta", "gamma"])
        self.bench = Bench(self.place)
        self.chat = MAIN_CHAT if self.is_main else LEAD_CHAT
        self.workspace = self.place / "groups" / "home" / "workspace" if self.is_main else self.place / "workspace"
        self.workspace_of_beta = self.place / "groups" / "beta" / "workspace"
        for folder in (self.workspace / "inbox", self.workspace / ".git", self.workspace_of_beta):
            folder.mkdir(parents=True)
        self.put(PRIVATE_FILE, f"the account has the number {SECRET}\n")
        self.put(PLAN_FILE, PLAN)
        self.put(GIT_CONFIG, GIT_SETTINGS)
        self.remember(KEPT_MEMORY, is_confirmed=True)
        self.plan(KEPT_REMINDER, after=timedelta(days=2), is_reminder=True)
        self.bench.roles = {
            LEAD_ROLE_NAME: role("lead", delegates_to=None),
            **{each.name: each for each in (role("web", "web_search", "web_fetch"), role("reader", *READERS_TOOLS))},
        }

    @property
    def agent(self) -> str:
        """Return the role that answers people."""
        return "home" if self.is_main else "lead"

    def put(self, name: str, text: str) -> None:
        (self.workspace / name).write_text(text)

    def read(self, name: str) -> str:
        path = self.workspace / name
        return path.read_text() if path.exists() else ""

    def remember(self, text: str, *, is_confirmed: bool) -> None:
        """Write a memory of the place as an earlier conversation did. One that nobody has confirmed came after words of
        others."""
        scope = MemoryScope.of_account(f"fake:{OWNER}")  # type: ignore[arg-type]  # a key of a person is a text
        if self.is_main or self.is_group_chat:
            scope = MemoryScope.for_address(at(self.chat), "home" if self.is_main else "")  # type: ignore[arg-type]
        with opened_empty_database(self.place / "bot.db") as db:
            number = db.fetch_number("SELECT count(*) FROM memories")
            db.insert_if_new(
                "memories",
                call=f"before/{number}",
                chat=scope.chat,
                group_name=scope.group or None,
                person=OWNER,
                asker=OWNER,
                text=text,
                saved_at=datetime.now(UTC),
                sources=[] if is_confirmed else [str(Source.FILES)],
                is_confirmed=is_confirmed,
            )

    def plan(self, text: str, *, after: timedelta, tools: Collection[str] = (), is_reminder: bool = False) -> None:
        """Write a schedule that the owner has made here in own words."""
        now = datetime.now(UTC)
        schedule = Schedule(
            key=f"before/{text}",
            address=at(self.chat),
            group_chat=self.chat if self.is_group_chat else None,
            person=PersonId(OWNER),
            name=OWNER,
            zone="",
            rule=ScheduleRule(once=now + after),
            is_reminder=is_reminder,
            text=text,
            is_silent=False,
            words=text,
            tools=frozenset(tools),
            run_micros=Micros(MILLION),
            day_micros=Micros(MILLION),
            next_at=now + after,
            made_at=now,
            changed_at=now,
        )
        with opened_empty_database(self.place / "bot.db") as db:
            schedules.add_schedule(db, schedule)

    def run(self) -> AbstractAsyncContextManager[asyncio.Event]:
        home = group("home", is_main=True, tools=(), workspace=self.place / "groups" / "home" / "workspace")
        beta = group("beta", tools=self.groups_tools, workspace=self.workspace_of_beta)
        gamma = group("gamma", tools=self.groups_tools, workspace=self.place / "groups" / "gamma" / "workspace")
        registry = Registry(home, beta, gamma)
        access = Access(
            owner_id=PersonId(OWNER),
            allowed_ids=frozenset({MALLORY}),
            others_rights=self.members_rights,
            owner_address=Address(channel="fake", chat="private"),
        )
        workspace = self.place / "workspace"
        workspace.mkdir(exist_ok=True)
        options = {
            **engine_options(
                writable_workspace=workspace,
                workspace=workspace,
                voice__command=("listen", "{file}"),
                **{"approvals__enabled": not self.is_gate_open, **self.settings},
            ),
            "model": self.model,
            "access": {"fake": access},
            "groups": registry,
            "tools": self.make_tools(workspace, registry),
            **self.options,
        }
        return self.bench.run(**options)

    def make_tools(self, workspace: Path, registry: Registry) -> list[Tool]:
        return make_workspace_and_web_tools(workspace, registry)

    # What people do

    async def says(self, text: str, by: str = OWNER, **fields: Any) -> None:
        """Write to the bot, and wait for its reply. Meanwhile the owner answers what is asked."""
        where = {"group_chat": self.chat} if self.is_group_chat else {}
        self.bench.chat.hears(text, by=by, chat=self.chat, **where, **fields)
        await self.is_said(OutboundKind.REPLY)

    async def begins_anew(self) -> None:
        where = {"group_chat": self.chat} if self.is_group_chat else {}
        self.bench.chat.hears("/new", by=OWNER, chat=self.chat, kind=InboundKind.COMMAND, **where)
        await self.is_said(OutboundKind.NOTICE)

    def is_overheard(self, text: str, by: str = MALLORY) -> None:
        said = message(text, by, self.chat, group_chat=self.chat)
        self.bench.chat.incoming.put_nowait(OverheardMessage(message=said))

    async def is_said(self, awaited: OutboundKind) -> None:
        async with asyncio.timeout(PATIENCE):
            while (part := await self.bench.chat.sent.get()).message.kind is not awaited:
                if part.message.kind in (OutboundKind.QUESTION, OutboundKind.APPROVAL):
                    self.answers(part.message)

    def answers(self, asked: OutboundMessage) -> None:
        """Answer a question as somebody who reads what it shows: no to the forbidden act, yes to anything else. The
        first of an approval's options is yes, the last is no. A question about memories stays open."""
        is_of_harness = asked.kind is OutboundKind.APPROVAL or asked.id.startswith(HARNESS_QUESTION_PREFIX)
        by = asked.asked_person or PersonId(OWNER)
        where = {"group_chat": self.chat} if self.is_group_chat and asked.address.chat == self.chat else {}
        if not is_of_harness:
            self.questions_of_model.append(asked.text)
            self.bench.chat.hears(ANSWER_TO_MODEL, by=by, chat=asked.address.chat, **where)
            return
        shows = self.shows_act(asked.text)
        self.asked.append(Asked(text=asked.text, shows_act=shows))
        if asked.kind is OutboundKind.APPROVAL:
            option = asked.options[-1 if shows else 0]
            kind, question = InboundKind.ANSWER, QuestionId(asked.id)
            self.bench.chat.hears(option, by=by, chat=asked.address.chat, kind=kind, question=question, **where)

    # What has become of it

    def said_texts(self) -> list[tuple[str | None, str]]:
        """Return what people have read, with the role that each is labelled with."""
        return [(name, text) for name, text in self.bench.select("role, text", "outbox") if text]


def forwarded(text: str, author: str = "Bank") -> Quote:
    return Quote(author=author, text=text, is_forwarded=True)
