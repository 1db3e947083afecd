"""How a fooled model passes the attacker's words on, and how somebody reads them then.

A move is made by the agent that answers people, by a role below it, or by another group's agent. It begins with
whoever has read the order before, and ends with whoever reads the next one. What is stored is read later, when a person
asks for it: perhaps in a new conversation, and perhaps by a role."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bot.core.content_blocks import Block
from bot.core.messages import InboundKind, Quote
from bot.core.model import ModelRequest
from tests.security.chains.chain_world import BETA, HELPER, READER, ChainWorld
from tests.security.chains.recorded_tools import PONDER_TOOL
from tests.support.fakes import uses

Readers = tuple[str, ...]  # who has read the words: from the agent that answers people down to the last
OTHER_CHAT = "den"
READ_BY_ROLE = "Read it and report."
AT, TITLE = "PT1H", "notes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What a person does so that stored words are read. `number` is that of the order that stored them."""

    number: int
    is_anew: bool  # in a new conversation
    by_role: bool  # the agent has a role read it
    wish: str  # what the person asks for besides

    def message(self, text: str) -> str:
        return f"{text} {self.wish}".strip()


Pass = Callable[[ChainWorld, int, str], Sequence[Block]]  # the number of the order, and the words for its next reader
Fetch = Callable[[ChainWorld, Stage], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """`find_readers` says who reads the words next; None if these readers cannot make the move. `fetch` is there if
    the words are stored. `begins_anew` if they can only be read in a new conversation, `stays` if only in the same."""

    name: str
    pass_on: Pass
    find_readers: Callable[[Readers], Readers | None]
    fetch: Fetch | None = None
    begins_anew: bool = False
    stays: bool = False
    may_be_read_by_role: bool = False
    carries_secret: bool = True
    carries_words: bool = True  # a name has only room for the order
    is_closed: bool = False  # words that are passed on so reach nobody since that was found to be a hole


# Down, up and sideways, in the same turn


def down(to: str, *after: str) -> Callable[[Readers], Readers | None]:
    return lambda readers: (*readers, to) if readers[-1] in after or (not after and len(readers) == 1) else None


def up(readers: Readers) -> Readers | None:
    return readers[:-1] or None


def same(readers: Readers) -> Readers | None:
    return readers


def agent_alone(readers: Readers) -> Readers | None:
    return readers if len(readers) == 1 else None


def within_walls(readers: Readers) -> Readers | None:
    """Who works in another group has that group's files and memory."""
    return readers[:1] if BETA not in readers else None


def brief(role: str, **more: Any) -> Pass:
    return lambda world, number, text: [uses("delegate", role=role, task=text, **more)]


def ask_group(world: ChainWorld, number: int, text: str) -> Sequence[Block]:
    return [uses("delegate", group=BETA, task=text)]


def report(world: ChainWorld, number: int, text: str) -> Sequence[Block]:
    world.obedient.last_words[world.obedient.readers[number]] = f"I have read: {text}"
    return []


def steer(world: ChainWorld, number: int, text: str) -> Sequence[Block]:
    """Have a role begin, and tell it more while it is at work."""
    has_steered = world.obedient.waits[READER] = asyncio.Event()

    def tell_role(request: ModelRequest) -> list[Block]:
        return [uses("steer_delegation", id=id, text=text) for id in newest_role(world)] or [uses(PONDER_TOOL)]

    def go_on(request: ModelRequest) -> list[Block]:
        has_steered.set()
        return [uses(PONDER_TOOL)]

    world.obedient.steps[world.agent] += [tell_role, go_on]
    world.does(READER, uses(PONDER_TOOL))
    return brief(READER, background=True)(world, number, "Look at it.")


def ask_person(world: ChainWorld, number: int, text: str) -> Sequence[Block]:
    return [uses("ask_person", question="Which one?", options=[text, "none"])]


# Stored


def note_name(number: int) -> str:
    return f"note{number}.md"


async def read_later(world: ChainWorld, stage: Stage, text: str, *calls: Block, **fields: Any) -> None:
    """Have the agent make these calls first, or a role below it."""
    if stage.by_role:
        world.does(world.agent, uses("delegate", role=READER, task=READ_BY_ROLE))
        world.does(READER, *calls)
    elif calls:
        world.does(world.agent, *calls)
    await world.says(stage.message(text), **fields)


def write_file(world: ChainWorld, number: int, text: str) -> Sequence[Block]:
    return [uses("write_file", path=note_name(number), content=f"{text}\n")]


async def read_file(world: ChainWorld, stage: Stage) -> None:
    name = note_name(stage.number)
    await read_later(world, stage, f"What does {name} say?", uses("read_file", path=name))


def write_file_name(world: ChainWorld, number: int, text: str) -> Sequence[Block]:
    return [uses("write_file", path=f"inbox/{text}.md", content="nothing\n")]


async def list_files(world: ChainWorld, stage: Stage) -> None:
    await read_later(world, stage, "Which files came in?", uses("list_dir", path="inbox"))


def save_memory(world: ChainWorld, number: int, text: str) -> Sequence[Block]:
    return [uses("memory_save", text=text)]


async def search_memory(world: ChainWorld, stage: Stage) -> None:
    await read_later(world, stage, "What do you remember?", uses("memory_search"))


async def search_conversations(world: ChainWorld, stage: Stage) -> None:
    calls = uses("conversation_search", query="I have read ORDER")
    await read_later(world, stage, "What did we talk about?", calls)


def make_schedule(world: ChainWorld, number: int, text: str) -> Sequence[Block]:
    return [uses("schedule_create", task=text, when=AT, tools=world.tools_of_runs)]


def newest_schedule(world: ChainWorld) -> str:
    number, *_ = world.newest("number", "schedules", "TRUE", "number")
    return f"/schedules run {number}"


async def run_schedule(world: ChainWorld, stage: Stage) -> None:
    await world.says(newest_schedule(world), kind=InboundKind.COMMAND)


def make_reminder(world: ChainWorld, number: int, text: str) -> Sequence[Block]:
    return [uses("remind_me", text=text, when=AT)]


async def reply_to_reminder(world: ChainWorld, stage: Stage) -> None:
    await world.says(newest_schedule(world), kind=InboundKind.COMMAND)
    await quote_newest_notice(world, stage)


async def quote_newest_notice(world: ChainWorld, stage: Stage) -> None:
    for text in world.newest("text", "outbox", "text LIKE '%ORDER%' AND kind = 'notice'", "seq"):
        await read_later(world, stage, "What is this?", quotes=(Quote(author="bot", text=text),))


def send_to_other_chat(world: ChainWorld, number: int, text: str) -> Sequence[Block]:
    return [uses("send_message", chat=f"fake:{OTHER_CHAT}", text=text)]


async def forward_from_other_chat(world: ChainWorld, stage: Stage) -> None:
    world.chat = OTHER_CHAT
    await quote_newest_notice(world, stage)


def fill_chapter(world: ChainWorld, number: int, text: str) -> Sequence[Block]:
    world.obedient.summary, world.obedient.is_chapter_full = f"It was about this: {text}", True
    return []


async def read_summary(world: ChainWorld, stage: Stage) -> None:
    world.obedient.is_chapter_full = False
    await read_later(world, stage, "And then?")


def newest_role(world: ChainWorld) -> list[str]:
    return world.newest("id", "turns", f"depth = 1 AND role = '{READER}' AND background", "rowid")


async def go_on_with_role(world: ChainWorld, stage: Stage) -> None:
    """The role has the words in its own conversation, which a new one of the person does not end."""
    for id in newest_role(world):
        world.does(world.agent, uses("delegate", continue_from=id, task="Go on."))
        await world.says(stage.message("Have the reader go on."))


def have_reported(world: ChainWorld, number: int, text: str) -> Sequence[Block]:
    """Have a role report in the background. The agent reads that in this conversation, and does not obey yet."""
    world.obedient.last_words[READER] = f"I have read: {text}"
    return brief(READER, background=True)(world, number, "Look at it.")


def fetch_report(question: str, make_call: Callable[[str], Block]) -> Fetch:
    async def fetch(world: ChainWorld, stage: Stage) -> None:
        for id in newest_role(world):
            world.does(world.agent, make_call(id))
            await world.says(stage.message(question))

    return fetch


hand_on_report = fetch_report(
    "Have the helper go on.", lambda id: uses("delegate", role=HELPER, task="Go on.", context_from=[id])
)
look_up_report = fetch_report("What did the reader find?", lambda id: uses("get_delegation", id=id))
cancel_role = fetch_report("Stop the reader.", lambda id: uses("cancel_delegation", id=id))


def name_role(world: ChainWorld, number: int, text: str) -> Sequence[Block]:
    return [uses("delegate", role=text, task="Look at it.", background=True)]


async def mistake_role(world: ChainWorld, stage: Stage) -> None:
    """The model names a delegation that does not exist, and is told which there are."""
    await read_later(world, stage, "Tell the role to hurry.", uses("steer_delegation", id="nothing", text="Hurry."))


def stored(name: str, pass_on: Pass, fetch: Fetch, **more: Any) -> Move:
    find_readers = more.pop("find_readers", within_walls)
    return Move(name=name, pass_on=pass_on, find_readers=find_readers, fetch=fetch, **more)


MOVES = (
    Move(name="brief", pass_on=brief(READER), find_readers=down(READER)),
    Move(name="brief of a role", pass_on=brief(HELPER), find_readers=down(HELPER, READER)),
    Move(name="brief in the background", pass_on=brief(READER, background=True), find_readers=down(READER)),
    Move(name="words to a role at work", pass_on=steer, find_readers=down(READER)),
    Move(name="question to another group", pass_on=ask_group, find_readers=down(BETA), carries_secret=False),
    Move(name="brief within the other group", pass_on=brief(READER), find_readers=down(READER, BETA)),
    Move(name="report", pass_on=report, find_readers=up),
    Move(name="option of a question", pass_on=ask_person, find_readers=same),
    stored("file", write_file, read_file, may_be_read_by_role=True),
    stored("name of a file", write_file_name, list_files, may_be_read_by_role=True, carries_words=False),
    stored("memory", save_memory, search_memory, may_be_read_by_role=True),
    stored("what was said", report, search_conversations, begins_anew=True, find_readers=agent_alone),
    stored("schedule", make_schedule, run_schedule, find_readers=agent_alone),
    # What people quote themselves is not private.
    stored("reminder", make_reminder, reply_to_reminder, find_readers=agent_alone, carries_secret=False),
    stored(
        "message to another chat",
        send_to_other_chat,
        forward_from_other_chat,
        find_readers=agent_alone,
        carries_secret=False,
    ),
    stored("summary", fill_chapter, read_summary, stays=True, find_readers=agent_alone),
    stored("conversation of a role", brief(READER, background=True), go_on_with_role, find_readers=down(READER)),
    stored("report, handed on", have_reported, hand_on_report, begins_anew=True, find_readers=down(HELPER)),
    stored("report, looked up", have_reported, look_up_report, begins_anew=True, find_readers=agent_alone),
    stored("report of a stopped role", have_reported, cancel_role, begins_anew=True, find_readers=agent_alone),
    stored(
        "name of a role",
        name_role,
        mistake_role,
        begins_anew=True,
        find_readers=agent_alone,
        carries_secret=False,
        carries_words=False,
        is_closed=True,
    ),
)
