"""The bot as the command builds it, but with a chat in memory; and beside it the bare SDK with the same requests."""

import asyncio
import gc
import os
import tempfile
import time
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from bot import app
from bot.assembly import load_roles_with_warnings, make_tools_and_workspace_folder
from bot.config import Config, LoadedConfig
from bot.config.resolved_settings import resolve_settings
from bot.core.access import Access
from bot.core.channel import Channel, InboundBus, MessagePart, PublishFunction
from bot.core.limits import Timings
from bot.core.messages import (
    Address,
    Draft,
    InboundMessage,
    MessageId,
    OutboundKind,
    OutboundMessage,
    PersonId,
    PlatformId,
    Sender,
)
from bot.core.model import Model, ModelReply, ModelRequest, ShowTextCallback
from bot.core.prices import MILLION, Micros
from bot.core.rights import EVERY_RIGHT
from bot.models.claude import Claude
from bot.models.claude.request_body import build_request_body
from bot.models.claude.traits import traits_from_table
from bot.ops.garbage_collector import USUAL_THRESHOLDS, freeze_and_collect_again
from bot.store import Store
from tests.support.engine_options import change_settings
from tests.support.fakes import Unpaced

KEY = "sk-ant-stand-in"
ANN = Sender(id=PersonId("Ann"), name="Ann")
ACCESS = {"bench": Access(owner_id=ANN.id)}
NO_CAP = Micros(10**15)  # with the default caps of a day, reservations would limit how many requests are in flight


class Chat(Unpaced):
    """A platform that takes no time: what is measured is the bot's."""

    name = "bench"
    nonce_memory_seconds = 0.0
    board_edit_seconds = 2.0
    _ids = count(1)  # of all chats, so that a bot that comes back to its folder meets new messages

    def __init__(self) -> None:
        self._waiting: dict[str, asyncio.Future[str]] = {}
        self._publish: PublishFunction | None = None
        self._is_open = asyncio.Event()

    async def is_open(self) -> None:
        """Wait until the bot hears."""
        await self._is_open.wait()

    async def ask(self, text: str, chat: str) -> str:
        """Write, and wait for the reply."""
        await self.is_open()
        assert self._publish
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting[chat] = answer
        address, id = Address(channel=self.name, chat=chat), MessageId(f"m{next(self._ids)}")
        await self._publish([InboundMessage(id=id, address=address, sender=ANN, text=text, sent_at=datetime.now(UTC))])
        return await answer

    async def run(self, door: InboundBus) -> None:
        self._publish = door.publish
        self._is_open.set()
        await asyncio.Event().wait()

    def lane(self, address: Address) -> str:
        return address.chat

    def split_into_parts(self, message: OutboundMessage) -> Sequence[str]:
        return [message.text]

    def has_editable_drafts(self, address: Address) -> bool:
        return False

    async def send(self, part: MessagePart) -> PlatformId:
        if part.message.kind in (OutboundKind.REPLY, OutboundKind.NOTICE):
            self._waiting.pop(part.message.address.chat).set_result(part.text)
        return PlatformId(part.nonce)

    async def edit(self, id: PlatformId, part: MessagePart) -> None:
        pass

    async def delete(self, address: Address, id: PlatformId) -> None:
        pass

    async def find_sent_part_id(
        self, part: MessagePart, since: datetime, known: Collection[PlatformId]
    ) -> PlatformId | None:
        return None

    def history_shows(self, message: OutboundMessage) -> bool:
        return False

    async def show_draft(self, draft: Draft) -> None:
        pass


class Watched:
    """A model that remembers its newest request, so that the bare SDK can make the same."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.newest: ModelRequest | None = None

    async def reply(self, request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        self.newest = request
        return await self.model.reply(request, show)

    def body(self) -> dict[str, Any]:
        assert self.newest, "nothing was asked yet"
        body = build_request_body(self.newest, "bench", traits_from_table(self.newest.prefix.model))
        betas, extra = body.pop("betas", ()), {name: body.pop(name) for name in ("fallbacks",) if name in body}
        return {**body, "extra_headers": {"anthropic-beta": ",".join(betas)} if betas else {}, "extra_body": extra}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bot:
    chat: Chat
    model: Watched
    folder: Path

    async def ask(self, text: str, chat: str = "room") -> str:
        return await self.chat.ask(text, chat)


@asynccontextmanager
async def running(
    url: str,
    *,
    store: type[Store] = Store,
    model: Model | None = None,
    channels: Sequence[Channel] = (),
    data: Path | None = None,
    **more: Any,
) -> AsyncIterator[Bot]:
    """The bot at work, with the shipped roles and all tools, in this folder, or else one of its own. `more` are
    settings of it.

    `channels` are open to everybody, beside the chat in memory.
    """
    with nullcontext(data) if data else folder() as data:
        config = Config(workspace=data / "workspace", data_dir=data)
        changes = {"chat_day": NO_CAP, "day": NO_CAP, "limits__turn_usd": NO_CAP / MILLION, **more}
        until, chat = asyncio.Event(), Chat()
        async with Claude(KEY, url, b"bench", is_anthropic=True) as claude, asyncio.TaskGroup() as owner:
            watched = Watched(model or claude)
            roles, tools = (
                load_roles_with_warnings(LoadedConfig(config=config, path=None)),
                make_tools_and_workspace_folder(config),
            )
            access = ACCESS | {channel.name: Access(is_public=True, others_rights=EVERY_RIGHT) for channel in channels}
            all_channels = [chat, *channels]
            assembly = app.Assembly(
                model=watched,
                roles=roles,
                channels=all_channels,
                data=data,
                tools=tools,
                access=access,
                settings=change_settings(config, **changes),
                resolved=resolve_settings(config),
                timings=Timings(stop_timeout_seconds=0),
                store=store,
            )
            owner.create_task(app.run_bot(assembly, until), name="bot")
            await claude.get_or_open_client()  # as every bot does by itself at its start
            freeze_and_collect_again()
            try:
                yield Bot(chat=chat, model=watched, folder=data)
            finally:
                gc.set_threshold(*USUAL_THRESHOLDS)
                gc.unfreeze()
            until.set()


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="retinue-bench-") as name:
        yield Path(name)


class Bare:
    """The SDK alone: as it comes, or with its client on aiohttp."""

    def __init__(self, url: str, *, on_aiohttp: bool = False) -> None:
        import anthropic  # here: who measures memory and starts must not pay for it

        http = anthropic.DefaultAioHttpClient() if on_aiohttp else None
        self.client = anthropic.AsyncAnthropic(api_key=KEY, base_url=url, http_client=http)

    async def __aenter__(self) -> Self:
        gc.freeze()  # a program of ten lines has few objects, so its garbage collector does not look at the bench's
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.client.close()
        gc.unfreeze()

    async def ask(self, body: dict[str, Any]) -> str:
        async with self.client.messages.stream(**body) as stream:
            return str(await stream.get_final_text())

    async def most_at_once(self) -> int:
        """The most requests that were in flight since this was asked last."""
        return int(str(await self.client.get("/most", cast_to=object)))


def seconds_to_sync(folder: Path, bytes_written: int = 16_384) -> float:
    """How long the disk takes for one commit: as much as a small one writes, and the wait for it to be there."""
    with open(folder / "sync", "ab") as file:
        file.write(b"\0" * bytes_written)
        file.flush()
        began = time.perf_counter()
        os.fdatasync(file.fileno())
        return time.perf_counter() - began
