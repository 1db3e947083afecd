"""The operator names another owner: the accounts of the former one are an ordinary person's from then on."""

from dataclasses import replace

import pytest

from bot.core.access import Access
from bot.core.messages import OutboundKind, PersonId
from bot.core.role import LEAD_ROLE_NAME
from bot.core.texts import people_accounts as texts
from bot.core.texts import people_groups
from bot.tools.memory import MEMORY_TOOL_NAMES
from tests.people.test_people_commands_of_linked_accounts import GUARDED, code_of
from tests.support.bench import Bench
from tests.support.fakes import reply, role
from tests.support.memory_bot import save

NOTICE, QUESTION, REPLY = OutboundKind.NOTICE, OutboundKind.QUESTION, OutboundKind.REPLY
OPEN_TO_ALL = {"fake": replace(GUARDED["fake"], is_public=True)}


def owned_by(person: str, of: dict[str, Access] = GUARDED) -> dict[str, Access]:
    return {"fake": replace(of["fake"], owner_id=PersonId(person))}


async def link_with_owner(bench: Bench, other: str) -> None:
    bench.chat.hears(f"/link {await code_of(bench, 'Owner')}", by=other, chat=other.lower())
    assert {await bench.chat.said(NOTICE) for _ in range(2)} >= {texts.LINKED_HERE(account="Owner (fake Owner)")}


async def may_use(bench: Bench, by: str) -> str:
    """Return what somebody may use the bot for, as they read it."""
    bench.chat.hears("/whereami", by=by, chat=by.lower())
    return (await bench.chat.said(NOTICE)).splitlines()[-1]


@pytest.mark.parametrize("former", ["Owner", "Zoe"])
async def test_accounts_of_a_former_owner_have_no_rights(bench: Bench, former: str) -> None:
    everything = people_groups.RIGHTS_LINE(rights="everything")
    async with bench.run(access=GUARDED):
        await link_with_owner(bench, "Zoe")
        assert await may_use(bench, former) == everything
    async with bench.run(access=owned_by("Carl")):
        bench.chat.hears("/whereami", by=former, chat=former.lower())
        assert everything not in await bench.chat.said(NOTICE)


@pytest.mark.parametrize("former", ["Owner", "Zoe"])
async def test_a_former_owner_forgets_nothing_of_the_new_one(bench: Bench, former: str) -> None:
    bench.roles[LEAD_ROLE_NAME] = role("lead", *MEMORY_TOOL_NAMES)
    bench.model.says("lead", reply(save("Carl likes walnuts")), "noted")
    async with bench.run(access=GUARDED):
        await link_with_owner(bench, "Zoe")
    async with bench.run(access=owned_by("Carl", OPEN_TO_ALL)):
        bench.chat.hears("I like walnuts", by="Carl", chat="carl")
        assert await bench.chat.said(REPLY) == "noted"
        bench.chat.hears("/forget everything", by=former, chat=former.lower())
        question = (await bench.chat.part(QUESTION)).message.id
        bench.chat.taps(question, texts.FORGET_OPTION(), by=former, chat=former.lower())
        assert await bench.chat.said(NOTICE) == texts.FORGOTTEN()
    assert bench.count("memories") == 1
    assert bench.count("linked_accounts") == 0
