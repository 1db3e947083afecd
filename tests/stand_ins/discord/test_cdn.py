"""The stand-in's server for files."""

from collections.abc import AsyncIterator

import aiohttp
import pytest

from tests.stand_ins.clock import Clock
from tests.stand_ins.discord import Channel, DiscordStandIn, Person, Upload
from tests.stand_ins.discord.cdn import LIFETIME_SECONDS
from tests.stand_ins.discord.snowflakes import Json
from tests.stand_ins.downloads import DownloadFault


@pytest.fixture
async def server(clock: Clock) -> AsyncIterator[DiscordStandIn]:
    async with DiscordStandIn(now=clock) as running:
        running.limits.off()
        yield running


@pytest.fixture
def sent(ann: Person, general: Channel) -> Json:
    message = ann.say(general, attachments=[Upload("a plan.pdf", b"pages")])
    (attachment,) = message.as_json()["attachments"]
    return dict(attachment)


async def fetched(url: str) -> tuple[int, bytes]:
    async with aiohttp.ClientSession() as session, session.get(url, allow_redirects=False) as response:
        return response.status, await response.read()


async def test_an_attachment_says_what_it_is_and_lies_at_its_address(server: DiscordStandIn, sent: Json) -> None:
    assert (sent["filename"], sent["size"], sent["content_type"]) == ("a_plan.pdf", 5, "application/pdf")
    assert await fetched(sent["url"]) == (200, b"pages")


async def test_an_address_expires_and_the_message_has_a_new_one(
    server: DiscordStandIn, sent: Json, clock: Clock, general: Channel
) -> None:
    clock.advance(LIFETIME_SECONDS + 1)
    assert (await fetched(sent["url"]))[0] == 404
    (fresh,) = general.messages[-1].as_json()["attachments"]
    assert fresh["id"] == sent["id"]
    assert await fetched(fresh["url"]) == (200, b"pages")


async def test_nobody_can_sign_an_address_or_leave_its_signature_out(server: DiscordStandIn, sent: Json) -> None:
    bare = sent["url"].partition("?")[0]
    for url in (bare, f"{bare}?ex=fffffffff&is=0&hm=0"):
        assert (await fetched(url))[0] == 404


@pytest.mark.parametrize(
    ("fault", "status"),
    [(DownloadFault.GONE, 404), (DownloadFault.DOWN, 502), (DownloadFault.BUSY, 429), (DownloadFault.ELSEWHERE, 302)],
)
async def test_a_download_can_be_refused(server: DiscordStandIn, sent: Json, fault: DownloadFault, status: int) -> None:
    server.cdn.downloads.next(fault)
    assert (await fetched(sent["url"]))[0] == status
    assert (await fetched(sent["url"]))[0] == 200


async def test_a_forward_carries_a_copy_without_its_author(ann: Person, general: Channel) -> None:
    said = ann.say(general, "the plan", attachments=["plan.pdf"])
    told = ann.forward(ann.private(), said).as_json()
    (snapshot,) = told["message_snapshots"]
    assert (told["content"], told["message_reference"]["type"]) == ("", 1)
    assert (snapshot["message"]["content"], "author" in snapshot["message"]) == ("the plan", False)
    assert snapshot["message"]["attachments"][0]["filename"] == "plan.pdf"


async def test_a_voice_message_has_a_flag_and_a_length(ann: Person, general: Channel) -> None:
    told = ann.speak(general, b"sound", seconds=2.5).as_json()
    assert (told["flags"], told["attachments"][0]["duration_secs"]) == (1 << 13, 2.5)
