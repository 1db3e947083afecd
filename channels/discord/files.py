"""Fetch the files that came with messages. Discord gives each an address that expires after a day; the message, fetched
again, has a fresh one. The bot follows an address only to Discord's own servers."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from bot.core.errors import DeliveryError, FetchError
from bot.core.incoming_files import IncomingFile
from channels import people_texts
from channels.discord.api import DiscordApi, DiscordRefusal
from channels.discord.ids import JsonObject
from channels.file_streams import FileGone, FileServer

FILE_ORIGINS = frozenset({("https", "cdn.discordapp.com", None), ("https", "media.discordapp.net", None)})
MESSAGE_PATH = "/channels/{channel_id}/messages/{message_id}"

Origin = tuple[str, str | None, int | None]  # the scheme, the host, the port


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReference:
    """Where a file lies: its address now, and its message. A file of a slash command has no message."""

    url: str
    file_id: str
    channel_id: str = ""
    message_id: str = ""

    def as_text(self) -> str:
        return json.dumps([self.url, self.file_id, self.channel_id, self.message_id])

    @classmethod
    def parse(cls, text: str) -> FileReference:
        url, file_id, channel_id, message_id = json.loads(text)
        return cls(url=url, file_id=file_id, channel_id=channel_id, message_id=message_id)


def origin_of(url: str) -> Origin | None:
    """Return the origin of an address, or None if it has none or signs in somewhere."""
    try:
        parts = urlsplit(url)
        return None if "@" in parts.netloc else (parts.scheme, parts.hostname, parts.port)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordFiles:
    """Fetches files as one bot. `base_url` is the address of Discord's API, or of a server in its place."""

    api: DiscordApi
    server: FileServer
    base_url: str

    @asynccontextmanager
    async def open(self, file: IncomingFile) -> AsyncIterator[AsyncIterator[bytes]]:
        """Yield the bytes of a file."""
        reference = FileReference.parse(file.reference)
        async with AsyncExitStack() as stack:
            try:
                pieces = await stack.enter_async_context(self.open_url(reference.url, file))
            except FileGone:
                fresh = await self.fetch_fresh_url(reference)
                pieces = await stack.enter_async_context(self.open_url(fresh, file))
            yield pieces

    @asynccontextmanager
    async def open_url(self, url: str, file: IncomingFile) -> AsyncIterator[AsyncIterator[bytes]]:
        if (origin := origin_of(url)) is None or origin not in FILE_ORIGINS | {origin_of(self.base_url)}:
            raise FetchError(people_texts.FILE_ELSEWHERE(platform=self.server.platform))
        async with self.server.open(url, file.size_bytes) as pieces:
            yield pieces

    async def fetch_fresh_url(self, reference: FileReference) -> str:
        """Return the file's address in its message as it is now. Raise FileGone if the message or the file is gone."""
        gone = FileGone(people_texts.FILE_GONE(platform=self.server.platform))
        if not reference.message_id:
            raise gone
        ids = {"channel_id": reference.channel_id, "message_id": reference.message_id}
        try:
            message = await self.api.request("GET", MESSAGE_PATH, **ids)
        except DiscordRefusal:  # the message is gone
            raise gone from None
        except (DeliveryError, OSError) as error:
            raise self.server.translate_call_error(error) from None
        for each in iterate_attachments(message):
            if each.get("id") == reference.file_id and isinstance(each.get("url"), str):
                return str(each["url"])
        raise gone


def iterate_attachments(message: object) -> Iterator[JsonObject]:
    """Yield the attachments of a message and of what it forwards. Skip what is malformed."""
    if not isinstance(message, dict):
        return
    found = message.get("attachments")
    yield from (each for each in (found if isinstance(found, list) else []) if isinstance(each, dict))
    snapshots = message.get("message_snapshots")
    for snapshot in snapshots if isinstance(snapshots, list) else []:
        if isinstance(snapshot, dict):
            yield from iterate_attachments(snapshot.get("message"))
