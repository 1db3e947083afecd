"""Read the operator's skills: each is a folder in `skills_dir` with a file SKILL.md. A skill with a fault is left out,
and the others work."""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bot.config import Config, texts
from bot.config.roles import known_tools
from bot.config.roles.claude_code_files import parse_tool_list, translate_tool_names
from bot.config.roles.file import read_markdown_file
from bot.config.roles.frontmatter import FrontMatterError, parse_front_matter
from bot.core.errors import ConfigError
from bot.core.invisible_characters import find_hidden
from bot.core.skill import SKILL_FILE, Skill

MAX_SKILLS = 100
MAX_SKILL_BYTES = 256 * 2**10  # of SKILL.md
MAX_NAME_CHARACTERS = 64
MAX_DESCRIPTION_CHARACTERS = 1_024
MAX_WORD_CHARACTERS = 2_000  # a longer one is no word: packed or encrypted text, which nobody has read


class SkillError(Exception):
    """The message says what is wrong with a skill."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedSkills:
    skills: tuple[Skill, ...] = ()
    faults: tuple[str, ...] = ()


def load_skills(config: Config) -> LoadedSkills:
    """Return the skills by name, and what is wrong with others."""
    found, faults, all_names = dict[str, Skill](), list[str](), dict[str, Skill]()
    trusted = {name.casefold() for name in config.trusted_skills}
    written_by_roles = [config.workspace.resolve(), config.swarm.groups_dir.resolve()]
    try:
        folders = [*iterate_skill_folders(config.skills_dir)]
    except OSError as error:
        return LoadedSkills(faults=(texts.SKILLS_FOLDER_NOT_READABLE(path=config.skills_dir, reason=error.strerror),))
    for folder in folders:
        path = folder / SKILL_FILE
        try:
            if any(path.resolve().is_relative_to(each) for each in written_by_roles):
                raise SkillError(texts.SKILL_LINK_INTO_WORKSPACE)
            skill = read_skill(path, known_tools(config))
            skill = replace(skill, is_trusted=skill.name.casefold() in trusted)
            other = all_names.setdefault(skill.name.casefold(), skill)
            if other is not skill:  # neither is used: the name may be trusted, and only one of them be meant by it
                if found.pop(skill.name.casefold(), None):
                    both = texts.SKILL_NAME_TWICE(name=skill.name, other=folder)
                    faults.append(texts.SKILL_FAULT(path=other.folder / SKILL_FILE, fault=both))
                raise SkillError(texts.SKILL_NAME_TWICE(name=skill.name, other=other.folder))
            if len(found) >= MAX_SKILLS:
                raise SkillError(texts.TOO_MANY_SKILLS(most=MAX_SKILLS))
            found[skill.name.casefold()] = skill
        except SkillError as wrong:
            faults.append(texts.SKILL_FAULT(path=path, fault=wrong))
        except ConfigError as wrong:  # it names the path
            faults += wrong.lines
    return LoadedSkills(skills=tuple(found[name] for name in sorted(found)), faults=tuple(faults))


def iterate_skill_folders(folder: Path) -> Iterator[Path]:
    try:
        paths = sorted(folder.iterdir())
    except FileNotFoundError:
        return
    yield from (path for path in paths if path.name[0] != "." and (path / SKILL_FILE).is_file())


def read_skill(path: Path, known: frozenset[str]) -> Skill:
    """Return a skill. Raise SkillError or ConfigError if it cannot be used. Keys that are used elsewhere, such as a
    licence, are ignored."""
    text = read_markdown_file(path, MAX_SKILL_BYTES).removeprefix("\ufeff")
    reject_rubbish(text)
    try:
        values, body = parse_front_matter(text)
        tools = read_tools(values.get("tools"), known)
    except FrontMatterError as wrong:
        raise ConfigError(f"{path}{f':{wrong.line}' if wrong.line else ''}: {wrong}") from None
    name = read_line(values, "name", MAX_NAME_CHARACTERS) or path.parent.name
    if len(name) > MAX_NAME_CHARACTERS or not name.replace("-", "").replace("_", "").replace(" ", "").isalnum():
        raise SkillError(texts.SKILL_NAME_NOT_VALID(most=MAX_NAME_CHARACTERS))
    description = read_line(values, "description", MAX_DESCRIPTION_CHARACTERS)
    if not description:
        raise SkillError(texts.SKILL_WITHOUT_DESCRIPTION)
    if not body:
        raise SkillError(texts.SKILL_WITHOUT_BODY)
    return Skill(name=name, description=description, body=body, folder=path.parent.resolve(), tools=tools)


def read_line(values: dict[str, Any], key: str, most: int) -> str:
    """Return a value on one line; empty if there is none. Raise SkillError if it is no text, or too long."""
    value = values.get(key, "")
    if not isinstance(value, str):
        raise SkillError(texts.SKILL_VALUE_NOT_TEXT(key=key))
    line = " ".join(value.split())
    if len(line) > most:
        raise SkillError(texts.SKILL_VALUE_TOO_LONG(key=key, most=most))
    return line


def read_tools(value: object, known: Iterable[str]) -> frozenset[str] | None:
    """Return the tools that a skill names; None if it names none. Names of Claude Code's tools are translated. Raise
    FrontMatterError or SkillError."""
    if value is None:
        return None
    names = frozenset(translate_tool_names(parse_tool_list(value, "tools")))
    if unknown := sorted(names - frozenset(known)):
        raise SkillError(texts.SKILL_TOOLS_UNKNOWN(tools=", ".join(unknown)))
    return names


def reject_rubbish(text: str) -> None:
    """Raise SkillError if the text has something that its reader would not see, or that nobody can read."""
    if hidden := find_hidden(text):
        place, code = hidden
        raise SkillError(texts.SKILL_WITH_INVISIBLE(line=place, code=code))
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        for sign in line:
            if unicodedata.category(sign) in ("Cc", "Co") and sign != "\t":
                raise SkillError(texts.SKILL_WITH_CONTROLS(line=number, code=f"U+{ord(sign):04X}"))
        if max(map(len, line.split()), default=0) > MAX_WORD_CHARACTERS:
            raise SkillError(texts.SKILL_WITH_LONG_WORD(line=number, most=MAX_WORD_CHARACTERS))
