"""What sending files has in common on all platforms: which go together, how long it may take, and what people see
meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from typing import IO

from bot.core.channel import MessagePart
from bot.core.errors import DeliveryError
from bot.core.outgoing_files import MAX_FILES_PER_MESSAGE, OutgoingFile
from bot.core.texts import reasons

SLOWEST_UPLOAD_BYTES_PER_SECOND = 50_000  # a slower connection counts as broken
LARGE_UPLOAD_BYTES = 300_000  # people see that something this large is on its way

FileGroup = tuple[OutgoingFile, ...]


def group_files(files: Sequence[OutgoingFile], max_bytes: int | None = None) -> list[FileGroup]:
    """Return the files in groups that one message shows, in order: each of at most MAX_FILES_PER_MESSAGE, and of
    `max_bytes` unless a single file is larger."""
    groups: list[FileGroup] = []
    size = 0
    for file in files:
        is_small_enough = max_bytes is None or size + file.size <= max_bytes
        if groups and len(groups[-1]) < MAX_FILES_PER_MESSAGE and is_small_enough:
            groups[-1] += (file,)
        else:
            groups.append((file,))
            size = 0
        size += file.size
    return groups


def count_upload_bytes(part: MessagePart) -> int:
    return sum(each.file.size for each in part.files)


def upload_seconds(part: MessagePart, seconds: float) -> float:
    """Return how long sending a part may take if a part without files may take `seconds`."""
    return seconds + count_upload_bytes(part) / SLOWEST_UPLOAD_BYTES_PER_SECOND


@contextmanager
def open_files(part: MessagePart) -> Iterator[list[IO[bytes]]]:
    """Yield the opened files of a part. Raise DeliveryError if one cannot be opened."""
    with ExitStack() as opened:
        files = []
        for each in part.files:
            try:
                files.append(opened.enter_context(each.open()))
            except OSError:
                raise DeliveryError(reasons.FILE_COPY_GONE(name=each.file.name)) from None
        yield files


@asynccontextmanager
async def show_again_until_done(show: Callable[[], Awaitable[None]], seconds: float) -> AsyncIterator[None]:
    """While the block runs, call `show` at once and then every `seconds`. Ignore its failures."""

    async def keep_showing() -> None:
        while True:
            with suppress(DeliveryError, OSError):
                await show()
            await asyncio.sleep(seconds)

    showing = asyncio.create_task(keep_showing(), name="activity of an upload")
    try:
        yield
    finally:
        showing.cancel()
        await asyncio.gather(showing, return_exceptions=True)
