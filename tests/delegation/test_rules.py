"""Who may delegate what to which role, with which tools, and what is said where it may not be."""

from typing import Any

import pytest

from bot.core import prompt_guidance
from bot.core.messages import OutboundKind, RoleName
from bot.core.role import LEAD_ROLE_NAME, Role
from bot.core.texts import model
from bot.delegation import texts
from bot.delegation.rules import DELEGATION_TOOL_NAMES
from bot.tools.conversations import CONVERSATION_TOOL_NAMES
from bot.tools.memory import MEMORY_TOOL_NAMES
from tests.support.bench import WORKERS, Bench
from tests.support.delegation_calls import KNOWN, delegations, results, shown
from tests.support.engine_options import DELEGATION_LIMITS, engine_options
from tests.support.fakes import delegates, reply, role, uses

RESEARCHER = WORKERS[0]
MANAGER = role("manager", "delegate", "read", delegates_to=("writer",))
LEADS = sorted(["ask_person", "change", "read", *DELEGATION_TOOL_NAMES, *MEMORY_TOOL_NAMES, *CONVERSATION_TOOL_NAMES])


async def test_a_child_has_the_tools_its_parent_and_its_role_share_and_message(bench: Bench) -> None:
    bench.roles[LEAD_ROLE_NAME] = role("lead", "delegate", "read", "ask_person", delegates_to=("researcher",))
    bench.roles[RESEARCHER] = role("researcher", "read", "change")
    bench.model.says("researcher", reply(uses("change")), "I may not")
    await results(bench, uses("delegate", role="researcher", task="look"))
    assert shown(bench, "researcher") == ["message", "read"]
    assert bench.model.heard("researcher") == [
        model.NO_SUCH_TOOL(role="researcher", tool="change", tools="message, read")
    ]
    assert bench.changed == []


@pytest.mark.parametrize("tools", [None, frozenset[str]()], ids=["no list", "an empty list"])
async def test_a_role_that_lists_no_tools_has_all_of_its_parents(bench: Bench, tools: frozenset[str] | None) -> None:
    bench.roles[RESEARCHER] = Role(
        name=RoleName("researcher"), prompt="researcher", tools=tools, limits=DELEGATION_LIMITS
    )
    bench.model.says("researcher", "found")
    await results(bench, uses("delegate", role="researcher", task="look"))
    assert shown(bench, "researcher") == ["ask_person", "change", "message", "read"]


async def test_delegate_is_gone_at_the_greatest_depth_and_only_there(bench: Bench) -> None:
    bench.roles[MANAGER.name] = MANAGER
    bench.roles[WORKERS[2]] = role("writer", "delegate", "read")
    bench.model.says("manager", reply(uses("delegate", role="writer", task="write")), "managed")
    bench.model.says("writer", reply(uses("delegate", role="analyst", task="help me")), "alone, then")
    await results(bench, uses("delegate", role="manager", task="manage"), swarm__max_depth=2)
    assert (shown(bench, "manager"), shown(bench, "writer")) == (["delegate", "message", "read"], ["message", "read"])
    assert bench.model.heard("writer") == [texts.TOO_DEEP]


async def test_message_is_gone_where_a_role_may_post_nothing(bench: Bench) -> None:
    bench.model.says("researcher", "found")
    await results(bench, uses("delegate", role="researcher", task="look"), swarm__max_updates=0)
    assert "message" not in shown(bench, "researcher")


async def test_the_lead_speaks_by_its_text_alone(bench: Bench) -> None:
    bench.roles[LEAD_ROLE_NAME] = Role(name=LEAD_ROLE_NAME, prompt="lead", limits=DELEGATION_LIMITS)
    heard = await results(bench, uses("message", text="hi"))
    assert shown(bench, "lead") == LEADS
    assert heard == [(model.NO_SUCH_TOOL(role="lead", tool="message", tools=", ".join(LEADS)), True)]


# Roles by name


async def test_a_role_is_found_in_any_case_and_with_spaces_round_it(bench: Bench) -> None:
    bench.model.says("researcher", "found")
    await results(bench, uses("delegate", role=" Researcher ", task="look"))
    assert delegations(bench, "role") == [("researcher",)]


async def test_a_name_that_nobody_defined_is_a_role_of_its_own(bench: Bench) -> None:
    own = texts.SPECIALIST_PROMPT(role="Tax lawyer")
    bench.model.says(own, reply(uses("message", text="reading")), "no tax")
    bench.model.says("lead", delegates("Tax lawyer"), "done")
    async with bench.run(**engine_options(swarm__max_iterations=7)):
        bench.chat.hears("go")
        assert [await bench.chat.said() for _ in range(2)] == ["[Ad hoc: Tax lawyer]: reading", "done"]
    assert delegations(bench, "role, max_iterations") == [("ad hoc: Tax lawyer", 7)]
    assert bench.model.asked(own)[0].prefix.system == prompt_guidance.task_prompt(own, can_speak=True)


async def test_such_a_name_may_be_of_any_language(bench: Bench) -> None:
    for name in ("Übersetzer", "翻訳者", "Пользователь"):
        bench.model.says(texts.SPECIALIST_PROMPT(role=name), "done")
    calls = (uses("delegate", role=name, task="look") for name in ("Übersetzer", "翻訳者", "Пользователь"))
    await results(bench, *calls)
    assert delegations(bench, "status") == [("completed",)] * 3


@pytest.mark.parametrize("name", ["--", "a_b", "a/b", "x" * 41, "lead", "Lead", " lead ", "re\nsearcher", "[QA]"])
async def test_a_name_that_is_none_is_refused_and_the_names_there_are_are_told(bench: Bench, name: str) -> None:
    heard = await results(bench, uses("delegate", role=name, task="look"))
    assert heard == [(texts.NOT_A_ROLE_OF_YOURS(delegating="lead", role=name.strip(), roles=KNOWN), True)]


async def test_without_new_roles_only_the_known_ones_can_be_asked(bench: Bench) -> None:
    heard = await results(bench, uses("delegate", role="lawyer", task="look"), swarm__allow_adhoc=False)
    known = "analyst, researcher, writer"
    assert heard == [(texts.NOT_A_ROLE_OF_YOURS(delegating="lead", role="lawyer", roles=known), True)]


@pytest.mark.parametrize("name", ["analyst", "lawyer"])
@pytest.mark.parametrize(("may", "told"), [(("writer",), "writer"), ((), texts.NO_ROLE_AT_ALL)])
async def test_a_role_delegates_only_to_those_that_it_names(
    bench: Bench, name: str, may: tuple[str, ...], told: str
) -> None:
    bench.roles[MANAGER.name] = role("manager", "delegate", delegates_to=may)
    bench.model.says("manager", reply(uses("delegate", role=name, task="analyse")), "managed")
    await results(bench, uses("delegate", role="manager", task="manage"), swarm__max_depth=2)
    assert bench.model.heard("manager") == [texts.NOT_A_ROLE_OF_YOURS(delegating="manager", role=name, roles=told)]


async def test_only_a_role_that_may_delegate_is_told_its_targets(bench: Bench) -> None:
    bench.roles[MANAGER.name] = MANAGER
    bench.model.says("manager", reply(uses("delegate", role="writer", task="write")), "managed")
    bench.model.says("writer", "written")
    await results(bench, uses("delegate", role="manager", task="manage"), swarm__max_depth=2)
    [told, *_], [bare] = bench.model.asked("manager"), bench.model.asked("writer")
    whom = f"<roles>\n{texts.YOUR_ROLES}\n- writer\n</roles>"
    assert told.prefix.system == f"manager\n\n{prompt_guidance.DELEGATING_GUIDANCE}\n\n{whom}"
    assert bare.prefix.system == "writer"


# Errors, in their order


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, texts.NO_ROLE(roles=KNOWN)),
        ({"role": "  ", "task": "look"}, texts.NO_ROLE(roles=KNOWN)),
        ({"role": "researcher"}, texts.NO_TASK),
        ({"role": "a/b", "task": ""}, texts.NO_TASK),
        ({"role": ["researcher"], "task": "look"}, texts.NOT_A_TEXT(argument="role")),
    ],
)
async def test_a_missing_argument_is_told_before_anything_else(
    bench: Bench, arguments: dict[str, Any], error: str
) -> None:
    assert await results(bench, uses("delegate", **arguments)) == [(error, True)]


async def test_switched_off_delegation_is_said_first_and_removes_the_tool(bench: Bench) -> None:
    assert await results(bench, uses("delegate"), swarm__enabled=False) == [(texts.SWITCHED_OFF, True)]
    assert "delegate" not in shown(bench, "lead")


async def test_a_role_at_the_greatest_depth_hears_of_that_before_all_else(bench: Bench) -> None:
    bench.model.says("researcher", reply(uses("delegate")), "alone, then")
    await results(bench, uses("delegate", role="researcher", task="look"))
    assert bench.model.heard("researcher") == [texts.TOO_DEEP]


# Counts


async def test_the_eleventh_delegation_of_a_step_is_refused_and_ten_are_done(bench: Bench) -> None:
    calls = [uses("delegate", role="researcher", task="look") for _ in range(11)]
    bench.model.says("researcher", *["found"] * 10)
    heard = await results(bench, *calls)
    assert [is_error for _, is_error in heard] == [False] * 10 + [True]
    assert heard[-1][0] == model.TOO_MANY_DELEGATIONS(most=10)
    assert delegations(bench, "count(*)") == [(10,)]


async def test_a_delegation_posts_at_most_its_limit(bench: Bench) -> None:
    bench.model.says("researcher", reply(*(uses("message", text=str(number)) for number in range(3))), "found")
    await results(bench, uses("delegate", role="researcher", task="look"), swarm__max_updates=2)
    assert bench.model.heard("researcher") == [model.POSTED, model.POSTED, model.TOO_MANY_POSTS(most=2)]
    posted = bench.rows("SELECT text FROM outbox WHERE kind = 'update'")
    assert posted == [("0",), ("1",)]


async def test_a_root_turn_and_its_descendants_may_ask_three_questions_together(bench: Bench) -> None:
    asks = [uses("ask_person", question=f"{number}?") for number in range(2)]
    bench.model.says("researcher", reply(*asks), "found")
    bench.model.says("lead", reply(*asks), delegates("researcher"), "done")
    async with bench.run(**engine_options(question_timeout_seconds=0)):
        bench.chat.hears("go")
        assert await bench.chat.said(OutboundKind.REPLY) == "done"
    assert bench.model.heard("lead", 1) == [model.NOT_ANSWERED, model.NOT_ANSWERED]
    assert bench.model.heard("researcher") == [model.NOT_ANSWERED, model.TOO_MANY_QUESTIONS(most=3)]
