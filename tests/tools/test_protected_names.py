"""What programs run or obey is written by no tool: not in any folder, in any case, or behind any link."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from bot.core.errors import ToolError
from bot.engine.long_messages import LONG_MESSAGES_FOLDER
from bot.tools.files import file_tools
from bot.tools.protected_names import PROTECTED_NAMES, protected_name_text
from tests.support.file_workspace import Desk

PATHS = {  # by the name that is refused
    ".git": (".git/config", ".git", "deep/er/.GIT/hooks/pre-commit", ".git/modules/x/config", "./notes/../.git/config"),
    ".bashrc": (".bashrc", "home/.BashRC", ".bashrc "),
    ".zshenv": (".zshenv",),
    ".ssh": (".ssh/authorized_keys", "notes/.ssh/config"),
    ".envrc": (".envrc", "project/.envrc", ".EnvRC."),
    ".vscode": (".vscode/tasks.json",),
    ".idea": (".idea/workspace.xml",),
    "CLAUDE.md": ("CLAUDE.md", "claude.md", "docs/Claude.MD", "CLAUDE.md::$DATA"),
    "AGENTS.md": ("AGENTS.md",),
    ".claude": (".claude/settings.json", ".claude/settings.local.json"),
    "workflows": (".github/workflows/x.yml", ".GitHub/Workflows/deep/x.yml", "repo/.github/workflows/x.yml"),
    "HEAD": ("HEAD", "bare/head"),
    "sitecustomize.py": ("sitecustomize.py",),
    "team.code-workspace": ("team.code-workspace",),
    ".g\u200bit": (".g\u200bit/config",),
    "\uff0egit": ("\uff0egit/config",),
}
FREE = (
    "git/config",
    ".gitignore",
    "heads/x",
    "head/x",
    ".github/ISSUE_TEMPLATE/x.md",
    "workflows/x.yml",
    "bashrc",
    "claude",
)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    root = tmp_path / "desk"
    (root / "notes").mkdir(parents=True)
    return Desk(root, {tool.name: tool for tool in file_tools(root)})


def left(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*")}


@pytest.mark.parametrize(("name", "path"), [(name, path) for name, paths in PATHS.items() for path in paths])
async def test_a_protected_name_is_not_written(desk: Desk, name: str, path: str) -> None:
    before = left(desk.root)
    said = await desk.fails("write_file", path=path, content="x")
    assert said.casefold().endswith(protected_name_text(name).casefold().partition(" ")[2])
    assert left(desk.root) == before, "no folder is made either"


@pytest.mark.parametrize("name", sorted(PROTECTED_NAMES))
async def test_every_protected_name_is_refused_as_a_file_and_as_a_folder(desk: Desk, name: str) -> None:
    for path in (name.upper(), f"notes/{name}", f"{name}/x"):
        with pytest.raises(ToolError, match="protected"):
            await desk.does("write_file", path=path, content="x")


@pytest.mark.parametrize("path", FREE)
async def test_names_that_only_look_alike_are_written(desk: Desk, path: str) -> None:
    await desk.does("write_file", path=path, content="x")
    assert (desk.root / path).read_text() == "x"


async def test_an_existing_protected_file_is_not_edited_and_may_be_read(desk: Desk) -> None:
    (desk.root / "CLAUDE.md").write_text("Be kind.\n")
    assert await desk.fails("edit_file", path="CLAUDE.md", old="kind", new="rude") == protected_name_text("CLAUDE.md")
    assert "Be kind." in str(await desk.does("read_file", path="CLAUDE.md"))


@pytest.mark.parametrize(
    ("link", "target", "path", "name"),
    [
        ("innocent", ".git", "innocent/config", ".git"),
        ("innocent", ".git/config", "innocent", ".git"),
        ("notes/up", "../.git", "notes/up/config", ".git"),
        ("forge", ".github", "forge/workflows/x.yml", "workflows"),
        ("CLAUDE.md", "notes/agent.txt", "CLAUDE.md", "CLAUDE.md"),
        (".vscode", "notes", ".vscode/tasks.json", ".vscode"),
    ],
)
async def test_no_link_leads_to_a_protected_name(desk: Desk, link: str, target: str, path: str, name: str) -> None:
    for folder in (".git", ".github/workflows"):
        (desk.root / folder).mkdir(parents=True)
    (desk.root / ".git" / "config").write_text("[core]\n")
    (desk.root / link).symlink_to(target)
    assert await desk.fails("write_file", path=path, content="x") == protected_name_text(name)
    assert await desk.fails("edit_file", path=path, old="[core]", new="x") == protected_name_text(name)
    assert (desk.root / ".git" / "config").read_text() == "[core]\n"


async def git(*words: str, at: Path) -> None:
    process = await asyncio.create_subprocess_exec("git", *words, cwd=at, stdout=asyncio.subprocess.DEVNULL)
    assert await process.wait() == 0


async def test_git_runs_nothing_that_a_tool_wrote(desk: Desk) -> None:
    """The attack itself: a setting that git runs as a command."""
    await git("init", "--quiet", at=desk.root)
    attack: dict[str, Any] = {"old": "[core]", "new": '[core]\n\tfsmonitor = "touch PWNED; false"'}
    await desk.fails("edit_file", path=".git/config", **attack)
    await git("status", at=desk.root)
    assert not (desk.root / "PWNED").exists()


def test_the_folder_of_long_messages_is_free() -> None:
    assert LONG_MESSAGES_FOLDER not in PROTECTED_NAMES
