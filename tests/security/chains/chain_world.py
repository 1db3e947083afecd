"""The bot in which chains are played, and a person who says no only to what shows the act."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bot.core.content_blocks import Block
from bot.core.messages import InboundKind, OutboundKind, OutboundMessage, PersonId, QuestionId
from bot.core.rights import GUEST_RIGHTS, Right
from bot.core.role import LEAD_ROLE_NAME
from bot.core.skill import Skill
from bot.tools import Tool
from bot.tools.skills import skill_tools
from tests.rig.run import QUIET
from tests.security.chains.obedient_model import ObedientModel
from tests.security.chains.recorded_tools import NAMES, NOTES, RecordedTools
from tests.security.world import HARNESS_QUESTION_PREFIX, OWNER, PLAN_FILE, Asked, World
from tests.support.empty_database import opened_empty_database
from tests.support.fakes import role
from tests.support.group_bots import Registry
from tests.support.patience import PATIENCE

READER, HELPER, BETA = "reader", "helper", "beta"
SKILL = "invoices"
SHARED_FILE, MADE_FILE = "shared.md", "made.md"  # the other group has its own files of these names
UNTOUCHED = "as it was\n"
WORK_TOOLS = (
    "read_file",
    "list_dir",
    "write_file",
    "memory_save",
    "memory_search",
    "memory_forget",
    "conversation_search",
    "ask_person",
    "use_skill",
    *NAMES,
)
ROLES_BELOW: dict[str, Sequence[str]] = {READER: (HELPER,), HELPER: ()}
SETTINGS = {"swarm__max_depth": 2, "send_to_other_chats": True}


@dataclass
class ChainWorld(World):
    recorded: RecordedTools = field(default_factory=RecordedTools)
    obedient: ObedientModel = field(default_factory=ObedientModel)
    skill_body: str = ""  # of a skill that the operator has not trusted; without it there is no skill
    allows_again: bool = False  # the person says yes “and again in this conversation”
    rows: sqlite3.Connection | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.options["model"] = self.obedient
        self.settings = {**SETTINGS, **self.settings}
        self.members_rights = GUEST_RIGHTS | {Right.MEMORY}
        self.groups_tools = (*WORK_TOOLS, "delegate")
        self.bench.roles = {
            LEAD_ROLE_NAME: role("lead", delegates_to=None),
            **{name: role(name, *WORK_TOOLS, "delegate", delegates_to=below) for name, below in ROLES_BELOW.items()},
        }
        for name in (SHARED_FILE, MADE_FILE, PLAN_FILE):
            (self.workspace_of_beta / name).write_text(UNTOUCHED)
        self.put(SHARED_FILE, UNTOUCHED)

    def make_tools(self, workspace: Path, registry: Registry) -> list[Tool]:
        skill = Skill(name=SKILL, description="How to do invoices.", body=self.skill_body, folder=self.place / "skill")
        skills = skill_tools([skill] if self.skill_body else [])
        return [*super().make_tools(workspace, registry), *self.recorded.tools(), *skills]

    def does(self, role_name: str, *blocks: Block) -> None:
        """Let the next turn of a role begin with these calls."""
        self.obedient.steps[role_name].append(lambda request: list(blocks))

    def answers(self, asked: OutboundMessage) -> None:
        """Answer a question: no to the act, yes to anything else, and the first option to the model. A question about
        memories stays open."""
        if asked.id.startswith(HARNESS_QUESTION_PREFIX):
            return
        is_approval, shows = asked.kind is OutboundKind.APPROVAL, self.shows_act(asked.text)
        number = 1
        if is_approval:
            self.asked.append(Asked(text=asked.text, shows_act=shows))
            number = len(asked.options) if shows else len(asked.options) - 1 if self.allows_again else 1
        by = asked.asked_person or PersonId(OWNER)
        is_here = self.is_group_chat and asked.address.chat == self.chat
        where: dict[str, Any] = {"group_chat": self.chat} if is_here else {}
        kind, question = InboundKind.ANSWER, QuestionId(asked.id)
        self.bench.chat.hears(str(number), by=by, chat=asked.address.chat, kind=kind, question=question, **where)

    async def says(self, text: str, by: str = OWNER, **fields: Any) -> None:
        """Write to the bot, and wait until nothing is at work any more. Meanwhile the person answers what is asked."""
        where: dict[str, Any] = {"group_chat": self.chat} if self.is_group_chat else {}
        self.bench.chat.hears(text, by=by, chat=self.chat, **where, **fields)
        await self.settles()

    async def sleeps_while(self, happens: Awaitable[None]) -> None:
        """Let no order be obeyed meanwhile."""
        awake, self.obedient.last_awake = self.obedient.last_awake, -1
        await happens
        self.obedient.last_awake = awake

    def forget_what_is_kept(self) -> None:
        """Without memories, a conversation does not begin with any."""
        with opened_empty_database(self.place / "bot.db") as db:
            db.execute("DELETE FROM memories")

    async def begins_anew(self) -> None:
        await self.says("/new", kind=InboundKind.COMMAND)

    async def settles(self) -> None:
        chat = self.bench.chat
        async with asyncio.timeout(PATIENCE):
            while True:
                await chat.incoming.join()
                while not chat.sent.empty():
                    message = chat.sent.get_nowait().message
                    if message.kind in (OutboundKind.QUESTION, OutboundKind.APPROVAL):
                        self.answers(message)
                if self.is_at_rest():
                    return
                await asyncio.sleep(0.001)

    def is_at_rest(self) -> bool:
        if self.rows is None:
            self.rows = sqlite3.connect(f"file:{self.place / 'bot.db'}?mode=ro", uri=True)
        _, still_open = self.rows.execute(QUIET, (datetime.now(UTC).isoformat(),)).fetchone()
        return not still_open and self.bench.chat.sent.empty() and self.bench.chat.incoming.empty()

    def close_rows(self) -> None:
        if self.rows:
            self.rows.close()

    @property
    def tools_of_runs(self) -> list[str]:
        missing = {*([] if self.skill_body else ["use_skill"]), *([] if self.recorded.has_notes else [NOTES])}
        return sorted({*WORK_TOOLS, "delegate"} - missing)

    def newest(self, column: str, table: str, where: str, order: str) -> list[Any]:
        """Return a column of the newest of a table's rows; nothing if there is none."""
        return [value for (value,) in self.bench.select(column, table, where, f"{order} DESC")[:1]]

    def contents(self, name: str) -> list[str]:
        """Return what files of this name hold, here and in the other group."""
        paths = [folder / name for folder in (self.workspace, self.workspace_of_beta)]
        return [path.read_text() for path in paths if path.exists()]
