"""How often the bot may write, in each chat and in all. A bot that does not wait must wait longer."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tests.stand_ins.telegram.errors import too_many

LONGEST_SECONDS = 300
FLOOD_SECONDS = (30, 60, 126, 245)  # for each message too many in a full minute, growing with each refusal
FORGIVEN_SECONDS = 60.0
BOT = 0  # the scope of all chats together; no chat has this id


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Telegram publishes these: one message a second in a chat with short bursts, 20 a minute in a group, 30 a second
    in all. Its developers say that 20 a minute also holds for private chats and includes edits (tdlib/td issues 2592
    and 3034). Bots report that further calls must wait for 30 to 245 s.

    Sending and editing count. Deleting, typing and answering a tap do not. Telegram does not say how long a burst may
    be: here a chat that was quiet accepts `burst` messages at once. None switches a limit off.
    """

    chat_per_second: float | None = 1.0
    burst: int = 3
    chat_per_minute: int | None = 20
    bot_per_second: int | None = 30

    @classmethod
    def none(cls) -> Limits:
        return cls(chat_per_second=None, chat_per_minute=None, bot_per_second=None)


@dataclass
class Penalty:
    until: float = 0.0
    refusals: int = 0


@dataclass
class Rates:
    """The counts. `trespasses` are the times and scopes of calls during a wait that the bot was told."""

    now: Callable[[], float]
    limits: Limits = field(default_factory=Limits)
    sent: dict[int, deque[float]] = field(default_factory=lambda: defaultdict(deque))  # times, by chat and by BOT
    spent: dict[int, tuple[float, float]] = field(default_factory=dict)  # by chat: burst used, and when
    penalties: dict[int, Penalty] = field(default_factory=lambda: defaultdict(Penalty))
    ordered: dict[int | str, float] = field(default_factory=dict)  # until when, by chat or method
    trespasses: list[tuple[float, int | str]] = field(default_factory=list)

    def check(self, chat: int) -> None:
        """Raise Refusal unless one more message may go to this chat now."""
        waits = {chat: self.wait(chat), BOT: self.wait_of_all()}
        for scope, wait in waits.items():
            penalty, left = self.penalties[scope], self.penalties[scope].until - self.now()
            if left > 0:
                self.trespasses.append((self.now(), chat))
            elif left < -FORGIVEN_SECONDS:
                penalty.refusals = 0
            if left > 0 or wait > 0:
                is_flood = scope == chat and self.wait_of_minute(chat) > 0
                raise too_many(self.punish(penalty, max(left, wait), FLOOD_SECONDS if is_flood else ()))

    def wait(self, chat: int) -> float:
        """Return the seconds until this chat's own limits allow one more message, 0 if they do now."""
        rate, over = self.limits.chat_per_second, self.level(chat) + 1 - self.limits.burst
        return max(self.wait_of_minute(chat), over / rate if rate and over > 1e-6 else 0.0)

    def wait_of_minute(self, chat: int) -> float:
        return window(self.sent[chat], self.limits.chat_per_minute, 60.0, self.now())

    def wait_of_all(self) -> float:
        return window(self.sent[BOT], self.limits.bot_per_second, 1.0, self.now())

    def level(self, chat: int) -> float:
        """Return how much of its burst a chat has used and not regained."""
        spent, at = self.spent.get(chat, (0.0, self.now()))
        return max(0.0, spent - (self.now() - at) * (self.limits.chat_per_second or 0.0))

    def punish(self, penalty: Penalty, needed: float, least: Sequence[int] = ()) -> int:
        """Return the whole seconds to wait. They grow each time."""
        longer = least[min(penalty.refusals, len(least) - 1)] if least else min(LONGEST_SECONDS, 1 << penalty.refusals)
        seconds = max(math.ceil(needed), longer)
        penalty.refusals += 1
        penalty.until = self.now() + seconds
        return seconds

    def order(self, scope: int | str, seconds: float) -> None:
        """Make calls of this scope wait, as a test wants. Until then all of them are refused."""
        self.ordered[scope] = self.now() + seconds

    def check_ordered(self, scope: int | str) -> None:
        """Raise Refusal during such a wait."""
        if (left := self.ordered.get(scope, 0.0) - self.now()) > 0:
            self.trespasses.append((self.now(), scope))
            raise too_many(math.ceil(left))

    def count(self, chat: int) -> None:
        self.spent[chat] = (self.level(chat) + 1, self.now())
        self.sent[chat].append(self.now())
        self.sent[BOT].append(self.now())

    def most(self, seconds: float, chat: int = BOT) -> int:
        """Return the most messages within any window of this length, in one chat or in all."""
        times, most, first = list(self.sent[chat]), 0, 0
        for count, time in enumerate(times, 1):
            while time - times[first] >= seconds:
                first += 1
            most = max(most, count - first)
        return most


def window(times: deque[float], most: int | None, seconds: float, now: float) -> float:
    """Return the seconds until fewer than `most` of these times are within the last `seconds`."""
    if most is None or len(times) < most:
        return 0.0
    return max(0.0, times[-most] + seconds - now)
