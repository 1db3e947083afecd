"""People and groups who have something of their own, and what is there of each thing at a moment.

The owner, two people who also share a group chat, a guest, and two groups. Each has files, memories, schedules, a
conversation and delegations, as far as they may, and each of these things has a secret that is nowhere else.
"""

import asyncio
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bot.assembly import make_workspace_and_web_tools
from bot.config.roles import EXISTING_TOOLS
from bot.core.access import Access
from bot.core.content_blocks import Block
from bot.core.messages import Address, PersonId
from bot.core.model import ModelReply, ModelRequest, ShowTextCallback
from bot.core.prices import Micros
from bot.core.rights import EVERY_RIGHT, GUEST_RIGHTS, Right
from tests.support.bench import Bench
from tests.support.engine_options import engine_options, limits_with
from tests.support.fakes import Pause, ScriptedModel, message, played, reply, role, uses
from tests.support.group_bots import Registry, asks, at, group
from tests.support.patience import PATIENCE
from tests.support.walled_groups import SHELL, echo

HELPER, LONG_HELPER = "helper", "keeper"  # roles: one reports at once, one works for ever
MEMBERS_RIGHTS = EVERY_RIGHT - {Right.SHELL}  # with all rights they would work in the owner's workspace
HALL = "hall"  # a group chat


@dataclass(frozen=True)
class Place:
    """Somebody in a chat. `agent` answers there, and its files are in `folder`. If it `asks` a group, that group's
    agent does what is to be done."""

    name: str
    by: str
    chat: str
    folder: str
    agent: str = "lead"
    asks: str = ""
    is_group_chat: bool = False
    rights: frozenset[Right] = EVERY_RIGHT

    @property
    def address(self) -> str:
        return str(at(self.chat))

    @property
    def where(self) -> dict[str, Any]:
        return {"by": self.by, "chat": self.chat, **({"group_chat": self.chat} if self.is_group_chat else {})}


OWNER = Place("owner", "Owner", "private", "workspace")
ANN = Place("ann", "Ann", "ann", "workspace/.chats/fake-ann", rights=MEMBERS_RIGHTS)
BOB = Place("bob", "Bob", "bob", "workspace/.chats/fake-bob", rights=MEMBERS_RIGHTS)
GUEST = Place("guest", "Gus", "gus", "workspace/.chats/fake-gus", rights=GUEST_RIGHTS)
ANN_IN_HALL = replace(ANN, name="annhall", chat=HALL, folder="workspace/.chats/fake-hall", is_group_chat=True)
BOB_IN_HALL = replace(ANN_IN_HALL, name="bobhall", by="Bob")
ALPHA = Place("alpha", "Cat", "alpha", "groups/alpha/workspace", agent="alpha")
BETA = Place("beta", "Dan", "beta", "groups/beta/workspace", agent="beta")
ALPHA_BY_MAIN = Place("alphabymain", "Cat", "home", "groups/alpha/workspace", agent="home", asks="alpha")
PLACES = (OWNER, ANN, BOB, GUEST, ANN_IN_HALL, BOB_IN_HALL, ALPHA, BETA)
ACCESS = Access(
    owner_id=PersonId("Owner"),
    allowed_ids=frozenset({"Ann", "Bob", "Cat", "Dan", "Gus"}),
    owner_address=Address(channel="fake", chat="private"),
    rights_by_id={"Ann": MEMBERS_RIGHTS, "Bob": MEMBERS_RIGHTS, "Cat": EVERY_RIGHT, "Dan": EVERY_RIGHT},
    others_rights=GUEST_RIGHTS,
)
RIGHTS_OF_THINGS = {
    "file": Right.READ_FILES,
    "memory": Right.MEMORY,
    "schedule": Right.TALK,
    "conversation": Right.TALK,
    "delegation": Right.DELEGATE,
    "work": Right.DELEGATE,
}
SHARED = ("file", "memory", "conversation", "delegation")  # by all in a group chat


@dataclass(frozen=True)
class Thing:
    """Something of a place. `id` is how tools and commands name it: a path, a number, or the id of a turn."""

    place: Place
    kind: str
    id: str = ""

    @property
    def word(self) -> str:
        """Return the word that everybody knows it by."""
        return f"vault{self.place.name}{self.kind}"

    @property
    def secret(self) -> str:
        """Return the word that nobody elsewhere knows."""
        return f"secret{self.place.name}{self.kind}"

    @property
    def text(self) -> str:
        return f"the {self.word} is {self.secret}"

    @property
    def number(self) -> int:
        return int(self.id)


class TalkativeModel(ScriptedModel):
    """A model that says what the test wrote, and then all that it has heard: the worst that a model can do."""

    async def reply(self, request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        if not self.script[played(request)]:
            self.says(played(request), echo)
        return await super().reply(request, show)


@dataclass
class World:
    bench: Bench
    data: Path
    places: Sequence[Place] = PLACES  # that have something
    things: dict[tuple[str, str], Thing] = field(default_factory=dict)  # by the names of the place and of the kind

    def __post_init__(self) -> None:
        self.bench.model = TalkativeModel()
        self.bench.chat.length = 10**9  # so that each reply is one part
        tools = sorted(EXISTING_TOOLS)
        for name in ("lead", HELPER, LONG_HELPER):
            self.bench.roles[name] = role(name, *tools, delegates_to=None)
        for place in PLACES:
            (self.data / place.folder).mkdir(parents=True, exist_ok=True)
        home = group("home", "alpha", is_main=True, tools=tools, workspace=self.data / "groups" / "home" / "workspace")
        walled = [group(each.name, tools=tools, workspace=self.data / each.folder) for each in (ALPHA, BETA)]
        self.registry = Registry(home, *walled)
        self.workspace = self.data / OWNER.folder

    @property
    def options(self) -> dict[str, Any]:
        return {
            "access": {"fake": ACCESS},
            "groups": self.registry,
            "tools": make_workspace_and_web_tools(self.workspace, self.registry, web=(), shell=SHELL),
            **engine_options(
                approvals__enabled=False,  # the walls hold although nobody is asked
                swarm__max_concurrent=30,
                swarm__max_running=30,
                swarm__max_group_delegations=20,
                writable_workspace=self.workspace,
                workspace=self.workspace,
                chat_day=10**12,
                day=10**12,
                turn=limits_with(cost=Micros(10**9), tokens=10**9),
            ),
        }

    # What each has

    def list_things(self, place: Place) -> list[Thing]:
        """Return the things of a place that nobody elsewhere may reach."""
        return [thing for (name, _), thing in self.things.items() if name == place.name]

    async def plant(self) -> None:
        for place in self.places:
            if not place.asks:
                await self.plant_at(place)

    async def plant_at(self, place: Place) -> None:
        """Have the agent of a place keep, plan and delegate something, and note how each thing is named."""
        kinds = [kind for kind, right in RIGHTS_OF_THINGS.items() if right in place.rights]
        made = {kind: Thing(place, kind) for kind in kinds if not (place.is_group_chat and kind in SHARED)}
        calls, model = [uses("remind_me", text=made["schedule"].text, when="P9D")], self.bench.model
        if memory := made.get("memory"):
            calls.append(uses("memory_save", text=memory.text))
        if delegation := made.get("delegation"):
            calls.append(uses("delegate", role=HELPER, task=delegation.text))
            model.says(HELPER, "found it")
        if work := made.get("work"):
            calls.append(uses("delegate", role=LONG_HELPER, task=work.text, background=True))
            model.says(LONG_HELPER, Pause())
        if file := made.get("file"):
            (self.data / place.folder / f"{file.word}.txt").write_text(f"{file.text}\n")
            (self.data / place.folder / f"{file.secret}.md").touch()  # for those who see the names of files
        model.says(place.agent, reply(*calls), "kept")
        await self.says(made["conversation"].text if "conversation" in made else "remember", place)
        for kind, thing in made.items():
            self.things[place.name, kind] = replace(thing, id=self.find_id(thing))

    def find_id(self, thing: Thing) -> str:
        if thing.kind == "file":
            return f"{thing.word}.txt"
        table, id, text = {
            "memory": ("memories", "id", "text"),
            "schedule": ("schedules", "number", "text"),
            "conversation": ("said", "turn", "text"),
        }.get(thing.kind, ("turns", "id", "task"))
        return str(self.bench.rows(f"SELECT {id} FROM {table} WHERE {text} LIKE ?", f"%{thing.secret}%")[0][0])

    # What people do

    async def says(self, text: str, place: Place) -> None:
        """Write something at a place, and wait until its turn has ended."""
        said = message(text, **place.where)
        self.bench.chat.incoming.put_nowait(said)
        ended = "SELECT 1 FROM inbox JOIN turns ON turns.id = inbox.turn WHERE inbox.key = ? AND turns.state = 'ended'"
        async with asyncio.timeout(PATIENCE):
            while not self.bench.rows(ended, said.id):
                await self.pause()

    async def is_at_rest(self) -> None:
        """Wait until nobody works but the roles that work for ever: another turn would say what the test wrote."""
        async with asyncio.timeout(PATIENCE):
            while self.bench.count("turns", f"state != 'ended' AND role != '{LONG_HELPER}'") or self.bench.count(
                "inbox", "state = 'received' AND held_until IS NULL"
            ):
                await self.pause()

    async def pause(self) -> None:
        await asyncio.sleep(0.003)  # rows wake nobody

    async def calls(self, place: Place, calls: Sequence[Block], by_role: str = "") -> list[str]:
        """Let the agent of a place make these calls, or a role below it. Return the result of each."""
        model = self.bench.model
        await self.is_at_rest()
        agent = place.asks or place.agent
        if place.asks:
            model.says(place.agent, asks(place.asks))
        if by_role:
            model.says(agent, reply(uses("delegate", role=by_role, task="look")))
        model.says(by_role or agent, reply(*calls))
        await self.says("look for it", place)
        async with asyncio.timeout(PATIENCE):  # until each schedule that was made has looked once
            while self.bench.count("schedules", "condition IS NOT NULL AND checked_at IS NULL"):
                await self.pause()
        ids = json.dumps([call["id"] for call in calls])
        made = "FROM calls WHERE tool_use_id IN (SELECT value FROM json_each(?)) GROUP BY tool_use_id"
        found = dict(self.bench.rows(f"SELECT tool_use_id, group_concat(result) {made}", ids))
        return [str(found[call["id"]]) for call in calls]

    async def commands(self, place: Place, texts: Sequence[str]) -> list[str]:
        """Give commands at a place. Return what is answered to each."""
        given = [message(text, **place.where) for text in texts]
        for each in given:
            self.bench.chat.incoming.put_nowait(each)
        await self.bench.chat.is_taken_in()
        answers = "SELECT text FROM outbox WHERE reply_to = ?1 OR key = 'b' || (SELECT seq FROM inbox WHERE key = ?1)"
        return ["\n".join(text for (text,) in self.bench.rows(answers, each.id)) for each in given]

    # What is there

    def snapshot(self) -> dict[tuple[str, str], Any]:
        """Return what is there of each thing, by its place and kind."""
        return {key: self.state_of(thing) for key, thing in self.things.items()}

    def state_of(self, thing: Thing) -> Any:
        rows, id, place = self.bench.rows, thing.id, thing.place
        match thing.kind:
            case "file":
                files = [path for path in (self.data / place.folder).glob("*vault*") if not path.is_symlink()]
                same = "SELECT count(*) FROM outbox, json_each(files) AS file WHERE file.value ->> '$.sha256' = ?"
                sent = rows(same, hashlib.sha256(f"{thing.text}\n".encode()).hexdigest())
                return sorted((path.name, path.read_text()) for path in files), sent
            case "memory":
                chat, name = ("", place.agent) if place.agent != "lead" else (f"@fake:{place.by}", "")
                scope = "chat = ? AND ifnull(group_name, '') = ?"
                return rows(f"SELECT id, text, is_confirmed FROM memories WHERE {scope}", chat, name)
            case "schedule":
                made = "SELECT number, state FROM schedules WHERE address = ? AND person = ? AND condition IS NULL"
                return rows(made, place.address, place.by)
            case "conversation":
                return rows("SELECT id FROM turns WHERE address = ? AND depth = 0", place.address)
        told = "SELECT count(*) FROM inbox WHERE turn IN (SELECT id FROM turns WHERE session = ?)"
        again = "SELECT id, state IN ('stopping', 'ended'), status FROM turns"
        again += " WHERE session = (SELECT session FROM turns WHERE id = ?)"
        said = rows("SELECT count(*) FROM outbox WHERE text LIKE ?", f"%{thing.secret}%")
        return rows(again, id), rows(told, id), said if not place.is_group_chat else "all there may see it"

    def sight_of(self, call: Block) -> str:
        """Return what the condition of a schedule that a call has made has seen, as a hash; empty if nothing."""
        seen = "SELECT last_seen FROM schedules WHERE key IN (SELECT id FROM calls WHERE tool_use_id = ?)"
        found = self.bench.rows(seen, call["id"])
        return str(found[0][0] or "") if found else ""

    def texts_at(self, place: Place) -> list[str]:
        """Return what was said at a place."""
        return [text for (text,) in self.bench.rows("SELECT text FROM outbox WHERE address = ?", place.address)]
