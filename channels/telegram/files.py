"""Fetch the files that came with messages: find a file's path by `getFile`, then stream what lies there.

Telegram's own server gives bots 20 MB at most, at an address with the token. A Bot API server of the operator that runs
with `--local` gives any file, and names its path on the disk that it shares with the bot."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from urllib.parse import quote

from bot.core.errors import DeliveryError, FetchError
from bot.core.incoming_files import IncomingFile
from channels import people_texts as shared_texts
from channels.file_streams import RETRY_SECONDS, FileGone, FileServer, open_local_file
from channels.pacing import PacingScope
from channels.telegram import people_texts
from channels.telegram.client import TelegramClient, TelegramRefusal
from channels.telegram.platform import file_address_base, is_telegrams_own

TELEGRAM_MAX_DOWNLOAD_BYTES = 20 * 1024 * 1024
MEGABYTE = 1024 * 1024
FIND_METHOD = "getFile"
LOCAL_SERVER_SECONDS = 600.0  # it answers when it has fetched the whole file from Telegram
TOO_LARGE_WORDS = "file is too big"
LATER_WORDS = "temporarily unavailable"


class TelegramFiles:
    """Fetches files as one bot."""

    def __init__(self, client: TelegramClient, token: str, base_url: str, server: FileServer) -> None:
        self.client = client
        self.server = server
        self.is_telegrams_own = is_telegrams_own(base_url)
        self.max_download_bytes = TELEGRAM_MAX_DOWNLOAD_BYTES if self.is_telegrams_own else None
        base = file_address_base(base_url)
        address = base.replace("{token}", token) if "{token}" in base else base + token
        self._base: Callable[[], str] = lambda: address  # a function, so that a printed object hides the token

    @asynccontextmanager
    async def open(self, file: IncomingFile, scopes: Sequence[PacingScope]) -> AsyncIterator[AsyncIterator[bytes]]:
        """Yield the bytes of a file. `scopes` count the call that finds it."""
        async with self.client.pacing.wait_and_count_call(FIND_METHOD, scopes):
            path, size = await self.find(file.reference)
        sizes = [each for each in (file.size_bytes, size) if each is not None]
        async with AsyncExitStack() as stack:
            try:
                stream = self.stream(path, max(sizes, default=self.max_download_bytes))
                pieces = await stack.enter_async_context(stream)
            except FileGone as gone:  # Telegram has just named the path, so this may pass
                raise FetchError(str(gone), seconds=RETRY_SECONDS) from None
            yield pieces

    def stream(self, path: str, most_bytes: int | None) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """Open what lies at a path: on the server, or on the disk that a server of the operator shares with the bot."""
        if path.startswith("/"):
            if self.is_telegrams_own:
                raise FetchError(shared_texts.FILE_ELSEWHERE(platform=self.server.platform))
            return open_local_file(Path(path))
        return self.server.open(f"{self._base()}/{quote(path)}", most_bytes)

    async def find(self, file_id: str) -> tuple[str, int | None]:
        """Return where a file lies for the next hour, and its size."""
        try:
            found = await self.client.find_file(file_id, None if self.is_telegrams_own else LOCAL_SERVER_SECONDS)
        except TelegramRefusal as refusal:
            raise self.translate_refusal(refusal) from None
        except (DeliveryError, OSError) as error:
            raise self.server.translate_call_error(error) from None
        return found

    def translate_refusal(self, refusal: TelegramRefusal) -> FetchError:
        if TOO_LARGE_WORDS in refusal.words:
            words = people_texts.FILE_TOO_LARGE(megabytes=TELEGRAM_MAX_DOWNLOAD_BYTES // MEGABYTE)
            return FetchError(words)
        if LATER_WORDS in refusal.words:
            return FetchError(shared_texts.FILE_OUT_OF_REACH(platform=self.server.platform), seconds=RETRY_SECONDS)
        return FileGone(shared_texts.FILE_GONE(platform=self.server.platform))
