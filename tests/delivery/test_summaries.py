"""The line that returns to where a request was written: which line it is, and when it comes."""

from dataclasses import replace

import pytest

from bot.core.messages import OutboundKind
from bot.core.role import LEAD_ROLE_NAME
from bot.journal.summaries import lines_of_prose, strip_marks
from tests.support.bench import ROLES, Bench
from tests.support.fakes import Pause, delegates, reply, uses
from tests.support.troubles import has_row, wait_for_row

REPLY, NOTICE = OutboundKind.REPLY, OutboundKind.NOTICE
SUMMARY = "SELECT 1 FROM outbox WHERE is_summary AND state = 'sent' AND text LIKE '{}'"


async def test_the_first_line_of_an_answer_returns(bench: Bench) -> None:
    bench.model.says("lead", "## All is planned.\nFirst to Rome.", "And more.")
    async with bench.run():
        bench.chat.hears("plan", wants_summary=True)
        assert await bench.chat.said(REPLY) == "## All is planned.\nFirst to Rome."
        summary = await bench.chat.part(NOTICE)
        assert (summary.text, summary.message.is_summary, summary.message.is_quiet) == ("All is planned.", True, True)
        bench.chat.hears("and?")
        assert await bench.chat.said(REPLY) == "And more."
    assert bench.count("outbox", "is_summary") == 1


@pytest.mark.parametrize(
    "text",
    [
        "```python\nx = 1\n```\nThe answer.",
        "~~~\n```\n~~~\n\n> **The answer.**",
        "| a | b |\n|---|---|\n| 1 | 2 |\n\nThe answer.",
        "---\n\n# The answer.\n===",
    ],
)
def test_code_tables_and_rules_are_no_summary(text: str) -> None:
    assert next(lines_of_prose(text)) == "The answer."


async def test_it_says_what_roles_took(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher", "analyst"), "so it is")
    bench.model.says("researcher", "found")
    bench.model.says("analyst", "counted")
    async with bench.run():
        bench.chat.hears("go", wants_summary=True)
        assert await bench.chat.said(REPLY) == "so it is"
        await has_row(bench, SUMMARY.format("so it is · 2 roles · % s · $%"))


@pytest.mark.parametrize("is_other", [False, True])
async def test_it_comes_with_the_answer_to_the_last_report(bench: Bench, *, is_other: bool) -> None:
    at_work = Pause("found")
    bench.model.says("lead", delegates("researcher"), "hello", "so it is")
    bench.model.says("researcher", at_work)
    async with bench.run():
        bench.chat.hears("go", wants_summary=True)
        await at_work.reached.wait()
        bench.chat.hears("and hello", by="Bob" if is_other else "Ann")
        while await bench.chat.said(REPLY) != "hello":
            pass
        assert bench.count("outbox", "is_summary") == 0
        at_work.go_on.set()
        assert await bench.chat.said(REPLY) == "so it is"
        await has_row(bench, SUMMARY.format("so it is · 1 role · % s · $%"))
    assert bench.count("outbox", "is_summary") == 1


async def test_it_comes_after_a_report_that_was_quicker_than_the_answer(bench: Bench) -> None:
    at_work = Pause("it has begun")
    bench.model.says("lead", delegates("researcher", background=True), at_work, "so it is")
    bench.model.says("researcher", "found")
    async with bench.run():
        bench.chat.hears("go", wants_summary=True)
        await at_work.reached.wait()
        await wait_for_row(bench, "inbox", "kind = 'report'")
        assert bench.count("outbox", "is_summary") == 0
        at_work.go_on.set()
        while await bench.chat.said(REPLY) != "so it is":
            pass
        await has_row(bench, SUMMARY.format("so it is%"))
    assert bench.count("outbox", "is_summary") == 1


async def test_it_comes_once_if_a_report_is_slower_than_the_answer(bench: Bench) -> None:
    at_work = Pause("found")
    bench.model.says("lead", delegates("researcher", background=True), "it has begun", "so it is")
    bench.model.says("researcher", at_work)
    async with bench.run():
        bench.chat.hears("go", wants_summary=True)
        assert await bench.chat.said(REPLY) == "it has begun"
        await has_row(bench, SUMMARY.format("it has begun%"))
        at_work.go_on.set()
        while await bench.chat.said(REPLY) != "so it is":
            pass
    assert bench.count("outbox", "is_summary") == 1


@pytest.mark.parametrize("is_cancelled_by_lead", [False, True])
async def test_if_the_last_role_is_stopped_the_answer_so_far_returns(
    bench: Bench, *, is_cancelled_by_lead: bool
) -> None:
    at_work, tools = Pause("found"), frozenset({"delegate", "cancel_delegation"})
    bench.roles[LEAD_ROLE_NAME] = replace(ROLES[LEAD_ROLE_NAME], tools=tools)
    bench.model.says("lead", delegates("researcher"), "hello")
    bench.model.says("researcher", at_work)
    async with bench.run():
        bench.chat.hears("go", wants_summary=True)
        await at_work.reached.wait()
        bench.chat.hears("and hello")
        assert await bench.chat.said(REPLY) == "hello"
        if is_cancelled_by_lead:
            [(id,)] = bench.rows("SELECT id FROM turns WHERE depth = 1")
            bench.model.says("lead", reply(uses("cancel_delegation", id=id)), "it is over")
        bench.chat.hears("forget it" if is_cancelled_by_lead else "/stop")
        await wait_for_row(bench, "turns", "status = 'cancelled'")
        await has_row(bench, SUMMARY.format("hello · 1 role · % s · $%"))
    assert bench.count("outbox", "is_summary") == 1


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("## **Done**", "Done"),
        ("> `README.md` has 8 headings", "`README.md` has 8 headings"),
        ("**Trio Lindo** it is", "**Trio Lindo** it is"),
        ("_as you wish_", "as you wish"),
        ("#", ""),
    ],
)
def test_marks_around_a_whole_line_are_left_out(line: str, words: str) -> None:
    assert strip_marks(line) == words
