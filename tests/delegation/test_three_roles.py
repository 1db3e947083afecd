"""A conversation as docs/delegation.md shows it: three roles at work at once, against the stand-in for Claude."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.stand_ins.claude import ClaudeStandIn
from tests.support.shell import Shell

SCRIPT = Path(__file__).parent / "offsite.json"
UPDATES = {"reader": "The mill is free", "analyst": "The train is cheaper", "writer": "A first draft is there"}


@pytest.fixture
async def server() -> AsyncIterator[ClaudeStandIn]:
    async with ClaudeStandIn() as running:
        running.script.read(json.loads(SCRIPT.read_text()))
        yield running


@pytest.mark.timeout(90)  # two whole processes; one imports the SDK
async def test_three_roles_work_at_once_and_the_tree_tells_of_them(server: ClaudeStandIn, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.config(model={"base_url": server.base_url, "api_key": server.api_key})
    said = await shell.retinue("chat", "-m", "Plan our days away in May.")
    assert (said.status, "\nTake the mill" in said.out) == (0, True)  # after what was said beside the calls
    for role, text in UPDATES.items():
        assert f"[{role.capitalize()}]: {text}" in said.err
    assert server.most_at_once == 3
    assert not server.script.unexpected
    tree = (await shell.retinue("sessions", "show", "1")).out.splitlines()
    assert re.fullmatch(r"t\d+  Lead: completed, \d+ s, \$0\.\d\d: Plan our days away in May\.", tree[2])
    assert [line.split()[1] for line in tree[3:]] == ["Reader:", "Analyst:", "Writer:"]
    assert all(line.startswith("  ") and " completed, " in line for line in tree[3:])
