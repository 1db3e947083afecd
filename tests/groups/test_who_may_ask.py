"""Who may ask which group: every caller and every target, alone and nested; and what else a question may say."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from bot.core.messages import GroupName
from bot.core.model import ModelReply
from bot.core.texts import model
from bot.delegation import texts
from tests.support.bench import Bench
from tests.support.delegation_calls import heard, says
from tests.support.engine_options import engine_options
from tests.support.fakes import delegates, reply, role, uses
from tests.support.group_bots import Registry, asks, at, group

# Their chats are called as they are; `off` is not in order.
HOME, MAIL, NOTES, IDLE = group("home", is_main=True), group("mail", "notes", "off"), group("notes"), group("idle")
ALL = (HOME, MAIL, NOTES, IDLE)
OFF = {at("off"): GroupName("off")}
ANSWERED, ITS_OWN = "answered", "answered, by itself"
IS_ROLE = texts.GROUP_IS_A_ROLE(role="researcher")
MAY_ASK = {"home": "idle, mail, notes", "mail": "notes", "idle": texts.NO_OTHER_GROUP}


def not_main(asking: str, group: str) -> str:
    return texts.MAY_NOT_ASK_MAIN(asking=asking, group=group, groups=MAY_ASK[asking])


def barred(asking: str, group: str) -> str:
    return texts.MAY_NOT_ASK(asking=asking, group=group, groups=MAY_ASK[asking])


def unknown(asking: str, group: str) -> str:
    return texts.NO_SUCH_GROUP(asking=asking, group=group, groups=MAY_ASK[asking])


def out_of_order(asking: str, group: str) -> str:
    return texts.GROUP_OUT_OF_ORDER(asking=asking, group=group, groups=MAY_ASK[asking])


TABLE = {
    "home": {
        "home": ITS_OWN,
        "mail": ANSWERED,
        "notes": ANSWERED,
        "idle": ANSWERED,
        "off": out_of_order("home", "off"),
        "nobody": unknown("home", "nobody"),
        "Poet": unknown("home", "Poet"),
        "researcher": IS_ROLE,
    },
    "mail": {
        "home": not_main("mail", "home"),
        "mail": ITS_OWN,
        "notes": ANSWERED,
        "idle": barred("mail", "idle"),
        "off": out_of_order("mail", "off"),
        "nobody": unknown("mail", "nobody"),
        "Poet": unknown("mail", "Poet"),
        "researcher": IS_ROLE,
    },
    "idle": {
        "home": not_main("idle", "home"),
        "mail": barred("idle", "mail"),
        "notes": barred("idle", "notes"),
        "idle": ITS_OWN,
        "off": unknown("idle", "off"),
        "nobody": unknown("idle", "nobody"),
        "Poet": unknown("idle", "Poet"),
        "researcher": IS_ROLE,
    },
}
ROOMY = engine_options(swarm__max_depth=2, swarm__max_group_delegations=20, swarm__max_per_step=20)


def registry() -> Registry:
    return Registry(*ALL, broken=OFF)


def verdict(result: str, name: str) -> str:
    """A result as it stands in the table: a report exactly as it must be told, or a refusal."""
    report = f"<untrusted>\n[{name[:1].upper()}{name[1:]}]: {name}'s answer\n</untrusted>"
    told = {f"{report}\n{model.SAID_BY_A_GROUP}": ANSWERED, f"{report}\n{model.SAID_BY_YOUR_GROUP}": ITS_OWN}
    return told.get(result.partition("\n")[2], result)


def verdicts(bench: Bench, who: str, targets: Sequence[str]) -> dict[str, str]:
    """What the one who has asked all of them has heard."""
    last = [request.transcript[-1].content for request in bench.model.asked(who)]
    [blocks] = [content for content in last if len(content) == len(targets)]
    assert all(block.get("is_error", False) is not block["content"].startswith("delegation ") for block in blocks)
    return {name: verdict(block["content"], name) for name, block in zip(targets, blocks, strict=True)}


def alone(bench: Bench, caller: str, targets: Sequence[str]) -> str:
    bench.model.says(caller, asks(*targets), f"{caller}'s answer", "done")
    return caller


def in_a_hop(bench: Bench, caller: str, targets: Sequence[str]) -> str:
    bench.model.says("home", asks(caller))
    bench.model.says(caller, asks(*targets), f"{caller}'s answer", "done")
    bench.model.says("home", "done")
    return caller


def in_a_role(bench: Bench, caller: str, targets: Sequence[str]) -> str:
    bench.model.says(caller, delegates("researcher"), f"{caller}'s answer", "done")
    bench.model.says("researcher", asks(*targets), "found")
    return "researcher"


def in_a_role_of_a_hop(bench: Bench, caller: str, targets: Sequence[str]) -> str:
    bench.model.says("home", asks(caller))
    who = in_a_role(bench, caller, targets)
    bench.model.says("home", "done")
    return who


Placed = Callable[[Bench, str, Sequence[str]], str]
ALONE_AND_NESTED = [alone, in_a_hop, in_a_role, in_a_role_of_a_hop]


@pytest.mark.parametrize("place", ALONE_AND_NESTED)
@pytest.mark.parametrize("caller", TABLE)
async def test_the_asking_groups_list_decides_in_every_chat(bench: Bench, caller: str, place: Placed) -> None:
    bench.roles["researcher"] = role("researcher", "delegate", delegates_to=None)
    expected, targets = TABLE[caller], list(TABLE[caller])
    who = place(bench, caller, targets)
    for name, told in expected.items():
        if told == ANSWERED:
            bench.model.says(name, f"{name}'s answer")
    chat = "home" if "hop" in place.__name__ else caller
    async with bench.run(groups=registry(), **ROOMY):
        assert await says(bench, "go", chat) == "done"
    assert verdicts(bench, who, targets) == expected
    assert {address for (address,) in bench.select("DISTINCT address", "outbox")} == {f"fake:{chat}"}


@pytest.mark.parametrize("who", ["lead", "researcher"])
async def test_a_chat_of_the_lead_can_ask_no_group_and_none_by_way_of_a_role(bench: Bench, who: str) -> None:
    bench.roles["researcher"] = role("researcher", "delegate", delegates_to=None)
    names = [*TABLE, "off"]
    calls = [uses("delegate", role=name, task="x") for name in names]
    if who == "researcher":
        bench.model.says("lead", delegates(who))
    bench.model.says(who, asks(*names, "nobody"), reply(*calls), "found")
    bench.model.says("lead", "done")
    async with bench.run(groups=registry(), **engine_options(swarm__max_depth=2)):
        await says(bench, "go")
    as_groups, as_roles = [request.transcript[-1].content for request in bench.model.asked(who)][1:3]
    assert {block["content"] for block in as_groups} == {texts.CHAT_OF_NO_GROUP}
    assert [block["content"] for block in as_roles] == [texts.ROLE_IS_A_GROUP_ELSEWHERE(role=name) for name in names]


OWN = at("own")  # the owner's private chat, where no group is main


@pytest.mark.parametrize("who", ["lead", "researcher"])
async def test_without_main_the_lead_asks_every_group_for_the_owner(bench: Bench, who: str) -> None:
    bench.roles["researcher"] = role("researcher", "delegate", delegates_to=None)
    targets = ["mail", "notes", "idle", "off", "nobody"]
    if who == "researcher":
        bench.model.says("lead", delegates(who), "done")
    bench.model.says(who, asks(*targets), "done")
    for name in targets[:3]:
        bench.model.says(name, f"{name}'s answer")
    own = Registry(MAIL, NOTES, IDLE, broken=OFF, main_chats=[OWN])
    async with bench.run(groups=own, **ROOMY):
        assert await says(bench, "go", "own") == "done"
    told = verdicts(bench, who, targets)
    may = {"asking": "lead", "groups": "idle, mail, notes"}
    assert told == {
        **dict.fromkeys(targets[:3], ANSWERED),
        "off": texts.GROUP_OUT_OF_ORDER(group="off", **may),
        "nobody": texts.NO_SUCH_GROUP(group="nobody", **may),
    }
    [asked] = {
        str(request.transcript[0].content[-1]["text"]).partition(",")[0] for request in bench.model.asked("mail")
    }
    assert asked.endswith(f"{model.AGENT_OF_NO_GROUP} asks you")


async def test_without_main_other_chats_of_the_lead_still_ask_no_group(bench: Bench) -> None:
    bench.model.says("lead", asks("mail"), "done")
    async with bench.run(groups=Registry(MAIL, NOTES, main_chats=[OWN])):
        assert await says(bench, "go", "room") == "done"
    assert heard(bench) == [(texts.CHAT_OF_NO_GROUP, True)]


async def test_the_owners_prompt_names_all_groups_and_no_other_chats_does(bench: Bench) -> None:
    own = Registry(MAIL, NOTES, main_chats=[OWN])
    bench.model.says("lead", "1", "2", "3", "4")
    async with bench.run(groups=own):
        for chat in ("own", "room", "own", "elsewhere"):
            await says(bench, "go", chat)
    first, second, third, fourth = [request.prefix for request in bench.model.asked("lead")]
    assert first == third
    assert second == fourth
    assert "- mail: knows of mail\n- notes: knows of notes" in first.system
    assert "<groups>" not in second.system


@pytest.mark.parametrize("name", ["NOTES", "  notes ", "Notes\n", "nOtEs"])
async def test_a_group_is_known_in_any_case_and_with_blanks_around_it(bench: Bench, name: str) -> None:
    bench.model.says("mail", reply(uses("delegate", group=name, task="x"), uses("delegate", role=name, task="x")), "ok")
    bench.model.says("notes", "notes's answer")
    async with bench.run(groups=registry()):
        await says(bench, "go", "mail")
    (first, _), second = heard(bench, "mail")
    assert verdict(first, "notes") == ANSWERED
    assert second == (texts.ROLE_IS_A_GROUP(role=name.strip()), True)


@pytest.mark.parametrize(
    ("settings", "told", "of_a_role"),
    [
        ({"swarm__enabled": False}, texts.SWITCHED_OFF, texts.SWITCHED_OFF),
        ({"swarm__max_depth": 0}, ANSWERED, texts.SWITCHED_OFF),
        ({"swarm__max_depth": 1}, ANSWERED, ""),
    ],
)
async def test_groups_may_be_asked_though_roles_are_off(
    bench: Bench, settings: dict[str, Any], told: str, of_a_role: str
) -> None:
    calls = reply(*asks("notes").content, uses("delegate", role="researcher", task="x"))
    bench.model.says("mail", calls, "done")
    bench.model.says("notes", "notes's answer")
    bench.model.says("researcher", asks("notes"), "found")
    async with bench.run(groups=registry(), **engine_options(**settings)):
        await says(bench, "go", "mail")
    (of_group, _), (of_roles, _) = heard(bench, "mail")
    assert verdict(of_group, "notes") == told
    if of_a_role:
        assert of_roles == of_a_role
    else:
        assert heard(bench, "researcher") == [(texts.TOO_DEEP, True)]


async def test_a_role_with_a_list_of_roles_asks_no_group(bench: Bench) -> None:
    bench.roles["researcher"] = role("researcher", "delegate", delegates_to=["analyst"])
    bench.model.says("mail", delegates("researcher"), "done")
    bench.model.says("researcher", asks("notes", "mail", "nobody"), "found")
    async with bench.run(groups=registry(), **engine_options(swarm__max_depth=2)):
        await says(bench, "go", "mail")
    assert heard(bench, "researcher") == [(texts.ROLE_ASKS_NO_GROUP, True)] * 3
    assert "<groups>" not in bench.model.asked("researcher")[0].prefix.system


MAIL_ASKS_NOBODY = {"asking": "mail", "groups": texts.NO_OTHER_GROUP}
CHANGES = {
    "the asking one is gone": (
        [HOME, NOTES, IDLE],
        texts.YOUR_GROUP_OUT_OF_ORDER,
    ),
    "the asked one is gone": (
        [HOME, MAIL, IDLE],
        texts.GROUP_OUT_OF_ORDER(group="notes", **MAIL_ASKS_NOBODY),
    ),
    "it may no longer": (
        [HOME, group("mail"), NOTES, IDLE],
        texts.MAY_NOT_ASK(group="notes", **MAIL_ASKS_NOBODY),
    ),
    "the asked one is main now": (
        [MAIL, group("notes", is_main=True)],
        texts.MAY_NOT_ASK_MAIN(group="notes", **MAIL_ASKS_NOBODY),
    ),
    "its chat is another's now": (
        [group("mail", "notes", addresses=[at("else")]), group("other", addresses=[at("mail")]), NOTES],
        ANSWERED,
    ),
    "it has another case now": ([group("Mail", "notes"), NOTES], ANSWERED),
}


@pytest.mark.parametrize("change", CHANGES)
async def test_the_files_at_the_time_of_the_question_count(bench: Bench, change: str) -> None:
    now, (groups, told) = registry(), CHANGES[change]

    async def asks_after_a_change() -> ModelReply:
        now.groups = Registry(*groups).groups
        return asks("notes")

    bench.model.says("mail", asks_after_a_change, "done")
    bench.model.says("notes", "notes's answer")
    async with bench.run(groups=now):
        assert await says(bench, "go", "mail") == "done"
    [(result, _)] = heard(bench, "mail")
    assert verdict(result, "notes") == told
