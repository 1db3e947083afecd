"""A server that turns speech into text, over its socket: what it is asked, what it costs, and what its errors mean."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.core.errors import TranscriptionFailed
from bot.core.network import DEFAULT_NETWORK_ACCESS, NetworkAccess
from bot.core.prices import Micros
from bot.models.transcribers import operator_texts, people_texts
from bot.models.transcribers.server import MAX_FILE_BYTES, TranscriptionServer
from tests.stand_ins.proxy import Proxy
from tests.stand_ins.transcriptions import API_KEY, Fault, TranscriptionStandIn

OPUS = b"OggS\0\2" + bytes(range(256)) * 40
A_CENT = Micros(10_000)


@pytest.fixture
async def server() -> AsyncIterator[TranscriptionStandIn]:
    async with TranscriptionStandIn() as server:
        yield server


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "a voice note.bin"
    path.write_bytes(OPUS)
    return path


def client(server: TranscriptionStandIn, **changed: Any) -> TranscriptionServer:
    options: dict[str, Any] = {
        "model": "whisper-1",
        "micros_per_minute": A_CENT,
        "seconds": 10,
        "network": DEFAULT_NETWORK_ACCESS,
        "retry_seconds": 0.01,
        **changed,
    }
    key, base_url = options.pop("api_key", API_KEY), options.pop("base_url", server.base_url)
    return TranscriptionServer(base_url, key, **options)


async def failure(server: TranscriptionStandIn, note: Path, **changed: Any) -> TranscriptionFailed:
    with pytest.raises(TranscriptionFailed) as failed:
        await client(server, **changed).transcribe(note, seconds=None)
    return failed.value


async def test_the_words_come_back_and_the_file_went_whole(server: TranscriptionStandIn, note: Path) -> None:
    server.text, server.more = " Buy milk. \n", {"language": "english"}
    found = await client(server).transcribe(note, seconds=90)
    assert (found.text, found.cost, found.language) == ("Buy milk.", 15_000, "english")
    [call] = server.calls
    assert (call.file_name, call.content) == ("voice.ogg", OPUS)


@pytest.mark.parametrize(
    ("more", "claimed", "cost"),
    [
        ({"duration": 30.0}, 600, 5_000),  # the server knows better than the sender
        ({"usage": {"type": "duration", "seconds": 6}}, None, 1_000),
        ({"duration": "long", "usage": 7}, 12, 2_000),
        ({}, None, 854),  # by the size of the file
        ({}, 0, 854),
        ({"duration": 1e300}, 12, 2_000),  # nobody speaks for longer than a day
    ],
)
async def test_a_minute_costs_its_price(
    server: TranscriptionStandIn, note: Path, more: dict[str, Any], claimed: int | None, cost: int
) -> None:
    server.more = more
    assert (await client(server).transcribe(note, seconds=claimed)).cost == cost


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_passing_fault_is_passed_over(server: TranscriptionStandIn, note: Path, status: int) -> None:
    server.faults.extend([Fault(status=status), Fault(status=status, headers={"retry-after": "0"})])
    assert (await client(server).transcribe(note, seconds=1)).text == "Hello there."
    assert server.asked == 3


async def test_a_lasting_fault_may_be_tried_later(server: TranscriptionStandIn, note: Path) -> None:
    server.faults.extend([Fault(status=503)] * 9)
    failed = await failure(server, note)
    assert (str(failed), failed.seconds, server.asked) == (people_texts.OUT_OF_REACH(), 0.01, 3)


async def test_a_server_that_asks_for_a_long_wait_is_left_alone(server: TranscriptionStandIn, note: Path) -> None:
    server.faults.append(Fault(status=429, headers={"retry-after": "600"}))
    failed = await failure(server, note)
    assert (str(failed), failed.seconds, server.asked) == (people_texts.BUSY(), 600, 1)


async def test_a_recording_that_takes_too_long_is_not_sent_again(server: TranscriptionStandIn, note: Path) -> None:
    server.is_silent = True
    failed = await failure(server, note, seconds=0.05)
    assert (str(failed), failed.seconds, server.asked) == (people_texts.TOO_SLOW(), None, 1)


async def test_no_server_asks_for_a_pause_of_more_than_an_hour(server: TranscriptionStandIn, note: Path) -> None:
    server.faults.append(Fault(status=429, headers={"retry-after": "9" * 300}))
    assert (await failure(server, note)).seconds == 3_600


async def test_a_server_that_is_away_may_be_there_later(server: TranscriptionStandIn, note: Path) -> None:
    async with server.away():
        failed = await failure(server, note)
    assert (failed.fault, failed.seconds) == (operator_texts.UNREACHABLE(server=f"127.0.0.1:{server.port}"), 0.01)


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"api_key": "sk-wrong"}, operator_texts.KEY_REFUSED(server="X", status=401)),
        ({"api_key": None}, operator_texts.KEY_REFUSED(server="X", status=401)),
        ({"model": "whisper-9"}, operator_texts.NOT_FOUND(server="X", said="The model `whisper-9` does not exist")),
    ],
)
async def test_a_wrong_setting_is_told_to_the_operator(
    server: TranscriptionStandIn, note: Path, changed: dict[str, Any], fault: str
) -> None:
    failed = await failure(server, note, **changed)
    assert failed.fault == fault.replace("X", f"127.0.0.1:{server.port}")
    assert (str(failed), failed.seconds, server.asked) == (people_texts.NOT_SET_UP_WELL(), None, 1)


@pytest.mark.parametrize("body", [b"<html>a page</html>", b"[]", b'{"text": 7}', b"[" * 100_000])
async def test_an_answer_that_is_no_transcript_is_told(server: TranscriptionStandIn, note: Path, body: bytes) -> None:
    server.faults.append(Fault(status=200, body=body))
    failed = await failure(server, note)
    assert failed.fault == operator_texts.STRANGE_ANSWER(server=f"127.0.0.1:{server.port}")


async def test_a_redirect_gets_neither_key_nor_recording(server: TranscriptionStandIn, note: Path) -> None:
    server.faults.append(Fault(status=307, headers={"location": server.base_url}))
    assert (await failure(server, note)).fault == operator_texts.ELSEWHERE(
        server=f"127.0.0.1:{server.port}", status=307
    )
    assert server.asked == 1


async def test_an_empty_file_is_not_accepted(server: TranscriptionStandIn, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    failed = await failure(server, tmp_path / "empty")
    assert (str(failed), failed.seconds) == (people_texts.NOT_ACCEPTED(), None)
    assert "too short" in failed.fault


async def test_a_file_that_is_too_large_is_not_sent(server: TranscriptionStandIn, tmp_path: Path) -> None:
    with (tmp_path / "long").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    assert str(await failure(server, tmp_path / "long")) == people_texts.TOO_LARGE(megabytes=26, most=25)
    assert server.asked == 0


async def test_a_configured_proxy_carries_the_call(server: TranscriptionStandIn, note: Path) -> None:
    async with Proxy({"voice.example": server.port}).open() as proxy:
        network = NetworkAccess(proxy=proxy.address)
        found = await client(server, base_url="http://voice.example/v1", network=network).transcribe(note, seconds=1)
    assert found.text == "Hello there."
    assert proxy.asked


async def test_no_cancelled_transcription_leaves_its_recording_open(server: TranscriptionStandIn, note: Path) -> None:
    steps, asking = 0, client(server)
    while True:  # one step further each time, until it ends before it is cancelled
        work = asyncio.create_task(asking.transcribe(note, seconds=1))
        for _ in range(steps):
            await asyncio.sleep(0)
        if work.done():
            break
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        steps += 1
    assert steps > 10
    assert (await work).text == "Hello there."
