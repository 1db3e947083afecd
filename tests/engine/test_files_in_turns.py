"""The file tools in the hands of the whole bot, also where it crashes between."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from bot.core.role import LEAD_ROLE_NAME
from bot.core.texts import model
from bot.tools import Tool, ToolContext, texts
from bot.tools.files import FILE_TOOL_NAMES
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import reply, role, uses
from tests.support.file_workspace import Desk, desk

__all__ = ["desk"]


def at_the(desk: Desk, bench: Bench) -> dict[str, Any]:
    bench.is_gate_open = True
    bench.roles = {LEAD_ROLE_NAME: role("lead", *FILE_TOOL_NAMES)}
    return {"tools": list(desk.tools.values()), **engine_options(writable_workspace=desk.root)}


async def test_the_lead_reads_and_writes_real_files(bench: Bench, desk: Desk) -> None:
    (desk.root / "a.md").write_text("a word\n")
    bench.model.says(
        "lead",
        reply(uses("read_file", path="a.md"), uses("list_dir")),
        reply(uses("write_file", path="b/c.md", content="two words\n")),
        reply(uses("edit_file", path="b/c.md", old="two", new="three")),
        reply(uses("read_file", path="../a.md")),
        "done",
    )
    async with bench.run(**at_the(desk, bench)):
        bench.chat.hears("go on")
        assert await bench.chat.said() == "done"
    assert (desk.root / "b" / "c.md").read_text() == "three words\n"
    assert [bench.model.heard("lead", nth) for nth in range(1, 5)] == [
        ["a word\n", f"{texts.FILE_ENTRY(7, name='a.md')}\n"],
        [texts.FILE_WRITTEN(10, path="b/c.md")],
        [texts.FILE_EDITED(path="b/c.md", line=1)],
        [texts.PATH_ERRORS["EXDEV"](path="../a.md")],
    ]


class Stuck:
    """A tool that does its work and never says so, once."""

    def __init__(self, tool: Tool) -> None:
        self.done = asyncio.Event()
        self.times = 0
        self.work = tool.run
        self.tool = replace(tool, run=self.run)

    async def run(self, context: ToolContext, arguments: dict[str, Any]) -> str:
        self.times += 1
        result = str(await self.work(context, arguments))
        if self.times == 1:
            self.done.set()
            await asyncio.Event().wait()
        return result


@pytest.mark.parametrize(
    ("call", "times", "heard"),
    [
        (uses("write_file", path="a", content="one\none\n"), 2, texts.FILE_REPLACED(8, path="a")),
        (uses("edit_file", path="a", old="two", new="two two"), 1, model.CALL_INTERRUPTED),
    ],
    ids=lambda value: value["name"] if isinstance(value, dict) else "",
)
async def test_after_a_crash_the_same_whole_is_written_again_and_an_edit_is_not(
    bench: Bench, desk: Desk, call: dict[str, Any], times: int, heard: str
) -> None:
    (desk.root / "a").write_text("two\n")
    stuck = Stuck(desk.tools[call["name"]])
    options = at_the(desk, bench)
    options["tools"] = [stuck.tool if tool.name == call["name"] else tool for tool in options["tools"]]
    bench.model.says("lead", reply(call), "I looked")
    async with bench.run(**options):
        bench.chat.hears("go")
        await stuck.done.wait()
        bench.crashes()
    async with bench.run(**options):
        assert await bench.chat.said() == "I looked"
    assert stuck.times == times
    assert bench.model.heard("lead") == [heard]
    assert (desk.root / "a").read_text() == ("one\none\n" if times == 2 else "two two\n")
