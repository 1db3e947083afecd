"""The world: it shows the bot's messages, runs its tools, answers as its model, and remembers everything."""

import asyncio
import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from tests.rig import arrivals, requests, voices
from tests.rig.groups import CHATS, MOST_ASKED
from tests.rig.mail import Mailbox
from tests.rig.script import Telling, is_paused, think
from tests.rig.troubles import Troubles

Json = dict[str, Any]

OUTPUT_TOKENS_PER_SECOND = 200  # at most


class Caller(Protocol):
    """Whoever asks: what the world knows of the bot's end."""

    def at_eof(self) -> bool:
        """Return True if nobody waits for the answer any more."""


class Wrong(Exception):
    """The bot did what it must never do."""


@dataclass
class World:
    """The world calls `strike` each time it has accepted something and not yet answered. A kill may come then."""

    rng: random.Random
    strike: Callable[[str], None]
    kill: Callable[[], None]
    max_concurrent: int
    max_running: int
    updates: dict[str, list[Json]] = field(default_factory=lambda: defaultdict(list))
    sends: list[Json] = field(default_factory=list)  # everything that was shown, in order: sends and edits
    sends_at: dict[str, list[Json]] = field(default_factory=lambda: defaultdict(list))  # the same, by address
    shown: dict[str, Json] = field(default_factory=dict)  # what people see now, by platform id
    replaced: Counter[str] = field(default_factory=Counter)  # parts of approvals that were removed: a file has no edits
    threads: set[str] = field(default_factory=set)  # that were opened from messages: their addresses
    nonces: dict[tuple[str, str | None], str] = field(default_factory=dict)
    troubles: Troubles = field(default_factory=lambda: Troubles(0))
    effects: list[str] = field(default_factory=list)
    mailbox: Mailbox = field(default_factory=Mailbox)
    billed: float = 0  # micro-dollars
    billed_by_root: Counter[str] = field(default_factory=Counter)  # the same, in whole micro-dollars
    billings: int = 0
    history: dict[str, list[Json]] = field(default_factory=dict)
    thinking_seconds: tuple[float, float] = (0.005, 0.03)  # the shortest and the longest
    advance: Callable[[float], None] = lambda seconds: None  # sets the bot's clock forward
    now: Callable[[], datetime] | None = None  # the time on the bot's clock; None: nobody knows
    is_at_rest: Callable[[], bool] = lambda: True  # the bot has heard everything, and nothing is open
    forget: Callable[[str, str], None] = lambda channel, person: None  # deletes what a person has planned
    is_hostile: bool = False  # its model and tools make everything as dear as they can
    hops: set[str] = field(default_factory=set)  # turns of asked groups, which need no place
    clubs: set[str] = field(default_factory=set)  # group chats to which the bot was ever added: their addresses
    members: set[str] = field(default_factory=set)  # those that it is in
    left: Counter[str] = field(default_factory=Counter)  # how often it has left each
    at_work: set["Working"] = field(default_factory=set)
    most_at_work: int = 0
    generation: int = 0
    told: int = 0  # messages
    fetches: Counter[str] = field(default_factory=Counter)  # by file
    hearings: Counter[str] = field(default_factory=Counter)  # by recording: how often it was listened to
    transcriptions: Counter[str] = field(default_factory=Counter)  # those of them that are billed
    updates_made: int = 0  # messages and edits
    faults: list[str] = field(default_factory=list)
    happened: asyncio.Event = field(default_factory=asyncio.Event)
    was_asked: asyncio.Event = field(default_factory=asyncio.Event)  # as the model

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        generation = self.generation
        try:
            while line := await reader.readline():
                answer = await self.answer(generation, json.loads(line), reader)
                writer.write(json.dumps(answer).encode() + b"\n")
                await writer.drain()
        except (ConnectionError, asyncio.CancelledError):
            pass  # the bot was killed while it waited, or the run is over
        except Wrong as wrong:
            self.faults.append(str(wrong))
        finally:
            writer.close()

    async def answer(self, generation: int, asked: Json, caller: Caller) -> Any:
        match asked["do"]:
            case "updates":
                return await self.wait_for_updates(asked["channel"], asked["offset"])
            case "model":
                turn = asked["chapter"].rsplit("/", 1)[0]
                self.hops |= {turn} if asked["role"] in CHATS and "/" in turn else set()
                with Working(self, generation, turn, asked["root"], caller):
                    return await self.think(asked, caller)
            case "tool":
                with Working(self, generation, asked["call"].rsplit("/", 2)[0], asked["root"], caller):
                    return await self.use(asked["name"], asked["call"], asked.get("arguments", {}))
            case "find":
                found = [id for id, each in self.shown.items() if is_like(each, asked) and id not in asked["known"]]
                found = [id for id in found if self.shown[id]["shown_at"] >= asked["since"]] if self.now else found
                return found[-1] if found else None
            case "open":
                return await self.open_thread(asked["address"])
            case "fetch":
                return await self.fetch(asked["reference"])
            case "transcribe":
                return await self.transcribe(asked["recording"])
            case "leave":
                return await self.leave(asked["address"])
            case "delete":
                if (gone := self.shown.pop(asked["id"], None)) and gone["kind"] == "approval":
                    self.replaced[gone["key"]] += 1
                return None
            case _:
                return await self.show(asked)

    def activity(self) -> tuple[int, ...]:
        """Return figures that change with all that people and the bot do."""
        return (self.generation, self.updates_made, len(self.sends), len(self.effects), self.billings)

    # People

    def tell(
        self,
        address: str,
        person: str,
        kind: str,
        text: str,
        question: str = "",
        reply_to: str = "",
        edits: int = 0,
        *,
        opens_thread: bool = False,
        files: Sequence[str] = (),
        album: str = "",
        is_admin: bool = False,
        is_kept: bool = True,
    ) -> None:
        """Tell the bot of a message; or of an edit, if `edits` is the number of the update that brought the message.
        What is not `is_kept` has no row in the end."""
        self.updates_made += 1
        self.told += is_kept and not edits
        update = {"id": self.updates_made, "address": address, "person": person, "kind": kind, "text": text}
        more = {"question": question, "reply_to": reply_to, "edits": edits, "opens_thread": opens_thread}
        more |= {"files": list(files), "album": album, "is_admin": is_admin}
        self.updates[address.split(":")[0]].append({**update, **more})
        self.happened.set()

    def delete(self, address: str, update: int) -> None:
        """Tell the bot that the message of this update was deleted."""
        self.tell(address, "", "deleted", "", edits=update)

    async def wait_for_updates(self, channel: str, offset: int) -> list[Json]:
        """Return up to three updates, after a wait of up to half a second. The offset acknowledges all below it."""
        self.updates[channel] = [update for update in self.updates[channel] if update["id"] >= offset]
        for _ in range(50):
            if self.updates[channel]:
                break
            await asyncio.sleep(0.01)
        return self.updates[channel][:3]

    # The model and the tools

    async def think(self, asked: Json, caller: Caller) -> Json:
        chapter, messages = asked["chapter"], asked["messages"]
        before = self.history.get(chapter, [])
        requests.check(chapter, messages, before, Wrong)
        began = asyncio.get_running_loop().time()
        await asyncio.sleep(self.rng.uniform(*self.thinking_seconds) * (10 if "slowly" in str(messages[0]) else 1))
        seconds = asyncio.get_running_loop().time() - began
        prefix = asked["prefix_tokens"] if self.is_hostile else 0
        read, prompt = tokens(before) + prefix * bool(before), tokens(messages) + prefix
        usage = {"cache_read": read, "cache_write_5m": prompt - read}
        usage["output"] = int(seconds * OUTPUT_TOKENS_PER_SECOND * self.rng.random())
        if self.is_hostile:
            usage["output"] = await self.write_much(asked["max_tokens"], caller)
        self.history[chapter] = messages
        self.was_asked.set()
        self.billed += price(asked["model"], usage)
        self.billed_by_root[asked["root"]] += int(price(asked["model"], usage))
        self.billings += 1
        self.strike("model")
        if self.troubles.fails_request():
            return {"failed": "overloaded"}
        content = think(Telling(asked["role"], messages), asked["may_call"])
        stop = "pause" if is_paused({"role": "assistant", "content": content}) else "end"
        return {"content": content, "usage": usage, "stop": stop}

    async def write_much(self, most: int, caller: Caller) -> int:
        """Write up to `most` tokens, until nobody listens any more. Return how many tokens were written."""
        wanted, written = int(most * self.rng.choice((1, 0.5, 0.1))), 0
        while written < wanted:
            more = min(OUTPUT_TOKENS_PER_SECOND, wanted - written)
            await asyncio.sleep(more / OUTPUT_TOKENS_PER_SECOND)
            if caller.at_eof():
                break
            written += more
        return written

    async def use(self, name: str, call: str, arguments: Json) -> str:
        if name == "bomb":
            self.kill()
            await asyncio.sleep(1)
        await asyncio.sleep(self.rng.uniform(0.002, 0.01))
        if self.mailbox.takes(call, name, arguments, self.updates_made) or name == "change":
            self.effects += [call] if name == "change" else []
            self.strike("effect")
            await asyncio.sleep(self.rng.uniform(0.002, 0.01))
        return f"{name} ok" + " and much more" * (self.is_hostile and self.rng.choice((2_000, 200, 0)))

    # The platforms

    async def fetch(self, reference: str) -> Json:
        """Return what is in a file, or why it cannot be fetched."""
        self.fetches[reference] += 1
        await asyncio.sleep(self.rng.uniform(0.001, 0.006))
        if arrivals.GONE in reference:
            return {"error": arrivals.GONE_WORDS, "seconds": None}
        if arrivals.SLOW in reference:
            await asyncio.sleep(arrivals.SLOW_SECONDS)
            if self.fetches[reference] == 1:
                return {"error": "busy", "seconds": 0.01}
        self.strike("fetch")
        return {"content": arrivals.content_of(reference)}

    async def transcribe(self, recording: str) -> Json:
        """Return what is said in a recording, or why that is not known."""
        self.hearings[recording] += 1
        await asyncio.sleep(self.rng.uniform(0.002, 0.02))
        heard = voices.hear(recording, self.hearings[recording])
        if "cost" in heard:
            self.transcriptions[recording] += 1
        self.strike("transcription")
        return heard

    async def show(self, asked: Json) -> Any:
        """Show a message or an edit, and return its id. Return the trouble if there is one."""
        if asked["address"].count(":") > 1 and asked["address"] not in self.threads:
            raise Wrong(f"{asked['address']} is written to, and was never opened")
        await asyncio.sleep(self.rng.uniform(0.001, 0.006))
        trouble = self.troubles.at_send(asked)
        if trouble and trouble["error"] != "cut":
            return trouble
        if trouble and not trouble["accepted"]:
            return trouble
        nonce = (asked["address"], asked.get("nonce"))
        id = asked.get("id") or self.nonces.get(nonce)
        if id is None or asked["do"] == "edit":
            id = self.put_up(asked, id)
            if asked.get("nonce"):
                self.nonces[nonce] = id
            self.happened.set()
            self.strike("send")
            await asyncio.sleep(self.rng.uniform(0.001, 0.006))
        return trouble or id

    async def open_thread(self, address: str) -> Any:
        """Open a thread, unless it is open already."""
        await asyncio.sleep(self.rng.uniform(0.001, 0.006))
        if (trouble := self.troubles.at_opening()) and not trouble["accepted"]:
            return trouble
        if address not in self.threads:
            self.threads.add(address)
            self.strike("thread")
        return trouble

    async def leave(self, address: str) -> None:
        """Take the bot out of a group chat, and tell it so, unless it is out already."""
        await asyncio.sleep(self.rng.uniform(0.001, 0.006))
        if address in self.members:
            self.members.discard(address)
            self.left[address] += 1
            self.tell(address, "", "removed", "")
            self.strike("leave")

    def put_up(self, asked: Json, id: str | None) -> str:
        id = id or f"p{len(self.sends) + 1}"
        self.shown[id] = {**asked, "id": id, "shown_at": self.now().isoformat() if self.now else ""}
        self.sends.append(self.shown[id])
        self.sends_at[asked["address"]].append(self.shown[id])
        return id


def is_like(shown: Json, asked: Json) -> bool:
    return bool(shown["address"] == asked["address"] and shown["text"] == asked["text"])


def tokens(messages: list[Json]) -> int:
    return len(json.dumps(messages)) * 2 // 7


def price(model: str, usage: Json) -> float:
    """Return the price of a request in micro-dollars. It checks what the bot calculates."""
    each = {"claude-sonnet-5-5": (0.10, 2.50, 10)}.get(model, (0, 0, 0))
    parts = zip(each, ("cache_read", "cache_write_5m", "output"), strict=True)
    return sum(float(rate * usage[kind]) for rate, kind in parts)


@dataclass(eq=False, slots=True)
class Working:
    """A delegation needs a place while it asks the model or runs a tool. The world counts these places, process by
    process.

    A delegation that was stopped has closed its connection, so it no longer counts.
    """

    world: World
    generation: int
    turn: str
    root: str
    caller: Caller

    def __enter__(self) -> None:
        world = self.world
        world.at_work.add(self)
        if "/" not in self.turn:
            return
        alive = [each for each in world.at_work if each.generation == self.generation and not each.caller.at_eof()]
        asked = {each.turn for each in alive} & world.hops
        if len(asked) > MOST_ASKED:
            world.faults.append(f"{sorted(asked)} asked at once")
        at_work = {each.turn: each.root for each in alive if "/" in each.turn and each.turn not in world.hops}
        beside = {turn for turn, root in at_work.items() if root == self.root}
        world.most_at_work = max(world.most_at_work, len(at_work))
        if len(beside) > world.max_concurrent or len(at_work) > world.max_running:
            world.faults.append(f"{sorted(beside)} at work at once, {len(at_work)} in all")

    def __exit__(self, *exc: object) -> None:
        self.world.at_work.remove(self)
