"""A server that turns speech into text by the call that OpenAI made known: `POST …/audio/transcriptions`."""

import asyncio
import json
import math
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

import aiohttp

from bot.core.errors import TranscriptionFailed
from bot.core.network import NetworkAccess
from bot.core.prices import Micros
from bot.core.transcriber import Transcript
from bot.documents.file_types import BYTES_READ_TO_RECOGNISE, recognise
from bot.models.transcribers import operator_texts, people_texts

MAX_FILE_BYTES = 25 * 2**20  # of the call, as it is published
MAX_ANSWER_BYTES = 2 * 2**20
MAX_SAID_CHARACTERS = 300
CONNECT_SECONDS = 10.0
TRIES = 3
RETRY_SECONDS = 2.0  # after the first failure; twice as long after each further one
MAX_RETRY_SECONDS = 30.0  # a server that asks for more is left to the caller
MAX_TOLD_RETRY_SECONDS = 3_600.0  # a server may ask for any number
MAX_HEARD_SECONDS = 86_400.0  # a longer recording is none
DEFAULT_ENDING = "ogg"
ENDINGS = {  # servers judge a file by the ending of its name
    "audio/ogg": "ogg",
    "audio/mpeg": "mp3",
    "audio/mp4": "m4a",
    "audio/wav": "wav",
    "audio/flac": "flac",
    "audio/aac": "aac",
    "audio/amr": "amr",
    "video/mp4": "mp4",
    "video/quicktime": "mp4",
    "video/webm": "webm",
}
MIN_BYTES_PER_SECOND = 2_000  # of speech in messengers: for the length of a file that nobody tells


class TranscriptionServer:
    """Asks a server. It repeats a request that may succeed later."""

    def __init__(
        self,
        base_url: str,
        api_key: str | None,
        *,
        model: str,
        micros_per_minute: Micros,
        seconds: float,
        network: NetworkAccess,
        retry_seconds: float = RETRY_SECONDS,
    ) -> None:
        self.url = f"{base_url.rstrip('/')}/audio/transcriptions"
        self.name = urlsplit(base_url).netloc
        self.api_key = api_key
        self.model = model
        self.micros_per_minute = micros_per_minute
        self.seconds = seconds
        self.network = network
        self.retry_seconds = retry_seconds

    async def transcribe(self, path: Path, *, seconds: int | None) -> Transcript:
        """Return what is said in a file. Raise TranscriptionFailed, and OSError if the file cannot be opened."""
        with open_recording(path) as file:
            length = file.seek(0, 2)
            if length > MAX_FILE_BYTES:
                megabytes, most = math.ceil(length / 2**20), MAX_FILE_BYTES // 2**20
                raise TranscriptionFailed(people_texts.TOO_LARGE(megabytes=megabytes, most=most))
            file.seek(0)
            type_ = recognise(file.read(BYTES_READ_TO_RECOGNISE))
        name = f"voice.{ENDINGS.get(type_.media_type, DEFAULT_ENDING) if type_ else DEFAULT_ENDING}"
        for tries_left in reversed(range(TRIES)):
            try:
                answer = await self.ask(path, name)
                break
            except TranscriptionFailed as failed:
                if not tries_left or failed.seconds is None or failed.seconds > MAX_RETRY_SECONDS:
                    raise
                await asyncio.sleep(max(failed.seconds, self.retry_seconds * 2 ** (TRIES - 1 - tries_left)))
        heard = heard_seconds(answer) or seconds or length / MIN_BYTES_PER_SECOND
        cost = Micros(math.ceil(heard * self.micros_per_minute / 60))
        return Transcript(text=answer["text"].strip(), cost=cost, language=str(answer.get("language") or ""))

    async def ask(self, path: Path, name: str) -> dict[str, Any]:
        """Return the server's answer, which has a text. Raise TranscriptionFailed."""
        headers = {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        with open_recording(path) as file:
            try:
                async with (
                    aiohttp.ClientSession(
                        connector=aiohttp.TCPConnector(ssl=self.network.ssl_context()),
                        cookie_jar=aiohttp.DummyCookieJar(),
                        timeout=aiohttp.ClientTimeout(total=self.seconds, sock_connect=CONNECT_SECONDS),
                        headers=headers,
                    ) as session,
                    session.post(
                        self.url, data=self.form(file, name), proxy=self.network.proxy, allow_redirects=False
                    ) as response,
                ):
                    body = await read_at_most(response, MAX_ANSWER_BYTES)
            except aiohttp.ConnectionTimeoutError:
                raise self.out_of_reach() from None
            except TimeoutError:
                # the server may go on, and bill it: it is not asked again
                fault = operator_texts.TOO_LONG_WITHOUT_ANSWER(server=self.name, seconds=self.seconds)
                raise TranscriptionFailed(people_texts.TOO_SLOW(), fault=fault) from None
            except (aiohttp.ClientError, OSError, ValueError):  # their words may hold the address of a proxy
                raise self.out_of_reach() from None
        if response.status != 200:
            raise self.failure(response.status, response.headers.get("Retry-After", ""), body)
        answer = parse_json(body)
        if not isinstance(answer, dict) or not isinstance(answer.get("text"), str):
            raise TranscriptionFailed(
                people_texts.NOT_SET_UP_WELL(), fault=operator_texts.STRANGE_ANSWER(server=self.name)
            )
        return answer

    def out_of_reach(self) -> TranscriptionFailed:
        fault = operator_texts.UNREACHABLE(server=self.name)
        return TranscriptionFailed(people_texts.OUT_OF_REACH(), fault=fault, seconds=self.retry_seconds)

    def form(self, file: IO[bytes], name: str) -> aiohttp.FormData:
        form = aiohttp.FormData()
        form.add_field("model", self.model)
        form.add_field("response_format", "json")
        form.add_field("file", file, filename=name, content_type="application/octet-stream")
        return form

    def failure(self, status: int, retry_after: str, body: bytes) -> TranscriptionFailed:
        """Return what an answer with this status means."""
        said = error_message(body)
        if status == 429:
            seconds = self.retry_seconds
            if retry_after.isdecimal():
                seconds = min(MAX_TOLD_RETRY_SECONDS, float(retry_after))
            fault = operator_texts.FAILING(server=self.name, status=status, said=said)
            return TranscriptionFailed(people_texts.BUSY(), fault=fault, seconds=seconds)
        if status >= 500 or status == 408:
            fault = operator_texts.FAILING(server=self.name, status=status, said=said)
            return TranscriptionFailed(people_texts.OUT_OF_REACH(), fault=fault, seconds=self.retry_seconds)
        if status in (401, 403):
            return TranscriptionFailed(
                people_texts.NOT_SET_UP_WELL(), fault=operator_texts.KEY_REFUSED(server=self.name, status=status)
            )
        if status == 404:
            return TranscriptionFailed(
                people_texts.NOT_SET_UP_WELL(), fault=operator_texts.NOT_FOUND(server=self.name, said=said)
            )
        if 300 <= status < 400:
            return TranscriptionFailed(
                people_texts.NOT_SET_UP_WELL(), fault=operator_texts.ELSEWHERE(server=self.name, status=status)
            )
        return TranscriptionFailed(
            people_texts.NOT_ACCEPTED(), fault=operator_texts.REFUSED(server=self.name, status=status, said=said)
        )


def open_recording(path: Path) -> IO[bytes]:
    """Open a recording, in no thread: nobody would close it after a cancellation."""
    return path.open("rb")


def heard_seconds(answer: dict[str, Any]) -> float | None:
    """Return how long a recording is for the server: different servers say it in different places."""
    usage = answer.get("usage")
    for found in (answer.get("duration"), usage.get("seconds") if isinstance(usage, dict) else None):
        if isinstance(found, int | float) and not isinstance(found, bool) and 0 < found <= MAX_HEARD_SECONDS:
            return float(found)
    return None


async def read_at_most(response: aiohttp.ClientResponse, most: int) -> bytes:
    """Return an answer's body, cut after `most` bytes."""
    body = bytearray()
    async for piece in response.content.iter_chunked(2**16):
        body += piece
        if len(body) > most:
            break
    return bytes(body[:most])


def parse_json(body: bytes) -> object:
    """Return what the JSON holds; None if it is none."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def error_message(body: bytes) -> str:
    """Return what a server says is wrong, on one line."""
    answer = parse_json(body)
    error = answer.get("error", answer.get("detail")) if isinstance(answer, dict) else None
    said = error.get("message") if isinstance(error, dict) else error
    words = str(said) if said else body.decode(errors="replace")
    return " ".join(words.split())[:MAX_SAID_CHARACTERS] or operator_texts.NOTHING_SAID
