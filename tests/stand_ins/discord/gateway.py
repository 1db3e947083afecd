"""The gateway: hello, heartbeats, identify and resume, and events for the bots that may have them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any

from aiohttp import WSMsgType, web

from tests.stand_ins.discord.calls import Portal
from tests.stand_ins.discord.compression import packing
from tests.stand_ins.discord.connections import Connection
from tests.stand_ins.discord.drops import Drop, Drops
from tests.stand_ins.discord.events import PRIVILEGED, VALID, Event, intent_of
from tests.stand_ins.discord.limits import Limits, trim
from tests.stand_ins.discord.records import Frame
from tests.stand_ins.discord.sessions import Session
from tests.stand_ins.discord.snowflakes import Json, Now

LONGEST = 4096  # bytes of one payload from a client
HEARTBEAT, IDENTIFY, RESUME = 1, 2, 6
TAKEN = (3, 4, 8)  # presence, voice state, request for members: recorded and ignored
FORGET = (1000, 1001, 4004, 4007, 4009, 4010, 4013, 4014)  # these close codes end the session


@dataclass
class Gateway:
    """`ready` returns the body of READY for a new session. `guilds` returns the guilds that follow it."""

    now: Now
    limits: Limits
    portal: Portal
    changed: Callable[[], None]
    ready: Callable[[str], Json]
    guilds: Callable[[], list[Json]]
    heartbeat_seconds: float = 41.25
    late_seconds: float = 20.0  # how late a heartbeat may be
    drops: Drops = field(default_factory=Drops)
    frames: list[Frame] = field(default_factory=list)
    sessions: dict[str, Session] = field(default_factory=dict)
    connections: list[Connection] = field(default_factory=list)  # those that are open
    connected: int = 0  # the number of all connections so far
    closes: list[int | None] = field(default_factory=list)  # the close code of each ended connection

    def publish(self, event: Event) -> None:
        for session in list(self.sessions.values()):
            if session.is_over(self.now()):
                del self.sessions[session.id]
            else:
                session.hear(event)

    async def serve(self, http: web.Request) -> web.StreamResponse:
        drop = self.drops.take()
        if drop is Drop.UNAVAILABLE:
            return web.Response(status=503, text="<html>503</html>", content_type="text/html")
        try:
            pack = packing(http.query.get("compress"))
        except ValueError as unknown:
            return web.Response(status=400, text=str(unknown))
        socket = web.WebSocketResponse(max_msg_size=0, timeout=1.0)
        await socket.prepare(http)
        self.connected += 1
        connection = Connection(
            number=self.connected,
            http=http,
            socket=socket,
            pack=pack,
            drops=self.drops,
            now=self.now,
            note=self.note,
            drop=drop,
        )
        self.connections.append(connection)
        try:
            await self.talk(connection)
        finally:
            self.leave(connection)
        return socket

    async def talk(self, connection: Connection) -> None:
        connection.last_beat = asyncio.get_running_loop().time()
        if connection.drop is Drop.BEFORE_HELLO:
            connection.cut()
        elif connection.drop is not Drop.SILENT:
            self.greet(connection)
        async with asyncio.TaskGroup() as tasks:
            writing = tasks.create_task(connection.run(), name="writing")
            watching = tasks.create_task(self.watch(connection), name="watching")
            await self.read(connection)
            watching.cancel()
            if not connection.is_over:  # otherwise it still sends its last payloads
                writing.cancel()

    def greet(self, connection: Connection) -> None:
        query = connection.http.query
        if query.get("v") != "10":
            return connection.close(4012, "Invalid API version.")
        if query.get("encoding") != "json":
            return connection.close(4002, "This stand-in speaks JSON only.")
        connection.acks = connection.drop is not Drop.ACKS_WITHHELD
        connection.send(
            {"op": 10, "s": None, "t": None, "d": {"heartbeat_interval": int(self.heartbeat_seconds * 1000)}}
        )
        if connection.drop is Drop.AFTER_HELLO:
            connection.cut()

    async def watch(self, connection: Connection) -> None:
        """Close a connection whose client sends no heartbeats."""
        patience = self.heartbeat_seconds + self.late_seconds
        loop = asyncio.get_running_loop()
        while True:
            left = connection.last_beat + patience - loop.time()
            if left <= 0:
                return connection.close(4009, "Session timed out.")
            await asyncio.sleep(left)

    async def read(self, connection: Connection) -> None:
        async for told in connection.socket:
            if told.type is WSMsgType.TEXT and len(told.data.encode()) <= LONGEST:
                self.hear(connection, told.data)
            else:
                connection.close(4002, "Error while decoding payload.")
            self.changed()

    def hear(self, connection: Connection, text: str) -> None:
        trim(connection.received, self.now() - 60.0)
        connection.received.append(self.now())
        if self.limits.events_per_minute and len(connection.received) > self.limits.events_per_minute:
            return connection.close(4008, "Rate limited.")
        try:
            payload = json.loads(text)
        except ValueError:
            payload = None
        if not isinstance(payload, dict) or "op" not in payload:
            return connection.close(4002, "Error while decoding payload.")
        connection.note_frame(payload, is_sent=False)
        self.obey(connection, payload["op"], payload.get("d"))

    def obey(self, connection: Connection, op: object, body: Any) -> None:
        if op == HEARTBEAT:
            connection.beats += 1
            connection.last_beat = asyncio.get_running_loop().time()
            if connection.acks:
                connection.send({"op": 11, "s": None, "t": None, "d": None})
        elif op not in (IDENTIFY, RESUME, *TAKEN):
            connection.close(4001, "Unknown opcode.")
        elif (op in TAKEN) == (connection.session is None):
            connection.close(*((4003, "Not authenticated.") if op in TAKEN else (4005, "Already authenticated.")))
        elif op not in TAKEN:
            self.let_in(connection, self.identify if op == IDENTIFY else self.resume, body)

    def let_in(self, connection: Connection, step: Callable[[Connection, Json], None], body: Any) -> None:
        if not isinstance(body, dict):
            return connection.close(4002, "Error while decoding payload.")
        if body.get("token") != self.portal.token:
            return connection.close(4004, "Authentication failed.")
        match connection.drop:
            case Drop.AFTER_IDENTIFY:
                connection.cut()
            case Drop.INVALID | Drop.INVALID_RESUMABLE:
                self.invalid(connection, connection.drop is Drop.INVALID_RESUMABLE)
            case _:
                step(connection, body)

    def identify(self, connection: Connection, body: Json) -> None:
        if self.limits.identifies_per_day and not self.limits.identifies_left():
            return self.reset_token()
        intents = body.get("intents")
        if body.get("shard", [0, 1]) != [0, 1]:
            return connection.close(4010, "Invalid shard.")
        if not isinstance(intents, int) or intents & ~VALID:
            return connection.close(4013, "Invalid intent(s).")
        if intents & PRIVILEGED & ~self.portal.intents:
            return connection.close(4014, "Disallowed intent(s).")
        if not self.limits.identify():
            return self.invalid(connection, False)
        session = Session(id=token_hex(16), intents=intents, connection=connection)
        self.sessions[session.id] = connection.session = session
        session.hear(Event("READY", self.ready(session.id)))
        for guild in self.guilds():
            session.hear(Event("GUILD_CREATE", guild, intent_of("GUILDS")))

    def resume(self, connection: Connection, body: Json) -> None:
        session = self.sessions.get(str(body.get("session_id")))
        if session is None or session.is_over(self.now()):
            return self.invalid(connection, False)
        sequence = body.get("seq")
        if not isinstance(sequence, int) or sequence > len(session.sent):
            return connection.close(4007, "Invalid seq.")
        if session.connection:
            session.connection.close(4000, "Resumed elsewhere.")
        session.connection, session.left_at, connection.session = connection, None, session
        for payload in session.sent[sequence:]:
            connection.dispatch(payload)
        session.hear(Event("RESUMED", {"_trace": []}))

    def invalid(self, connection: Connection, is_resumable: bool) -> None:
        if connection.session and not is_resumable:
            self.sessions.pop(connection.session.id, None)
        connection.send({"op": 9, "s": None, "t": None, "d": is_resumable})

    def reset_token(self) -> None:
        """Invalidate the token, as Discord does if a bot identifies too often."""
        self.portal.token = f"{self.portal.token}-reset"
        self.close(4004)

    def leave(self, connection: Connection) -> None:
        self.connections.remove(connection)
        code = connection.code or connection.socket.close_code
        self.closes.append(code)
        session = connection.session
        if session and session.connection is connection:
            session.connection, session.left_at = None, self.now()
            if code in FORGET:
                self.sessions.pop(session.id, None)
        self.changed()

    def note(self, frame: Frame) -> None:
        self.frames.append(frame)
        self.changed()

    # What a test does to all connections.

    def cut(self) -> None:
        for connection in self.connections:
            connection.cut()

    def close(self, code: int) -> None:
        for connection in self.connections:
            connection.close(code)

    def ask_to_reconnect(self) -> None:
        for connection in self.connections:
            connection.send({"op": 7, "s": None, "t": None, "d": None})

    def invalidate(self, *, is_resumable: bool) -> None:
        for connection in self.connections:
            self.invalid(connection, is_resumable)

    def ask_for_heartbeat(self) -> None:
        for connection in self.connections:
            connection.send({"op": 1, "s": None, "t": None, "d": None})

    def withhold_acks(self) -> None:
        for connection in self.connections:
            connection.acks = False

    def fall_silent(self) -> None:
        """From now on, send nothing on the open connections, and end none of them."""
        for connection in self.connections:
            connection.is_silent = True
