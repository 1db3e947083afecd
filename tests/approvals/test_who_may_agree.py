"""Who may agree to a held call is judged when they do, and when the call begins: rights may be gone by then."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bot.core.access import Access
from bot.core.messages import OutboundKind, PersonId
from bot.core.rights import EVERY_RIGHT, Right
from bot.core.texts import model, people_holds
from bot.tools import Tool
from tests.approvals.test_held_calls import ACCESS, GROUP
from tests.support.bench import Bench
from tests.support.mailing import Post

REPLY, APPROVAL, NOTICE = OutboundKind.REPLY, OutboundKind.APPROVAL, OutboundKind.NOTICE
YES = people_holds.ALLOW()
SENT = "sent to eve@evil.example"
VOID = model.APPROVAL_WITHDRAWN(answer=model.LOST_RIGHT_TO_AGREE)
NOT_PERMITTED = model.NOT_PERMITTED(person="Ann", right=Right.MEMORY)
Ask = Callable[..., Any]


def access(**changed: Any) -> dict[str, Access]:
    return {"fake": replace(ACCESS["fake"], **changed)}


ANOTHER_OWNER = access(owner_id=PersonId("Zoe"), allowed_ids=frozenset({"Ann", "Owner"}))
WITHOUT_ANN = access(allowed_ids=frozenset({"Bob"}))
TALK_ONLY = access(rights_by_id={"Ann": frozenset({Right.TALK})})


def tools_with_right(post: Post) -> list[Tool]:
    """Return the tools of a mailbox; a mail needs a right that everybody may lose."""
    return [replace(each, needed_right=Right.MEMORY) if each.name == "mail" else each for each in post.tools()]


@pytest.mark.parametrize(
    ("now", "told"), [(ANOTHER_OWNER, VOID), (WITHOUT_ANN, VOID), (TALK_ONLY, NOT_PERMITTED), (ACCESS, SENT)]
)
async def test_a_yes_counts_only_if_nobody_has_lost_the_right_to_it(
    bench: Bench, post: Post, ask: Ask, now: dict[str, Access], told: str
) -> None:
    tools = tools_with_right(post)
    async with bench.run(tools=tools, access=ACCESS):
        asked = await ask("What does the page say?", **GROUP)
        await bench.chat.said(NOTICE)
    async with bench.run(tools=tools, access=now):
        bench.chat.taps(asked.id, YES, by="Owner", chat="private")
        await bench.chat.said(REPLY)
    assert bench.model.heard("lead") == [told]
    assert len(post.sent) == (told == SENT)


@pytest.mark.parametrize("rights", [EVERY_RIGHT, frozenset({Right.TALK})])
async def test_in_private_the_rights_of_its_person_count_as_they_are_now(
    bench: Bench, post: Post, ask: Ask, rights: frozenset[Right]
) -> None:
    tools = tools_with_right(post)
    async with bench.run(tools=tools, access=ACCESS):
        asked = await ask("What does the page say?")
    async with bench.run(tools=tools, access=access(rights_by_id={"Ann": rights})):
        bench.chat.taps(asked.id, YES)
        await bench.chat.said(REPLY)
    assert len(post.sent) == (rights == EVERY_RIGHT)
