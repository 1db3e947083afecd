"""What goes wrong between the bot and its platforms and its model, where a scenario wants it so."""

import random
from collections import Counter
from typing import Any

SENDS = ("delayed", "away", "cut", "cut anyway")
REFUSED = "unspeakable"  # a message with this word is refused for good


class Troubles:
    """`share` of what is sent, edited or asked goes wrong, in each way that it can."""

    def __init__(self, share: float, seed: int = 0) -> None:
        self.share = share
        self.rng = random.Random(seed)
        self.seen: Counter[str] = Counter()

    def at_send(self, asked: dict[str, Any]) -> dict[str, Any] | None:
        if REFUSED in asked["text"]:
            return self.make("refused")
        return self.make(self.rng.choice(SENDS)) if self.strikes() else None

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
