"""Fakes of what we do not own: the model and the chat platforms."""

import asyncio
import inspect
import re
from collections import defaultdict, deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime
from functools import cached_property
from itertools import count
from typing import Any

from bot.core.channel import HealthReport, InboundBus, MessagePart
from bot.core.content_blocks import Block, content_text, text_block
from bot.core.errors import FetchError, ModelFailed
from bot.core.incoming_files import IncomingFile
from bot.core.messages import (
    Address,
    Draft,
    InboundEvent,
    InboundKind,
    InboundMessage,
    MessageId,
    OutboundKind,
    OutboundMessage,
    PersonId,
    PlatformId,
    QuestionId,
    RoleName,
    Sender,
)
from bot.core.model import Model, ModelReply, ModelRequest, ShowTextCallback, StopReason
from bot.core.outgoing_files import PartContent
from bot.core.prices import Usage
from bot.core.prompt_guidance import ROLE_TEXT_HEADING
from bot.core.role import Role
from channels.formatting import role_label, text_marked_if_possibly_repeated
from tests.support.engine_options import DELEGATION_LIMITS
from tests.support.labelled_pieces import cut_into_labelled_pieces
from tests.support.patience import PATIENCE

USAGE = Usage(input=1_000, output=100)
PRICE = 3_000  # the lead's price for that usage, in micro-dollars
SENT_AT = datetime(2026, 1, 1, tzinfo=UTC)

TIME_OF_MESSAGE = re.compile(r"\[[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d( [\w/+-]+)?\] ")
FACTS = re.compile(r"delegation \S+ · (\w+).*\n\[[\w: -]+\]: ")

ASIDES = re.compile(r"late:.*|.*:(wait|rest|back)")

Step = (
    ModelReply | Callable[[], Awaitable[ModelReply]] | Callable[[ModelRequest, ShowTextCallback], Awaitable[ModelReply]]
)

_ids = count(1)


class ScriptedModel(Model):
    """A model that says what the test wrote for each role, in order."""

    def __init__(self) -> None:
        self.script: dict[str, deque[Step]] = defaultdict(deque)
        self.seen: list[ModelRequest] = []

    def says(self, role: str, *steps: Step | str) -> None:
        self.script[role].extend(reply(text_block(step)) if isinstance(step, str) else step for step in steps)

    async def reply(self, request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        self.seen.append(request)
        request.meter.sent_at_loop_seconds = asyncio.get_running_loop().time()
        step = self.script[played(request)].popleft()
        if callable(step):
            takes_all = inspect.signature(step).parameters
            return await (step(request, show) if takes_all else step())  # type: ignore[call-arg]  # told apart above
        return step

    def asked(self, role: str) -> list[ModelRequest]:
        return [request for request in self.seen if played(request) == role]

    def heard(self, role: str, nth: int = -1) -> list[str]:
        """Return what the role's nth request ends with: results and texts, without lines of facts and surroundings."""
        last = [entry for entry in self.asked(role)[nth].transcript if entry.role == "user"][-1]
        texts = [str(block.get("content", block.get("text"))) for block in last.content]
        return [plain(text) for text in texts if not text.startswith("<surroundings>")]


def played(request: ModelRequest) -> str:
    """Return the role that a request is for. The tests' roles have their name as the prompt's first line."""
    return own_text(request.prefix.system).partition("\n")[0]


def own_text(system: str) -> str:
    """Return a prompt without the text above it that all prompts of its kind share."""
    return system.rpartition(f"{ROLE_TEXT_HEADING}\n\n")[2]


def without_time(text: str) -> str:
    """Return what somebody has written, as the model reads it, without the time before it."""
    return TIME_OF_MESSAGE.sub("", text)


def plain(report: str) -> str:
    """Return a report without its line of facts, and a message without its time. Only a status other than completed
    stays."""
    report = without_time(report)
    return FACTS.sub(lambda found: "" if found[1] == "completed" else f"[{found[1]}] ", report, count=1)


def reply(*blocks: Block, usage: Usage = USAGE, stop: StopReason = StopReason.END) -> ModelReply:
    return ModelReply(content=list(blocks), usage=usage, stop_reason=stop)


def uses(name: str, **arguments: Any) -> Block:
    return {"type": "tool_use", "id": f"toolu_{next(_ids)}", "name": name, "input": arguments}


def delegates(*roles: str, background: bool = False) -> ModelReply:
    return reply(*(uses("delegate", role=role, task=f"{role}'s part", background=background) for role in roles))


async def never() -> ModelReply:
    """Never end: a step of a script."""
    await asyncio.Event().wait()
    raise AssertionError("unreachable")


async def failing() -> ModelReply:
    raise ModelFailed("the model is not there")


class Pause:
    """A step of a script that waits until the test sets `go_on`."""

    def __init__(self, answer: ModelReply | str = "done") -> None:
        self.answer = reply(text_block(answer)) if isinstance(answer, str) else answer
        self.reached, self.go_on = asyncio.Event(), asyncio.Event()

    async def __call__(self) -> ModelReply:
        self.reached.set()
        await self.go_on.wait()
        return self.answer


def role(name: str, *tools: str, delegates_to: Sequence[str] | None = (), **fields: Any) -> Role:
    names = None if delegates_to is None else frozenset(RoleName(each) for each in delegates_to)
    return Role(
        name=RoleName(name),
        prompt=name,
        tools=frozenset(tools),
        delegates_to=names,
        **{"limits": DELEGATION_LIMITS, **fields},
    )


class Unpaced:
    """A platform without rate limits and without faults. `files` has what people have sent, by reference: what each try
    to fetch it brings, in order. The last one stays."""

    surroundings: str = ""
    unfetched_keep_seconds: float | None = None
    most_bytes: int | None = None  # of a file that may be sent there
    max_download_bytes: int | None = None

    @cached_property
    def files(self) -> dict[str, list[bytes | FetchError]]:
        return {}

    @asynccontextmanager
    async def open_file(self, file: IncomingFile) -> AsyncIterator[AsyncIterator[bytes]]:
        tries = self.files.get(file.reference, [FetchError("the file is gone")])
        content = tries.pop(0) if len(tries) > 1 else tries[0]
        if isinstance(content, FetchError):
            raise content
        async with aclosing(pieces_of(content)) as pieces:
            yield pieces

    def health(self) -> HealthReport:
        return HealthReport()

    async def wait_for_pace(self, address: Address) -> None:
        pass

    def has_room_for_cosmetic_message(self, address: Address, *, is_edit: bool) -> bool:
        return True

    def split_with_files(self, message: OutboundMessage) -> list[PartContent]:
        """Return one part with all files: the whole text is their caption."""
        return [PartContent(role_label(message) + message.text, message.files)]

    def max_upload_bytes(self, address: Address) -> int | None:
        return self.most_bytes


async def pieces_of(content: bytes, size: int = 65_536) -> AsyncGenerator[bytes]:
    for start in range(0, len(content), size):
        yield content[start : start + size]


class FakeChannel(Unpaced):
    """A chat platform in memory. `hears` lets a person write, `said` returns what people read."""

    name = "fake"

    def __init__(self) -> None:
        self.incoming: asyncio.Queue[InboundEvent] = asyncio.Queue()
        self.sent: asyncio.Queue[MessagePart] = asyncio.Queue()
        self.edits: asyncio.Queue[MessagePart] = asyncio.Queue()
        self.deleted: asyncio.Queue[PlatformId] = asyncio.Queue()
        self.drafts: asyncio.Queue[Draft] = asyncio.Queue()
        self.faults: deque[Exception] = deque()  # raised by the next sends or edits, one each
        self.accepts_anyway = False  # a message is shown even if its sending fails
        self.length = 4096
        self.nonce_memory_seconds = 0.0
        self.has_history = False
        self.board_edit_seconds = 0.0
        self.is_anchoring = False

    async def run(self, door: InboundBus) -> None:
        while True:
            batch = [await self.incoming.get()]
            while not self.incoming.empty():
                batch.append(self.incoming.get_nowait())
            await door.publish(batch)
            for _ in batch:
                self.incoming.task_done()

    async def is_taken_in(self) -> None:
        """Wait until all events so far are published."""
        async with asyncio.timeout(PATIENCE):
            await self.incoming.join()

    def lane(self, address: Address) -> str:
        return address.chat

    def split_into_parts(self, message: OutboundMessage) -> list[str]:
        return cut_into_labelled_pieces(message, self.length)

    def has_editable_drafts(self, address: Address) -> bool:
        return self.is_anchoring

    async def send(self, part: MessagePart) -> PlatformId:
        if self.faults and self.accepts_anyway:
            self.sent.put_nowait(part)
        self.fail()
        self.sent.put_nowait(part)
        return id_of(part)

    async def edit(self, id: PlatformId, part: MessagePart) -> None:
        self.fail()
        self.edits.put_nowait(part)

    async def delete(self, address: Address, id: PlatformId) -> None:
        self.deleted.put_nowait(id)

    async def find_sent_part_id(
        self, part: MessagePart, since: datetime, known: Collection[PlatformId]
    ) -> PlatformId | None:
        return id_of(part) if self.has_history and self.accepts_anyway else None

    def history_shows(self, message: OutboundMessage) -> bool:
        return self.has_history

    async def show_draft(self, draft: Draft) -> None:
        self.drafts.put_nowait(draft)

    def fail(self) -> None:
        if self.faults:
            raise self.faults.popleft()

    def hears(self, text: str, by: str = "Ann", chat: str = "room", **fields: Any) -> None:
        self.incoming.put_nowait(message(text, by, chat, **fields))

    def taps(self, question: str, option: str, by: str = "Ann", chat: str = "room") -> None:
        self.hears(option, by, chat, kind=InboundKind.ANSWER, question=QuestionId(question))

    async def said(self, kind: OutboundKind | None = None) -> str:
        """Return the text of the next message, of one kind if it is given."""
        return text_marked_if_possibly_repeated(await self.part(kind))

    async def part(self, kind: OutboundKind | None = None) -> MessagePart:
        """Return the next part, of one kind if it is given. Otherwise skip asides."""
        async with asyncio.timeout(PATIENCE):
            while True:
                part = await self.sent.get()
                if part.message.kind is kind or not (kind or is_aside(part.message)):
                    return part

    async def edited(self, kind: OutboundKind) -> MessagePart:
        async with asyncio.timeout(PATIENCE):
            while (part := await self.edits.get()).message.kind is not kind:
                pass
        return part


def is_aside(message: OutboundMessage) -> bool:
    """Return True for an aside: a draft, a board, an update of the lead, or a reason for a delay."""
    is_of_lead = message.kind is OutboundKind.UPDATE and message.role is None
    return message.kind.is_cosmetic or is_of_lead or ASIDES.fullmatch(message.id) is not None


def id_of(part: MessagePart) -> PlatformId:
    return PlatformId(f"{part.message.id}:{part.number}")


def message(text: str, by: str = "Ann", chat: str = "room", id: str = "", **fields: Any) -> InboundMessage:
    fields.setdefault("sent_at", datetime.now(UTC))
    return InboundMessage(
        id=MessageId(id or f"{chat}:{next(_ids)}"),  # as those of platforms look
        address=fields.pop("address", None) or Address(channel="fake", chat=chat),
        sender=Sender(id=PersonId(by), name=by),
        text=text,
        **fields,
    )


def last_text(request: ModelRequest) -> str:
    return content_text(request.transcript[-1].content)
