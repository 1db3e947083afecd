"""Read one role file: Markdown. Its front matter holds the keys, its text is the role's prompt."""

import re
import stat
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from pathlib import Path

from pydantic import ValidationError

from bot.config.roles import claude_code_files, texts
from bot.config.roles.frontmatter import MAX_FILE_BYTES, FrontMatterError, parse_front_matter
from bot.config.validation_errors import describe_mistakes
from bot.core.errors import ConfigError
from bot.core.picture_types import PICTURE_SUFFIXES, picture_type
from bot.core.prompt_prefix import Effort
from bot.core.setting_types import Hosts, NonEmptyText
from bot.core.settings import PresetLimits, RolePreset, Section

MAX_PICTURE_BYTES = 256 * 1024
ROLE_NAME_PATTERN = re.compile(r"\w(?:[\w -]{0,62}\w)?")  # as long as names of Claude Code's agents may be
GROUP_NAME_PATTERN = re.compile(r"\w(?:[\w -]{0,38}\w)?")


class RoleKeys(Section):
    """The keys of a role file. The default of a missing key depends on the config."""

    name: NonEmptyText | None = None  # None: the file's name
    description: str | None = None
    tools: tuple[NonEmptyText, ...] | None = None
    model: NonEmptyText | None = None
    effort: Effort | None = None
    limits: PresetLimits = PresetLimits()
    delegates_to: tuple[NonEmptyText, ...] | None = None
    hosts: Hosts | None = None
    picture: NonEmptyText | None = None  # the name of a file beside the role file


ROLE_KEY_NAMES = (*RoleKeys.model_fields, *(f"limits.{name}" for name in PresetLimits.model_fields))


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleFile:
    path: Path
    name: str
    effort: str
    keys: RolePreset  # all other keys and the prompt, in the form of a preset
    is_foreign: bool = False  # written for Claude Code
    ignored_keys: tuple[str, ...] = ()
    ignored_tools: tuple[str, ...] = ()
    picture: bytes = field(default=b"", repr=False)

    def without_delegating_to(self, roles: Collection[str]) -> "RoleFile":
        if not roles:
            return self
        left = tuple(name for name in self.keys.delegates_to or () if name not in roles)
        return replace(self, keys=self.keys.model_copy(update={"delegates_to": left}))


def read_role_file(path: Path, known: frozenset[str]) -> RoleFile:
    """Return a role file. `known` are the names of all tools. Raise ConfigError with the line or key of a mistake."""
    try:
        values, prompt = parse_front_matter(read_markdown_file(path))
        ours = claude_code_files.translate_role_keys(values, RoleKeys.model_fields, known)
    except FrontMatterError as wrong:
        raise ConfigError(f"{path}{f':{wrong.line}' if wrong.line else ''}: {wrong}") from None
    try:
        front = RoleKeys.model_validate(ours.values)
    except ValidationError as error:
        mistakes = describe_mistakes(
            error,
            lambda key: texts.UNKNOWN_KEY(key=key, nearest=nearest_name(key, ROLE_KEY_NAMES)),
            lambda key: claude_code_files.key_name_in_file(key, values),
        )
        raise ConfigError(*(f"{path}: {said}" for _, said in mistakes)) from None
    name = front.name or path.stem
    if not ROLE_NAME_PATTERN.fullmatch(name):
        raise ConfigError(texts.NAME_NOT_VALID(path=path))
    if not prompt:
        raise ConfigError(texts.NO_PROMPT(path=path))
    others = front.model_dump(exclude={"name", "effort", "picture"})
    return RoleFile(
        path=path,
        name=name,
        effort=front.effort or "",
        keys=RolePreset(system_prompt=prompt, **others),
        is_foreign=ours.is_foreign,
        ignored_keys=ours.ignored_keys,
        ignored_tools=ours.ignored_tools,
        picture=read_picture(path, front.picture) if front.picture else b"",
    )


def read_picture(role: Path, name: str) -> bytes:
    """Return the picture with that name beside a role file. Raise ConfigError if it is no picture of a known kind."""
    path = role.with_name(name) if name == Path(name).name and name.lower().endswith(PICTURE_SUFFIXES) else None
    if path is None or not is_beside(path, role):  # a link could show any file to the chat
        raise ConfigError(texts.PICTURE_ELSEWHERE(path=role, name=name))
    content = read_small_file(path, MAX_PICTURE_BYTES)
    if not picture_type(content):
        raise ConfigError(texts.NOT_A_PICTURE(path=path))
    return content


def is_beside(path: Path, role: Path) -> bool:
    """Return True if a file, behind all links, lies in the folder of the role file, which may be a link itself."""
    try:
        return path.resolve().parent in (role.parent.resolve(), role.resolve().parent)
    except (OSError, RuntimeError, ValueError):  # a link to itself, or a name that no file can have
        return False


def read_markdown_file(path: Path, most_bytes: int = MAX_FILE_BYTES) -> str:
    try:
        return read_small_file(path, most_bytes).decode()
    except UnicodeDecodeError:
        raise ConfigError(texts.FILE_NOT_UTF8(path=path)) from None


def read_small_file(path: Path, most_bytes: int) -> bytes:
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # opening a pipe would block
            raise ConfigError(texts.NO_FILE(path=path))
        with path.open("rb") as file:
            content = file.read(most_bytes + 1)
    except OSError as error:
        raise ConfigError(texts.FILE_NOT_READABLE(path=path, reason=error.strerror)) from None
    if len(content) > most_bytes:
        raise ConfigError(texts.FILE_TOO_LARGE(path=path, kib=most_bytes // 1024))
    return content


def nearest_name(name: str, names: Iterable[str]) -> str:
    return max(sorted(names), key=lambda other: SequenceMatcher(None, name.casefold(), other.casefold()).ratio())
