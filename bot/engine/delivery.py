"""Deliver a message to a platform, part by part: send it, edit it, or find it if it may be there already."""

import asyncio
import base64
import hashlib
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from bot.core.channel import Channel, MessagePart
from bot.core.errors import DeliveryDelayed, DeliveryError, NotDelivered
from bot.core.limits import TermsNow
from bot.core.messages import OutboundId, OutboundKind, OutboundMessage, PlatformId
from bot.core.texts import logs
from bot.journal.delivery import RemainingWork, finish_delivery
from bot.store import Store, delivery, outbox
from bot.store.connection import Connection
from bot.store.delivery import Delivery

NONCE_LENGTH = 25

log = logging.getLogger(__name__)


class MessageDelivery:
    def __init__(self, channel: Channel, store: Store, terms: TermsNow) -> None:
        self.channel = channel
        self.store = store
        self.terms = terms

    async def deliver(self, sent: Delivery, then: Callable[[Connection], RemainingWork]) -> RemainingWork:
        """Deliver the parts that are not known to be shown, and write down each. Call `then` in the transaction of
        the last part, and return its result."""
        message = sent.message
        # Splitting can be slow. A withdrawn message has no parts: all that is shown of it is deleted.
        texts = () if message.is_withdrawn else await asyncio.to_thread(self.channel.parts, message)
        last: tuple[MessagePart, PlatformId] | None = None
        for number in range(sent.shown, len(texts)):
            if last:
                await self.store.write(delivery.mark_part_shown, *last, self.terms().now)
                await self.channel.pace(message.address)
            part = make_part(message, texts, number, sent.said_at)
            last = part, await self.put_part(part, sent)
        for id in sent.platform_ids[len(texts) :]:
            await self.channel.delete(message.address, id)
        pause = self.channel.board_seconds if message.kind is OutboundKind.BOARD else 0.0

        def arrived(db: Connection) -> RemainingWork:
            if last:
                delivery.mark_part_shown(db, *last, self.terms().now)
            finish_delivery(db, message, len(texts), self.terms().now, rest=pause)
            return then(db)

        rest = await self.store.write(arrived)
        if message.replaces and (ids := await self.store.read(outbox.platform_ids_of, message.replaces)):
            return await self.delete_replaced(message, message.replaces, ids, then) or rest
        return rest

    async def delete_replaced(
        self,
        shown: OutboundMessage,
        replaced: OutboundId,
        ids: Sequence[PlatformId],
        then: Callable[[Connection], RemainingWork],
    ) -> RemainingWork | None:
        """Delete the message that this shown message has replaced. Return None if that fails: the row of the
        replaced message says that it must still be deleted."""

        def is_deleted(db: Connection) -> RemainingWork:
            delivery.mark_deleted(db, replaced)
            return then(db)

        try:
            for id in ids:
                await self.channel.delete(shown.address, id)
        except (DeliveryError, OSError) as error:
            log.debug(logs.STILL_THERE, replaced, error)
            return None
        return await self.store.write(is_deleted)

    async def put_part(self, part: MessagePart, sent: Delivery) -> PlatformId:
        """Edit the part that is already there, or send a new message. If no edit is allowed now, a message that
        must be seen does not wait: delete the old part and send a new one."""
        if part.number < len(sent.platform_ids):
            id, message = sent.platform_ids[part.number], part.message
            if message.is_cosmetic or self.channel.has_room(message.address, is_edit=True):
                if await self.edit_or_delete(id, part):
                    return id
            else:
                with suppress(DeliveryError):
                    await self.channel.delete(message.address, id)
        # In doubt is only the first part not known to be shown, or the first new one if that part was to be edited.
        is_first = part.number in (sent.shown, len(sent.platform_ids))
        if sent.unknown_since is None or not (is_first or sent.is_all_in_doubt):
            return await self.channel.send(part)
        return await self.send_or_find(part, sent)

    async def edit_or_delete(self, id: PlatformId, part: MessagePart) -> bool:
        """Edit a part. If that is impossible, delete the old part and return False. Raise DeliveryError for a
        cosmetic message, which is not worth a new one."""
        try:
            await self.channel.edit(id, part)
        except (DeliveryDelayed, NotDelivered):
            raise
        except DeliveryError:
            if part.message.is_cosmetic:
                raise
            with suppress(DeliveryError):  # most likely it is gone, so it could not be edited
                await self.channel.delete(part.message.address, id)
            return False
        return True

    async def send_or_find(self, part: MessagePart, sent: Delivery) -> PlatformId:
        """Send a part that may have arrived already. The platform recognizes the repeat by its nonce, or has a
        history to find it in. Otherwise the part is visibly marked. No part is silently lost or silently doubled."""
        assert sent.unknown_since
        age = (self.terms().now - sent.unknown_since).total_seconds()
        if age < self.channel.nonce_seconds:
            return await self.channel.send(part)
        if not self.channel.has_history:
            return await self.channel.send(replace(part, may_repeat=True))
        known = await self.store.read(delivery.platform_ids_at, part.message.address)  # they may say the same
        return await self.channel.find(part, sent.unknown_since, known) or await self.channel.send(part)


def make_part(
    message: OutboundMessage, texts: Sequence[str], number: int, said_at: datetime | None = None
) -> MessagePart:
    """Return one part of a message. A platform recognizes a repeat by its nonce.

    The nonce includes the time, because after a restore an open turn may say something else under an id that the
    platform already knows.
    """
    digest = hashlib.sha256(f"{message.id}:{said_at}:{number}:{message.revision}".encode()).digest()
    return MessagePart(
        message=message,
        text=texts[number],
        number=number,
        nonce=base64.b32encode(digest).decode()[:NONCE_LENGTH],
        is_last=number == len(texts) - 1,
        may_repeat=False,
    )
