"""The tool `use_skill`: the model reads a skill of the operator when it does what that is for."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from bot.core.acts import NO_EFFECTS, Effect
from bot.core.errors import ToolError
from bot.core.images_and_pdfs import Media
from bot.core.invisible_characters import strip_invisible
from bot.core.skill import SKILL_FILE, USE_SKILL_TOOL_NAME, Skill
from bot.core.sources import Source
from bot.core.texts import escape_unprintable
from bot.core.turn import CallKind
from bot.tools import Arguments, Tool, ToolContext, cut_long_result, texts
from bot.tools.files import FileTools
from bot.tools.parameters import Parameters
from bot.tools.result_pages import make_result_page
from bot.tools.workspace import Workspace

SKILL_TOOL_NAMES = frozenset({USE_SKILL_TOOL_NAME})
SHELL_TOOL_NAME = "shell"
MAX_DESCRIPTION_SHOWN = 300  # characters of each skill's description that every prompt shows
MAX_LIST_CHARACTERS = 8_000  # of all descriptions together; of further skills it shows the names
MAX_FILES_LISTED = 100
ALL_LINES = 10**9
SCRIPT_SUFFIXES = (".py", ".sh", ".bash", ".js", ".mjs", ".ts", ".rb", ".pl")


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillTool(Tool):
    skills: Mapping[str, Skill] = field(default_factory=dict)  # by casefolded name


def skill_tools(skills: Sequence[Skill]) -> list[Tool]:
    """Return the tool; none without skills, so that these cost nothing."""
    if not skills:
        return []
    parameters = Parameters.from_function(use_skill)
    by_name = {skill.name.casefold(): skill for skill in skills}
    is_trusted = all(skill.is_trusted for skill in skills)  # the list of them is one text

    async def run(context: ToolContext, arguments: Arguments) -> str | Media:
        given = parameters.validate_and_drop_nulls(arguments)
        found = await asyncio.to_thread(read_skill_file, context, find_skill(by_name, given["skill"]), given)
        return found if isinstance(found, Media) else cut_long_result(strip_invisible(found))

    return [
        SkillTool(
            name=USE_SKILL_TOOL_NAME,
            description=f"{texts.USE_SKILL}\n{list_skills(skills)}",
            input_schema=parameters.json_schema,
            kind=CallKind.READ,
            effects=NO_EFFECTS if is_trusted else frozenset({Effect.READS_UNTRUSTED}),
            untrusted_source=Source.SKILLS,
            description_source=None if is_trusted else Source.SKILLS,
            run=run,
            skills=by_name,
        )
    ]


def use_skill(
    context: ToolContext,
    skill: Annotated[str, "a listed skill"],
    file: Annotated[str, "a file of it to read; its instructions if left out"] = "",
    offset: Annotated[int, "the first line; 1 if left out"] = 1,
) -> str | Media:
    """The parameters of the tool."""
    raise NotImplementedError


def list_skills(skills: Sequence[Skill]) -> str:
    """Return a line for each skill, of bounded length together."""
    lines, left = list[str](), MAX_LIST_CHARACTERS
    for skill in skills:
        told = skill.description
        if len(told) > MAX_DESCRIPTION_SHOWN:
            told = f"{told[:MAX_DESCRIPTION_SHOWN].rstrip()}…"
        left -= len(told)
        lines.append(f"- {skill.name}: {told}" if left >= 0 else f"- {skill.name}")
    return "\n".join(lines)


def find_skill(skills: Mapping[str, Skill], name: str) -> Skill:
    """Return the skill of this name, in any case. Raise ToolError if there is none."""
    if found := skills.get(name.strip().casefold()):
        return found
    raise ToolError(texts.NO_SUCH_SKILL(name=escape_unprintable(name, 80), skills=", ".join(sorted(skills))))


def read_skill_file(context: ToolContext, skill: Skill, given: Arguments) -> str | Media:
    """Return the instructions of a skill, with the names of its files; or one of these files. Raise ToolError."""
    file, offset = given.get("file", ""), given.get("offset", 1)
    if file and os.path.normpath(file) != SKILL_FILE:
        return FileTools(Workspace(skill.folder)).read_file(context, file, offset)
    page = make_result_page(io.StringIO(skill.body + "\n", newline="\n").readlines(), offset, ALL_LINES)
    return f"{page}\n{about}" if (about := describe_files(context, skill)) else page


def describe_files(context: ToolContext, skill: Skill) -> str:
    """Return what else is in the folder of a skill, and whether its scripts can be run; empty if there is nothing."""
    names = list_files(skill.folder)
    if not names:
        return ""
    shown = ", ".join(escape_unprintable(name) for name in names[:MAX_FILES_LISTED])
    said = [texts.SKILL_FILES(files=shown) if len(names) <= MAX_FILES_LISTED else texts.MANY_SKILL_FILES(files=shown)]
    if SHELL_TOOL_NAME in context.turn.tools:
        said.append(texts.SKILL_FOLDER(folder=skill.folder))
    elif any(name.endswith(SCRIPT_SUFFIXES) for name in names):
        said.append(texts.SCRIPTS_DO_NOT_RUN)
    return "\n".join(said)


def list_files(folder: Path) -> list[str]:
    """Return the paths of the files in a folder, without hidden ones; of very many only some. No link is followed."""
    found = list[str]()
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name[0] != "." and name not in ("node_modules", "__pycache__"))
        below = [Path(place, name).relative_to(folder) for name in sorted(files) if name[0] != "."]
        found += [str(path) for path in below if str(path) != SKILL_FILE]
        if len(found) > MAX_FILES_LISTED:
            break
    return found
