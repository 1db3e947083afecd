"""JSON Schemas as the API can hold a reply to them.

It takes less than JSON Schema has: every object is closed, and nothing is measured. What is left out here is checked
when the report is there (`bot/delegation/report_schema`), so a schema may lose a measure on the way, but never a field.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from bot.core.prompt_prefix import STRICT, ToolSchema

KEPT_KEYWORDS = frozenset({"type", "description", "title", "enum", "const"})
MEASURE_KEYWORDS = frozenset(
    {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern"}
    | {"format", "minItems", "maxItems", "uniqueItems", "default", "examples", "$schema", "$id"}
)
STRUCTURE_KEYWORDS = frozenset({"properties", "required", "additionalProperties", "items", "anyOf"})
TYPES = ["object", "array", "string", "integer", "number", "boolean", "null"]
MOST_OPTIONAL, MOST_UNIONS = 24, 16  # of one grammar, by the API's documentation


class NoGrammar(Exception):
    """The schema says something that the API cannot hold a reply to."""


def reply_grammar(form: str, tools: Iterable[ToolSchema]) -> dict[str, Any] | None:
    """What a reply is held to where these tools are shown; None if to nothing. Pages that are looked up are cited,
    which a schema has no place for, and strict tools use up what one grammar may hold."""
    is_in_the_way = any("type" in tool or tool.get(STRICT) for tool in tools)
    return make_grammar(form) if form and not is_in_the_way else None


def make_grammar(form: str) -> dict[str, Any] | None:
    """The schema as the API takes it; None if it cannot."""
    try:
        schema = json.loads(form)
        grammar = close_schema(schema)
    except (ValueError, RecursionError, NoGrammar):
        return None
    nodes = list(list_nested_schemas(grammar))
    optional = sum(len(node.get("properties", {})) - len(node.get("required", ())) for node in nodes)
    unions = sum("anyOf" in node for node in nodes)
    fits = optional <= MOST_OPTIONAL and unions <= MOST_UNIONS
    return grammar if fits and grammar.get("type") == "object" else None


def close_schema(schema: Any) -> dict[str, Any]:
    """Raise NoGrammar if the schema cannot be one."""
    if not isinstance(schema, Mapping) or schema.keys() - KEPT_KEYWORDS - MEASURE_KEYWORDS - STRUCTURE_KEYWORDS:
        raise NoGrammar
    found = {key: schema[key] for key in schema if key in KEPT_KEYWORDS}
    literals = [*schema.get("enum", ()), *([schema["const"]] if "const" in schema else [])]
    if any(isinstance(each, list | dict) for each in literals):
        raise NoGrammar
    if "anyOf" in schema:
        found["anyOf"] = [close_schema(each) for each in schema["anyOf"]]
    elif not literals and schema.get("type") not in TYPES:
        raise NoGrammar
    if schema.get("type") == "object":
        found |= object_fields(schema)
    elif schema.get("type") == "array":
        found["items"] = close_schema(schema.get("items"))
    elif schema.keys() & STRUCTURE_KEYWORDS - {"anyOf"}:
        raise NoGrammar
    return found


def object_fields(schema: Mapping[str, Any]) -> dict[str, Any]:
    """An object that says nothing of its fields, or that more may be added, is open on purpose."""
    fields, needed = schema.get("properties"), schema.get("required", [])
    if not fields or schema.get("additionalProperties", False) is not False or set(needed) - set(fields):
        raise NoGrammar
    return {
        "properties": {name: close_schema(each) for name, each in fields.items()},
        "required": list(needed),
        "additionalProperties": False,
    }


def list_nested_schemas(grammar: dict[str, Any]) -> list[dict[str, Any]]:
    below = [*grammar.get("properties", {}).values(), *grammar.get("anyOf", ())]
    below += [grammar["items"]] if "items" in grammar else []
    return [grammar, *(each for inner in below for each in list_nested_schemas(inner))]
