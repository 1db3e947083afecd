"""One situation while it is played: its verbs, and what it has seen wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from tests.month.bookkeeping import written_in
from tests.month.clock import BERLIN, berlin
from tests.month.places import DiscordPlace, Place, Shown, TelegramPlace
from tests.month.script import Rule
from tests.stand_ins.claude import Hold, Reply, ToolUse, reply
from tests.stand_ins.telegram import Tap, document, photo, voice

if TYPE_CHECKING:
    from tests.month.month import Month

PATIENCE = 60.0  # seconds, for what must come; a busy machine may stand still
NONE = "none"  # a mark that must not be there


class NotSo(AssertionError):
    """A situation is not as its line says."""


class Stage:
    """The world as one situation uses it. Only one situation acts at a time, and it acts until its next `until`."""

    def __init__(self, month: Month, number: int) -> None:
        self.month = month
        self.number = number
        self.rules: list[Rule] = []
        self.faults: list[str] = []
        self.marks: list[tuple[Place, Any, str]] = []
        self.has_killed = False
        self.asked_from = 0  # the number of the model's requests when it began
        self.may_repeat = False  # a request may be made twice: its reply was lost
        self.files = 0
        self.allowed = ["Shall I remember this for later", "I have received this."]  # what the bot may say besides
        self.awaited: list[str] = []  # what it is to say at a later time
        self.resumed: asyncio.Event = asyncio.Event()
        self.paused: asyncio.Event = asyncio.Event()

    # People and places

    def place(self, platform: str, name: str) -> Place:
        return self.month.family.places[platform, name]

    def t(self, name: str) -> TelegramPlace:
        place = self.place("T", name)
        assert isinstance(place, TelegramPlace)
        return place

    def d(self, name: str) -> DiscordPlace:
        place = self.place("D", name)
        assert isinstance(place, DiscordPlace)
        return place

    def new_topic(self, title: str) -> TelegramPlace:
        """Open a topic in the Kitchen table, where the bot has never spoken."""
        family = self.month.family
        topic = family.table.topic(family.people["Ben"], title)
        place = TelegramPlace("T", f"{title} {self.number}", family.table, family.people, thread=topic.id)
        family.add(place)
        return place

    def new_thread(self, title: str) -> DiscordPlace:
        """Open a thread below #home, where the bot has never spoken."""
        family = self.month.family
        thread = family.discord.thread(family.home, title)
        place = DiscordPlace("D", f"{title} {self.number}", thread, family.members, family.discord)
        family.add(place)
        return place

    def ask(self, place: Place, who: str, text: str = "", *, mark: str = "done", **more: Any) -> Any:
        """Write to the bot. `mark` is the last mark that the message must have: done, failed, none, or any."""
        return self.note(place, place.ask(who, text, **more), mark)

    def say(self, place: Place, who: str, text: str = "", *, mark: str = NONE, **more: Any) -> Any:
        """Write something as it stands."""
        return self.note(place, place.say(who, text, **more), mark)

    def note(self, place: Place, message: Any, mark: str) -> Any:
        """Note a message for the bot, and its last mark. It must be answered, if the mark is one."""
        if mark != "any":
            self.marks.append((place, message, mark))
        if mark not in ("any", NONE):
            written = written_in(self.month.family, place, message, f"situation {self.number}")
            self.month.books.written[written.key] = written
        return message

    def album(self, place: TelegramPlace, who: str, *media: Any, captions: list[str], mark: str = "done") -> list[Any]:
        return [self.note(place, each, mark) for each in place.album(who, *media, captions=captions)]

    def command(self, place: Place, who: str, text: str) -> Any:
        """Give a command: as text on Telegram, as a slash command on Discord."""
        if isinstance(place, DiscordPlace):
            name, _, words = text.removeprefix("/").partition(" ")
            return place.command(who, name, **self.month.options_of(name, words))
        return self.say(place, who, text)

    async def tap(self, place: Place, who: str, shown: Shown, label: str, *words: str) -> None:
        """Tap a button. The person is shown these words for it: as a toast, or as a message for them alone."""
        tapped = place.tap(who, shown, label)

        def heard() -> bool:
            told = place.read(tapped.heard) if isinstance(tapped, Tap) else ""
            for each in self.month.unclaimed(place):
                is_toast = isinstance(tapped, Tap) and (not words or all(word in told for word in words))
                if all(word in each.text for word in words) and not is_toast:  # a late toast comes as a message
                    self.month.claim(each)
                    told = each.text
            return all(word in told for word in words) and (not isinstance(tapped, Tap) or tapped.answer is not None)

        await self.until_so(heard, what=f"{words} for a tap on {label}, but {getattr(tapped, 'heard', '')!r}")

    @contextmanager
    def in_english(self) -> Iterator[None]:
        """In a German month: what the bot says meanwhile is English."""
        watch = self.month.watch
        self.faults += watch.find() if watch else []
        yield
        if watch:
            watch.skip()

    # Files

    def photo(self, colour: str, *, width: int = 320, height: int = 240) -> Any:
        from tests.month.script import picture

        self.files += 1
        content = picture(colour, width, height, "JPEG")
        name = f"photo-{self.number}-{self.files}"
        return self.month.family.telegram.holding(photo(name, width=width, height=height), content)

    def document(self, name: str, content: bytes, mime: str = "application/octet-stream") -> Any:
        self.files += 1
        told = document(name, mime=mime)
        found = told["document"]
        told = {"document": {**found, "file_id": f"d-{self.number}-{self.files}-{name}"}}
        return self.month.family.telegram.holding(told, content)

    def voice(self, content: bytes = b"OggS sound", seconds: int = 3) -> Any:
        self.files += 1
        return self.month.family.telegram.holding(
            voice(f"voice-{self.number}-{self.files}", seconds=seconds), ogg(content + str(self.number).encode())
        )

    # The model

    def model(self, rule: Rule) -> None:
        """Let the model answer by this rule, unless it returns None. The newest rule comes first."""
        self.rules.insert(0, rule)

    def calls(self, *steps: Any, place: Place | None = None, about: str = "") -> None:
        """Let each step of a turn be this: a text, a function of the view, or a list of calls."""

        def rule(view: Any) -> Reply | str | None:
            if (place and view.place != self.month.name_of(place)) or about not in view.text:
                return None
            step = steps[min(view.step, len(steps) - 1)]
            if callable(step):
                step = step(view)
            return reply(*step) if isinstance(step, list) else step

        self.model(rule)

    def holding(self, text: str, begun: str = "") -> tuple[Reply, asyncio.Event]:
        """Return a reply whose text comes only when the event is set, after what is `begun`."""
        until = asyncio.Event()
        return reply(*filter(None, [begun]), Hold(until), text), until

    async def asked(self, holds: Callable[[Any], bool] = lambda view: True) -> None:
        """Wait until the model is at work on such a request."""
        from tests.month.script import View

        await self.until_so(
            lambda: any(holds(View(each.asked)) for each in self.month.family.claude.requests[self.asked_from :])
        )

    @property
    def requests(self) -> int:
        """How many requests to the model were made since the situation began."""
        return len(self.month.family.claude.requests) - self.asked_from

    # What comes

    async def answer(
        self, place: Place, *words: str, lacks: tuple[str, ...] = (), exactly: str | None = None, **of: Any
    ) -> Shown:
        """Wait for a message of the bot here that nobody has expected yet, with all these words. Return it."""

        def fits(shown: Shown) -> bool:
            is_text = shown.plain == exactly if exactly is not None else all(each in shown.text for each in words)
            return is_text and not any(each in shown.text for each in lacks)

        found: Shown | None = None
        try:
            async with asyncio.timeout(PATIENCE):
                while not (found := next(filter(fits, self.month.unclaimed(place)), None)):  # noqa: ASYNC110 -- a platform wakes nobody
                    await asyncio.sleep(0.01)
        except TimeoutError:
            wanted = exactly if exactly is not None else words
            raise NotSo(f"{wanted!r} did not come to {place}; there is {self.month.new_texts(place)}") from None
        await self.month.is_final(place, found, fits)
        found = next(filter(fits, self.month.unclaimed(place)), found)
        self.month.claim(found)
        if "reply_to" in of and found.reply_to is not of["reply_to"]:
            raise NotSo(f"{found.text!r} in {place} is no reply to {of['reply_to']}, but to {found.reply_to}")
        return found

    def allow(self, *words: str) -> None:
        """Let the bot say something with one of these words, or not."""
        self.allowed += words

    def expect_later(self, *words: str) -> None:
        """Say what will come at a time for which this situation waits, so that no other one takes it for its own."""
        self.awaited += words

    async def nothing(self, *places: Place) -> None:
        """Wait until all is at rest. Then nothing unexpected is there."""
        await self.month.at_rest()
        if found := self.month.take_unexpected(self):
            raise NotSo(f"nobody has expected {found}")

    async def repeats(self, place: Place, *words: str) -> None:
        """Allow one marked copy of such a message, if it comes."""
        await self.month.at_rest()
        marked = [each for each in self.month.unclaimed(place) if each.is_marked and all(w in each.text for w in words)]
        for each in marked[:1]:
            self.month.claim(each)

    async def until_so(self, holds: Callable[[], object], seconds: float = PATIENCE, what: str = "") -> None:
        try:
            async with asyncio.timeout(seconds):
                while not holds():  # noqa: ASYNC110 -- several stand-ins and rows wake nobody together
                    await asyncio.sleep(0.005)
        except TimeoutError:
            raise NotSo(f"it did not become so within {seconds:g} s: {what or 'a condition'}") from None

    def so(self, holds: object, what: str) -> None:
        """Note a fault unless it is so."""
        if not holds:
            self.faults.append(what)

    # Time

    async def until(self, moment: str | datetime) -> None:
        """Let the month pass until this moment (on the family's clock), while others play."""
        when = berlin(moment) if isinstance(moment, str) else moment
        await self.month.pass_time(self, when)

    async def jump_to(self, moment: str) -> None:
        """Move the clock to a moment, without a pause in what this situation does."""
        await self.month.jump(berlin(moment))

    async def later(self, **span: float) -> None:
        await self.until(self.month.clock.now() + timedelta(**span))

    @property
    def now(self) -> datetime:
        return self.month.clock.now().astimezone(BERLIN)

    # Kills

    async def kill(self, away_seconds: float = 20) -> None:
        """Kill the bot with SIGKILL, and start it again when so much of the month's time has passed."""
        self.has_killed = self.may_repeat = True
        await self.month.kill()
        self.month.clock.move_to(self.month.clock.now() + timedelta(seconds=away_seconds))
        await self.month.start()


def ogg(content: bytes) -> bytes:
    return b"OggS\0\x02" + b"\0" * 20 + content


def call(name: str, **arguments: Any) -> ToolUse:
    return ToolUse(name, arguments)
