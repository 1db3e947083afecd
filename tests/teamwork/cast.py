"""Who speaks in the place of Claude: each agent has its replies, and each reply waits until the conversation's script
lets it go."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

from tests.stand_ins.claude import Asked, Page, Reply, ToolUse
from tests.stand_ins.claude.asked import text_of
from tests.support.both_platforms import role_of

LEAD = "lead"
PAGE_WORDS = 4_000


def delegate(role: str, task: str) -> ToolUse:
    return ToolUse("delegate", {"role": role, "task": task})


def say(text: str) -> ToolUse:
    """Return the call with which a role posts an update."""
    return ToolUse("message", {"text": text})


def ask(question: str, *options: str) -> ToolUse:
    return ToolUse("ask_person", {"question": question, "options": [*options]})


def page(title: str) -> Page:
    """Return a page on the web that is as long as pages are."""
    return Page(f"https://{title.split()[0].lower()}.example/", title, "word " * PAGE_WORDS)


@dataclass(eq=False)
class Agent:
    """The lead, or one delegation to a role. `about` stands in its task; the n-th request gets the n-th reply."""

    role: str
    about: str
    replies: list[Reply]
    released: int = 0
    gates: list[asyncio.Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.gates = [asyncio.Event() for _ in self.replies]

    def speak(self) -> None:
        """Let the next reply go, now or as soon as it is asked for."""
        self.gates[self.released].set()
        self.released += 1

    def matches(self, asked: Asked) -> bool:
        return role_of(asked) == self.role and self.about in text_of(asked.messages[0]["content"])

    def gate_of(self, asked: Asked) -> asyncio.Event:
        return self.gates[count_replies(asked)]

    def reply_to(self, asked: Asked) -> Reply:
        return replace(self.replies[count_replies(asked)], hold_head=self.gate_of(asked))


def count_replies(asked: Asked) -> int:
    """Return how many replies the conversation of a request has so far."""
    return sum(message["role"] == "assistant" for message in asked.messages)


class Cast:
    """All agents of a conversation, as a rule of the stand-in's script."""

    def __init__(self) -> None:
        self.agents: list[Agent] = []

    def add(self, role: str, *replies: Reply, about: str = "") -> Agent:
        self.agents.append(Agent(role, about, list(replies)))
        return self.agents[-1]

    def __call__(self, asked: Asked) -> Reply | None:
        agent = self.find(asked)
        return agent.reply_to(asked) if agent else None

    def is_held(self, asked: Asked) -> bool:
        """Return True if a request still waits for its reply to be let go."""
        agent = self.find(asked)
        return agent is not None and not agent.gate_of(asked).is_set()

    def find(self, asked: Asked) -> Agent | None:
        return next((each for each in self.agents if each.matches(asked)), None)
