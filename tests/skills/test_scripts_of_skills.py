"""Scripts of skills are run by the shell, which can read a skill's folder and not change it."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bot.assembly import make_shell
from bot.core.call_progress import ignore_progress
from bot.core.sandbox import sandbox_fault
from tests.support.skill_folder import SkillFolder

pytestmark = pytest.mark.skipif(bool(sandbox_fault()), reason="no sandbox can start here")
NO_CONTEXT: Any = SimpleNamespace(report_progress=ignore_progress)  # the tool looks at nothing else


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    (tmp_path / "desk").mkdir()
    return tmp_path / "desk"


async def run(folder: SkillFolder, workspace: Path, command: str) -> str:
    [shell] = make_shell(folder.config(shell={"enabled": True}), folder.skills())(workspace)
    return str(await shell.run(NO_CONTEXT, {"command": command}))


async def test_a_script_of_a_skill_runs_and_cannot_change_its_folder(folder: SkillFolder, desk: Path) -> None:
    folder.skill()
    script = folder.write("invoices", "print(6 * 7)", file="sum.py")
    folder.write("draft", "x", file="notes.md")  # no skill
    assert "\n42" in await run(folder, desk, f"python3 {script}")
    said = await run(folder, desk, f"echo x > {script}; cat {folder.folder}/draft/notes.md")
    assert "Read-only file system" in said
    assert "No such file" in said
    assert script.read_text() == "print(6 * 7)"


async def test_a_skill_in_a_folder_that_is_hidden_otherwise_can_be_read(desk: Path) -> None:
    """As a tenant in a container has it: `roles/skills`."""
    folder = SkillFolder(desk.parent / "roles" / "skills")
    script = folder.skill().with_name("sum.py")
    folder.write("invoices", "print(6 * 7)", file="sum.py")
    folder.write("..", "secret", file="cook.md")
    [shell] = make_shell(
        folder.config(shell={"enabled": True}, swarm={"roles_dir": desk.parent / "roles"}, workspace=desk),
        folder.load().skills,
    )(desk)
    said = str(await shell.run(NO_CONTEXT, {"command": f"python3 {script}; cat {desk.parent}/roles/cook.md"}))
    assert "\n42" in said
    assert "No such file" in said
