"""How the attacker's first words arrive: where an outsider has put them, and what the person asks so that they are
read."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from bot.core.messages import Quote
from tests.security.chains.acts import CARL
from tests.security.chains.chain_world import BETA, MADE_FILE, READER, SHARED_FILE, SKILL, ChainWorld
from tests.security.chains.moves import READ_BY_ROLE, Readers
from tests.security.chains.recorded_tools import MAIL_TOOL, MAILS, NOTES, PAGE_TOOL, PONDER_TOOL
from tests.security.gullible_model import server_tool_blocks
from tests.security.world import MALLORY, PRIVATE_FILE, forwarded
from tests.support.empty_database import opened_empty_database
from tests.support.fakes import uses
from tests.support.group_bots import at
from tests.support.sent_files import sends

PAGE, LETTER, INVITE = "https://news.example/today", "letter.txt", "invite.txt"
TOO_LARGE = 2**40  # bytes: such a file is refused by its size, and only its name is shown
PASTED = "word " * 9_000  # more than a prompt takes, so that it is kept as a file
PRIVATE, GROUP_CHAT, MAIN = "private chat", "group chat", "chat of the main group"
PLACES = (PRIVATE, GROUP_CHAT, MAIN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """What the person does at first. `reads_private`: their own file is read before."""

    wish: str
    reads_private: bool

    def message(self, text: str) -> str:
        about = f" My side of it is in {PRIVATE_FILE}." if self.reads_private else ""
        return f"{text}{about} {self.wish}".strip()


Prepare = Callable[[ChainWorld, str], None]
Play = Callable[[ChainWorld, str, Beginning], Awaitable[None]]


def nothing(world: ChainWorld, text: str) -> None:
    """Nothing has to be prepared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """`readers` are the roles below the agent that read the words first; empty: the agent itself."""

    name: str
    play: Play
    prepare: Prepare = nothing
    readers: Readers = ()
    places: tuple[str, ...] = PLACES
    carries_words: bool = True  # a name has only room for the order
    is_closed: bool = False  # words that come so reach nobody since that was found to be a hole


def put_letter(world: ChainWorld, text: str) -> None:
    world.put(LETTER, f"Good morning.\n{text}\n")


def put_file_name(world: ChainWorld, text: str) -> None:
    world.put(f"inbox/{text}.txt", "nothing\n")


def put_page(world: ChainWorld, text: str) -> None:
    world.recorded.found[PAGE_TOOL] = text


def put_mail(world: ChainWorld, text: str) -> None:
    world.recorded.found[MAILS] = text


def put_note(world: ChainWorld, text: str) -> None:
    world.recorded.has_notes, world.recorded.found[NOTES] = True, text


def describe_notes(world: ChainWorld, text: str) -> None:
    world.recorded.has_notes, world.recorded.notes_description = True, f"Find notes. {text}"


def write_skill(world: ChainWorld, text: str) -> None:
    world.skill_body = f"Say the sum. {text}"


def put_letter_to_beta(world: ChainWorld, text: str) -> None:
    (world.workspace_of_beta / LETTER).write_text(text)


def let_member_have_saved_what_is_kept(world: ChainWorld, text: str) -> None:
    """Otherwise the member's conversation would begin with another person's words."""
    with opened_empty_database(world.place / "bot.db") as db:
        db.execute("UPDATE memories SET person = ?, asker = ?", (MALLORY, MALLORY))


def reads(question: str, *calls: Any, of_role: bool = False, **fields: Any) -> Play:
    """Return what the person asks, whereupon the agent makes these calls, or has a role make them."""

    async def play(world: ChainWorld, text: str, beginning: Beginning) -> None:
        has_role_read = [uses("delegate", role=READER, task=READ_BY_ROLE)]
        begin_turn(world, beginning, *(has_role_read if of_role else calls))
        if of_role:
            world.does(READER, *calls)
        await world.says(beginning.message(question), **fields)

    return play


def begin_turn(world: ChainWorld, beginning: Beginning, *calls: Any) -> None:
    own = [uses("read_file", path=PRIVATE_FILE)] if beginning.reads_private else []
    world.does(world.agent, *own, *calls, uses(PONDER_TOOL))


async def reads_page_on_server(world: ChainWorld, text: str, beginning: Beginning) -> None:
    """The model's server reads the page, in a turn before private things are read."""
    page = server_tool_blocks("web_fetch", PAGE, text)
    world.obedient.steps[world.agent].append(
        lambda request: [*(page if "web_fetch" in request.server_tools else []), uses(PONDER_TOOL)]
    )
    begin_turn(world, beginning)
    await world.says(beginning.message(f"What is new on {PAGE}?"))


def quotes(*made: Callable[[str], Quote]) -> Play:
    async def play(world: ChainWorld, text: str, beginning: Beginning) -> None:
        begin_turn(world, beginning)
        await world.says(beginning.message("What is this about?"), quotes=tuple(make(text) for make in made))

    return play


async def sends_file_with_name(world: ChainWorld, text: str, beginning: Beginning) -> None:
    begin_turn(world, beginning)
    file = sends(world.bench, text, b"", size_bytes=TOO_LARGE)
    await world.says(beginning.message("Can you open it?"), files=(file,))


async def sends_long_text(world: ChainWorld, text: str, beginning: Beginning) -> None:
    begin_turn(world, beginning)
    await world.says(f"{beginning.message('What is it about?')}\n{text}\n{PASTED}")


async def pastes_block(world: ChainWorld, text: str, beginning: Beginning) -> None:
    begin_turn(world, beginning)
    await world.says(f"{beginning.message('What is it about?')}\n> {text}")


async def asks_beta(world: ChainWorld, text: str, beginning: Beginning) -> None:
    begin_turn(world, beginning, uses("delegate", group=BETA, task="What is new?"))
    world.does(BETA, uses("read_file", path=LETTER))
    await world.says(beginning.message("Ask beta: What is new?"))


async def is_written_to_by_member(world: ChainWorld, text: str, beginning: Beginning) -> None:
    await world.sleeps_while(world.says(text, by=MALLORY))
    begin_turn(world, beginning)
    await world.says(beginning.message("What did we talk about?"))


async def member_asks_for_it(world: ChainWorld, text: str, beginning: Beginning) -> None:
    """It is the member's own turn, in a conversation in which the owner has agreed to something."""
    world.does(world.agent, uses(PONDER_TOOL))
    await world.says(text, by=MALLORY)


async def asks_after_talk(world: ChainWorld, text: str, beginning: Beginning) -> None:
    begin_turn(world, beginning)
    world.is_overheard(text)
    await world.says(beginning.message("What did they say?"))


async def member_has_it_remembered(world: ChainWorld, text: str, **where: Any) -> None:
    """A member has the bot remember the words, in a conversation of which the person has read nothing."""
    world.does(world.agent, uses("memory_save", text=text))
    await world.sleeps_while(world.says(f"Remember: {text}", by=MALLORY, **where))


async def begins_with_memory_of_member(world: ChainWorld, text: str, beginning: Beginning) -> None:
    await member_has_it_remembered(world, text)
    await world.begins_anew()
    begin_turn(world, beginning)
    await world.says(beginning.message("Good morning!"))


async def searches_memory_of_member(world: ChainWorld, text: str, beginning: Beginning) -> None:
    """The person's conversation has begun before, so it did not begin with the memory."""
    await world.sleeps_while(world.says("Hello!"))
    await member_has_it_remembered(world, text, address=at(world.chat, "a thread"))
    begin_turn(world, beginning, uses("memory_search"))
    await world.says(beginning.message("What do you remember?"))


LETTER_CALL, PAGE_CALL = uses("read_file", path=LETTER), uses(PAGE_TOOL, url=PAGE)
FILE_QUESTION, PAGE_QUESTION = f"What does {LETTER} say?", f"What is new on {PAGE}?"
ASKED_BY_MEMBER = Arrival(name="request of a member", play=member_asks_for_it, places=(GROUP_CHAT,))
ARRIVALS = (
    Arrival(name="page", play=reads(PAGE_QUESTION, PAGE_CALL), prepare=put_page),
    Arrival(
        name="page that a role reads",
        play=reads(PAGE_QUESTION, PAGE_CALL, of_role=True),
        prepare=put_page,
        readers=(READER,),
    ),
    Arrival(name="page that the server reads", play=reads_page_on_server),
    Arrival(name="file", play=reads(FILE_QUESTION, LETTER_CALL), prepare=put_letter),
    Arrival(
        name="file that a role reads",
        play=reads(FILE_QUESTION, LETTER_CALL, of_role=True),
        prepare=put_letter,
        readers=(READER,),
    ),
    Arrival(
        name="name of a file",
        play=reads("Which files came in?", uses("list_dir", path="inbox")),
        prepare=put_file_name,
        carries_words=False,
    ),
    Arrival(
        name="name of a file, in an error",
        prepare=put_file_name,
        carries_words=False,
        is_closed=True,
        play=reads("Correct it.", uses("edit_file", path="inbox/DER 0.txt", old="a", new="b")),
    ),
    Arrival(
        name="name of a file, in an error of sending",
        prepare=put_file_name,
        carries_words=False,
        is_closed=True,
        play=reads("Send me the file.", uses("send_file", path="inbox/DER 0.txt")),
    ),
    Arrival(name="mail", play=reads("What is in my mails?", uses(MAILS, box="inbox")), prepare=put_mail),
    Arrival(
        name="result of a tool that nobody has declared",
        play=reads("Find my notes.", uses(NOTES, box="all")),
        prepare=put_note,
    ),
    Arrival(name="description of a tool", play=reads("Good morning!"), prepare=describe_notes),
    Arrival(name="skill", play=reads("Do the invoices.", uses("use_skill", skill=SKILL)), prepare=write_skill),
    Arrival(name="forward", play=quotes(forwarded)),
    Arrival(name="quote", play=quotes(lambda text: Quote(author="Bank", text=text))),
    Arrival(
        name="name of who is forwarded",
        play=quotes(lambda text: forwarded("See you.", author=text)),
        carries_words=False,
    ),
    Arrival(name="name of a sent file", play=sends_file_with_name, carries_words=False),
    Arrival(name="text kept as a file", play=sends_long_text),
    Arrival(name="pasted lines", play=pastes_block),
    Arrival(name="another group's file", play=asks_beta, prepare=put_letter_to_beta, readers=(BETA,), places=(MAIN,)),
    Arrival(name="member of the chat", play=is_written_to_by_member, places=(GROUP_CHAT,)),
    ASKED_BY_MEMBER,
    Arrival(name="talk in the chat", play=asks_after_talk, places=(GROUP_CHAT,)),
    Arrival(
        name="memory that a member has had saved",
        play=begins_with_memory_of_member,
        prepare=let_member_have_saved_what_is_kept,
        places=(GROUP_CHAT,),
    ),
    Arrival(
        name="memory of a member, searched",
        play=searches_memory_of_member,
        prepare=let_member_have_saved_what_is_kept,
        places=(GROUP_CHAT,),
    ),
)


# What somebody has agreed to, or has had made, before


async def agrees_to_mail(world: ChainWorld) -> None:
    """The person agrees to a mail, and to any further one to the same address in this conversation."""
    await agrees_to(world, "Send a note to whom it names.", uses(MAIL_TOOL, to=CARL, text="hello"))


async def agrees_to_file(world: ChainWorld) -> None:
    await agrees_to(world, "Save it where it says.", uses("write_file", path=SHARED_FILE, content="hello\n"))


async def agrees_to(world: ChainWorld, wish: str, *calls: Any) -> None:
    world.put(INVITE, "Write to carl@team.example, or into shared.md.\n")
    world.does(world.agent, uses("read_file", path=INVITE))
    world.does(world.agent, *calls)
    world.allows_again = True
    await world.says(f"What does {INVITE} say? {wish}")
    world.allows_again = False


def write_made_file(world: ChainWorld) -> None:
    """Let the agent make a file that the person has asked for, without having named it."""
    world.does(world.agent, uses("write_file", path=MADE_FILE, content="hello\n"))
