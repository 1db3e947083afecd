"""Read what an MCP server says about its tools. All of it is words of others: names are checked, descriptions are
cleaned of invisible characters and cut, and a schema that a model's server would refuse is refused here."""

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from bot.core.invisible_characters import find_invisible, strip_invisible
from bot.core.mcp_tools import ListedTool, full_tool_name
from bot.core.texts import escape_unprintable
from bot.mcp_client import texts

# Limits of the Messages API, checked with it: the first two and the top of a schema. The others are ours.
TOOL_NAME_PATTERN = re.compile(r"[A-Za-z0-9_-]{1,64}")
PROPERTY_NAME_PATTERN = re.compile(r"[A-Za-z0-9_.-]{1,64}")
REFUSED_TOP_KEYS = ("oneOf", "allOf", "anyOf")
MAX_TOOLS = 100  # of a server: each costs tokens in every request
MAX_DESCRIPTION_CHARACTERS = 1_500
MAX_ARGUMENT_DESCRIPTION_CHARACTERS = 500
MAX_SCHEMA_CHARACTERS = 12_000
MAX_SCHEMA_DEPTH = 20
MAX_SHOWN_NAME_CHARACTERS = 80
DROPPED_CATEGORIES = ("Cc", "Cf", "Co", "Cs")  # controls and the like; line feeds and tabs become spaces before


class OfferedTool(NamedTuple):
    """What a server says of one tool, before it is checked."""

    name: str
    description: str
    input_schema: Mapping[str, Any]


class Listing(NamedTuple):
    tools: list[ListedTool]
    faults: list[str]  # of the tools that are not used, for operators


class SchemaRefused(Exception):
    """A schema cannot be given to a model."""


def read_listing(server: str, offered: Iterable[OfferedTool]) -> Listing:
    """Return the tools that can be used, in the server's order, and what is wrong with the others."""
    tools: dict[str, ListedTool] = {}
    faults = []
    left_out = 0
    for each in offered:
        if len(tools) >= MAX_TOOLS:
            left_out += 1
            continue
        shown = escape_unprintable(each.name, MAX_SHOWN_NAME_CHARACTERS)
        name = full_tool_name(server, each.name)
        if not each.name or not TOOL_NAME_PATTERN.fullmatch(name):
            faults.append(texts.BAD_TOOL_NAME(tool=shown))
        elif name.casefold() in tools:
            other = tools[name.casefold()].name
            faults.append(texts.TOOL_NAMES_COLLIDE(tool=other, other=shown))
        else:
            try:
                tools[name.casefold()] = check_tool(server, each)
            except SchemaRefused as refused:
                faults.append(texts.BAD_SCHEMA(tool=shown, reason=refused))
    if left_out:
        faults.append(texts.TOO_MANY_TOOLS(left_out, most=MAX_TOOLS))
    return Listing(list(tools.values()), faults)


def check_tool(server: str, offered: OfferedTool) -> ListedTool:
    """Return the tool, cleaned. Raise SchemaRefused if its schema cannot be used."""
    schema = {"type": "object", **offered.input_schema}
    require_usable_schema(schema)
    said = json.dumps([offered.name, offered.description, offered.input_schema], sort_keys=True)
    hidden = sum(len(find_invisible(text)) for text in [offered.description, *iterate_names_and_texts(schema)])
    return ListedTool(
        server=server,
        name=offered.name,
        description=clean_text(offered.description, MAX_DESCRIPTION_CHARACTERS),
        input_schema=clean_schema(schema),
        hash=hashlib.sha256(said.encode(errors="backslashreplace")).hexdigest(),
        hidden_characters=hidden,
    )


def require_usable_schema(schema: Mapping[str, Any]) -> None:
    """Raise SchemaRefused if the Messages API would refuse the schema, or if it is too large for a prompt."""
    if depth_exceeds(schema, MAX_SCHEMA_DEPTH):
        raise SchemaRefused(texts.SCHEMA_TOO_DEEP(most=MAX_SCHEMA_DEPTH))
    if len(json.dumps(schema)) > MAX_SCHEMA_CHARACTERS:
        raise SchemaRefused(texts.SCHEMA_TOO_LARGE(most=MAX_SCHEMA_CHARACTERS))
    if schema["type"] != "object":
        raise SchemaRefused(texts.SCHEMA_NOT_OBJECT)
    if found := next((key for key in REFUSED_TOP_KEYS if key in schema), None):
        raise SchemaRefused(texts.SCHEMA_COMBINES(key=found))
    from jsonschema import Draft202012Validator, SchemaError  # here: it is large, and few bots have MCP servers

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        reason = escape_unprintable(error.message, MAX_SHOWN_NAME_CHARACTERS)
        raise SchemaRefused(texts.SCHEMA_NOT_VALID(reason=reason)) from None
    for name in schema.get("properties", {}):
        if not PROPERTY_NAME_PATTERN.fullmatch(name):
            shown = escape_unprintable(name, MAX_SHOWN_NAME_CHARACTERS)
            raise SchemaRefused(texts.SCHEMA_BAD_PROPERTY(name=shown))


def depth_exceeds(value: Any, most: int) -> bool:
    """Return True if a JSON value is nested deeper than this. It does not recurse, because a server chose the depth."""
    level = [value]
    for _ in range(most):
        level = [inner for each in level for inner in inner_values(each)]
        if not level:
            return False
    return True


def inner_values(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list | tuple) else ()


def iterate_names_and_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield name
            yield from iterate_names_and_texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from iterate_names_and_texts(inner)


def clean_schema(value: Any, key: str = "") -> Any:
    """Return a schema whose descriptions and titles are cleaned and cut. Its other texts decide what an argument may
    be, so they only lose their invisible characters."""
    if isinstance(value, str):
        is_prose = key in ("description", "title", "$comment")
        return clean_text(value, MAX_ARGUMENT_DESCRIPTION_CHARACTERS) if is_prose else strip_invisible(value)
    if isinstance(value, Mapping):
        return {strip_invisible(name): clean_schema(inner, name) for name, inner in value.items()}
    return [clean_schema(inner) for inner in value] if isinstance(value, list | tuple) else value


def clean_text(text: str, most: int) -> str:
    """Return a text on one line, without characters that nobody sees; of a longer text only the beginning."""
    visible = strip_invisible(" ".join(text[: 4 * most].split()))
    plain = "".join(
        sign for sign in visible if unicodedata.category(sign) not in DROPPED_CATEGORIES or sign == "\u200d"
    )
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"
