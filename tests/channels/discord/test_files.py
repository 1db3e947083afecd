"""The files of Discord's messages, fetched over the socket."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from bot.core.errors import FetchError
from bot.core.incoming_files import IncomingFile
from bot.core.texts import Sentence
from channels import people_texts
from channels.discord.channel import Discord
from channels.discord.files import FILE_ORIGINS, origin_of
from channels.file_streams import DownloadTiming
from tests.stand_ins.discord import Fault, Person, Route, Upload
from tests.stand_ins.discord.cdn import LIFETIME_SECONDS
from tests.stand_ins.downloads import DownloadFault
from tests.support.discord_channel import QUICK, Town

BRISK = replace(QUICK, download=DownloadTiming(connect_seconds=1.0, silence_seconds=0.2, whole_seconds=0.4))
CONTENT = bytes(range(256)) * 4_000
FILE = Upload("plan.bin", CONTENT)


def names(text: Sentence) -> str:
    return text(platform="Discord")


async def fetch(discord: Discord, file: IncomingFile) -> bytes:
    async with discord.open_file(file) as pieces:
        return b"".join([piece async for piece in pieces])


async def refusal(discord: Discord, file: IncomingFile) -> FetchError:
    with pytest.raises(FetchError) as raised:
        await fetch(discord, file)
    return raised.value


@asynccontextmanager
async def with_file(town: Town, by: Person | None = None) -> AsyncIterator[tuple[Discord, IncomingFile]]:
    """Yield the channel at work, and the file that somebody has sent there in private."""
    writer = by or town.ann
    async with town.at_work(BRISK) as discord:
        writer.say(writer.private(), "look", attachments=[FILE])
        (heard,) = await town.door.messages(1)
        yield discord, heard.files[0]


async def test_a_file_of_a_message_is_streamed_whole(town: Town) -> None:
    async with with_file(town) as (discord, file), discord.open_file(file) as pieces:
        sizes = [len(piece) async for piece in pieces]
    assert sum(sizes) == len(CONTENT)
    assert max(sizes) <= 65_536


@pytest.mark.parametrize(
    ("fault", "words", "may_succeed"),
    [
        (DownloadFault.DOWN, people_texts.FILE_OUT_OF_REACH, True),
        (DownloadFault.BUSY, people_texts.FILE_DELAYED, True),
        (DownloadFault.ELSEWHERE, people_texts.FILE_ELSEWHERE, False),
        (DownloadFault.CUT, people_texts.FILE_CUT_OFF, True),
        (DownloadFault.SILENT, people_texts.FILE_CUT_OFF, True),
        (DownloadFault.LARGER, people_texts.FILE_LARGER, False),
        (DownloadFault.ENDLESS, people_texts.FILE_LARGER, False),
        (DownloadFault.PACKED, people_texts.FILE_REFUSED, False),
    ],
)
async def test_a_download_that_fails_says_why_and_when_to_try_again(
    town: Town, fault: DownloadFault, words: Sentence, may_succeed: bool
) -> None:
    async with with_file(town) as (discord, file):
        town.server.cdn.downloads.next(fault)
        error = await refusal(discord, file)
        assert (str(error), error.seconds is not None) == (names(words), may_succeed)
        assert await fetch(discord, file) == CONTENT


async def test_an_expired_address_is_replaced_by_that_of_the_message(town: Town) -> None:
    town.server.cdn.now = lambda: town.server.now() - LIFETIME_SECONDS - 1
    async with with_file(town) as (discord, file):
        town.server.cdn.now = town.server.now
        assert await fetch(discord, file) == CONTENT
        assert len(town.server.to(Route.MESSAGE)) == 1


async def test_the_address_in_a_forward_is_replaced_too(town: Town) -> None:
    town.server.cdn.now = lambda: town.server.now() - LIFETIME_SECONDS - 1
    async with town.at_work(BRISK) as discord:
        said = town.bob.say(town.general, attachments=[FILE])
        town.ann.forward(town.ann.private(), said)
        (heard,) = await town.door.messages(1)
        town.server.cdn.now = town.server.now
        assert await fetch(discord, heard.files[0]) == CONTENT


async def test_a_file_that_is_deleted_is_gone_for_good(town: Town) -> None:
    async with with_file(town) as (discord, file):
        town.server.cdn.contents.clear()
        errors = [await refusal(discord, file)]
        town.ann.delete(town.ann.private().messages[-1])
        errors.append(await refusal(discord, file))
    assert [(str(error), error.seconds) for error in errors] == [(names(people_texts.FILE_GONE), None)] * 2


async def test_a_message_that_cannot_be_fetched_now_may_be_later(town: Town) -> None:
    async with with_file(town) as (discord, file):
        town.server.cdn.downloads.next(DownloadFault.GONE)
        town.server.faults.on(Route.MESSAGE, Fault.UNAVAILABLE)
        error = await refusal(discord, file)
    assert (str(error), error.seconds is not None) == (names(people_texts.FILE_OUT_OF_REACH), True)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:9/attachments/1/2/a",
        "http://cdn.discordapp.com/a",
        "https://cdn.discordapp.com.evil.example/a",
        "https://cdn.discordapp.com@evil.example/a",
        "https://cdn.discordapp.com:444/a",
        "file:///etc/passwd",
        "https://[broken",
    ],
)
async def test_an_address_elsewhere_is_not_followed(town: Town, url: str) -> None:
    async with with_file(town) as (discord, file):
        _, *rest = json.loads(file.reference)
        error = await refusal(discord, replace(file, reference=json.dumps([url, *rest])))
    assert (str(error), error.seconds) == (names(people_texts.FILE_ELSEWHERE), None)


def test_discords_own_addresses_are_followed() -> None:
    own = "https://cdn.discordapp.com/attachments/1/2/a?ex=1&is=2&hm=3&"
    assert {origin_of(own), origin_of(own.replace("cdn", "media").replace("app.com", "app.net"))} == FILE_ORIGINS
