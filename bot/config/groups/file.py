"""Read one group's file: Markdown. Its front matter holds the keys, its text is the agent's prompt."""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ValidationError

from bot.config.groups import texts
from bot.config.roles import claude_code_files
from bot.config.roles.file import GROUP_NAME_PATTERN, nearest_name, read_markdown_file
from bot.config.roles.frontmatter import MAX_FILE_BYTES, FrontMatterError, parse_front_matter
from bot.config.validation_errors import describe_mistakes
from bot.core.errors import ConfigError
from bot.core.messages import Address
from bot.core.platform import AddressForm
from bot.core.setting_types import Hosts, NonEmptyText
from bot.core.settings import PresetLimits, Section
from bot.core.texts import setting_values
from channels.registry import platforms
from channels.terminal.conversation import CHANNEL_NAME as TERMINAL

INSTRUCTIONS_FILE, WORKSPACE_FOLDER = "instructions.md", "workspace"
TERMINAL_ADDRESS_FORM = AddressForm(
    chat_pattern="local", example=texts.TERMINAL_ADDRESS_EXAMPLE, has_threads=lambda chat: False
)
THREAD_ID_PATTERN = re.compile(r"[1-9]\d{0,19}")
ADDRESS_OR_MAIN_LINE_PATTERN = re.compile(
    r"^(?P<key>address|main)[ \t]*:[ \t]*(?P<value>[^\r\n]*?)[ \t]*(?:#[^\r\n]*)?$", re.MULTILINE
)


def address_forms_by_channel() -> Mapping[str, AddressForm]:
    return {**{name: platform.address_form for name, platform in platforms().items()}, TERMINAL: TERMINAL_ADDRESS_FORM}


def parse_group_address(text: object) -> Address:
    """Return the address in a text: telegram:-1001234, or with a thread, telegram:-1001234:7. May raise ValueError."""
    if isinstance(text, Address):
        return text
    if not isinstance(text, str):
        raise ValueError(texts.ADDRESS_NOT_TEXT)
    forms = address_forms_by_channel()
    channel, *parts = text.strip().split(":")
    if channel not in forms:
        first = next(iter(forms.values()))
        raise ValueError(texts.NO_CHANNEL(channels=", ".join(forms), example=first.example))
    form = forms[channel]
    if len(parts) in (1, 2):
        found = Address.parse(text.strip())
        is_thread_valid = found.thread is None or (
            form.has_threads(found.chat) and THREAD_ID_PATTERN.fullmatch(found.thread)
        )
        if is_thread_valid and re.fullmatch(form.chat_pattern, found.chat, re.ASCII):
            return found
    raise ValueError(texts.NO_CHAT(example=form.example))


def parse_true_or_false(value: object) -> bool:
    if value not in ("true", "false"):  # every value in a front matter is text
        raise ValueError(setting_values.MUST_BE_BOOLEAN)
    return value == "true"


def validate_group_name(name: str) -> str:
    if not GROUP_NAME_PATTERN.fullmatch(name):
        raise ValueError(texts.NAME_NOT_OF_A_FOLDER)
    return name


class GroupKeys(Section):
    """The keys of a group's file. The default of a missing key depends on the config."""

    name: NonEmptyText | None = None  # must be the folder's name
    description: str = ""
    address: Annotated[Address, BeforeValidator(parse_group_address)] | None = None
    tools: tuple[NonEmptyText, ...] | None = None
    model: NonEmptyText | None = None
    hosts: Hosts = ()
    limits: PresetLimits = PresetLimits()
    allow_delegation: tuple[Annotated[str, AfterValidator(validate_group_name)], ...] = ()
    main: Annotated[bool, BeforeValidator(parse_true_or_false)] = False


EMPTY_GROUP_KEYS = GroupKeys()
GROUP_KEY_NAMES = (*GroupKeys.model_fields, *(f"limits.{name}" for name in PresetLimits.model_fields))


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupFile:
    """A folder in the groups folder. If its file has a mistake (`fault`), `keys` has the keys that are found anyway."""

    path: Path
    name: str
    keys: GroupKeys = EMPTY_GROUP_KEYS
    prompt: str = ""
    fault: str = ""  # one line, with the file, the key and what to do
    is_empty: bool = False  # the file is empty or missing

    @property
    def is_main(self) -> bool:
        return self.keys.main

    @property
    def is_registered(self) -> bool:
        """Return True if the folder is a group, even with a fault. A file that cannot be read might be a group's."""
        return bool(self.keys.address or self.keys.main or self.fault)

    @property
    def workspace(self) -> Path:
        return self.path.parent / WORKSPACE_FOLDER

    def with_fault(self, what: str) -> "GroupFile":
        return self if self.fault else replace(self, fault=f"{self.path}: {what}")


def read_group_file(path: Path) -> GroupFile:
    """Return the group of that file, with its folder's name. Mistakes are in `fault`; nothing is raised."""
    name = path.parent.name
    try:
        if not path.exists() and not path.is_symlink():
            return GroupFile(path=path, name=name, is_empty=True)
        text = read_markdown_file(path)
        if not text.strip("\ufeff \t\r\n"):
            return GroupFile(path=path, name=name, is_empty=True)
        return parse_group_file(path, name, text)
    except ConfigError as error:
        return GroupFile(path=path, name=name, keys=salvage_address_and_main_from_file(path), fault=str(error))
    except OSError as error:
        return GroupFile(path=path, name=name, fault=texts.FILE_NOT_READABLE(path=path, reason=error.strerror))


def parse_group_file(path: Path, name: str, text: str) -> GroupFile:
    """Return the group of a file with that text. Raise ConfigError if the text has a mistake."""
    if not text.lstrip("\ufeff").startswith("---") and salvage_address_and_main(text) == EMPTY_GROUP_KEYS:
        return GroupFile(path=path, name=name, prompt=text.strip())  # only a prompt: not registered yet
    try:
        values, prompt = parse_front_matter(text, needs_keys=False)
        if "tools" in values:  # a list, or a text with commas; names of Claude Code's tools are translated
            items = claude_code_files.parse_tool_list(values["tools"], "tools")
            values["tools"] = claude_code_files.translate_tool_names(items)
        front = GroupKeys.model_validate(values)
    except FrontMatterError as wrong:
        raise ConfigError(f"{path}{f':{wrong.line}' if wrong.line else ''}: {wrong}") from None
    except ValidationError as error:
        mistakes = describe_mistakes(
            error, lambda key: texts.UNKNOWN_KEY(key=key, nearest=nearest_name(key, GROUP_KEY_NAMES))
        )
        raise ConfigError(f"{path}: {next(mistakes)[1]}") from None
    return GroupFile(path=path, name=name, keys=front, prompt=prompt)


def salvage_address_and_main_from_file(path: Path) -> GroupKeys:
    """Return the address of a group whose file has a mistake, because no other agent may answer there."""
    try:
        if not path.is_file():  # opening a pipe would block
            return EMPTY_GROUP_KEYS
        with path.open("rb") as file:
            return salvage_address_and_main(file.read(MAX_FILE_BYTES).decode(errors="replace"))
    except OSError:
        return EMPTY_GROUP_KEYS


def salvage_address_and_main(text: str) -> GroupKeys:
    """Return the first valid address in a text, and whether it has a line `main: true`."""
    lines = ADDRESS_OR_MAIN_LINE_PATTERN.findall(text.replace("\r\n", "\n"))
    said = [(key, value.strip("\"'")) for key, value in lines]
    found: dict[str, Any] = {"main": ("main", "true") in said}
    for key, value in said:
        if key == "address" and "address" not in found:
            with suppress(ValueError):
                found["address"] = parse_group_address(value)
    return EMPTY_GROUP_KEYS.model_copy(update=found)
