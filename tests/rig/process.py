"""The bot under test: the real app in its own process. The world is its platforms, model and tools.

Its options are in the environment: KILL=before:7 dies before its 7th commit, SETTINGS is JSON.
"""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from bot import app
from bot.core.access import Access
from bot.core.acts import Effect
from bot.core.channel import InboundBus, MessagePart
from bot.core.errors import DeliveryDelayed, DeliveryError, FetchError, NotDelivered, RetryableModelFailure
from bot.core.incoming_files import IncomingFile, IncomingFileKind
from bot.core.messages import (
    Address,
    BotAddedEvent,
    BotRemovedEvent,
    Draft,
    InboundEvent,
    InboundKind,
    InboundMessage,
    MessageDeletedEvent,
    MessageId,
    OutboundMessage,
    OverheardMessage,
    PersonId,
    PlatformId,
    QuestionId,
    RoleName,
    Sender,
    UnreadableEvent,
)
from bot.core.model import Model, ModelReply, ModelRequest, ShowTextCallback, StopReason
from bot.core.prices import Micros, Usage
from bot.core.rights import EVERY_RIGHT
from bot.core.role import Role
from bot.core.turn import CallKind
from bot.store.connection import Connection
from bot.store.folder_lock import utc_now
from bot.tools import Arguments, Tool, ToolContext
from bot.tools.files import file_tools
from bot.tools.memory import MEMORY_TOOL_NAMES as MEMORY
from bot.tools.schedules import SCHEDULE_TOOL_NAMES as SCHEDULES
from bot.tools.workspace_scope import make_scoped_tools
from channels.formatting import text_marked_if_possibly_repeated
from tests.rig import clubs, groups, schedules
from tests.rig.bugs import BUGS
from tests.rig.files import CLERK, HAS_DESK, change_desk, shown_files
from tests.rig.mail import COURIER, GUARDED, HAS_MAIL, READING, mail_tools
from tests.rig.rebuilding import as_claude_sends_it
from tests.rig.traces import INDEXED_AT_ONCE
from tests.rig.voices import HAS_EARS, VOICE, WorldTranscriber
from tests.rig.watching import Watched, root_of
from tests.rig.wire import WayToWorld, Wire
from tests.support.engine_options import DELEGATION_LIMITS, EngineOptions, engine_options, limits_with
from tests.support.fakes import Unpaced, pieces_of, played
from tests.support.labelled_pieces import cut_into_labelled_pieces

PART_LENGTH = 60  # so that a reply has several parts
TOWNSPEOPLE = tuple(f"p{number}" for number in range(50))  # of the simulator's town
OWNER_AT = Address(channel="tg", chat="owner")
ACCESS = Access(
    owner_id=PersonId("owner"),
    allowed_ids=frozenset({"ann", "bob", "eve", *TOWNSPEOPLE}),
    owner_address=OWNER_AT,
    others_rights=EVERY_RIGHT,
)
WORK = (
    "delegate",
    "list_delegations",
    "get_delegation",
    "cancel_delegation",
    "message",
    "ask_person",
    "read",
    "change",
    "bomb",
    *MEMORY,
)
FILES = ("read_file", "write_file")  # for groups, and for the roles below them
WORKERS = ("manager", "researcher", "analyst", "writer", "scribe", "bomb")
READER = "reader"  # only groups delegate to this role
PLATFORMS = ("tg", "dc", "wh")
DEFAULT_MODEL = "claude-sonnet-5-5"


WRITING_SECONDS = 0.004  # between two drafts, so that people see the first words of a reply


class WorldModel(Model):
    def __init__(self, wire: WayToWorld) -> None:
        self.wire = wire

    async def reply(self, request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        messages = [entry.as_json() for entry in request.transcript]
        fields = {
            "chapter": request.chapter_name,
            "role": played(request),
            "may_call": request.may_call_tools,
            "max_tokens": request.max_tokens,
            "prefix_tokens": request.prefix.estimated_tokens,
            "root": root_of(request.chapter_name.rsplit("/", 1)[0]),
        }
        request.meter.sent_at_loop_seconds = asyncio.get_running_loop().time()
        request.meter.sent = as_claude_sends_it(request)
        answer = await self.wire.ask("model", messages=messages, model=request.prefix.model, **fields)
        if "failed" in answer:
            raise RetryableModelFailure(answer["failed"], seconds=0.01, fault=answer["failed"])
        for text in [block["text"] for block in answer["content"] if block["type"] == "text"]:
            show(text[:4])
            await asyncio.sleep(WRITING_SECONDS)
            show(text)
        return ModelReply(
            content=answer["content"], usage=Usage(**answer["usage"]), stop_reason=StopReason(answer["stop"])
        )


class WorldChannel(Unpaced):
    """One platform. `dc` knows nonces and has a history, `wh` has only a history, `tg` neither: it marks repeats."""

    def __init__(self, name: str, wire: WayToWorld) -> None:
        self.name = name
        self.wire = wire
        self.nonce_memory_seconds = 120.0 if name == "dc" else 0.0
        self.board_edit_seconds = 0.05
        self.part_length = PART_LENGTH
        self.opened: set[Address] = set()  # threads, by this process

    async def run(self, door: InboundBus) -> None:
        offset = 0
        while True:
            updates = await self.wire.ask("updates", channel=self.name, offset=offset)
            if updates:
                await door.publish([inbound(update, self.wire.now()) for update in updates])
                offset = updates[-1]["id"] + 1  # the next request acknowledges these

    def lane(self, address: Address) -> str:
        return str(address)

    def split_into_parts(self, message: OutboundMessage) -> Sequence[str]:
        return cut_into_labelled_pieces(message, self.part_length)

    def has_editable_drafts(self, address: Address) -> bool:
        return self.name != "wh"

    async def send(self, part: MessagePart) -> PlatformId:
        address = part.message.address
        if address.thread and address not in self.opened and not part.message.is_summary:
            raise_trouble(await self.wire.ask("open", address=str(address)))
            self.opened.add(address)
        return PlatformId(await self.ask("send", part, nonce=part.nonce if self.name == "dc" else None))

    async def edit(self, id: PlatformId, part: MessagePart) -> None:
        await self.ask("edit", part, id=id)

    async def delete(self, address: Address, id: PlatformId) -> None:
        await self.wire.ask("delete", id=id)

    async def find_sent_part_id(
        self, part: MessagePart, since: datetime, known: Collection[PlatformId]
    ) -> PlatformId | None:
        text = part.text + shown_files(part)
        fields = {"address": shown_at(part), "text": text, "known": list(known), "since": since.isoformat()}
        found = await self.wire.ask("find", **fields)
        return PlatformId(found) if found else None

    def history_shows(self, message: OutboundMessage) -> bool:
        return self.name != "tg"

    @asynccontextmanager
    async def open_file(self, file: IncomingFile) -> AsyncIterator[AsyncIterator[bytes]]:
        answer = await self.wire.ask("fetch", reference=file.reference)
        if "error" in answer:
            raise FetchError(answer["error"], seconds=answer["seconds"])
        async with aclosing(pieces_of(answer["content"].encode())) as pieces:
            yield pieces

    async def leave_group_chat(self, group_chat: str) -> None:
        await self.wire.ask("leave", address=f"{self.name}:{group_chat}")

    async def show_draft(self, draft: Draft) -> None:
        pass

    async def ask(self, what: str, part: MessagePart, **more: Any) -> str:
        """Ask the world to show a part, and return its id. Raise the error that the world answers."""
        message = part.message
        fields = {"address": shown_at(part), "kind": message.kind, "role": message.role, **more}
        key, text = f"{message.id}:{part.number}", text_marked_if_possibly_repeated(part) + shown_files(part)
        answer = await self.wire.ask(what, text=text, key=key, options=message.options, **fields)
        raise_trouble(answer)
        return str(answer)


def shown_at(part: MessagePart) -> str:
    """Return where a part is shown: the summary of a thread in its channel, everything else at its address."""
    address = part.message.address
    return str(address.whole_chat if part.message.is_summary else address)


def raise_trouble(answer: Any) -> None:
    """Raise the error that the world answers, if it does."""
    match answer["error"] if isinstance(answer, dict) else None:
        case "delayed":
            raise DeliveryDelayed(answer["seconds"])
        case "away":
            raise NotDelivered("nobody answers")
        case "refused":
            raise DeliveryError("refused")
        case "cut":
            raise ConnectionResetError("cut off")


def inbound(update: dict[str, Any], now: datetime) -> InboundEvent:
    if update["kind"] == "rubbish":
        return UnreadableEvent(
            id=MessageId(f"rubbish:{update['id']}"), channel="tg", raw_event=update["text"], parse_error="rubbish"
        )
    id, address = MessageId(f"{update['address']}:{update['edits'] or update['id']}"), Address.parse(update["address"])
    group_chat = address.chat if clubs.is_club(update["address"]) else None
    sender = Sender(id=PersonId(update["person"]), name=update["person"].title())
    match update["kind"]:
        case "deleted":
            return MessageDeletedEvent(message=id, address=address)
        case "added":
            return BotAddedEvent(
                id=MessageId(f"added:{id}"),
                channel=address.channel,
                group_chat=address.chat,
                title=clubs.title_of(update["address"]),
                address=address,
                added_by=sender,
            )
        case "removed":
            return BotRemovedEvent(id=MessageId(f"removed:{id}"), channel=address.channel, group_chat=address.chat)
        case "overheard":
            overheard = inbound({**update, "kind": "text"}, now)
            assert isinstance(overheard, InboundMessage)
            return OverheardMessage(message=overheard)
    return InboundMessage(
        id=id,
        address=address,
        sender=sender,
        group_chat=group_chat,
        is_from_chat_admin=update["is_admin"],
        kind=InboundKind(update["kind"]),
        text=update["text"],
        question=QuestionId(update["question"]) if update["question"] else None,
        reply_to=PlatformId(update["reply_to"]) if update["reply_to"] else None,
        sent_at=now,
        is_edit=bool(update["edits"]),
        wants_summary=update["opens_thread"],
        files=tuple(IncomingFile(kind=kind_of_file(name), name=name, reference=name) for name in update["files"]),
        album=update["album"] or None,
    )


def kind_of_file(name: str) -> IncomingFileKind:
    return IncomingFileKind.VOICE if name.startswith(VOICE) else IncomingFileKind.FILE


def tools(wire: WayToWorld, desk: Path | None = None) -> list[Tool]:
    """Return the tools of the world. If there is a desk, a change of anything changes the files on it."""

    def tool(name: str, kind: CallKind) -> Tool:
        async def run(context: ToolContext, arguments: Arguments) -> str:
            if desk and name == "change":
                change_desk(desk, context.call_id)
            return str(await wire.ask("tool", call=context.call_id, name=name, root=context.turn.root))

        effects = frozenset({Effect.REPLACES} if kind is CallKind.CHANGE else ())
        return Tool(name=name, description=name, input_schema={}, kind=kind, effects=effects, run=run)

    return [tool("read", CallKind.READ), tool("change", CallKind.CHANGE), tool("bomb", CallKind.READ)]


class DyingStore(Watched):
    """Counts the commits that write anything. Kills the process before or after the commit that KILL names."""

    commits = 0
    changes = 0

    @classmethod
    def commit(cls, db: Connection) -> None:
        if db.total_changes != cls.changes:
            cls.commits, cls.changes = cls.commits + 1, db.total_changes
            die_at("before")
        super().commit(db)
        die_at("after")


def die_at(moment: str) -> None:
    if os.environ.get("KILL") == f"{moment}:{DyingStore.commits}":
        os.kill(os.getpid(), signal.SIGKILL)


def roles(
    model: str, *, has_desk: bool = False, has_clock: bool = False, has_mail: bool = False
) -> dict[RoleName, Role]:
    workers = frozenset(map(RoleName, [*WORKERS, *([CLERK] if has_desk else []), *([COURIER] if has_mail else [])]))
    work = [*WORK, *(["send_file"] if has_desk else []), *(SCHEDULES if has_clock else [])]
    work += [*READING, *GUARDED] if has_mail else []
    return {
        RoleName(name): Role(
            name=RoleName(name),
            prompt=name,
            tools=frozenset([*work, *FILES] if name == READER else work),
            delegates_to=workers if name in ("lead", "manager") else frozenset(),
            limits=replace(DELEGATION_LIMITS, iterations=10),
            model=model,
        )
        for name in ("lead", *sorted(workers), READER)
    }


def tools_of_groups(*, has_mail: bool) -> frozenset[str]:
    return frozenset([*WORK, *FILES, *([*READING, *GUARDED] if has_mail else [])])


def options(fields: Mapping[str, Any], store: type[Watched]) -> EngineOptions:
    """Return what the engine works with: settings of a scenario, and those that a deliberate bug changes."""
    quick = {
        "draft_delay_seconds": 0.0,
        "draft_edit_seconds": (0.01,),
        "delivery_retry_seconds": 0.01,
        "file_retry_seconds": 0.01,
        "leave_delay_seconds": 1.0,
        "stop_timeout_seconds": 0.3,
    }
    return engine_options(
        **{
            **quick,
            "approvals__enabled": False,  # most people of the rig answer only what models ask
            **fields,
            **store.settings,
            "turn": limits_with(**{"cost": Micros(3_000_000), **fields.get("turn", {})}),
        }
    )


async def main(folder: Path, socket: Path) -> None:
    DyingStore.max_jobs_per_commit = int(os.environ.get("GROUP", "64"))
    store = BUGS.get(os.environ.get("BUG", ""), DyingStore)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    started = os.environ.get(schedules.STARTED_VARIABLE)
    now = partial(schedules.read_clock, folder, float(started)) if started else utc_now
    wire, model = Wire(socket, now), os.environ.get("MODEL", DEFAULT_MODEL)
    settings, desk = json.loads(os.environ.get("SETTINGS", "{}")), folder / "workspace"
    has_clock, has_mail = settings.pop(schedules.HAS_CLOCK, False), settings.pop(HAS_MAIL, False)
    registered = groups.registered(folder, tools_of_groups(has_mail=has_mail), model)
    files = make_scoped_tools(file_tools, folder / "workspace", lambda: registered)
    if has_desk := settings.pop(HAS_DESK, False):
        settings |= {"workspace": desk, "writable_workspace": desk}
    has_ears, Watched.languages = settings.pop(HAS_EARS, False), tuple(settings.pop(INDEXED_AT_ONCE, ()))
    platforms = [WorldChannel(name, wire) for name in PLATFORMS]
    assembly = app.Assembly(
        model=WorldModel(wire),
        roles=roles(model, has_desk=has_desk, has_clock=has_clock, has_mail=has_mail),
        channels=platforms,
        data=folder,
        groups=lambda: registered,
        tools=[*tools(wire, desk if has_desk else None), *files, *(mail_tools(wire) if has_mail else [])],
        access=dict.fromkeys(PLATFORMS, ACCESS),
        transcriber=WorldTranscriber(wire) if has_ears else None,
        **options(settings, store),
        store=store,
        now=wire.now,
    )
    await app.run_bot(assembly, stop)
    # The loop closes the pipe that a signal writes to before it gives up its handlers. A SIGTERM between the two would
    # be an error in the log.
    asyncio.get_running_loop().remove_signal_handler(signal.SIGTERM)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print(DyingStore.commits)
