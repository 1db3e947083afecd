"""The Telegram channel: implements the bot's channel interface."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from datetime import datetime
from types import MappingProxyType

from bot.core.channel import HealthReport, InboundBus, MessagePart
from bot.core.errors import ConfigError, DeliveryError
from bot.core.incoming_files import IncomingFile
from bot.core.messages import Address, Draft, MessageId, MessageMark, OutboundMessage, PlatformId
from bot.core.network import DEFAULT_NETWORK_ACCESS, NetworkAccess
from bot.core.outgoing_files import PartContent
from channels.file_streams import FileServer
from channels.formatting import ACKNOWLEDGEMENT_ID_PREFIX
from channels.pacing import Backoff, CallPacing, PacingScope
from channels.telegram import model_texts, operator_texts
from channels.telegram.client import TelegramClient, TelegramHealth
from channels.telegram.files import TelegramFiles
from channels.telegram.ids import CHANNEL_NAME
from channels.telegram.memberships import TelegramMemberships
from channels.telegram.menus import ANY_LANGUAGE, MenuCommands, TelegramMenus
from channels.telegram.native_drafts import NativeDrafts
from channels.telegram.platform import DEFAULT_BOT_API_URL, TOKEN_PATTERN
from channels.telegram.polling import UpdatePoller, call_until_answered
from channels.telegram.reactions import TelegramReactions
from channels.telegram.rendering import render_message_parts
from channels.telegram.sending import TelegramSender
from channels.telegram.timing import TelegramRateLimits, TelegramTiming
from channels.telegram.update_reader import TelegramUpdateReader
from channels.telegram.uploads import max_upload_bytes, split_with_files
from channels.telegram.voices import TelegramVoices, Voice

NO_VOICES: Mapping[str, str] = MappingProxyType({})

log = logging.getLogger(__name__)


class Telegram:
    """One Telegram bot. `async with` closes its connections. They stay open after `run`, so that last messages can
    still go. `commands` are (name, help) for the menus, and `commands_by_language` the same by the code of a language,
    for people whose Telegram speaks it. `voices` are tokens of other bots, by the role that each speaks for. Raise
    ConfigError if a token is malformed."""

    name = CHANNEL_NAME
    nonce_memory_seconds = 0.0
    board_edit_seconds = 3.0
    surroundings: str = model_texts.SURROUNDINGS
    unfetched_keep_seconds: float | None = 24 * 3600.0

    def __init__(
        self,
        token: str,
        base_url: str = DEFAULT_BOT_API_URL,
        commands: Sequence[tuple[str, str]] = (),
        timing: TelegramTiming | None = None,
        rates: TelegramRateLimits | None = None,
        network: NetworkAccess = DEFAULT_NETWORK_ACCESS,
        voices: Mapping[str, str] = NO_VOICES,
        *,
        reactions: bool = False,
        native_drafts: bool = False,
        owner: int | None = None,
        commands_by_language: Mapping[str, MenuCommands] = MappingProxyType({}),
    ) -> None:
        self.bot_id = read_bot_id(token)
        self.rates = rates or TelegramRateLimits()
        self.timing = timing or TelegramTiming()
        self.pacing = CallPacing()
        # An earlier run may have used up what Telegram accepts in a second.
        self.pacing.pause_all_lanes(self.rates.all_calls_limit.window_seconds)
        self.all_calls_scope = PacingScope("bot", self.rates.all_calls_limit)  # of all the bot's calls
        self.connection_health = TelegramHealth(self.timing.conflict_memory_seconds)

        def connect(token: str, health: TelegramHealth | None) -> TelegramClient:
            return TelegramClient(token.strip(), base_url, self.timing, health, self.pacing, network)

        self._max_upload_bytes = max_upload_bytes(base_url)
        self.client = connect(token, self.connection_health)
        by_role = {
            role.casefold(): Voice(bot_id=read_bot_id(token), client=connect(token, None))
            for role, token in voices.items()
        }
        menus = {ANY_LANGUAGE: commands, **commands_by_language}
        self.menus = TelegramMenus(client=self.client, commands_by_language=menus, owner=owner)
        self.native_drafts = NativeDrafts(self.client, native_drafts)
        self.client.asks_for_stops = native_drafts
        self.memberships = TelegramMemberships(self.client, self.bot_id)
        self.has_reactions = reactions
        self.reactions = TelegramReactions(
            self.client, self.bot_id, self.pacing, self.all_calls_scope, self.rates.reaction_limit
        )
        server = FileServer(platform="Telegram", network=network, timing=self.timing.download, trusts_environment=True)
        self.files = TelegramFiles(self.client, token.strip(), base_url, server)
        self.max_download_bytes = self.files.max_download_bytes
        self.sender = TelegramSender(self.client, self.bot_id, TelegramVoices(by_role))

    async def __aenter__(self) -> Telegram:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.close()
        for voice in self.sender.voices.by_role.values():
            await voice.client.close()

    async def run(self, door: InboundBus) -> None:
        patience = Backoff(self.timing.first_retry_seconds, self.timing.max_retry_seconds)
        me = await call_until_answered(
            lambda: self.client.call("getMe", lambda bot: bot.get_me()),
            self.connection_health,
            patience,
            self.timing.refused_token_retry_seconds,
        )
        username, chats = me.username or "", self.sender.forum_chats
        reader = TelegramUpdateReader(
            bot_id=self.bot_id,
            bot_username=username,
            forum_chats=chats,
            voice_ids=self.sender.voices.bot_ids,
            reads_all=bool(me.can_read_all_group_messages),
        )
        self.memberships.reads_all = reader.reads_all
        poller = UpdatePoller(self.client, self.connection_health, reader, self.sender, self.memberships, self.menus)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.menus.set_changed_menus(door), name="telegram menus")
            await poller.run(door)

    def health(self) -> HealthReport:
        return self.connection_health.health()

    def lane(self, address: Address) -> str:
        return address.chat

    async def wait_for_pace(self, address: Address) -> None:
        await self.pacing.book_slot_and_wait(address.chat, self.pacing_scopes(address, "chat"))

    def has_room_for_cosmetic_message(self, address: Address, *, is_edit: bool) -> bool:
        scopes = self.pacing_scopes(address, *(["edits"] if is_edit else []))
        is_paused = self.pacing.remaining_lane_pause_seconds(address.chat) > 0
        return not is_paused and self.pacing.has_unreserved_room(address.chat, scopes)

    def split_into_parts(self, message: OutboundMessage) -> Sequence[str]:
        return [piece.text for piece in render_message_parts(message)]

    def split_with_files(self, message: OutboundMessage) -> Sequence[PartContent]:
        return split_with_files(message)

    def max_upload_bytes(self, address: Address) -> int | None:
        return self._max_upload_bytes

    def has_editable_drafts(self, address: Address) -> bool:
        if self.native_drafts.are_used_at(address):
            return False
        return not address.chat.startswith("-")  # people have positive numbers, all other chats negative ones

    async def send(self, part: MessagePart) -> PlatformId:
        async with AsyncExitStack() as counted:
            for _ in part.files[1:]:  # an album is as many messages as it has files
                of_minute = PacingScope(("minute", part.message.address.chat), self.rates.chat_minute_limit)
                call = self.pacing.wait_and_count_call(("album", part.message.address.chat), [of_minute])
                await counted.enter_async_context(call)
            await counted.enter_async_context(self.wait_and_count_call(part))
            told = await self.sender.try_to_send_as_tap_answer(part) or await self.sender.try_to_react(part)
            if told:
                return told
            async with self.native_drafts.kept_off(part.message.address):
                return await self.sender.send(part)

    async def edit(self, id: PlatformId, part: MessagePart) -> None:
        if id.startswith(ACKNOWLEDGEMENT_ID_PREFIX):
            return
        edits, *_ = self.pacing_scopes(part.message.address, "edits")
        async with self.pacing.wait_and_count_call(edits.name, [edits]), self.wait_and_count_call(part):
            await self.sender.edit(id, part)

    async def delete(self, address: Address, id: PlatformId) -> None:
        if not id.startswith(ACKNOWLEDGEMENT_ID_PREFIX):
            await self.sender.delete(address, id)

    async def find_sent_part_id(
        self, part: MessagePart, since: datetime, known: Collection[PlatformId]
    ) -> PlatformId | None:
        return None

    def history_shows(self, message: OutboundMessage) -> bool:
        return False

    async def show_draft(self, draft: Draft) -> None:
        """Show the text as a draft of Telegram's, or that the bot is typing. Typing is seen for five seconds, or until
        the next message."""
        if draft.text and self.native_drafts.are_used_at(draft.address):
            return await self.show_native_draft(draft)
        typing = PacingScope(("typing", draft.address), self.rates.typing_limit)
        scopes = [typing, self.all_calls_scope]
        is_paused = self.pacing.remaining_lane_pause_seconds(draft.address.chat) > 0
        if is_paused or not self.pacing.has_unreserved_room(typing.name, scopes):
            return
        try:
            async with self.pacing.wait_and_count_call(typing.name, scopes):
                await self.sender.show_typing(draft.address)
        except (DeliveryError, OSError) as error:
            log.debug(operator_texts.LOG_TYPING_NOT_SHOWN, error)

    async def show_native_draft(self, draft: Draft) -> None:
        drafts = PacingScope(("draft", draft.address.chat), self.rates.draft_limit)
        scopes = [drafts, self.all_calls_scope]
        is_paused = self.pacing.remaining_lane_pause_seconds(draft.address.chat) > 0
        if is_paused or not self.pacing.has_unreserved_room(drafts.name, scopes):
            return
        async with self.pacing.wait_and_count_call(drafts.name, scopes):
            await self.native_drafts.show(draft)

    async def leave_group_chat(self, group_chat: str) -> None:
        await self.memberships.leave(group_chat)

    async def mark_message(self, address: Address, message: MessageId, mark: MessageMark) -> None:
        await self.reactions.mark_message(address, message, mark)

    def open_file(self, file: IncomingFile) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        return self.files.open(file, [self.all_calls_scope])

    def wait_and_count_call(self, part: MessagePart) -> AbstractAsyncContextManager[None]:
        address = part.message.address
        own = [] if part.message.is_cosmetic else ["chat"]
        return self.pacing.wait_and_count_call(address.chat, self.pacing_scopes(address, *own))

    def pacing_scopes(self, address: Address, *own: str) -> list[PacingScope]:
        """Return the scopes of a call to a chat. `own`: "chat" for what must be delivered, "edits" for an edit."""
        rates = self.rates
        windows = {
            "chat": rates.chat_delivery_limit,
            "edits": rates.chat_edit_limit,
            "burst": rates.chat_burst_limit,
            "minute": rates.chat_minute_limit,
        }
        names = (*own, "burst", "minute")
        return [*(PacingScope((name, address.chat), windows[name]) for name in names), self.all_calls_scope]


def read_bot_id(token: str) -> int:
    """Return the bot's id in its token. Raise ConfigError if the token is malformed."""
    if not (found := TOKEN_PATTERN.fullmatch(token.strip())):
        raise ConfigError(operator_texts.TOKEN_FORM)
    return int(found[1])
