"""The conversation that docs/groups.md shows: main asks a folder of notes and a repository, against the stand-in for
Claude, with groups that were made by the commands shown there."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.cli.groups import texts
from tests.stand_ins.claude import ClaudeStandIn
from tests.support.fakes import own_text
from tests.support.shell import Shell

SCRIPT = Path(__file__).parent / "asking.json"
QUESTION = "In which week is the offsite, and does booking.py close it?"
ANSWER = (
    "The offsite is in week 20. `booking.py` closes weeks 1 and 32 alone, so week 20 can still be booked by others."
)
SPECIALISTS = {
    "notes": ("4", "the household's notes: plans, dates, people", {"plans/away.md": "The offsite is in week 20.\n"}),
    "repo": (
        "9",
        "the code of the mill's booking page",
        {"booking.py": "CLOSED = {1, 32}  # weeks in which nobody can book\n"},
    ),
}


@pytest.fixture
async def server() -> AsyncIterator[ClaudeStandIn]:
    async with ClaudeStandIn() as running:
        running.script.read(json.loads(SCRIPT.read_text()))
        yield running


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.mark.timeout(120)  # six whole processes; one imports the SDK
async def test_a_main_chat_asks_two_specialists_as_the_guide_says(server: ClaudeStandIn, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.config(model={"base_url": server.base_url, "api_key": server.api_key})
    made = await shell.retinue("groups", "add", "home", "--main", "--description", "the household")
    assert (made.status, made.err) == (0, "")
    for name, (thread, description, files) in SPECIALISTS.items():
        where = ("--channel", "telegram", "--chat", "-1005550", "--thread", thread)
        assert (await shell.retinue("groups", "add", name, *where, "--description", description)).status == 0
        workspace = tmp_path / "groups" / name / "workspace"
        workspace.rmdir()
        workspace.symlink_to(write(tmp_path / "elsewhere" / name, files))
    assert (await shell.retinue("groups", "check")).out == f"{texts.GROUPS_IN_ORDER(3, groups='home, notes, repo')}\n"

    said = await shell.retinue("chat", "-m", QUESTION)
    assert (said.status, said.out) == (0, f"{ANSWER}\n")
    assert "[Repo]: I am reading booking.py." in said.err
    assert not server.script.unexpected
    heard = [json.dumps(request.asked.messages, ensure_ascii=False) for request in server.requests]
    read = {"notes": "The offsite is in week 20.", "repo": "weeks in which nobody can book"}  # in its own files
    for name, text in read.items():
        by = [request.asked.system for request, words in zip(server.requests, heard, strict=True) if text in words]
        assert len(by) == 1
        assert own_text(by[0]).startswith(texts.FIRST_INSTRUCTIONS(group=name).strip())
    tree = (await shell.retinue("sessions", "show", "1")).out.splitlines()
    assert re.fullmatch(rf"t\d+  Home: completed, \d+ s, \$0\.\d\d: {re.escape(QUESTION)}", tree[2])
    assert [line.split()[1] for line in tree[3:]] == ["Notes:", "Repo:"]
