"""Translate role files that were written for other programs, above all Claude Code's sub-agents."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from bot.config.roles import texts
from bot.config.roles.frontmatter import FrontMatterError
from bot.core.texts import MAX_NAME_CHARACTERS, escape_unprintable
from bot.tools.shell import SHELL_TOOL_NAMES

TOOL_TRANSLATIONS: Mapping[str, tuple[str, ...]] = {  # by the name in lower case; case does not matter
    "read": ("read_file",),
    "write": ("write_file",),
    "edit": ("edit_file",),
    "multiedit": ("edit_file",),
    "ls": ("list_dir",),
    "glob": ("glob",),
    "grep": ("grep",),
    "bash": ("shell",),
    "websearch": ("web_search",),
    "webfetch": ("web_fetch",),
    "task": ("delegate",),
    "agent": ("delegate",),
    "memory_load": ("memory_get", "memory_search"),
    "search": ("web_search",),
    "document_query": ("read_file", "glob", "grep"),
}
TOOL_NAMES_AFTER_TRANSLATION = frozenset(name for names in TOOL_TRANSLATIONS.values() for name in names)
UNSUPPORTED_TOOL_PATTERN = re.compile(  # tools of Claude Code and of MCP servers that do not exist here
    r"mcp__.*|Notebook(Edit|Read)|Todo(Write|Read)|BashOutput|Kill(Shell|Bash)|Task(Output|Stop)|(Enter|Exit)PlanMode"
    r"|AskUserQuestion|Skill|SlashCommand"
)
LIMITS_BY_FOREIGN_KEY = {"maxTurns": "iterations", "maxTokenBudget": "tokens"}
TOOL_LIST_KEYS = ("tools", "allowedTools", "disallowedTools")
RESTRICTIVE_KEYS = (*TOOL_LIST_KEYS, "delegates_to", "limits")
MIN_KEY_SIMILARITY = 0.8  # `toolz` is similar enough to `tools`; `tags` is not
CLAUDE_CODE_ONLY_KEYS = frozenset(  # keys that only Claude Code uses
    {"color", "hooks", "permissionMode", "skills", "mcpServers", "memory", "background", "isolation", "initialPrompt"}
)
KEYS_ABOUT_THE_FILE = frozenset({"version", "author", "license", "category", "tags"})  # many published files have them
MODEL_FAMILY_ALIASES = ("sonnet", "opus", "haiku")
INHERIT_MODEL_ALIAS = "inherit"  # an alias of the lead's model
DELEGATE_TOOL_NAME = "delegate"


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslatedKeys:
    """A file's keys, translated to this project's names, and the ignored ones."""

    values: Mapping[str, Any]
    is_foreign: bool
    ignored_keys: tuple[str, ...] = ()
    ignored_tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolItem:
    name: str
    text_in_brackets: str | None

    @property
    def is_foreign(self) -> bool:
        # `glob` is our name too
        is_theirs = self.name.casefold() in TOOL_TRANSLATIONS and self.name not in TOOL_NAMES_AFTER_TRANSLATION
        return self.text_in_brackets is not None or bool(UNSUPPORTED_TOOL_PATTERN.fullmatch(self.name)) or is_theirs

    @property
    def translated_names(self) -> tuple[str, ...]:
        """Return its names here; one foreign tool may be several of ours. A tool with conditions keeps its full text,
        because it would do more without them. The exception is `Agent(role, …)`."""
        names = TOOL_TRANSLATIONS.get(self.name.casefold(), (self.name,))
        has_conditions = self.text_in_brackets is not None and names != (DELEGATE_TOOL_NAME,)
        return (f"{self.name}({self.text_in_brackets})",) if has_conditions else names


def translate_role_keys(values: Mapping[str, Any], own: Iterable[str], known: frozenset[str]) -> TranslatedKeys:
    """Return a file's keys, translated to this project's names. `own` are our keys of a role, `known` the names of all
    tools. Raise FrontMatterError if a key cannot be translated."""
    lists = {key: parse_tool_list(values[key], key) for key in TOOL_LIST_KEYS if key in values}
    if "tools" in lists and "allowedTools" in lists:
        raise FrontMatterError(texts.TWO_KEYS_FOR_ONE(key="tools", other="allowedTools"))
    chosen = lists.get("tools", lists.get("allowedTools", []))
    is_foreign = bool(
        values.keys()
        & (CLAUDE_CODE_ONLY_KEYS | KEYS_ABOUT_THE_FILE | {*LIMITS_BY_FOREIGN_KEY, "allowedTools", "disallowedTools"})
        or any(item.is_foreign for each in lists.values() for item in each)
    )
    keys = (*own, *LIMITS_BY_FOREIGN_KEY, *TOOL_LIST_KEYS)
    ignored = sorted(values.keys() - {*keys}) if is_foreign else []
    for key in ignored:
        if near := guess_intended_key(key, keys):
            raise FrontMatterError(texts.UNKNOWN_KEY(key=key, nearest=near))
    names = remove_denied_tools(translate_tool_names(chosen), lists.get("disallowedTools", []), known)
    ours = {key: each for key, each in values.items() if key not in {*ignored, *LIMITS_BY_FOREIGN_KEY, *TOOL_LIST_KEYS}}
    ours |= {"tools": names} if names or chosen else {}
    agents = [item for item in chosen if item.translated_names == (DELEGATE_TOOL_NAME,)]
    inside = [item.text_in_brackets for item in agents if item.text_in_brackets is not None]
    if inside and "delegates_to" not in values:  # `Agent(one, two)` may delegate to these
        ours["delegates_to"] = [name.strip() for each in inside for name in each.split(",") if name.strip()]
    return TranslatedKeys(
        values=merge_foreign_limits(ours, values),
        is_foreign=is_foreign,
        ignored_keys=tuple(ignored),
        ignored_tools=tuple(name for name in names if is_foreign and name not in known),
    )


def translate_tool_names(chosen: Iterable[ToolItem]) -> list[str]:
    return list(dict.fromkeys(name for item in chosen for name in item.translated_names))


def parse_tool_list(value: Any, key: str) -> list[ToolItem]:
    """Return the tools of a list of names, or of a text with names between commas. May raise FrontMatterError."""
    parts = value if isinstance(value, list) else [value]
    if not all(isinstance(text, str) for text in parts):
        raise FrontMatterError(texts.NOT_TOOLS(key=key))
    found = [
        parse_tool_item(part.strip(), key) for text in parts for part in split_at_outer_commas(text) if part.strip()
    ]
    if any(item.name == "*" for item in found):
        raise FrontMatterError(texts.EVERY_TOOL(key=key))
    return found


def split_at_outer_commas(text: str) -> Iterator[str]:
    """Yield the parts of `Read, Bash(git:*), Agent(one, two)`: a comma in brackets does not separate."""
    start = depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 0:
            yield text[start:place]
            start = place + 1
    yield text[start:]


def parse_tool_item(text: str, key: str) -> ToolItem:
    """Return one tool of a list. Raise FrontMatterError if a bracket is not closed."""
    name, bracket, after = text.partition("(")
    if text.count("(") != text.count(")") or ")" in name or (bracket and not (name.strip() and after.endswith(")"))):
        raise FrontMatterError(texts.BRACKETS_NOT_CLOSED(key=key, tool=escape_unprintable(text, MAX_NAME_CHARACTERS)))
    return ToolItem(name=name.strip(), text_in_brackets=after[:-1] if bracket else None)


def guess_intended_key(key: str, keys: Sequence[str]) -> str:
    """Return the known key that `key` is meant to be; empty if none. Case, hyphens and underscores do not matter. Also
    find a similar word for RESTRICTIVE_KEYS: if ignored, such a key would leave a role too much."""
    folded = {normalize_role_key(each): each for each in keys}
    wanted = normalize_role_key(key)
    if wanted in folded:
        return folded[wanted]
    likeness = {each: SequenceMatcher(None, wanted, normalize_role_key(each)).ratio() for each in RESTRICTIVE_KEYS}
    return next((each for each in RESTRICTIVE_KEYS if likeness[each] >= MIN_KEY_SIMILARITY), "")


def normalize_role_key(key: str) -> str:
    return re.sub("[-_]", "", key).casefold()


def remove_denied_tools(names: list[str], denied: Sequence[ToolItem], known: frozenset[str]) -> list[str]:
    """Return the names without the denied tools. If `names` is empty, start from all known tools that a role need not
    list to have them."""
    if not denied:
        return names
    gone = {name for item in denied for name in TOOL_TRANSLATIONS.get(item.name.casefold(), (item.name,))}
    left = [name for name in names or sorted(known - SHELL_TOOL_NAMES) if name not in gone]
    if not left:
        raise FrontMatterError(texts.NO_TOOL_LEFT)
    return left


def merge_foreign_limits(ours: dict[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    for key, name in LIMITS_BY_FOREIGN_KEY.items():
        if key in values:
            limits = ours.get("limits", {})
            if not isinstance(limits, dict) or name in limits:
                raise FrontMatterError(texts.TWO_KEYS_FOR_ONE(key=key, other=f"limits.{name}"))
            ours = {**ours, "limits": {**limits, name: values[key]}}
    return ours


def key_name_in_file(key: str, values: Mapping[str, Any]) -> str:
    """Return the name that a file uses for a key: `maxTokenBudget` instead of `limits.tokens`."""
    return next(
        (other for other, name in LIMITS_BY_FOREIGN_KEY.items() if key == f"limits.{name}" and other in values), key
    )


def format_name_list(names: Iterable[str]) -> str:
    """Return the names on one line, with unprintable characters escaped."""
    return ", ".join(escape_unprintable(name, MAX_NAME_CHARACTERS) for name in names)
