"""The fault menu: what can go wrong with a call, by name, and for which calls."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from enum import StrEnum, auto

ANY = "*"


class Fault(StrEnum):
    # The call has no effect.
    REFUSED = auto()  # the port is closed until the server's `listen` opens it again
    RESET_UNREAD = auto()  # reset before its body is read
    BLACK_HOLE_UNREAD = auto()  # read, but never carried out or answered
    HTML = auto()  # 200, and a page of some proxy on the way
    NOT_OK = auto()  # 200, with `ok` false and no reason
    RETRY_1 = auto()
    RETRY_35 = auto()
    RETRY_240 = auto()
    RETRY_UNSAID = auto()  # 429 without parameters
    SERVER_ERROR = auto()  # 500
    BAD_GATEWAY = auto()  # 502, a page
    # The call has its effect, but the answer does not arrive as it should.
    RESET_AFTER = auto()
    END_AFTER = auto()  # a normal end of the connection, without an answer
    HALF_ANSWER = auto()
    BLACK_HOLE = auto()
    SLOW = auto()  # after the server's `slow_seconds`
    HTML_AFTER = auto()
    SERVER_ERROR_AFTER = auto()
    BAD_GATEWAY_AFTER = auto()


@dataclass
class Faults:
    """Which call meets which fault. Methods have their names, as `sendMessage`. `ANY` means all methods."""

    coming: dict[str, list[Fault | None]] = field(default_factory=lambda: defaultdict(list))
    numbered: dict[tuple[str, int], Fault] = field(default_factory=dict)
    standing: dict[str, Fault] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def next(self, method: str, *faults: Fault | None) -> None:
        """Set faults for the next calls of a method, one each. None lets one call pass."""
        self.coming[method.lower()] += faults

    def at(self, method: str, number: int, fault: Fault) -> None:
        """Set the fault of the number-th call of a method since the start, from 1."""
        self.numbered[method.lower(), number] = fault

    def always(self, method: str, fault: Fault | None) -> None:
        """Set the fault of every call of a method that meets no other. None ends it."""
        if fault is None:
            self.standing.pop(method.lower(), None)
        else:
            self.standing[method.lower()] = fault

    def take(self, method: str) -> Fault | None:
        names = (method.lower(), ANY)
        for name in names:
            self.seen[name] += 1
        for name in names:
            if fault := self.numbered.pop((name, self.seen[name]), None):
                return fault
        for name in names:
            if self.coming[name]:
                return self.coming[name].pop(0)
        return next((self.standing[name] for name in names if name in self.standing), None)
