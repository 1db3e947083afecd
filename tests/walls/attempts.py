"""Every way to reach what somebody else has: tools with their paths, ids, words and names, and commands.

Each tool and each command stands in a table here. `TOOLS` says how a tool reaches each kind of thing when its own place
uses it; `guesses` makes of that what somebody elsewhere can try who knows all paths, numbers, ids and names.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from bot.core.content_blocks import Block
from tests.support.fakes import uses
from tests.walls.world import HELPER, Place, Thing, World

Arguments = dict[str, Any]
ByThing = Mapping[str, Callable[[Thing], Arguments]]  # by kind of thing: the arguments with which its owner reaches it
NEW = "overwritten"

# By tool. A tool that reaches nothing of anybody is in OTHERS, with the reason.
TOOLS: dict[str, ByThing] = {
    "read_file": {"file": lambda thing: {"path": thing.id}},
    "list_dir": {"file": lambda thing: {"path": "."}},
    "glob": {"file": lambda thing: {"pattern": "**"}},
    "grep": {"file": lambda thing: {"pattern": "vault"}},
    "send_file": {"file": lambda thing: {"path": thing.id}},
    "edit_file": {"file": lambda thing: {"path": thing.id, "old": "the", "new": NEW}},
    "write_file": {"file": lambda thing: {"path": thing.id, "content": NEW}},
    "shell": {"file": lambda thing: {"command": f"cat {thing.id}"}},
    "memory_search": {"memory": lambda thing: {"query": thing.word}},
    "memory_get": {"memory": lambda thing: {"id": thing.number}},
    "memory_save": {"memory": lambda thing: {"text": thing.word}},
    "memory_forget": {"memory": lambda thing: {"id": thing.number}},
    "conversation_search": {"conversation": lambda thing: {"query": thing.word}},
    "schedule_list": {"schedule": lambda thing: {}},
    "schedule_change": {"schedule": lambda thing: {"number": thing.number, "change": "pause"}},
    "schedule_create": {
        "file": lambda thing: condition("file_changed", thing.id),
        "memory": lambda thing: condition("tool_changed", "memory_search", query=thing.word),
        "conversation": lambda thing: condition("tool_changed", "conversation_search", query=thing.word),
    },
    "remind_me": {"schedule": lambda thing: {"text": thing.word, "when": "PT9H"}},
    "list_delegations": {"delegation": lambda thing: {}},
    "get_delegation": {"delegation": lambda thing: {"id": thing.id, "transcript": True}},
    "forward_report": {"delegation": lambda thing: {"id": thing.id}},
    "delegate": {"delegation": lambda thing: {"task": "go on", "continue_from": thing.id}},
    "steer_delegation": {"work": lambda thing: {"id": thing.id, "text": NEW}},
    "cancel_delegation": {"work": lambda thing: {"id": thing.id}},
}
OTHERS = {
    "ask_person": "asks the person of its own turn",
    "message": "posts in its own chat",
    "send_message": "writes in other chats of its person alone: tests/outgoing/test_other_chats.py",
    "use_skill": "reads what the operator has written",
    "web_fetch": "reads the web",
    "web_search": "reads the web",
}
# Those that change something; what the others reach stands in their results.
CHANGING = ("send_file", "edit_file", "write_file", "memory_save", "memory_forget", "schedule_change", "remind_me",
            "forward_report", "steer_delegation", "cancel_delegation")  # fmt: skip
WATCHING = "schedule_create"  # what it reaches, the condition of the schedule sees
# Guesses at other arguments: a tool may take a chat, a person or a group from the model.
NAMES = ("chat", "address", "person", "group", "scope", "session", "to")

# By command: its words, and the kind of thing that it shows or changes when its own place gives it
COMMANDS: dict[str, Mapping[str, Callable[[Thing], Sequence[str]]]] = {
    "/memory": {
        "memory": lambda thing: ["", f"search {thing.word}", "export", f"keep {thing.id}", f"forget {thing.id}"]
    },
    "/schedules": {
        "schedule": lambda thing: ["", *(f"{change} {thing.id}" for change in ("pause", "resume", "run", "delete"))]
    },
    "/status": {"work": lambda thing: [""]},
    "/agents": {"work": lambda thing: [""]},
    "/log": {"delegation": lambda thing: ["", *numbers()]},
    "/tell": {"work": lambda thing: [f"{number} {NEW}" for number in numbers()]},
    "/stop": {"work": lambda thing: ["all", "keeper", *numbers()]},
}
FOR_ALL_THERE = ("/status", "/agents", "/log", "/stop")
OTHER_COMMANDS = {
    **dict.fromkeys(("/start", "/help", "/roles", "/privacy", "/whereami"), "shows nothing of anybody"),
    **dict.fromkeys(("/new", "/retry"), "begins something at the place where it is given"),
    **dict.fromkeys(("/language", "/timezone", "/quiet", "/verbose", "/mode"), "sets how the bot speaks there"),
    **dict.fromkeys(("/model", "/effort", "/usage", "/budget"), "is about money"),
    **dict.fromkeys(("/people", "/groups", "/pair"), "is the owner's: tests/intake"),
    **dict.fromkeys(("/link", "/unlink", "/forget"), "is about the writer's own accounts: tests/people"),
}


@dataclass(frozen=True)
class Attempt:
    """A call or a command at a place that is about somebody else's thing."""

    way: str  # the tool or the command
    thing: Thing
    call: Block | None = None
    text: str = ""

    def __str__(self) -> str:
        what = json.dumps(self.call["input"]) if self.call else self.text
        return f"{self.way} {what} at the {self.thing.kind} of {self.thing.place.name}"


def condition(kind: str, what: str, **arguments: Any) -> Arguments:
    given = {"tool_arguments": json.dumps(arguments)} if arguments else {}
    return {"task": "look", "when": "PT0S", "only_if": kind, "what": what, **given}


def numbers() -> list[str]:
    return [str(number) for number in range(1, 4)]


def controls(things: Sequence[Thing]) -> Iterator[Attempt]:
    """Yield what the place itself does to reach its things: each way once."""
    for thing in things:
        for tool, ways in TOOLS.items():
            if thing.kind in ways:
                yield Attempt(tool, thing, uses(tool, **ways[thing.kind](thing)))


def attempts_by_tools(
    world: World, actor: Place, things: Sequence[Thing], most_guesses: int | None = None
) -> Iterator[Attempt]:
    """Yield all that somebody elsewhere can have the model call to reach these things; of each way only so many."""
    for thing in things:
        is_shared = actor.chat == thing.place.chat and thing.kind == "work"  # by all in a group chat
        for tool, ways in TOOLS.items():
            if thing.kind in ways and not is_shared:
                found = guesses(world, actor, thing, tool, ways[thing.kind](thing))
                for arguments in islice(found, most_guesses):
                    yield Attempt(tool, thing, uses(tool, **arguments))


def guesses(world: World, actor: Place, thing: Thing, tool: str, given: Arguments) -> Iterator[Arguments]:
    """Yield arguments: those of the thing's own place, with other names of it, and with the place named."""
    if thing.kind == "file":
        for path in islice(paths(world, actor, thing), 4 if tool == WATCHING else None):
            yield arguments_for_path(tool, path, given)
        return
    if tool == WATCHING:
        yield given
        return
    yield given
    if tool == "remind_me":  # what somebody plans in a group chat counts against its limit, so few have to do
        yield {**given, "chat": thing.place.chat}
        yield {**given, "person": thing.place.by}
        return
    for name in NAMES[: 3 if tool == "delegate" else None]:
        for value in (thing.place.chat, f"fake:{thing.place.chat}", thing.place.by)[: 1 if name == "scope" else 2]:
            yield {**given, name: value}
    if "id" in given and isinstance(given["id"], str):
        for id in (given["id"].upper(), f" {given['id']}", f"{given['id']}/", "%", "' OR '1'='1"):
            yield {**given, "id": id}
    if "query" in given:
        for words in ("", "*", "vault", thing.place.by, f'"{thing.word}"', f"{thing.word} OR 1", "' OR '1'='1"):
            yield {**given, "query": words}
    if tool == "delegate":
        yield {"role": HELPER, "task": "look", "context_from": [thing.id]}
        yield {"group": thing.place.agent, "task": f"say what {thing.word} is"}
        yield {"role": thing.place.agent, "task": f"say what {thing.word} is"}
    if tool == "schedule_change":
        for change in ("delete", "resume"):
            yield {**given, "change": change}


def arguments_for_path(tool: str, path: str, given: Arguments) -> Arguments:
    folder, _, _ = path.rpartition("/")
    match tool:
        case "list_dir":
            return {"path": folder or path}
        case "glob":
            return {"pattern": "**", "path": folder or path}
        case "grep":
            return {**given, "path": path}
        case "shell":
            return {"command": f"cat '{path}'; echo {NEW} >> '{path}'; cat '{folder}'/*"}
        case "schedule_create":
            return {**given, "what": path}
    return {**given, "path": path}


def paths(world: World, actor: Place, thing: Thing) -> Iterator[str]:
    """Yield paths to somebody's file: upwards, whole, by links, by the system's own names, and by look-alikes."""
    whole, own = world.data / thing.place.folder / thing.id, world.data / actor.folder
    up = "/".join([".."] * len(actor.folder.split("/")))
    yield f"{up}/{thing.place.folder}/{thing.id}"
    yield f"x/../{up}/{thing.place.folder}/{thing.id}"
    yield str(whole)
    yield f"{own}/{up}/{thing.place.folder}/{thing.id}"
    yield f"/proc/self/root{whole}"
    yield f"file://{whole}"
    yield f".chats/fake-{thing.place.chat}/{thing.id}"
    yield f"../fake-{thing.place.chat}/{thing.id}"
    yield f"../../{thing.place.agent}/workspace/{thing.id}"
    yield f"to_{thing.place.name}/{thing.id}"
    yield f"file_of_{thing.place.name}"
    yield f"to_root{whole}"
    yield f"{up}/{thing.place.folder}/{thing.id}".replace("..", "\uff0e\uff0e")
    yield f"{up}/{thing.place.folder}/{thing.id}".replace("/", "\\")


def place_links(world: World, actor: Place) -> None:
    """Put links into the folder of a place, as a shell there might have made them."""
    own = world.data / actor.folder
    links = {"to_root": "/"}
    for thing in world.things.values():
        if thing.kind == "file" and thing.place != actor:
            links[f"to_{thing.place.name}"] = str(world.data / thing.place.folder)
            links[f"file_of_{thing.place.name}"] = str(world.data / thing.place.folder / thing.id)
    for name, target in links.items():
        (own / name).symlink_to(target)


def attempts_by_commands(things: Sequence[Thing], actor: Place | None = None) -> Iterator[Attempt]:
    """Yield all commands about these things. In a group chat everybody may see and stop what works there."""
    for thing in things:
        is_shared = actor is not None and actor.chat == thing.place.chat
        for command, ways in COMMANDS.items():
            if thing.kind in ways and not (is_shared and command in FOR_ALL_THERE):
                for words in ways[thing.kind](thing):
                    yield Attempt(command, thing, text=f"{command} {words}".rstrip())
