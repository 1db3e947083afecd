"""Take a request, check it, do it, answer it or fail as scripted, and remember it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field

from aiohttp import web

from tests.stand_ins.discord.bodies import as_object, parsed
from tests.stand_ins.discord.calls import Call, Portal
from tests.stand_ins.discord.errors import Refusal, form, plain
from tests.stand_ins.discord.faults import ANSWERS, LATER, Fault, Faults, spoil
from tests.stand_ins.discord.limits import VIA, Limits
from tests.stand_ins.discord.records import Answer, Request
from tests.stand_ins.discord.routes import ENDPOINTS, OPEN, Found, Route, find
from tests.stand_ins.discord.snowflakes import Json
from tests.stand_ins.discord.transport import half, hang_up, read_parts, reset
from tests.stand_ins.discord.world import World

PREFIX = "/api/v10"


@dataclass
class Rest:
    """The HTTP half of the stand-in. It calls `leave` to close the port."""

    world: World
    limits: Limits
    portal: Portal
    changed: Callable[[], None]
    leave: Callable[[], None]
    gateway_url: str = ""
    faults: Faults = field(default_factory=Faults)
    requests: list[Request] = field(default_factory=list)

    async def serve(self, http: web.Request) -> web.StreamResponse:
        path = http.path.removeprefix(PREFIX)
        request = Request(
            number=len(self.requests) + 1,
            at=self.world.now(),
            method=http.method,
            path=path,
            route="",
            query={**http.query},
        )
        self.requests.append(request)
        try:
            return await self.answer(http, request)
        finally:
            self.changed()

    async def answer(self, http: web.Request, request: Request) -> web.StreamResponse:
        try:
            if not http.path.startswith(f"{PREFIX}/"):
                raise plain(404, "Not Found")
            found = find(request.method, request.path)
        except Refusal as refused:
            return self.finish(request, self.told(request, refused))
        request.route, request.ids = found.route, found.ids
        fault = self.faults.take(found.route)
        request.fault = fault or ""
        if fault in (Fault.GONE, Fault.RESET_BEFORE, Fault.BLACK_HOLE_BEFORE):
            return await self.lose(http, fault)
        # Unread bytes would come before the next request on this connection.
        content = await self.content(http, request)
        if isinstance(content, bytes):
            with contextlib.suppress(Refusal):  # it is raised later; the request is recorded in any case
                request.body = body_of(found.route, parsed(content))
        answer = ANSWERS[fault] if fault in ANSWERS else self.judge(http, request, found, content)
        if request.had_effect and fault:
            return await self.spoiled(http, request, fault, answer)
        return self.finish(request, answer)

    async def content(self, http: web.Request, request: Request) -> bytes | Refusal:
        try:
            if not http.content_type.startswith("multipart/"):
                return await http.read()
            raw, request.files = await read_parts(http)
            return raw
        except Refusal as refused:
            return refused

    def judge(self, http: web.Request, request: Request, found: Found, content: bytes | Refusal) -> Answer:
        """Do a request and return its answer. This awaits nothing, so each request happens as a whole."""
        headers: dict[str, str] = dict(VIA)
        try:
            if found.route not in OPEN and http.headers.get("Authorization") != f"Bot {self.portal.token}":
                raise plain(401, "Unauthorized")
            headers, too_many = self.limits.spend(found.route, found.major)
            if too_many:
                return too_many
            if isinstance(content, Refusal):
                raise content
            request.body = body_of(found.route, parsed(content))
            answer = ENDPOINTS[found.route](self.call(request))
        except Refusal as refused:
            return self.told(request, refused, headers)
        request.had_effect = True
        return Answer(status=answer.status, body=answer.body, headers={**headers, **answer.headers})

    def call(self, request: Request) -> Call:
        return Call(
            request=request,
            world=self.world,
            limits=self.limits,
            portal=self.portal,
            gateway_url=self.gateway_url,
        )

    def told(self, request: Request, refused: Refusal, headers: dict[str, str] | None = None) -> Answer:
        request.code, request.message = refused.code, refused.message
        return Answer(status=refused.status, body=refused.body(), headers=headers or VIA)

    async def lose(self, http: web.Request, fault: Fault) -> web.StreamResponse:
        """Fail before anything is done."""
        if fault is Fault.BLACK_HOLE_BEFORE:
            self.changed()
            await asyncio.Event().wait()
        if fault is Fault.GONE:
            self.leave()
        reset(http.transport)
        return web.Response()

    async def spoiled(self, http: web.Request, request: Request, fault: Fault, answer: Answer) -> web.StreamResponse:
        """Fail after the request is done."""
        if fault in LATER:
            return self.finish(request, LATER[fault])
        match fault:
            case Fault.RESET_AFTER:
                reset(http.transport)
                return web.Response()
            case Fault.CLOSED_AFTER:
                hang_up(http.transport)
                return web.Response()
            case Fault.BLACK_HOLE_AFTER:
                self.changed()
                await asyncio.Event().wait()
            case Fault.HALF_ANSWER:
                return await half(http, encoded(answer), {"Content-Type": "application/json", **answer.headers})
            case Fault.SLOW:
                self.changed()
                await asyncio.sleep(self.faults.slow_seconds)
        return self.finish(request, spoil(fault, answer))

    def finish(self, request: Request, answer: Answer) -> web.Response:
        request.status = answer.status
        if answer.status in (401, 403, 429):
            self.limits.note_invalid()
        if answer.body is None:
            return web.Response(status=204, headers=answer.headers)
        headers = {"Content-Type": "application/json", **answer.headers}
        return web.Response(status=answer.status, body=encoded(answer), headers=headers)


def body_of(route: Route, value: object) -> Json:
    """Return a request's JSON as an object. Only the commands come as a list."""
    if route is not Route.PUT_COMMANDS:
        return as_object(value)
    if not isinstance(value, list):
        raise form("commands", "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
    return {"list": value}


def encoded(answer: Answer) -> bytes:
    return (answer.body if isinstance(answer.body, str) else json.dumps(answer.body)).encode()
