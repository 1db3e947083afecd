"""Try a turn again, over the control socket: the answer in the bot, and the request to it.

A request is a line such as `{"ask": "fork", "version": "0.3", "key": "…", "turn": "t7", "text": "", "model": ""}`. The
answer is `{"session": …, "turn": …}`, and the conversation is durable then; or `{"refused": …}`.
"""

import asyncio
import json
from asyncio import StreamReader, StreamWriter
from dataclasses import asdict
from pathlib import Path

from bot.core.errors import ForkRefused
from bot.core.forks import ForkOrder
from bot.core.messages import Address, Sender
from bot.core.texts import forks as texts
from bot.core.turn import SessionId, TurnId
from bot.engine.forks import Forks
from bot.journal.forks import Fork
from bot.ops.control.server import Answerer, Request
from bot.ops.control.unix_socket import ask_running_bot

FORK_REQUEST = "fork"
ANSWER_SECONDS = 15.0  # on a full disk the bot waits; the page does not


def make_fork_answerer(forks: Forks, chat: Address, owner: Sender, version: str) -> Answerer:
    """Return the function that begins forks in a chat of the owner's. A front of another version is refused."""

    async def answer(request: Request, reader: StreamReader, writer: StreamWriter) -> None:
        try:
            if request.get("version") != version:
                raise ForkRefused(texts.OTHER_VERSION(running=version, own=request.get("version")))
            said = (await forks.begin(read_order(request), chat, owner))._asdict()
        except ForkRefused as error:
            said = {"refused": str(error)}
        writer.write(json.dumps(said).encode() + b"\n")
        await writer.drain()

    return answer


def read_order(request: Request) -> ForkOrder:
    """Return the order of a request. Raise ForkRefused if it holds none."""
    given = [request.get(name) for name in ("key", "turn", "text", "model")]
    if not all(isinstance(each, str) for each in given) or not given[0]:
        raise ForkRefused(texts.NO_ORDER())
    key, turn, text, model = map(str, given)
    return ForkOrder(key=key, turn=TurnId(turn), text=text, model=model)


async def ask_for_fork(data: Path, version: str, order: ForkOrder) -> Fork:
    """Have the bot that runs in this data folder try a turn again. Raise ForkRefused if it does not, or if it is away:
    then nobody knows whether it has, and the same order may be given again."""
    request = {"ask": FORK_REQUEST, "version": version, **asdict(order)}
    said = await asyncio.to_thread(ask_running_bot, data, ANSWER_SECONDS, **request)
    if said is None:
        raise ForkRefused(texts.BOT_AWAY())
    if "refused" in said:
        raise ForkRefused(said["refused"])
    return Fork(SessionId(said["session"]), TurnId(said["turn"]))
