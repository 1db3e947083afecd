"""Whose a memory is: what one person, chat or group has, no other turn finds, reads, forgets or is told."""

from collections.abc import Mapping
from typing import Any

import pytest

from bot.core.messages import Address, OutboundKind, Quote
from bot.core.scope_kinds import ScopeKind
from bot.core.texts import model
from bot.journal.memory import MAX_DIGEST_MEMORIES
from tests.support.bench import Bench
from tests.support.fakes import reply, uses
from tests.support.group_bots import Registry, group
from tests.support.memory_bot import ROLES, digest, forget, get, saves, says, search
from tests.support.troubles import Clock

WORD = "walnut"  # in every memory here
Place = Mapping[str, Any]  # who writes, and where
PLACES: Mapping[str, Place] = {
    "Ann in private": {"by": "Ann", "chat": "ann"},
    "Ann in another private chat": {"by": "Ann", "chat": "ann2"},
    "Bob in private": {"by": "Bob", "chat": "bob"},
    "Ann in a hall": {"by": "Ann", "chat": "hall", "group_chat": "-5"},
    "Bob in the hall": {"by": "Bob", "chat": "hall", "group_chat": "-5"},
    "Ann in a thread of the hall": {
        "by": "Ann",
        "address": Address(channel="fake", chat="hall", thread="7"),
        "group_chat": "-5",
    },
    "Ann in a yard": {"by": "Ann", "chat": "yard", "group_chat": "-6"},
    "the owner in private": {"by": "Owner", "chat": "owner"},
    "the owner in the hall": {"by": "Owner", "chat": "hall", "group_chat": "-5"},
    "Ann with a group": {"by": "Ann", "chat": "alpha"},
    "Bob with the group": {"by": "Bob", "chat": "alpha"},
    "Ann with another group": {"by": "Ann", "chat": "beta"},
}
HALL = {"Ann in a hall", "Bob in the hall", "Ann in a thread of the hall", "the owner in the hall"}
ALPHA = {"Ann with a group", "Bob with the group"}
# Where a memory is saved, in which scope, and where it may be seen then
SAVED = [
    ("Ann in private", None, {"Ann in private", "Ann in another private chat"}),
    ("Ann in private", "person", {"Ann in private", "Ann in another private chat"}),
    ("Ann in private", "chat", {"Ann in private"}),
    ("Bob in private", None, {"Bob in private"}),
    ("Ann in a hall", None, HALL),
    ("Bob in the hall", "chat", HALL),
    ("the owner in private", None, {"the owner in private"}),
    ("the owner in private", "tenant", set(PLACES)),
    ("the owner in the hall", None, HALL),
    ("Ann with a group", None, ALPHA),
    ("Ann with another group", None, {"Ann with another group"}),
]


@pytest.fixture
def minded(bench: Bench) -> Bench:
    bench.roles = dict(ROLES)
    return bench


def options() -> dict[str, Any]:
    tools = ("memory_save", "memory_search", "memory_get", "memory_forget")
    return {"groups": Registry(group("alpha", tools=tools), group("beta", tools=tools))}


def save_as(scope: str | None, text: str = f"the {WORD}") -> Any:
    return uses("memory_save", text=text, **({"scope": scope} if scope else {}))


async def hears(bench: Bench, place: str, *calls: Any) -> list[str]:
    """Let the agent of a place make these calls. Return their results."""
    where = PLACES[place]
    agent = where.get("chat") if "group" in place else "lead"
    bench.model.says(agent or "lead", reply(*calls), "done")
    bench.chat.hears("go", **where)
    assert await bench.chat.said(OutboundKind.REPLY) == "done"
    [*results] = bench.model.seen[-1].transcript[-1].content
    return [str(result["content"]) for result in results]


async def is_seen(bench: Bench, clock: Clock, place: str) -> list[bool]:
    """Return in which ways the memory is seen in a place: found, newest, by its number, told, and by `/memory`."""
    clock.passes(minutes=2)  # in a group chat the same command is answered once a minute
    where = PLACES[place]
    agent = str(where.get("chat")) if "group" in place else "lead"
    bench.chat.hears("/new", **where)
    await bench.chat.said(OutboundKind.NOTICE)
    found, newest, whole = await hears(bench, place, search(WORD), search(), get(1))
    told = str(bench.model.asked(agent)[-1].transcript[0].content)
    bench.chat.hears("/memory", **where)
    shown = await bench.chat.said(OutboundKind.NOTICE)
    bench.chat.hears(f"/memory search {WORD}", **where)
    sought = (await bench.chat.said(OutboundKind.NOTICE)).replace(f"“{WORD}”", "")
    bench.chat.hears("/memory export", **where)
    exported = await bench.chat.said(OutboundKind.NOTICE)
    texts = (found, newest, whole, told, shown, sought, exported)
    return [WORD in text.replace(f"words: {WORD}", "") for text in texts]


@pytest.mark.parametrize(("saved_at", "scope", "seen_at"), SAVED)
async def test_a_memory_is_seen_where_its_owner_is_and_nowhere_else(
    minded: Bench, saved_at: str, scope: str | None, seen_at: set[str]
) -> None:
    clock = Clock()
    async with minded.run(now=clock, **options()):
        await hears(minded, saved_at, save_as(scope))
        for place in PLACES:
            ways = await is_seen(minded, clock, place)
            assert ways == [place in seen_at] * len(ways), place
            if place not in seen_at:
                [said] = await hears(minded, place, forget(1))
                assert said == model.NO_SUCH_MEMORY_HERE(number=1)
    assert minded.count("memories") == 1


@pytest.mark.parametrize(
    ("place", "scope", "why"),
    [
        ("Ann in a hall", "person", model.PERSONAL_ONLY_IN_PRIVATE),
        ("Ann in private", "tenant", model.ONLY_OWNER_REMEMBERS_FOR_EVERYBODY),
        ("the owner in the hall", "tenant", model.ONLY_OWNER_REMEMBERS_FOR_EVERYBODY),
        ("Ann with a group", "person", model.GROUP_REMEMBERS_FOR_ITSELF),
        ("Ann with a group", "chat", model.GROUP_REMEMBERS_FOR_ITSELF),
    ],
)
async def test_a_scope_that_is_not_the_turns_is_refused(minded: Bench, place: str, scope: str, why: str) -> None:
    async with minded.run(**options()):
        assert await hears(minded, place, save_as(scope)) == [why]
    assert minded.count("memories") == 0


async def test_only_the_owner_in_private_forgets_what_is_everybodys(minded: Bench) -> None:
    async with minded.run(**options()):
        await hears(minded, "the owner in private", save_as("tenant"))
        for place in ("Ann in private", "the owner in the hall", "Ann with a group"):
            assert await hears(minded, place, forget(1)) == [model.MEMORY_IS_EVERYBODYS(number=1)]
        assert await hears(minded, "the owner in private", forget(1)) == [model.MEMORY_FORGOTTEN(number=1)]


async def test_an_account_linked_with_the_owners_changes_what_is_everybodys(minded: Bench) -> None:
    async with minded.run(**options()):
        minded.chat.hears("/link", **PLACES["the owner in private"])
        code = (await minded.chat.said(OutboundKind.NOTICE)).split("/link ")[1].split()[0]
        minded.chat.hears(f"/link {code}", **PLACES["Bob in private"])
        assert {(await minded.chat.part(OutboundKind.NOTICE)).message.address.chat for _ in range(2)} == {
            "owner",
            "bob",
        }
        [said] = await hears(minded, "Bob in private", save_as("tenant"))
        assert model.WHOSE_MEMORY[ScopeKind.TENANT] in said
        assert await hears(minded, "Bob in the hall", forget(1)) == [model.MEMORY_IS_EVERYBODYS(number=1)]
        assert await hears(minded, "Bob in private", forget(1)) == [model.MEMORY_FORGOTTEN(number=1)]


async def test_a_role_sees_and_saves_for_the_person_it_works_for(minded: Bench) -> None:
    minded.model.says("researcher", reply(save_as(None), search(WORD)), "noted")
    async with minded.run():
        await says(minded, reply(uses("delegate", role="researcher", task="x")), by="Ann", chat="ann")
    assert minded.select("chat, role, delegation", "memories") == [("@fake:Ann", "researcher", "t1/2/0")]
    assert WORD in minded.model.heard("researcher")[1]


async def test_a_report_in_a_group_chat_opens_no_private_turn(minded: Bench) -> None:
    begun = reply(uses("delegate", role="researcher", task="x", background=True))
    minded.model.says("researcher", "found")
    async with minded.run():
        await says(minded, saves(f"the {WORD}"), by="Ann", chat="ann")
        minded.model.says("lead", begun, "begun", reply(search(WORD)), "reported")
        minded.chat.hears("go", by="Ann", chat="hall", group_chat="-5")
        assert {await minded.chat.said(OutboundKind.REPLY) for _ in range(2)} == {"begun", "reported"}
    assert minded.select("is_private", "turns", "address = 'fake:hall'") == [(0,)] * 3
    assert WORD not in str(minded.model.heard("lead")).replace(f"words: {WORD}", "")


async def test_everybodys_memories_come_first_and_leave_room_for_others(minded: Bench) -> None:
    async with minded.run():
        await says(minded, reply(*(save_as("tenant", f"rule {n}") for n in range(5))), by="Owner", chat="owner")
        await says(minded, saves(*(f"fact {n}" for n in range(9))), by="Ann", chat="ann")
        told = await digest(minded, by="Ann", chat="ann")
    lines = [line.rpartition(": ")[2] for line in told.splitlines() if " (20" in line]
    assert lines == ["rule 4", "rule 3", "rule 2", *(f"fact {n}" for n in (8, 7, 6, 5, 4))]
    assert len(lines) == MAX_DIGEST_MEMORIES
    assert model.MEMORIES_HERE_AND_MORE in told


async def test_an_unconfirmed_memory_of_everybody_reaches_nobody(minded: Bench) -> None:
    quotes = (Quote(author="Eve", text="remember that"),)
    owner, clock = {"by": "Owner", "chat": "owner"}, Clock()
    async with minded.run(now=clock):
        await says(minded, reply(save_as("tenant")), **owner, quotes=quotes)
        for place in ("Ann in private", "Ann in a hall", "the owner in private"):
            assert not any((await is_seen(minded, clock, place))[:4]), place
        minded.chat.hears("/memory", **PLACES["Ann in private"])
        assert WORD not in await minded.chat.said(OutboundKind.NOTICE)
        minded.chat.hears("/memory keep 1", **PLACES["Ann in private"])
        await minded.chat.said(OutboundKind.NOTICE)
        assert minded.select("is_confirmed", "memories") == [(0,)]
        minded.chat.hears("/memory", **owner)
        assert WORD in await minded.chat.said(OutboundKind.NOTICE)
        minded.chat.hears("/memory keep 1", **owner)
        await minded.chat.said(OutboundKind.NOTICE)
        assert all(await is_seen(minded, clock, "Ann in a hall"))
