"""Who may ask which group: every caller and every target, alone and nested; and what else a question may say."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from bot.limits import Settings
from bot.messages import GroupName
from bot.model import ModelReply
from bot.reports import OF_A_GROUP, OF_ITS_OWN
from tests.conftest import Bench
from tests.delegating import heard, says
from tests.fakes import delegates, reply, role, uses
from tests.grouping import Registry, asks, at, group

# Their chats are called as they are; `off` is not in order.
HOME, MAIL, NOTES, IDLE = group("home", is_main=True), group("mail", "notes", "off"), group("notes"), group("idle")
ALL = (HOME, MAIL, NOTES, IDLE)
OFF = {at("off"): GroupName("off")}
ANSWERED, ITS_OWN = "answered", "answered, by itself"
MAIN = "it is main, which no other group may"
HOME_MAY, MAIL_MAY, IDLE_MAY = (
    "home may ask idle, mail, notes",
    "mail may ask notes",
    "idle may ask no other group",
)
IS_ROLE = "researcher is a role, and no group: name it as 'role'"
NOT_THERE = "the group 'off' is not there now, or not in order: tell the person; "
TABLE = {
    "home": {
        "home": ITS_OWN,
        "mail": ANSWERED,
        "notes": ANSWERED,
        "idle": ANSWERED,
        "off": NOT_THERE + HOME_MAY,
        "nobody": f"there is no group 'nobody'; {HOME_MAY}",
        "Poet": f"there is no group 'Poet'; {HOME_MAY}",
        "researcher": IS_ROLE,
    },
    "mail": {
        "home": f"mail may not ask home: {MAIN}; {MAIL_MAY}",
        "mail": ITS_OWN,
        "notes": ANSWERED,
        "idle": f"mail may not ask idle: it is not in mail's allow_delegation; {MAIL_MAY}",
        "off": NOT_THERE + MAIL_MAY,
        "nobody": f"there is no group 'nobody'; {MAIL_MAY}",
        "Poet": f"there is no group 'Poet'; {MAIL_MAY}",
        "researcher": IS_ROLE,
    },
    "idle": {
        "home": f"idle may not ask home: {MAIN}; {IDLE_MAY}",
        "mail": f"idle may not ask mail: it is not in idle's allow_delegation; {IDLE_MAY}",
        "notes": f"idle may not ask notes: it is not in idle's allow_delegation; {IDLE_MAY}",
        "idle": ITS_OWN,
        "off": f"there is no group 'off'; {IDLE_MAY}",
        "nobody": f"there is no group 'nobody'; {IDLE_MAY}",
        "Poet": f"there is no group 'Poet'; {IDLE_MAY}",
        "researcher": IS_ROLE,
    },
}
ROOMY = Settings(max_depth=2, max_group_delegations=20, max_per_step=20)
GROUPLESS = "only a group may ask a group, and this chat is none's: do without"
BARRED = "your role says whom it delegates to, and a group is none of those: do without"
DISABLED = "Delegation is disabled in configuration: do the work yourself"
TOO_DEEP = "Cannot delegate from within a delegated task (recursion limit): do the work yourself"


def registry() -> Registry:
    return Registry(*ALL, broken=OFF)


def verdict(result: str, name: str) -> str:
    """A result as it stands in the table: a report exactly as it must be told, or a refusal."""
    report = f"<untrusted>\n[{name[:1].upper()}{name[1:]}]: {name}'s answer\n</untrusted>"
    told = {f"{report}\n{OF_A_GROUP}": ANSWERED, f"{report}\n{OF_ITS_OWN}": ITS_OWN}
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
async def test_who_may_ask_whom_is_judged_by_who_asks_wherever_that_is(
    bench: Bench, caller: str, place: Placed
) -> None:
    bench.roles["researcher"] = role("researcher", "delegate", delegates_to=None)
    expected, targets = TABLE[caller], list(TABLE[caller])
    who = place(bench, caller, targets)
    for name, told in expected.items():
        if told == ANSWERED:
            bench.model.says(name, f"{name}'s answer")
    chat = "home" if "hop" in place.__name__ else caller
    async with bench.run(groups=registry(), settings=ROOMY):
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
    async with bench.run(groups=registry(), settings=Settings(max_depth=2)):
        await says(bench, "go")
    as_groups, as_roles = [request.transcript[-1].content for request in bench.model.asked(who)][1:3]
    assert {block["content"] for block in as_groups} == {GROUPLESS}
    assert [block["content"] for block in as_roles] == [
        f"{name!r} is a group, and no role: {GROUPLESS}" for name in names
    ]


@pytest.mark.parametrize("name", ["NOTES", "  notes ", "Notes\n", "nOtEs"])
async def test_a_group_is_known_in_any_case_and_with_blanks_around_it(bench: Bench, name: str) -> None:
    bench.model.says("mail", reply(uses("delegate", group=name, task="x"), uses("delegate", role=name, task="x")), "ok")
    bench.model.says("notes", "notes's answer")
    async with bench.run(groups=registry()):
        await says(bench, "go", "mail")
    (first, _), second = heard(bench, "mail")
    assert verdict(first, "notes") == ANSWERED
    assert second == (f"{name.strip()!r} is a group, and no role: name it as 'group', if you may ask it", True)


@pytest.mark.parametrize(
    ("settings", "told", "of_a_role"),
    [
        ({"can_delegate": False}, DISABLED, DISABLED),
        ({"max_depth": 0}, ANSWERED, DISABLED),
        ({"max_depth": 1}, ANSWERED, ""),
    ],
)
async def test_where_roles_are_off_groups_may_be_asked_all_the_same(
    bench: Bench, settings: dict[str, Any], told: str, of_a_role: str
) -> None:
    calls = reply(*asks("notes").content, uses("delegate", role="researcher", task="x"))
    bench.model.says("mail", calls, "done")
    bench.model.says("notes", "notes's answer")
    bench.model.says("researcher", asks("notes"), "found")
    async with bench.run(groups=registry(), settings=Settings(**settings)):
        await says(bench, "go", "mail")
    (of_group, _), (of_roles, _) = heard(bench, "mail")
    assert verdict(of_group, "notes") == told
    if of_a_role:
        assert of_roles == of_a_role
    else:
        assert heard(bench, "researcher") == [(TOO_DEEP, True)]


async def test_a_role_that_says_whom_it_delegates_to_asks_no_group(bench: Bench) -> None:
    bench.roles["researcher"] = role("researcher", "delegate", delegates_to=["analyst"])
    bench.model.says("mail", delegates("researcher"), "done")
    bench.model.says("researcher", asks("notes", "mail", "nobody"), "found")
    async with bench.run(groups=registry(), settings=Settings(max_depth=2)):
        await says(bench, "go", "mail")
    assert heard(bench, "researcher") == [(BARRED, True)] * 3
    assert "<groups>" not in bench.model.asked("researcher")[0].prefix.system


CHANGES = {
    "the asking one is gone": (
        [HOME, NOTES, IDLE],
        "your group is no longer in order, so it can ask nobody: do without",
    ),
    "the asked one is gone": (
        [HOME, MAIL, IDLE],
        "the group 'notes' is not there now, or not in order: tell the person; mail may ask no other group",
    ),
    "it may no longer": (
        [HOME, group("mail"), NOTES, IDLE],
        "mail may not ask notes: it is not in mail's allow_delegation; mail may ask no other group",
    ),
    "the asked one is main now": (
        [MAIL, group("notes", is_main=True)],
        f"mail may not ask notes: {MAIN}; mail may ask no other group",
    ),
    "its chat is another's now": (
        [group("mail", "notes", addresses=[at("else")]), group("other", addresses=[at("mail")]), NOTES],
        ANSWERED,
    ),
    "it has another case now": ([group("Mail", "notes"), NOTES], ANSWERED),
}


@pytest.mark.parametrize("change", CHANGES)
async def test_what_the_files_say_when_it_asks_is_what_counts(bench: Bench, change: str) -> None:
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
