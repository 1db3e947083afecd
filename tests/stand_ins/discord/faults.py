"""The fault menu of REST: what can go wrong with a request, by name, and for which requests."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum, auto

from tests.stand_ins.discord.limits import VIA, refused
from tests.stand_ins.discord.records import Answer
from tests.stand_ins.discord.snowflakes import Json

EVERY = "*"


class Fault(StrEnum):
    # The request has no effect.
    GONE = auto()  # reset; then every connection is refused until `come_back`
    RESET_BEFORE = auto()
    BLACK_HOLE_BEFORE = auto()
    INTERNAL_ERROR = auto()  # 500
    BAD_GATEWAY = auto()  # 502
    UNAVAILABLE = auto()  # 503
    GATEWAY_TIMEOUT = auto()  # 504
    RATE_LIMITED_1 = auto()
    RATE_LIMITED_35 = auto()
    RATE_LIMITED_240 = auto()
    RATE_LIMITED_SHARED = auto()
    RATE_LIMITED_GLOBALLY = auto()
    BANNED = auto()  # a 429 in HTML from a proxy before Discord: no Via, no retry_after
    # The request has its effect, but the answer is wrong or missing.
    RESET_AFTER = auto()
    CLOSED_AFTER = auto()
    HALF_ANSWER = auto()
    BLACK_HOLE_AFTER = auto()
    BAD_GATEWAY_AFTER = auto()
    NOT_JSON = auto()  # 200, in HTML
    # The request has its effect and an answer.
    SLOW = auto()
    MALFORMED_ITEM = auto()  # the second item of a list lacks its author and type
    NOT_AN_OBJECT = auto()  # the second item of a list is a string


def page(status: int, words: str) -> Answer:
    body = f"<html><head><title>{words}</title></head><body><center><h1>{status} {words}</h1></center></body></html>"
    return Answer(status=status, body=body, headers={"Content-Type": "text/html; charset=UTF-8"})


ANSWERS = {  # instead of the request's effect
    Fault.INTERNAL_ERROR: page(500, "Internal Server Error"),
    Fault.BAD_GATEWAY: page(502, "Bad Gateway"),
    Fault.UNAVAILABLE: page(503, "Service Unavailable"),
    Fault.GATEWAY_TIMEOUT: page(504, "Gateway Time-out"),
    Fault.RATE_LIMITED_1: refused(1.0),
    Fault.RATE_LIMITED_35: refused(35.0),
    Fault.RATE_LIMITED_240: refused(240.0),
    Fault.RATE_LIMITED_SHARED: refused(1.0, scope="shared"),
    Fault.RATE_LIMITED_GLOBALLY: refused(1.0, scope="global", headers={"X-RateLimit-Global": "true"}),
    Fault.BANNED: page(429, "Access denied | discord.com used Cloudflare to restrict access"),
}
LATER = {  # after the request's effect
    Fault.BAD_GATEWAY_AFTER: ANSWERS[Fault.BAD_GATEWAY],
    Fault.NOT_JSON: Answer(status=200, body="<html></html>", headers={**VIA, "Content-Type": "text/html"}),
}


@dataclass
class Faults:
    """Which requests meet which fault: the next ones of a route in order, or all of a route."""

    coming: dict[str, list[Fault | None]] = field(default_factory=dict)
    standing: dict[str, Fault] = field(default_factory=dict)
    slow_seconds: float = 0.2

    def on(self, route: str, *faults: Fault | None) -> None:
        """Set faults for the next requests of a route (`EVERY`: of any), one each. None lets one request pass."""
        self.coming.setdefault(route, []).extend(faults)

    def always(self, route: str, fault: Fault | None) -> None:
        """Set the fault of every request of a route (`EVERY`: of any) that meets no other. None ends it."""
        if fault is None:
            self.standing.pop(route, None)
        else:
            self.standing[route] = fault

    def take(self, route: str) -> Fault | None:
        for scripted in (self.coming.get(route), self.coming.get(EVERY)):
            if scripted:
                return scripted.pop(0)
        return self.standing.get(route) or self.standing.get(EVERY)


def spoil(fault: Fault, answer: Answer) -> Answer:
    """Replace one good item of a list with a bad one."""
    if fault not in (Fault.MALFORMED_ITEM, Fault.NOT_AN_OBJECT) or not isinstance(answer.body, Sequence):
        return answer
    items = list(answer.body)
    assert items, "there is no item to spoil"
    place = min(1, len(items) - 1)
    items[place] = "not an object" if fault is Fault.NOT_AN_OBJECT else maimed(items[place])
    return Answer(status=answer.status, body=items, headers=answer.headers)


def maimed(item: object) -> Json:
    """Return a message without author and type. It keeps its id."""
    assert isinstance(item, dict), "only objects lack keys"
    return {name: value for name, value in item.items() if name not in ("author", "type")}
