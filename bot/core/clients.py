"""Clients: programs that have roles work for them. Each is a person of the channel `client`, with its own rights and
budget, and reads only what came of its own delegations."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from bot.core.messages import Address
from bot.core.prices import MILLION, Micros
from bot.core.turn import TurnId

CLIENT_CHANNEL_NAME = "client"
LOCAL_CLIENT = "local"  # the operator's own: a program that this machine's user starts
MAX_TASK_CHARACTERS = 20_000
MAX_CONTEXT_CHARACTERS = 200_000
MAX_OPEN_DELEGATIONS_PER_CLIENT = 10


class DelegationStatus(StrEnum):
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class DelegationOrder:
    """What a client wants a role to do. The same `key` is the same order: it begins once, however often it comes."""

    key: str
    client: str
    role: str
    task: str  # in the words of the client's person
    context: str = ""  # what the client hands over: anybody may have written it
    max_tokens: int | None = None  # None: as the role has
    max_seconds: float | None = None  # of work; None: as the role has


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientDelegation:
    """A delegation as its client reads it. Tokens and cost include all delegations below it."""

    id: TurnId
    role: str
    task: str  # its first words
    status: DelegationStatus
    result: str  # its report; empty while it runs
    reason: str  # why it ended otherwise than by its own report; else empty
    prompt_tokens: int
    completion_tokens: int
    cost: Micros
    seconds: float  # from its beginning to its end, or so far
    below: tuple["ClientDelegation", ...] = ()

    @property
    def is_running(self) -> bool:
        return self.status is DelegationStatus.RUNNING

    def as_json(self) -> dict[str, Any]:
        """Return the delegation as JSON for its client: the cost in dollars, the duration in milliseconds."""
        usage = {"prompt": self.prompt_tokens, "completion": self.completion_tokens, "cost": self.cost / MILLION}
        return {
            "delegationId": self.id,
            "profile": self.role,
            "task": self.task,
            "status": self.status.value,
            "result": self.result,
            "reason": self.reason,
            "tokenUsage": usage,
            "duration": round(self.seconds * 1000),
            "subDelegations": [each.as_json() for each in self.below],
        }


def chat_of_client(client: str) -> Address:
    """Return the chat of a client. Each of its delegations is a thread of it."""
    return Address(channel=CLIENT_CHANNEL_NAME, chat=client)


def is_of_client(address: Address) -> bool:
    return address.channel == CLIENT_CHANNEL_NAME
