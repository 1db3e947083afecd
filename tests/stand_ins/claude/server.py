"""The stand-in itself: a socket, the requests that it accepts and refuses, and its memory."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tests.stand_ins.claude.answering import Answering
from tests.stand_ins.claude.asked import Asked
from tests.stand_ins.claude.cache import Cache, Plan, has_images
from tests.stand_ins.claude.checks import check, media
from tests.stand_ins.claude.checks.fields import unexpected
from tests.stand_ins.claude.checks.harsh import Harsh, refuse
from tests.stand_ins.claude.checks.messages import check_end, check_neighbours
from tests.stand_ins.claude.errors import ApiError
from tests.stand_ins.claude.faults import ANSWERS, BREAKS, Fault, Faults
from tests.stand_ins.claude.frames import End, tell
from tests.stand_ins.claude.history import History
from tests.stand_ins.claude.models import MODELS, ModelCard, card_of
from tests.stand_ins.claude.parsing import parsed
from tests.stand_ins.claude.records import Billed, Clock, Request
from tests.stand_ins.claude.replies import reply
from tests.stand_ins.claude.script import Script
from tests.stand_ins.claude.signing import context_of
from tests.stand_ins.claude.spoiling import spoil_reply, spoil_steps
from tests.stand_ins.http import Connection, Incoming
from tests.stand_ins.standing import StandIn

KEY = "sk-ant-stand-in"
WARMED = reply(stop_reason="max_tokens")  # the reply to a request for no tokens, which only warms the cache


@dataclass
class ClaudeStandIn(StandIn):
    """Use `async with ClaudeStandIn() as server:`, and a client with `server.base_url` and `server.api_key`."""

    lenient: Iterable[Harsh] = ()  # our own rules that are off in this test
    port: int = 0
    api_key: str = KEY
    has_web: bool = True  # whether it knows the web tools
    refuses: Callable[[Asked], str] = lambda asked: ""  # return the error for a request, "" to accept it
    unreadable: bytes = b""  # an image that it cannot decode
    names_places: bool = True  # whether its error names the place of that image
    seconds_per_token: float = 0  # while a call's arguments are written
    split: int = 0  # bytes in each piece of the stream; 0: no limit
    together: int = 1  # frames in one piece
    ping_seconds: float = 0.02
    script: Script = field(default_factory=Script)
    faults: Faults = field(default_factory=Faults)
    clock: Clock = field(default_factory=Clock)
    requests: list[Request] = field(default_factory=list)
    refused: list[ApiError] = field(default_factory=list)  # the errors of all refused requests
    answering: set[Request] = field(default_factory=set)
    most_at_once: int = 0

    async def __aenter__(self) -> ClaudeStandIn:
        self.harsh = frozenset(Harsh) - frozenset(self.lenient)
        self.cache, self.history = Cache(), History()
        self._ids: Counter[str] = Counter()
        self._own = secrets.token_hex(3)  # so that ids differ from other servers'
        await self.begin()
        return self

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def billed(self) -> Billed:
        """Return the sum of all bills."""
        names = Billed.__dataclass_fields__
        return Billed(**{name: sum(getattr(one.billed, name) for one in self.requests) for name in names})

    def verify(self) -> None:
        """Raise AssertionError unless the whole script was said, and no request was unexpected or refused."""
        assert not self.script.unsaid, f"never said: {self.script.unsaid}"
        assert not self.script.unexpected, f"not expected: {[asked.last for asked in self.script.unexpected]}"
        assert not self.refused, f"refused: {self.refused}"

    async def serve(self, connection: Connection) -> None:
        while (incoming := await connection.request()) and await self.answer(connection, incoming):
            pass

    async def answer(self, connection: Connection, incoming: Incoming) -> bool:
        """Answer one request. Return True if the connection can be used again."""
        headers = {"request-id": self.new_id("req"), **self.limits()}
        try:
            return await self.route(connection, incoming, headers)
        except ApiError as refusal:
            if refusal not in ANSWERS.values():
                self.refused.append(refusal)
            await connection.json(refusal.status, {**headers, **refusal.headers}, refusal.body(headers["request-id"]))
            return True

    async def route(self, connection: Connection, incoming: Incoming, headers: dict[str, str]) -> bool:
        self.let_in(incoming)
        betas = incoming.headers.get("anthropic-beta", "")
        match incoming.method, incoming.path.strip("/").split("/"):
            case "GET", ["v1", "models"]:
                cards = [card.as_json(betas) for card in MODELS.values()]
                whole = {"data": cards, "has_more": False, "first_id": cards[0]["id"], "last_id": cards[-1]["id"]}
                await connection.json(200, headers, whole)
            case "GET", ["v1", "models", name]:
                await connection.json(200, headers, card_of(name).as_json(betas))
            case "POST", ["v1", "messages", "count_tokens"]:
                asked = self.read(incoming, needs_length=False)
                card = card_of(asked.model)
                check(asked, card, self.harsh)
                count = self.cache.plan(asked, card, self.clock.now).billed.prompt
                await connection.json(200, headers, {"input_tokens": count})
            case "POST", ["v1", "messages"]:
                return await self.reply(connection, self.read(incoming), headers)
            case _:
                raise ApiError(f"Not found: {incoming.method} {incoming.path}", status=404)
        return True

    def let_in(self, incoming: Incoming) -> None:
        bearer = incoming.headers.get("authorization", "").removeprefix("Bearer ")
        if self.api_key not in (bearer, incoming.headers.get("x-api-key")):
            raise ApiError("invalid x-api-key", status=401)
        if "anthropic-version" not in incoming.headers:
            raise ApiError("anthropic-version: header is required")
        if incoming.too_large:
            raise ApiError("Request exceeds the maximum size", status=413)

    def read(self, incoming: Incoming, *, needs_length: bool = True) -> Asked:
        if not incoming.headers.get("content-type", "").startswith("application/json"):
            raise ApiError("content-type: Input should be 'application/json'")
        body = parsed(incoming.body)
        if not isinstance(body, dict):
            raise ApiError("Input should be a valid dictionary")
        return Asked(body if needs_length else {"max_tokens": 1, **body}, incoming.headers)

    def accept(self, asked: Asked) -> tuple[Request, Plan, ModelCard]:
        """Check a request, and return its record. Raise the service's error."""
        if not isinstance(asked.body.get("model", ""), str):
            raise ApiError("model: Input should be a valid string")
        card = card_of(asked.model) if "model" in asked.body else next(iter(MODELS.values()))
        check(asked, card, self.harsh)
        if words := self.refuses(asked):
            raise ApiError(words)
        self.check_web(asked)
        media.check_readable(asked, self.unreadable, names_places=self.names_places)
        check_neighbours(asked.messages, self.harsh, self.history.paused(asked))
        check_end(asked, card, self.history.is_pause(asked))
        parent, dropped = self.history.check(asked, card, self.harsh)
        plan = self.cache.plan(asked, card, self.clock.now)
        if plan.billed.prompt > card.window:
            raise ApiError(f"prompt is too long: {plan.billed.prompt} tokens > {card.window} maximum")
        self.check_cache(asked, plan, parent)
        now = asyncio.get_running_loop().time()
        request = Request(number=len(self.requests) + 1, asked=asked, arrived=now, at=self.clock.now, extends=parent)
        request.transformations = dropped
        return request, plan, card

    def check_web(self, asked: Asked) -> None:
        for place, tool in enumerate(asked.tools):
            if "type" in tool and not self.has_web:
                raise unexpected(f"tools.{place}", tool["type"])

    def check_cache(self, asked: Asked, plan: Plan, parent: Request | None) -> None:
        if Harsh.UNCACHED in self.harsh and plan.can_cache and not plan.marked:
            raise refuse(Harsh.UNCACHED, f"{plan.billed.prompt} tokens")
        if Harsh.CACHE_MISSED not in self.harsh or parent is None or self.clock.now >= parent.cached_until:
            return
        if has_images(asked) != has_images(parent.asked) or context_of(asked) != context_of(parent.asked):
            return  # nobody can avoid this: web tools that are withheld are other tools, too
        if plan.billed.read < parent.left:
            left = f"the request before left {parent.left} tokens there, and {plan.billed.read} are read"
            raise refuse(Harsh.CACHE_MISSED, left)

    async def reply(self, connection: Connection, asked: Asked, headers: dict[str, str]) -> bool:
        request, plan, card = self.accept(asked)
        fault = self.faults.take(request.number, asked)
        request.fault = fault or ""
        self.requests.append(request)
        self.history.hear(asked)
        self.answering.add(request)
        self.most_at_once = max(self.most_at_once, len(self.answering))
        self.tell_watchers()
        try:
            if fault in ANSWERS:
                request.status = ANSWERS[fault].status
                raise ANSWERS[fault]
            return await self.say(connection, request, plan, card, headers)
        finally:
            request.ended = asyncio.get_running_loop().time()
            request.over.set()
            self.answering.discard(request)
            self.tell_watchers()

    async def say(
        self, connection: Connection, request: Request, plan: Plan, card: ModelCard, headers: dict[str, str]
    ) -> bool:
        asked, fault = request.asked, Fault(request.fault) if request.fault else None
        scripted, put_back = self.script.take(asked) if asked.body["max_tokens"] else (WARMED, lambda: None)
        if fault in BREAKS:
            put_back()
        plans: list[Plan] = []  # of fallback models that continue

        def other(model: str, text: str) -> Billed:
            messages = [*asked.messages, *([{"role": "assistant", "content": text}] if text else [])]
            changed = Asked({**asked.body, "model": model, "messages": messages}, asked.headers)
            plans.append(self.cache.plan(changed, card_of(model), self.clock.now))
            return plans[-1].billed

        told = tell(
            request,
            spoil_reply(fault, scripted, asked) if fault else scripted,
            plan.billed,
            self.new_id,
            self.seconds_per_token,
            other,
        )
        steps = spoil_steps(fault, told.steps) if fault else told.steps

        def begin() -> None:
            """Note that the head is sent: from now on other requests can read what this one writes to the cache."""
            was_asked = told.message["model"] == asked.model or any(
                block["type"] == "fallback" for block in told.blocks
            )
            if was_asked:
                request.cached_until, request.left = self.cache.commit(plan), plan.billed.cached
            for each in plans:
                self.cache.commit(each)
            request.billed, request.reply, request.status = plan.billed, told.blocks, 200
            if plan.marked:
                self.cache.keep_found(asked, card, told.blocks, self.clock.now)
            if End.CLEAN in steps or End.NO_TERMINATOR in steps:
                self.history.add(request, told.blocks, told.stop_reason)
            request.streaming.set()
            self.tell_watchers()

        answering = Answering(connection, request, headers, begin, self.split, self.together, self.ping_seconds)
        return await answering.go(scripted.hold_head, fault, told, steps)

    def limits(self) -> dict[str, str]:
        """Return the headers with the rate limits. The stand-in counts, but never refuses because of them."""
        spent = self.billed
        used = {
            "requests": (1000, len(self.requests)),
            "tokens": (2_400_000, spent.prompt - spent.read + spent.output),
            "input-tokens": (2_000_000, spent.prompt - spent.read),
            "output-tokens": (400_000, spent.output),
        }
        told = {}
        for name, (limit, count) in used.items():
            told[f"anthropic-ratelimit-{name}-limit"] = str(limit)
            told[f"anthropic-ratelimit-{name}-remaining"] = str(max(0, limit - count))
            told[f"anthropic-ratelimit-{name}-reset"] = "2026-11-22T00:00:00Z"
        return told

    def new_id(self, kind: str) -> str:
        self._ids[kind] += 1
        own = "" if kind == "req" else self._own
        return f"{kind}_{own}{self._ids[kind]:06}"
