"""Voices: bots that only send. Each speaks for one role, in the supergroups where it is a member.

Only in supergroups a message has the same number for all bots, so that replies and edits find it. The stored id of a
voice's message names the voice: no other bot can edit it. Questions and boards come from the bot itself, because
Telegram tells a tap only to the bot that sent the button, and in privacy mode a reply only to the bot replied to.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bot.core.errors import ChatClosed
from bot.core.messages import OutboundKind, OutboundMessage
from channels.formatting import buttons_of_message
from channels.telegram import operator_texts
from channels.telegram.client import TelegramClient, TokenRefused

VOICE_REFUSALS = (ChatClosed, TokenRefused)  # the voice cannot speak there, but the bot itself may
SECONDS_WITHOUT_VOICE = 3600.0  # after such a refusal: the bot speaks meanwhile
LAST_GROUP_ID = -(10**12)  # of the small groups: supergroups have ids below
EVERY_CHAT = "*"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    bot_id: int
    client: TelegramClient


@dataclass
class TelegramVoices:
    """The voices of one bot. `by_role`: by the role's name in lower case."""

    by_role: Mapping[str, Voice] = field(default_factory=dict)
    now: Callable[[], float] = time.monotonic
    _retry_at: dict[tuple[int, str], float] = field(default_factory=dict)  # by voice and chat

    @property
    def bot_ids(self) -> frozenset[int]:
        return frozenset(voice.bot_id for voice in self.by_role.values())

    def voice_for_message(self, message: OutboundMessage) -> Voice | None:
        """Return the voice that should send a message, or None if the bot itself should."""
        voice = self.by_role.get((message.role or "").casefold())
        chat = message.address.chat
        if voice is None or int(chat) > LAST_GROUP_ID:
            return None
        if message.kind in (OutboundKind.QUESTION, OutboundKind.APPROVAL, OutboundKind.BOARD) or buttons_of_message(
            message
        ):
            return None
        now = self.now()
        is_silent = any(now < self._retry_at.get((voice.bot_id, each), 0.0) for each in (chat, EVERY_CHAT))
        return None if is_silent else voice

    def client_of_bot(self, bot_id: int | None) -> TelegramClient | None:
        return next((voice.client for voice in self.by_role.values() if voice.bot_id == bot_id), None)

    def leave_to_bot(self, voice: Voice, message: OutboundMessage, refusal: Exception) -> None:
        """Let the bot speak in place of a voice for a while."""
        chat = EVERY_CHAT if isinstance(refusal, TokenRefused) else message.address.chat
        log.warning(operator_texts.LOG_NO_VOICE, message.role, message.address.chat, refusal)
        self._retry_at[voice.bot_id, chat] = self.now() + SECONDS_WITHOUT_VOICE
