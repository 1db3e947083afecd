"""What the stand-in remembers: each request, and each frame of the gateway, with its time."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.stand_ins.discord.snowflakes import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a request is told. A body of None is 204."""

    status: int = 200
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(eq=False, kw_only=True)
class Request:
    """One request. `at` is by the stand-in's clock, in seconds since 1970."""

    number: int  # from 1
    at: float
    method: str
    path: str
    route: str  # the method and the path without its ids, as `POST /channels/{channel}/messages`
    ids: dict[str, str] = field(default_factory=dict)
    query: dict[str, str] = field(default_factory=dict)
    body: Json = field(default_factory=dict)
    files: list[Json] = field(default_factory=list)
    fault: str = ""
    status: int = 0  # what was answered; 0 if nothing was
    code: int = 0  # Discord's own number, of a refusal
    message: str = ""
    had_effect: bool = False  # accepted, whatever the answer was

    def __str__(self) -> str:
        return f"{self.method} {self.path}: {self.status} {self.code} {self.message} {self.fault}".rstrip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One payload of the gateway, either way."""

    at: float
    connection: int  # from 1
    is_sent: bool  # by the stand-in
    op: int | None
    event: str = ""
    sequence: int | None = None
    body: object = None
