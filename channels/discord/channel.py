"""The Discord channel: implements the bot's channel interface and connects the parts of this folder."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import datetime

from bot.core.channel import GetRolePicture, HealthReport, InboundBus, MessagePart
from bot.core.command_menus import CommandMenu
from bot.core.errors import ConfigError, DeliveryDelayed, DeliveryError, NotDelivered
from bot.core.incoming_files import IncomingFile
from bot.core.messages import Address, Draft, MessageId, MessageMark, OutboundKind, OutboundMessage, PlatformId
from bot.core.network import DEFAULT_NETWORK_ACCESS, NetworkAccess
from bot.core.outgoing_files import PartContent
from channels.discord import model_texts, operator_texts, people_texts
from channels.discord.api import ALL_CALLS_SCOPE_NAME, DiscordApi
from channels.discord.choices import CommandChoices
from channels.discord.event_queue import Backfill, EventQueue, parse_gateway_payload
from channels.discord.files import DiscordFiles
from channels.discord.gateway import COMMANDS_FAULT, DiscordHealth, GatewayConnection, set_library_urls_and_log_levels
from channels.discord.history_members import HistoryMembers
from channels.discord.ids import CHANNEL_NAME, parse_interaction_id
from channels.discord.interactions import PendingInteractions
from channels.discord.locales import menus_by_locale
from channels.discord.locations import ChannelDirectory, is_private_chat
from channels.discord.memberships import leave_server
from channels.discord.message_reader import DiscordMessageReader
from channels.discord.reactions import DiscordReactions
from channels.discord.recent_talk import RecentTalk
from channels.discord.rendering import render_message_texts
from channels.discord.sending import DiscordSender
from channels.discord.slash_commands import sync_slash_commands
from channels.discord.threads import RequestThreads
from channels.discord.timing import DEFAULT_TIMING, DiscordTiming
from channels.discord.uploads import split_with_files
from channels.discord.voices import RoleVoices
from channels.file_streams import FileServer
from channels.formatting import ACKNOWLEDGEMENT_ID_PREFIX, text_marked_if_possibly_repeated
from channels.pacing import CallPacing, PacingScope

HEARTBEAT_ANSWER_OPCODE, EVENT_OPCODE = 11, 0  # the gateway's op codes

log = logging.getLogger(__name__)


def without_what_is_for_one_person(part: MessagePart, asked: MessageId) -> MessagePart:
    """Return what everybody may read in place of a log for which somebody has tapped or typed a slash command. It is
    the same for each part of the log, and has the same nonce, so it is there once."""
    interaction = parse_interaction_id(asked)
    return replace(part, text=people_texts.ASK_AGAIN(), nonce=interaction, files=()) if interaction else part


class Discord:
    """One Discord bot. It offers `commands`, each (name, help), as slash commands, and also in the
    languages of `menus`, where the first has the same commands. Raise ConfigError if the token is malformed.
    `role_label` and `threads` are the settings of these names. `base_url` and `gateway_url` apply to the
    whole process: the library keeps them in its classes."""

    name = CHANNEL_NAME
    nonce_memory_seconds = 0.0  # it has nonces, but its history shows more
    board_edit_seconds = 3.0
    surroundings: str = model_texts.SURROUNDINGS
    unfetched_keep_seconds: float | None = None
    max_download_bytes: int | None = None

    def __init__(
        self,
        token: str,
        base_url: str = "https://discord.com/api/v10",
        gateway_url: str | None = None,
        commands: Sequence[tuple[str, str]] = (),
        timing: DiscordTiming = DEFAULT_TIMING,
        network: NetworkAccess = DEFAULT_NETWORK_ACCESS,
        *,
        role_label: bool = True,
        threads: bool = False,
        reactions: bool = False,
        forum_posts: bool = False,
        answer_in: frozenset[str] = frozenset(),
        reads_roles: bool = False,
        menus: Sequence[CommandMenu] = (),
        get_picture: GetRolePicture = lambda role: b"",
    ) -> None:
        if not re.fullmatch(r"[!-~]+", token):
            raise ConfigError(operator_texts.TOKEN_FORM)
        self.urls = base_url, gateway_url
        self.commands = commands
        self.menus = menus_by_locale(menus)
        self.timing = timing
        self.connection_health = DiscordHealth()
        self.gateway = GatewayConnection(token, self.connection_health, timing, network)
        self.pacing = CallPacing()
        seconds = timing.request_timeout_seconds
        self.api = DiscordApi(lambda: self.gateway.client, self.connection_health, self.pacing, seconds)
        server = FileServer(platform="Discord", network=network, timing=timing.download)
        self.files = DiscordFiles(api=self.api, server=server, base_url=base_url)
        self.directory = ChannelDirectory(lambda: self.gateway.client, self.api)
        quick_api = self.api.in_one_attempt(timing.cosmetic_call_timeout_seconds)
        voices = RoleVoices(self.api, quick_api, self.directory, get_picture, role_label)
        self.threads = RequestThreads(self.api, self.directory, threads)
        self.sender = DiscordSender(self.api, quick_api, voices, self.threads)
        self.answers_forum_posts = forum_posts
        self.answer_in = answer_in
        self.has_reactions = reactions
        all_calls = PacingScope(ALL_CALLS_SCOPE_NAME, timing.all_calls_limit)
        self.reactions = DiscordReactions(quick_api, all_calls, timing.reaction_limit)
        self.interactions = PendingInteractions(self.api, timing, self.menus)
        members = HistoryMembers(self.api, is_on=reads_roles)
        self.backfill = Backfill(self.api, self.directory, self.make_message_reader, timing, members)
        self.event_queue = EventQueue(
            self.directory,
            self.interactions,
            self.backfill,
            self.make_message_reader,
            RecentTalk(quick_api),
            CommandChoices(quick_api),
        )
        self._bot = ""  # the bot's id, after the first sign-in
        self._is_new = asyncio.Event()

    async def run(self, door: InboundBus) -> None:
        set_library_urls_and_log_levels(*self.urls)
        await self.threads.load(door)
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self.event_queue.publish_queued_events(door), name="discord events")
                tasks.create_task(self.backfill.run_page_readers(door), name="discord backfill")
                tasks.create_task(self.sync_commands_at_each_sign_in(), name="discord commands")
                await self.gateway.run(self.on_sign_in, self.on_gateway_payload)
        except BaseExceptionGroup as group:
            if isinstance(error := group.exceptions[0], ConfigError):
                raise error from None
            raise

    def health(self) -> HealthReport:
        return self.connection_health.health()

    def on_gateway_payload(self, payload: str) -> None:
        """Take a payload of the gateway, and queue its event before returning."""
        self.gateway.payload_count += 1
        kind, name, raw = parse_gateway_payload(payload)
        if kind == HEARTBEAT_ANSWER_OPCODE:
            self.connection_health.record_heartbeat_answer()
        elif name in ("READY", "RESUMED"):
            self.gateway.on_session_ready()
        if kind in (EVENT_OPCODE, None):
            self.event_queue.enqueue_if_relevant(name, raw)

    def on_sign_in(self) -> None:
        user = self.gateway.client.user if self.gateway.client else None
        assert user, "the bot has signed in"
        self._bot = str(user.id)
        log.info(operator_texts.LOG_SIGNED_IN, user.name)
        self._is_new.set()

    async def sync_commands_at_each_sign_in(self) -> None:
        """Register our commands with Discord at each sign-in, and try again until that works."""
        while True:
            await self._is_new.wait()
            self._is_new.clear()
            try:
                await sync_slash_commands(self.api, self._bot, self.commands, self.menus)
                self.connection_health.clear_faults(COMMANDS_FAULT)
            except (DeliveryError, OSError) as error:
                self._is_new.set()
                self.connection_health.report_fault(COMMANDS_FAULT, operator_texts.COMMANDS_NOT_OFFERED(why=error))
                await asyncio.sleep(self.timing.max_retry_seconds)

    def make_message_reader(self) -> DiscordMessageReader:
        names = frozenset(f"/{name.removeprefix('/')}" for name, _ in self.commands)
        return DiscordMessageReader(
            bot_id=self._bot,
            command_names=names,
            name_lookup=self.directory,
            threads=self.threads,
            answer_in=self.answer_in,
            answers_forum_posts=self.answers_forum_posts,
        )

    def lane(self, address: Address) -> str:
        return address.thread or address.chat

    async def wait_for_pace(self, address: Address) -> None:
        await self.pacing.book_slot_and_wait(self.lane(address), self.pacing_scopes("messages", address))

    def has_room_for_cosmetic_message(self, address: Address, *, is_edit: bool) -> bool:
        lane = self.lane(address)
        if is_edit:
            return self.pacing.has_unreserved_room(("edits", lane), self.pacing_scopes("edits", address))
        return self.pacing.has_unreserved_room(lane, self.pacing_scopes("messages", address))

    def split_into_parts(self, message: OutboundMessage) -> Sequence[str]:
        return render_message_texts(message)

    def split_with_files(self, message: OutboundMessage) -> Sequence[PartContent]:
        return split_with_files(message)

    def max_upload_bytes(self, address: Address) -> int | None:
        return self.directory.max_upload_bytes(address)

    def has_editable_drafts(self, address: Address) -> bool:
        return is_private_chat(address)

    def pacing_scopes(self, what: str, address: Address) -> list[PacingScope]:
        """Return the scopes of a call: its channel's messages, edits or typing, and all the bot's calls."""
        timing = self.timing
        limits = {"messages": timing.message_limit, "edits": timing.edit_limit, "typing": timing.typing_limit}
        all_calls = PacingScope(ALL_CALLS_SCOPE_NAME, timing.all_calls_limit)
        return [PacingScope((what, self.lane(address)), limits[what]), all_calls]

    async def send(self, part: MessagePart) -> PlatformId:
        message = part.message
        address = message.address
        asked = message.reply_to if message.kind is OutboundKind.NOTICE else None
        async with self.pacing.wait_and_count_call(self.lane(address), self.pacing_scopes("messages", address)):
            if asked and (answered := await self.interactions.try_to_answer_and_get_interaction_id(asked, part)):
                return PlatformId(f"{ACKNOWLEDGEMENT_ID_PREFIX}{answered}")
            part = replace(part, text=text_marked_if_possibly_repeated(part))
            if asked and message.is_folded and not is_private_chat(address):
                part = without_what_is_for_one_person(part, asked)
            return await self.sender.try_to_react(part) or await self.sender.send(part, self._bot)

    async def edit(self, id: PlatformId, part: MessagePart) -> None:
        if id.startswith(ACKNOWLEDGEMENT_ID_PREFIX):
            return
        address = part.message.address
        lane, kind = self.lane(address), "edits" if part.message.is_cosmetic else "messages"
        # The courier has waited for a slot of the chat's lane.
        slot_lane = ("edits", lane) if part.message.is_cosmetic else lane
        try:
            async with self.pacing.wait_and_count_call(slot_lane, self.pacing_scopes(kind, address)):
                await self.sender.edit(id, part)
        except DeliveryDelayed as delay:  # Discord counts edits separately
            raise DeliveryDelayed(delay.seconds, holds_lane=not part.message.is_cosmetic) from None

    async def delete(self, address: Address, id: PlatformId) -> None:
        if not id.startswith(ACKNOWLEDGEMENT_ID_PREFIX):
            await self.sender.delete(address, id)

    async def find_sent_part_id(
        self, part: MessagePart, since: datetime, known: Collection[PlatformId]
    ) -> PlatformId | None:
        if not self._bot:
            raise NotDelivered(operator_texts.NOT_SIGNED_IN)
        return await self.sender.search_history_for_own_message(part, since, self._bot, known)

    def history_shows(self, message: OutboundMessage) -> bool:
        """Return False for what may be the answer to a tap or a slash command: only its person sees that."""
        is_answer = message.kind is OutboundKind.NOTICE and message.reply_to
        return not (is_answer and parse_interaction_id(is_answer))

    async def show_draft(self, draft: Draft) -> None:
        counted = self.pacing_scopes("typing", draft.address)
        if not self.pacing.has_unreserved_room(counted[0].name, counted):
            return
        try:
            async with self.pacing.wait_and_count_call(counted[0].name, counted):
                await self.threads.show_typing(draft.address)
        except (DeliveryError, OSError) as error:
            log.debug(operator_texts.LOG_TYPING_NOT_SHOWN, draft.address, error)

    async def leave_group_chat(self, group_chat: str) -> None:
        await leave_server(self.api, group_chat)

    async def mark_message(self, address: Address, message: MessageId, mark: MessageMark) -> None:
        await self.reactions.mark_message(address, message, mark)

    def open_file(self, file: IncomingFile) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        return self.files.open(file)
