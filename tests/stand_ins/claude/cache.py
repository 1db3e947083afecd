"""Count the prompt cache: what a request reads from it, what it writes to it, and what it bills."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.stand_ins.claude.asked import Asked
from tests.stand_ins.claude.canonical import Json, blocks_of, digest, positions, tokens
from tests.stand_ins.claude.checks.caching import UNMARKABLE, ttl
from tests.stand_ins.claude.models import ModelCard
from tests.stand_ins.claude.records import Billed
from tests.stand_ins.claude.web import RESULTS

SECONDS = {"5m": 300.0, "1h": 3600.0}
LOOK_BACK = 20  # positions, including the breakpoint's own
Key = tuple[str, str, str]  # model, speed, digest of the prefix


@dataclass
class Entry:
    expires: float
    seconds: float


@dataclass
class Place:
    """One block of the prompt. A breakpoint can be there, or a read can end there."""

    hash: str
    sum: int  # tokens up to its end
    life: str  # of its own breakpoint: "5m", "1h" or ""
    kind: str
    can_mark: bool
    step: int = 0  # consecutive calls, or consecutive results, count as one step of the look-back


@dataclass
class Plan:
    """What a request will bill, and what it will write to the cache when its response begins."""

    billed: Billed
    writes: dict[Key, Entry] = field(default_factory=dict)
    can_cache: bool = False  # the prompt is long enough
    marked: bool = False  # a block or the request asks for caching


class Cache:
    def __init__(self) -> None:
        self.entries: dict[Key, Entry] = {}

    def plan(self, asked: Asked, card: ModelCard, now: float) -> Plan:
        """Read from the cache when the request arrives. Write nothing before `commit`."""
        places = walk(asked, card)
        total = places[-1].sum
        breaks = [place for place in places if place.life and place.sum >= card.minimum]
        speed = str(asked.body.get("speed") or "standard")
        keys = {place.hash: (asked.model, speed, place.hash) for place in places}
        plan = Plan(Billed(input=total), can_cache=total >= card.minimum, marked=any(place.life for place in places))
        read = self.longest(places, breaks, keys, now, card.minimum)
        if read:
            self.entries[keys[read.hash]].expires = now + self.entries[keys[read.hash]].seconds
            plan.writes[keys[read.hash]] = self.entries[keys[read.hash]]
        hit = read.sum if read else 0
        hour = max((place.sum for place in breaks if place.life == "1h" and place.sum > hit), default=hit)
        end = max((place.sum for place in breaks if place.sum > hour), default=hour)
        plan.billed = Billed(input=total - end, read=hit, write_1h=hour - hit, write_5m=end - hour)
        for place in breaks:
            seconds = SECONDS[place.life]
            plan.writes.setdefault(keys[place.hash], Entry(now + seconds, seconds))
        return plan

    def longest(
        self, places: list[Place], breaks: list[Place], keys: dict[str, Key], now: float, minimum: int
    ) -> Place | None:
        for mark in reversed(breaks):
            for place in reversed(places):
                if place.sum > mark.sum or place.step <= mark.step - LOOK_BACK or place.sum < minimum:
                    continue
                entry = self.entries.get(keys[place.hash])
                if entry and entry.expires > now:
                    return place
        return None

    def commit(self, plan: Plan) -> float:
        """Write the plan's entries when the response begins. Return when the first one expires."""
        for key, entry in plan.writes.items():
            known = self.entries.get(key)
            if known is None or known.expires < entry.expires:
                self.entries[key] = entry
        return min((entry.expires for entry in plan.writes.values()), default=0)

    def keep_found(self, asked: Asked, card: ModelCard, reply: list[Json], now: float) -> None:
        """Write an entry for five minutes up to the last result of the service's own tools, as the service does."""
        ends = [place for place, block in enumerate(reply, 1) if block["type"] in RESULTS]
        if ends:
            messages = [*asked.messages, {"role": "assistant", "content": reply[: ends[-1]]}]
            last = walk(Asked({**asked.body, "messages": messages}), card)[-1]
            speed = str(asked.body.get("speed") or "standard")
            self.entries.setdefault((asked.model, speed, last.hash), Entry(now + SECONDS["5m"], SECONDS["5m"]))


def walk(asked: Asked, card: ModelCard) -> list[Place]:
    """Return the blocks of the prompt in order: tools, system, messages."""
    places: list[Place] = []
    so_far, total, step, run = "", 0, 0, ""
    for salt, block, mark, can_mark in prompt(asked, card):
        so_far, total = digest(so_far, salt, block), total + tokens(block)
        kind = str(block.get("type") or "tool")
        step += kind not in ("tool_use", "tool_result") or kind != run
        run = kind
        life = ttl(mark) if mark else ""
        places.append(Place(hash=so_far, sum=total, life=life, kind=kind, can_mark=can_mark, step=step))
    automatic = asked.body.get("cache_control")
    if automatic:
        last = next((place for place in reversed(places) if place.can_mark), None)
        if last:
            last.life = last.life or ttl(automatic)
    return places


def prompt(asked: Asked, card: ModelCard) -> Iterator[tuple[str, Json, Json | None, bool]]:
    """Yield each block with its tier's salt, its cache mark, and whether it could have one."""
    for tool in asked.tools:
        yield "tools", tool, tool.get("cache_control"), not tool.get("defer_loading")
    searches = any(str(tool.get("type")).startswith("web_search_") for tool in asked.tools)
    system = f"system {searches}"
    for block in blocks_of(asked.body.get("system")):
        yield system, block, block.get("cache_control"), True
    tier = digest(salt(asked, card))
    for number, message in enumerate(asked.messages):
        if "output_config" in message:
            tier = digest(tier, str(number), message["output_config"])
        yield from in_message(tier, message)


def in_message(tier: str, message: Json) -> Iterator[tuple[str, Json, Json | None, bool]]:
    for _, _, role, block in positions([message]):
        if block["type"] == "fallback":
            continue  # the model does not see it
        can_mark = block["type"] not in UNMARKABLE and "clear_at" not in message
        yield tier + role, block, block.get("cache_control"), can_mark


def salt(asked: Asked, card: ModelCard) -> Json:
    """Return what, besides the messages themselves, changes their part of the cache."""
    choice = dict(asked.body.get("tool_choice") or {"type": "auto"})
    return {
        "choice": choice,
        "effort": asked.output_config.get("effort") or card.effort,
        "thinking": {key: value for key, value in asked.thinking.items() if key in ("type", "budget_tokens")},
        "images": has_images(asked),
        "format": asked.output_config.get("format"),
    }


def has_images(asked: Asked) -> bool:
    return any(block["type"] == "image" for _, _, _, block in positions(asked.messages))
