"""Deliver a message to a platform, part by part: send it, edit it, or find it if it may be there already."""

import asyncio
import base64
import hashlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from bot.core.channel import Channel, MessagePart
from bot.core.errors import DeliveryDelayed, DeliveryError, MessageLeftBehind, NotDelivered
from bot.core.limits import GetCurrentTerms
from bot.core.messages import OutboundId, OutboundKind, OutboundMessage, PlatformId
from bot.core.outgoing_files import OUTGOING_FOLDER_NAME, OutgoingFile, PartContent, PartFile
from bot.core.texts import logs, people, reasons
from bot.journal.delivery import NextMessageDue, finish_delivery
from bot.store import Store, delivery, outbox
from bot.store.connection import Connection
from bot.store.delivery import Delivery

NONCE_LENGTH = 25
ANSWER_FILE_NAME = "answer.md"  # of a text that is too long for the chat
SHORT_TEXT_CHARACTERS = 500  # a text that is split at once: a trip to a thread takes longer

log = logging.getLogger(__name__)


class MessageDelivery:
    def __init__(self, channel: Channel, store: Store, terms: GetCurrentTerms) -> None:
        self.channel = channel
        self.store = store
        self.terms = terms
        self.outgoing_folder = store.path.parent / OUTGOING_FOLDER_NAME

    async def deliver_unshown_parts(
        self, sent: Delivery, in_last_transaction: Callable[[Connection], NextMessageDue]
    ) -> NextMessageDue:
        """Deliver the parts not known to be shown; write each down. Return what `in_last_transaction` returns."""
        message = sent.message
        contents = await self.split_into_parts(message)
        texts = [content.text for content in contents]
        last: tuple[MessagePart, PlatformId] | None = None
        for number in range(sent.shown, len(texts)):
            if last:
                await self.store.write(delivery.mark_part_shown, *last, self.terms().now)
                await self.channel.wait_for_pace(message.address)
            files = open_part_files(message, contents[number], self.outgoing_folder)
            part = make_message_part(message, texts, number, sent.said_at, files)
            last = part, await self.edit_or_send_part(part, sent)
        for id in sent.platform_ids[len(texts) :]:
            await self.channel.delete(message.address, id)
        pause = self.channel.board_edit_seconds if message.kind is OutboundKind.BOARD else 0.0

        def write_arrival(db: Connection) -> NextMessageDue:
            if last:
                delivery.mark_part_shown(db, *last, self.terms().now)
            finish_delivery(db, message, len(texts), self.terms().now, pause=pause)
            return in_last_transaction(db)

        def write_replaced_deleted(db: Connection, replaced: OutboundId) -> NextMessageDue:
            delivery.mark_withdrawn_message_deleted(db, replaced)
            return in_last_transaction(db)

        remaining = await self.store.write(write_arrival)
        if message.replaces and (ids := await self.store.read(outbox.platform_ids_of_message, message.replaces)):
            try:
                for id in ids:
                    await self.channel.delete(message.address, id)
            except (DeliveryError, OSError) as error:  # the row of the replaced message says that it must be deleted
                log.debug(logs.STILL_THERE, message.replaces, error)
            else:
                return await self.store.write(write_replaced_deleted, message.replaces)
        return remaining

    async def split_into_parts(self, message: OutboundMessage) -> Sequence[PartContent]:
        """Return the parts of a message. A withdrawn message has none: all that is shown of it is deleted."""
        if message.is_withdrawn:
            return ()
        if len(message.text) <= SHORT_TEXT_CHARACTERS:
            return list_part_contents(self.channel, message)
        return await asyncio.to_thread(list_part_contents, self.channel, message)

    async def edit_or_send_part(self, part: MessagePart, sent: Delivery) -> PlatformId:
        """Edit the part that is already there, or send a new message. If no edit is allowed now, a message that must
        be seen does not wait: delete the old part and send a new one. A cosmetic message is worth a new one only if the
        chat goes on elsewhere; otherwise raise DeliveryError. No part is silently lost or silently doubled."""
        message = part.message
        if part.number < len(sent.platform_ids):
            id = sent.platform_ids[part.number]
            if part.files:  # a text that is shown cannot become a file
                pass
            elif message.is_cosmetic or self.channel.has_room_for_cosmetic_message(message.address, is_edit=True):
                try:
                    await self.channel.edit(id, part)
                    return id
                except (DeliveryDelayed, NotDelivered):
                    raise
                except MessageLeftBehind:
                    pass
                except DeliveryError:
                    if message.is_cosmetic:
                        raise
            try:
                await self.channel.delete(message.address, id)
            except DeliveryDelayed:  # it must not stay beside what takes its place
                raise
            except DeliveryError:  # if it could not be edited, most likely it is gone
                pass
        # Only the first part not known to be shown is in doubt, or the first new part if that one was to be edited.
        since, is_first = sent.unknown_since, part.number in (sent.shown, len(sent.platform_ids))
        if since is None or not (is_first or sent.has_all_unshown_parts_in_doubt):
            return await self.channel.send(part)
        # Look first: not all that a platform sends has a nonce. `known` are the ids of other parts.
        known = await self.store.read(delivery.platform_ids_shown_at_address, message.address)
        if found := await self.channel.find_sent_part_id(part, since, known):
            return found
        if self.channel.history_shows(message):
            return await self.channel.send(part)
        seconds = (self.terms().now - since).total_seconds()
        if 0 <= seconds < self.channel.nonce_memory_seconds:  # below 0: the clock was set back, nobody knows how far
            return await self.channel.send(part)  # the platform recognizes the repeat by its nonce
        return await self.channel.send(replace(part, may_be_shown_already=True))


def list_part_contents(channel: Channel, message: OutboundMessage) -> Sequence[PartContent]:
    """Return what the parts of a message show. Of a text with more parts than it may have, show the first part, and the
    whole text as a file."""
    if message.files:
        return channel.split_with_files(message)
    texts = channel.split_into_parts(message)
    if message.max_parts is None or len(texts) <= message.max_parts:
        return [PartContent(text) for text in texts]
    return [PartContent(texts[0]), PartContent(people.WHOLE_ANSWER(), (make_answer_file(message),))]


def make_answer_file(message: OutboundMessage) -> OutgoingFile:
    """Return the file that holds the whole text of a message. It has no copy: its content is in the message's row."""
    content = message.text.encode("utf-8", "surrogatepass")
    name = f"{message.role.casefold()}.md" if message.role else ANSWER_FILE_NAME
    digest = hashlib.sha256(content).hexdigest()
    return OutgoingFile(name=name, size=len(content), sha256=digest, media_type="text/markdown")


def open_part_files(message: OutboundMessage, content: PartContent, folder: Path) -> tuple[PartFile, ...]:
    """Return the files of a part, as a channel reads them. Raise DeliveryError if a copy is not there whole."""
    found = []
    for file in content.files:
        path = folder / file.copy_name if file.copy_name else None
        if path and not has_size(path, file.size):
            raise DeliveryError(reasons.FILE_COPY_GONE(name=file.name))
        found.append(PartFile(file=file, path=path, text="" if path else message.text))
    return tuple(found)


def has_size(path: Path, size: int) -> bool:
    try:
        return path.stat().st_size == size
    except OSError:
        return False


def make_message_part(
    message: OutboundMessage,
    texts: Sequence[str],
    number: int,
    said_at: datetime | None = None,
    files: tuple[PartFile, ...] = (),
) -> MessagePart:
    """Return one part of a message. Its nonce includes the time, because after a restore an open turn may say something
    else under an id that the platform already knows."""
    digest = hashlib.sha256(f"{message.id}:{said_at}:{number}:{message.revision}".encode()).digest()
    return MessagePart(
        message=message,
        text=texts[number],
        number=number,
        nonce=base64.b32encode(digest).decode()[:NONCE_LENGTH],
        is_last=number == len(texts) - 1,
        may_be_shown_already=False,
        files=files,
    )
