"""Who says what: queues of replies by model and role, then rules. An unscripted request gets an echo."""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tests.stand_ins.claude.asked import Asked
from tests.stand_ins.claude.canonical import Json
from tests.stand_ins.claude.replies import Reply, from_json, reply

Rule = Callable[[Asked], Reply | None]


@dataclass
class Queue:
    """Replies for the requests that match, one each, in the order of the requests."""

    replies: deque[Reply]
    model: str = ""
    system: str = ""  # a part of the system prompt

    def matches(self, asked: Asked) -> bool:
        return self.model in ("", asked.model) and self.system in asked.system


@dataclass
class Script:
    queues: list[Queue] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    unexpected: list[Asked] = field(default_factory=list)

    def say(self, *replies: Reply | str, model: str = "", system: str = "") -> None:
        """Queue replies for all requests, or for those of a model or a role. Earlier queues go first."""
        whole = deque(reply(item) if isinstance(item, str) else item for item in replies)
        self.queues.append(Queue(whole, model, system))

    def rule(self, rule: Rule) -> None:
        """Add a function of the request. If it returns None, the next rule decides. Rules come after queues."""
        self.rules.append(rule)

    def each(self, *replies: Reply | str, model: str = "", system: str = "") -> None:
        """Give each matching conversation these replies: its n-th request gets the n-th, and later ones get the last.

        So parallel runs of one role each get the whole list.
        """
        whole = [reply(item) if isinstance(item, str) else item for item in replies]
        matching = Queue(deque(), model, system).matches

        def by_history(asked: Asked) -> Reply | None:
            had = sum(message["role"] == "assistant" for message in asked.messages)
            return whole[min(had, len(whole) - 1)] if matching(asked) else None

        self.rule(by_history)

    def take(self, asked: Asked) -> tuple[Reply, Callable[[], None]]:
        """Return the reply, and a function that puts it back if it never reached the client."""
        for queue in self.queues:
            if queue.replies and queue.matches(asked):
                taken = queue.replies.popleft()
                return taken, lambda: queue.replies.appendleft(taken)  # noqa: B023 - we return at once
        for rule in self.rules:
            if told := rule(asked):
                return told, lambda: None
        if self.queues or self.rules:
            self.unexpected.append(asked)
        return reply(f"You said: {asked.last_text or '; '.join(asked.results)}"), lambda: None

    @property
    def unsaid(self) -> list[Queue]:
        return [queue for queue in self.queues if queue.replies]

    def read(self, lines: Iterable[Json]) -> None:
        """Read queues from a file: [{"model": …, "system": …, "replies": […]}]."""
        for line in lines:
            self.say(*map(from_json, line["replies"]), model=line.get("model", ""), system=line.get("system", ""))
