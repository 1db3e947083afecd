"""Links in what the bot says: once private things and words of others have met, only those that somebody has shown."""

import asyncio
from pathlib import Path

import pytest

from bot.assembly import make_workspace_and_web_tools
from bot.core.content_blocks import Block
from bot.core.messages import InboundKind, OutboundKind
from bot.core.role import LEAD_ROLE_NAME
from bot.core.texts import people, people_holds
from tests.approvals.conftest import RunBot
from tests.delivery.test_exits import see_drafts_until
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import reply, role, uses
from tests.support.mailing import Post
from tests.support.writing_model import Writes

REPLY = OutboundKind.REPLY
LINK = "https://e.example/?q=private"
LEFT_OUT = people.LINK_LEFT_OUT(site="e.example")


@pytest.mark.fast
@pytest.mark.parametrize("link", [LINK, LINK.replace(":", ":\u200b"), LINK.replace("//", "**//") + "**"])
async def test_a_link_that_the_model_made_up_is_left_out(bench: Bench, run: RunBot, link: str) -> None:
    bench.model.says("lead", reply(uses("browse"), uses("look")), f"See {link} for more.")
    async with run():
        bench.chat.hears("What does the page say?")
        assert await bench.chat.said(REPLY) == f"See {LEFT_OUT} for more."


async def test_a_link_that_the_person_has_shown_stays(bench: Bench, run: RunBot) -> None:
    bench.model.says("lead", reply(uses("browse"), uses("look")), f"See {LINK} for more.")
    async with run():
        bench.chat.hears(f"What does {LINK} say?")
        assert await bench.chat.said(REPLY) == f"See {LINK} for more."


@pytest.mark.parametrize("tool", ["browse", "look"])
async def test_with_only_one_of_both_it_stays(bench: Bench, run: RunBot, tool: str) -> None:
    bench.model.says("lead", reply(uses(tool)), f"See {LINK} for more.")
    async with run():
        bench.chat.hears("What does the page say?")
        assert await bench.chat.said(REPLY) == f"See {LINK} for more."


async def test_the_report_of_a_role_is_no_way_around(bench: Bench, run: RunBot) -> None:
    bench.model.says("lead", reply(uses("delegate", role="researcher", task="read")), f"See {LINK} for more.")
    bench.model.says("researcher", reply(uses("browse"), uses("look")), f"It says {LINK}")
    async with run():
        bench.chat.hears("What does the page say?")
        assert await bench.chat.said(REPLY) == f"See {LEFT_OUT} for more."


async def test_what_the_model_has_written_itself_does_not_show_it(bench: Bench, run: RunBot) -> None:
    bench.model.says("lead", reply(uses("browse"), uses("look")), reply(uses("echo", text=LINK)), f"See {LINK}")
    async with run():
        bench.chat.hears("What does the page say?")
        assert await bench.chat.said(REPLY) == f"See {LEFT_OUT}"


ORDER = "Remind me in 20 minutes, or make a schedule in 20 minutes, about the page"
ASKED = uses("ask_person", question=f"Is it {LINK}?", options=[f"yes, {LINK}", "no"])
REMINDER = uses("remind_me", text=f"See {LINK}", when="PT20M")
TASK = uses("schedule_create", task=f"Say {LINK}", when="PT20M")
MEMORY = uses("memory_save", text=f"The page is {LINK}")
DELEGATION = uses("delegate", role="researcher", task=LINK)


@pytest.mark.parametrize(
    ("call", "table", "columns"),
    [
        (ASKED, "outbox", "text, options"),
        (ASKED, "questions", "text, options"),
        (REMINDER, "schedules", "text"),
        (TASK, "schedules", "text"),
        (MEMORY, "memories", "text"),
        (DELEGATION, "turns", "task"),
    ],
)
@pytest.mark.parametrize("is_shown", [False, True])
async def test_no_other_way_says_or_keeps_such_a_link(
    bench: Bench, run: RunBot, call: Block, table: str, columns: str, is_shown: bool
) -> None:
    bench.roles[LEAD_ROLE_NAME] = role("lead", delegates_to=None)  # it has all tools
    bench.model.says("lead", reply(uses("browse"), uses("look")), reply(call), "Done.")
    bench.model.says("researcher", "Done.")
    async with run():
        bench.chat.hears(f"{ORDER} {LINK}" if is_shown else ORDER)
        if call is TASK and not is_shown:  # the gate asks about its task, which holds a link; agreed
            bench.chat.taps((await bench.chat.part(OutboundKind.APPROVAL)).message.id, people_holds.ALLOW())
        part = await bench.chat.part(OutboundKind.QUESTION if call is ASKED else REPLY)
        if call is ASKED:
            bench.chat.taps(part.message.id, "no")
            await bench.chat.said(REPLY)
    rows = str(bench.select(columns, table))
    assert (LINK in rows, LEFT_OUT in rows) == (is_shown, not is_shown)


async def test_the_caption_of_a_file_says_none(bench: Bench, post: Post, tmp_path: Path) -> None:
    (tmp_path / "desk").mkdir()
    (tmp_path / "desk" / "a.txt").write_text("x")
    sent = uses("send_file", path="a.txt", caption=LINK)
    bench.roles[LEAD_ROLE_NAME] = role("lead", delegates_to=None)
    bench.model.says("lead", reply(uses("browse"), uses("look")), reply(sent), "Done.")
    tools = [*post.tools(), *make_workspace_and_web_tools(tmp_path / "desk")]
    async with bench.run(tools=tools, **engine_options(workspace=tmp_path / "desk")):
        bench.chat.hears("What does the page say?")
        assert (await bench.chat.part(OutboundKind.UPDATE)).text == LEFT_OUT


@pytest.mark.parametrize("is_anchoring", [True, False])
@pytest.mark.parametrize("is_shown", [False, True])
async def test_a_draft_shows_none_while_it_grows(bench: Bench, run: RunBot, is_anchoring: bool, is_shown: bool) -> None:
    bench.chat.is_anchoring = is_anchoring
    step, seen = Writes(f"See {LINK} for more."), list[str]()
    bench.model.says("lead", reply(uses("browse"), uses("look")), step)
    end = f"See {LINK if is_shown else LEFT_OUT} for more."
    async with run(draft_delay_seconds=0, draft_edit_seconds=(0,)):
        bench.chat.hears(f"What does {LINK} say?" if is_shown else "What does the page say?")
        for length in range(4, len(f"See {LINK}"), 3):
            step.shows(f"See {LINK}"[:length])
            await asyncio.sleep(0)
        await see_drafts_until(bench.chat, step, f"See {LINK} for more.", end, seen)
        step.ends()
        assert await bench.chat.said(REPLY) == end
    assert all("://e" not in each for each in seen if each != end)


PIECES = (LINK[:12], LINK[12:])
JOINS = [
    [uses("write_file", path="a.md", content=f"{PIECES[0]}|{PIECES[1]}")],
    [uses("edit_file", path="a.md", old="|", new="")],
]


@pytest.mark.parametrize(
    ("calls", "is_seen"),
    [
        ([*JOINS, [uses("read_file", path="a.md")]], False),
        ([*JOINS, [uses("grep", pattern="http")]], False),
        ([*JOINS, [uses("read_file", path="theirs.md")]], True),
        ([[uses("grep", pattern="http")]], True),
    ],
)
async def test_a_link_that_the_model_has_written_in_pieces_is_not_seen(
    bench: Bench, post: Post, tmp_path: Path, calls: list[list[Block]], is_seen: bool
) -> None:
    desk = tmp_path / "desk"
    desk.mkdir()
    (desk / "theirs.md").write_text(LINK)
    bench.roles[LEAD_ROLE_NAME] = role("lead", delegates_to=None)
    bench.model.says("lead", reply(uses("browse"), uses("look")), *(reply(*each) for each in calls), f"See {LINK}")
    tools = [*post.tools(), *make_workspace_and_web_tools(desk)]
    async with bench.run(tools=tools, **engine_options()):
        bench.chat.hears("Write a file a.md and change it, and tell me the links")
        assert await bench.chat.said(REPLY) == f"See {LINK if is_seen else LEFT_OUT}"


async def test_what_an_earlier_conversation_says_shows_none(bench: Bench, run: RunBot) -> None:
    bench.roles[LEAD_ROLE_NAME] = role("lead", delegates_to=None)
    bench.model.says("lead", reply(uses("browse"), uses("look")), f"The page: {LINK}")
    async with run():
        bench.chat.hears("What does the page say?")
        assert await bench.chat.said(REPLY) == f"The page: {LEFT_OUT}"
        bench.chat.hears("/new", kind=InboundKind.COMMAND)
        await bench.chat.said(OutboundKind.NOTICE)
        bench.model.says("lead", reply(uses("browse"), uses("conversation_search", query="page")), f"See {LINK}")
        bench.chat.hears("What did the page say?")
        assert await bench.chat.said(REPLY) == f"See {LEFT_OUT}"
    assert any(LINK in heard for heard in bench.model.heard("lead"))


async def test_what_a_role_has_written_on_its_way_shows_none(bench: Bench, run: RunBot) -> None:
    bench.roles[LEAD_ROLE_NAME] = role("lead", delegates_to=None)
    looks = uses("get_delegation", id="t1/2/0", transcript=True)
    bench.model.says("lead", reply(uses("delegate", role="researcher", task="read")), reply(looks), f"See {LINK}")
    bench.model.says("researcher", reply(uses("browse"), uses("look")), reply(uses("echo", text=LINK)), "Read.")
    async with run():
        bench.chat.hears("What does the page say?")
        assert await bench.chat.said(REPLY) == f"See {LEFT_OUT}"
    assert any(LINK in heard for heard in bench.model.heard("lead"))
