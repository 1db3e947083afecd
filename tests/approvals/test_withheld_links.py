"""Links in what the bot says: once private things and words of others have met, only those that somebody has shown."""

import pytest

from bot.core.messages import OutboundKind
from bot.core.texts import people
from tests.approvals.conftest import RunBot
from tests.support.bench import Bench
from tests.support.fakes import reply, uses

REPLY = OutboundKind.REPLY
LINK = "https://e.example/?q=private"
LEFT_OUT = people.LINK_LEFT_OUT(site="e.example")


@pytest.mark.fast
async def test_a_link_that_the_model_made_up_is_left_out(bench: Bench, run: RunBot) -> None:
    bench.model.says("lead", reply(uses("browse"), uses("look")), f"See {LINK} for more.")
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
