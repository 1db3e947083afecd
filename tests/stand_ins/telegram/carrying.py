"""Carry out one call: check its token, apply the limits, and find the platform's answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from tests.stand_ins.telegram.arguments import Arguments
from tests.stand_ins.telegram.errors import Refusal, bad, conflict
from tests.stand_ins.telegram.methods import COUNTED, METHODS
from tests.stand_ins.telegram.rates import Rates
from tests.stand_ins.telegram.world import World

TOKEN = re.compile(r"\d+:[\w-]+")
POLL = "getupdates"
MOST_UPDATES = 100
HOOKED = "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"


@dataclass(frozen=True, slots=True)
class Poll:
    """The parameters of a getUpdates that waits."""

    offset: int
    limit: int
    seconds: float


def check_token(given: str, *, is_known: bool) -> None:
    """Raise Refusal unless the token is valid."""
    if not TOKEN.fullmatch(given):
        raise Refusal(404, "Not Found")
    if not is_known:
        raise Refusal(401, "Unauthorized")


def carry_out(world: World, rates: Rates, method: str, arguments: Arguments) -> Any:
    """Return the result of any method except getUpdates. If this raises Refusal, nothing has changed."""
    run = METHODS.get(method.lower())
    if run is None:
        raise Refusal(404, "Not Found: method not found")
    if method.lower() not in COUNTED:
        return run(world, arguments)
    chat = world.chats.get(arguments.number("chat_id"))
    if chat is None:
        return run(world, arguments)  # it raises the error
    rates.check(chat.id)
    result = run(world, arguments)
    for _ in range(len(result) if isinstance(result, list) else 1):  # an album is as many messages as it has files
        rates.count(chat.id)
    return result


def poll_of(world: World, arguments: Arguments, longest_seconds: float) -> Poll:
    """Return what a getUpdates asks for, and keep only the kinds that it names from now on. Raise Refusal."""
    if world.webhook:
        raise conflict(HOOKED)
    kinds = arguments.parsed("allowed_updates", "allowed updates")
    if kinds is not None and not (isinstance(kinds, list) and all(isinstance(kind, str) for kind in kinds)):
        raise bad("can't parse allowed updates: expected an Array of String")
    world.updates.allow(kinds)
    limit = min(max(arguments.number("limit", MOST_UPDATES), 1), MOST_UPDATES)
    seconds = min(max(arguments.number("timeout"), 0), longest_seconds)
    return Poll(arguments.number("offset"), limit, seconds)
