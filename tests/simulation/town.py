"""A town: fifty people in twenty chats on two platforms, who steer, stop, answer, edit and talk in mid-work for long.

`rules.py` says what each of their messages must do; the town sees that it did, and that nothing else happened.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from bot.core.messages import InboundMessage
from bot.store.connection import Connection
from tests.rig.process import TOWNSPEOPLE
from tests.simulation.crowd import LONGEST_WAIT_SECONDS, Crowd
from tests.simulation.rules import Fate, act_of_event, fate_of, find_fate, look

if TYPE_CHECKING:
    from tests.rig.chat import Chat
    from tests.simulation.choices import Choices
    from tests.simulation.run import SimulatedWorld, Simulation

R = TypeVar("R")
TOWN, VILLAGE = "town", "village"  # the scenarios
TOWN_ADDRESSES = tuple(f"{platform}:{number}" for number in range(1, 11) for platform in ("tg", "dc"))
VILLAGE_ADDRESSES = TOWN_ADDRESSES[:4]  # a village is a small town, for a quick look
PEOPLE_IN_A_CHAT = 5  # so everybody is in two chats
ACTS_IN_A_CHAT = {TOWN: 25, VILLAGE: 8}
TOWN_WISHES = (*["pair"] * 3, *["asks"] * 3, "go", "background", "and")
TOWN_STOPS = ("/stop {number}", "/stop {number}", "/stop researcher", "/stop analyst", "/stop", "stop", "/stop all")
TOWN_BUTTONS = ("stop.{number}", "stop.{number}", "stop-all", "details.{number}")
NUMBER_ON_BOARD = re.compile(r"^#(\d+) ", re.MULTILINE)
LONGEST_TOWN_PAUSE_SECONDS = 2.0
MOST_KILLS_OF_TOWN = 30
THINKING_SECONDS_OF_TOWN = (0.02, 0.4)
MOST_STEPS_OF_TOWN = 3_000_000
SILENT_AFTER_SECONDS = 1.0  # a stopped turn
NEAR_SECONDS = 0.05  # so near to a commit of a delegation that the two may race
TALKING = ("update", "question", "draft")  # what a stopped turn must not send any more
PROGRESS = """SELECT id, state, steps, tokens, reserved, posts, questions, address, number, person
    FROM turns WHERE depth > 0 AND state != 'ended'"""


def people_at(address: str) -> tuple[str, ...]:
    first = TOWN_ADDRESSES.index(address) * PEOPLE_IN_A_CHAT
    return tuple(TOWNSPEOPLE[(first + n) % len(TOWNSPEOPLE)] for n in range(PEOPLE_IN_A_CHAT))


@dataclass
class Townspeople(Crowd):
    """The people of one chat of the town."""

    acts_left: int = 0

    async def live(self) -> None:
        await asyncio.sleep(self.choices.seconds("when a chat begins", 0.0, LONGEST_TOWN_PAUSE_SECONDS))
        self.write()
        for _ in range(self.acts_left):
            await self.wait()
            self.choices.among("act", self.acts)()

    @property
    def acts(self) -> list[Callable[[], None]]:
        return [self.write, self.write, self.write, self.tell, self.tell, self.tell, self.write_below, self.stop_one,
                self.tap_board, self.answer, self.answer, self.edit]  # fmt: skip

    def someone(self) -> str:
        """Return who acts: mostly one of those who wrote last."""
        authors = [who for _, who, _ in self.written[:-4:-1]]
        return self.choices.among("who", [*authors * 3, *self.people])

    def choose_delegation(self) -> tuple[int, str]:
        """Return the number of a delegation, and who writes about it: mostly the person for whom it is at work."""
        if (at_work := self.world.at_work_for(self.chat.address)) and not self.choices.happens("an old one", 0.2):
            number = self.choices.among("number at work", sorted(at_work))
            return number, self.choices.among("for whom", [at_work[number]] * 4 + [self.someone()])
        shown = "\n".join(board["text"] for board in self.boards())
        numbers = sorted({int(number) for number in NUMBER_ON_BOARD.findall(shown)}, reverse=True)
        return self.choices.among("number", numbers[:4] or [1]), self.someone()

    def boards(self) -> list[dict[str, Any]]:
        return [send for send in self.world.sends_at[self.chat.address] if send["kind"] == "board"]

    def tap_board(self) -> None:
        """Tap a button of one of the newest boards, also one that is there no more."""
        if not (boards := self.boards()):
            return self.write()
        board = self.choices.among("board", boards[:-4:-1])
        number = self.choices.among("number", NUMBER_ON_BOARD.findall(board["text"]) or ["1"])
        button = self.choices.among("button", TOWN_BUTTONS).format(number=number)
        return self.chat.taps(button, self.someone(), board["key"])

    def tell(self) -> None:
        self.chat.tells(*self.choose_delegation())

    def stop_one(self) -> None:
        number, who = self.choose_delegation()
        self.chat.types(self.choices.among("stop", TOWN_STOPS).format(number=number), who)

    def write_below(self) -> None:
        """Reply to one of the newest updates. It is mostly the person for whom that role works who does."""
        if not (said := self.chat.updates[-4:]):
            return self.write()
        at_work = self.world.at_work_for(self.chat.address)
        who = self.choices.among("for whom", [*sorted({*at_work.values()}) * 4, self.someone()])
        return self.write(self.choices.among("replied to", said[::-1])["id"], who)

    def answer(self) -> None:
        at_work = self.world.at_work_for(self.chat.address)
        self.answer_newest(self.choices.among("for whom", [*sorted({*at_work.values()}) * 4, self.someone()]))

    def edit(self) -> None:
        """Change the text of one of the newest messages, also of one that a role is told."""
        number, who, tag = self.choices.among("edited", self.written[:-4:-1])
        self.chat.edits(number, f"{self.choices.among('wish', self.wishes)} rather {tag}", by=who)

    async def answer_in_the_end(self) -> None:
        """Answer every question that nobody has answered for a while. Nobody knows who was asked, so all tap."""
        seen = 0
        while True:
            await asyncio.sleep(2 * LONGEST_WAIT_SECONDS)
            asked = self.chat.questions
            for question in asked[seen:]:
                for who in self.people:
                    self.chat.taps("red", who, question["key"])
            seen = len(asked)


def townspeople(chat: Chat, choices: Choices, world: SimulatedWorld) -> Townspeople:
    at = people_at(chat.address)
    return Townspeople(
        chat, choices, world, at, TOWN_WISHES, LONGEST_TOWN_PAUSE_SECONDS, acts_left=ACTS_IN_A_CHAT[TOWN]
    )


def villagers(chat: Chat, choices: Choices, world: SimulatedWorld) -> Townspeople:
    people = townspeople(chat, choices, world)
    people.acts_left = ACTS_IN_A_CHAT[VILLAGE]
    return people


@dataclass
class Steer:
    """What somebody told a delegation: it must be in the first request after the next entry of that delegation."""

    turn: str
    text: str
    entry: int  # the number of the newest entry of its session then


@dataclass
class Town:
    """What has happened in a town, and what must follow from it."""

    run: Simulation
    steers: dict[str, Steer] = field(default_factory=dict)  # by message, until they are read
    stopped: dict[str, float] = field(default_factory=dict)  # turns, with the moment of the stop
    near: set[str] = field(default_factory=set)  # messages that came within `NEAR_SECONDS` of a commit of their target
    judged: dict[str, Fate] = field(default_factory=dict)
    last_change: dict[str, float] = field(default_factory=dict)  # by delegation
    aimed: defaultdict[str, list[tuple[float, str]]] = field(default_factory=lambda: defaultdict(list))
    progress: dict[str, tuple[Any, ...]] = field(default_factory=dict)  # by delegation

    # Messages

    def judge(self, event: InboundMessage, take_in: Callable[[], R], db: Connection) -> R:
        """Take a message in, and compare what it does with what it should do. A kill may undo this; then the message
        comes again."""
        now, before = self.run.loop.time(), look(db, str(event.address))
        done = take_in()
        act, after = act_of_event(event, db), look(db, str(event.address))
        wanted, found = find_fate(act, before), fate_of(act, before, after)
        if found != wanted:
            self.run.add_fault(f"misrouted: {act} should be {wanted}, and is {found}")
        self.judged[act.key] = found
        for turn in found.turns if found.does == "stops" else ():
            self.stopped[turn] = now
        if found.does in ("told", "again"):
            [turn] = found.turns if found.does == "told" else [f"t{act.number}"]
            session = found.session
            newest = db.fetch_number("SELECT max(seq) FROM entries WHERE session = ?", session)
            self.steers[act.key] = Steer(turn, act.words, newest if found.does == "told" else 0)
        if found.does == "changed" and act.key in self.steers:
            self.steers[act.key].text = act.text
        for turn in found.turns:
            if now - self.last_change.get(turn, -1.0) <= NEAR_SECONDS:
                self.near.add(act.key)
            self.aimed[turn].append((now, act.key))
        return done

    def after_commit(self, db: Connection) -> None:
        """Note which delegations this commit has changed."""
        now, progress = self.run.loop.time(), {row[0]: tuple(row) for row in db.execute(PROGRESS)}
        for turn in {id for id, _ in progress.items() ^ self.progress.items()}:
            self.last_change[turn] = now
            self.near |= {key for moment, key in self.aimed.pop(turn, []) if 0 < now - moment <= NEAR_SECONDS}
        self.progress = progress

    def at_work_for(self, address: str) -> dict[int, str]:
        return {row[-2]: row[-1] for row in self.progress.values() if row[-3] == address}

    # What the world sees

    def see_request(self, asked: dict[str, Any], db: Connection) -> None:
        """A request of a delegation has what it was told; one that was stopped asks nothing more."""
        session = asked["chapter"].rsplit("/", 1)[0]
        turn = db.fetch_row("SELECT id, session FROM turns WHERE session = ? AND state != 'ended'", session)
        if turn is None:
            return
        if self.is_to_be_silent(turn["id"]):
            self.run.add_fault(f"not silent: {turn['id']} asks the model")
        said = json.dumps(asked["messages"])
        for key, steer in list(self.steers.items()):
            if steer.turn != turn["id"]:
                continue
            newer = "SELECT count(*) FROM entries WHERE session = ? AND role = 'user' AND seq > ?"
            if steer.text in said:
                del self.steers[key]
                self.run.figures["town: steers in the next request"] += 1
            elif db.fetch_number(newer, turn["session"], steer.entry):
                self.run.add_fault(f"{key}, {steer.text!r}, is not in the next request of {steer.turn}")

    def see_send(self, asked: dict[str, Any]) -> None:
        turn = turn_of_key(asked["key"])
        # With its answer below it, a question may need one part more.
        is_answered = asked["kind"] == "question" and not asked["key"].endswith(":0")
        if asked["do"] == "send" and asked["kind"] in TALKING and not is_answered and self.is_to_be_silent(turn):
            self.run.add_fault(f"not silent: {turn} sends {asked['kind']} {asked['text']!r}")

    def is_to_be_silent(self, turn: str) -> bool:
        return self.run.loop.time() - self.stopped.get(turn, float("inf")) > SILENT_AFTER_SECONDS

    def at_rest(self, db: Connection) -> None:
        """Every message of these people was judged; whoever was not told ended first, and counts what was done."""
        for row in db.fetch_rows("SELECT key FROM inbox WHERE person LIKE 'p%' AND key LIKE '%:%:%'"):
            if row["key"] not in self.judged:
                self.run.add_fault(f"lost: {row['key']} was never taken in")
        for key, steer in self.steers.items():
            ended = db.has_rows("SELECT 1 FROM turns WHERE id = ? AND status IN ('cancelled', 'budget')", steer.turn)
            is_given_back = db.has_rows("SELECT 1 FROM inbox WHERE key = ? AND turn IS NOT ?", key, steer.turn)
            if not is_given_back and not ended:
                self.run.add_fault(f"lost: {key} to {steer.turn}, which has not read it")
        done = Counter(fate.does for fate in self.judged.values())
        self.run.figures.update({f"town: {does}": times for does, times in done.items()})
        self.run.figures["town: within 50 ms of a commit"] += len(self.near)


def turn_of_key(key: str) -> str:
    """Return the turn that says a message: its key is that of a call, of an entry, or of the turn's own words."""
    words = key.rsplit(":", 1)[0].partition(":")[0].split("/")
    return "/".join(words[: 1 + 3 * ((len(words) - 1) // 3)])
