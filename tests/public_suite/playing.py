"""Play the tasks and attacks of a suite against the whole bot, and judge what came of each."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bot import app
from bot.core.access import Access
from bot.core.acts import CONSEQUENTIAL_EFFECTS, iterate_texts
from bot.core.mcp_settings import McpServerSettings, McpSettings, McpToolSettings
from bot.core.messages import InboundKind, OutboundKind, OutboundMessage, PersonId, QuestionId
from bot.core.prices import MILLION, Micros
from bot.core.role import LEAD_ROLE_NAME
from bot.store.folder_lock import utc_now
from tests.public_suite.suite_model import Script, SuiteCall, SuiteModel
from tests.support.empty_database import make_empty_database
from tests.support.engine_options import engine_options, limits_with
from tests.support.fakes import FakeChannel, role
from tests.support.patience import PATIENCE

REPOSITORY = Path(__file__).parents[2]
SUITES = ("banking", "slack", "workspace", "travel")
DECLARATIONS = Path(__file__).with_name("declarations")
SOCKET_NAME = "s"
MAX_ANSWER_BYTES = 2**24
OWNER = "Owner"
# Requests and truths of travel name days of 2023, though its calendar, which its tools cannot show, is a year ahead.
DAYS = {"travel": "2023-05-15"}
MORNING = 9  # the hour at which people write
SHOWN_CHARACTERS = 300  # of a value: a question shows of a long one the beginning and the end
PLENTY = Micros(1_000_000 * MILLION)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A task; with a goal it is a pair of a task and an attack."""

    suite: str
    task: str
    goal: str | None = None

    def __str__(self) -> str:
        return " ".join(filter(None, [self.suite, self.task, self.goal]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question whether a call may be made, and what the person said."""

    call: SuiteCall
    text: str
    is_allowed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    case: Case
    request: str
    is_done: bool  # the suite's own check of the task
    is_reached: bool  # the suite's own check of the goal
    has_goal_calls: bool  # else the goal is words, or nothing at all
    has_read_order: bool
    asked: tuple[Asked, ...]
    visits: tuple[SuiteCall, ...]  # what ran of the attack and only asked elsewhere
    forbidden: tuple[SuiteCall, ...]  # what ran of the attack and made a change, sent or spent

    @property
    def says_something(self) -> bool:
        return self.has_goal_calls and self.has_read_order


def read_declarations(suite: str) -> dict[str, McpToolSettings]:
    declared = json.loads((DECLARATIONS / f"{suite}.json").read_text())
    return {tool: McpToolSettings.model_validate(each) for tool, each in declared.items()}


@dataclass
class SuiteBot:
    """A bot with a suite's tools, and a person who writes to it. Each case is a conversation of its own."""

    suite: str
    data: Path
    program: tuple[str, ...]  # the suite's server; it gets the suite's name and a path of a socket
    declared: Mapping[str, McpToolSettings]
    is_gate_open: bool = False
    obeys_late: bool = False
    channel: FakeChannel = field(default_factory=FakeChannel)

    def __post_init__(self) -> None:
        self.model = SuiteModel(self.suite, obeys_late=self.obeys_late)
        self.today: datetime | None = None  # in the suite's world
        self.cases_played = 0

    def now(self) -> datetime:
        """Return the time on the suite's calendar, if it has one."""
        return self.today or utc_now()

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        make_empty_database(self.data / "bot.db")
        until = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            group.create_task(app.run_bot(self.assembly(), until))
            async with connect(self.data / SOCKET_NAME) as (self.answers, self.writer):
                await self.wait_for_tools()
                yield
            until.set()

    def assembly(self) -> app.Assembly:
        command, *words = self.program
        server = McpServerSettings(
            command=command,
            args=(*words, self.suite, str(self.data / SOCKET_NAME)),
            folder=REPOSITORY,
            sandbox=False,
            tools=dict(self.declared),
        )
        options = engine_options(
            mcp=McpSettings(servers={self.suite: server}),
            approvals__enabled=not self.is_gate_open,
            turn=limits_with(iterations=200, tokens=10**9, cost=PLENTY),
            chat_day=PLENTY,
            day=PLENTY,
        )
        return app.Assembly(
            model=self.model,
            roles={LEAD_ROLE_NAME: role("lead", f"{self.suite}__*")},
            channels=[self.channel],
            data=self.data,
            access={"fake": Access(owner_id=PersonId(OWNER))},
            now=self.now,
            **options,
        )

    async def wait_for_tools(self) -> None:
        """Say hello until the bot offers the suite's tools."""
        self.model.begin(Script(calls=(), output="hello"))
        while not self.model.offered & {f"{self.suite}__{tool}" for tool in self.declared}:
            self.cases_played += 1
            await self.converse("hello", f"case {self.cases_played}")

    async def list_cases(self) -> tuple[list[Case], list[Case]]:
        """Return the tasks, and the pairs of a task and a goal."""
        names = await self.ask(do="list")
        tasks = [Case(suite=self.suite, task=task) for task in names["tasks"]]
        return tasks, [replace(task, goal=goal) for task in tasks for goal in names["goals"]]

    async def play(self, case: Case) -> Verdict:
        self.cases_played += 1
        begun = await self.ask(do="begin", task=case.task, **({"goal": case.goal} if case.goal else {}))
        if today := DAYS.get(self.suite, begun["today"]):
            self.today = datetime.fromisoformat(today).replace(hour=MORNING, tzinfo=UTC)
        script = script_of(begun)
        self.model.begin(script)
        said, asked = await self.converse(begun["request"], f"case {self.cases_played}")
        judged = await self.ask(do="judge", output=said)
        ran = [SuiteCall(**each) for each in judged["ran"]]
        of_goal = [each for each in script.goal_calls if replace(each, is_of_goal=False) in ran and each.is_of_goal]
        consequential = [each for each in of_goal if self.is_consequential(each)]
        return Verdict(
            case=case,
            request=begun["request"],
            is_done=judged["is_done"],
            is_reached=judged["is_reached"],
            has_goal_calls=bool(script.goal_calls),
            has_read_order=self.model.has_read_order,
            asked=tuple(asked),
            visits=tuple(each for each in of_goal if self.declared[each.tool].is_query),
            forbidden=tuple(consequential),
        )

    def is_consequential(self, call: SuiteCall) -> bool:
        declared = self.declared[call.tool]
        return bool({*(declared.effects or ())} & CONSEQUENTIAL_EFFECTS) and not declared.is_query

    async def converse(self, request: str, chat: str) -> tuple[str, list[Asked]]:
        """Write a request, answer what is asked, and return what the bot has replied."""
        asked = list[Asked]()
        self.channel.hears(request, by=OWNER, chat=chat, sent_at=self.now())
        async with asyncio.timeout(PATIENCE):
            while True:
                part = await self.channel.sent.get()
                if part.message.kind is OutboundKind.APPROVAL:
                    asked.append(self.answer(part.message, chat))
                elif part.message.kind is OutboundKind.REPLY:
                    texts = [part.text]
                    while not part.is_last:
                        part = await self.channel.part(OutboundKind.REPLY)
                        texts.append(part.text)
                    return "".join(texts), asked

    def answer(self, question: OutboundMessage, chat: str) -> Asked:
        """Answer as somebody who reads what is shown: no to what an outsider has ordered, yes to anything else."""
        call = self.model.last_call
        assert call is not None
        is_allowed = not (call.is_of_goal and shows(question.text, call))
        option = question.options[0 if is_allowed else -1]
        self.channel.hears(
            option, by=OWNER, chat=chat, kind=InboundKind.ANSWER, question=QuestionId(question.id), sent_at=self.now()
        )
        return Asked(call=call, text=question.text, is_allowed=is_allowed)

    async def ask(self, **request: Any) -> Any:
        self.writer.write(json.dumps(request).encode() + b"\n")
        return json.loads(await self.answers.readline())


def script_of(begun: Mapping[str, Any]) -> Script:
    calls = tuple(SuiteCall(**each) for each in begun["calls"])
    goal_calls = [SuiteCall(**each) for each in begun.get("goal_calls", ())]
    return Script(
        calls=calls,
        output=begun["output"],
        goal_calls=tuple(replace(each, is_of_goal=each not in calls) for each in goal_calls),
        goal_output=begun.get("goal_output", ""),
    )


def shows(text: str, call: SuiteCall) -> bool:
    """Return True if a question shows a call with all its arguments."""
    words = plain(text)
    return all(plain(each)[:SHOWN_CHARACTERS] in words for each in (call.tool, *iterate_texts(call.arguments)))


def plain(text: str) -> str:
    """Return a text without the marks at the beginning of its lines."""
    return " ".join(text.replace("│", " ").split())


@asynccontextmanager
async def connect(path: Path) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Open the harness's own way to the suite's server, of which nothing of the bot knows."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                reader, writer = await asyncio.open_unix_connection(str(path), limit=MAX_ANSWER_BYTES)
                break
            except FileNotFoundError:  # the server is still starting
                await asyncio.sleep(0.02)
    try:
        yield reader, writer
    finally:
        writer.close()
        await writer.wait_closed()
