"""What passes between groups: that words of others were read does, that private things were read does not."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.assembly import make_workspace_and_web_tools
from bot.core.messages import OutboundKind, PersonId
from bot.core.model import ModelReply
from bot.core.sources import Flags, flags_of
from tests.support.bench import Bench
from tests.support.fakes import reply, uses
from tests.support.group_bots import Registry, asks, group

NEITHER, UNTRUSTED, PRIVATE, BOTH = (
    Flags(*each) for each in ((False, False), (True, False), (False, True), (True, True))
)
READ = reply(uses("read_file", path="a.md"))
OWN_MEMORIES = reply(uses("memory_search"))


@pytest.fixture
def options(bench: Bench, tmp_path: Path) -> dict[str, Any]:
    """Two groups with a file each: home asks mail."""
    groups = []
    for name in ("home", "mail"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "a.md").write_text(f"private in {name}")
        groups.append(group(name, is_main=name == "home", tools=(), workspace=folder))
    registry = Registry(*groups)
    return {"groups": registry, "tools": make_workspace_and_web_tools(tmp_path / "desk", registry)}


async def home_says(bench: Bench, *replies: ModelReply) -> None:
    bench.model.says("home", *replies, "done")
    bench.chat.hears("go", chat="home")
    assert await bench.chat.said(OutboundKind.REPLY) == "done"


def flags(bench: Bench) -> list[Flags]:
    """Return the flags of all conversations, home's first."""
    rows = bench.rows("SELECT sources FROM sessions ORDER BY rowid")
    return [flags_of(frozenset(json.loads(sources)), PersonId("Ann")) for (sources,) in rows]


async def test_a_question_does_not_pass_on_that_private_things_were_read(bench: Bench, options: dict[str, Any]) -> None:
    bench.is_gate_open = True
    bench.model.says("mail", "found", "found")
    async with bench.run(**options):
        await home_says(bench, OWN_MEMORIES, asks("mail"))
        assert flags(bench) == [PRIVATE, NEITHER]
        await home_says(bench, READ, asks("mail"))
    assert flags(bench) == [BOTH, NEITHER, UNTRUSTED]


@pytest.mark.parametrize("is_background", [False, True], ids=["waiting", "in the background"])
async def test_an_answer_does_not_pass_on_that_private_things_were_read(
    bench: Bench, options: dict[str, Any], is_background: bool
) -> None:
    bench.model.says("mail", READ, "found")
    async with bench.run(**options):
        if is_background:
            bench.model.says("home", asks("mail", background=True), "begun", "noted")
            bench.chat.hears("go", chat="home")
            said = {await bench.chat.said(OutboundKind.REPLY), await bench.chat.said(OutboundKind.REPLY)}
            assert said == {"begun", "noted"}
        else:
            await home_says(bench, asks("mail"))
    assert flags(bench) == [UNTRUSTED, BOTH]


async def test_an_answer_that_is_handed_to_a_role_passes_on_the_same(bench: Bench, options: dict[str, Any]) -> None:
    bench.model.says("mail", READ, "found")
    bench.model.says("writer", "written")
    async with bench.run(**options):
        await home_says(bench, asks("mail"))
        await home_says(bench, reply(uses("delegate", role="writer", task="x", context_from=["t1/2/0"])))
    assert flags(bench) == [UNTRUSTED, BOTH, UNTRUSTED]


async def test_within_a_group_both_are_passed_on(bench: Bench, options: dict[str, Any]) -> None:
    bench.model.says("researcher", "nothing")
    async with bench.run(**options):
        await home_says(bench, OWN_MEMORIES, reply(uses("delegate", role="researcher", task="x")))
    assert flags(bench) == [PRIVATE, PRIVATE]
