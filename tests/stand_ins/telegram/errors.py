"""The error answers of the Bot API."""

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass
class Refusal(Exception):
    """An error answer: the call had no effect. `parameters` is the API's ResponseParameters."""

    code: int
    description: str
    parameters: Json = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.code} {self.description}"

    def body(self) -> Json:
        whole: Json = {"ok": False, "error_code": self.code, "description": self.description}
        return {**whole, "parameters": self.parameters} if self.parameters else whole


def bad(reason: str, **parameters: Any) -> Refusal:
    return Refusal(400, f"Bad Request: {reason}", parameters)


def forbidden(reason: str) -> Refusal:
    return Refusal(403, f"Forbidden: {reason}")


def conflict(reason: str) -> Refusal:
    return Refusal(409, f"Conflict: {reason}")


def too_many(seconds: int) -> Refusal:
    return Refusal(429, f"Too Many Requests: retry after {seconds}", {"retry_after": seconds})


def unsupported(what: str) -> Refusal:
    """Return the error for what the platform has and this stand-in lacks. It is loud, so that no test relies on it."""
    return bad(f"{what} is unsupported by this stand-in")
