"""Discord's limits for a bot: for each route and channel, for all routes, and at the gateway."""

import math
import zlib
from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

from tests.stand_ins.discord.records import Answer
from tests.stand_ins.discord.snowflakes import Now

VIA = {"Via": "1.1 google"}  # by this, discord.py knows that Discord answers and not a proxy


class Rate(NamedTuple):
    requests: int
    seconds: float


ROUTES = {
    "POST /channels/{channel}/messages": Rate(5, 5.0),
    "PATCH /channels/{channel}/messages/{message}": Rate(5, 5.0),
    "DELETE /channels/{channel}/messages/{message}": Rate(5, 1.0),
    "PUT /channels/{channel}/messages/{message}/reactions/{emoji}/@me": Rate(1, 0.25),
    "DELETE /channels/{channel}/messages/{message}/reactions/{emoji}/@me": Rate(1, 0.25),
    "GET /channels/{channel}/messages": Rate(5, 5.0),
    "POST /channels/{channel}/typing": Rate(5, 5.0),
    "POST /webhooks/{webhook}/{hook}": Rate(5, 2.0),
    "PUT /applications/{application}/commands": Rate(2, 20.0),
}
OTHER_ROUTES = Rate(10, 10.0)
FREE = ("/interactions/", "/webhooks/")  # the global limit does not count these


@dataclass
class Window:
    """A number of requests until a time. Then a new window begins."""

    rate: Rate
    ends: float = 0.0
    spent: int = 0


@dataclass
class Limits:
    """The limits. A test may change each one. 0 means no limit."""

    now: Now
    routes: dict[str, Rate] = field(default_factory=lambda: dict(ROUTES))
    other_routes: Rate = OTHER_ROUTES
    per_second: int = 50
    events_per_minute: int = 120
    identify_seconds: float = 5.0  # between two sign-ins in one bucket
    identifies_per_day: int = 1000
    windows: dict[tuple[str, str], Window] = field(default_factory=dict)
    recent: deque[float] = field(default_factory=deque)  # times of requests in the last second
    identifies: deque[float] = field(default_factory=deque)  # times in the last day
    invalid: deque[float] = field(default_factory=deque)  # times of 401, 403 and 429 answers in the last ten minutes

    def off(self) -> None:
        """Remove all limits of requests."""
        self.routes, self.other_routes, self.per_second = {}, Rate(0, 0.0), 0

    def spend(self, route: str, major: str) -> tuple[dict[str, str], Answer | None]:
        """Count a request. Return the headers of its answer, and a 429 if a limit is passed."""
        if self.per_second and not any(part in route for part in FREE):
            trim(self.recent, self.now() - 1.0)
            if len(self.recent) >= self.per_second:
                left = self.recent[0] + 1.0 - self.now()
                return {}, refused(left, scope="global", headers={"X-RateLimit-Global": "true"})
            self.recent.append(self.now())
        rate = self.routes.get(route, self.other_routes)
        if not rate.requests:
            return VIA, None
        window = self.windows.setdefault((route, major), Window(rate))
        if window.rate != rate or self.now() >= window.ends:
            window.rate, window.spent, window.ends = rate, 0, self.now() + rate.seconds
        headers = self.headers(route, window)
        if window.spent >= rate.requests:
            return {}, refused(window.ends - self.now(), headers=headers)
        window.spent += 1
        return self.headers(route, window), None

    def headers(self, route: str, window: Window) -> dict[str, str]:
        return {
            **VIA,
            "X-RateLimit-Limit": str(window.rate.requests),
            "X-RateLimit-Remaining": str(window.rate.requests - window.spent),
            "X-RateLimit-Reset": f"{window.ends:.3f}",
            "X-RateLimit-Reset-After": f"{max(0.0, window.ends - self.now()):.3f}",
            "X-RateLimit-Bucket": f"{zlib.crc32(route.encode()):08x}",
        }

    def identify(self) -> bool:
        """Count a sign-in. Return True if it comes long enough after the one before."""
        trim(self.identifies, self.now() - 86_400.0)
        apart = not self.identifies or self.now() - self.identifies[-1] >= self.identify_seconds
        self.identifies.append(self.now())
        return apart

    def identifies_left(self) -> int:
        trim(self.identifies, self.now() - 86_400.0)
        return max(0, self.identifies_per_day - len(self.identifies))

    def identifies_full_in(self) -> float:
        """Return the seconds until the oldest sign-in of the day no longer counts."""
        return self.identifies[0] + 86_400.0 - self.now() if self.identifies else 0.0

    def note_invalid(self) -> None:
        """Count an invalid request. After 10,000 in ten minutes, Discord would refuse this address for a while."""
        trim(self.invalid, self.now() - 600.0)
        self.invalid.append(self.now())


def refused(seconds: float, scope: str = "user", headers: dict[str, str] | None = None) -> Answer:
    """Return a 429 as Discord itself answers it."""
    body = {"message": "You are being rate limited.", "retry_after": round(seconds, 3), "global": scope == "global"}
    told = {**VIA, "Retry-After": str(math.ceil(seconds)), "X-RateLimit-Scope": scope, **(headers or {})}
    return Answer(status=429, body=body, headers=told)


def trim(times: deque[float], oldest: float) -> None:
    while times and times[0] <= oldest:
        times.popleft()
