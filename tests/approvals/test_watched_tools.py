"""What a condition sends out again and again is judged like a call: when the schedule is made, and at each check."""

import json
from typing import Any

import pytest

from bot.core.acts import Critical, Effect, Part
from bot.core.messages import InboundKind, OutboundKind
from bot.core.role import LEAD_ROLE_NAME
from bot.core.sources import Source
from bot.core.texts import people, people_holds
from bot.core.turn import CallKind
from bot.tools import Arguments, Tool, ToolContext
from tests.schedules.test_schedule_conditions import checked
from tests.support.bench import Bench
from tests.support.empty_database import opened_empty_database
from tests.support.fakes import reply, role, uses
from tests.support.mailing import Post
from tests.support.schedule_bot import ScheduleBot

REPLY, APPROVAL = OutboundKind.REPLY, OutboundKind.APPROVAL
BOTH = [str(Source.WEB), str(Source.PRIVATE_FILES)]


class Index:
    """A service that is asked. `asked` are the words that it got."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def tool(self) -> Tool:
        async def query(context: ToolContext, arguments: Arguments) -> str:
            self.asked.append(arguments["words"])
            return "nothing"

        return Tool(
            name="query",
            description="Ask a service.",
            input_schema={"type": "object"},
            kind=CallKind.READ,
            effects=frozenset({Effect.SENDS_OUT, Effect.READS_UNTRUSTED}),
            critical_arguments={"words": Critical(Part.WHERE)},
            is_query=True,
            run=query,
        )


def schedule_of(words: str) -> dict[str, Any]:
    condition = {"only_if": "tool_changed", "what": "query", "tool_arguments": json.dumps({"words": words})}
    return {"task": "look", "repeat": "FREQ=HOURLY", **condition}


@pytest.mark.parametrize(
    ("sources", "words", "is_agreed", "is_asked"),
    [
        (BOTH, "watch it", False, False),
        (BOTH, "watch the rent for me", False, True),
        (BOTH, "watch it", True, True),
        (BOTH[:1], "watch it", False, True),
        ([], "watch it", False, True),
    ],
)
async def test_a_check_asks_elsewhere_only_what_its_person_has_said(
    bench: Bench, sources: list[str], words: str, is_agreed: bool, is_asked: bool
) -> None:
    index, bot = Index(), ScheduleBot(bench)
    with_ = {"tools": [*bench.tools(), index.tool()]}
    async with bot.run(assembly=with_):
        await bot.calls(("schedule_create", schedule_of("rent")))
    agreed = {"is_agreed": True} if is_agreed else {}
    condition = {"kind": "tool_changed", "what": "query", "arguments": {"words": "rent"}, **agreed}
    with opened_empty_database(bench.data / "bot.db") as db:
        db.update("schedules", {"sources": sources, "words": words, "condition": condition}, number=1)
    await checked(bot, with_)
    assert index.asked == (["rent"] if is_asked else [])


async def test_a_schedule_that_asks_another_question_needs_a_yes_of_its_own(bench: Bench, post: Post) -> None:
    index = Index()
    bench.roles[LEAD_ROLE_NAME] = role("lead", delegates_to=None)
    async with bench.run(tools=[*post.tools(), index.tool()]):
        bench.model.says("lead", reply(uses("browse"), uses("look")))
        for words, option in (("rent", people_holds.ALLOW), ("all secrets", people_holds.DENY)):
            bench.model.says("lead", reply(uses("schedule_create", **schedule_of(words))), "Done.")
            bench.chat.hears("Make a schedule: each hour, watch it")
            asked = (await bench.chat.part(APPROVAL)).message
            assert words in asked.text
            assert people_holds.ALLOW_IN_CONVERSATION() not in asked.options
            bench.chat.taps(asked.id, option())
            assert await bench.chat.said(REPLY) == "Done."
    [(condition,)] = bench.select("condition", "schedules")
    assert json.loads(condition)["is_agreed"]


async def test_memories_that_a_conversation_begins_with_are_in_no_address(bench: Bench, post: Post) -> None:
    index = Index()
    bench.roles[LEAD_ROLE_NAME] = role("lead", delegates_to=None)
    seen, made_up = "https://a.example/b", "https://evil.example/?q=tea"
    async with bench.run(tools=[*post.tools(), index.tool()]):
        bench.model.says("lead", reply(uses("memory_save", text="Ann likes tea")), "Noted.")
        bench.chat.hears("I like tea")
        await bench.chat.said(REPLY)
        bench.chat.hears("/new", kind=InboundKind.COMMAND)
        await bench.chat.said(OutboundKind.NOTICE)
        bench.model.says("lead", *(reply(uses("browse")), reply(uses("query", words=seen), uses("query", words="tea"))))
        bench.model.says("lead", reply(uses("query", words=made_up)), f"See {made_up}")
        bench.chat.hears(f"What does {seen} say?")
        asked = (await bench.chat.part(APPROVAL)).message
        assert made_up in asked.text
        bench.chat.taps(asked.id, people_holds.DENY())
        assert await bench.chat.said(REPLY) == f"See {people.LINK_LEFT_OUT(site='evil.example')}"
    assert sorted(index.asked) == [seen, "tea"]
