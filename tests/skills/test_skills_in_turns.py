"""Skills in turns: the lead reads one, and gives one to a role."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from bot.core.role import LEAD_ROLE_NAME
from bot.core.sources import Source
from bot.delegation import texts
from bot.tools import texts as tool_texts
from bot.tools.skills import skill_tools
from tests.support.bench import ROLES, WORKERS, Bench
from tests.support.fakes import reply, role, uses
from tests.support.skill_folder import BODY, SkillFolder

RESEARCHER = WORKERS[0]
WORK = {"role": "researcher", "task": "sum up"}


@pytest.fixture
def skilled(bench: Bench, folder: SkillFolder) -> Bench:
    """A bot with two skills. Its lead may use them."""
    folder.skill()
    folder.skill("reading", tools="read_file, read")
    lead = ROLES[LEAD_ROLE_NAME]
    bench.roles[LEAD_ROLE_NAME] = replace(lead, tools=frozenset({*(lead.tools or ()), "use_skill"}))
    return bench


def run(bench: Bench, folder: SkillFolder, trusted: Sequence[str] = ()) -> Any:
    loaded = folder.load(trusted_skills=trusted).skills
    skills = [replace(skill, tools=skill.tools and frozenset({"read"})) for skill in loaded]
    return bench.run(tools=[*bench.tools(), *skill_tools(skills)])


async def says(bench: Bench, folder: SkillFolder, *calls: Any, trusted: Sequence[str] = ()) -> str:
    bench.model.says("lead", reply(*calls), "done")
    async with run(bench, folder, trusted):
        bench.chat.hears("go")
        assert await bench.chat.said() == "done"
    return str(bench.select("result", "calls", order="rowid")[0][0])


def shown(bench: Bench, name: str) -> dict[str, Any]:
    return {tool["name"]: tool for tool in bench.model.asked(name)[0].prefix.tools}


async def test_the_lead_reads_a_skill(skilled: Bench, folder: SkillFolder) -> None:
    assert "Say the sum." in await says(skilled, folder, uses("use_skill", skill="invoices"))
    assert "- invoices: How to do invoices" in shown(skilled, "lead")["use_skill"]["description"]


@pytest.mark.parametrize(("trusted", "sources"), [(["invoices", "reading"], []), (["reading"], [Source.SKILLS])])
async def test_a_conversation_with_skills_of_others_has_read_their_words(
    skilled: Bench, folder: SkillFolder, trusted: list[str], sources: list[str]
) -> None:
    skilled.model.says("lead", "hello")
    async with skilled.run(tools=[*skilled.tools(), *skill_tools(folder.load(trusted_skills=trusted).skills)]):
        skilled.chat.hears("hello")
        await skilled.chat.said()
    [(read,)] = skilled.select("sources", "sessions")
    assert json.loads(read) == sources


async def test_a_role_works_by_the_skill_that_it_is_given(skilled: Bench, folder: SkillFolder) -> None:
    skilled.model.says("researcher", reply(uses("use_skill", skill="reading")), "the sum is 5")
    assert "the sum is 5" in await says(skilled, folder, uses("delegate", **WORK, skill="Invoices"))
    prefix = skilled.model.asked("researcher")[0].prefix
    assert prefix.system.endswith(texts.WORK_WITH_SKILL_OF_OTHERS(name="invoices", body=BODY))
    assert shown(skilled, "researcher").keys() == {"ask_person", "change", "message", "read", "use_skill"}


async def test_only_a_trusted_skill_is_called_instructions_of_the_operator(skilled: Bench, folder: SkillFolder) -> None:
    skilled.model.says("researcher", "the sum is 5")
    await says(skilled, folder, uses("delegate", **WORK, skill="invoices"), trusted=["invoices"])
    system = skilled.model.asked("researcher")[0].prefix.system
    assert system.endswith(texts.WORK_WITH_SKILL(name="invoices", body=BODY))


async def test_of_a_long_skill_the_role_reads_the_rest_itself(skilled: Bench, folder: SkillFolder) -> None:
    folder.skill(body="\n".join(f"line {number} {'x' * 90}" for number in range(1, 900)))
    skilled.model.says("researcher", "the sum is 5")
    await says(skilled, folder, uses("delegate", **WORK, skill="invoices"))
    body, end = skilled.model.asked("researcher")[0].prefix.system.rsplit("\n", 1)
    last = int(body.rstrip().rpartition("line ")[2].split()[0])
    assert end == texts.SKILL_GOES_ON(name="invoices", line=last + 1)
    assert 200 < last < 899


async def test_a_role_without_a_skill_is_as_before(skilled: Bench, folder: SkillFolder) -> None:
    skilled.model.says("researcher", "found")
    await says(skilled, folder, uses("delegate", **WORK))
    assert shown(skilled, "researcher").keys() == {"ask_person", "change", "message", "read"}
    assert "skill" not in skilled.model.asked("researcher")[0].prefix.system


async def test_a_skill_that_names_tools_takes_the_others_away(skilled: Bench, folder: SkillFolder) -> None:
    skilled.model.says("researcher", reply(uses("change")), "I may not")
    await says(skilled, folder, uses("delegate", **WORK, skill="reading"))
    assert shown(skilled, "researcher").keys() == {"message", "read", "use_skill"}
    assert skilled.changed == []


async def test_several_tasks_may_have_skills_of_their_own(skilled: Bench, folder: SkillFolder) -> None:
    skilled.model.says("researcher", "one")
    skilled.model.says("analyst", "two")
    tasks = [{**WORK, "skill": "invoices"}, {"role": "analyst", "task": "look"}]
    await says(skilled, folder, uses("delegate", tasks=tasks))
    assert "# The skill invoices" in skilled.model.asked("researcher")[0].prefix.system
    assert "# The skill" not in skilled.model.asked("analyst")[0].prefix.system


async def test_a_skill_that_does_not_exist_is_told_with_those_that_do(skilled: Bench, folder: SkillFolder) -> None:
    said = await says(skilled, folder, uses("delegate", **WORK, skill="cooking"))
    assert tool_texts.NO_SUCH_SKILL(name="cooking", skills="invoices, reading") in said


async def test_a_delegation_that_goes_on_gets_no_other_skill(skilled: Bench, folder: SkillFolder) -> None:
    said = await says(skilled, folder, uses("delegate", task="more", continue_from="t1/2/0", skill="invoices"))
    assert texts.SKILL_OF_CONTINUED in said


async def test_nobody_is_told_of_skills_who_may_not_use_them(skilled: Bench, folder: SkillFolder) -> None:
    skilled.roles[LEAD_ROLE_NAME] = role("lead", "delegate", "read", delegates_to=None)
    said = await says(skilled, folder, uses("delegate", **WORK, skill="invoices"))
    assert "skill" in said
    assert "skill" not in str(shown(skilled, "lead")["delegate"])
    assert skilled.count("turns") == 1


async def test_a_delegation_that_goes_on_keeps_its_skill(skilled: Bench, folder: SkillFolder) -> None:
    skilled.model.says("researcher", "the sum is 5", "the sum is 6")
    more = reply(uses("delegate", task="again", continue_from="t1/2/0"))
    skilled.model.says("lead", reply(uses("delegate", **WORK, skill="invoices")), more, "done")
    async with run(skilled, folder):
        skilled.chat.hears("go")
        assert await skilled.chat.said() == "done"
    first, again = (request.prefix.system for request in skilled.model.asked("researcher"))
    assert "# The skill invoices" in first == again
