"""The tool `use_skill`: what prompts say of skills, and what the model reads of one."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.core.errors import ToolError
from bot.core.images_and_pdfs import Media
from bot.core.prompt_prefix import estimate_tokens
from bot.core.skill import USE_SKILL_TOOL_NAME
from bot.core.sources import Source
from bot.tools import texts
from bot.tools.skills import MAX_DESCRIPTION_SHOWN, MAX_LIST_CHARACTERS, skill_tools
from tests.support.sample_media import png
from tests.support.skill_folder import BODY, SkillFolder


@dataclass(frozen=True)
class FakeTurn:
    tools: frozenset[str] = frozenset()


@dataclass(frozen=True)
class FakeContext:
    turn: FakeTurn = FakeTurn()


WITH_SHELL: Any = FakeContext(FakeTurn(frozenset({"shell"})))
WITHOUT_SHELL: Any = FakeContext()


async def use(folder: SkillFolder, context: Any = WITHOUT_SHELL, **arguments: Any) -> str:
    [tool] = skill_tools(folder.skills())
    return str(await tool.run(context, {"skill": "invoices", **arguments}))


async def fails(folder: SkillFolder, **arguments: Any) -> str:
    with pytest.raises(ToolError) as error:
        await use(folder, **arguments)
    return str(error.value)


# What prompts say


def test_without_skills_there_is_no_tool() -> None:
    assert skill_tools([]) == []


def test_the_tool_names_all_skills_with_their_descriptions(folder: SkillFolder) -> None:
    folder.skill("b")
    folder.skill("a", description="x" * 400)
    [tool] = skill_tools(folder.skills())
    cut = f"{'x' * MAX_DESCRIPTION_SHOWN}…"
    assert tool.name == USE_SKILL_TOOL_NAME
    assert tool.description == f"{texts.USE_SKILL}\n- a: {cut}\n- b: How to do b"


@pytest.mark.parametrize("trusted", [["A", "b"], ["a"], []])
def test_only_trusted_skills_are_the_operators_own_words(folder: SkillFolder, trusted: list[str]) -> None:
    folder.skill("a")
    folder.skill("b")
    [tool] = skill_tools(folder.load(trusted_skills=trusted).skills)
    is_own = len(trusted) == 2
    assert tool.description_source == (None if is_own else Source.SKILLS)
    assert tool.result_sources == (frozenset() if is_own else {Source.SKILLS})


def test_what_prompts_say_of_skills_is_bounded(folder: SkillFolder) -> None:
    for number in range(100):
        folder.skill(f"s{number:03}", description="x" * 1_000)
    [tool] = skill_tools(folder.skills())
    assert len(tool.description) < MAX_LIST_CHARACTERS + 1_500
    assert tool.description.endswith("- s099")
    assert estimate_tokens(tool.description) < 3_300


# What is read


async def test_the_body_of_a_skill_is_read_by_its_name_in_any_case(folder: SkillFolder) -> None:
    folder.skill()
    assert await use(folder, skill=" Invoices") == f"{BODY}\n"
    assert await use(folder, file="./SKILL.md") == f"{BODY}\n"
    assert await fails(folder, skill="Invoice") == texts.NO_SUCH_SKILL(name="Invoice", skills="invoices")


async def test_a_long_body_is_read_in_parts(folder: SkillFolder) -> None:
    folder.skill(body="\n".join(f"line {number} {'x' * 50}" for number in range(900)))
    first = await use(folder)
    offset = int(first.rpartition("offset ")[2].rstrip(")"))
    assert (await use(folder, offset=offset)).startswith(f"line {offset - 1} ")


async def test_other_files_of_the_folder_are_named_and_read(folder: SkillFolder) -> None:
    folder.skill()
    folder.write("invoices", "VAT is 8.1 %\u200b.", file="more/rates.md")
    folder.write("invoices", "x", file=".hidden")
    assert await use(folder) == f"{BODY}\n\n{texts.SKILL_FILES(files='more/rates.md')}"
    assert await use(folder, file="more/rates.md") == "VAT is 8.1 %."
    (folder.folder / "invoices" / "logo.png").write_bytes(png())
    [tool] = skill_tools(folder.skills())
    seen = await tool.run(WITHOUT_SHELL, {"skill": "invoices", "file": "logo.png"})
    assert isinstance(seen, Media)


async def test_of_scripts_it_is_said_whether_they_can_be_run(folder: SkillFolder) -> None:
    folder.skill()
    folder.write("invoices", "print(1)", file="sum.py")
    assert (await use(folder)).endswith(texts.SCRIPTS_DO_NOT_RUN)
    assert (await use(folder, WITH_SHELL)).endswith(texts.SKILL_FOLDER(folder=folder.folder / "invoices"))
    assert await use(folder, file="sum.py") == "print(1)"


@pytest.mark.parametrize(
    "file",
    ["../b/SKILL.md", "/etc/passwd", "link", "linked/SKILL.md", "more/../../b/SKILL.md", "/proc/self/root/etc/passwd"],
)
async def test_nothing_outside_of_the_folder_is_read(file: str, folder: SkillFolder, tmp_path: Path) -> None:
    folder.skill()
    folder.skill("b", body="other instructions")
    (tmp_path / "secret").write_text("secret words")
    (folder.folder / "invoices" / "link").symlink_to(tmp_path / "secret")
    (folder.folder / "invoices" / "linked").symlink_to(folder.folder / "b")
    said = await fails(folder, file=file)
    assert "secret words" not in said
    assert "other instructions" not in said
