"""What the owner writes in the page, over the control socket: the answer in the bot, and the request to it.

A request is a line such as `{"ask": "page", "version": "0.3", "form": "…", "act": "write", "about": "…", "text": "…"}`.
The answer is `{"taken": true}`, and the words are durable then; or `{"refused": …}`.
"""

import asyncio
import json
from asyncio import StreamReader, StreamWriter
from dataclasses import asdict
from pathlib import Path

from bot.core.errors import WordsRefused
from bot.core.page_words import PageAct, PageWords
from bot.core.texts import page as texts
from bot.engine.page_words import PageIntake
from bot.ops.control.server import Answerer, Request
from bot.ops.control.unix_socket import ask_running_bot

PAGE_REQUEST = "page"
ANSWER_SECONDS = 15.0  # on a full disk the bot waits; the page does not


def make_page_answerer(page: PageIntake, version: str) -> Answerer:
    """Return the function that takes in what comes from the page. A page of another version is refused."""

    async def answer(request: Request, reader: StreamReader, writer: StreamWriter) -> None:
        try:
            if request.get("version") != version:
                raise WordsRefused(texts.OTHER_VERSION(running=version, own=request.get("version")))
            await page.take(read_words(request))
            said: dict[str, object] = {"taken": True}
        except WordsRefused as error:
            said = {"refused": str(error)}
        writer.write(json.dumps(said).encode() + b"\n")
        await writer.drain()

    return answer


def read_words(request: Request) -> PageWords:
    """Return the words of a request. Raise WordsRefused if it has none."""
    fields = {name: request.get(name) for name in ("form", "about", "text")}
    try:
        act = PageAct(str(request.get("act")))
    except ValueError:
        raise WordsRefused(texts.NOT_WORDS()) from None
    if not all(isinstance(value, str) for value in fields.values()):
        raise WordsRefused(texts.NOT_WORDS())
    return PageWords(act=act, **{name: str(value) for name, value in fields.items()})


class BotBesidePage:
    """The bot that runs in a data folder, as the page sees it."""

    def __init__(self, data: Path, version: str) -> None:
        self.data = data
        self.version = version

    async def take(self, words: PageWords) -> None:
        """Hand words to the bot. When this returns, they are durable. Raise WordsRefused if the bot does not take them,
        or if it is away: then nobody knows whether it has taken them, and they may be sent again."""
        request = {"ask": PAGE_REQUEST, "version": self.version, **asdict(words)}
        said = await asyncio.to_thread(ask_running_bot, self.data, ANSWER_SECONDS, **request)
        if said is None:
            raise WordsRefused(texts.BOT_AWAY())
        if "refused" in said:
            raise WordsRefused(said["refused"])
