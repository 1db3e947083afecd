"""The files of Telegram's messages, fetched over the socket."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.core.errors import FetchError
from bot.core.incoming_files import IncomingFile, IncomingFileKind
from bot.core.texts import Sentence
from channels import people_texts as shared_texts
from channels.file_streams import DownloadTiming
from channels.telegram import people_texts
from channels.telegram.channel import Telegram
from channels.telegram.platform import file_address_base
from tests.stand_ins.downloads import DownloadFault
from tests.stand_ins.telegram import Fault, Room, TelegramStandIn, document, photo
from tests.support.places.telegram import HASTY, UNPACED
from tests.support.telegram_channel import Ear, at_work

QUICK = replace(HASTY, download=DownloadTiming(connect_seconds=1.0, silence_seconds=0.2, whole_seconds=0.4))
CONTENT = bytes(range(256)) * 4_000
FILE = IncomingFile(
    kind=IncomingFileKind.FILE, name="a.bin", reference="document-a.bin", size_bytes=len(CONTENT), is_quoted=False
)
TOO_LARGE = people_texts.FILE_TOO_LARGE(megabytes=20)


def names(text: Sentence) -> str:
    return text(platform="Telegram")


@pytest.fixture
async def telegram(server: TelegramStandIn) -> AsyncIterator[Telegram]:
    server.holding(document("a.bin"), CONTENT)
    async with Telegram(server.token, server.base_url, timing=QUICK, rates=UNPACED) as made:
        yield made


async def fetch(telegram: Telegram, file: IncomingFile = FILE) -> bytes:
    async with telegram.open_file(file) as pieces:
        return b"".join([piece async for piece in pieces])


async def refusal(telegram: Telegram, file: IncomingFile = FILE) -> FetchError:
    with pytest.raises(FetchError) as raised:
        await fetch(telegram, file)
    return raised.value


async def test_a_file_of_a_message_is_streamed_whole(server: TelegramStandIn, room: Room, ear: Ear) -> None:
    room.say(room.chat.person, "look", media=server.holding(photo("cat"), CONTENT))
    async with at_work(server, ear) as telegram:
        await ear.hears("look")
        [[event]] = ear.batches
        async with telegram.open_file(event.files[0]) as pieces:  # type: ignore[union-attr]  # it is a message
            sizes = [len(piece) async for piece in pieces]
    assert sum(sizes) == len(CONTENT)
    assert max(sizes) <= 65_536


@pytest.mark.parametrize(
    ("fault", "words", "may_succeed"),
    [
        (DownloadFault.GONE, shared_texts.FILE_GONE, True),
        (DownloadFault.DOWN, shared_texts.FILE_OUT_OF_REACH, True),
        (DownloadFault.BUSY, shared_texts.FILE_DELAYED, True),
        (DownloadFault.ELSEWHERE, shared_texts.FILE_ELSEWHERE, False),
        (DownloadFault.CUT, shared_texts.FILE_CUT_OFF, True),
        (DownloadFault.SILENT, shared_texts.FILE_CUT_OFF, True),
        (DownloadFault.LARGER, shared_texts.FILE_LARGER, False),
        (DownloadFault.ENDLESS, shared_texts.FILE_LARGER, False),
        (DownloadFault.PACKED, shared_texts.FILE_REFUSED, False),
    ],
)
async def test_a_download_that_fails_says_why_and_when_to_try_again(
    server: TelegramStandIn, telegram: Telegram, fault: DownloadFault, words: Sentence, may_succeed: bool
) -> None:
    server.downloads.next(fault)
    error = await refusal(telegram)
    assert (str(error), error.seconds is not None) == (names(words), may_succeed)
    assert server.token not in repr(error)
    assert error.__cause__ is None
    assert await fetch(telegram) == CONTENT


async def test_an_endless_file_ends_soon_after_its_announced_size(server: TelegramStandIn, telegram: Telegram) -> None:
    server.downloads.next(DownloadFault.ENDLESS)
    await refusal(telegram)
    assert server.downloads.sent_bytes < 16 * len(CONTENT)


async def test_a_file_of_unknown_size_that_never_ends_is_cut_off(server: TelegramStandIn, telegram: Telegram) -> None:
    path, _ = await telegram.files.find(FILE.reference)
    server.downloads.next(DownloadFault.ENDLESS)
    async with telegram.files.stream(path, None) as pieces:
        with pytest.raises(FetchError, match="before its end"):
            async for _ in pieces:
                pass


@pytest.mark.parametrize(
    ("fault", "words", "may_succeed"),
    [
        (Fault.RETRY_1, shared_texts.FILE_DELAYED, True),
        (Fault.SERVER_ERROR, shared_texts.FILE_OUT_OF_REACH, True),
        (Fault.HTML, shared_texts.FILE_OUT_OF_REACH, True),
        (Fault.RESET_AFTER, shared_texts.FILE_OUT_OF_REACH, True),
    ],
)
async def test_a_file_that_cannot_be_found_now_may_be_later(
    server: TelegramStandIn, telegram: Telegram, fault: Fault, words: Sentence, may_succeed: bool
) -> None:
    server.faults.next("getFile", fault)
    error = await refusal(telegram)
    assert (str(error), error.seconds is not None) == (names(words), may_succeed)


async def test_a_file_beyond_telegrams_limit_is_refused_before_it_is_fetched(
    server: TelegramStandIn, telegram: Telegram
) -> None:
    server.holding(document("a.bin"), bytes(20 * 1024 * 1024 + 1))
    error = await refusal(telegram)
    assert (str(error), error.seconds, server.downloads.asked) == (TOO_LARGE, None, [])


async def test_no_file_is_asked_for_where_telegram_cannot_be_reached(
    server: TelegramStandIn, telegram: Telegram
) -> None:
    async with server.away():
        error = await refusal(telegram)
    assert (str(error), error.seconds is not None) == (names(shared_texts.FILE_OUT_OF_REACH), True)


async def test_a_local_server_names_files_on_its_disk(
    server: TelegramStandIn, telegram: Telegram, tmp_path: Path
) -> None:
    assert telegram.max_download_bytes is None
    (tmp_path / "a.bin").write_bytes(CONTENT)
    async with telegram.files.stream(str(tmp_path / "a.bin"), None) as pieces:
        assert b"".join([piece async for piece in pieces]) == CONTENT
    with pytest.raises(FetchError, match=r"b\.bin"):
        async with telegram.files.stream(str(tmp_path / "b.bin"), None):
            pass
    assert server.downloads.asked == []


async def test_telegrams_own_server_gives_20_mb_at_most_and_no_file_of_this_machine() -> None:
    async with Telegram("1:a", timing=QUICK) as telegram:
        assert telegram.max_download_bytes == 20 * 1024 * 1024
        with pytest.raises(FetchError):
            telegram.files.stream("/etc/passwd", None)


@pytest.mark.parametrize(
    ("base_url", "files"),
    [
        ("https://api.telegram.org/bot", "https://api.telegram.org/file/bot"),
        ("http://127.0.0.1:8081/bot", "http://127.0.0.1:8081/file/bot"),
        ("https://example.org/telegram/bot{token}", "https://example.org/telegram/file/bot{token}"),
        ("https://example.org/x{token}/bot", "https://example.org/x{token}/file/bot"),
    ],
)
def test_the_address_of_files_follows_from_that_of_the_server(base_url: str, files: str) -> None:
    assert file_address_base(base_url) == files
