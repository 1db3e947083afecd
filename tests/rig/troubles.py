"""Faults between the bot and its platforms and model, in the scenarios that want them."""

import random
from collections import Counter
from typing import Any

SENDS = ("delayed", "away", "cut", "cut anyway")
REFUSED = "unspeakable"  # the platforms refuse each message with this word


class Troubles:
    """Make a `share` of the bot's sends, edits and requests fail. The kind of fault is random."""

    def __init__(self, share: float, seed: int = 0) -> None:
        self.share = share
        self.rng = random.Random(seed)
        self.seen: Counter[str] = Counter()

    def at_send(self, asked: dict[str, Any]) -> dict[str, Any] | None:
        if REFUSED in asked["text"]:
            return self.make("refused")
        return self.make(self.rng.choice(SENDS)) if self.strikes() else None

    def at_opening(self) -> dict[str, Any] | None:
        return self.make(self.rng.choice(("delayed", "away"))) if self.strikes() else None

    def fails_request(self) -> bool:
        if not self.strikes():
            return False
        self.seen["request"] += 1
        return True

    def strikes(self) -> bool:
        return self.rng.random() < self.share

    def make(self, what: str) -> dict[str, Any]:
        self.seen[what] += 1
        return {"error": what.split()[0], "seconds": 0.03, "accepted": what == "cut anyway"}
