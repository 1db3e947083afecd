"""Stream files that came with messages, from a platform's server or from this machine's disk, within limits. Everything
here raises FetchError: with `seconds` if another try may succeed, without if none will."""

import asyncio
import os
import stat
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING

from bot.core.errors import ChatClosed, DeliveryDelayed, DeliveryError, FetchError, NotDelivered
from bot.core.network import NetworkAccess
from channels import people_texts

if TYPE_CHECKING:  # it is imported when the first file comes
    import aiohttp

CHUNK_BYTES = 65_536
RETRY_SECONDS = 10.0  # if the server does not say when to ask again
MAX_RETRY_SECONDS = 3_600.0  # a server or a proxy may ask for any number
GONE_STATUSES = (403, 404, 410)


@dataclass(frozen=True, slots=True, kw_only=True)
class DownloadTiming:
    connect_seconds: float = 10.0
    silence_seconds: float = 30.0  # without a byte
    whole_seconds: float = 900.0  # for the whole file, so that a trickle ends too


DEFAULT_DOWNLOAD_TIMING = DownloadTiming()


class FileGone(FetchError):
    """The server has no file at this address, or not any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileServer:
    """A platform's server for files. It is asked as the platform's other requests are: through the same proxy, with the
    same certificates."""

    platform: str  # as people know it
    network: NetworkAccess
    timing: DownloadTiming = DEFAULT_DOWNLOAD_TIMING
    trusts_environment: bool = False  # whether the proxy of the environment counts if none is configured

    @asynccontextmanager
    async def open(self, url: str, most_bytes: int | None) -> AsyncIterator[AsyncIterator[bytes]]:
        """Yield the bytes at an address, in pieces. Follow no redirect. Stop after `most_bytes`."""
        import aiohttp
        import yarl

        headers = {"Accept-Encoding": "identity"}  # a packed file could unpack to any size
        timeout = aiohttp.ClientTimeout(
            total=None, sock_connect=self.timing.connect_seconds, sock_read=self.timing.silence_seconds
        )
        async with aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=self.network.ssl_context()),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=timeout,
            headers=headers,
            trust_env=self.trusts_environment,
            auto_decompress=False,
        ) as session:
            try:
                async with asyncio.timeout(self.timing.connect_seconds + self.timing.silence_seconds):
                    response = await session.get(
                        yarl.URL(url, encoded=True), proxy=self.network.proxy, allow_redirects=False
                    )
            except transfer_errors():  # their words may hold the address, and with it a token
                raise FetchError(
                    people_texts.FILE_OUT_OF_REACH(platform=self.platform), seconds=RETRY_SECONDS
                ) from None
            async with response, aclosing(self.stream(response, most_bytes)) as pieces:
                self.check_answer(response, most_bytes)
                yield pieces

    def check_answer(self, response: "aiohttp.ClientResponse", most_bytes: int | None) -> None:
        status = response.status
        if 300 <= status < 400:
            raise FetchError(people_texts.FILE_ELSEWHERE(platform=self.platform))
        if status in GONE_STATUSES:
            raise FileGone(people_texts.FILE_GONE(platform=self.platform))
        if status == 429:
            seconds = read_retry_seconds(response.headers.get("Retry-After", ""))
            raise FetchError(people_texts.FILE_DELAYED(platform=self.platform), seconds=seconds)
        if status >= 500:
            raise FetchError(people_texts.FILE_OUT_OF_REACH(platform=self.platform), seconds=RETRY_SECONDS)
        if status != 200 or response.headers.get("Content-Encoding", "identity") != "identity":
            raise FetchError(people_texts.FILE_REFUSED(platform=self.platform))
        if most_bytes is not None and (response.content_length or 0) > most_bytes:
            raise FetchError(people_texts.FILE_LARGER(platform=self.platform))

    async def stream(self, response: "aiohttp.ClientResponse", most_bytes: int | None) -> AsyncGenerator[bytes]:
        loop, count = asyncio.get_running_loop(), 0
        until = loop.time() + self.timing.whole_seconds
        while True:
            try:
                async with asyncio.timeout_at(until):
                    piece = await response.content.read(CHUNK_BYTES)
            except transfer_errors():
                raise FetchError(people_texts.FILE_CUT_OFF(platform=self.platform), seconds=RETRY_SECONDS) from None
            if not piece:
                return
            count += len(piece)
            if most_bytes is not None and count > most_bytes:
                raise FetchError(people_texts.FILE_LARGER(platform=self.platform))
            yield piece

    def translate_call_error(self, error: Exception) -> FetchError:
        """Return the error of a file for an error of a call that was to find it."""
        match error:
            case DeliveryDelayed():
                return FetchError(people_texts.FILE_DELAYED(platform=self.platform), seconds=error.seconds)
            case ChatClosed():
                return FileGone(people_texts.FILE_GONE(platform=self.platform))
            case NotDelivered() | OSError():
                return FetchError(people_texts.FILE_OUT_OF_REACH(platform=self.platform), seconds=RETRY_SECONDS)
            case DeliveryError():
                return FetchError(people_texts.FILE_REFUSED(platform=self.platform))
        raise error


def transfer_errors() -> tuple[type[Exception], ...]:
    import aiohttp

    return aiohttp.ClientError, OSError, ValueError  # a proxy may answer anything


def read_retry_seconds(header: str) -> float:
    try:
        return min(MAX_RETRY_SECONDS, max(1.0, float(header)))
    except ValueError:
        return RETRY_SECONDS


@asynccontextmanager
async def open_local_file(path: Path) -> AsyncIterator[AsyncIterator[bytes]]:
    """Yield the bytes of a file of this machine, in pieces. Raise FetchError unless it is a regular file."""
    unreadable = FetchError(people_texts.LOCAL_FILE_UNREADABLE(name=path.name))
    try:
        file = FileIO(
            path, "r", opener=open_without_waiting
        )  # in no thread: nobody would close it after a cancellation
    except (OSError, ValueError):
        raise unreadable from None
    with file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise unreadable
        async with aclosing(read_pieces(file, unreadable)) as pieces:
            yield pieces


def open_without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)  # a pipe would wait for a writer


async def read_pieces(file: FileIO, unreadable: FetchError) -> AsyncGenerator[bytes]:
    while True:
        try:
            piece = await asyncio.to_thread(file.read, CHUNK_BYTES)
        except OSError:
            raise unreadable from None
        if not piece:
            return
        yield piece
