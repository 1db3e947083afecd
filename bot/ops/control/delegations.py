"""What clients want of a running bot, over its control socket: the answers in the bot, and the requests to it.

A request is a line such as `{"ask": "delegations", "do": "find", "client": "local", "id": "t7"}`. The answers are lines
`{"progress": …}`, if any, and at last one line `{"answer": …}` or `{"refused": …}`. Who may open the socket says for
which client it speaks, so the fronts know their clients: by who started them, or by a token.
"""

import asyncio
import json
import secrets
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any

from bot.core.clients import DelegationOrder
from bot.core.errors import BotAway, DelegationRefused
from bot.core.texts import clients as texts
from bot.engine.client_delegations import ClientDelegations
from bot.ops.control.server import MAX_LINE_BYTES, Answerer, Request
from bot.ops.control.unix_socket import connect_to_bot

DELEGATIONS_REQUEST = "delegations"
CONNECT_TIMEOUT_SECONDS = 5.0
PATIENCE_SECONDS = 60.0  # with a bot that is away: it may be starting again
RETRY_SECONDS = 0.2

OnProgress = Callable[[str], Awaitable[None]]
TellProgress = Callable[[str], Awaitable[None]]


async def ignore_progress(text: str) -> None:
    """Do nothing: nobody wants to know."""


def make_delegations_answerer(delegations: ClientDelegations, version: str) -> Answerer:
    """Return the function that answers clients. A front of another version is refused."""

    async def answer(request: Request, reader: StreamReader, writer: StreamWriter) -> None:
        async def tell(**line: Any) -> None:
            writer.write(json.dumps(line).encode() + b"\n")
            await writer.drain()

        async def tell_progress(text: str) -> None:
            await tell(progress=text)

        try:
            if request.get("version") != version:
                raise DelegationRefused(texts.OTHER_VERSION(running=version, own=request.get("version")))
            await tell(answer=await carry_out(delegations, request, tell_progress))
        except DelegationRefused as error:
            await tell(refused=str(error))

    return answer


async def carry_out(delegations: ClientDelegations, request: Request, tell_progress: TellProgress) -> Any:
    """Do what a client wants. Return the answer as JSON. Raise DelegationRefused if it may not have that."""
    client = str(request.get("client"))
    match request.get("do"):
        case "list roles":
            return [
                {"name": role.name, "description": role.description} for role in await delegations.list_roles(client)
            ]
        case "begin":
            return await delegations.begin(DelegationOrder(**{**request["order"], "client": client}))
        case "list":
            return [each.as_json() for each in await delegations.list_all(client)]
        case "find":
            return (await delegations.find(client, str(request["id"]))).as_json()
        case "follow":
            async for text in delegations.follow(client, str(request["id"])):
                await tell_progress(text)
            return (await delegations.find(client, str(request["id"]))).as_json()
        case "cancel":
            await delegations.cancel(client, str(request["id"]))
            return (await delegations.find(client, str(request["id"]))).as_json()
    raise DelegationRefused(texts.UNKNOWN_REQUEST(name=request.get("do")))


class RunningBot:
    """The bot that runs in a data folder, as a client's front sees it. The bot may be away for a while: each request is
    asked again until it is answered, and carries its own key, so nothing happens twice."""

    def __init__(self, data: Path, version: str, patience_seconds: float = PATIENCE_SECONDS) -> None:
        self.data = data
        self.version = version
        self.patience_seconds = patience_seconds

    async def begin(self, client: str, **order: Any) -> str:
        """Begin a delegation, once for each `key` of an order if that has one. Return its id."""
        return str(await self.ask("begin", client, order={"key": secrets.token_hex(8), **order}))

    async def ask(self, do: str, client: str, on_progress: OnProgress = ignore_progress, **arguments: Any) -> Any:
        """Return the bot's answer. Raise DelegationRefused with what it says against the request, and BotAway if no
        bot has answered for `patience_seconds`."""
        request = {"ask": DELEGATIONS_REQUEST, "version": self.version, "do": do, "client": client, **arguments}
        loop = asyncio.get_running_loop()
        give_up = loop.time() + self.patience_seconds
        while loop.time() < give_up:
            with suppress(OSError, ValueError):
                async with aclosing(self.exchange(request)) as lines:
                    async for line in lines:
                        give_up = loop.time() + self.patience_seconds
                        if "refused" in line:
                            raise DelegationRefused(line["refused"])
                        if "answer" in line:
                            return line["answer"]
                        await on_progress(line["progress"])
            await asyncio.sleep(RETRY_SECONDS)
        raise BotAway(texts.BOT_AWAY)

    async def exchange(self, request: Request) -> AsyncGenerator[dict[str, Any], None]:
        """Send a request, and yield the lines of the answer. Yield nothing if no bot listens."""
        connection = connect_to_bot(self.data, CONNECT_TIMEOUT_SECONDS)
        if connection is None:
            return
        reader, writer = await asyncio.open_unix_connection(sock=connection, limit=MAX_LINE_BYTES)
        try:
            writer.write(json.dumps(request).encode() + b"\n")
            while line := await reader.readline():
                yield json.loads(line)
        finally:
            writer.transport.abort()
