"""Roles that do what their prompts describe come to their end, by the shipped roles and the default limits."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.assembly import load_roles_with_warnings, make_tools_and_workspace_folder
from bot.config import Config, LoadedConfig
from bot.config.resolved_settings import resolve_settings
from bot.core.prices import MILLION
from bot.core.settings import ModelSettings
from bot.models.claude import Claude
from tests.stand_ins.claude import Asked, ClaudeStandIn, Fetch, Page, Reply, Search, Text, Thinking, ToolUse, reply
from tests.support.bench import Bench
from tests.support.claude_bot import QUICK, REPLY

PAGES, PAGE_TOKENS = 10, 8_000
FILES, FILE_BYTES = 10, 24_000
FOUND = tuple(Page(f"https://a.example/{number}", f"Page {number}", "what it is about " * 20) for number in range(5))
LONG = "so it is written there, word for word. " * 100_000


async def ask(folder: Path, server: ClaudeStandIn, text: str) -> Bench:
    """One question to the bot as it is shipped; return the bench, for its rows."""
    bench = Bench(folder, is_gate_open=True)
    config = Config(workspace=folder / "workspace", data_dir=folder)
    roles = load_roles_with_warnings(LoadedConfig(config=config, path=None))
    bench.roles = dict(roles)
    claude = Claude(server.api_key, server.base_url, b"secret", is_anthropic=True, patience=QUICK)
    options = {
        "tools": make_tools_and_workspace_folder(config),
        "settings": config,
        "resolved": resolve_settings(config),
    }
    async with claude, bench.run(model=claude, **options):
        bench.chat.hears(text)
        assert (await bench.chat.part(REPLY)).text == "All of it."
    server.verify()
    return bench


def looks_up(asked: Asked) -> Reply:
    """One search and one page a step, and then the report."""
    if asked.step >= PAGES:
        return reply(Thinking("hm " * 300), "Ten pages say so.")
    looks = Search("q", FOUND), Fetch(f"https://a.example/{asked.step}", LONG)
    return reply(
        Thinking("hm " * 300), *looks, Text("I read on."), ToolUse("memory_search", {"query": f"x{asked.step}"})
    )


def reads(asked: Asked) -> Reply:
    if asked.step >= FILES:
        return reply(Thinking("hm " * 300), "All ten were read.")
    return reply(Thinking("hm " * 300), ToolUse("read_file", {"path": f"{asked.step}.txt"}))


@pytest.mark.parametrize(
    ("role", "at_once", "says"), [("researcher", 3, looks_up), ("coder", 1, reads)], ids=["researchers", "coder"]
)
async def test_shipped_roles_end_completed_within_a_dollar(
    tmp_path: Path, role: str, at_once: int, says: Callable[[Asked], Reply]
) -> None:
    (tmp_path / "workspace").mkdir()
    for number in range(FILES):
        (tmp_path / "workspace" / f"{number}.txt").write_text(LONG[:FILE_BYTES])
    async with ClaudeStandIn() as server:
        lead, worker = ModelSettings().lead, ModelSettings().roles
        calls = [ToolUse("delegate", {"role": role, "task": f"part {number}"}) for number in range(at_once)]

        def plays(asked: Asked) -> Reply:
            if asked.model == worker:
                return says(asked)
            return reply("All of it.") if asked.step else reply(*calls)

        server.script.rule(plays)
        bench = await ask(tmp_path, server, "find out")
        assert {request.asked.model for request in server.requests} == {lead, worker}
    ended = bench.rows("SELECT status, tokens, max_tokens FROM turns WHERE depth = 1")
    assert [status for status, _, _ in ended] == ["completed"] * at_once
    assert all(tokens >= 0.9 * PAGES * PAGE_TOKENS for _, tokens, _ in ended)
    [(cost, status)] = bench.rows("SELECT cost, status FROM turns WHERE depth = 0")
    assert status == "completed"
    assert cost <= MILLION
