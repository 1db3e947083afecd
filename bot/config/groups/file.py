"""One group's file: Markdown, whose front matter holds the keys, and whose text is what its agent is told."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ValidationError

from bot.config import texts as config_texts
from bot.config.groups import texts
from bot.config.groups.address import parse_group_address
from bot.config.roles import claude_code_files
from bot.config.roles.file import NAME_PATTERN, nearest_name, read_markdown_file
from bot.config.roles.frontmatter import MAX_FILE_BYTES, FrontMatterError, parse_front_matter
from bot.config.settings import Name, PresetLimits
from bot.config.validation_errors import describe_validation_error
from bot.core.errors import ConfigError
from bot.core.messages import Address
from bot.core.setting_types import Section

INSTRUCTIONS_FILE, WORKSPACE_FOLDER = "instructions.md", "workspace"
KEY_LINE = re.compile(r"^(?P<key>address|main)[ \t]*:[ \t]*(?P<value>[^\r\n]*?)[ \t]*(?:#[^\r\n]*)?$", re.MULTILINE)


def parse_true_or_false(value: object) -> bool:
    if value not in ("true", "false"):  # every value is a text here
        raise ValueError(config_texts.MUST_BE_BOOLEAN)
    return value == "true"


def check_group_name(name: str) -> str:
    if not NAME_PATTERN.fullmatch(name):
        raise ValueError(texts.NAME_NOT_OF_A_FOLDER)
    return name


class GroupKeys(Section):
    """The keys of a group's file. What is left out has its default, which depends on the config."""

    name: Name | None = None  # the folder's
    description: str = ""
    address: Annotated[Address, BeforeValidator(parse_group_address)] | None = None
    tools: tuple[Name, ...] | None = None
    model: Name | None = None
    limits: PresetLimits = PresetLimits()
    allow_delegation: tuple[Annotated[str, AfterValidator(check_group_name)], ...] = ()
    main: Annotated[bool, BeforeValidator(parse_true_or_false)] = False


NO_KEYS = GroupKeys()
GROUP_KEY_NAMES = (*GroupKeys.model_fields, *(f"limits.{name}" for name in PresetLimits.model_fields))


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupFile:
    """A folder of `swarm.groups_dir`, and what its file says. Of one that cannot be read, `fault` says why, and of the
    rest what can be found in it all the same."""

    path: Path
    name: str
    front: GroupKeys = NO_KEYS
    prompt: str = ""
    fault: str = ""  # one line, with the file, the key and what to do
    is_empty: bool = False  # nothing stands in it, or it is not there

    @property
    def is_main(self) -> bool:
        return self.front.main

    @property
    def is_registered(self) -> bool:
        """Whether it is a group, in order or not. A folder that says neither where it lives nor that it is main is
        none; one whose file cannot be read might be."""
        return bool(self.front.address or self.front.main or self.fault)

    @property
    def workspace(self) -> Path:
        return self.path.parent / WORKSPACE_FOLDER

    def with_fault(self, what: str) -> GroupFile:
        """The same with that fault, if it is the first."""
        return self if self.fault else replace(self, fault=f"{self.path}: {what}")


def read_group_file(path: Path) -> GroupFile:
    """The group of that file, named as the folder it lies in; raises nothing."""
    name = path.parent.name
    try:
        if not path.exists() and not path.is_symlink():
            return GroupFile(path=path, name=name, is_empty=True)
        text = read_markdown_file(path)
        if not text.strip("\ufeff \t\r\n"):
            return GroupFile(path=path, name=name, is_empty=True)
        return parse_group_file(path, name, text)
    except ConfigError as error:
        return GroupFile(path=path, name=name, front=salvage_keys_from_file(path), fault=str(error))
    except OSError as error:
        return GroupFile(path=path, name=name, fault=texts.FILE_NOT_READABLE(path=path, reason=error.strerror))


def parse_group_file(path: Path, name: str, text: str) -> GroupFile:
    """Return what a file with that text would be. Raise ConfigError if the text is wrong."""
    if not text.lstrip("\ufeff").startswith("---") and salvage_keys(text) == NO_KEYS:
        return GroupFile(path=path, name=name, prompt=text.strip())  # a prompt that is no group's yet
    try:
        values, prompt = parse_front_matter(text, needs_keys=False)
        front = GroupKeys.model_validate(translate_tools(values))
    except FrontMatterError as wrong:
        raise ConfigError(f"{path}{f':{wrong.line}' if wrong.line else ''}: {wrong}") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        raise ConfigError(f"{path}: {describe_validation_error(first, describe_unknown_group_key)}") from None
    return GroupFile(path=path, name=name, front=front, prompt=prompt)


def describe_unknown_group_key(key: str) -> str:
    return texts.UNKNOWN_KEY(key=key, nearest=nearest_name(key, GROUP_KEY_NAMES))


def translate_tools(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Tools may be a text with commas, and have the names of Claude Code, as in a role's file."""
    if "tools" not in values:
        return values
    items = claude_code_files.parse_tool_list(values["tools"], "tools")
    return {**values, "tools": claude_code_files.own_tool_names(items)}


def salvage_keys_from_file(path: Path) -> GroupKeys:
    """Where a group lives whose file cannot be read as it should: nobody else may answer there."""
    try:
        if not path.is_file():  # to open a pipe would make us wait
            return NO_KEYS
        with path.open("rb") as file:
            return salvage_keys(file.read(MAX_FILE_BYTES).decode(errors="replace"))
    except OSError:
        return NO_KEYS


def salvage_keys(text: str) -> GroupKeys:
    """The first address and the first `main: true` of a text, wherever they stand."""
    said = [(each["key"], each["value"].strip("\"'")) for each in KEY_LINE.finditer(text.replace("\r\n", "\n"))]
    address = first_address([value for key, value in said if key == "address"])
    return NO_KEYS.model_copy(update={"address": address, "main": ("main", "true") in said})


def first_address(found: Sequence[str]) -> Address | None:
    for text in found:
        try:
            return parse_group_address(text)
        except ValueError:
            continue
    return None
