"""Two groups and two people: what one group has, nobody else reads, finds, changes or goes on with."""

import shutil
import threading
from collections.abc import Callable
from contextlib import suppress
from itertools import cycle
from pathlib import Path

import pytest

from bot.config.roles import EXISTING_TOOLS
from bot.core.group import Groups
from bot.core.messages import ChatMovedEvent, MessageId, OutboundKind
from bot.core.model import ModelReply
from bot.core.reply_plan import SEND_MESSAGE_TOOL_NAME
from bot.tools import texts, web
from bot.tools.schedules import SCHEDULE_TOOL_NAMES
from bot.tools.skills import SKILL_TOOL_NAMES
from tests.support.bench import Bench
from tests.support.fakes import Pause, reply, uses
from tests.support.group_bots import Registry, group
from tests.support.intrusions import attempts
from tests.support.walled_groups import FILE, PEOPLE, World, echo, secret

Change = Callable[[World], tuple[Groups, str, str]]  # the groups then; who looks, and in which chat
PLACES = ["alpha", "a role of alpha", "a hop of alpha", "a role of a hop of alpha", "lead", "a role of lead", "home"]
ATTEMPTS = 200  # at least, from each place
# Tools that read nothing of a group: they ask people and the web, know what their person has planned, read what the
# operator wrote, and write to other chats (tests/outgoing/test_other_chats.py).
NO_WAY = {"message", "ask_person", SEND_MESSAGE_TOOL_NAME, *web.WEB_TOOL_NAMES, *SCHEDULE_TOOL_NAMES, *SKILL_TOOL_NAMES}


@pytest.fixture
def world(bench: Bench, tmp_path: Path) -> World:
    bench.chat.length = 10**9  # so that each reply is one part
    return World(bench, tmp_path)


@pytest.mark.fast(cases=1)
@pytest.mark.parametrize(("place", "by"), list(zip(PLACES, cycle(PEOPLE), strict=False)))
async def test_no_attempt_from_anywhere_gets_at_another_groups_own(world: World, place: str, by: str) -> None:
    async with world.bench.run(**world.options):
        await world.plant("beta", "Bob")
        await world.plant("alpha", "Ann")
        before, rows = world.files("beta"), world.rows("beta")
        tried = list(attempts(world, "beta", by_main=place == "home"))
        assert len(tried) >= ATTEMPTS
        assert {call["name"] for call in tried} == EXISTING_TOOLS - NO_WAY
        await world.attacks(place, by, tried)
        assert world.bench.rows("SELECT key FROM outbox WHERE files != '[]'") == []
        assert world.files("beta") == before
        assert world.rows("beta") == rows
        world.hides("beta")
        if place in ("lead", "a role of lead", "home"):
            world.hides("alpha")


async def test_a_group_itself_finds_all_of_it(world: World) -> None:
    """What the attempts above look for is there, and can be found in the same ways."""
    async with world.bench.run(**world.options):
        await world.plant("beta", "Bob")
        ids = [id for (id,) in world.bench.rows("SELECT id FROM turns WHERE parent_group = 'beta' AND role != 'beta'")]
        calls = [
            uses("read_file", path=FILE),
            uses("read_file", path=".env"),
            uses("list_dir", path="plans"),
            uses("grep", pattern="SECRET[A-Z]+long"),
            uses("memory_search", query="vault"),
            uses("list_delegations"),
            *(uses("get_delegation", id=id, transcript=True) for id in ids),
        ]
        world.bench.model.says("beta", reply(*calls), echo)
        said = await world.says("what is there?", "Bob", "beta")
    wheres = ("file", "hidden", "name", "memory", "task", "report", "reply", "said", "noted", "long", "background")
    assert [where for where in wheres if secret("beta", where) not in said] == []
    assert secret("beta", "innermost") not in said  # that was another conversation, below a question of home's


def reregistered(world: World) -> tuple[Groups, str, str]:
    return Registry(world.homes, world.group("alpha", "beta"), world.group("beta", "else")).groups, "alpha", "beta"


def removed(world: World) -> tuple[Groups, str, str]:
    return Registry(world.homes, world.group("alpha")).groups, "lead", "beta"


def none_left(world: World) -> tuple[Groups, str, str]:
    return Registry().groups, "lead", "beta"


def moved(world: World) -> tuple[Groups, str, str]:
    world.bench.chat.incoming.put_nowait(ChatMovedEvent(id=MessageId("moved"), channel="fake", old="beta", new="super"))
    return Registry(world.homes, world.group("alpha", "super"), world.group("beta")).groups, "alpha", "super"


def moved_and_left(world: World) -> tuple[Groups, str, str]:
    world.bench.chat.incoming.put_nowait(ChatMovedEvent(id=MessageId("moved"), channel="fake", old="beta", new="super"))
    return Registry(world.homes, world.group("alpha")).groups, "lead", "super"


def in_another_case(world: World) -> tuple[Groups, str, str]:
    return Registry(world.homes, world.group("alpha"), world.group("beta", called="Beta")).groups, "alpha", "alpha"


def under_another_name(world: World) -> tuple[Groups, str, str]:
    """Its chat and its folder are another group's now."""
    called = world.group("alpha", "beta", called="gamma")
    return Registry(world.homes, world.group("alpha", "else"), called).groups, "gamma", "beta"


CHANGES = [reregistered, removed, none_left, moved, moved_and_left, in_another_case, under_another_name]


@pytest.mark.fast(cases=1)
@pytest.mark.parametrize(("change", "by"), list(zip(CHANGES, cycle(PEOPLE), strict=False)))
async def test_no_change_of_the_groups_opens_what_another_has(world: World, change: Change, by: str) -> None:
    async with world.bench.run(**world.options):
        await world.plant("beta", "Bob")
        last = world.last_said()
        world.registry.groups, who, chat = change(world)
        await world.bench.chat.is_taken_in()
        before, rows = world.files("beta"), world.rows("beta")
        tried = list(attempts(world, "beta"))
        await world.attacks(who, by, tried, chat)
        assert world.files("beta") == before
        assert world.rows("beta") == rows
        world.hides("beta", last)


async def test_a_new_conversation_and_a_new_chapter_hold_nothing_of_anothers(world: World) -> None:
    async with world.bench.run(**world.options):
        await world.plant("beta", "Bob")
        await world.plant("alpha", "Ann")
        before = world.files("beta")
        world.bench.chat.hears("/new", by="Ann", chat="alpha")
        await world.bench.chat.said(OutboundKind.NOTICE)
        await world.attacks("alpha", "Ann", list(attempts(world, "beta")))
        told_of_more = world.group("alpha", may_ask=["home", "else"])
        world.registry.groups = Registry(world.homes, told_of_more, world.group("beta"), group("else")).groups
        world.bench.model.says("alpha", "a summary of it")  # since it is told of a group more
        await world.attacks("alpha", "Bob", list(attempts(world, "beta")))
        assert world.files("beta") == before
        world.hides("beta")
        hop = "SELECT count(DISTINCT chapter) FROM entries WHERE session LIKE 'fake:alpha%'"
        assert world.bench.rows(hop) == [(2,)]


async def test_a_turn_whose_group_is_taken_away_has_no_files_any_more(world: World) -> None:
    async def is_gone() -> ModelReply:
        world.registry.groups = Registry(world.homes).groups
        return reply(*(uses(name, **arguments) for name, arguments in OWN.items()))

    before = world.files("alpha")
    world.bench.model.says("alpha", is_gone, echo)
    async with world.bench.run(**world.options):
        said = await world.says("look", "Ann", "alpha")
    assert said.count(texts.GROUP_OUT_OF_ORDER(group="alpha")) == len(OWN)
    assert world.files("alpha") == before


OWN: dict[str, dict[str, str]] = {
    "read_file": {"path": FILE},
    "list_dir": {"path": "."},
    "glob": {"pattern": "**"},
    "grep": {"pattern": "vault"},
    "write_file": {"path": FILE, "content": "overwritten"},
    "edit_file": {"path": FILE, "old": "vault", "new": "overwritten"},
}


async def test_a_workspace_linked_by_the_operator_is_the_folder_behind_the_link(world: World) -> None:
    notes, workspace = world.place / "notes", world.place / "groups" / "linked" / "workspace"
    notes.mkdir()
    (notes / "today.md").write_text("rain")
    workspace.parent.mkdir()
    workspace.symlink_to(notes)
    world.registry.groups = Registry(group("linked", tools=(), workspace=workspace)).groups
    calls = uses("read_file", path="today.md"), uses("write_file", path="to/do.md", content="umbrella")
    out = (
        uses("read_file", path="../groups/beta/workspace/" + FILE),
        uses("read_file", path=str(world.folder("beta") / FILE)),
    )
    world.bench.model.says("linked", reply(*calls, *out), echo)
    async with world.bench.run(**world.options):
        said = await world.says("look", "Ann", "linked")
    assert "rain" in said
    assert (notes / "to" / "do.md").read_text() == "umbrella"
    assert [said.count(texts.PATH_ERRORS["EXDEV"](path=each["input"]["path"])) for each in out] == [1, 1]
    assert secret("beta", "file") not in said


async def test_a_folder_swapped_for_a_link_while_it_is_read_leads_nowhere(world: World) -> None:
    """As a program at work in one workspace might, in a race with the tools."""
    flip, over = world.folder("alpha") / "flip", threading.Event()

    def swap() -> None:
        while not over.is_set():
            with suppress(OSError):  # what a tool has just made or written there
                flip.symlink_to(world.folder("beta") / "plans")
            with suppress(OSError):
                flip.unlink()
            with suppress(OSError):
                flip.mkdir()
            shutil.rmtree(flip, ignore_errors=True)

    calls = [uses("read_file", path="flip/vault.txt"), uses("list_dir", path="flip"), uses("glob", pattern="flip/**")]
    calls += [
        uses("write_file", path="flip/vault.txt", content="overwritten"),
        uses("grep", pattern="vault", path="flip"),
    ]
    before = world.files("beta")
    world.bench.model.says("alpha", reply(*calls * 40), echo)
    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        async with world.bench.run(**world.options):
            await world.says("look", "Ann", "alpha")
    finally:
        over.set()
        swapping.join()
    assert world.files("beta") == before
    world.hides("beta")


async def test_words_in_a_chat_that_changed_hands_are_hidden_from_the_old_agent(world: World) -> None:
    pause = Pause(reply(uses("list_dir", path=".")))
    world.bench.model.says("alpha", pause, echo)
    world.bench.model.says("beta", echo)
    async with world.bench.run(**world.options):
        world.bench.chat.hears("go", chat="alpha")
        await pause.reached.wait()
        world.registry.groups = Registry(world.group("alpha", "else"), world.group("beta", "alpha")).groups
        world.bench.chat.hears(f"the vault: {secret('beta', 'said')}", chat="alpha")
        await world.bench.chat.is_taken_in()
        pause.go_on.set()
        assert secret("beta", "said") not in await world.bench.chat.said(OutboundKind.REPLY)
        assert secret("beta", "said") in await world.bench.chat.said(OutboundKind.REPLY)
    assert len(world.bench.model.asked("beta")) == 1
