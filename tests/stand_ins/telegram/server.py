"""The stand-in itself: a socket, the calls that come in, and its memory of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from tests.stand_ins.downloads import Downloads
from tests.stand_ins.http import Connection, HungUp, Incoming
from tests.stand_ins.standing import StandIn
from tests.stand_ins.telegram.arguments import Arguments, arguments_of
from tests.stand_ins.telegram.carrying import POLL, Poll, carry_out, check_token, poll_of
from tests.stand_ins.telegram.chats import Chat, Kind, Standing
from tests.stand_ins.telegram.errors import Json, Refusal
from tests.stand_ins.telegram.faults import Fault, Faults
from tests.stand_ins.telegram.media import offer
from tests.stand_ins.telegram.people import BOT_ID, Person
from tests.stand_ins.telegram.rates import Limits, Rates
from tests.stand_ins.telegram.records import Call
from tests.stand_ins.telegram.rooms import Room
from tests.stand_ins.telegram.spoiling import INSTEAD, RETRIES, Answer, encoded, refused, send
from tests.stand_ins.telegram.updates import Updates
from tests.stand_ins.telegram.world import World

TOKEN = f"{BOT_ID}:TEST-stand-in"


@dataclass
class Account:
    """What one token opens: the world as its bot meets it, and how often this bot has written."""

    world: World
    rates: Rates


@dataclass
class TelegramStandIn(StandIn):
    """The server. Use `async with TelegramStandIn() as server:`, and connect a Bot to `server.base_url` with
    `server.token`.

    `now` returns seconds since 1970 for limits, retention and dates. A poll waits in real seconds, at most
    `longest_poll_seconds`.
    """

    now: Callable[[], float] = time.time
    port: int = 0
    token: str = TOKEN
    limits: Limits = field(default_factory=Limits)
    longest_poll_seconds: float = 50.0
    slow_seconds: float = 0.2
    most_upload_bytes: int = 50 * 1024 * 1024  # of a whole body
    is_revoked: bool = False
    faults: Faults = field(default_factory=Faults)
    calls: list[Call] = field(default_factory=list)
    downloads: Downloads = field(default_factory=Downloads)
    accounts: dict[str, Account] = field(default_factory=dict)  # by token; a revoked one has none

    async def __aenter__(self) -> TelegramStandIn:
        self.world = World(self.now)
        self.rates = Rates(self.now, self.limits)
        self.accounts[self.token] = Account(self.world, self.rates)
        await self.begin()
        return self

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/bot"

    @property
    def base_file_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/file/bot"

    def person(self, number: int, name: str, username: str = "") -> Person:
        """Make a person. The number is the person's id in `allow_from`, and the id of the private chat."""
        return self.world.people.setdefault(number, Person(id=number, name=name, username=username))

    def add_bot(self, number: int, name: str, *rooms: Room) -> str:
        """Make another bot, which is a member of these chats. Return its token."""
        bot, token = Person(id=number, name=name, username=f"{name.lower()}_bot", is_bot=True), f"{number}:TEST-another"
        for room in rooms:
            room.chat.standings[number] = Standing.MEMBER
        self.accounts[token] = Account(self.world.as_met_by(bot), Rates(self.now, self.limits))
        return token

    def private(self, person: Person, *, started: bool = True) -> Room:
        """Return the private chat of a person with the bot. Only a person can start it."""
        chat = self.world.chats.get(person.id) or self.world.add_chat(
            Chat(id=person.id, kind=Kind.PRIVATE, people={person.id: person}, numbers=self.world.numbers)
        )
        chat.is_started = started
        return Room(self.world, chat)

    def group(self, title: str, *people: Person, number: int | None = None) -> Room:
        return Room(self.world, self.world.open_group(title, *people, kind=Kind.GROUP, number=number))

    def supergroup(self, title: str, *people: Person, forum: bool = False, number: int | None = None) -> Room:
        chat = self.world.open_group(title, *people, kind=Kind.SUPERGROUP, number=number)
        chat.is_forum = forum
        return Room(self.world, chat)

    def accepted(self, method: str = "", chat: int = 0) -> list[Call]:
        """Return the calls that had their effect, in order: all, or those of a method or to a chat."""
        named = [call for call in self.calls if method.lower() in ("", call.method.lower())]
        return [call for call in named if call.accepted and chat in (0, call.chat)]

    async def serve(self, connection: Connection) -> None:
        connection.most_bytes = self.most_upload_bytes
        while (opening := await connection.opening()) and await self.exchange(connection, opening):
            pass

    async def exchange(self, connection: Connection, opening: Incoming) -> bool:
        """Handle one call. Return True if the connection can be used again."""
        match unquote(opening.path).split("/", 3):
            case ["", "file", bot, path] if bot.startswith("bot"):
                return await self.fetch(connection, opening, bot[3:], path)
            case ["", bot, method] if bot.startswith("bot"):
                token = bot[3:]
            case _:
                token, method = "", opening.path
        call = Call(number=len(self.calls) + 1, method=method, at=self.now(), arrived=asyncio.get_running_loop().time())
        fault = self.faults.take(method)
        call.fault = fault or ""
        self.calls.append(call)
        self.tell_watchers()
        try:
            return await self.meet(connection, opening, token, call, fault)
        finally:
            self.tell_watchers()

    async def meet(
        self, connection: Connection, opening: Incoming, token: str, call: Call, fault: Fault | None
    ) -> bool:
        if fault is Fault.REFUSED:
            self._port.close()
        if fault in (Fault.REFUSED, Fault.RESET_UNREAD):
            connection.reset()
            return False
        incoming = await connection.rest(opening)
        if incoming is None:
            return False
        answer = await self.judge(connection, incoming, token, call, fault)
        if answer is None:
            await connection.watch()
            return False
        return await send(connection, call, answer, fault, self.slow_seconds)

    async def judge(
        self, connection: Connection, incoming: Incoming, token: str, call: Call, fault: Fault | None
    ) -> Answer | None:
        """Carry out the call, unless a fault comes first. Return None if it is never answered."""
        try:
            arguments = arguments_of(incoming)
            call.parameters = arguments.given
            check_token(token, is_known=token in self.accounts and not (self.is_revoked and token == self.token))
            account = self.accounts[token]
            call.bot = account.world.bot.id
            account.rates.check_ordered(call.scope)
            if fault is Fault.BLACK_HOLE_UNREAD:
                return None
            if fault in RETRIES:
                account.rates.order(call.scope, RETRIES[fault])
            if fault in INSTEAD:
                return INSTEAD[fault]
            call.result = await self.result(connection, call.method, arguments, account)
        except Refusal as refusal:
            call.refusal = str(refusal)
            return refused(refusal)
        call.accepted = True
        self.tell_watchers()
        return encoded({"ok": True, "result": call.result})

    async def result(self, connection: Connection, method: str, arguments: Arguments, account: Account) -> Any:
        if method.lower() != POLL:
            return carry_out(account.world, account.rates, method, arguments)
        poll = poll_of(account.world, arguments, self.longest_poll_seconds)
        return await self.polled(connection, poll, account.world.updates)

    async def polled(self, connection: Connection, poll: Poll, queue: Updates) -> list[Any]:
        """Return the updates. Raise HungUp if the client leaves while it waits, Refusal if another poll begins."""
        ended = queue.begin_poll()
        self.tell_watchers()
        updates = queue.wait(ended, poll.offset, poll.limit, poll.seconds)
        waiting = asyncio.create_task(updates, name="waiting for updates")
        watching = asyncio.create_task(connection.watch(), name="watching the poller")
        try:
            await asyncio.wait({waiting, watching}, return_when=asyncio.FIRST_COMPLETED)
            if not waiting.done():
                raise HungUp
            return waiting.result()
        finally:
            for task in (waiting, watching):
                task.cancel()
            await asyncio.gather(waiting, watching, return_exceptions=True)
            queue.end_poll(ended)

    def holding(self, media: Json, content: bytes) -> Json:
        """Return media, such as `document("a.pdf")`, whose file has this content from now on."""
        return offer(self.world, media, content)

    async def fetch(self, connection: Connection, opening: Incoming, token: str, path: str) -> bool:
        """Send a file. Its path is good for an hour after the getFile that named it."""
        await connection.rest(opening)
        is_good = token == self.token and self.world.file_paths.get(path, 0.0) > self.now()
        content = self.world.files.get(path.removeprefix("files/")) if is_good else None
        return await self.downloads.send(connection, path, content)
