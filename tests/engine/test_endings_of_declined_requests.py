"""A request that the model declines: people hear kindly why, a role's parent hears the category, nothing is kept."""

from typing import Any

import pytest

from bot.core.phrases import refusal_text_for_parent_turn, refusal_text_for_person
from bot.core.texts import reasons
from bot.core.texts.people import NOT_FINISHED
from tests.stand_ins.claude import ToolUse, reply
from tests.stand_ins.claude.handing_over import EXPLAINED
from tests.stand_ins.claude.replies import Reply
from tests.support.claude_bot import Talk, talk

__all__ = ["talk"]

LEFT = NOT_FINISHED(reason="", messages="“hello”").removesuffix(".")
PARTIAL = "Half of an answer"


def refusal(details: dict[str, Any] | None) -> Reply:
    return reply(PARTIAL, stop_reason="refusal", stop_details=details)


def of_category(category: str | None) -> dict[str, Any]:
    return {"type": "refusal", "category": category, "explanation": EXPLAINED}


@pytest.mark.parametrize("category", reasons.TAKEN_FOR)
async def test_a_refusal_says_what_the_request_was_taken_for(talk: Talk, category: str) -> None:
    talk.server.script.say(refusal(of_category(category)), "and on")
    async with talk.run():
        told = await talk.ask("hello")
        assert told == f"{LEFT}{refusal_text_for_person(category)}."
        assert reasons.TAKEN_FOR[category]() in told
        assert not any(other() in told for name, other in reasons.TAKEN_FOR.items() if name != category)
        assert EXPLAINED not in told
        assert await talk.ask("and then?") == "and on"
    assert PARTIAL not in str(talk.server.requests[-1].body)
    assert EXPLAINED not in str(talk.bench.rows("SELECT body FROM entries"))
    assert talk.spent() == talk.billed()


@pytest.mark.parametrize("details", [None, of_category(None), of_category("a new one")])
async def test_a_refusal_of_no_known_category_is_kind_too(talk: Talk, details: dict[str, Any] | None) -> None:
    talk.server.script.say(refusal(details))
    async with talk.run():
        told = await talk.ask("hello")
    assert reasons.DECLINED(subject=reasons.TAKEN_FOR_SOMETHING()) in told
    assert "a new one" not in told


async def test_a_role_that_is_refused_tells_its_parent_the_category(talk: Talk) -> None:
    call = ToolUse("delegate", {"role": "analyst", "task": "look"})
    talk.server.script.say(reply(call), "it was not done", system="the lead")
    talk.server.script.say(refusal(of_category("bio")), system="the analyst")
    async with talk.run():
        assert await talk.ask("go") == "it was not done"
    [told] = talk.server.requests[-1].asked.results
    assert refusal_text_for_parent_turn("bio") in told
    assert "category bio" in told
    assert PARTIAL not in told
    assert "/new" not in told
    talk.server.verify()
