"""What the stand-in remembers: each request and each frame of the gateway, with its time."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.stand_ins.discord.snowflakes import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to a request. A body of None is sent as a 204."""

    status: int = 200
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(eq=False, kw_only=True)
class Request:
    """One request. `at` is seconds since 1970 by the stand-in's clock."""

    number: int  # from 1
    at: float
    method: str
    path: str
    route: str  # the method, and the path without its ids, as `POST /channels/{channel}/messages`
    ids: dict[str, str] = field(default_factory=dict)
    query: dict[str, str] = field(default_factory=dict)
    body: Json = field(default_factory=dict)
    files: list[Json] = field(default_factory=list)
    fault: str = ""
    status: int = 0  # of the answer; 0 if there was none
    code: int = 0  # Discord's error code, if it was refused
    message: str = ""
    had_effect: bool = False  # it had its effect, whatever the answer was

    def __str__(self) -> str:
        return f"{self.method} {self.path}: {self.status} {self.code} {self.message} {self.fault}".rstrip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One payload of the gateway, in either direction."""

    at: float
    connection: int  # from 1
    is_sent: bool  # whether the stand-in sent it
    op: int | None
    event: str = ""
    sequence: int | None = None
    body: object = None
