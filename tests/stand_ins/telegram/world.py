"""All that a bot can meet: people, chats, tapped buttons, and the updates about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, field
from itertools import count

from tests.stand_ins.telegram.chats import Chat, Kind
from tests.stand_ins.telegram.errors import Json, bad
from tests.stand_ins.telegram.people import BOT_ID, Person
from tests.stand_ins.telegram.updates import Updates

SUPERGROUPS = -1_000_000_000_000


@dataclass(eq=False, kw_only=True)
class Tap:
    """A tap on a button. The bot must answer it once, in time."""

    id: str
    person: Person
    at: float
    answer: Json | None = None
    heard: str = ""  # what the person was shown


@dataclass
class World:
    """The world. `now` returns seconds since 1970. `reads_all` means that privacy mode is off."""

    now: Callable[[], float]
    bot: Person = field(default_factory=lambda: Person(id=BOT_ID, name="Retinue", username="retinue_bot", is_bot=True))
    reads_all: bool = False
    has_topics: bool = False  # whether private chats may have topics
    has_drafts: bool = True  # False: a Bot API server that is older than sendMessageDraft
    people: dict[int, Person] = field(default_factory=dict)
    chats: dict[int, Chat] = field(default_factory=dict)
    taps: dict[str, Tap] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)  # by file_id: the files that a test offers
    file_paths: dict[str, float] = field(default_factory=dict)  # that getFile has named: until when they are good
    commands: dict[tuple[str, str], list[Json]] = field(default_factory=dict)  # by scope and language
    webhook: str = ""
    numbers: Iterator[int] = field(default_factory=lambda: count(1))  # of messages in private chats and small groups
    _ids: Iterator[int] = field(default_factory=lambda: count(4_000_001))

    def __post_init__(self) -> None:
        self.updates = Updates(self.now)

    def as_met_by(self, bot: Person) -> World:
        """Return the same people and chats as another bot meets them. Nothing is ever said to that bot: its updates
        stay empty."""
        view = copy(self)
        view.bot, view.updates, view.taps, view.commands = bot, Updates(self.now), {}, {}
        return view

    def next_id(self) -> int:
        """Return a new id for things without their own numbers: groups, taps, albums."""
        return next(self._ids)

    def add_chat(self, chat: Chat) -> Chat:
        self.chats[chat.id] = chat
        return chat

    def open_group(self, title: str, *people: Person, kind: Kind, number: int | None = None) -> Chat:
        own = kind is Kind.SUPERGROUP  # only supergroups number their own messages
        found = number or ((SUPERGROUPS if own else 0) - self.next_id())
        members = {person.id: person for person in people}
        numbers = count(2) if own else self.numbers  # the first message is the note of its creation
        return self.add_chat(Chat(id=found, kind=kind, title=title, people=members, numbers=numbers))

    def chat(self, name: str) -> Chat:
        """Return the chat that a call names by its number or by @name. Raise Refusal."""
        if not name:
            raise bad("chat_id is empty")
        if name.startswith("@"):
            found = next((chat for chat in self.chats.values() if chat.username == name[1:]), None)
        else:
            found = self.chats.get(int(name)) if name.lstrip("-").isdigit() else None
        if found is None:
            raise bad("chat not found")
        return found
